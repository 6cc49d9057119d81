/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-chunk-cache.h"

#include "hearth-weak.h"

/* Some screens of what is shown at once, and what a few seconds of scrolling pass. */
#define MOST_KEPT 96u
#define MOST_WANTED 24u

struct source
{
  HearthChunkRead read;
  gpointer data;
  GDestroyNotify unref;
};

struct job
{
  struct source *source;
  guint64 chunk;
};

struct _HearthChunkCache
{
  GObject parent_instance;

  struct source *source; /* counted */
  GHashTable *chunks;    /* number to link in `used`, whose data is a struct entry */
  GQueue used;           /* the last used one first */
  GArray *wanted;        /* of guint64, the last wanted one last */
  gboolean reading;
  guint64 now; /* which one, while `reading` */
  GError *error;
  guint n_read;
};

struct entry
{
  guint64 chunk;
  GBytes *bytes; /* NULL: cannot be read */
};

G_DEFINE_FINAL_TYPE (HearthChunkCache, hearth_chunk_cache, G_TYPE_OBJECT)

static guint changed_signal;

static void read_next (HearthChunkCache *self);

static void
source_clear (gpointer data)
{
  struct source *source = data;

  source->unref (source->data);
}

static void
source_unref (struct source *source)
{
  g_atomic_rc_box_release_full (source, source_clear);
}

static void
job_free (gpointer data)
{
  struct job *job = data;

  source_unref (job->source);
  g_free (job);
}

static void
entry_free (gpointer data)
{
  struct entry *entry = data;

  g_clear_pointer (&entry->bytes, g_bytes_unref);
  g_free (entry);
}

static void
read_in_thread (GTask *task, gpointer object, gpointer task_data, GCancellable *cancellable)
{
  struct job *job = task_data;
  GError *error = NULL;
  GBytes *bytes = job->source->read (job->source->data, job->chunk, &error);

  if (bytes != NULL)
    g_task_return_pointer (task, bytes, (GDestroyNotify) g_bytes_unref);
  else
    g_task_return_error (task, error);
}

static void
keep (HearthChunkCache *self, guint64 chunk, GBytes *bytes)
{
  struct entry *entry = g_new (struct entry, 1);

  *entry = (struct entry) { .chunk = chunk, .bytes = bytes };
  g_queue_push_head (&self->used, entry);
  g_hash_table_insert (self->chunks, &entry->chunk, self->used.head);
  if (self->used.length > MOST_KEPT)
    {
      struct entry *oldest = g_queue_pop_tail (&self->used);

      g_hash_table_remove (self->chunks, &oldest->chunk);
      entry_free (oldest);
    }
}

/* The thread gives its task back last, so the cache does not hang on that. */
static void
read_cb (GObject *object, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HearthChunkCache) self = hearth_weak_take (user_data);
  GError *error = NULL;
  GBytes *bytes = g_task_propagate_pointer (G_TASK (result), &error);

  if (self == NULL)
    {
      g_clear_pointer (&bytes, g_bytes_unref);
      g_clear_error (&error);
      return;
    }
  self->reading = FALSE;
  self->n_read++;
  g_clear_error (&self->error);
  self->error = error;
  keep (self, self->now, bytes);
  read_next (self);
  g_signal_emit (self, changed_signal, 0);
}

static void
read_next (HearthChunkCache *self)
{
  g_autoptr (GTask) task = NULL;
  struct job *job;

  if (self->reading || self->wanted->len == 0)
    return;
  self->reading = TRUE;
  self->now = g_array_index (self->wanted, guint64, self->wanted->len - 1);
  g_array_set_size (self->wanted, self->wanted->len - 1);
  job = g_new (struct job, 1);
  *job = (struct job) { .source = g_atomic_rc_box_acquire (self->source), .chunk = self->now };
  task = g_task_new (NULL, NULL, read_cb, hearth_weak_new (self));
  g_task_set_source_tag (task, read_next);
  g_task_set_task_data (task, job, job_free);
  g_task_run_in_thread (task, read_in_thread);
}

static void
hearth_chunk_cache_finalize (GObject *object)
{
  HearthChunkCache *self = HEARTH_CHUNK_CACHE (object);

  g_hash_table_unref (self->chunks);
  g_queue_clear_full (&self->used, entry_free);
  g_array_unref (self->wanted);
  g_clear_error (&self->error);
  source_unref (self->source);
  G_OBJECT_CLASS (hearth_chunk_cache_parent_class)->finalize (object);
}

static void
hearth_chunk_cache_class_init (HearthChunkCacheClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = hearth_chunk_cache_finalize;
  changed_signal = g_signal_new ("changed", HEARTH_TYPE_CHUNK_CACHE, G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
}

static void
hearth_chunk_cache_init (HearthChunkCache *self)
{
  self->chunks = g_hash_table_new (g_int64_hash, g_int64_equal);
  self->wanted = g_array_new (FALSE, FALSE, sizeof (guint64));
  g_queue_init (&self->used);
}

HearthChunkCache *
hearth_chunk_cache_new (HearthChunkRead read, gpointer source, GDestroyNotify unref)
{
  HearthChunkCache *self = g_object_new (HEARTH_TYPE_CHUNK_CACHE, NULL);

  self->source = g_atomic_rc_box_new (struct source);
  *self->source = (struct source) { .read = read, .data = source, .unref = unref };
  return self;
}

GBytes *
hearth_chunk_cache_peek (HearthChunkCache *self, guint64 chunk)
{
  GList *link;

  g_return_val_if_fail (HEARTH_IS_CHUNK_CACHE (self), NULL);

  link = g_hash_table_lookup (self->chunks, &chunk);
  if (link != NULL)
    {
      g_queue_unlink (&self->used, link);
      g_queue_push_head_link (&self->used, link);
      return ((struct entry *) link->data)->bytes;
    }
  if (self->reading && self->now == chunk)
    return NULL;
  for (guint i = 0; i < self->wanted->len; i++)
    {
      if (g_array_index (self->wanted, guint64, i) == chunk)
        {
          g_array_remove_index (self->wanted, i);
          break;
        }
    }
  g_array_append_val (self->wanted, chunk);
  if (self->wanted->len > MOST_WANTED)
    g_array_remove_index (self->wanted, 0);
  read_next (self);
  return NULL;
}

const GError *
hearth_chunk_cache_get_error (HearthChunkCache *self)
{
  g_return_val_if_fail (HEARTH_IS_CHUNK_CACHE (self), NULL);

  return self->error;
}

gboolean
hearth_chunk_cache_is_idle (HearthChunkCache *self)
{
  g_return_val_if_fail (HEARTH_IS_CHUNK_CACHE (self), TRUE);

  return !self->reading && self->wanted->len == 0;
}

guint
hearth_chunk_cache_get_n_read (HearthChunkCache *self)
{
  g_return_val_if_fail (HEARTH_IS_CHUNK_CACHE (self), 0);

  return self->n_read;
}
