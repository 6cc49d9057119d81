/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-tensor-map.h - a model's tensors in a grid: a row for each role, a column for each layer
 * and one for what belongs to none. Immutable. Memory goes with the number of tensors, not with
 * rows times columns. */
#pragma once

#include <gio/gio.h>

#include "hearth-tensor.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_TENSOR_MAP (hearth_tensor_map_get_type ())
G_DECLARE_FINAL_TYPE (HearthTensorMap, hearth_tensor_map, HEARTH, TENSOR_MAP, GObject)

/* Bits per weight in steps; the last is for all above. */
#define HEARTH_N_BITS_STEPS 8

/* A tensor type of the model. */
typedef struct
{
  const char *name; /* interned */
  guint n_tensors;
  guint64 n_bytes;
} HearthTensorMapType;

/* `tensors` is a list of HearthTensor that does not change. Returns: (transfer full) */
HearthTensorMap *hearth_tensor_map_new (GListModel *tensors);

guint hearth_tensor_map_get_n_rows (HearthTensorMap *self);
guint hearth_tensor_map_get_n_columns (HearthTensorMap *self);
guint hearth_tensor_map_get_n_tensors (HearthTensorMap *self);

/* What a row is for, to be translated; NULL when its key is its name. */
const char *hearth_tensor_map_get_row_title (HearthTensorMap *self, guint row);
/* What tensors of a row are called without their layer, "attn_q.weight". */
const char *hearth_tensor_map_get_row_key (HearthTensorMap *self, guint row);
/* "bias"; NULL for the weight itself. Returns: (nullable) */
const char *hearth_tensor_map_get_row_suffix (HearthTensorMap *self, guint row);
/* The layer of a column; -1 of the one for what belongs to none, which comes first. */
int hearth_tensor_map_get_layer (HearthTensorMap *self, guint column);

/* Returns: (transfer none) (nullable) */
HearthTensor *hearth_tensor_map_get_tensor (HearthTensorMap *self, guint row, guint column);
gboolean hearth_tensor_map_find (HearthTensorMap *self, HearthTensor *tensor, guint *row,
                                 guint *column);
/* The next tensor of a row from `column` on, that one included: what lies between is empty. Returns
 * FALSE when none is left. */
gboolean hearth_tensor_map_next (HearthTensorMap *self, guint row, guint *column,
                                 HearthTensor **tensor);

/* Types, the one with the most bytes first; the index of a tensor's type. */
guint hearth_tensor_map_get_n_types (HearthTensorMap *self);
const HearthTensorMapType *hearth_tensor_map_get_type_at (HearthTensorMap *self, guint index);
guint hearth_tensor_map_find_type (HearthTensorMap *self, HearthTensor *tensor);

/* 0 … HEARTH_N_BITS_STEPS - 1, and what a step ends with (G_MAXDOUBLE: the last). */
guint hearth_tensor_map_get_bits_step (HearthTensor *tensor);
double hearth_tensor_map_get_bits_limit (guint step);

G_END_DECLS
