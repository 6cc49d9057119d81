/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core-test.h"
#include "gguf-file.h"
#include "hearth-error.h"
#include "hearth-model-file.h"
#include "hearth-tensor-type.h"

#include <glib/gstdio.h>

static char *folder;

/* Two tensors of an architecture that nobody knows: 64 elements of F32, 32 of Q8_0 (34 bytes). */
static GByteArray *
small_model (void)
{
  GByteArray *out = g_byte_array_new ();
  guint8 data[256 + 34] = { 0 };

  g_byte_array_append (out, (const guint8 *) "GGUF", 4);
  put_u32 (out, 3);
  put_u64 (out, 2);
  put_u64 (out, 5);
  put_text_key (out, "general.architecture", "nobodys");
  put_text_key (out, "general.name", "Tiny 96 8k Lc100K Mix1");
  put_text_key (out, "general.size_label", "96");
  put_u32_key (out, "nobodys.context_length", 4096);
  put_u32_key (out, "general.file_type", 7);
  put_tensor (out, "a", 64, 0, 0);
  put_tensor (out, "b", 32, 8, 256);
  while (out->len % 32 != 0)
    g_byte_array_append (out, (const guint8 *) "", 1);
  g_byte_array_append (out, data, sizeof data);
  return out;
}

static char *
write_file (const char *name, const void *data, gsize size)
{
  char *path = g_build_filename (folder, name, NULL);
  g_autoptr (GError) error = NULL;

  g_file_set_contents (path, data, (gssize) size, &error);
  g_assert_no_error (error);
  return path;
}

static gboolean
load (HearthModelFile *file, GError **error)
{
  g_autoptr (GAsyncResult) result = NULL;

  hearth_model_file_load_async (file, 0, 0, NULL, core_test_result_cb, &result);
  g_assert_cmpint (hearth_model_file_get_state (file), ==, HEARTH_MODEL_FILE_READING);
  core_test_wait (result != NULL);
  return hearth_model_file_load_finish (file, result, error);
}

static void
test_figures (void)
{
  g_autoptr (GByteArray) bytes = small_model ();
  g_autofree char *path = write_file ("tiny.gguf", bytes->data, bytes->len);
  g_autoptr (HearthModelFile) file = hearth_model_file_new (path);
  g_autoptr (GError) error = NULL;
  const HearthModelHeader *header;
  GListModel *types;
  g_autoptr (HearthTensorType) largest = NULL;

  g_assert_cmpstr (hearth_model_file_get_title (file), ==, "tiny.gguf");
  g_assert_true (load (file, &error));
  g_assert_no_error (error);
  g_assert_cmpint (hearth_model_file_get_state (file), ==, HEARTH_MODEL_FILE_READY);
  g_assert_cmpstr (hearth_model_file_get_title (file), ==, "Tiny 96");
  header = hearth_model_file_get_header (file);
  g_assert_cmpstr (header->full_name, ==, "Tiny 96 8k Lc100K Mix1");
  g_assert_cmpstr (header->architecture, ==, "nobodys");
  g_assert_cmpstr (header->quantization, ==, "Q8_0");
  g_assert_cmpuint (header->n_parameters, ==, 96);
  g_assert_cmpuint (header->n_tensor_bytes, ==, 290);
  g_assert_cmpuint (header->n_ctx_trained, ==, 4096);
  g_assert_cmpuint (header->size, ==, bytes->len);
  g_assert_cmpuint (header->expected_size, ==, bytes->len);
  g_assert_false (header->has_vocabulary);
  g_assert_cmpfloat_with_epsilon (hearth_model_file_get_bits_per_weight (file), 290 * 8.0 / 96,
                                  1e-9);
  types = hearth_model_file_get_types (file);
  g_assert_cmpuint (g_list_model_get_n_items (types), ==, 2);
  largest = g_list_model_get_item (types, 0);
  g_assert_cmpstr (hearth_tensor_type_get_name (largest), ==, "F32");
  g_assert_cmpuint (hearth_tensor_type_get_n_bytes (largest), ==, 256);
  g_assert_cmpfloat_with_epsilon (hearth_tensor_type_get_share (largest), 256 / 290.0, 1e-9);

  /* It can be looked at, though it cannot run. */
  g_assert_false (hearth_model_file_can_chat (file));
  g_assert_error (header->fit_error, HEARTH_ERROR, HEARTH_ERROR_ARCHITECTURE);
  g_assert_nonnull (strstr (header->fit_error->message, "nobodys"));
}

static void
test_incomplete (void)
{
  g_autoptr (GByteArray) bytes = small_model ();
  g_autofree char *path = write_file ("cut.gguf", bytes->data, bytes->len - 100);
  g_autoptr (HearthModelFile) file = hearth_model_file_new (path);
  g_autoptr (GError) error = NULL;
  const HearthModelHeader *header;

  g_assert_true (load (file, &error));
  g_assert_no_error (error);
  header = hearth_model_file_get_header (file);
  g_assert_cmpuint (header->expected_size, ==, bytes->len);
  g_assert_cmpuint (header->size, ==, bytes->len - 100);
  g_assert_error (header->fit_error, HEARTH_ERROR, HEARTH_ERROR_INCOMPLETE);
}

