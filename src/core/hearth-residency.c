/* SPDX-License-Identifier: GPL-3.0-or-later */
/* For mincore(). */
#define _DEFAULT_SOURCE
#include "hearth-residency.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

/* Pages asked for at once. */
#define SLICE ((gsize) 1 << 16)

struct _HearthResidency
{
  guint64 size;
  guint64 page;
  guint64 n_pages;
  guint64 *bits; /* one per page */
};

static void
residency_clear (gpointer data)
{
  g_free (((HearthResidency *) data)->bits);
}

HearthResidency *
hearth_residency_ref (HearthResidency *self)
{
  return g_atomic_rc_box_acquire (self);
}

void
hearth_residency_unref (HearthResidency *self)
{
  g_atomic_rc_box_release_full (self, residency_clear);
}

/* Others than the owner and who may write it are told that all of it is there. */
static gboolean
may_ask (const char *path, const struct stat *info)
{
  return info->st_uid == geteuid () || geteuid () == 0 || access (path, W_OK) == 0;
}

static gboolean
ask (HearthResidency *self, int fd, GCancellable *cancellable)
{
  gboolean done = TRUE;
  guint8 *slice = g_malloc (SLICE);

  for (guint64 at = 0; at < self->n_pages && done; at += SLICE)
    {
      gsize n = (gsize) MIN (SLICE, self->n_pages - at);
      gsize n_bytes = (gsize) MIN (n * self->page, self->size - at * self->page);
      void *map = mmap (NULL, n_bytes, PROT_READ, MAP_SHARED, fd, (off_t) (at * self->page));

      if (map == MAP_FAILED || g_cancellable_is_cancelled (cancellable))
        done = FALSE;
      else if (mincore (map, n_bytes, slice) != 0)
        done = FALSE;
      for (gsize i = 0; i < n && done; i++)
        self->bits[(at + i) / 64] |= (guint64) (slice[i] & 1) << ((at + i) % 64);
      if (map != MAP_FAILED)
        munmap (map, n_bytes);
    }
  g_free (slice);
  return done;
}

static void
read_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  const char *path = task_data;
  g_autoptr (HearthResidency) self = g_atomic_rc_box_new0 (HearthResidency);
  int fd = open (path, O_RDONLY | O_CLOEXEC);
  struct stat info = { 0 };
  int code = fd < 0 || fstat (fd, &info) != 0 ? errno : 0;

  if (code == 0 && !may_ask (path, &info))
    code = EACCES;
  self->size = (guint64) info.st_size;
  self->page = (guint64) sysconf (_SC_PAGESIZE);
  self->n_pages = self->size / self->page + (self->size % self->page != 0);
  self->bits = g_new0 (guint64, self->n_pages / 64 + 1);
  if (code == 0 && !ask (self, fd, cancellable))
    code = errno != 0 ? errno : EIO;
  if (fd >= 0)
    close (fd);
  if (code != 0)
    g_task_return_new_error (task, G_IO_ERROR, g_io_error_from_errno (code),
                             "What is in memory of \"%s\" cannot be found out: %s.", path,
                             g_strerror (code));
  else
    g_task_return_pointer (task, g_steal_pointer (&self), (GDestroyNotify) hearth_residency_unref);
}

void
hearth_residency_read_async (const char *path, GCancellable *cancellable,
                             GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);

  g_task_set_source_tag (task, hearth_residency_read_async);
  g_task_set_task_data (task, g_strdup (path), g_free);
  g_task_run_in_thread (task, read_in_thread);
}

HearthResidency *
hearth_residency_read_finish (GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, NULL), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}

static gboolean
has_page (const HearthResidency *self, guint64 page)
{
  return page < self->n_pages && (self->bits[page / 64] >> (page % 64) & 1) != 0;
}

/* Pages first … end. */
static guint64
count_pages (const HearthResidency *self, guint64 first, guint64 end)
{
  guint64 n = 0;

  for (; first < end && first % 64 != 0; first++)
    n += has_page (self, first);
  for (; end - first >= 64 && first < end; first += 64)
    n += (guint64) __builtin_popcountll (self->bits[first / 64]);
  for (; first < end; first++)
    n += has_page (self, first);
  return n;
}

guint64
hearth_residency_count (HearthResidency *self, guint64 offset, guint64 size)
{
  guint64 end, first, last;
  guint64 n = 0;

  offset = MIN (offset, self->size);
  end = offset + MIN (size, self->size - offset);
  if (offset == end)
    return 0;
  first = offset / self->page;
  last = (end - 1) / self->page;
  if (first == last)
    return has_page (self, first) ? end - offset : 0;
  if (has_page (self, first))
    n += (first + 1) * self->page - offset;
  if (has_page (self, last))
    n += end - last * self->page;
  return n + count_pages (self, first + 1, last) * self->page;
}
