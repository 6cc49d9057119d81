/* SPDX-License-Identifier: GPL-3.0-or-later */
/* text-test.h - what the tests of tokens and templates share: the files to read, what the tool says
 * of them. */
#pragma once

#include <string.h>

#include "core-test.h"
#include "hearth-model-text.h"

/* Every vocabulary there is to test with: the models and the corpus. May be empty, which skips the
 * test (CI: fails it). Returns: (transfer full) */
static inline GPtrArray *
text_test_list_files (void)
{
  GPtrArray *files = g_ptr_array_new_with_free_func (g_free);
  const char *corpus = g_getenv ("HEARTH_CORPUS");
  g_autofree char *vocabularies = g_build_filename (corpus ? corpus : ".", "tokenizers", NULL);
  const char *const folders[] = { g_getenv ("HEARTH_TEST_MODELS"), vocabularies };

  for (guint i = 0; i < G_N_ELEMENTS (folders); i++)
    {
      g_autoptr (GDir) dir = folders[i] != NULL ? g_dir_open (folders[i], 0, NULL) : NULL;

      for (const char *name = dir != NULL ? g_dir_read_name (dir) : NULL; name != NULL;
           name = g_dir_read_name (dir))
        {
          if (g_str_has_suffix (name, ".gguf"))
            g_ptr_array_add (files, g_build_filename (folders[i], name, NULL));
        }
    }
  if (files->len == 0 && g_getenv ("CI") != NULL)
    g_test_fail_printf ("no vocabularies to test with");
  else if (files->len == 0)
    g_test_skip ("no vocabularies to test with");
  return files;
}

static inline HearthModelText *
text_test_read (const char *path)
{
  HearthModelText *text = hearth_model_text_new (path);

  core_test_wait (hearth_model_text_get_state (text) != HEARTH_MODEL_TEXT_LOADING);
  return text;
}

/* What `ember` prints with these arguments and this input. Returns: (transfer full) */
static inline char *
text_test_run_tool (const char *const *arguments, const char *input, gsize size, gboolean *fine)
{
  g_autoptr (GPtrArray) line = g_ptr_array_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (GBytes) in = g_bytes_new (input, size);
  g_autoptr (GBytes) out = NULL;
  gsize n;
  const char *data;

  g_ptr_array_add (line, (gpointer) g_getenv ("HEARTH_EMBER"));
  for (; *arguments != NULL; arguments++)
    g_ptr_array_add (line, (gpointer) *arguments);
  g_ptr_array_add (line, NULL);
  process = g_subprocess_newv ((const char *const *) line->pdata,
                               G_SUBPROCESS_FLAGS_STDIN_PIPE | G_SUBPROCESS_FLAGS_STDOUT_PIPE |
                                 G_SUBPROCESS_FLAGS_STDERR_SILENCE,
                               &error);
  g_assert_no_error (error);
  g_subprocess_communicate (process, in, NULL, &out, NULL, &error);
  g_assert_no_error (error);
  *fine = g_subprocess_get_successful (process);
  data = g_bytes_get_data (out, &n);
  return g_strndup (data, n);
}

/* The list of numbers behind "ids". Returns: (transfer full) */
static inline GArray *
text_test_parse_ids (const char *json)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  const char *at = strstr (json, "\"ids\"");

  g_assert_nonnull (at);
  at = strchr (at, '[') + 1;
  while (*at != ']')
    {
      char *end;
      gint32 id = (gint32) g_ascii_strtoll (at, &end, 10);

      if (end != at)
        g_array_append_val (ids, id);
      at = end != at ? end : at + 1;
    }
  return ids;
}
