/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-doctor-words README: the window has words for every code that the engine's README lists. */
#include <string.h>

#include <glib.h>

#include "hearth-doctor-words.h"

static const char *readme;

static void
test_codes (void)
{
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  g_auto (GStrv) words = NULL;
  char *from, *to;
  guint n = 0;

  g_file_get_contents (readme, &text, NULL, &error);
  g_assert_no_error (error);
  from = strstr (text, "The codes: ");
  g_assert_nonnull (from);
  to = strstr (from, "\n\n");
  g_assert_nonnull (to);
  *to = '\0';
  words = g_strsplit (from, "`", -1);
  /* Every second piece stands between two marks. */
  for (guint i = 1; words[i] != NULL; i += 2, n++)
    {
      if (!hearth_doctor_words_know (words[i]))
        g_error ("no words for the code \"%s\"", words[i]);
    }
  g_assert_cmpuint (n, >, 100);
  g_assert_false (hearth_doctor_words_know ("nobodys-code"));
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_assert_cmpint (argc, ==, 2);
  readme = argv[1];
  g_test_add_func ("/doctor-words/codes", test_codes);
  return g_test_run ();
}
