/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core-test.h"
#include "gguf-file.h"
#include "hearth-comparison.h"
#include "hearth-error.h"

#include <math.h>

static char *folder;

/* Two or three tensors of 64 floats; those of "shared" are `value`. */
static char *
write_model (const char *name, const char *said, guint context, float value, const char *extra)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  char *path = g_build_filename (folder, name, NULL);
  guint32 bits;

  memcpy (&bits, &value, sizeof bits);
  put_header (bytes, 2, 3);
  put_text_key (bytes, "general.architecture", "nobodys");
  put_text_key (bytes, said, "here");
  put_u32_key (bytes, "nobodys.context_length", context);
  put_tensor (bytes, "shared", 64, 0, 0);
  put_tensor (bytes, extra, 64, 0, 256);
  while (bytes->len % 32 != 0)
    g_byte_array_append (bytes, (const guint8 *) "", 1);
  for (guint i = 0; i < 128; i++)
    put_u32 (bytes, bits);
  g_file_set_contents (path, (const char *) bytes->data, bytes->len, NULL);
  return path;
}

static HearthComparedKey *
key_at (HearthComparison *comparison, guint i)
{
  return g_list_model_get_item (hearth_comparison_get_keys (comparison), i);
}

static void
test_keys_and_tensors (void)
{
  static const HearthChange changes[] = { HEARTH_CHANGE_SAME, HEARTH_CHANGE_REMOVED,
                                          HEARTH_CHANGE_CHANGED, HEARTH_CHANGE_ADDED };
  g_autofree char *one = write_model ("one.gguf", "only.one", 4096, 1.0f, "gone");
  g_autofree char *two = write_model ("two.gguf", "only.two", 8192, 1.25f, "come");
  g_autoptr (HearthComparison) comparison = hearth_comparison_new (one, two);
  GListModel *tensors = hearth_comparison_get_tensors (comparison);
  const HearthComparisonSide *side;
  const HearthValueError *error;
  g_autofree char *json = NULL;

  g_assert_false (hearth_comparison_get_ready (comparison));
  core_test_wait (hearth_comparison_get_ready (comparison));
  g_assert_no_error (hearth_comparison_get_error (comparison));
  side = hearth_comparison_get_side (comparison, TRUE);
  g_assert_cmpstr (side->architecture, ==, "nobodys");
  g_assert_cmpstr (side->quantization, ==, "F32");
  g_assert_cmpuint (side->n_parameters, ==, 128);
  g_assert_cmpuint (side->n_tensor_bytes, ==, 512);

  g_assert_cmpuint (g_list_model_get_n_items (hearth_comparison_get_keys (comparison)), ==, 4);
  for (guint i = 0; i < 4; i++)
    {
      g_autoptr (HearthComparedKey) key = key_at (comparison, i);

      g_assert_cmpint (hearth_compared_key_get_change (key), ==, changes[i]);
      if (i == 0)
        g_assert_cmpstr (hearth_compared_key_get_second (key), ==, "nobodys");
      if (i == 1)
        g_assert_null (hearth_compared_key_get_second (key));
      if (i == 2)
        {
          g_assert_cmpstr (hearth_compared_key_get_first (key), ==, "4096");
          g_assert_cmpstr (hearth_compared_key_get_second (key), ==, "8192");
        }
      if (i == 3)
        g_assert_cmpstr (hearth_compared_key_get_name (key), ==, "only.two");
    }

  g_assert_cmpuint (g_list_model_get_n_items (tensors), ==, 3);
  g_assert_cmpuint (hearth_comparison_get_n_comparable (comparison), ==, 1);
  hearth_comparison_measure (comparison);
  g_assert_true (hearth_comparison_get_busy (comparison));
  core_test_wait (!hearth_comparison_get_busy (comparison));
  g_assert_no_error (hearth_comparison_get_error (comparison));
  g_assert_cmpuint (hearth_comparison_get_n_measured (comparison), ==, 1);
  for (guint i = 0; i < 3; i++)
    {
      g_autoptr (HearthComparedTensor) tensor = g_list_model_get_item (tensors, i);

      error = hearth_compared_tensor_get_error (tensor);
      if (i > 0)
        {
          g_assert_null (error);
          continue;
        }
      g_assert_cmpstr (hearth_compared_tensor_get_name (tensor), ==, "shared");
      g_assert_cmpint (hearth_compared_tensor_get_change (tensor), ==, HEARTH_CHANGE_CHANGED);
      g_assert_cmpfloat_with_epsilon (error->relative_rms, 0.25, 1e-12);
      g_assert_cmpfloat_with_epsilon (error->maximum, 0.25, 1e-12);
      g_assert_cmpfloat_with_epsilon (error->cosine, 1, 1e-12);
      g_assert_cmpuint (error->n_different, ==, 64);
    }
  g_assert_cmpfloat_with_epsilon (hearth_comparison_get_worst (comparison), 0.25, 1e-12);
  json = hearth_comparison_dup_json (comparison);
  g_assert_nonnull (strstr (json, "\"only.two\""));
  g_assert_nonnull (strstr (json, "\"relative_rms\": 0.25"));
  g_assert_null (strstr (json, "general.architecture")); /* the same in both */
}

static void
test_stopped (void)
{
  g_autofree char *one = write_model ("three.gguf", "a.b", 1, 1.0f, "x");
  g_autofree char *two = write_model ("four.gguf", "a.b", 1, 2.0f, "x");
  g_autoptr (HearthComparison) comparison = hearth_comparison_new (one, two);
  guint n;

  core_test_wait (hearth_comparison_get_ready (comparison));
  hearth_comparison_measure (comparison);
  hearth_comparison_stop (comparison);
  core_test_wait (!hearth_comparison_get_busy (comparison));
  g_assert_no_error (hearth_comparison_get_error (comparison));
  n = hearth_comparison_get_n_measured (comparison);
  g_assert_cmpuint (n, <=, 2);
  /* It goes on where it was stopped. */
  hearth_comparison_measure (comparison);
  core_test_wait (!hearth_comparison_get_busy (comparison));
  g_assert_cmpuint (hearth_comparison_get_n_measured (comparison), ==, 2);
  /* One that nobody keeps ends by itself. */
  hearth_comparison_measure (comparison);
}

static void
test_failed (void)
{
  g_autofree char *one = write_model ("five.gguf", "a.b", 1, 1.0f, "x");
  g_autofree char *gone = g_build_filename (folder, "gone.gguf", NULL);
  g_autoptr (HearthComparison) comparison = hearth_comparison_new (one, gone);

  core_test_wait (hearth_comparison_get_ready (comparison));
  g_assert_error (hearth_comparison_get_error (comparison), HEARTH_ERROR, HEARTH_ERROR_NOT_FOUND);
  g_assert_cmpstr (hearth_comparison_get_failed_path (comparison), ==, gone);
  g_assert_null (hearth_comparison_get_side (comparison, FALSE));
}

int
main (int argc, char *argv[])
{
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("hearth-test-XXXXXX", NULL);
  g_test_add_func ("/comparison/keys-and-tensors", test_keys_and_tensors);
  g_test_add_func ("/comparison/stopped", test_stopped);
  g_test_add_func ("/comparison/failed", test_failed);
  status = g_test_run ();
  core_test_remove (folder);
  g_free (folder);
  return status;
}
