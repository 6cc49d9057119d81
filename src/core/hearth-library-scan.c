/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Looking for files, on another thread, and taking what it finds. */
#define _DEFAULT_SOURCE /* realpath */
#include "hearth-library-private.h"

#include <stdlib.h>

#include "hearth-library-walk.h"

/* Files that are told at once: few enough that the main thread takes them between two frames. */
#define GROUP_SIZE 64

struct scan
{
  GStrv opened;
  GStrv folders;
  GStrv environment;
  HearthLibraryLink *link;
  GCancellable *cancellable;
  GPtrArray *group; /* of HearthFoundModel */
};

/* On its way to the main thread. */
struct find
{
  GPtrArray *group;
  HearthLibraryLink *link;
  GCancellable *cancellable;
};

static void
scan_free (gpointer data)
{
  struct scan *scan = data;

  g_strfreev (scan->opened);
  g_strfreev (scan->folders);
  g_strfreev (scan->environment);
  _hearth_library_link_unref (scan->link);
  g_clear_object (&scan->cancellable);
  g_clear_pointer (&scan->group, g_ptr_array_unref);
  g_free (scan);
}

static void
find_free (gpointer data)
{
  struct find *find = data;

  g_ptr_array_unref (find->group);
  _hearth_library_link_unref (find->link);
  g_clear_object (&find->cancellable);
  g_free (find);
}

static void take_found (HearthLibrary *self, GPtrArray *group);

static gboolean
found_cb (gpointer data)
{
  struct find *find = data;

  if (find->link->library != NULL && !g_cancellable_is_cancelled (find->cancellable))
    take_found (find->link->library, find->group);
  return G_SOURCE_REMOVE;
}

static GPtrArray *
new_group (void)
{
  return g_ptr_array_new_with_free_func ((GDestroyNotify) hearth_found_model_free);
}

static void
send_group (struct scan *scan)
{
  struct find *find;

  if (scan->group->len == 0)
    return;
  find = g_new0 (struct find, 1);
  find->group = g_steal_pointer (&scan->group);
  find->link = _hearth_library_link_ref (scan->link);
  find->cancellable = g_object_ref (scan->cancellable);
  scan->group = new_group ();
  g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, found_cb, find, find_free);
}

static void
tell (struct library_walk *walk, HearthFoundModel *found)
{
  struct scan *scan = walk->data;

  g_ptr_array_add (scan->group, found);
  if (scan->group->len >= GROUP_SIZE)
    send_group (scan);
}

/* Folders of other programs that are there, as the file system calls them. */
static GPtrArray *
list_real_roots (GPtrArray *roots)
{
  GPtrArray *real = g_ptr_array_new_with_free_func ((GDestroyNotify) hearth_model_root_free);

  for (guint i = 0; i < roots->len; i++)
    {
      const HearthModelRoot *root = roots->pdata[i];
      char *path = realpath (root->path, NULL);

      if (path != NULL)
        g_ptr_array_add (real, hearth_model_root_new (root->program, path));
      free (path);
    }
  return real;
}

static void
scan_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  struct scan *scan = task_data;
  g_autoptr (GPtrArray) roots =
    scan->environment != NULL
      ? hearth_model_programs_list_roots (scan->environment)
      : g_ptr_array_new_with_free_func ((GDestroyNotify) hearth_model_root_free);
  g_autoptr (GPtrArray) real = list_real_roots (roots);
  g_autoptr (GHashTable) told = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  GPtrArray *folders = g_ptr_array_new_with_free_func (g_free);
  struct library_walk walk = {
    .environment = scan->environment,
    .roots = real,
    .told = told,
    .folders = folders,
    .cancellable = cancellable,
    .tell = tell,
    .data = scan,
  };

  for (char **path = scan->opened; path != NULL && *path != NULL; path++)
    _hearth_library_walk_file (&walk, HEARTH_PROGRAM_OPENED, *path, NULL, NULL, NULL);
  send_group (scan);
  for (char **path = scan->folders; path != NULL && *path != NULL; path++)
    _hearth_library_walk_folder (&walk, HEARTH_PROGRAM_FOLDER, *path, FALSE);
  for (guint i = 0; i < roots->len; i++)
    {
      const HearthModelRoot *root = roots->pdata[i];

      if (root->program == HEARTH_PROGRAM_OLLAMA)
        _hearth_library_read_ollama (&walk, root->path);
      else
        _hearth_library_walk_folder (&walk, root->program, root->path, TRUE);
    }
  send_group (scan);
  g_ptr_array_add (folders, NULL);
  g_task_return_pointer (task, g_ptr_array_free (folders, FALSE), (GDestroyNotify) g_strfreev);
}

