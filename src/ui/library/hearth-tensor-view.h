/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-tensor-view.h - the tensors of a model as a table to search, filter and sort. Sorting and
 * filtering are done in pieces between frames, and rows are made for what is on the screen alone,
 * so that tens of thousands of tensors cost no more than a hundred. */
#pragma once

#include "hearth-model-view.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_TENSOR_VIEW (hearth_tensor_view_get_type ())
G_DECLARE_FINAL_TYPE (HearthTensorView, hearth_tensor_view, HEARTH, TENSOR_VIEW, GtkWidget)

GtkWidget *hearth_tensor_view_new (void);
/* A list of HearthTensor; NULL while it is being read. */
void hearth_tensor_view_set_tensors (HearthTensorView *self, GListModel *tensors);

/* For tests: rows that exist at the moment, and the list that is shown. */
guint hearth_tensor_view_get_n_rows (HearthTensorView *self);
/* Returns: (transfer none) */
GtkColumnView *hearth_tensor_view_get_table (HearthTensorView *self);

G_END_DECLS
