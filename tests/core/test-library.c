/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core-test.h"
#include "gguf-file.h"
#include "hearth-library.h"

static char *folder;
static char *deeper;

static char *
write_model (const char *in, const char *name)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  char *path = g_build_filename (in, name, NULL);
  g_autoptr (GError) error = NULL;

  put_header (bytes, 1, 1);
  put_text_key (bytes, "general.architecture", "nobodys");
  put_tensor (bytes, "a", 32, 0, 0);
  g_byte_array_set_size (bytes, (bytes->len + 31) / 32 * 32 + 128);
  g_file_set_contents (path, (const char *) bytes->data, bytes->len, &error);
  g_assert_no_error (error);
  return path;
}

static const char *
name_at (HearthLibrary *library, guint position)
{
  g_autoptr (HearthModelFile) file = g_list_model_get_item (G_LIST_MODEL (library), position);

  return file != NULL ? hearth_model_file_get_base_name (file) : NULL; /* the list keeps it */
}

static guint
count (HearthLibrary *library)
{
  return g_list_model_get_n_items (G_LIST_MODEL (library));
}

static gboolean
all_read (HearthLibrary *library)
{
  for (guint i = 0; i < count (library); i++)
    {
      g_autoptr (HearthModelFile) file = g_list_model_get_item (G_LIST_MODEL (library), i);
      HearthModelFileState state = hearth_model_file_get_state (file);

      if (state != HEARTH_MODEL_FILE_READY && state != HEARTH_MODEL_FILE_FAILED)
        return FALSE;
    }
  return TRUE;
}

static void
test_folders (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HearthSettings) settings = hearth_settings_new (&error);
  g_autoptr (HearthLibrary) library = NULL;
  g_autofree char *b = write_model (folder, "b.gguf");
  g_autofree char *a = write_model (deeper, "a.GGUF");
  g_autofree char *c = write_model (folder, "c-00001-of-00002.gguf");
  g_autofree char *c2 = write_model (folder, "c-00002-of-00002.gguf");
  g_autofree char *notes = g_build_filename (folder, "notes.txt", NULL);
  g_autoptr (HearthModelFile) opened = NULL;

  g_assert_no_error (error);
  g_file_set_contents (notes, "no model", -1, NULL);
  hearth_settings_set_recent_models (settings, NULL);
  hearth_settings_set_model_folders (settings, NULL);
  library = hearth_library_new (settings);
  core_test_wait (!hearth_library_get_scanning (library));
  g_assert_cmpuint (count (library), ==, 0);

  /* By name, whatever the depth; of a split model the first part. */
  hearth_library_add_folder (library, folder);
  core_test_wait (!hearth_library_get_scanning (library) && count (library) == 3);
  core_test_wait (all_read (library));
  g_assert_cmpstr (name_at (library, 0), ==, "a.GGUF");
  g_assert_cmpstr (name_at (library, 1), ==, "b.gguf");
  g_assert_cmpstr (name_at (library, 2), ==, "c-00001-of-00002.gguf");

  /* What is opened comes first, and is there once. */
  opened = hearth_library_ref_file (library, b);
  hearth_library_remember (library, opened);
  g_assert_cmpuint (count (library), ==, 3);
  g_assert_cmpstr (name_at (library, 0), ==, "b.gguf");
  hearth_library_scan (library);
  core_test_wait (!hearth_library_get_scanning (library));
  g_assert_cmpuint (count (library), ==, 3);

  /* What is in memory is marked. */
  g_assert_false (hearth_model_file_get_loaded (opened));
  hearth_library_set_loaded (library, b);
  g_assert_true (hearth_model_file_get_loaded (opened));
  hearth_library_set_loaded (library, NULL);
  g_assert_false (hearth_model_file_get_loaded (opened));

  /* A file that is gone leaves the list at the next look; one that is new comes. */
  g_unlink (a);
  g_free (g_steal_pointer (&a));
  a = write_model (deeper, "d.gguf");
  hearth_library_scan (library);
  core_test_wait (!hearth_library_get_scanning (library));
  g_assert_cmpuint (count (library), ==, 3);
  g_assert_cmpstr (name_at (library, 2), ==, "d.gguf");

  /* Without the folder what was opened stays. */
  hearth_settings_set_model_folders (settings, NULL);
  core_test_wait (!hearth_library_get_scanning (library));
  g_assert_cmpuint (count (library), ==, 1);
  core_test_wait (all_read (library));
}

int
main (int argc, char *argv[])
{
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("hearth-test-XXXXXX", NULL);
  deeper = g_build_filename (folder, "deeper", NULL);
  g_mkdir (deeper, 0700);
  g_test_add_func ("/library/folders", test_folders);
  status = g_test_run ();
  core_test_remove (deeper);
  core_test_remove (folder);
  g_free (deeper);
  g_free (folder);
  return status;
}
