/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-tensor-rows.h"

#include <string.h>

#include <ember/gguf.h>
#include <ember/tensor.h>

#include "hearth-chunk-cache.h"
#include "hearth-error.h"

/* Values decoded at once: whole blocks of any type. */
#define CHUNK ((guint64) 8192)

/* What the reading threads have of the tensor. */
struct values
{
  HearthGguf *gguf;
  guint position;
};

struct _HearthTensorRows
{
  GObject parent_instance;

  HearthTensor *tensor;
  struct values *values; /* counted */
  HearthChunkCache *cache;
};

G_DEFINE_FINAL_TYPE (HearthTensorRows, hearth_tensor_rows, G_TYPE_OBJECT)

static guint changed_signal;

static void
values_clear (gpointer data)
{
  struct values *values = data;

  g_clear_pointer (&values->gguf, hearth_gguf_unref);
}

static void
values_unref (gpointer data)
{
  g_atomic_rc_box_release_full (data, values_clear);
}

/* Elements first … first + n; `first` is a multiple of CHUNK, or of the block's length. */
static float *
decode (struct values *values, guint64 first, gsize n, GError **error)
{
  struct ember_error failure = { 0 };
  const struct ember_gguf *gguf;
  const struct ember_gguf_tensor *tensor;
  g_autofree float *out = g_try_new (float, MAX (n, 1));

  if (out == NULL || values->gguf == NULL)
    {
      g_set_error_literal (error, HEARTH_ERROR, HEARTH_ERROR_NO_MEMORY,
                           "No memory left to read tensor data.");
      return NULL;
    }
  gguf = hearth_gguf_get (values->gguf);
  tensor = ember_gguf_tensor (gguf, values->position);
  if (ember_tensor_values (gguf, tensor, first, n, out, &failure) != EMBER_OK)
    {
      g_propagate_error (error, hearth_error_from_ember (&failure));
      return NULL;
    }
  return g_steal_pointer (&out);
}

static GBytes *
read_chunk (gpointer source, guint64 chunk, GError **error)
{
  struct values *values = source;
  const struct ember_gguf_tensor *tensor =
    ember_gguf_tensor (hearth_gguf_get (values->gguf), values->position);
  guint64 first = chunk * CHUNK;
  gsize n = (gsize) MIN (CHUNK, tensor->n_elements - MIN (first, tensor->n_elements));
  float *out = decode (values, first, n, error);

  return out != NULL ? g_bytes_new_take (out, n * sizeof *out) : NULL;
}

static void
cache_changed_cb (HearthTensorRows *self)
{
  g_signal_emit (self, changed_signal, 0);
}

static void
hearth_tensor_rows_finalize (GObject *object)
{
  HearthTensorRows *self = HEARTH_TENSOR_ROWS (object);

  g_clear_object (&self->cache);
  g_clear_object (&self->tensor);
  values_unref (self->values);
  G_OBJECT_CLASS (hearth_tensor_rows_parent_class)->finalize (object);
}

static void
hearth_tensor_rows_class_init (HearthTensorRowsClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = hearth_tensor_rows_finalize;
  changed_signal = g_signal_new ("changed", HEARTH_TYPE_TENSOR_ROWS, G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
}

static void
hearth_tensor_rows_init (HearthTensorRows *self)
{
}

HearthTensorRows *
hearth_tensor_rows_new (HearthTensor *tensor)
{
  HearthTensorRows *self = g_object_new (HEARTH_TYPE_TENSOR_ROWS, NULL);
  HearthGguf *gguf = hearth_tensor_get_gguf (tensor);

  self->tensor = g_object_ref (tensor);
  self->values = g_atomic_rc_box_new0 (struct values);
  self->values->gguf = gguf != NULL ? hearth_gguf_ref (gguf) : NULL;
  self->values->position = hearth_tensor_get_position (tensor);
  self->cache =
    hearth_chunk_cache_new (read_chunk, g_atomic_rc_box_acquire (self->values), values_unref);
  g_signal_connect_object (self->cache, "changed", G_CALLBACK (cache_changed_cb), self,
                           G_CONNECT_SWAPPED);
  return self;
}

HearthTensor *
hearth_tensor_rows_get_tensor (HearthTensorRows *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR_ROWS (self), NULL);

  return self->tensor;
}

gboolean
hearth_tensor_rows_peek (HearthTensorRows *self, guint64 row, guint64 column, float *out)
{
  guint64 row_length, at;
  GBytes *bytes;
  gsize size;
  const float *values;

  g_return_val_if_fail (HEARTH_IS_TENSOR_ROWS (self), FALSE);

  row_length = hearth_tensor_get_row_length (self->tensor);
  if (self->values->gguf == NULL || column >= row_length ||
      row >= hearth_tensor_get_n_rows (self->tensor))
    return FALSE;
  at = row * row_length + column;
  bytes = hearth_chunk_cache_peek (self->cache, at / CHUNK);
  if (bytes == NULL)
    return FALSE;
  values = g_bytes_get_data (bytes, &size);
  if (at % CHUNK >= size / sizeof *values)
    return FALSE;
  *out = values[at % CHUNK];
  return TRUE;
}

