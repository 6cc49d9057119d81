/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What people read, as far as it can be made without a window. */
#include <locale.h>

#include <gtk/gtk.h>

#include "hearth-error.h"
#include "hearth-words.h"

static void
test_counts (void)
{
  static const struct
  {
    guint64 count;
    const char *words;
  } cases[] = {
    { 0, "0" },
    { 999, "999" },
    { 999999, "999,999" },
    { 1000000, "1.00 million" },
    { 12345678, "12.3 million" },
    { 134515008, "135 million" },
    { G_GUINT64_CONSTANT (999499999), "999 million" },
    { G_GUINT64_CONSTANT (999500000), "1.00 billion" },
    { G_GUINT64_CONSTANT (8030261248), "8.03 billion" },
    { G_GUINT64_CONSTANT (70553706496), "70.6 billion" },
    { G_GUINT64_CONSTANT (671026419200), "671 billion" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *words = hearth_words_for_count (cases[i].count);

      g_assert_cmpstr (words, ==, cases[i].words);
    }
}

/* The test runs in the C locale, which has no separator; then in one that has its own. */
static void
test_numbers (void)
{
  static const struct
  {
    guint64 number;
    const char *english, *german;
  } cases[] = {
    { 0, "0", "0" },
    { 999, "999", "999" },
    { 1000, "1,000", "1.000" },
    { 12345, "12,345", "12.345" },
    { 123456, "123,456", "123.456" },
    { 1234567, "1,234,567", "1.234.567" },
    { G_MAXUINT64, "18,446,744,073,709,551,615", "18.446.744.073.709.551.615" },
  };
  g_autofree char *folder = g_dir_make_tmp ("hearth-locales-XXXXXX", NULL);
  g_autofree char *german = g_build_filename (folder, "de_DE.UTF-8", NULL);
  const char *make[] = { "localedef", "-i", "de_DE", "-f", "UTF-8", german, NULL };
  const char *clear[] = { "rm", "-rf", folder, NULL };
  g_autofree char *exact = hearth_words_for_exact_size (98362432);
  g_autofree char *small = hearth_words_for_exact_size (999);
  g_autofree char *term = hearth_words_for_term ("Weights", 1000);
  g_autofree char *percent = hearth_words_for_percent (12.345, 1);
  g_autofree char *digits = hearth_words_for_percent (0, -1);

  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *words = hearth_words_for_number (cases[i].number);

      g_assert_cmpstr (words, ==, cases[i].english);
    }
  g_assert_cmpstr (exact, ==, "98.4\302\240MB (98,362,432 bytes)");
  g_assert_cmpstr (small, ==, "999 bytes");
  g_assert_cmpstr (term, ==, "Weights: 1.0\302\240kB (1,000 bytes)");
  g_assert_cmpstr (percent, ==, "12.3\u00a0%");
  g_assert_cmpstr (digits, ==, "0\u00a0%");

  g_setenv ("LOCPATH", folder, TRUE);
  if (!g_spawn_sync (NULL, (char **) make, NULL,
                     G_SPAWN_SEARCH_PATH | G_SPAWN_STDOUT_TO_DEV_NULL | G_SPAWN_STDERR_TO_DEV_NULL,
                     NULL, NULL, NULL, NULL, NULL, NULL) ||
      setlocale (LC_ALL, "de_DE.UTF-8") == NULL)
    g_test_skip ("no German locale can be made here");
  else
    for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
      {
        g_autofree char *words = hearth_words_for_number (cases[i].number);

        g_assert_cmpstr (words, ==, cases[i].german);
      }
  setlocale (LC_ALL, "C");
  g_unsetenv ("LOCPATH");
  g_spawn_sync (NULL, (char **) clear, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL,
                NULL);
}

/* One sentence for whether something fits, wherever it is said. */
static void
test_room (void)
{
  g_autofree char *fits = hearth_words_for_room ("A", 1000, 2000, 0, FALSE);
  g_autofree char *shorter = hearth_words_for_room ("A", 2000, 1000, 0, FALSE);
  g_autofree char *longest = hearth_words_for_room ("A", 2000, 1000, 4096, FALSE);
  g_autofree char *none = hearth_words_for_room ("A", 2000, 1000, 0, TRUE);

  g_assert_cmpstr (fits, ==,
                   "Fits. It needs 1.0\302\240kB of the 2.0\302\240kB of memory that are free.");
  g_assert_cmpstr (
    shorter, ==,
    "A needs 2.0\302\240kB and 1.0\302\240kB are free. Use a smaller quantization or "
    "a shorter context.");
  g_assert_cmpstr (longest, ==,
                   "A needs 2.0\302\240kB and 1.0\302\240kB are free. A context of 4,096 tokens "
                   "fits.");
  g_assert_cmpstr (
    none, ==,
    "A needs 2.0\302\240kB and 1.0\302\240kB are free. Use a smaller model, or a smaller "
    "file of this one.");
}

