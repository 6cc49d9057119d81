/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core-test.h"
#include "gguf-file.h"
#include "hearth-error.h"
#include "hearth-key-words.h"
#include "hearth-metadata-export.h"
#include "hearth-metadata-key.h"
#include "hearth-model-contents.h"
#include "hearth-tensor.h"

#include <ember/gguf.h>
#include <glib/gstdio.h>

static char *folder;

static char *
write_file (const char *name, GByteArray *bytes)
{
  char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GError) error = NULL;

  g_file_set_contents (path, (const char *) bytes->data, bytes->len, &error);
  g_assert_no_error (error);
  return path;
}

static HearthModelContents *
read_contents (const char *path, GError **error)
{
  g_autoptr (GAsyncResult) result = NULL;

  hearth_model_contents_read_async (path, NULL, core_test_result_cb, &result);
  core_test_wait (result != NULL);
  return hearth_model_contents_read_finish (result, error);
}

static void
test_keys (void)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autofree char *path = NULL;
  g_autoptr (HearthModelContents) contents = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *element = NULL;
  g_autofree char *text = NULL;
  GListModel *keys;
  HearthMetadataKey *at[4];

  put_header (bytes, 0, 4);
  put_text_key (bytes, "general.architecture", "llama");
  put_u32_key (bytes, "llama.context_length", 4096);
  put_text_key (bytes, "nobodys.key", "two\nlines");
  put_array_key (bytes, "tokenizer.ggml.tokens", 8, 1000);
  for (guint i = 0; i < 1000; i++)
    {
      g_autofree char *token = g_strdup_printf ("token %u", i);

      put_string (bytes, token);
    }
  path = write_file ("keys.gguf", bytes);
  contents = read_contents (path, &error);
  g_assert_no_error (error);
  keys = hearth_model_contents_get_keys (contents);
  g_assert_cmpuint (g_list_model_get_n_items (keys), ==, 4);
  g_assert_cmpuint (g_list_model_get_n_items (hearth_model_contents_get_tensors (contents)), ==, 0);
  for (guint i = 0; i < 4; i++)
    at[i] = g_list_model_get_item (keys, i);

  g_assert_cmpstr (hearth_metadata_key_get_name (at[0]), ==, "general.architecture");
  g_assert_cmpstr (hearth_metadata_key_get_type_name (at[0]), ==, "str");
  g_assert_cmpstr (hearth_metadata_key_get_value (at[0]), ==, "llama");
  g_assert_nonnull (hearth_metadata_key_get_meaning (at[0]));
  g_assert_cmpstr (hearth_metadata_key_get_value (at[1]), ==, "4096");
  g_assert_nonnull (hearth_metadata_key_get_meaning (at[1]));
  g_assert_null (hearth_metadata_key_get_meaning (at[2]));
  g_assert_cmpstr (hearth_metadata_key_get_value (at[2]), ==, "two⏎lines");
  g_assert_false (hearth_metadata_key_is_array (at[2]));
  text = hearth_metadata_key_dup_text (at[2]);
  g_assert_cmpstr (text, ==, "two\nlines");

  g_assert_true (hearth_metadata_key_is_array (at[3]));
  g_assert_true (hearth_metadata_key_is_cut (at[3]));
  g_assert_cmpstr (hearth_metadata_key_get_type_name (at[3]), ==, "arr[str]");
  g_assert_cmpuint (hearth_metadata_key_get_length (at[3]), ==, 1000);
  g_assert_true (g_str_has_prefix (hearth_metadata_key_get_value (at[3]), "token 0, token 1, "));
  g_assert_true (g_str_has_suffix (hearth_metadata_key_get_value (at[3]), ", …"));

  /* A key lives on without the list that it came from, and without the file. */
  g_clear_object (&contents);
  g_remove (path);
  element = hearth_metadata_key_dup_element (at[3], 999);
  g_assert_cmpstr (element, ==, "token 999");
  for (guint i = 0; i < 4; i++)
    g_object_unref (at[i]);
}

