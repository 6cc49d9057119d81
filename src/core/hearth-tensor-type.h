/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-tensor-type.h - one row of "what it is made of": how much of a model is stored in one
 * tensor type. Immutable. */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

#define HEARTH_TYPE_TENSOR_TYPE (hearth_tensor_type_get_type ())
G_DECLARE_FINAL_TYPE (HearthTensorType, hearth_tensor_type, HEARTH, TENSOR_TYPE, GObject)

/* `share` is the part of all the model's bytes, 0 … 1. Returns: (transfer full) */
HearthTensorType *hearth_tensor_type_new (const char *name, guint64 n_tensors, guint64 n_elements,
                                          guint64 n_bytes, double share);

const char *hearth_tensor_type_get_name (HearthTensorType *self);
guint64 hearth_tensor_type_get_n_tensors (HearthTensorType *self);
guint64 hearth_tensor_type_get_n_elements (HearthTensorType *self);
guint64 hearth_tensor_type_get_n_bytes (HearthTensorType *self);
double hearth_tensor_type_get_share (HearthTensorType *self);

G_END_DECLS
