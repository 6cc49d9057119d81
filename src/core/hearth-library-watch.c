/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What happens to files while they are listed: the folders are watched, and those that grow are
 * looked at until they stand still. */
#include "hearth-library-private.h"

#include <glib/gstdio.h>
#include <sys/stat.h>

/* The system has a limit for all programs together; one that is not watched is looked through when
 * somebody asks. */
#define MAX_MONITORS 2000
/* Set up between two frames. */
#define MONITORS_AT_ONCE 8
/* One save of a file is several events. */
#define CHECK_MS 100
#define RESCAN_MS 300
/* A download may stop for a moment; after this it is told as what it is. */
#define FRESH_S 8
#define GROWTH_MS 1000

/* ---- checking paths --------------------------------------------------------------------- */

struct checked
{
  char *path;
  gboolean there;
  gboolean is_folder;
  HearthModelFacts facts;
};

struct check
{
  HearthLibraryLink *link;
  GArray *paths; /* of struct checked */
};

static void
checked_clear (gpointer data)
{
  g_free (((struct checked *) data)->path);
}

static void
check_free (gpointer data)
{
  struct check *check = data;

  g_array_unref (check->paths);
  _hearth_library_link_unref (check->link);
  g_free (check);
}

static void
check_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  struct check *check = task_data;

  for (guint i = 0; i < check->paths->len; i++)
    {
      struct checked *at = &g_array_index (check->paths, struct checked, i);

      at->there = hearth_model_facts_read (at->path, &at->facts);
      at->is_folder = !at->there && g_file_test (at->path, G_FILE_TEST_IS_DIR);
    }
  g_task_return_boolean (task, TRUE);
}

static gboolean rescan_cb (gpointer data);

static void
rescan_soon (HearthLibrary *self)
{
  if (self->rescan_id == 0)
    self->rescan_id = g_timeout_add (RESCAN_MS, rescan_cb, self);
}

static gboolean
rescan_cb (gpointer data)
{
  HearthLibrary *self = data;

  self->rescan_id = 0;
  _hearth_library_look (self, FALSE);
  return G_SOURCE_REMOVE;
}

static void
lose_path (HearthLibrary *self, HearthModelFile *file, const char *path)
{
  for (guint i = hearth_model_file_get_n_places (file); i > 0; i--)
    {
      if (g_str_equal (hearth_model_file_get_place (file, i - 1)->path, path))
        {
          g_autoptr (HearthModelFile) keep = g_object_ref (file);

          _hearth_library_lose_place (self, file, i - 1, TRUE);
          if (g_hash_table_lookup (self->by_path, path) != file)
            return;
        }
    }
}

static void
take_checked (HearthLibrary *self, struct checked *at)
{
  HearthModelFile *file = g_hash_table_lookup (self->by_path, at->path);

  if (file == NULL)
    {
      if (at->there || at->is_folder)
        rescan_soon (self);
      return;
    }
  if (!at->there)
    {
      lose_path (self, file, at->path);
      return;
    }
  /* The path may lead to another file now, which somebody else has as well. */
  if (at->facts.inode != hearth_model_file_get_facts (file)->inode &&
      hearth_model_file_get_n_places (file) > 1)
    rescan_soon (self);
  else
    _hearth_library_update_facts (self, file, &at->facts);
}

static void begin_check (HearthLibrary *self);

static void
checked_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  struct check *check = g_task_get_task_data (G_TASK (result));
  g_autoptr (HearthLibrary) self = NULL;

  if (check->link->library == NULL)
    return;
  self = g_object_ref (check->link->library);
  self->checking = FALSE;
  for (guint i = 0; i < check->paths->len; i++)
    take_checked (self, &g_array_index (check->paths, struct checked, i));
  _hearth_library_read_next (self);
  begin_check (self);
}

static gboolean
check_cb (gpointer data)
{
  HearthLibrary *self = data;
  g_autoptr (GTask) task = NULL;
  GHashTableIter iter;
  gpointer path;
  struct check *check;

  self->check_id = 0;
  check = g_new0 (struct check, 1);
  check->link = _hearth_library_link_ref (self->link);
  check->paths = g_array_new (FALSE, TRUE, sizeof (struct checked));
  g_array_set_clear_func (check->paths, checked_clear);
  g_hash_table_iter_init (&iter, self->to_check);
  while (g_hash_table_iter_next (&iter, &path, NULL))
    {
      struct checked at = { .path = g_strdup (path) };

      g_array_append_val (check->paths, at);
    }
  g_hash_table_remove_all (self->to_check);
  self->checking = TRUE;
  task = g_task_new (NULL, NULL, checked_cb, NULL);
  g_task_set_source_tag (task, check_cb);
  g_task_set_task_data (task, check, check_free);
  g_task_run_in_thread (task, check_in_thread);
  return G_SOURCE_REMOVE;
}

static void
begin_check (HearthLibrary *self)
{
  if (self->check_id == 0 && !self->checking && g_hash_table_size (self->to_check) > 0)
    self->check_id = g_timeout_add (CHECK_MS, check_cb, self);
}

void
_hearth_library_check (HearthLibrary *self, const char *path)
{
  g_hash_table_add (self->to_check, g_strdup (path));
  begin_check (self);
}

/* ---- files that grow -------------------------------------------------------------------- */

gboolean
_hearth_library_is_fresh (const HearthModelFacts *facts)
{
  gint64 now = g_get_real_time ();

  /* A time that is to come is some other clock's, and says nothing. */
  return facts->changed <= now && now - facts->changed < FRESH_S * G_USEC_PER_SEC;
}