const GError *
hearth_tensor_rows_get_error (HearthTensorRows *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR_ROWS (self), NULL);

  return hearth_chunk_cache_get_error (self->cache);
}

gboolean
hearth_tensor_rows_is_idle (HearthTensorRows *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR_ROWS (self), TRUE);

  return hearth_chunk_cache_is_idle (self->cache);
}

guint
hearth_tensor_rows_get_n_read (HearthTensorRows *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR_ROWS (self), 0);

  return hearth_chunk_cache_get_n_read (self->cache);
}

void
hearth_tensor_rows_format (float value, char out[HEARTH_VALUE_TEXT_SIZE])
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  for (int digits = 5; digits <= 9; digits++)
    {
      char format[8];

      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (text, sizeof text, format, (double) value);
      if ((float) g_ascii_strtod (text, NULL) == value)
        break;
    }
  g_strlcpy (out, text, HEARTH_VALUE_TEXT_SIZE);
}

/* ---- export ----------------------------------------------------------------------------- */

struct export
{
  struct values *values;
  HearthTensorRange range;
};

static void
export_free (gpointer data)
{
  struct export *export = data;

  values_unref (export->values);
  g_free (export);
}

static void
write_row (GString *out, const HearthTensorRange *range, guint64 row, const float *values)
{
  if (range->titles)
    g_string_append_printf (out, "%" G_GUINT64_FORMAT "%c", row, range->separator);
  for (guint64 c = 0; c < range->n_columns; c++)
    {
      char text[HEARTH_VALUE_TEXT_SIZE];

      hearth_tensor_rows_format (values[c], text);
      if (c > 0)
        g_string_append_c (out, range->separator);
      g_string_append (out, text);
    }
  g_string_append_c (out, '\n');
}

static void
export_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  struct export *export = task_data;
  const HearthTensorRange *range = &export->range;
  const struct ember_gguf_tensor *tensor;
  g_autoptr (GString) out = g_string_new (NULL);
  guint32 length = 1, n_bytes = 0;
  GError *error = NULL;

  if (export->values->gguf == NULL)
    {
      g_task_return_new_error_literal (task, HEARTH_ERROR, HEARTH_ERROR_FAILED,
                                       "The tensor has no file.");
      return;
    }
  tensor = ember_gguf_tensor (hearth_gguf_get (export->values->gguf), export->values->position);
  ember_tensor_block (tensor->type, &length, &n_bytes);
  if (range->titles)
    {
      for (guint64 c = 0; c < range->n_columns; c++)
        g_string_append_printf (out, "%c%" G_GUINT64_FORMAT, range->separator,
                                range->first_column + c);
      g_string_append_c (out, '\n');
    }
  for (guint64 r = 0; r < range->n_rows; r++)
    {
      guint64 first = (range->first_row + r) * tensor->ne[0] + range->first_column;
      guint64 begin = first - first % length;
      guint64 end = first + range->n_columns + length - 1;
      g_autofree float *values = NULL;

      end = MIN (end - end % length, tensor->n_elements);
      if (g_task_return_error_if_cancelled (task))
        return;
      values = decode (export->values, begin, (gsize) (end - begin), &error);
      if (values == NULL)
        {
          g_task_return_error (task, error);
          return;
        }
      write_row (out, range, range->first_row + r, values + (first - begin));
    }
  g_task_return_pointer (task, g_string_free_to_bytes (g_steal_pointer (&out)),
                         (GDestroyNotify) g_bytes_unref);
}

void
hearth_tensor_rows_export_async (HearthTensorRows *self, const HearthTensorRange *range,
                                 GCancellable *cancellable, GAsyncReadyCallback callback,
                                 gpointer user_data)
{
  g_autoptr (GTask) task = NULL;
  guint64 row_length, n_rows;
  struct export *export;
  HearthTensorRange *to;

  g_return_if_fail (HEARTH_IS_TENSOR_ROWS (self));

  row_length = hearth_tensor_get_row_length (self->tensor);
  n_rows = hearth_tensor_get_n_rows (self->tensor);
  task = g_task_new (NULL, cancellable, callback, user_data);
  g_task_set_source_tag (task, hearth_tensor_rows_export_async);
  export = g_new (struct export, 1);
  export->values = g_atomic_rc_box_acquire (self->values);
  export->range = *range;
  to = &export->range;
  to->first_row = MIN (to->first_row, n_rows);
  to->first_column = MIN (to->first_column, row_length);
  to->n_columns = MIN (to->n_columns, row_length - to->first_column);
  to->n_columns = MIN (to->n_columns, HEARTH_TENSOR_ROWS_MOST);
  to->n_rows = MIN (to->n_rows, n_rows - to->first_row);
  to->n_rows = MIN (to->n_rows, HEARTH_TENSOR_ROWS_MOST / MAX (to->n_columns, 1));
  g_task_set_task_data (task, export, export_free);
  g_task_run_in_thread (task, export_in_thread);
}

GBytes *
hearth_tensor_rows_export_finish (GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, NULL), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}
