/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-words.h"

#include <locale.h>
#include <math.h>
#include <string.h>

#include <glib/gi18n.h>
#include <gtk/gtk.h>

#include "hearth-error.h"
#include "hearth-tensor-rows.h"

/* FIRST STRONG ISOLATE … POP DIRECTIONAL ISOLATE */
#define ISOLATE "\u2068"
#define END_OF_ISOLATE "\u2069"

static char *
unsupported (const GError *error, const char *name, HearthModelFile *model)
{
  const HearthModelHeader *header = model != NULL ? hearth_model_file_get_header (model) : NULL;

  if (error->code == HEARTH_ERROR_ARCHITECTURE && header != NULL && header->architecture != NULL)
    return g_strdup_printf (
      _ ("This model uses “%s”, which Hearth cannot run yet. You can still inspect it."),
      header->architecture);
  if (header != NULL)
    return g_strdup_printf (
      _ ("“%s” asks for something that Hearth cannot do yet. You can still inspect it."), name);
  return g_strdup_printf (_ ("“%s” is of a kind that Hearth cannot read yet."), name);
}

static char *
incomplete (const char *name, HearthModelFile *model)
{
  const HearthModelHeader *header = model != NULL ? hearth_model_file_get_header (model) : NULL;
  g_autofree char *have = NULL;
  g_autofree char *want = NULL;

  if (header == NULL)
    return g_strdup_printf (_ ("“%s” is incomplete."), name);
  have = hearth_words_for_size (header->size);
  want = hearth_words_for_size (header->expected_size);
  return g_strdup_printf (_ ("“%s” is incomplete: %s of %s are there."), name, have, want);
}

/* Whether it was there once, or never was, is known of one that was read. */
static char *
not_found (const char *name, HearthModelFile *model)
{
  g_autofree char *folder =
    model != NULL ? g_path_get_dirname (hearth_model_file_get_path (model)) : g_strdup ("");
  g_autofree char *shown = g_filename_display_name (folder);

  if (model == NULL || hearth_model_file_get_header (model) != NULL)
    return g_strdup_printf (
      _ ("“%s” is not there any more. Open it from where it is now, or choose "
         "another model."),
      name);
  /* Translators: a file and the folder it was looked for in */
  return g_strdup_printf (
    _ ("There is no “%1$s” in “%2$s”. Check its name, or open it from where it "
       "is now."),
    name, shown);
}

char *
hearth_words_for_error (const GError *error, HearthModelFile *model)
{
  g_autofree char *name =
    hearth_words_in_order (model != NULL ? hearth_model_file_get_base_name (model) : "");

  if (error->domain != HEARTH_ERROR)
    return g_strdup (error->message);
  switch ((HearthError) error->code)
    {
    case HEARTH_ERROR_NOT_A_MODEL:
      {
        const char *kind = model != NULL ? hearth_model_file_get_kind (model) : NULL;

        if (kind != NULL)
          /* Translators: %2$s is "a ZIP archive" or the like */
          return g_strdup_printf (_ ("“%1$s” is %2$s, not a model file. Hearth opens GGUF files."),
                                  name, _ (kind));
        return g_strdup_printf (_ ("“%s” is not a model file. Hearth opens GGUF files."), name);
      }
    case HEARTH_ERROR_EMPTY:
      return g_strdup_printf (_ ("“%s” is empty: not a single byte is in it. Download it again."),
                              name);
    case HEARTH_ERROR_DAMAGED:
      return g_strdup_printf (_ ("“%s” is damaged and cannot be used."), name);
    case HEARTH_ERROR_INCOMPLETE:
      return incomplete (name, model);
    case HEARTH_ERROR_UNSUPPORTED:
    case HEARTH_ERROR_ARCHITECTURE:
      return unsupported (error, name, model);
    case HEARTH_ERROR_NOT_FOUND:
      return not_found (name, model);
    case HEARTH_ERROR_NO_CHAT:
      return g_strdup_printf (_ ("“%s” has no vocabulary, so it cannot read or write text."), name);
    case HEARTH_ERROR_NO_MEMORY:
      return g_strdup_printf (_ ("There is not enough free memory for “%s”. Close other programs, "
                                 "or use a smaller model."),
                              name);
    case HEARTH_ERROR_IO:
      return g_strdup_printf (_ ("“%s” cannot be read."), name);
    case HEARTH_ERROR_CONTEXT_FULL:
      return g_strdup (_ ("The conversation is longer than this model can read at once."));
    case HEARTH_ERROR_FILE_LOST:
      return g_strdup_printf (_ ("“%s” can no longer be read: it changed while it was in use, or "
                                 "its disk was removed."),
                              name);
    case HEARTH_ERROR_NOT_LOADED:
      return g_strdup_printf (_ ("“%s” is not loaded."), name);
    case HEARTH_ERROR_FAILED:
    default:
      return g_strdup_printf (_ ("“%s” cannot be used."), name);
    }
}

