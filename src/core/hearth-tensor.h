/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-tensor.h - one tensor of a model file's table. Immutable; may be made on any thread. */
#pragma once

#include <glib-object.h>

#include "hearth-gguf.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_TENSOR (hearth_tensor_get_type ())
G_DECLARE_FINAL_TYPE (HearthTensor, hearth_tensor, HEARTH, TENSOR, GObject)

/* Properties: name, type, shape, n-elements, n-bytes, position. */

typedef struct
{
  char *name;       /* taken over, as `shape` is */
  const char *type; /* "Q4_K"; static or interned */
  char *shape;      /* "576 × 49152" */
  guint64 n_elements;
  guint64 n_bytes;
  guint64 file_offset; /* in the file of its part */
  guint64 row_length;  /* elements that lie together: the first dimension */
  guint position;      /* in the file's table, from 0 */
  guint part;          /* which file of a split model; else 0 */
} HearthTensorFields;

/* `gguf` is where values are read from; NULL for a tensor that has none.
 * Returns: (transfer full) */
HearthTensor *hearth_tensor_new_take (HearthGguf *gguf, const HearthTensorFields *fields);

const char *hearth_tensor_get_name (HearthTensor *self);
/* The name as the file has it; the other one is a line to be shown. Returns: (transfer full) */
char *hearth_tensor_dup_exact_name (HearthTensor *self);
const char *hearth_tensor_get_type_name (HearthTensor *self);
/* "576 × 49152" */
const char *hearth_tensor_get_shape (HearthTensor *self);
guint64 hearth_tensor_get_n_elements (HearthTensor *self);
guint64 hearth_tensor_get_n_bytes (HearthTensor *self);
guint64 hearth_tensor_get_file_offset (HearthTensor *self);
guint64 hearth_tensor_get_row_length (HearthTensor *self);
/* 0 for one without elements. */
guint64 hearth_tensor_get_n_rows (HearthTensor *self);
guint hearth_tensor_get_position (HearthTensor *self);
guint hearth_tensor_get_part (HearthTensor *self);
/* 0 for one without elements. */
double hearth_tensor_get_bits_per_weight (HearthTensor *self);
/* The path of the file that it lies in. Returns: (transfer none) (nullable) */
const char *hearth_tensor_get_file (HearthTensor *self);
/* How many files the model has. */
guint hearth_tensor_get_n_parts (HearthTensor *self);
/* For src/core. Returns: (transfer none) (nullable) */
HearthGguf *hearth_tensor_get_gguf (HearthTensor *self);

/* Orders names as people count: blk.2 before blk.10. */
int hearth_tensor_compare_names (HearthTensor *a, HearthTensor *b);

G_END_DECLS