static void
check_failure (const char *path, HearthError code, const char *kind)
{
  g_autoptr (HearthModelFile) file = hearth_model_file_new (path);
  g_autoptr (GError) error = NULL;

  g_assert_false (load (file, &error));
  g_assert_error (error, HEARTH_ERROR, (int) code);
  g_assert_cmpint (hearth_model_file_get_state (file), ==, HEARTH_MODEL_FILE_FAILED);
  g_assert_error (hearth_model_file_get_error (file), HEARTH_ERROR, (int) code);
  g_assert_cmpstr (hearth_model_file_get_kind (file), ==, kind);
  g_assert_null (hearth_model_file_get_header (file));
  g_assert_false (hearth_model_file_can_chat (file));
}

static void
test_no_model (void)
{
  g_autoptr (GByteArray) bytes = small_model ();
  g_autofree char *zip = write_file ("notes.zip", "PK\3\4 and so on, for a while", 26);
  g_autofree char *text = write_file ("letter.txt", "Dear all, this is no model", 26);
  g_autofree char *empty = write_file ("empty.gguf", "", 0);
  g_autofree char *page = write_file ("page.gguf", "<!DOCTYPE html><html>404</html>", 31);
  g_autofree char *torn = write_file ("torn.gguf", bytes->data, 60);

  check_failure (zip, HEARTH_ERROR_NOT_A_MODEL, "a ZIP archive");
  check_failure (text, HEARTH_ERROR_NOT_A_MODEL, NULL);
  check_failure (empty, HEARTH_ERROR_EMPTY, NULL);
  check_failure (page, HEARTH_ERROR_NOT_A_MODEL, "a web page");
  check_failure (torn, HEARTH_ERROR_DAMAGED, NULL);
  check_failure ("/nowhere/at/all.gguf", HEARTH_ERROR_NOT_FOUND, NULL);
  check_failure (folder, HEARTH_ERROR_IO, NULL);
}

/* A file that was fine and is not any more: the old figures must not stay. */
static void
test_changed (void)
{
  g_autoptr (GByteArray) bytes = small_model ();
  g_autofree char *path = write_file ("changing.gguf", bytes->data, bytes->len);
  g_autoptr (HearthModelFile) file = hearth_model_file_new (path);
  g_autoptr (GError) error = NULL;

  g_assert_true (load (file, NULL));
  g_free (write_file ("changing.gguf", "PK\3\4", 4));
  g_assert_false (load (file, &error));
  g_assert_null (hearth_model_file_get_header (file));
  g_assert_cmpuint (g_list_model_get_n_items (hearth_model_file_get_types (file)), ==, 0);
  g_free (write_file ("changing.gguf", bytes->data, bytes->len));
  g_assert_true (load (file, NULL));
  g_assert_nonnull (hearth_model_file_get_header (file));
  g_assert_null (hearth_model_file_get_error (file));
}

/* Nobody waits for what is read: the object ends where it lives all the same. */
static void
test_let_go (void)
{
  g_autoptr (GByteArray) bytes = small_model ();
  g_autofree char *path = write_file ("let-go.gguf", bytes->data, bytes->len);

  for (int i = 0; i < 300; i++)
    {
      HearthModelFile *file = hearth_model_file_new (path);
      GThread *last = NULL;

      g_object_weak_ref (G_OBJECT (file), core_test_gone_cb, &last);
      hearth_model_file_load_async (file, 0, 0, NULL, NULL, NULL);
      g_object_unref (file);
      core_test_wait (g_atomic_pointer_get (&last) != NULL);
      g_assert_true (last == g_thread_self ());
    }
}

static void
test_real (void)
{
  g_autofree char *path = core_test_model ();
  g_autoptr (HearthModelFile) file = NULL;
  g_autoptr (GError) error = NULL;
  const HearthModelHeader *header;

  if (path == NULL)
    return;
  file = hearth_model_file_new (path);
  g_assert_true (load (file, &error));
  header = hearth_model_file_get_header (file);
  g_assert_cmpstr (header->name, ==, "Smollm2 135M");
  g_assert_cmpstr (header->quantization, ==, "Q4_1");
  g_assert_cmpuint (header->n_parameters, ==, 134515008);
  g_assert_cmpuint (header->n_layers, ==, 30);
  g_assert_true (header->has_template);
  g_assert_true (header->has_vocabulary);
  g_assert_true (hearth_model_file_can_chat (file));
  g_assert_cmpuint (header->fit.n_ctx, ==, 8192);
  g_assert_cmpuint (header->fit.weights, <=, header->n_tensor_bytes);
  g_assert_cmpuint (header->fit.kv, ==, G_GUINT64_CONSTANT (8192) * 30 * 2 * 3 * 64 * 2);
}

int
main (int argc, char *argv[])
{
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("hearth-XXXXXX", NULL);
  g_assert_nonnull (folder);
  g_test_add_func ("/model-file/figures", test_figures);
  g_test_add_func ("/model-file/incomplete", test_incomplete);
  g_test_add_func ("/model-file/no-model", test_no_model);
  g_test_add_func ("/model-file/changed", test_changed);
  g_test_add_func ("/model-file/let-go", test_let_go);
  g_test_add_func ("/model-file/real", test_real);
  status = g_test_run ();
  core_test_remove (folder);
  g_free (folder);
  return status;
}