const char *
hearth_words_for_way_out (const GError *error, HearthModelFile *model)
{
  if (g_error_matches (error, HEARTH_ERROR, HEARTH_ERROR_INCOMPLETE))
    return model != NULL && hearth_model_file_get_header (model) != NULL
             ? _ ("Download it again, or wait if it is still being written.")
             : _ ("Put all parts of the model into one folder, and download what is missing.");
  if (g_error_matches (error, HEARTH_ERROR, HEARTH_ERROR_DAMAGED))
    return _ ("Download it again, or get it from another source.");
  return NULL;
}

char *
hearth_words_for_number (guint64 number)
{
  char digits[32];
  const char *at = digits;
  const char *locale = setlocale (LC_NUMERIC, NULL);
  GString *grouped;

  if (locale != NULL && !g_str_equal (locale, "POSIX") && !g_str_equal (locale, "C") &&
      !g_str_has_prefix (locale, "C."))
    return g_strdup_printf ("%'" G_GUINT64_FORMAT, number);
  /* This locale has no separator. Its words are English: so are its figures. */
  g_snprintf (digits, sizeof digits, "%" G_GUINT64_FORMAT, number);
  grouped = g_string_new (NULL);
  for (gsize left = strlen (digits); left > 0; left--)
    {
      g_string_append_c (grouped, *at++);
      if (left > 1 && left % 3 == 1)
        g_string_append_c (grouped, ',');
    }
  return g_string_free_and_steal (grouped);
}

char *
hearth_words_for_percent (double percent, int n_decimals)
{
  g_autofree char *figure = n_decimals >= 0 ? g_strdup_printf ("%.*f", n_decimals, percent)
                                            : g_strdup_printf ("%.3g", percent);

  /* Translators: a share, "12.5 %"; with the space that the language has there, at which a line
   * does not break */
  g_autofree char *text = g_strdup_printf (_ ("%s %%"), figure);

  return hearth_words_in_order (text);
}

/* Three significant digits, but never fewer than the whole number has. */
static char *
three_digits (double value)
{
  int decimals = value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;

  return g_strdup_printf ("%.*f", decimals, value);
}

char *
hearth_words_for_count (guint64 count)
{
  g_autofree char *figure = NULL;

  if (count < 1000000)
    return hearth_words_for_number (count);
  if (count < G_GUINT64_CONSTANT (999500000))
    {
      figure = three_digits ((double) count / 1e6);
      return g_strdup_printf (_ ("%s million"), figure);
    }
  figure = three_digits ((double) count / 1e9);
  return g_strdup_printf (_ ("%s billion"), figure);
}

char *
hearth_words_in_order (const char *text)
{
  /* Signs and "×" have no direction of their own. */
  return gtk_widget_get_default_direction () == GTK_TEXT_DIR_RTL && *text != '\0'
           ? g_strconcat (ISOLATE, text, END_OF_ISOLATE, NULL)
           : g_strdup (text);
}

char *
hearth_words_as_plain (const char *text)
{
  g_autoptr (GString) out = g_string_new (text);

  g_string_replace (out, ISOLATE, "", 0);
  g_string_replace (out, END_OF_ISOLATE, "", 0);
  return g_string_free_and_steal (g_steal_pointer (&out));
}

