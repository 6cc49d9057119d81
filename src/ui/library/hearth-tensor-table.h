/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-tensor-table.h - the tensors of a model as a table to search, filter and sort. Sorting and
 * filtering are done in pieces between frames, and rows are made for what is on the screen alone,
 * so that tens of thousands of tensors cost no more than a hundred. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HEARTH_TYPE_TENSOR_TABLE (hearth_tensor_table_get_type ())
G_DECLARE_FINAL_TYPE (HearthTensorTable, hearth_tensor_table, HEARTH, TENSOR_TABLE, GtkWidget)

/* Signal "open" (HearthTensor): a row was activated. */

GtkWidget *hearth_tensor_table_new (void);
/* A list of HearthTensor; NULL while it is being read. */
void hearth_tensor_table_set_tensors (HearthTensorTable *self, GListModel *tensors);

/* A part of names; what is shown is filtered by it. */
void hearth_tensor_table_set_search (HearthTensorTable *self, const char *text);
const char *hearth_tensor_table_get_search (HearthTensorTable *self);
gboolean hearth_tensor_table_focus_search (HearthTensorTable *self);

/* For tests: rows that exist at the moment, and the list that is shown. */
guint hearth_tensor_table_get_n_rows (HearthTensorTable *self);
/* Returns: (transfer none) */
GtkColumnView *hearth_tensor_table_get_table (HearthTensorTable *self);

G_END_DECLS
