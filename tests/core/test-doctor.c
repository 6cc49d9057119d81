/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core-test.h"
#include "gguf-file.h"
#include "hearth-doctor.h"

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

/* Two tensors of 64 floats; the second begins at `offset`, and the data is `size` bytes long. */
static char *
write_pair (const char *name, guint64 offset, guint size)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();

  put_header (bytes, 2, 2);
  put_text_key (bytes, "general.architecture", "nobodys");
  put_u32_key (bytes, "Wrong Key", 1);
  put_tensor (bytes, "blk.0.a.weight", 64, 0, 0);
  put_tensor (bytes, "blk.0.b.weight", 64, 0, offset);
  while (bytes->len % 32 != 0)
    g_byte_array_append (bytes, (const guint8 *) "", 1);
  for (guint i = 0; i < size / 4; i++)
    put_u32 (bytes, i == 3 ? 0x7FC00000 : 0x3F800000); /* the fourth is not a number */
  return write_file (name, bytes);
}

static HearthDiagnosis *
find (HearthDoctor *doctor, const char *code)
{
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (doctor)); i++)
    {
      HearthDiagnosis *diagnosis = g_list_model_get_item (G_LIST_MODEL (doctor), i);

      if (g_str_equal (hearth_diagnosis_get_code (diagnosis), code))
        return diagnosis;
      g_object_unref (diagnosis);
    }
  return NULL;
}

static void
test_quick_and_deep (void)
{
  g_autofree char *path = write_pair ("pair.gguf", 256, 512);
  g_autoptr (HearthDoctor) doctor = hearth_doctor_new (path);
  g_autoptr (HearthDiagnosis) key = NULL, nan = NULL, early = NULL;
  g_autofree char *json = NULL;

  g_assert_true (hearth_doctor_get_busy (doctor));
  g_assert_false (hearth_doctor_get_checking_values (doctor));
  g_assert_false (hearth_doctor_get_examined (doctor));
  core_test_wait (!hearth_doctor_get_busy (doctor));
  g_assert_true (hearth_doctor_get_examined (doctor));
  g_assert_no_error (hearth_doctor_get_error (doctor));
  g_assert_false (hearth_doctor_get_values_checked (doctor));
  g_assert_cmpuint (hearth_doctor_count (doctor, HEARTH_SEVERITY_ERROR), ==, 0);
  g_assert_cmpuint (hearth_doctor_count (doctor, HEARTH_SEVERITY_WARNING), ==, 2);
  key = find (doctor, "key-syntax");
  g_assert_cmpint (hearth_diagnosis_get_place (key), ==, HEARTH_PLACE_KEY);
  g_assert_cmpstr (hearth_diagnosis_get_item (key), ==, "Wrong Key");
  g_assert_true (hearth_diagnosis_is_about (key, "Wrong Key"));
  g_assert_false (hearth_diagnosis_is_about (key, "Wrong Keys"));
  early = find (doctor, "data-nan");
  g_assert_null (early);

  hearth_doctor_check_values (doctor);
  g_assert_true (hearth_doctor_get_checking_values (doctor));
  core_test_wait (!hearth_doctor_get_busy (doctor));
  g_assert_true (hearth_doctor_get_values_checked (doctor));
  nan = find (doctor, "data-nan");
  g_assert_cmpint (hearth_diagnosis_get_place (nan), ==, HEARTH_PLACE_TENSOR);
  g_assert_cmpstr (hearth_diagnosis_get_item (nan), ==, "blk.0.a.weight");
  json = hearth_doctor_dup_json (doctor);
  g_assert_nonnull (strstr (json, "\"data-nan\""));
  g_assert_nonnull (strstr (json, "\"values_checked\": true"));
}

static void
test_worst_first (void)
{
  g_autofree char *path = write_pair ("overlap.gguf", 128, 512);
  g_autoptr (HearthDoctor) doctor = hearth_doctor_new (path);
  HearthSeverity last = HEARTH_SEVERITY_ERROR;

  core_test_wait (!hearth_doctor_get_busy (doctor));
  g_assert_cmpuint (hearth_doctor_count (doctor, HEARTH_SEVERITY_ERROR), ==, 1);
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (doctor)); i++)
    {
      g_autoptr (HearthDiagnosis) at = g_list_model_get_item (G_LIST_MODEL (doctor), i);

      g_assert_cmpint (hearth_diagnosis_get_severity (at), <=, last);
      last = hearth_diagnosis_get_severity (at);
      if (i == 0)
        g_assert_cmpstr (hearth_diagnosis_get_code (at), ==, "tensor-overlap");
    }
}