char *
hearth_words_with_sign (const char *number)
{
  g_autoptr (GString) out = g_string_new (number);

  g_string_replace (out, "-", "−", 0);
  return hearth_words_in_order (out->str);
}

char *
hearth_words_for_value (float value)
{
  char text[HEARTH_VALUE_TEXT_SIZE];
  g_autofree char *local = NULL;
  char *point;

  hearth_tensor_rows_format (value, text);
  point = strchr (text, '.');
  if (point == NULL)
    return hearth_words_with_sign (text);
  *point = '\0';
  local = g_strconcat (text, localeconv ()->decimal_point, point + 1, NULL);
  return hearth_words_with_sign (local);
}

char *
hearth_words_for_size (guint64 n_bytes)
{
  g_autofree char *text = g_format_size (n_bytes);

  return hearth_words_in_order (text);
}

char *
hearth_words_for_exact_size (guint64 n_bytes)
{
  g_autofree char *size = hearth_words_for_size (n_bytes);
  g_autofree char *exact = hearth_words_for_number (n_bytes);
  g_autofree char *both = NULL;

  if (n_bytes < 1000)
    return g_steal_pointer (&size);
  /* Translators: "98.4 MB (98,362,432 bytes)" */
  both = g_strdup_printf (_ ("%1$s (%2$s bytes)"), size, exact);
  return hearth_words_in_order (both);
}

char *
hearth_words_for_term (const char *title, guint64 n_bytes)
{
  g_autofree char *size = hearth_words_for_exact_size (n_bytes);

  /* Translators: a term of a sum: "Weights: 98.4 MB (98,362,432 bytes)" */
  return g_strdup_printf (_ ("%1$s: %2$s"), title, size);
}

char *
hearth_words_for_room (const char *title, guint64 need, guint64 budget, guint longest,
                       gboolean hopeless)
{
  g_autofree char *needed = hearth_words_for_size (need);
  g_autofree char *free_now = hearth_words_for_size (budget);
  g_autofree char *length = hearth_words_for_number (longest);

  if (need <= budget)
    /* Translators: sizes, "293 MB", "22.8 GB" */
    return g_strdup_printf (_ ("Fits. It needs %1$s of the %2$s of memory that are free."), needed,
                            free_now);
  if (hopeless)
    return g_strdup_printf (
      _ ("%1$s needs %2$s and %3$s are free. Use a smaller model, or a smaller "
         "file of this one."),
      title, needed, free_now);
  if (longest == 0)
    return g_strdup_printf (_ ("%1$s needs %2$s and %3$s are free. Use a smaller quantization or a "
                               "shorter context."),
                            title, needed, free_now);
  return g_strdup_printf (_ ("%1$s needs %2$s and %3$s are free. A context of %4$s tokens fits."),
                          title, needed, free_now, length);
}

char *
hearth_words_for_memory (guint64 weights, guint64 kv, guint64 compute)
{
  g_autofree char *left = hearth_words_for_size (weights);
  g_autofree char *middle = hearth_words_for_size (kv);
  g_autofree char *right = hearth_words_for_size (compute);

  return g_strdup_printf (_ ("Weights %1$s · KV cache %2$s · working memory %3$s"), left, middle,
                          right);
}

char *
hearth_words_for_suiting (guint64 memory)
{
  /* Two fifths are left to the desktop, other programs and the conversation itself. */
  double most = (double) memory * 0.6 / 1e9;
  g_autofree char *all = g_format_size (memory);
  g_autofree char *figure = g_strdup_printf ("%.*f", most < 2 ? 1 : 0, floor (most * 10) / 10);
  g_autofree char *whole = g_strdup_printf ("%.0f", floor (most));

  /* Translators: "This computer has 16.5 GB of memory: files of up to about 9 GB …" */
  return g_strdup_printf (
    _ ("This computer has %1$s of memory: files of up to about %2$s GB suit it, "
       "and the smaller, the faster."),
    all, most < 2 ? figure : whole);
}

