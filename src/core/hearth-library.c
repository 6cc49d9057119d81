/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-library.h"

#include "hearth-library-scan.h"

/* More would be a history, not a list to choose from. */
#define MAX_REMEMBERED 12
/* Headers that are read at the same time: what somebody opens meanwhile need not wait. */
#define MAX_READING 2

struct _HearthLibrary
{
  GObject parent_instance;

  HearthSettings *settings;
  GPtrArray *files; /* of HearthModelFile: `n_remembered` that were opened, then the folders' */
  guint n_remembered;
  GHashTable *by_path; /* path → HearthModelFile in `files`, nothing owned */
  GHashTable *missed;  /* paths of folder files that the present scan has not met */
  GQueue unread;       /* of HearthModelFile */
  guint n_reading;
  GCancellable *scanning;
  char *loaded_path;
};

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

static void
insert_at (HearthLibrary *self, guint position, HearthModelFile *file)
{
  const char *path = hearth_model_file_get_path (file);

  g_ptr_array_insert (self->files, (int) position, g_object_ref (file));
  g_hash_table_insert (self->by_path, (gpointer) path, file);
  hearth_model_file_set_loaded (file, g_strcmp0 (path, self->loaded_path) == 0);
  g_list_model_items_changed (G_LIST_MODEL (self), position, 0, 1);
}

static void
remove_at (HearthLibrary *self, guint position)
{
  g_autoptr (HearthModelFile) file = g_object_ref (self->files->pdata[position]);

  g_hash_table_remove (self->by_path, hearth_model_file_get_path (file));
  g_ptr_array_remove_index (self->files, position);
  if (position < self->n_remembered)
    self->n_remembered--;
  g_list_model_items_changed (G_LIST_MODEL (self), position, 1, 0);
}

/* Where a folder's file belongs: after those that were opened, by name. */
static guint
find_place (HearthLibrary *self, HearthModelFile *file)
{
  const char *name = hearth_model_file_get_base_name (file);
  guint low = self->n_remembered, high = self->files->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;
      const char *other = hearth_model_file_get_base_name (self->files->pdata[middle]);

      if (g_utf8_collate (other, name) < 0)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* ---- reading headers -------------------------------------------------------------------- */

static void read_next (HearthLibrary *self);

static void
header_read_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HearthLibrary) self = user_data;
  g_autoptr (GError) error = NULL;
  guint position;

  self->n_reading--;
  if (!hearth_model_file_load_finish (HEARTH_MODEL_FILE (source), result, &error))
    {
      g_debug ("not read: %s", error->message);
      /* One that was opened is gone or spoilt; one of a folder is shown as what it is. */
      if (g_ptr_array_find (self->files, source, &position) && position < self->n_remembered)
        remove_at (self, position);
    }
  if (self->settings != NULL)
    read_next (self);
}

static void
read_next (HearthLibrary *self)
{
  while (self->n_reading < MAX_READING && !g_queue_is_empty (&self->unread))
    {
      g_autoptr (HearthModelFile) file = g_queue_pop_head (&self->unread);

      if (hearth_model_file_get_state (file) != HEARTH_MODEL_FILE_UNREAD)
        continue; /* somebody has opened it meanwhile */
      self->n_reading++;
      hearth_model_file_load_async (file, hearth_settings_get_context_length (self->settings),
                                    hearth_settings_get_threads (self->settings), NULL,
                                    header_read_cb, g_object_ref (self));
    }
}

/* ---- folders ---------------------------------------------------------------------------- */

static void
found_cb (const char *path, gpointer object)
{
  HearthLibrary *self = object;
  g_autoptr (HearthModelFile) file = NULL;

  g_hash_table_remove (self->missed, path);
  if (g_hash_table_contains (self->by_path, path))
    return;
  file = hearth_model_file_new (path);
  insert_at (self, find_place (self, file), file);
  g_queue_push_tail (&self->unread, g_object_ref (file));
  read_next (self);
}

