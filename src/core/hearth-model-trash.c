/* SPDX-License-Identifier: GPL-3.0-or-later */
/* GIO moves to the trash, and does not say where to. A file keeps its device and inode there, which
 * is how it is found again: in the trash of the home folder, or in that of its own disk. */
#define _GNU_SOURCE /* renameat2 */
#include "hearth-model-trash.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

struct moved
{
  guint64 device;
  guint64 inode;
};

struct _HearthTrashed
{
  GStrv paths;
  GArray *files; /* of struct moved, one for each path */
};

static void
clear (gpointer data)
{
  HearthTrashed *self = data;

  g_strfreev (self->paths);
  g_array_unref (self->files);
}

HearthTrashed *
hearth_trashed_ref (HearthTrashed *self)
{
  return g_atomic_rc_box_acquire (self);
}

void
hearth_trashed_unref (HearthTrashed *self)
{
  g_atomic_rc_box_release_full (self, clear);
}

const char *const *
hearth_trashed_get_paths (HearthTrashed *self)
{
  return (const char *const *) self->paths;
}

/* ---- the trash as it lies on disk ------------------------------------------------------- */

/* Where the disk of this path begins. */
static char *
dup_top (const char *path)
{
  g_autofree char *at = g_path_get_dirname (path);
  struct stat info;
  dev_t device;

  if (stat (at, &info) != 0)
    return NULL;
  device = info.st_dev;
  while (!g_str_equal (at, "/"))
    {
      g_autofree char *above = g_path_get_dirname (at);

      if (stat (above, &info) != 0 || info.st_dev != device)
        break;
      g_free (at);
      at = g_steal_pointer (&above);
    }
  return g_steal_pointer (&at);
}

/* Of those that there may be. Returns: (transfer full) */
static GPtrArray *
list_trashes (const char *path)
{
  GPtrArray *folders = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *top = dup_top (path);
  g_autofree char *user = g_strdup_printf ("%u", (guint) getuid ());
  g_autofree char *own = g_strconcat (".Trash-", user, NULL);

  g_ptr_array_add (folders, g_build_filename (g_get_user_data_dir (), "Trash", NULL));
  if (top != NULL)
    {
      g_ptr_array_add (folders, g_build_filename (top, ".Trash", user, NULL));
      g_ptr_array_add (folders, g_build_filename (top, own, NULL));
    }
  return folders;
}

static char *
find_in (const char *trash, const struct moved *file, char **info_path)
{
  g_autofree char *folder = g_build_filename (trash, "files", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);
      struct stat info;

      if (lstat (path, &info) == 0 && (guint64) info.st_dev == file->device &&
          (guint64) info.st_ino == file->inode)
        {
          g_autofree char *note = g_strconcat (name, ".trashinfo", NULL);

          *info_path = g_build_filename (trash, "info", note, NULL);
          return g_steal_pointer (&path);
        }
    }
  return NULL;
}

/* Never over a file that is there. */
static int
move (const char *from, const char *to)
{
  struct stat info;

  if (renameat2 (AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
    return 0;
  if (errno != EINVAL && errno != ENOSYS)
    return -1;
  if (lstat (to, &info) == 0)
    {
      errno = EEXIST;
      return -1;
    }
  return g_rename (from, to);
}

static gboolean
restore_one (const char *path, const struct moved *file, GError **error)
{
  g_autoptr (GPtrArray) trashes = list_trashes (path);

  for (guint i = 0; i < trashes->len; i++)
    {
      g_autofree char *note = NULL;
      g_autofree char *found = find_in (trashes->pdata[i], file, &note);

      if (found == NULL)
        continue;
      if (move (found, path) != 0)
        {
          int reason = errno;

          g_set_error (error, G_IO_ERROR, (int) g_io_error_from_errno (reason), "%s: %s", path,
                       g_strerror (reason));
          return FALSE;
        }
      g_unlink (note);
      return TRUE;
    }
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "%s is not in a trash that can be reached.",
               path);
  return FALSE;
}

static gboolean
restore (HearthTrashed *trashed, guint n, GError **error)
{
  gboolean all = TRUE;

  for (guint i = 0; i < n; i++)
    all &= restore_one (trashed->paths[i], &g_array_index (trashed->files, struct moved, i),
                        all ? error : NULL);
  return all;
}

/* ---- on another thread ------------------------------------------------------------------ */

static void
trash_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  HearthTrashed *trashed = task_data;

  for (guint i = 0; trashed->paths[i] != NULL; i++)
    {
      g_autoptr (GFile) file = g_file_new_for_path (trashed->paths[i]);
      struct moved moved = { 0 };
      struct stat info;
      GError *error = NULL;

      if (lstat (trashed->paths[i], &info) == 0)
        {
          moved.device = (guint64) info.st_dev;
          moved.inode = (guint64) info.st_ino;
        }
      g_array_append_val (trashed->files, moved);
      if (!g_file_trash (file, NULL, &error))
        {
          restore (trashed, i, NULL);
          g_task_return_error (task, error);
          return;
        }
    }
  g_task_return_pointer (task, hearth_trashed_ref (trashed), (GDestroyNotify) hearth_trashed_unref);
}

void
hearth_model_trash_async (const char *const *paths, GAsyncReadyCallback callback,
                          gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, callback, user_data);
  HearthTrashed *trashed = g_atomic_rc_box_new0 (HearthTrashed);

  trashed->paths = g_strdupv ((char **) paths);
  trashed->files = g_array_new (FALSE, FALSE, sizeof (struct moved));
  g_task_set_source_tag (task, hearth_model_trash_async);
  g_task_set_task_data (task, trashed, (GDestroyNotify) hearth_trashed_unref);
  g_task_run_in_thread (task, trash_in_thread);
}

HearthTrashed *
hearth_model_trash_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_pointer (G_TASK (result), error);
}

static void
restore_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  HearthTrashed *trashed = task_data;
  GError *error = NULL;

  if (restore (trashed, trashed->files->len, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

void
hearth_model_restore_async (HearthTrashed *trashed, GAsyncReadyCallback callback,
                            gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, callback, user_data);

  g_task_set_source_tag (task, hearth_model_restore_async);
  g_task_set_task_data (task, hearth_trashed_ref (trashed), (GDestroyNotify) hearth_trashed_unref);
  g_task_run_in_thread (task, restore_in_thread);
}

gboolean
hearth_model_restore_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}
