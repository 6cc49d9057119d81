/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-model-edit.h"

#include <string.h>

#include <ember/writer.h>

#include "hearth-error.h"
#include "hearth-key-words.h"
#include "hearth-model-edit-save.h"

#define PROGRESS_MS 100

struct _HearthModelEdit
{
  GObject parent_instance;

  char *path;
  GPtrArray *keys; /* of HearthEditKey, in the order of the file, then those that were added */
  char *architecture;
  HearthEditSave *saving; /* NULL: nothing is being written */
  guint progress_id;
};

static GType
model_edit_get_item_type (GListModel *list)
{
  return HEARTH_TYPE_EDIT_KEY;
}

static guint
model_edit_get_n_items (GListModel *list)
{
  return HEARTH_MODEL_EDIT (list)->keys->len;
}

static gpointer
model_edit_get_item (GListModel *list, guint position)
{
  HearthModelEdit *self = HEARTH_MODEL_EDIT (list);

  return position < self->keys->len ? g_object_ref (self->keys->pdata[position]) : NULL;
}

static void
list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = model_edit_get_item_type;
  iface->get_n_items = model_edit_get_n_items;
  iface->get_item = model_edit_get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (HearthModelEdit, hearth_model_edit, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

enum
{
  PROP_0,
  PROP_N_CHANGES,
  PROP_PROGRESS,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static const char *const types[] = { "str",      "bool",     "u8",       "i8",        "u16",
                                     "i16",      "u32",      "i32",      "u64",       "i64",
                                     "f32",      "f64",      "arr[str]", "arr[bool]", "arr[u8]",
                                     "arr[i8]",  "arr[u16]", "arr[i16]", "arr[u32]",  "arr[i32]",
                                     "arr[u64]", "arr[i64]", "arr[f32]", "arr[f64]",  NULL };

static void
changed (HearthModelEdit *self)
{
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_N_CHANGES]);
}

