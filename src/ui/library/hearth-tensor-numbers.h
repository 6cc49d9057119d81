/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-tensor-numbers.h - a tensor's values as numbers, with fields to jump to a row and a
 * column, to be copied and exported. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-tensor.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_TENSOR_NUMBERS (hearth_tensor_numbers_get_type ())
G_DECLARE_FINAL_TYPE (HearthTensorNumbers, hearth_tensor_numbers, HEARTH, TENSOR_NUMBERS, GtkWidget)

/* Does nothing for the tensor that is shown. */
void hearth_tensor_numbers_show (HearthTensorNumbers *self, HearthTensor *tensor);

G_END_DECLS
