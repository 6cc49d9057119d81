/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-library-scan.h"

#include <string.h>

#include <ember/naming.h>

/* Stores of other programs lay files out a few levels deep; a whole disk is not gone through. */
#define MAX_DEPTH 8
#define MAX_FILES 5000

struct scan
{
  GStrv folders;
  HearthLibraryFound found;
  GObject *object;
  GCancellable *cancellable;
  guint n_found;
};

/* On its way to the main thread. */
struct find
{
  char *path;
  HearthLibraryFound found;
  GObject *object;
  GCancellable *cancellable;
};

static void
scan_free (gpointer data)
{
  struct scan *scan = data;

  g_strfreev (scan->folders);
  g_clear_object (&scan->object);
  g_clear_object (&scan->cancellable);
  g_free (scan);
}

static void
find_free (gpointer data)
{
  struct find *find = data;

  g_free (find->path);
  g_clear_object (&find->object);
  g_clear_object (&find->cancellable);
  g_free (find);
}

static gboolean
found_cb (gpointer data)
{
  struct find *find = data;

  if (!g_cancellable_is_cancelled (find->cancellable))
    find->found (find->path, find->object);
  return G_SOURCE_REMOVE;
}

static gboolean
is_model (const char *path)
{
  struct ember_file_name name;

  return ember_file_name_parse (path, &name) && name.part == 0;
}

static void
tell (struct scan *scan, const char *path)
{
  struct find *find = g_new0 (struct find, 1);

  find->path = g_strdup (path);
  find->found = scan->found;
  find->object = g_object_ref (scan->object);
  find->cancellable = g_object_ref (scan->cancellable);
  scan->n_found++;
  g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, found_cb, find, find_free);
}

static void
walk (struct scan *scan, GFile *folder, guint depth)
{
  g_autoptr (GFileEnumerator) files = g_file_enumerate_children (
    folder,
    G_FILE_ATTRIBUTE_STANDARD_NAME "," G_FILE_ATTRIBUTE_STANDARD_TYPE
                                   "," G_FILE_ATTRIBUTE_STANDARD_IS_SYMLINK,
    G_FILE_QUERY_INFO_NONE, scan->cancellable, NULL);
  GFileInfo *info;
  GFile *child;

  while (files != NULL && scan->n_found < MAX_FILES &&
         g_file_enumerator_iterate (files, &info, &child, scan->cancellable, NULL) && info != NULL)
    {
      GFileType type = g_file_info_get_file_type (info);

      if (type == G_FILE_TYPE_DIRECTORY && depth < MAX_DEPTH &&
          !g_file_info_get_attribute_boolean (info, G_FILE_ATTRIBUTE_STANDARD_IS_SYMLINK))
        walk (scan, child, depth + 1);
      else if (type == G_FILE_TYPE_REGULAR && is_model (g_file_info_get_name (info)))
        tell (scan, g_file_peek_path (child));
    }
}

static void
scan_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  struct scan *scan = task_data;

  for (char **path = scan->folders; *path != NULL; path++)
    {
      g_autoptr (GFile) folder = g_file_new_for_path (*path);

      walk (scan, folder, 0);
    }
  g_task_return_boolean (task, TRUE);
}

void
hearth_library_scan_async (const char *const *folders, GCancellable *cancellable,
                           HearthLibraryFound found, GAsyncReadyCallback callback, GObject *object)
{
  g_autoptr (GTask) task = g_task_new (object, cancellable, callback, NULL);
  struct scan *scan = g_new0 (struct scan, 1);

  scan->folders = g_strdupv ((char **) folders);
  scan->found = found;
  scan->object = g_object_ref (object);
  scan->cancellable = g_object_ref (cancellable);
  g_task_set_source_tag (task, hearth_library_scan_async);
  /* Found files come at idle priority: the end must not overtake them. */
  g_task_set_priority (task, G_PRIORITY_DEFAULT_IDLE);
  g_task_set_task_data (task, scan, scan_free);
  g_task_run_in_thread (task, scan_in_thread);
}

gboolean
hearth_library_scan_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}