static void
hearth_model_edit_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  HearthModelEdit *self = HEARTH_MODEL_EDIT (object);

  switch (id)
    {
    case PROP_N_CHANGES:
      g_value_set_uint (value, hearth_model_edit_get_n_changes (self));
      break;
    case PROP_PROGRESS:
      g_value_set_double (value, hearth_model_edit_get_progress (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
hearth_model_edit_finalize (GObject *object)
{
  HearthModelEdit *self = HEARTH_MODEL_EDIT (object);

  g_clear_handle_id (&self->progress_id, g_source_remove);
  g_free (self->path);
  g_free (self->architecture);
  g_ptr_array_unref (self->keys);
  G_OBJECT_CLASS (hearth_model_edit_parent_class)->finalize (object);
}

static void
hearth_model_edit_class_init (HearthModelEditClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->finalize = hearth_model_edit_finalize;
  object_class->get_property = hearth_model_edit_get_property;

  properties[PROP_N_CHANGES] = g_param_spec_uint ("n-changes", NULL, NULL, 0, G_MAXUINT, 0, flags);
  properties[PROP_PROGRESS] = g_param_spec_double ("progress", NULL, NULL, 0, 1, 0, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
hearth_model_edit_init (HearthModelEdit *self)
{
  self->keys = g_ptr_array_new_with_free_func (g_object_unref);
}

HearthModelEdit *
hearth_model_edit_new (const char *path, GListModel *keys)
{
  HearthModelEdit *self = g_object_new (HEARTH_TYPE_MODEL_EDIT, NULL);
  guint n = g_list_model_get_n_items (keys);

  self->path = g_strdup (path);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (HearthMetadataKey) key = g_list_model_get_item (keys, i);
      const char *name = hearth_metadata_key_get_name (key);
      const struct ember_gguf *gguf = hearth_gguf_get (hearth_metadata_key_get_gguf (key));

      if (g_str_equal (name, "general.architecture"))
        self->architecture = hearth_metadata_key_dup_text (key);
      /* A copy of a split model is one file: what says otherwise is left out by the writer. */
      if (ember_gguf_n_parts (gguf) > 1 && g_str_has_prefix (name, "split."))
        continue;
      g_ptr_array_add (self->keys, hearth_edit_key_new (key));
    }
  return self;
}

const char *
hearth_model_edit_get_path (HearthModelEdit *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_EDIT (self), NULL);

  return self->path;
}

guint
hearth_model_edit_get_n_changes (HearthModelEdit *self)
{
  guint n = 0;

  g_return_val_if_fail (HEARTH_IS_MODEL_EDIT (self), 0);

  for (guint i = 0; i < self->keys->len; i++)
    n += hearth_edit_key_get_change (self->keys->pdata[i]) != HEARTH_EDIT_SAME;
  return n;
}

const char *const *
hearth_model_edit_get_types (void)
{
  return types;
}

/* ---- wishes ----------------------------------------------------------------------------- */

gboolean
hearth_model_edit_is_taken (HearthModelEdit *self, HearthEditKey *key, const char *name)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_EDIT (self), FALSE);

  for (guint i = 0; i < self->keys->len; i++)
    {
      HearthEditKey *other = self->keys->pdata[i];

      if (other != key && hearth_edit_key_get_change (other) != HEARTH_EDIT_REMOVED &&
          g_str_equal (hearth_edit_key_get_name (other), name))
        return TRUE;
    }
  return FALSE;
}

gboolean
hearth_model_edit_check (HearthModelEdit *self, HearthEditKey *key, const char *name,
                         const char *type, const char *text, GError **error)
{
  struct ember_error failure = { 0 };
  struct ember_writer *writer = NULL;
  g_autofree char *assignment = NULL;
  enum ember_status status;

  g_return_val_if_fail (HEARTH_IS_MODEL_EDIT (self), FALSE);

  if (*name == '\0' || strchr (name, '=') != NULL)
    {
      g_set_error_literal (error, HEARTH_ERROR, HEARTH_ERROR_FAILED,
                           "A key has a name, without an equals sign.");
      return FALSE;
    }
  if (hearth_model_edit_is_taken (self, key, name))
    {
      g_set_error (error, HEARTH_ERROR, HEARTH_ERROR_FAILED, "There is a key \"%s\" already.",
                   name);
      return FALSE;
    }
  assignment = g_strdup_printf ("%s=%s:%s", name, type, text != NULL ? text : "");
  status = ember_writer_new (&writer, &failure);
  /* A value of the file fits its type; that the name is one is asked with any value. */
  if (status == EMBER_OK && text == NULL)
    status = ember_writer_set_text (writer, (struct ember_text) { name, strlen (name) },
                                    (struct ember_text) { "", 0 }, &failure);
  else if (status == EMBER_OK)
    status = ember_writer_set (writer, assignment, &failure);
  ember_writer_free (writer);
  if (status != EMBER_OK)
    g_propagate_error (error, hearth_error_from_ember (&failure));
  return status == EMBER_OK;
}

gboolean
hearth_model_edit_apply (HearthModelEdit *self, HearthEditKey *key, const char *name,
                         const char *type, const char *text, GError **error)
{
  g_autoptr (HearthEditKey) fresh = NULL;
  HearthMetadataKey *original;

  if (!hearth_model_edit_check (self, key, name, type, text, error))
    return FALSE;
  if (key == NULL)
    {
      fresh = hearth_edit_key_new (NULL);
      hearth_edit_key_set (fresh, name, type, text);
      g_ptr_array_add (self->keys, g_object_ref (fresh));
      g_list_model_items_changed (G_LIST_MODEL (self), self->keys->len - 1, 0, 1);
    }
  else
    {
      original = hearth_edit_key_get_original (key);
      /* What was written as it is in the file is no change. */
      if (original != NULL && text != NULL && hearth_metadata_key_can_be_written (original) &&
          g_str_equal (type, hearth_metadata_key_get_type_name (original)))
        {
          g_autofree char *before = hearth_metadata_key_dup_written (original);

          if (g_str_equal (text, before))
            text = NULL;
        }
      hearth_edit_key_set (key, name, type, text);
    }
  changed (self);
  return TRUE;
}

void
hearth_model_edit_remove (HearthModelEdit *self, HearthEditKey *key)
{
  guint position;

  g_return_if_fail (HEARTH_IS_MODEL_EDIT (self));
  g_return_if_fail (HEARTH_IS_EDIT_KEY (key));

  if (hearth_edit_key_get_change (key) != HEARTH_EDIT_ADDED)
    {
      hearth_edit_key_reset (key);
      hearth_edit_key_set_removed (key, TRUE);
    }
  else if (g_ptr_array_find (self->keys, key, &position))
    {
      g_ptr_array_remove_index (self->keys, position);
      g_list_model_items_changed (G_LIST_MODEL (self), position, 1, 0);
    }
  changed (self);
}

gboolean
hearth_model_edit_reset (HearthModelEdit *self, HearthEditKey *key)
{
  HearthMetadataKey *original;

  g_return_val_if_fail (HEARTH_IS_MODEL_EDIT (self), FALSE);

  original = hearth_edit_key_get_original (key);
  if (original == NULL)
    hearth_model_edit_remove (self, key);
  else if (hearth_model_edit_is_taken (self, key, hearth_metadata_key_get_name (original)))
    return FALSE;
  else
    hearth_edit_key_reset (key);
  changed (self);
  return TRUE;
}

static const struct ember_gguf_standard_key *
find_standard (HearthModelEdit *self, const char *name)
{
  const char *architecture = self->architecture != NULL ? self->architecture : "";

  return ember_gguf_standard_key ((struct ember_text) { name, strlen (name) },
                                  (struct ember_text) { architecture, strlen (architecture) });
}

char *
hearth_model_edit_dup_standard_type (HearthModelEdit *self, const char *name)
{
  const struct ember_gguf_standard_key *standard;

  g_return_val_if_fail (HEARTH_IS_MODEL_EDIT (self), NULL);

  standard = find_standard (self, name);
  if (standard == NULL)
    return NULL;
  return g_strdup_printf (standard->form == EMBER_KEY_ARRAY ? "arr[%s]" : "%s",
                          ember_gguf_type_name (standard->type));
}

char *
hearth_model_edit_dup_meaning (HearthModelEdit *self, const char *name)
{
  const struct ember_gguf_standard_key *standard;

  g_return_val_if_fail (HEARTH_IS_MODEL_EDIT (self), NULL);

  standard = find_standard (self, name);
  return standard != NULL ? hearth_key_words_dup (name, standard->meaning, standard->unit) : NULL;
}

/* ---- saving ----------------------------------------------------------------------------- */

double
hearth_model_edit_get_progress (HearthModelEdit *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_EDIT (self), 0);

  return self->saving != NULL ? hearth_edit_save_get_progress (self->saving) : 0;
}