/* NULL for an answer that came to its own end. */
static const char *
ending (const HearthFigures *figures)
{
  switch (figures->ending)
    {
    case HEARTH_ENDING_CANCELLED:
      return _ ("Stopped");
    case HEARTH_ENDING_CONTEXT:
      return _ ("Cut off: the context is full");
    case HEARTH_ENDING_LENGTH:
      return _ ("Cut off at the answer length");
    case HEARTH_ENDING_INTERRUPTED:
      return _ ("Interrupted");
    case HEARTH_ENDING_END:
    default:
      return NULL;
    }
}

char *
hearth_words_for_figures (const HearthFigures *figures)
{
  g_autoptr (GStrvBuilder) parts = g_strv_builder_new ();
  g_auto (GStrv) list = NULL;
  double speed = hearth_figures_get_speed (figures);

  if (ending (figures) != NULL)
    g_strv_builder_add (parts, ending (figures));
  if (speed > 0)
    {
      g_autofree char *figure = three_digits (speed);

      g_strv_builder_take (parts, g_strdup_printf (_ ("%s tokens/s"), figure));
    }
  /* Nothing is said of a wait that would be called 0: all had been read before. */
  if (figures->n_generated > 0 && figures->first_token_s >= 0.0005 &&
      figures->first_token_s < 0.0995)
    g_strv_builder_take (
      parts, g_strdup_printf (_ ("first after %.0f ms"), figures->first_token_s * 1000));
  else if (figures->n_generated > 0 && figures->first_token_s >= 0.0995)
    g_strv_builder_take (parts, g_strdup_printf (_ ("first after %.1f s"), figures->first_token_s));
  list = g_strv_builder_end (parts);
  return g_strjoinv (" · ", list);
}

char *
hearth_words_for_all_figures (const HearthFigures *figures)
{
  g_autofree char *generated = hearth_words_for_number (figures->n_generated);
  g_autofree char *prompt = hearth_words_for_number (figures->n_prompt);
  g_autofree char *reused = hearth_words_for_number (figures->n_reused);
  g_autofree char *speed = three_digits (hearth_figures_get_speed (figures));
  guint64 n_read = figures->n_prompt - MIN (figures->n_reused, figures->n_prompt);
  g_autofree char *prefill =
    three_digits (figures->prefill_s > 0 ? (double) n_read / figures->prefill_s : 0);

  return g_strdup_printf (_ ("Answer: %1$s tokens at %2$s tokens/s\n"
                             "Question: %3$s tokens, %4$s of them known from before\n"
                             "Reading: %5$s tokens/s\n"
                             "First token after %6$.2f s"),
                          generated, speed, prompt, reused, prefill, figures->first_token_s);
}

char *
hearth_words_for_model (HearthModelFile *model)
{
  const HearthModelHeader *header = hearth_model_file_get_header (model);
  g_autofree char *count = NULL;
  g_autofree char *size = NULL;

  if (header == NULL)
    return g_strdup ("");
  count = hearth_words_for_count (header->n_parameters);
  size = hearth_words_for_size (header->size);
  if (header->quantization == NULL)
    return g_strdup (size);
  /* Translators: "135 million parameters · Q4_1 · 98.4 MB" */
  return g_strdup_printf (_ ("%1$s parameters · %2$s · %3$s"), count, header->quantization, size);
}

char *
hearth_words_for_model_kind (HearthModelFile *model)
{
  const HearthModelHeader *header = hearth_model_file_get_header (model);
  g_autofree char *count = NULL;
  g_autofree char *bits = NULL;

  if (header == NULL)
    return g_strdup ("");
  count = hearth_words_for_count (header->n_parameters);
  bits = three_digits (hearth_model_file_get_bits_per_weight (model));
  switch (hearth_model_file_get_role (model))
    {
    case HEARTH_MODEL_ROLE_PROJECTOR:
      return g_strdup_printf (_ ("A projector of %s parameters, which goes with a model."), count);
    case HEARTH_MODEL_ROLE_ADAPTER:
      return g_strdup_printf (_ ("An adapter of %s parameters, which changes a model."), count);
    case HEARTH_MODEL_ROLE_VOCABULARY:
      return g_strdup (_ ("A vocabulary without a model."));
    case HEARTH_MODEL_ROLE_IMATRIX:
      return g_strdup (_ ("An importance matrix, which quantizations are made with."));
    case HEARTH_MODEL_ROLE_DRAFT:
    case HEARTH_MODEL_ROLE_MODEL:
    default:
      break;
    }
  if (!header->has_vocabulary)
    return g_strdup_printf (_ ("A model of %1$s parameters without a vocabulary, stored with "
                               "about %2$s bits per weight."),
                            count, bits);
  if (header->is_embedder)
    return g_strdup_printf (_ ("An embedding model of %1$s parameters, stored with about %2$s bits "
                               "per weight."),
                            count, bits);
  if (header->has_template)
    return g_strdup_printf (_ ("A chat model of %1$s parameters, stored with about %2$s bits per "
                               "weight."),
                            count, bits);
  return g_strdup_printf (_ ("A base model of %1$s parameters, stored with about %2$s bits per "
                             "weight."),
                          count, bits);
}