/* ---- taking it -------------------------------------------------------------------------- */

static char *
dup_meeting (const HearthModelPlace *place)
{
  return g_strdup_printf ("%d %s", (int) place->program, place->path);
}

/* The file object that is reached from this place: known by its path, or by another that leads to
 * the same file; else a new one, which is put into `fresh`. */
static HearthModelFile *
file_of (HearthLibrary *self, const HearthFoundModel *found, GPtrArray *fresh)
{
  HearthModelFile *file = g_hash_table_lookup (self->by_path, found->place.path);
  HearthModelFile *same = _hearth_library_find_same (self, &found->facts);
  HearthModelFile *made;

  if (file != NULL && (same == NULL || same == file))
    {
      _hearth_library_update_facts (self, file, &found->facts);
      return file;
    }
  if (file != NULL)
    {
      /* The path has become one more of another file. */
      for (guint i = hearth_model_file_get_n_places (file); i > 0; i--)
        {
          if (g_str_equal (hearth_model_file_get_place (file, i - 1)->path, found->place.path))
            _hearth_library_lose_place (self, file, i - 1, FALSE);
        }
    }
  if (same != NULL)
    {
      _hearth_library_update_facts (self, same, &found->facts);
      return same;
    }
  made = hearth_model_file_new (found->place.path);
  _hearth_model_file_set_facts (made, &found->facts);
  _hearth_library_index_facts (self, made, &found->facts);
  g_ptr_array_add (fresh, made);
  return made;
}

/* Somebody has taken it from the list since the look began. */
static gboolean
is_forgotten (HearthLibrary *self, const HearthModelPlace *place)
{
  HearthModelFile *file;

  if (place->program != HEARTH_PROGRAM_OPENED)
    return FALSE;
  file = g_hash_table_lookup (self->by_path, place->path);
  return file == NULL || hearth_model_file_get_used (file) == 0;
}

static void
take_found (HearthLibrary *self, GPtrArray *group)
{
  g_autoptr (GPtrArray) fresh = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < group->len; i++)
    {
      const HearthFoundModel *found = group->pdata[i];
      HearthModelFile *file;

      if (is_forgotten (self, &found->place))
        continue;
      file = file_of (self, found, fresh);
      g_hash_table_add (self->met, dup_meeting (&found->place));
      _hearth_model_file_add_place (file, &found->place);
      _hearth_library_index (self, file, found->place.path);
      /* It may have been listed before, under a name that does not say what it is for. */
      if (found->place.program == HEARTH_PROGRAM_OLLAMA)
        _hearth_library_set_role (self, file, found->facts.role);
      if (found->parent != NULL)
        _hearth_model_file_set_parent_path (file, found->parent);
    }
  _hearth_library_append (self, fresh);
  for (guint i = 0; i < fresh->len; i++)
    _hearth_library_read (self, fresh->pdata[i]);
  _hearth_library_read_next (self);
}

/* A file is listed under the path that it was found by first; without that one it is listed anew.
 */
static void
list_anew (HearthLibrary *self, HearthModelFile *file)
{
  g_autoptr (GPtrArray) fresh = g_ptr_array_new_with_free_func (g_object_unref);
  HearthModelFile *made = hearth_model_file_new (hearth_model_file_get_place (file, 0)->path);
  HearthModelFacts facts = *hearth_model_file_get_facts (file);

  g_ptr_array_add (fresh, made);
  for (guint i = 0; i < hearth_model_file_get_n_places (file); i++)
    _hearth_model_file_add_place (made, hearth_model_file_get_place (file, i));
  _hearth_model_file_set_parent_path (made, _hearth_model_file_get_parent_path (file));
  _hearth_model_file_set_facts (made, &facts);
  _hearth_library_remove (self, file);
  _hearth_library_index_facts (self, made, &facts);
  for (guint i = 0; i < hearth_model_file_get_n_places (made); i++)
    _hearth_library_index (self, made, hearth_model_file_get_place (made, i)->path);
  _hearth_library_append (self, fresh);
  _hearth_library_read (self, made);
  _hearth_library_read_next (self);
}

static gboolean
has_path (HearthModelFile *file, const char *path)
{
  for (guint i = 0; i < hearth_model_file_get_n_places (file); i++)
    {
      if (g_str_equal (hearth_model_file_get_place (file, i)->path, path))
        return TRUE;
    }
  return FALSE;
}