static void
scanned_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  HearthLibrary *self = HEARTH_LIBRARY (source);

  if (!hearth_library_scan_finish (result, NULL) || self->settings == NULL)
    return; /* another scan has begun, or the program ends */
  g_clear_object (&self->scanning);
  for (guint i = self->files->len; i > self->n_remembered; i--)
    {
      HearthModelFile *file = self->files->pdata[i - 1];

      if (g_hash_table_contains (self->missed, hearth_model_file_get_path (file)))
        remove_at (self, i - 1);
    }
  g_hash_table_remove_all (self->missed);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SCANNING]);
}

void
hearth_library_scan (HearthLibrary *self)
{
  g_auto (GStrv) folders = NULL;

  g_return_if_fail (HEARTH_IS_LIBRARY (self));

  folders = hearth_settings_dup_model_folders (self->settings);
  if (self->scanning != NULL)
    g_cancellable_cancel (self->scanning);
  g_clear_object (&self->scanning);
  self->scanning = g_cancellable_new ();
  for (guint i = self->n_remembered; i < self->files->len; i++)
    g_hash_table_add (self->missed, g_strdup (hearth_model_file_get_path (self->files->pdata[i])));
  hearth_library_scan_async ((const char *const *) folders, self->scanning, found_cb, scanned_cb,
                             G_OBJECT (self));
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
  g_queue_clear_full (&self->unread, g_object_unref);
  g_clear_object (&self->settings);
  G_OBJECT_CLASS (hearth_library_parent_class)->dispose (object);
}

static void
hearth_library_finalize (GObject *object)
{
  HearthLibrary *self = HEARTH_LIBRARY (object);

  g_hash_table_unref (self->by_path);
  g_hash_table_unref (self->missed);
  g_ptr_array_unref (self->files);
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
}

static void
hearth_library_init (HearthLibrary *self)
{
  self->files = g_ptr_array_new_with_free_func (g_object_unref);
  self->by_path = g_hash_table_new (g_str_hash, g_str_equal);
  self->missed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_queue_init (&self->unread);
}

HearthLibrary *
hearth_library_new (HearthSettings *settings)
{
  HearthLibrary *self = g_object_new (HEARTH_TYPE_LIBRARY, NULL);
  g_auto (GStrv) paths = hearth_settings_dup_recent_models (settings);

  self->settings = g_object_ref (settings);
  for (char **path = paths; *path != NULL && self->files->len < MAX_REMEMBERED; path++)
    {
      g_autoptr (HearthModelFile) file = hearth_model_file_new (*path);

      if (g_hash_table_contains (self->by_path, hearth_model_file_get_path (file)))
        continue;
      insert_at (self, self->n_remembered++, file);
      g_queue_push_tail (&self->unread, g_object_ref (file));
    }
  read_next (self);
  g_signal_connect_object (settings, "notify::model-folders", G_CALLBACK (hearth_library_scan),
                           self, G_CONNECT_SWAPPED);
  hearth_library_scan (self);
  return self;
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

void
hearth_library_remember (HearthLibrary *self, HearthModelFile *file)
{
  g_autoptr (HearthModelFile) keep = NULL;
  guint position;

  g_return_if_fail (HEARTH_IS_LIBRARY (self));
  g_return_if_fail (HEARTH_IS_MODEL_FILE (file));

  keep = g_object_ref (file);
  if (g_ptr_array_find (self->files, file, &position))
    {
      if (position == 0 && self->n_remembered > 0)
        return;
      remove_at (self, position);
    }
  self->n_remembered++;
  insert_at (self, 0, file);
  while (self->n_remembered > MAX_REMEMBERED)
    remove_at (self, self->n_remembered - 1);
  save (self);
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
    {
      HearthModelFile *file = self->files->pdata[i];

      hearth_model_file_set_loaded (file, g_strcmp0 (hearth_model_file_get_path (file), path) == 0);
    }
}
