/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-tensor-grid.h - a tensor's values as rows and columns of numbers, however many. */
#pragma once

#include "hearth-cell-grid.h"
#include "hearth-tensor-rows.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_TENSOR_GRID (hearth_tensor_grid_get_type ())
G_DECLARE_FINAL_TYPE (HearthTensorGrid, hearth_tensor_grid, HEARTH, TENSOR_GRID, HearthCellGrid)

GtkWidget *hearth_tensor_grid_new (void);
void hearth_tensor_grid_set_rows (HearthTensorGrid *self, HearthTensorRows *rows);

G_END_DECLS