static void
test_stopped (void)
{
  g_autofree char *path = write_pair ("stopped.gguf", 256, 512);
  g_autoptr (HearthDoctor) doctor = hearth_doctor_new (path);
  guint n;

  core_test_wait (!hearth_doctor_get_busy (doctor));
  n = g_list_model_get_n_items (G_LIST_MODEL (doctor));
  hearth_doctor_check_values (doctor);
  hearth_doctor_stop (doctor);
  core_test_wait (!hearth_doctor_get_busy (doctor));
  g_assert_true (hearth_doctor_get_examined (doctor));
  g_assert_no_error (hearth_doctor_get_error (doctor));
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (doctor)), ==, n);
  /* One that nobody keeps ends by itself. */
  hearth_doctor_check_values (doctor);
}

static void
test_no_model (void)
{
  g_autofree char *gone = g_build_filename (folder, "gone.gguf", NULL);
  g_autofree char *notes = g_build_filename (folder, "notes.gguf", NULL);
  g_autoptr (HearthDoctor) doctor = hearth_doctor_new (gone);
  g_autoptr (HearthDoctor) other = NULL;
  g_autoptr (HearthDiagnosis) found = NULL, foreign = NULL;

  core_test_wait (!hearth_doctor_get_busy (doctor));
  found = find (doctor, "cannot-open");
  g_assert_cmpint (hearth_diagnosis_get_place (found), ==, HEARTH_PLACE_FILE);
  g_assert_null (hearth_diagnosis_get_item (found));
  g_file_set_contents (notes, "PK\003\004 and more of it", -1, NULL);
  other = hearth_doctor_new (notes);
  core_test_wait (!hearth_doctor_get_busy (other));
  foreign = find (other, "not-gguf");
  g_assert_nonnull (foreign);
  g_assert_false (hearth_doctor_get_readable (other));
  hearth_doctor_check_values (other);
  core_test_wait (!hearth_doctor_get_busy (other));
  g_assert_false (hearth_doctor_get_values_checked (other)); /* there are none */
}

/* A model in three parts of which one is not there, with a projector beside it. */
static void
test_parts (void)
{
  g_autofree char *path = g_build_filename (folder, "Split-7B-v1.0-F32-00002-of-00003.gguf", NULL);
  g_autofree char *projector = g_build_filename (folder, "mmproj-Split-7B-v1.0-F16.gguf", NULL);
  g_autoptr (HearthDoctor) doctor = NULL;
  GPtrArray *files;
  HearthDiagnosis *missing;

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GByteArray) bytes = g_byte_array_new ();
      g_autofree char *name = g_strdup_printf ("Split-7B-v1.0-F32-%05u-of-00003.gguf", i + 1);
      g_autofree char *file = NULL;

      put_header (bytes, 0, 3);
      put_text_key (bytes, "general.architecture", "nobodys");
      put_u32_key (bytes, "split.no", i);
      put_u32_key (bytes, "split.count", 3);
      file = write_file (name, bytes);
    }
  g_file_set_contents (projector, "GGUF", -1, NULL);
  doctor = hearth_doctor_new (path);
  core_test_wait (!hearth_doctor_get_busy (doctor));
  files = hearth_doctor_get_files (doctor);
  g_assert_cmpuint (files->len, ==, 4);
  for (guint i = 0; i < 4; i++)
    {
      const HearthDoctorFile *file = g_ptr_array_index (files, i);

      g_assert_cmpint (file->is_there, ==, i != 2);
      g_assert_cmpint (file->is_part, ==, i != 3);
    }
  missing = find (doctor, "part-missing");
  g_assert_cmpint (hearth_diagnosis_get_place (missing), ==, HEARTH_PLACE_PARTS);
  g_assert_null (hearth_diagnosis_get_file (missing));
  g_object_unref (missing);
}

int
main (int argc, char *argv[])
{
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("hearth-test-XXXXXX", NULL);
  g_test_add_func ("/doctor/quick-and-deep", test_quick_and_deep);
  g_test_add_func ("/doctor/worst-first", test_worst_first);
  g_test_add_func ("/doctor/stopped", test_stopped);
  g_test_add_func ("/doctor/no-model", test_no_model);
  g_test_add_func ("/doctor/parts", test_parts);
  status = g_test_run ();
  core_test_remove (folder);
  g_free (folder);
  return status;
}