char *
hearth_words_for_model_advice (HearthModelFile *model)
{
  const HearthModelHeader *header = hearth_model_file_get_header (model);

  if (header == NULL)
    return g_strdup ("");
  switch (hearth_model_file_get_role (model))
    {
    case HEARTH_MODEL_ROLE_PROJECTOR:
      return g_strdup (_ ("It turns pictures or sound into what a model reads. Alone it does "
                          "nothing."));
    case HEARTH_MODEL_ROLE_ADAPTER:
      return g_strdup (_ ("It holds what was learned on top of a model, and needs that model."));
    case HEARTH_MODEL_ROLE_VOCABULARY:
      return g_strdup (_ ("It cuts text into tokens, but holds nothing that was learned: for tests "
                          "and tools."));
    case HEARTH_MODEL_ROLE_DRAFT:
    case HEARTH_MODEL_ROLE_MODEL:
    case HEARTH_MODEL_ROLE_IMATRIX:
    default:
      break;
    }
  if (!header->has_vocabulary)
    return g_strdup ("");
  if (header->is_embedder)
    return g_strdup (_ ("It turns a text into numbers that can be compared, for search. It does "
                        "not write answers."));
  if (!header->has_template)
    return g_strdup (_ ("A base model goes on writing where your text stops. It was not taught to "
                        "answer, so expect a continuation rather than a reply."));
  return g_strdup ("");
}

char *
hearth_words_for_fit (HearthModelFile *model)
{
  const HearthModelHeader *header = hearth_model_file_get_header (model);
  const HearthHeaderFit *fit;

  if (header == NULL)
    return g_strdup ("");
  if (header->fit_error != NULL)
    return hearth_words_for_error (header->fit_error, model);
  fit = &header->fit;
  /* No context is short enough for weights that alone are too much. */
  return hearth_words_for_room (hearth_model_file_get_title (model),
                                fit->weights + fit->kv + fit->checkpoint + fit->compute,
                                fit->budget, 0, fit->weights > fit->budget);
}

char *
hearth_words_for_needs (HearthModelFile *model)
{
  const HearthModelHeader *header = hearth_model_file_get_header (model);
  const HearthHeaderFit *fit;
  g_autoptr (GStrvBuilder) lines = g_strv_builder_new ();
  g_auto (GStrv) list = NULL;

  if (header == NULL || header->fit_error != NULL)
    return g_strdup ("");
  fit = &header->fit;
  g_strv_builder_take (lines, hearth_words_for_term (_ ("Weights"), fit->weights));
  g_strv_builder_take (lines, hearth_words_for_term (_ ("KV cache"), fit->kv + fit->checkpoint));
  g_strv_builder_take (lines, hearth_words_for_term (_ ("Working memory"), fit->compute));
  g_strv_builder_take (lines,
                       hearth_words_for_term (_ ("Together"), fit->weights + fit->kv +
                                                                fit->checkpoint + fit->compute));
  g_strv_builder_take (lines, hearth_words_for_term (_ ("Free now"), fit->budget));
  list = g_strv_builder_end (lines);
  return g_strjoinv ("\n", list);
}

gboolean
hearth_words_row_has_detail (gpointer item, const char *detail)
{
  return detail != NULL && *detail != '\0';
}
