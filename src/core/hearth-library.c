/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-library.h"

/* More would be a history, not a list to choose from. */
#define MAX_REMEMBERED 12

struct _HearthLibrary
{
  GObject parent_instance;

  HearthSettings *settings;
  GPtrArray *files; /* of HearthModelFile */
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

static void
save (HearthLibrary *self)
{
  g_autoptr (GStrvBuilder) paths = g_strv_builder_new ();
  g_auto (GStrv) list = NULL;

  for (guint i = 0; i < self->files->len; i++)
    g_strv_builder_add (paths, hearth_model_file_get_path (self->files->pdata[i]));
  list = g_strv_builder_end (paths);
  hearth_settings_set_recent_models (self->settings, (const char *const *) list);
}

static void
remove_at (HearthLibrary *self, guint position)
{
  g_ptr_array_remove_index (self->files, position);
  g_list_model_items_changed (G_LIST_MODEL (self), position, 1, 0);
}

static void
remembered_read_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HearthLibrary) self = user_data;
  g_autoptr (GError) error = NULL;
  guint position;

  if (hearth_model_file_load_finish (HEARTH_MODEL_FILE (source), result, &error))
    return;
  g_debug ("not in the library any more: %s", error->message);
  if (g_ptr_array_find (self->files, source, &position))
    remove_at (self, position);
}

static void
hearth_library_dispose (GObject *object)
{
  HearthLibrary *self = HEARTH_LIBRARY (object);

  g_clear_object (&self->settings);
  G_OBJECT_CLASS (hearth_library_parent_class)->dispose (object);
}

static void
hearth_library_finalize (GObject *object)
{
  g_ptr_array_unref (HEARTH_LIBRARY (object)->files);
  G_OBJECT_CLASS (hearth_library_parent_class)->finalize (object);
}

static void
hearth_library_class_init (HearthLibraryClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hearth_library_dispose;
  G_OBJECT_CLASS (klass)->finalize = hearth_library_finalize;
}

static void
hearth_library_init (HearthLibrary *self)
{
  self->files = g_ptr_array_new_with_free_func (g_object_unref);
}

HearthLibrary *
hearth_library_new (HearthSettings *settings)
{
  HearthLibrary *self = g_object_new (HEARTH_TYPE_LIBRARY, NULL);
  g_auto (GStrv) paths = hearth_settings_dup_recent_models (settings);

  self->settings = g_object_ref (settings);
  for (char **path = paths; *path != NULL && self->files->len < MAX_REMEMBERED; path++)
    {
      HearthModelFile *file = hearth_model_file_new (*path);

      g_ptr_array_add (self->files, file);
      hearth_model_file_load_async (file, hearth_settings_get_context_length (settings),
                                    hearth_settings_get_threads (settings), NULL,
                                    remembered_read_cb, g_object_ref (self));
    }
  return self;
}

HearthModelFile *
hearth_library_ref_file (HearthLibrary *self, const char *path)
{
  g_autofree char *canonical = NULL;

  g_return_val_if_fail (HEARTH_IS_LIBRARY (self), NULL);

  canonical = g_canonicalize_filename (path, NULL);
  for (guint i = 0; i < self->files->len; i++)
    {
      HearthModelFile *file = self->files->pdata[i];

      if (g_str_equal (hearth_model_file_get_path (file), canonical))
        return g_object_ref (file);
    }
  return hearth_model_file_new (canonical);
}

void
hearth_library_remember (HearthLibrary *self, HearthModelFile *file)
{
  guint position;

  g_return_if_fail (HEARTH_IS_LIBRARY (self));
  g_return_if_fail (HEARTH_IS_MODEL_FILE (file));

  if (g_ptr_array_find (self->files, file, &position))
    {
      if (position == 0)
        return;
      g_object_ref (file);
      remove_at (self, position);
    }
  else
    g_object_ref (file);
  g_ptr_array_insert (self->files, 0, file);
  g_list_model_items_changed (G_LIST_MODEL (self), 0, 0, 1);
  while (self->files->len > MAX_REMEMBERED)
    remove_at (self, self->files->len - 1);
  save (self);
}
