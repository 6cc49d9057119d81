/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-library-private.h"

/* More would be a history, not a list to choose from. */
#define MAX_REMEMBERED 12
/* Whoever sorts and filters does it all again when files have changed. */
#define UPDATE_MS 120
#define MANY_FILES 1000
#define MANY_UPDATE_MS 2500

static GType
library_get_item_type (GListModel *list)
{
  return HEARTH_TYPE_MODEL_FILE;
}

static guint
library_get_n_items (GListModel *list)
{
  return HEARTH_LIBRARY (list)->files->len;
}

static gpointer
library_get_item (GListModel *list, guint position)
{
  HearthLibrary *self = HEARTH_LIBRARY (list);

  return position < self->files->len ? g_object_ref (self->files->pdata[position]) : NULL;
}

static void
list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = library_get_item_type;
  iface->get_n_items = library_get_n_items;
  iface->get_item = library_get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (HearthLibrary, hearth_library, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

enum
{
  PROP_0,
  PROP_SCANNING,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

enum
{
  UPDATED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

/* ---- links ------------------------------------------------------------------------------ */

HearthLibraryLink *
_hearth_library_link_ref (HearthLibraryLink *link)
{
  return g_atomic_rc_box_acquire (link);
}

void
_hearth_library_link_unref (HearthLibraryLink *link)
{
  g_atomic_rc_box_release (link);
}

/* ---- the list --------------------------------------------------------------------------- */

static void
save (HearthLibrary *self)
{
  g_autoptr (GStrvBuilder) paths = g_strv_builder_new ();
  g_auto (GStrv) list = NULL;

  for (guint i = 0; i < self->n_remembered; i++)
    g_strv_builder_add (paths, hearth_model_file_get_path (self->files->pdata[i]));
  list = g_strv_builder_end (paths);
  hearth_settings_set_recent_models (self->settings, (const char *const *) list);
}

static char *
dup_inode (const HearthModelFacts *facts)
{
  return g_strdup_printf ("%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT, facts->device, facts->inode);
}

void
_hearth_library_index (HearthLibrary *self, HearthModelFile *file, const char *path)
{
  g_hash_table_insert (self->by_path, g_strdup (path), file);
}

void
_hearth_library_forget_facts (HearthLibrary *self, HearthModelFile *file)
{
  g_autofree char *inode = dup_inode (hearth_model_file_get_facts (file));

  if (g_hash_table_lookup (self->by_inode, inode) == file)
    g_hash_table_remove (self->by_inode, inode);
}

void
_hearth_library_index_facts (HearthLibrary *self, HearthModelFile *file,
                             const HearthModelFacts *facts)
{
  _hearth_library_forget_facts (self, file);
  if (facts->inode != 0)
    g_hash_table_insert (self->by_inode, dup_inode (facts), file);
}

HearthModelFile *
_hearth_library_find_same (HearthLibrary *self, const HearthModelFacts *facts)
{
  g_autofree char *inode = dup_inode (facts);
  HearthModelFile *file = g_hash_table_lookup (self->by_inode, inode);
  const HearthModelFacts *known = file != NULL ? hearth_model_file_get_facts (file) : NULL;

  /* The number of a file that is gone is given to the next: with another size or time it may be
   * that one. A link to a file that has just grown is found again at the next look. */
  return known != NULL && known->size == facts->size && known->changed == facts->changed ? file
                                                                                         : NULL;
}

static void
mark_loaded (HearthLibrary *self, HearthModelFile *file)
{
  gboolean loaded = FALSE;

  for (guint i = 0; i < hearth_model_file_get_n_places (file) && !loaded; i++)
    loaded = g_strcmp0 (hearth_model_file_get_place (file, i)->path, self->loaded_path) == 0;
  hearth_model_file_set_loaded (
    file, loaded || g_strcmp0 (hearth_model_file_get_path (file), self->loaded_path) == 0);
}

static void
insert_at (HearthLibrary *self, guint position, HearthModelFile *file)
{
  g_ptr_array_insert (self->files, (int) position, g_object_ref (file));
  _hearth_library_index (self, file, hearth_model_file_get_path (file));
  _hearth_library_index_facts (self, file, hearth_model_file_get_facts (file));
  mark_loaded (self, file);
  g_list_model_items_changed (G_LIST_MODEL (self), position, 0, 1);
}

void
_hearth_library_append (HearthLibrary *self, GPtrArray *files)
{
  guint before = self->files->len;

  for (guint i = 0; i < files->len; i++)
    {
      g_ptr_array_add (self->files, g_object_ref (files->pdata[i]));
      mark_loaded (self, files->pdata[i]);
    }
  if (files->len > 0)
    g_list_model_items_changed (G_LIST_MODEL (self), before, 0, files->len);
}

static void
remove_at (HearthLibrary *self, guint position)
{
  g_autoptr (HearthModelFile) file = g_object_ref (self->files->pdata[position]);

  g_hash_table_remove (self->by_path, hearth_model_file_get_path (file));
  for (guint i = 0; i < hearth_model_file_get_n_places (file); i++)
    {
      const char *path = hearth_model_file_get_place (file, i)->path;

      if (g_hash_table_lookup (self->by_path, path) == file)
        g_hash_table_remove (self->by_path, path);
    }
  _hearth_library_forget_facts (self, file);
  _hearth_library_forget_growth (self, file);
  g_ptr_array_remove_index (self->files, position);
  if (position < self->n_remembered)
    self->n_remembered--;
  g_list_model_items_changed (G_LIST_MODEL (self), position, 1, 0);
}

void
_hearth_library_remove (HearthLibrary *self, HearthModelFile *file)
{
  guint position;

  if (g_ptr_array_find (self->files, file, &position))
    remove_at (self, position);
}

static gboolean
updated_cb (gpointer data)
{
  HearthLibrary *self = data;

  self->updated_id = 0;
  g_signal_emit (self, signals[UPDATED], 0);
  return G_SOURCE_REMOVE;
}

void
_hearth_library_files_changed (HearthLibrary *self)
{
  if (self->updated_id == 0)
    self->updated_id =
      g_timeout_add (self->files->len > MANY_FILES ? MANY_UPDATE_MS : UPDATE_MS, updated_cb, self);
}

void
_hearth_library_scanning_changed (HearthLibrary *self)
{
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SCANNING]);
}

/* ---- the object ------------------------------------------------------------------------- */

static void
hearth_library_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_SCANNING)
    g_value_set_boolean (value, hearth_library_get_scanning (HEARTH_LIBRARY (object)));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
hearth_library_dispose (GObject *object)
{
  HearthLibrary *self = HEARTH_LIBRARY (object);

  if (self->scanning != NULL)
    g_cancellable_cancel (self->scanning);
  g_clear_object (&self->scanning);
  if (self->link != NULL)
    self->link->library = NULL;
  g_clear_pointer (&self->link, _hearth_library_link_unref);
  g_queue_clear_full (&self->unread, g_object_unref);
  _hearth_library_stop_watching (self);
  g_clear_handle_id (&self->pair_id, g_source_remove);
  g_clear_handle_id (&self->updated_id, g_source_remove);
  g_clear_object (&self->settings);
  G_OBJECT_CLASS (hearth_library_parent_class)->dispose (object);
}

static void
hearth_library_finalize (GObject *object)
{
  HearthLibrary *self = HEARTH_LIBRARY (object);

  g_hash_table_unref (self->by_path);
  g_hash_table_unref (self->by_inode);
  g_hash_table_unref (self->met);
  g_hash_table_unref (self->monitors);
  g_hash_table_unref (self->growing);
  g_hash_table_unref (self->to_check);
  g_ptr_array_unref (self->to_watch);
  g_ptr_array_unref (self->files);
  g_clear_pointer (&self->cache, hearth_header_cache_unref);
  g_strfreev (self->environment);
  g_free (self->loaded_path);
  G_OBJECT_CLASS (hearth_library_parent_class)->finalize (object);
}

static void
hearth_library_class_init (HearthLibraryClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = hearth_library_dispose;
  object_class->finalize = hearth_library_finalize;
  object_class->get_property = hearth_library_get_property;

  properties[PROP_SCANNING] =
    g_param_spec_boolean ("scanning", NULL, NULL, FALSE,
                          G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  signals[UPDATED] = g_signal_new ("updated", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
}

static void
hearth_library_init (HearthLibrary *self)
{
  self->files = g_ptr_array_new_with_free_func (g_object_unref);
  self->by_path = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->by_inode = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->met = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->monitors = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_object_unref);
  self->growing = g_hash_table_new (NULL, NULL);
  self->to_check = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->to_watch = g_ptr_array_new_with_free_func (g_free);
  self->link = g_atomic_rc_box_new0 (HearthLibraryLink);
  self->link->library = self;
  g_queue_init (&self->unread);
}

HearthLibrary *
hearth_library_new_for_environment (HearthSettings *settings, char **environment)
{
  HearthLibrary *self = g_object_new (HEARTH_TYPE_LIBRARY, NULL);
  g_auto (GStrv) paths = hearth_settings_dup_recent_models (settings);
  const char *cache = g_environ_getenv (environment, "XDG_CACHE_HOME");
  g_autofree char *headers =
    g_build_filename (cache != NULL && *cache != '\0' ? cache : g_get_user_cache_dir (), "hearth",
                      "headers.db", NULL);

  self->settings = g_object_ref (settings);
  self->environment = g_strdupv (environment);
  self->cache = hearth_header_cache_new (headers);
  for (char **path = paths; *path != NULL && self->files->len < MAX_REMEMBERED; path++)
    {
      g_autoptr (HearthModelFile) file = hearth_model_file_new (*path);

      if (g_hash_table_contains (self->by_path, hearth_model_file_get_path (file)))
        continue;
      insert_at (self, self->n_remembered++, file);
      _hearth_library_read (self, file);
    }
  /* The first has been used last. */
  self->n_used = self->n_remembered;
  for (guint i = 0; i < self->n_remembered; i++)
    _hearth_model_file_set_used (self->files->pdata[i], self->n_used - i);
  _hearth_library_read_next (self);
  g_signal_connect_object (settings, "notify::model-folders", G_CALLBACK (hearth_library_scan),
                           self, G_CONNECT_SWAPPED);
  hearth_library_scan (self);
  return self;
}

HearthLibrary *
hearth_library_new (HearthSettings *settings)
{
  g_auto (GStrv) environment = g_get_environ ();

  return hearth_library_new_for_environment (settings, environment);
}

HearthModelFile *
hearth_library_ref_file (HearthLibrary *self, const char *path)
{
  g_autofree char *canonical = NULL;
  HearthModelFile *file;

  g_return_val_if_fail (HEARTH_IS_LIBRARY (self), NULL);

  canonical = g_canonicalize_filename (path, NULL);
  file = g_hash_table_lookup (self->by_path, canonical);
  if (file != NULL)
    return g_object_ref (file);
  file = hearth_model_file_new (canonical);
  hearth_model_file_set_loaded (file, g_strcmp0 (canonical, self->loaded_path) == 0);
  return file;
}

/* Puts a file that is in the list, or not yet, among those that were opened. */
static void
put_at (HearthLibrary *self, guint position, HearthModelFile *file)
{
  g_autoptr (HearthModelFile) keep = g_object_ref (file);
  HearthModelPlace place = { .program = HEARTH_PROGRAM_OPENED,
                             .path = (char *) hearth_model_file_get_path (file) };

  _hearth_library_remove (self, file);
  self->n_remembered++;
  insert_at (self, position, file);
  for (guint i = 0; i < hearth_model_file_get_n_places (file); i++)
    _hearth_library_index (self, file, hearth_model_file_get_place (file, i)->path);
  while (self->n_remembered > MAX_REMEMBERED)
    hearth_library_forget (self, self->files->pdata[self->n_remembered - 1]);
  save (self);
  /* A look that has begun does not know that it is to look at this one. */
  if (hearth_model_file_get_n_places (file) == 0)
    _hearth_model_file_add_place (file, &place);
  if (self->scanning != NULL)
    g_hash_table_add (self->met, g_strdup_printf ("%d %s", (int) place.program, place.path));
  _hearth_library_check (self, place.path);
  _hearth_library_files_changed (self);
}

void
hearth_library_remember (HearthLibrary *self, HearthModelFile *file)
{
  g_return_if_fail (HEARTH_IS_LIBRARY (self));
  g_return_if_fail (HEARTH_IS_MODEL_FILE (file));

  _hearth_model_file_set_used (file, ++self->n_used);
  if (self->n_remembered > 0 && self->files->pdata[0] == file)
    return;
  put_at (self, 0, file);
}

void
hearth_library_recall (HearthLibrary *self, HearthModelFile *file, guint used)
{
  HearthModelFile *known;
  guint position = 0;

  g_return_if_fail (HEARTH_IS_LIBRARY (self));
  g_return_if_fail (HEARTH_IS_MODEL_FILE (file));
  g_return_if_fail (used > 0);

  known = g_hash_table_lookup (self->by_path, hearth_model_file_get_path (file));
  if (known != NULL)
    file = known;
  if (hearth_model_file_get_used (file) > 0)
    return;
  while (position < self->n_remembered &&
         hearth_model_file_get_used (self->files->pdata[position]) > used)
    position++;
  if (position >= MAX_REMEMBERED)
    return; /* so many were opened since that it would have left the list by itself */
  _hearth_model_file_set_used (file, used);
  put_at (self, position, file);
  /* What was about to be read, or was being read, when it left the list was not taken. */
  if (hearth_model_file_get_state (file) < HEARTH_MODEL_FILE_READY)
    {
      _hearth_library_read (self, file);
      _hearth_library_read_next (self);
    }
}

void
hearth_library_forget (HearthLibrary *self, HearthModelFile *file)
{
  g_autoptr (HearthModelFile) keep = NULL;
  guint position;

  g_return_if_fail (HEARTH_IS_LIBRARY (self));
  g_return_if_fail (HEARTH_IS_MODEL_FILE (file));

  if (!g_ptr_array_find (self->files, file, &position) || position >= self->n_remembered)
    return;
  keep = g_object_ref (file);
  for (guint i = hearth_model_file_get_n_places (file); i > 0; i--)
    {
      if (hearth_model_file_get_place (file, i - 1)->program == HEARTH_PROGRAM_OPENED)
        _hearth_model_file_remove_place (file, i - 1);
    }
  remove_at (self, position);
  _hearth_model_file_set_used (file, 0);
  /* It is in a folder as well: after those that were opened. */
  if (hearth_model_file_get_n_places (file) > 0)
    {
      insert_at (self, self->n_remembered, file);
      for (guint i = 0; i < hearth_model_file_get_n_places (file); i++)
        _hearth_library_index (self, file, hearth_model_file_get_place (file, i)->path);
    }
  save (self);
}

void
hearth_library_scan (HearthLibrary *self)
{
  g_return_if_fail (HEARTH_IS_LIBRARY (self));

  _hearth_library_look (self, TRUE);
}

void
hearth_library_check (HearthLibrary *self, const char *path)
{
  g_return_if_fail (HEARTH_IS_LIBRARY (self));

  _hearth_library_check (self, path);
}

void
hearth_library_add_folder (HearthLibrary *self, const char *path)
{
  g_auto (GStrv) folders = NULL;
  g_autoptr (GStrvBuilder) more = NULL;
  g_auto (GStrv) list = NULL;
  g_autofree char *canonical = NULL;

  g_return_if_fail (HEARTH_IS_LIBRARY (self));

  canonical = g_canonicalize_filename (path, NULL);
  folders = hearth_settings_dup_model_folders (self->settings);
  if (g_strv_contains ((const char *const *) folders, canonical))
    {
      hearth_library_scan (self);
      return;
    }
  more = g_strv_builder_new ();
  g_strv_builder_addv (more, (const char **) folders);
  g_strv_builder_add (more, canonical);
  list = g_strv_builder_end (more);
  hearth_settings_set_model_folders (self->settings, (const char *const *) list);
}

gboolean
hearth_library_get_scanning (HearthLibrary *self)
{
  g_return_val_if_fail (HEARTH_IS_LIBRARY (self), FALSE);

  return self->scanning != NULL;
}

void
hearth_library_set_loaded (HearthLibrary *self, const char *path)
{
  g_return_if_fail (HEARTH_IS_LIBRARY (self));

  if (!g_set_str (&self->loaded_path, path))
    return;
  for (guint i = 0; i < self->files->len; i++)
    mark_loaded (self, self->files->pdata[i]);
}