static gboolean
growth_cb (gpointer data)
{
  HearthLibrary *self = data;
  GHashTableIter iter;
  gpointer key;

  if (g_hash_table_size (self->growing) == 0)
    {
      self->growth_id = 0;
      return G_SOURCE_REMOVE;
    }
  g_hash_table_iter_init (&iter, self->growing);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      HearthModelFile *file = key;

      /* It has stopped: read once more, to be told as what it is. */
      if (!_hearth_library_is_fresh (hearth_model_file_get_facts (file)) &&
          hearth_model_file_get_state (file) != HEARTH_MODEL_FILE_READING)
        _hearth_library_read (self, file);
      else
        _hearth_library_check (self, hearth_model_file_get_path (file));
    }
  _hearth_library_read_next (self);
  return G_SOURCE_CONTINUE;
}

void
_hearth_library_follow_growth (HearthLibrary *self, HearthModelFile *file)
{
  g_hash_table_add (self->growing, file);
  if (self->growth_id == 0)
    self->growth_id = g_timeout_add (GROWTH_MS, growth_cb, self);
}

void
_hearth_library_forget_growth (HearthLibrary *self, HearthModelFile *file)
{
  g_hash_table_remove (self->growing, file);
}

/* ---- folders ---------------------------------------------------------------------------- */

static void
look_at (HearthLibrary *self, GFile *file)
{
  const char *path = file != NULL ? g_file_peek_path (file) : NULL;
  HearthModelRole role;

  if (path == NULL)
    return;
  if (g_str_has_suffix (path, "/model.yml") || strstr (path, "/manifests/") != NULL)
    rescan_soon (self);
  else if (g_hash_table_contains (self->by_path, path))
    _hearth_library_check (self, path);
  /* Another part of a split model, perhaps. */
  else if (hearth_model_facts_guess_role (path, &role) ||
           g_hash_table_contains (self->monitors, path))
    rescan_soon (self);
}

static void
changed_cb (HearthLibrary *self, GFile *file, GFile *other, GFileMonitorEvent event)
{
  switch (event)
    {
    case G_FILE_MONITOR_EVENT_CREATED:
    case G_FILE_MONITOR_EVENT_MOVED_IN:
    case G_FILE_MONITOR_EVENT_RENAMED:
      look_at (self, file);
      look_at (self, other);
      /* It may be a folder. */
      if (g_file_peek_path (other != NULL ? other : file) != NULL)
        _hearth_library_check (self, g_file_peek_path (other != NULL ? other : file));
      break;
    case G_FILE_MONITOR_EVENT_CHANGED:
    case G_FILE_MONITOR_EVENT_CHANGES_DONE_HINT:
    case G_FILE_MONITOR_EVENT_ATTRIBUTE_CHANGED:
    case G_FILE_MONITOR_EVENT_DELETED:
    case G_FILE_MONITOR_EVENT_MOVED_OUT:
    case G_FILE_MONITOR_EVENT_MOVED:
      look_at (self, file);
      break;
    case G_FILE_MONITOR_EVENT_UNMOUNTED:
      rescan_soon (self);
      break;
    case G_FILE_MONITOR_EVENT_PRE_UNMOUNT:
      break;
    }
}

static gboolean
watch_some_cb (gpointer data)
{
  HearthLibrary *self = data;

  for (guint i = 0; i < MONITORS_AT_ONCE && self->to_watch->len > 0; i++)
    {
      char *path = g_ptr_array_steal_index_fast (self->to_watch, self->to_watch->len - 1);
      g_autoptr (GFile) folder = g_file_new_for_path (path);
      GFileMonitor *monitor =
        g_file_monitor_directory (folder, G_FILE_MONITOR_WATCH_MOVES, NULL, NULL);

      if (monitor == NULL || g_hash_table_size (self->monitors) >= MAX_MONITORS)
        {
          g_clear_object (&monitor);
          g_free (path);
          continue;
        }
      g_signal_connect_object (monitor, "changed", G_CALLBACK (changed_cb), self,
                               G_CONNECT_SWAPPED);
      g_hash_table_insert (self->monitors, path, monitor);
    }
  if (self->to_watch->len > 0)
    return G_SOURCE_CONTINUE;
  self->watch_id = 0;
  /* What has happened since the folders were looked through. */
  _hearth_library_look (self, FALSE);
  return G_SOURCE_REMOVE;
}

void
_hearth_library_watch (HearthLibrary *self, const char *const *folders)
{
  g_autoptr (GHashTable) wanted = g_hash_table_new (g_str_hash, g_str_equal);
  GHashTableIter iter;
  gpointer path;

  g_ptr_array_set_size (self->to_watch, 0);
  for (const char *const *folder = folders; *folder != NULL; folder++)
    {
      if (g_hash_table_add (wanted, (gpointer) *folder) &&
          !g_hash_table_contains (self->monitors, *folder))
        g_ptr_array_add (self->to_watch, g_strdup (*folder));
    }
  g_hash_table_iter_init (&iter, self->monitors);
  while (g_hash_table_iter_next (&iter, &path, NULL))
    {
      if (!g_hash_table_contains (wanted, path))
        g_hash_table_iter_remove (&iter);
    }
  if (self->watch_id == 0 && self->to_watch->len > 0)
    self->watch_id = g_idle_add_full (G_PRIORITY_LOW, watch_some_cb, self, NULL);
}

void
_hearth_library_stop_watching (HearthLibrary *self)
{
  g_clear_handle_id (&self->watch_id, g_source_remove);
  g_clear_handle_id (&self->check_id, g_source_remove);
  g_clear_handle_id (&self->growth_id, g_source_remove);
  g_clear_handle_id (&self->rescan_id, g_source_remove);
  g_hash_table_remove_all (self->monitors);
  g_hash_table_remove_all (self->growing);
}
