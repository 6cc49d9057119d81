/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Copies of a model file with other keys. */
#include <string.h>

#include <ember/gguf.h>

#include "core-test.h"
#include "gguf-file.h"
#include "hearth-error.h"
#include "hearth-model-contents.h"
#include "hearth-model-edit.h"

static char *folder;
static char *source;

static void
write_source (void)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autoptr (GError) error = NULL;
  guint8 data[256];

  put_header (bytes, 1, 7);
  put_text_key (bytes, "general.architecture", "llama");
  put_text_key (bytes, "general.name", "First\nof two lines");
  put_u32_key (bytes, "llama.context_length", 4096);
  put_text_key (bytes, "a", "one");
  put_text_key (bytes, "b", "two");
  put_array_key (bytes, "general.tags", 8, 2);
  put_string (bytes, "x\"y");
  put_string (bytes, "z");
  put_array_key (bytes, "tokenizer.ggml.tokens", 8, 2000);
  for (guint i = 0; i < 2000; i++)
    put_string (bytes, "token");
  put_tensor (bytes, "t", 64, 0, 0);
  while (bytes->len % 32 != 0)
    g_byte_array_append (bytes, (const guint8 *) "", 1);
  for (guint i = 0; i < sizeof data; i++)
    data[i] = (guint8) i;
  g_byte_array_append (bytes, data, sizeof data);
  source = g_build_filename (folder, "source.gguf", NULL);
  g_file_set_contents (source, (const char *) bytes->data, bytes->len, &error);
  g_assert_no_error (error);
}

static HearthModelEdit *
begin (const char *path)
{
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (HearthModelContents) contents = NULL;
  g_autoptr (GError) error = NULL;

  hearth_model_contents_read_async (path, NULL, core_test_result_cb, &result);
  core_test_wait (result != NULL);
  contents = hearth_model_contents_read_finish (result, &error);
  g_assert_no_error (error);
  return hearth_model_edit_new (path, hearth_model_contents_get_keys (contents));
}

static HearthEditKey *
find (HearthModelEdit *edit, const char *name)
{
  GListModel *list = G_LIST_MODEL (edit);

  for (guint i = 0; i < g_list_model_get_n_items (list); i++)
    {
      g_autoptr (HearthEditKey) key = g_list_model_get_item (list, i);

      if (g_str_equal (hearth_edit_key_get_name (key), name))
        return key; /* the list keeps it */
    }
  return NULL;
}

static gboolean
save (HearthModelEdit *edit, const char *path, GCancellable *cancellable, GError **error)
{
  g_autoptr (GAsyncResult) result = NULL;

  hearth_model_edit_save_async (edit, path, cancellable, core_test_result_cb, &result);
  core_test_wait (result != NULL);
  return hearth_model_edit_save_finish (edit, result, error);
}

static void
check_text (const struct ember_gguf *gguf, const char *key, const char *expected)
{
  struct ember_text text = ember_gguf_get_text (gguf, key);
  g_autofree char *copy = g_strndup (text.data, text.size);

  g_assert_cmpstr (copy, ==, expected);
}

static void
apply (HearthModelEdit *edit, const char *old, const char *name, const char *type, const char *text)
{
  g_autoptr (GError) error = NULL;

  g_assert_true (hearth_model_edit_apply (edit, old != NULL ? find (edit, old) : NULL, name, type,
                                          text, &error));
  g_assert_no_error (error);
}

/* Every kind of change at once; two keys exchange their names. */
static void
test_copy (void)
{
  g_autoptr (HearthModelEdit) edit = begin (source);
  g_autofree char *path = g_build_filename (folder, "copy.gguf", NULL);
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;
  g_autoptr (GError) error = NULL;
  struct ember_gguf *gguf = NULL;
  struct ember_text text;
  gsize n_before, n_after;

  g_file_get_contents (source, &before, &n_before, NULL);
  apply (edit, "general.name", "general.name", "str", "Second = 2: “x”");
  apply (edit, "a", "c", "str", NULL);
  apply (edit, "b", "a", "str", NULL);
  apply (edit, "c", "b", "str", NULL);
  apply (edit, "llama.context_length", "llama.context_length", "u64", "8192");
  apply (edit, "general.tags", "general.tags", "arr[str]", "[\"one\", \"two\", \"three\"]");
  apply (edit, NULL, "general.sampling.temp", "f32", "0.25");
  apply (edit, NULL, "left.again", "bool", "true");
  hearth_model_edit_remove (edit, find (edit, "left.again"));
  hearth_model_edit_remove (edit, find (edit, "tokenizer.ggml.tokens"));
  g_assert_cmpuint (hearth_model_edit_get_n_changes (edit), ==, 7);
  g_assert_true (save (edit, path, NULL, &error));
  g_assert_no_error (error);

  g_assert_cmpint (ember_gguf_open (&gguf, path, false, NULL), ==, EMBER_OK);
  g_assert_cmpuint (ember_gguf_info (gguf)->n_keys, ==, 7);
  check_text (gguf, "general.name", "Second = 2: “x”");
  check_text (gguf, "a", "two");
  check_text (gguf, "b", "one");
  g_assert_cmpint (
    ember_gguf_key_type (gguf, (guint64) ember_gguf_find (gguf, "llama.context_length")), ==,
    EMBER_GGUF_U64);
  g_assert_cmpuint (ember_gguf_get_u64 (gguf, "llama.context_length", 0), ==, 8192);
  g_assert_cmpuint (ember_gguf_key_length (gguf, (guint64) ember_gguf_find (gguf, "general.tags")),
                    ==, 3);
  g_assert_true (ember_gguf_text (gguf, ember_gguf_find (gguf, "general.tags"), 2, &text));
  g_assert_cmpmem (text.data, text.size, "three", 5);
  g_assert_cmpfloat (ember_gguf_get_f64 (gguf, "general.sampling.temp", 0), ==, 0.25);
  g_assert_cmpint (ember_gguf_find (gguf, "tokenizer.ggml.tokens"), ==, -1);
  g_assert_cmpint (ember_gguf_find (gguf, "left.again"), ==, -1);
  ember_gguf_close (gguf);

  /* The data of the tensor follow, and the file that was edited is as it was. */
  g_file_get_contents (path, &after, &n_after, NULL);
  g_assert_cmpmem (after + n_after - 256, 256, before + n_before - 256, 256);
  g_free (after);
  g_file_get_contents (source, &after, &n_after, NULL);
  g_assert_cmpmem (after, n_after, before, n_before);
}