static gboolean
progress_cb (gpointer data)
{
  g_object_notify_by_pspec (data, properties[PROP_PROGRESS]);
  return G_SOURCE_CONTINUE;
}

gboolean
hearth_model_edit_is_source (HearthModelEdit *self, const char *path)
{
  HearthMetadataKey *first;

  g_return_val_if_fail (HEARTH_IS_MODEL_EDIT (self), FALSE);

  first = self->keys->len > 0 ? hearth_edit_key_get_original (self->keys->pdata[0]) : NULL;
  return hearth_edit_save_same_file (self->path, path) ||
         (first != NULL && hearth_edit_save_is_part (hearth_metadata_key_get_gguf (first), path));
}

static void
saved_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GTask) task = user_data;
  HearthModelEdit *self = g_task_get_source_object (task);
  GError *error = NULL;

  g_clear_handle_id (&self->progress_id, g_source_remove);
  self->saving = NULL;
  if (g_task_propagate_boolean (G_TASK (result), &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

void
hearth_model_edit_save_async (HearthModelEdit *self, const char *path, GCancellable *cancellable,
                              GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task;

  g_return_if_fail (HEARTH_IS_MODEL_EDIT (self));
  g_return_if_fail (self->saving == NULL);

  task = g_task_new (self, NULL, callback, user_data);
  g_task_set_source_tag (task, hearth_model_edit_save_async);
  self->saving =
    hearth_edit_save_begin (self->path, path, G_LIST_MODEL (self), cancellable, saved_cb, task);
  self->progress_id = g_timeout_add (PROGRESS_MS, progress_cb, self);
}

gboolean
hearth_model_edit_save_finish (HearthModelEdit *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);

  return g_task_propagate_boolean (G_TASK (result), error);
}
