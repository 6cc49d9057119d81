/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-tensor.h - one tensor of a model file's table. Immutable; may be made on any thread. */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

#define HEARTH_TYPE_TENSOR (hearth_tensor_get_type ())
G_DECLARE_FINAL_TYPE (HearthTensor, hearth_tensor, HEARTH, TENSOR, GObject)

/* Properties: name, type, shape, n-elements, n-bytes, position. */

/* `name` and `shape` are taken over; `type` ("Q4_K") is static or interned; `position` is the
 * tensor's place in the file's table, from 0. Returns: (transfer full) */
HearthTensor *hearth_tensor_new_take (char *name, const char *type, char *shape, guint64 n_elements,
                                      guint64 n_bytes, guint64 file_offset, guint position);

const char *hearth_tensor_get_name (HearthTensor *self);
const char *hearth_tensor_get_type_name (HearthTensor *self);
/* "576 × 49152" */
const char *hearth_tensor_get_shape (HearthTensor *self);
guint64 hearth_tensor_get_n_elements (HearthTensor *self);
guint64 hearth_tensor_get_n_bytes (HearthTensor *self);
guint64 hearth_tensor_get_file_offset (HearthTensor *self);

/* Orders names as people count: blk.2 before blk.10. */
int hearth_tensor_compare_names (HearthTensor *a, HearthTensor *b);

G_END_DECLS
