/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-tensor-values.h - what a tensor is, where it lies, and how its values are spread: a sample
 * at once, all of them as soon as they are counted; which of the two is shown is said. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-tensor.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_TENSOR_VALUES (hearth_tensor_values_get_type ())
G_DECLARE_FINAL_TYPE (HearthTensorValues, hearth_tensor_values, HEARTH, TENSOR_VALUES, GtkWidget)

/* Once. */
void hearth_tensor_values_show (HearthTensorValues *self, HearthTensor *tensor);

G_END_DECLS
