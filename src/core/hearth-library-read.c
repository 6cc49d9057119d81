/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Headers, read by threads a few at a time. */
#include "hearth-library-private.h"

#include <ember/hardware.h>

#include "hearth-error.h"

/* Groups that are read at the same time: what somebody opens meanwhile need not wait. */
#define MAX_READING 2
/* Files of a group: few enough that what is known is shown soon, and taken between two frames. */
#define GROUP_SIZE 32
/* A group ends early when its files take long. */
#define GROUP_MS 80

struct item
{
  char *path;
  HearthModelFacts facts;
  gboolean there;
  gboolean done; /* FALSE: there was no time left */
  HearthModelReading reading;
};

struct group
{
  HearthLibraryLink *link;
  HearthHeaderCache *cache;
  guint n_ctx;
  guint n_threads;
  guint n_items;
  struct item items[GROUP_SIZE];
};

static void
group_free (gpointer data)
{
  struct group *group = data;

  for (guint i = 0; i < group->n_items; i++)
    {
      g_free (group->items[i].path);
      hearth_model_reading_clear (&group->items[i].reading);
    }
  g_clear_pointer (&group->link, _hearth_library_link_unref);
  g_clear_pointer (&group->cache, hearth_header_cache_unref);
  g_free (group);
}

/* Asking the system takes longer than a group of headers that are kept. */
static guint64
get_budget (void)
{
  static GMutex lock;
  static gint64 asked;
  static guint64 budget;
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&lock);

  if (asked == 0 || g_get_monotonic_time () - asked > G_USEC_PER_SEC)
    {
      struct ember_hardware hardware = { 0 };

      ember_hardware_read (&hardware, NULL);
      budget = hardware.memory_available;
      asked = g_get_monotonic_time ();
    }
  return budget;
}

/* FALSE: it was read, and is worth keeping. */
static gboolean
is_known (struct group *group, struct item *item, guint64 budget)
{
  item->reading.header = hearth_header_cache_get (group->cache, item->path, &item->facts,
                                                  group->n_ctx, group->n_threads, budget);
  if (item->reading.header != NULL)
    return TRUE;
  hearth_model_reading_read (&item->reading, item->path, group->n_ctx, group->n_threads);
  return item->reading.header == NULL;
}

static void
read_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  struct group *group = task_data;
  gint64 end = g_get_monotonic_time () + GROUP_MS * 1000;
  guint64 budget = get_budget ();
  gboolean keep[GROUP_SIZE] = { FALSE };
  gboolean any = FALSE;

  for (guint i = 0; i < group->n_items && (i == 0 || g_get_monotonic_time () < end); i++)
    {
      struct item *item = &group->items[i];

      item->there = hearth_model_facts_read (item->path, &item->facts);
      if (item->there)
        {
          HearthModelFacts after;

          keep[i] = !is_known (group, item, budget);
          /* One that was changed while it was read is not what the cache would say it is. */
          keep[i] = keep[i] && hearth_model_facts_read (item->path, &after) &&
                    hearth_model_facts_equal (&item->facts, &after);
          any |= keep[i];
        }
      item->done = TRUE;
    }
  if (any)
    {
      hearth_header_cache_begin (group->cache);
      for (guint i = 0; i < group->n_items; i++)
        {
          struct item *item = &group->items[i];

          if (keep[i])
            hearth_header_cache_put (group->cache, item->path, &item->facts, group->n_ctx,
                                     group->n_threads, item->reading.header);
        }
      hearth_header_cache_commit (group->cache);
    }
  g_task_return_boolean (task, TRUE);
}

static gboolean
is_cut_short (HearthModelFile *file)
{
  const HearthModelHeader *header = hearth_model_file_get_header (file);

  if (hearth_model_file_get_state (file) == HEARTH_MODEL_FILE_FAILED)
    return TRUE;
  return header != NULL && header->expected_size > header->size;
}

