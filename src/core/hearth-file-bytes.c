/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For pread(). */
#define _DEFAULT_SOURCE
#include "hearth-file-bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "hearth-chunk-cache.h"

#define CHUNK ((guint64) 16 * 1024)

struct file
{
  char *path;
  guint64 size;
  int fd; /* -1: not opened yet; by one reader at a time */
  GMutex lock;
};

struct _HearthFileBytes
{
  GObject parent_instance;

  struct file *file; /* counted */
  HearthChunkCache *cache;
};

G_DEFINE_FINAL_TYPE (HearthFileBytes, hearth_file_bytes, G_TYPE_OBJECT)

static guint changed_signal;

static void
file_clear (gpointer data)
{
  struct file *file = data;

  if (file->fd >= 0)
    close (file->fd);
  g_mutex_clear (&file->lock);
  g_free (file->path);
}

static void
file_unref (gpointer data)
{
  g_atomic_rc_box_release_full (data, file_clear);
}

static GBytes *
fail (const char *path, int code, GError **error)
{
  g_set_error (error, G_IO_ERROR, g_io_error_from_errno (code), "\"%s\" cannot be read: %s.", path,
               g_strerror (code));
  return NULL;
}

static GBytes *
read_range (struct file *file, guint64 offset, gsize n, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&file->lock);
  g_autofree guint8 *data = g_try_malloc (MAX (n, 1));
  gsize got = 0;

  if (data == NULL)
    return fail (file->path, ENOMEM, error);
  if (file->fd < 0)
    file->fd = open (file->path, O_RDONLY | O_CLOEXEC);
  if (file->fd < 0)
    return fail (file->path, errno, error);
  while (got < n)
    {
      gssize more = pread (file->fd, data + got, n - got, (off_t) (offset + got));

      if (more < 0 && errno == EINTR)
        continue;
      if (more < 0)
        return fail (file->path, errno, error);
      if (more == 0)
        break; /* it has become shorter */
      got += (gsize) more;
    }
  return g_bytes_new_take (g_steal_pointer (&data), got);
}

static GBytes *
read_chunk (gpointer source, guint64 chunk, GError **error)
{
  struct file *file = source;
  guint64 offset = chunk * CHUNK;

  return read_range (file, offset, (gsize) MIN (CHUNK, file->size - MIN (offset, file->size)),
                     error);
}

static void
cache_changed_cb (HearthFileBytes *self)
{
  g_signal_emit (self, changed_signal, 0);
}

static void
hearth_file_bytes_finalize (GObject *object)
{
  HearthFileBytes *self = HEARTH_FILE_BYTES (object);

  g_clear_object (&self->cache);
  file_unref (self->file);
  G_OBJECT_CLASS (hearth_file_bytes_parent_class)->finalize (object);
}

static void
hearth_file_bytes_class_init (HearthFileBytesClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = hearth_file_bytes_finalize;
  changed_signal = g_signal_new ("changed", HEARTH_TYPE_FILE_BYTES, G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
}

static void
hearth_file_bytes_init (HearthFileBytes *self)
{
}

HearthFileBytes *
hearth_file_bytes_new (const char *path, guint64 size)
{
  HearthFileBytes *self = g_object_new (HEARTH_TYPE_FILE_BYTES, NULL);

  self->file = g_atomic_rc_box_new0 (struct file);
  self->file->path = g_strdup (path);
  self->file->size = size;
  self->file->fd = -1;
  g_mutex_init (&self->file->lock);
  self->cache =
    hearth_chunk_cache_new (read_chunk, g_atomic_rc_box_acquire (self->file), file_unref);
  g_signal_connect_object (self->cache, "changed", G_CALLBACK (cache_changed_cb), self,
                           G_CONNECT_SWAPPED);
  return self;
}

const char *
hearth_file_bytes_get_path (HearthFileBytes *self)
{
  g_return_val_if_fail (HEARTH_IS_FILE_BYTES (self), NULL);

  return self->file->path;
}

guint64
hearth_file_bytes_get_size (HearthFileBytes *self)
{
  g_return_val_if_fail (HEARTH_IS_FILE_BYTES (self), 0);

  return self->file->size;
}

gsize
hearth_file_bytes_peek (HearthFileBytes *self, guint64 offset, guint8 *out, gsize n)
{
  gsize got = 0;

  g_return_val_if_fail (HEARTH_IS_FILE_BYTES (self), 0);

  while (got < n && offset + got < self->file->size)
    {
      guint64 at = offset + got;
      GBytes *bytes = hearth_chunk_cache_peek (self->cache, at / CHUNK);
      gsize size = 0, from = (gsize) (at % CHUNK);
      const guint8 *data = bytes != NULL ? g_bytes_get_data (bytes, &size) : NULL;

      if (data == NULL || from >= size)
        break;
      size = MIN (size - from, n - got);
      memcpy (out + got, data + from, size);
      got += size;
    }
  return got;
}

const GError *
hearth_file_bytes_get_error (HearthFileBytes *self)
{
  g_return_val_if_fail (HEARTH_IS_FILE_BYTES (self), NULL);

  return hearth_chunk_cache_get_error (self->cache);
}

gboolean
hearth_file_bytes_is_idle (HearthFileBytes *self)
{
  g_return_val_if_fail (HEARTH_IS_FILE_BYTES (self), TRUE);

  return hearth_chunk_cache_is_idle (self->cache);
}

guint
hearth_file_bytes_get_n_read (HearthFileBytes *self)
{
  g_return_val_if_fail (HEARTH_IS_FILE_BYTES (self), 0);

  return hearth_chunk_cache_get_n_read (self->cache);
}

/* ---- copying ---------------------------------------------------------------------------- */

struct range
{
  struct file *file;
  guint64 offset;
  gsize n;
};

static void
range_free (gpointer data)
{
  struct range *range = data;

  file_unref (range->file);
  g_free (range);
}

static void
read_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  struct range *range = task_data;
  GError *error = NULL;
  GBytes *bytes = read_range (range->file, range->offset, range->n, &error);

  if (bytes != NULL)
    g_task_return_pointer (task, bytes, (GDestroyNotify) g_bytes_unref);
  else
    g_task_return_error (task, error);
}

void
hearth_file_bytes_read_async (HearthFileBytes *self, guint64 offset, gsize n,
                              GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = NULL;
  struct range *range;

  g_return_if_fail (HEARTH_IS_FILE_BYTES (self));

  task = g_task_new (NULL, NULL, callback, user_data);
  g_task_set_source_tag (task, hearth_file_bytes_read_async);
  range = g_new (struct range, 1);
  *range = (struct range) { .file = g_atomic_rc_box_acquire (self->file),
                            .offset = offset,
                            .n = MIN (n, HEARTH_FILE_BYTES_MOST) };
  g_task_set_task_data (task, range, range_free);
  g_task_run_in_thread (task, read_in_thread);
}

GBytes *
hearth_file_bytes_read_finish (GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, NULL), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}
