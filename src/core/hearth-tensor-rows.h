/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-tensor-rows.h - a tensor's values as rows of numbers, decoded by the engine in pieces on
 * another thread when they are looked at. Main thread. */
#pragma once

#include <gio/gio.h>

#include "hearth-tensor.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_TENSOR_ROWS (hearth_tensor_rows_get_type ())
G_DECLARE_FINAL_TYPE (HearthTensorRows, hearth_tensor_rows, HEARTH, TENSOR_ROWS, GObject)

/* Signal "changed": more has been decoded, or could not be. Returns: (transfer full) */
HearthTensorRows *hearth_tensor_rows_new (HearthTensor *tensor);

HearthTensor *hearth_tensor_rows_get_tensor (HearthTensorRows *self);
/* FALSE: not there yet, and asked for with this, or cannot be read. */
gboolean hearth_tensor_rows_peek (HearthTensorRows *self, guint64 row, guint64 column, float *out);
/* Returns: (transfer none) (nullable) */
const GError *hearth_tensor_rows_get_error (HearthTensorRows *self);
gboolean hearth_tensor_rows_is_idle (HearthTensorRows *self);
guint hearth_tensor_rows_get_n_read (HearthTensorRows *self);

/* As short as tells a value apart from its neighbours in 32 bits, "-0.0123". */
#define HEARTH_VALUE_TEXT_SIZE 32
void hearth_tensor_rows_format (float value, char out[HEARTH_VALUE_TEXT_SIZE]);

/* Rows `first_row` … + n_rows, columns `first_column` … + n_columns as CSV text, at most
 * HEARTH_TENSOR_ROWS_MOST values. */
#define HEARTH_TENSOR_ROWS_MOST (4u * 1024 * 1024)
typedef struct
{
  guint64 first_row, n_rows;
  guint64 first_column, n_columns;
  char separator;  /* ',' or '\t' */
  gboolean titles; /* with the numbers of rows and columns */
} HearthTensorRange;
void hearth_tensor_rows_export_async (HearthTensorRows *self, const HearthTensorRange *range,
                                      GCancellable *cancellable, GAsyncReadyCallback callback,
                                      gpointer user_data);
/* Returns: (transfer full) (nullable) */
GBytes *hearth_tensor_rows_export_finish (GAsyncResult *result, GError **error);

G_END_DECLS