static void
test_figures (void)
{
  HearthFigures figures = { .ending = HEARTH_ENDING_END,
                            .n_prompt = 31,
                            .n_reused = 11,
                            .n_generated = 85,
                            .prefill_s = 0.5,
                            .decode_s = 2,
                            .first_token_s = 0.26 };
  g_autofree char *whole = hearth_words_for_figures (&figures);
  g_autofree char *all = hearth_words_for_all_figures (&figures);
  g_autofree char *stopped = NULL;
  g_autofree char *unborn = NULL;
  g_autofree char *killed = NULL;
  g_autofree char *full = NULL;

  g_assert_cmpstr (whole, ==, "42.0 tokens/s · first after 0.3 s");
  g_assert_cmpstr (all, ==,
                   "Answer: 85 tokens at 42.0 tokens/s\n"
                   "Question: 31 tokens, 11 of them known from before\n"
                   "Reading: 40.0 tokens/s\n"
                   "First token after 0.26 s");
  figures.ending = HEARTH_ENDING_CANCELLED;
  stopped = hearth_words_for_figures (&figures);
  g_assert_cmpstr (stopped, ==, "Stopped · 42.0 tokens/s · first after 0.3 s");
  figures.n_generated = 0;
  unborn = hearth_words_for_figures (&figures);
  g_assert_cmpstr (unborn, ==, "Stopped");
  figures = (HearthFigures) { .ending = HEARTH_ENDING_INTERRUPTED };
  killed = hearth_words_for_figures (&figures);
  g_assert_cmpstr (killed, ==, "Interrupted");
  figures = (HearthFigures) { .ending = HEARTH_ENDING_CONTEXT, .n_generated = 1 };
  full = hearth_words_for_figures (&figures);
  g_assert_cmpstr (full, ==, "Cut off: the context is full");
}

/* Every failure is one sentence that names the file, and never the engine's own. */
static void
test_failures (void)
{
  g_autoptr (HearthModelFile) model = hearth_model_file_new ("/somewhere/über uns.gguf");

  for (int code = HEARTH_ERROR_FAILED; code <= HEARTH_ERROR_EMPTY; code++)
    {
      g_autoptr (GError) error = g_error_new_literal (HEARTH_ERROR, code, "0xdeadbeef");
      g_autofree char *sentence = hearth_words_for_error (error, model);

      g_assert_true (g_str_has_suffix (sentence, "."));
      g_assert_null (strstr (sentence, "0xdeadbeef"));
      g_assert_null (strstr (sentence, "rror"));
      if (code != HEARTH_ERROR_CONTEXT_FULL)
        g_assert_nonnull (strstr (sentence, "“über uns.gguf”"));
    }
}

static void
test_suiting (void)
{
  g_autofree char *large = hearth_words_for_suiting (G_GUINT64_CONSTANT (16500000000));
  g_autofree char *small = hearth_words_for_suiting (2000000000);

  g_assert_cmpstr (large, ==,
                   "This computer has 16.5\302\240GB of memory: files of up to about 9 GB suit it, "
                   "and the smaller, the faster.");
  g_assert_cmpstr (
    small, ==,
    "This computer has 2.0\302\240GB of memory: files of up to about 1.2 GB suit it, "
    "and the smaller, the faster.");
}

/* A file that was read once is gone; of another one nobody knows whether it ever was. */
static void
test_not_found (void)
{
  g_autoptr (HearthModelFile) model = hearth_model_file_new ("/some/where/mistyped.gguf");
  g_autoptr (GError) error = g_error_new_literal (HEARTH_ERROR, HEARTH_ERROR_NOT_FOUND, "no");
  g_autofree char *sentence = hearth_words_for_error (error, model);

  g_assert_cmpstr (sentence, ==,
                   "There is no “mistyped.gguf” in “/some/where”. Check its name, or open it from "
                   "where it is now.");
}

static void
test_order (void)
{
  g_autofree char *value = hearth_words_for_value (-0.5f);
  g_autofree char *exponent = hearth_words_with_sign ("-3e-05");
  g_autofree char *percent = hearth_words_for_percent (4.1, 2);
  g_autofree char *plain = NULL;
  g_autofree char *size = NULL;
  g_autofree char *isolated = NULL;
  g_autofree char *percent_isolated = NULL;
  g_autofree char *empty = NULL;

  g_assert_cmpstr (value, ==, "−0.5");
  g_assert_cmpstr (exponent, ==, "−3e−05");
  g_assert_cmpstr (percent, ==, "4.10\u00a0%");

  gtk_widget_set_default_direction (GTK_TEXT_DIR_LTR);
  size = hearth_words_for_exact_size (98362432);
  gtk_widget_set_default_direction (GTK_TEXT_DIR_RTL);
  isolated = hearth_words_for_exact_size (98362432);
  percent_isolated = hearth_words_for_percent (4.1, 2);
  empty = hearth_words_in_order ("");
  gtk_widget_set_default_direction (GTK_TEXT_DIR_LTR);
  g_assert_true (g_str_has_prefix (isolated, "\u2068") && g_str_has_suffix (isolated, "\u2069"));
  g_assert_true (g_str_has_prefix (percent_isolated, "\u2068"));
  g_assert_cmpstr (empty, ==, "");
  /* What is copied has none of these marks. */
  plain = hearth_words_as_plain (isolated);
  g_assert_cmpstr (plain, ==, size);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/words/counts", test_counts);
  g_test_add_func ("/words/numbers", test_numbers);
  g_test_add_func ("/words/order", test_order);
  g_test_add_func ("/words/room", test_room);
  g_test_add_func ("/words/figures", test_figures);
  g_test_add_func ("/words/failures", test_failures);
  g_test_add_func ("/words/not-found", test_not_found);
  g_test_add_func ("/words/suiting", test_suiting);
  return g_test_run ();
}