static void
test_tensors (void)
{
  static const char *const names[] = { "blk.10.a", "blk.2.a", "blk.02.b", "output" };
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autofree char *path = NULL;
  g_autoptr (HearthModelContents) contents = NULL;
  g_autoptr (GError) error = NULL;
  HearthTensor *at[G_N_ELEMENTS (names)];

  put_header (bytes, G_N_ELEMENTS (names), 0);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    put_tensor (bytes, names[i], 64, 0, 256 * i);
  path = write_file ("tensors.gguf", bytes);
  /* The header alone: the data is not there. */
  contents = read_contents (path, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (g_list_model_get_n_items (hearth_model_contents_get_tensors (contents)), ==, 4);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      at[i] = g_list_model_get_item (hearth_model_contents_get_tensors (contents), i);
      g_assert_cmpstr (hearth_tensor_get_name (at[i]), ==, names[i]);
    }
  g_assert_cmpstr (hearth_tensor_get_type_name (at[0]), ==, "F32");
  g_assert_cmpstr (hearth_tensor_get_shape (at[0]), ==, "64");
  g_assert_cmpuint (hearth_tensor_get_n_bytes (at[0]), ==, 256);
  g_assert_cmpuint (hearth_tensor_get_n_elements (at[0]), ==, 64);
  g_assert_cmpint (hearth_tensor_compare_names (at[0], at[1]), >, 0);
  g_assert_cmpint (hearth_tensor_compare_names (at[1], at[2]), <, 0);
  g_assert_cmpint (hearth_tensor_compare_names (at[2], at[0]), <, 0);
  g_assert_cmpint (hearth_tensor_compare_names (at[0], at[3]), <, 0);
  g_assert_cmpint (hearth_tensor_compare_names (at[3], at[3]), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    g_object_unref (at[i]);
}

static void
test_damaged (void)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autofree char *path = NULL;
  g_autofree char *gone = g_build_filename (folder, "gone.gguf", NULL);
  g_autoptr (HearthModelContents) contents = NULL;
  g_autoptr (GError) error = NULL;

  put_header (bytes, G_MAXUINT64, 7);
  path = write_file ("damaged.gguf", bytes);
  contents = read_contents (path, &error);
  g_assert_null (contents);
  g_assert_error (error, HEARTH_ERROR, HEARTH_ERROR_DAMAGED);
  g_clear_error (&error);
  contents = read_contents (gone, &error);
  g_assert_null (contents);
  g_assert_error (error, HEARTH_ERROR, HEARTH_ERROR_NOT_FOUND);
}

static char *export (HearthGguf *gguf, HearthTableFormat format)
{
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (GError) error = NULL;
  gsize size;
  const char *data;

  hearth_metadata_export_async (gguf, format, core_test_result_cb, &result);
  core_test_wait (result != NULL);
  bytes = hearth_metadata_export_finish (result, &error);
  g_assert_no_error (error);
  data = g_bytes_get_data (bytes, &size);
  return g_strndup (data, size);
}

static void
test_export (void)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  g_autofree char *path = NULL;
  HearthGguf *gguf;
  g_autofree char *csv = NULL;
  g_autofree char *json = NULL;

  put_header (bytes, 0, 3);
  put_text_key (bytes, "general.architecture", "llama");
  put_text_key (bytes, "nobodys.key", "two\nlines, \"quoted\"");
  put_array_key (bytes, "general.tags", 8, 2);
  put_string (bytes, "a");
  put_string (bytes, "b, c");
  path = write_file ("export.gguf", bytes);
  gguf = hearth_gguf_open (path, NULL);
  g_assert_nonnull (gguf);
  csv = export (gguf, HEARTH_TABLE_CSV);
  json = export (gguf, HEARTH_TABLE_JSON);
  hearth_gguf_unref (gguf);
  g_assert_cmpstr (csv, ==,
                   "key,type,value,meaning\n"
                   "general.architecture,str,llama,kind of model\n"
                   "nobodys.key,str,\"two\nlines, \"\"quoted\"\"\",\n"
                   "general.tags,arr[str],\"[\"\"a\"\", \"\"b, c\"\"]\",labels\n");
  g_assert_nonnull (strstr (json, "\"general.tags\""));
  g_assert_nonnull (strstr (json, "\"arr[str]\""));
}

/* Whatever the engine says of a key can be said in other languages, and nothing else is asked of
 * translators. */
static void
test_meanings (void)
{
  g_autoptr (GHashTable) said = g_hash_table_new (g_str_hash, g_str_equal);
  const struct ember_gguf_standard_key *key;
  g_autofree char *base =
    hearth_key_words_dup ("general.base_model.12.name", "base model {i}", NULL);
  g_autofree char *context =
    hearth_key_words_dup ("llama.context_length", "trained context", "tokens");
  gsize n = 0;

  for (; (key = ember_gguf_standard_key_at (n)) != NULL; n++)
    {
      g_assert_nonnull (hearth_key_words_find_meaning (key->meaning));
      g_hash_table_add (said, (gpointer) key->meaning);
      if (key->unit == NULL)
        continue;
      g_assert_nonnull (hearth_key_words_find_unit (key->unit));
      g_hash_table_add (said, (gpointer) key->unit);
    }
  g_assert_cmpuint (n, >, 300);
  g_assert_cmpuint (hearth_key_words_get_n (), ==, g_hash_table_size (said));
  g_assert_cmpstr (base, ==, "base model 12");
  g_assert_cmpstr (context, ==, "trained context (tokens)");
}

int
main (int argc, char *argv[])
{
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("hearth-test-XXXXXX", NULL);
  g_test_add_func ("/model-contents/keys", test_keys);
  g_test_add_func ("/model-contents/export", test_export);
  g_test_add_func ("/model-contents/meanings", test_meanings);
  g_test_add_func ("/model-contents/tensors", test_tensors);
  g_test_add_func ("/model-contents/damaged", test_damaged);
  status = g_test_run ();
  core_test_remove (folder);
  g_free (folder);
  return status;
}