static void
take_item (HearthLibrary *self, struct item *item)
{
  HearthModelFile *file = g_hash_table_lookup (self->by_path, item->path);
  HearthModelRole role;

  if (file == NULL)
    return; /* it has left the list */
  if (!item->done)
    {
      g_queue_push_head (&self->unread, g_object_ref (file));
      return;
    }
  if (!item->there)
    {
      HearthModelReading gone = { .error = g_error_new (HEARTH_ERROR, HEARTH_ERROR_NOT_FOUND,
                                                        "%s is not there.", item->path) };

      /* What was in it is still worth showing. */
      if (hearth_model_file_get_header (file) != NULL)
        g_clear_error (&gone.error);
      _hearth_model_file_take (file, &gone);
      _hearth_library_check (self, item->path);
      return;
    }
  role = hearth_model_file_get_role (file);
  item->facts.role = hearth_model_file_get_facts (file)->role;
  _hearth_library_index_facts (self, file, &item->facts);
  _hearth_model_file_set_facts (file, &item->facts);
  _hearth_model_file_take (file, &item->reading);
  if (hearth_model_file_get_role (file) != role)
    _hearth_library_pair_soon (self);
  if (is_cut_short (file) && _hearth_library_is_fresh (&item->facts))
    {
      _hearth_model_file_set_presence (file, HEARTH_MODEL_PRESENCE_WRITING);
      _hearth_library_follow_growth (self, file);
    }
  else
    {
      _hearth_model_file_set_presence (file, HEARTH_MODEL_PRESENCE_WHOLE);
      _hearth_library_forget_growth (self, file);
    }
}

static void
group_read_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  struct group *group = g_task_get_task_data (G_TASK (result));
  g_autoptr (HearthLibrary) self = NULL;

  if (group->link->library == NULL)
    return;
  self = g_object_ref (group->link->library);
  self->n_reading--;
  /* Backwards: what was not done goes to the head of the queue in its order. */
  for (guint i = group->n_items; i > 0; i--)
    take_item (self, &group->items[i - 1]);
  if (self->link == NULL)
    return;
  _hearth_library_files_changed (self);
  _hearth_library_read_next (self);
  /* What goes with what is told by headers, too: once all are there. */
  if (self->n_reading == 0)
    _hearth_library_pair_soon (self);
}

static struct group *
next_group (HearthLibrary *self)
{
  struct group *group = g_new0 (struct group, 1);

  while (group->n_items < GROUP_SIZE && !g_queue_is_empty (&self->unread))
    {
      g_autoptr (HearthModelFile) file = g_queue_pop_head (&self->unread);
      const char *path = hearth_model_file_get_path (file);

      if (g_hash_table_lookup (self->by_path, path) != file)
        continue; /* it has left the list meanwhile */
      _hearth_model_file_begin_reading (file);
      group->items[group->n_items++].path = g_strdup (path);
    }
  return group;
}

void
_hearth_library_read_next (HearthLibrary *self)
{
  while (self->n_reading < MAX_READING && !g_queue_is_empty (&self->unread))
    {
      struct group *group = next_group (self);
      g_autoptr (GTask) task = NULL;

      if (group->n_items == 0)
        {
          group_free (group);
          return;
        }
      group->link = _hearth_library_link_ref (self->link);
      group->cache = hearth_header_cache_ref (self->cache);
      group->n_ctx = hearth_settings_get_context_length (self->settings);
      group->n_threads = hearth_settings_get_threads (self->settings);
      self->n_reading++;
      task = g_task_new (NULL, NULL, group_read_cb, NULL);
      g_task_set_source_tag (task, _hearth_library_read_next);
      g_task_set_priority (task, G_PRIORITY_DEFAULT_IDLE);
      g_task_set_task_data (task, group, group_free);
      g_task_run_in_thread (task, read_in_thread);
    }
}

void
_hearth_library_read (HearthLibrary *self, HearthModelFile *file)
{
  g_queue_push_tail (&self->unread, g_object_ref (file));
}

void
_hearth_library_update_facts (HearthLibrary *self, HearthModelFile *file,
                              const HearthModelFacts *facts)
{
  HearthModelFacts next = *facts;

  if (hearth_model_file_get_presence (file) != HEARTH_MODEL_PRESENCE_GONE &&
      hearth_model_facts_equal (hearth_model_file_get_facts (file), facts))
    return;
  /* What a program has said that a file is for stays true. */
  next.role = hearth_model_file_get_facts (file)->role;
  _hearth_library_index_facts (self, file, &next);
  _hearth_model_file_set_facts (file, &next);
  if (hearth_model_file_get_presence (file) == HEARTH_MODEL_PRESENCE_GONE)
    _hearth_model_file_set_presence (file, HEARTH_MODEL_PRESENCE_WHOLE);
  _hearth_library_read (self, file);
  _hearth_library_files_changed (self);
}

void
_hearth_library_set_role (HearthLibrary *self, HearthModelFile *file, HearthModelRole role)
{
  HearthModelFacts facts = *hearth_model_file_get_facts (file);
  HearthModelRole before = hearth_model_file_get_role (file);

  if (facts.role == role)
    return;
  facts.role = role;
  _hearth_model_file_set_facts (file, &facts);
  if (hearth_model_file_get_role (file) == before)
    return;
  _hearth_library_pair_soon (self);
  _hearth_library_files_changed (self);
}
