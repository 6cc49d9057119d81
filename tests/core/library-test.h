/* SPDX-License-Identifier: GPL-3.0-or-later */
/* library-test.h - what tests of the library share: a home folder with small model files in it. */
#pragma once

#include <stdlib.h>

#include "core-test.h"
#include "gguf-file.h"
#include "hearth-library.h"

/* A folder, removed with all in it by core_test_remove(). */
static inline char *
library_test_home (void)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *made = g_dir_make_tmp ("hearth-test-XXXXXX", &error);

  g_assert_no_error (error);
  return realpath (made, NULL);
}

/* The bytes of a small sound file of this architecture and name. `n_bytes` of weights. */
static inline GByteArray *
library_test_bytes_of (const char *architecture, const char *name, const char *type,
                       guint64 n_bytes)
{
  GByteArray *bytes = g_byte_array_new ();

  put_header (bytes, 1, 2 + (type != NULL));
  put_text_key (bytes, "general.architecture", architecture);
  put_text_key (bytes, "general.name", name);
  if (type != NULL)
    put_text_key (bytes, "general.type", type);
  put_tensor (bytes, "a", n_bytes / 4, 0, 0);
  g_byte_array_set_size (bytes, (bytes->len + 31) / 32 * 32);
  {
    guint start = bytes->len;

    g_byte_array_set_size (bytes, start + (guint) n_bytes);
    memset (bytes->data + start, 0, n_bytes);
  }
  return bytes;
}

static inline GByteArray *
library_test_bytes (const char *name, const char *type, guint64 n_bytes)
{
  return library_test_bytes_of ("nobodys", name, type, n_bytes);
}

static inline void
library_test_write_text (const char *path, const char *text, gssize size)
{
  g_autofree char *folder = g_path_get_dirname (path);
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir_with_parents (folder, 0700), ==, 0);
  g_file_set_contents (path, text, size, &error);
  g_assert_no_error (error);
}

/* Returns the path: FOLDER/BELOW. */
static inline char *
library_test_write_of (const char *folder, const char *below, const char *architecture,
                       const char *name, const char *type)
{
  g_autoptr (GByteArray) bytes = library_test_bytes_of (architecture, name, type, 128);
  char *path = g_build_filename (folder, below, NULL);

  library_test_write_text (path, (const char *) bytes->data, bytes->len);
  return path;
}

static inline char *
library_test_write (const char *folder, const char *below, const char *name, const char *type)
{
  return library_test_write_of (folder, below, "nobodys", name, type);
}

static inline guint
library_test_count (HearthLibrary *library)
{
  return g_list_model_get_n_items (G_LIST_MODEL (library));
}

/* By its title or its file's name. The list keeps it. */
static inline HearthModelFile *
library_test_find (HearthLibrary *library, const char *name)
{
  for (guint i = 0; i < library_test_count (library); i++)
    {
      g_autoptr (HearthModelFile) file = g_list_model_get_item (G_LIST_MODEL (library), i);

      if (g_str_equal (hearth_model_file_get_title (file), name) ||
          g_str_equal (hearth_model_file_get_base_name (file), name))
        return file;
    }
  return NULL;
}

static inline gboolean
library_test_all_read (HearthLibrary *library)
{
  if (hearth_library_get_scanning (library))
    return FALSE;
  for (guint i = 0; i < library_test_count (library); i++)
    {
      g_autoptr (HearthModelFile) file = g_list_model_get_item (G_LIST_MODEL (library), i);
      HearthModelFileState state = hearth_model_file_get_state (file);

      if (state != HEARTH_MODEL_FILE_READY && state != HEARTH_MODEL_FILE_FAILED)
        return FALSE;
    }
  return TRUE;
}

/* Until a second look has ended as well, and what it found is read. */
static inline void
library_test_look (HearthLibrary *library)
{
  hearth_library_scan (library);
  core_test_wait (library_test_all_read (library));
}

static inline HearthSettings *
library_test_settings (void)
{
  g_autoptr (GError) error = NULL;
  HearthSettings *settings = hearth_settings_new (&error);

  g_assert_no_error (error);
  hearth_settings_set_recent_models (settings, (const char *[]) { NULL });
  hearth_settings_set_model_folders (settings, NULL);
  return settings;
}
