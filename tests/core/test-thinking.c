/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <string.h>

#include "hearth-thinking.h"

static const struct
{
  const char *text;
  gboolean open;
  const char *thoughts;
  const char *answer;
} samples[] = {
  { "", FALSE, "", "" },
  { "Hello", FALSE, "", "Hello" },
  { "<think>\nHm. <b>\n</think>\n\nHello </think>", FALSE, "Hm. <b>\n", "Hello </think>" },
  { "\n <think>a</think>b", FALSE, "a", "b" },
  { "a <think>b</think>", FALSE, "", "a <think>b</think>" },
  { "<thin", FALSE, "", "<thin" },
  { "<thin air>", FALSE, "", "<thin air>" },
  { "\nHm.\n</think>\nHello", TRUE, "Hm.\n", "Hello" },
  { "Hm. </thin", TRUE, "Hm. </thin", "" },
  { "Hm. </</think>x", TRUE, "Hm. </", "x" },
  { "<think></think>\n\nx", FALSE, "", "x" },
};

static void
test_samples (void)
{
  for (gsize i = 0; i < G_N_ELEMENTS (samples); i++)
    {
      gsize size = strlen (samples[i].text);

      for (gsize piece = 1; piece <= size + 1; piece++)
        {
          HearthThinking thinking;
          g_autoptr (GString) thoughts = g_string_new (NULL);
          g_autoptr (GString) answer = g_string_new (NULL);

          hearth_thinking_init (&thinking, "<think>", "</think>", samples[i].open);
          for (gsize at = 0; at < size; at += piece)
            hearth_thinking_push (&thinking, samples[i].text + at, MIN (piece, size - at), thoughts,
                                  answer);
          hearth_thinking_end (&thinking, thoughts, answer);
          hearth_thinking_finish (&thinking);
          g_assert_cmpstr (thoughts->str, ==, samples[i].thoughts);
          g_assert_cmpstr (answer->str, ==, samples[i].answer);
        }
    }
}

static void
test_no_marks (void)
{
  HearthThinking thinking;
  g_autoptr (GString) thoughts = g_string_new (NULL);
  g_autoptr (GString) answer = g_string_new (NULL);

  hearth_thinking_init (&thinking, NULL, NULL, FALSE);
  hearth_thinking_push (&thinking, " <think>x", 9, thoughts, answer);
  g_assert_cmpstr (answer->str, ==, " <think>x");
  hearth_thinking_finish (&thinking);
}

/* Thoughts that were stopped in the middle: their spaces stay, and their end is still found. */
static void
test_go_on (void)
{
  HearthThinking thinking;
  g_autoptr (GString) thoughts = g_string_new ("Let me");
  g_autoptr (GString) answer = g_string_new (NULL);

  hearth_thinking_init (&thinking, "<think>", "</think>", FALSE);
  hearth_thinking_go_on (&thinking);
  hearth_thinking_push (&thinking, " see.</thi", 10, thoughts, answer);
  g_assert_cmpstr (thoughts->str, ==, "Let me see.");
  hearth_thinking_push (&thinking, "nk>\nYes", 7, thoughts, answer);
  hearth_thinking_end (&thinking, thoughts, answer);
  g_assert_cmpstr (thoughts->str, ==, "Let me see.");
  g_assert_cmpstr (answer->str, ==, "Yes");
  hearth_thinking_finish (&thinking);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/thinking/samples", test_samples);
  g_test_add_func ("/thinking/no-marks", test_no_marks);
  g_test_add_func ("/thinking/go-on", test_go_on);
  return g_test_run ();
}
