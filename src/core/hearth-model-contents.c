/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-model-contents.h"

#include <ember/gguf.h>

#include "hearth-gguf.h"
#include "hearth-metadata-key.h"
#include "hearth-tensor.h"

#define MAX_NAME_BYTES 200
/* A table of more is made by somebody who means harm: it is shown up to here. */
#define MAX_ROWS 1000000

struct _HearthModelContents
{
  GObject parent_instance;

  GListStore *keys;
  GListStore *tensors;
  GStrv files;
  HearthModelOrigin *origin;
};

G_DEFINE_FINAL_TYPE (HearthModelContents, hearth_model_contents, G_TYPE_OBJECT)

static char *
dup_shape (const struct ember_gguf_tensor *tensor)
{
  g_autoptr (GString) out = g_string_new (NULL);

  for (guint i = 0; i < tensor->n_dims && i < EMBER_MAX_DIMS; i++)
    g_string_append_printf (out, "%s%" G_GUINT64_FORMAT, i > 0 ? " × " : "", tensor->ne[i]);
  return g_string_free_and_steal (g_steal_pointer (&out));
}

static const char *
intern_type (guint32 type)
{
  const char *name = ember_tensor_type_name (type);
  g_autofree char *text =
    name != NULL ? g_ascii_strup (name, -1) : g_strdup_printf ("%" G_GUINT32_FORMAT, type);

  return g_intern_string (text);
}

static HearthTensor *
create_tensor (HearthGguf *gguf, guint position)
{
  const struct ember_gguf_tensor *tensor = ember_gguf_tensor (hearth_gguf_get (gguf), position);
  HearthTensorFields fields = { .name = hearth_gguf_dup_line (&tensor->name, MAX_NAME_BYTES),
                                .type = intern_type (tensor->type),
                                .shape = dup_shape (tensor),
                                .n_elements = tensor->n_elements,
                                .n_bytes = tensor->n_bytes,
                                .file_offset = tensor->file_offset,
                                .row_length = tensor->ne[0],
                                .position = position,
                                .part = tensor->part };

  return hearth_tensor_new_take (gguf, &fields);
}

/* Nobody listens to the lists yet, so that they may be filled here and handed over; the task keeps
 * nothing of what has been taken. What nobody takes has never been on another thread. */
static void
read_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  GError *error = NULL;
  g_autoptr (HearthGguf) gguf = hearth_gguf_open (task_data, &error);
  g_autoptr (GPtrArray) rows = NULL;
  HearthModelContents *self;
  const struct ember_gguf_info *info;

  if (gguf == NULL)
    {
      g_task_return_error (task, error);
      return;
    }
  self = g_object_new (HEARTH_TYPE_MODEL_CONTENTS, NULL);
  info = ember_gguf_info (hearth_gguf_get (gguf));
  self->files = g_new0 (char *, ember_gguf_n_parts (hearth_gguf_get (gguf)) + 1);
  for (guint i = 0; i < ember_gguf_n_parts (hearth_gguf_get (gguf)); i++)
    self->files[i] = g_strdup (ember_gguf_part_file (hearth_gguf_get (gguf), i));
  self->origin = hearth_model_origin_new (gguf);
  rows = g_ptr_array_new_with_free_func (g_object_unref);
  for (guint64 i = 0; i < info->n_keys && i < MAX_ROWS; i++)
    g_ptr_array_add (rows, hearth_metadata_key_new (gguf, i));
  g_list_store_splice (self->keys, 0, 0, rows->pdata, rows->len);
  g_ptr_array_set_size (rows, 0);
  for (guint64 i = 0; i < info->n_tensors && i < MAX_ROWS; i++)
    g_ptr_array_add (rows, create_tensor (gguf, (guint) i));
  g_list_store_splice (self->tensors, 0, 0, rows->pdata, rows->len);
  g_task_return_pointer (task, self, g_object_unref);
}

static void
hearth_model_contents_dispose (GObject *object)
{
  HearthModelContents *self = HEARTH_MODEL_CONTENTS (object);

  g_clear_object (&self->keys);
  g_clear_object (&self->tensors);
  g_clear_pointer (&self->files, g_strfreev);
  G_OBJECT_CLASS (hearth_model_contents_parent_class)->dispose (object);
}

static void
hearth_model_contents_finalize (GObject *object)
{
  hearth_model_origin_free (HEARTH_MODEL_CONTENTS (object)->origin);
  G_OBJECT_CLASS (hearth_model_contents_parent_class)->finalize (object);
}

static void
hearth_model_contents_class_init (HearthModelContentsClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = hearth_model_contents_finalize;
  G_OBJECT_CLASS (klass)->dispose = hearth_model_contents_dispose;
}

static void
hearth_model_contents_init (HearthModelContents *self)
{
  self->keys = g_list_store_new (HEARTH_TYPE_METADATA_KEY);
  self->tensors = g_list_store_new (HEARTH_TYPE_TENSOR);
}

void
hearth_model_contents_read_async (const char *path, GCancellable *cancellable,
                                  GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);

  g_task_set_source_tag (task, hearth_model_contents_read_async);
  g_task_set_task_data (task, g_strdup (path), g_free);
  g_task_run_in_thread (task, read_in_thread);
}

HearthModelContents *
hearth_model_contents_read_finish (GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, NULL), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}

GListModel *
hearth_model_contents_get_keys (HearthModelContents *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_CONTENTS (self), NULL);

  return G_LIST_MODEL (self->keys);
}

GListModel *
hearth_model_contents_get_tensors (HearthModelContents *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_CONTENTS (self), NULL);

  return G_LIST_MODEL (self->tensors);
}

const char *const *
hearth_model_contents_get_files (HearthModelContents *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_CONTENTS (self), NULL);

  return (const char *const *) self->files;
}

const HearthModelOrigin *
hearth_model_contents_get_origin (HearthModelContents *self)
{
  g_return_val_if_fail (HEARTH_IS_MODEL_CONTENTS (self), NULL);

  return self->origin;
}
