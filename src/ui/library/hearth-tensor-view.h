/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-tensor-view.h - the tensors of a model: their map above, their table below, and the page
 * of the one that was opened. */
#pragma once

#include "hearth-model-view.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_TENSOR_VIEW (hearth_tensor_view_get_type ())
G_DECLARE_FINAL_TYPE (HearthTensorView, hearth_tensor_view, HEARTH, TENSOR_VIEW, GtkWidget)

GtkWidget *hearth_tensor_view_new (void);

G_END_DECLS