void
_hearth_library_lose_place (HearthLibrary *self, HearthModelFile *file, guint position,
                            gboolean keep)
{
  g_autofree char *path = NULL;

  if (hearth_model_file_get_n_places (file) <= 1)
    {
      if (keep)
        {
          _hearth_model_file_set_presence (file, HEARTH_MODEL_PRESENCE_GONE);
          _hearth_library_forget_facts (self, file);
          _hearth_library_files_changed (self);
        }
      else
        _hearth_library_remove (self, file);
      return;
    }
  path = g_strdup (hearth_model_file_get_place (file, position)->path);
  _hearth_model_file_remove_place (file, position);
  if (has_path (file, path))
    return; /* of two programs, one has let go of it */
  g_hash_table_remove (self->by_path, path);
  if (g_str_equal (path, hearth_model_file_get_path (file)))
    list_anew (self, file);
}

/* Places that the scan has not met are no longer there. */
static void
drop_places (HearthLibrary *self, gboolean forgets)
{
  g_autoptr (GPtrArray) files = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < self->files->len; i++)
    g_ptr_array_add (files, g_object_ref (self->files->pdata[i]));
  for (guint i = 0; i < files->len; i++)
    {
      HearthModelFile *file = files->pdata[i];

      for (guint j = hearth_model_file_get_n_places (file); j > 0; j--)
        {
          const HearthModelPlace *place = hearth_model_file_get_place (file, j - 1);
          g_autofree char *meeting = dup_meeting (place);

          if (g_hash_table_contains (self->met, meeting))
            continue;
          _hearth_library_lose_place (self, file, j - 1, !forgets);
          if (g_hash_table_lookup (self->by_path, hearth_model_file_get_path (file)) != file)
            break; /* it has left the list */
        }
      /* One that was remembered, and was never there. */
      if (hearth_model_file_get_n_places (file) == 0 && forgets)
        _hearth_library_remove (self, file);
    }
}

static void
scanned_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  struct scan *scan = g_task_get_task_data (G_TASK (result));
  g_auto (GStrv) folders = g_task_propagate_pointer (G_TASK (result), NULL);
  g_autoptr (HearthLibrary) self = NULL;

  if (folders == NULL || scan->link->library == NULL)
    return; /* another scan has begun, or the program ends */
  self = g_object_ref (scan->link->library);
  g_clear_object (&self->scanning);
  drop_places (self, self->forgets);
  g_hash_table_remove_all (self->met);
  _hearth_library_watch (self, (const char *const *) folders);
  _hearth_library_pair_soon (self);
  if (self->scan_again)
    _hearth_library_look (self, self->forgets_again);
  else
    _hearth_library_scanning_changed (self);
}

static GStrv
list_opened (HearthLibrary *self)
{
  g_autoptr (GStrvBuilder) paths = g_strv_builder_new ();

  for (guint i = 0; i < self->n_remembered; i++)
    g_strv_builder_add (paths, hearth_model_file_get_path (self->files->pdata[i]));
  return g_strv_builder_end (paths);
}

void
_hearth_library_look (HearthLibrary *self, gboolean forgets)
{
  g_autoptr (GTask) task = NULL;
  struct scan *scan;

  /* What happens while it looks is seen by the next look; another choice of folders cannot wait. */
  if (self->scanning != NULL && !forgets)
    {
      self->scan_again = TRUE;
      return;
    }
  if (self->scanning != NULL)
    g_cancellable_cancel (self->scanning);
  g_clear_object (&self->scanning);
  self->scanning = g_cancellable_new ();
  self->scan_again = FALSE;
  self->forgets = forgets;
  self->forgets_again = FALSE;
  g_hash_table_remove_all (self->met);
  scan = g_new0 (struct scan, 1);
  scan->opened = list_opened (self);
  scan->folders = hearth_settings_dup_model_folders (self->settings);
  scan->environment = g_strdupv (self->environment);
  scan->link = _hearth_library_link_ref (self->link);
  scan->cancellable = g_object_ref (self->scanning);
  scan->group = new_group ();
  task = g_task_new (NULL, scan->cancellable, scanned_cb, NULL);
  g_task_set_source_tag (task, _hearth_library_look);
  /* Found files come at idle priority: the end must not overtake them. */
  g_task_set_priority (task, G_PRIORITY_DEFAULT_IDLE);
  g_task_set_task_data (task, scan, scan_free);
  g_task_run_in_thread (task, scan_in_thread);
  _hearth_library_scanning_changed (self);
}