/* What cannot be is said before anything is written. */
static void
test_checks (void)
{
  g_autoptr (HearthModelEdit) edit = begin (source);
  HearthEditKey *name = find (edit, "general.name");
  HearthEditKey *tags = find (edit, "general.tags");
  HearthEditKey *tokens = find (edit, "tokenizer.ggml.tokens");
  g_autofree char *written = hearth_edit_key_dup_text (tags);
  g_autofree char *type = hearth_model_edit_dup_standard_type (edit, "llama.context_length");
  g_autofree char *meaning = hearth_model_edit_dup_meaning (edit, "llama.context_length");
  static const char *const wrong[][3] = {
    { "general.name", "u32", "-1" },
    { "general.name", "u8", "256" },
    { "general.name", "f32", "a" },
    { "general.name", "bool", "maybe" },
    { "", "str", "a" },
    { "a=b", "str", "a" },
    { "general.architecture", "str", "a" },
    { "general.tags2", "arr[u8]", "[1, \"a\"]" },
    { "general.tags2", "arr[u8]", "1" },
    { "general.alignment", "u32", "3" },
    { "general.name", "nothing", "1" },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_false (
        hearth_model_edit_apply (edit, name, wrong[i][0], wrong[i][1], wrong[i][2], &error));
      g_assert_error (error, HEARTH_ERROR, HEARTH_ERROR_FAILED);
    }
  g_assert_cmpuint (hearth_model_edit_get_n_changes (edit), ==, 0);

  g_assert_cmpstr (written, ==, "[\"x\\\"y\", \"z\"]");
  g_assert_cmpstr (type, ==, "u32");
  g_assert_cmpstr (meaning, ==, "trained context (tokens)");
  /* A vocabulary is not written by hand, but may go. */
  g_assert_false (hearth_edit_key_has_text (tokens));
  hearth_model_edit_remove (edit, tokens);
  g_assert_cmpint (hearth_edit_key_get_change (tokens), ==, HEARTH_EDIT_REMOVED);
  g_assert_true (hearth_model_edit_reset (edit, tokens));
  g_assert_cmpint (hearth_edit_key_get_change (tokens), ==, HEARTH_EDIT_SAME);

  /* What is written as it was is no change; a name that is taken meanwhile cannot come back. */
  apply (edit, "general.tags", "general.tags", "arr[str]", written);
  g_assert_cmpuint (hearth_model_edit_get_n_changes (edit), ==, 0);
  apply (edit, "a", "other", "str", NULL);
  apply (edit, NULL, "a", "u8", "1");
  g_assert_false (hearth_model_edit_reset (edit, find (edit, "other")));
}

static void
test_never_itself (void)
{
  g_autoptr (HearthModelEdit) edit = begin (source);
  g_autofree char *link = g_build_filename (folder, "link.gguf", NULL);
  g_autoptr (GFile) place = g_file_new_for_path (link);
  g_autofree char *path = g_build_filename (folder, "stopped.gguf", NULL);
  g_autofree char *nowhere = g_build_filename (folder, "no", "where.gguf", NULL);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_assert_true (g_file_make_symbolic_link (place, source, NULL, NULL));
  g_assert_true (hearth_model_edit_is_source (edit, link));
  g_assert_false (hearth_model_edit_is_source (edit, path));
  apply (edit, "general.name", "general.name", "str", "x");
  g_assert_false (save (edit, link, NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_EXISTS);
  g_clear_error (&error);
  g_assert_false (save (edit, nowhere, NULL, &error));
  g_assert_error (error, HEARTH_ERROR, HEARTH_ERROR_IO);
  g_clear_error (&error);
  g_cancellable_cancel (cancellable);
  g_assert_false (save (edit, path, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
}

int
main (int argc, char *argv[])
{
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("hearth-XXXXXX", NULL);
  g_assert_nonnull (folder);
  write_source ();
  g_test_add_func ("/model-edit/copy", test_copy);
  g_test_add_func ("/model-edit/checks", test_checks);
  g_test_add_func ("/model-edit/never-itself", test_never_itself);
  status = g_test_run ();
  core_test_remove (folder);
  g_free (folder);
  g_free (source);
  return status;
}
