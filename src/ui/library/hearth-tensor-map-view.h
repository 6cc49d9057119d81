/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-tensor-map-view.h - the map of a model's tensors: roles by layers, coloured by type or by
 * bits per weight. Each colour has a second cue: types a pattern, or their names where these fit;
 * bits a level to which the cell is filled. */
#pragma once

#include "hearth-cell-grid.h"
#include "hearth-tensor-map.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_TENSOR_MAP_VIEW (hearth_tensor_map_view_get_type ())
G_DECLARE_FINAL_TYPE (HearthTensorMapView, hearth_tensor_map_view, HEARTH, TENSOR_MAP_VIEW,
                      HearthCellGrid)

typedef enum
{
  HEARTH_MAP_BY_TYPE,
  HEARTH_MAP_BY_BITS,
} HearthMapColours;

#define HEARTH_MAP_N_ZOOMS 9
/* Cells about as wide as they are high. */
#define HEARTH_MAP_FIRST_ZOOM 4

GtkWidget *hearth_tensor_map_view_new (void);
/* NULL: nothing. */
void hearth_tensor_map_view_set_map (HearthTensorMapView *self, HearthTensorMap *map);
void hearth_tensor_map_view_set_colours (HearthTensorMapView *self, HearthMapColours colours);
/* 0 … HEARTH_MAP_N_ZOOMS - 1; the cell of the cursor stays in sight. */
void hearth_tensor_map_view_set_zoom (HearthTensorMapView *self, guint zoom);
guint hearth_tensor_map_view_get_zoom (HearthTensorMapView *self);
/* Types or steps of bits, by index, that are drawn hollow. */
void hearth_tensor_map_view_set_hidden (HearthTensorMapView *self, guint index, gboolean hidden);
gboolean hearth_tensor_map_view_get_hidden (HearthTensorMapView *self, guint index);

/* Under the pointer, else under the cursor. Returns: (transfer none) (nullable) */
HearthTensor *hearth_tensor_map_view_get_pointed (HearthTensorMapView *self);
/* Under the cursor. Returns: (transfer none) (nullable) */
HearthTensor *hearth_tensor_map_view_get_tensor (HearthTensorMapView *self);
void hearth_tensor_map_view_go_to (HearthTensorMapView *self, HearthTensor *tensor);

/* "Attention Q, bias"; for a role without a word what it is called in files.
 * Returns: (transfer full) */
char *hearth_tensor_map_dup_row_title (HearthTensorMap *map, guint row);
/* What is known of a tensor on one line. Returns: (transfer full) */
char *hearth_tensor_map_dup_facts (HearthTensorMap *map, HearthTensor *tensor);

/* A picture of all of it, with the texts of a legend under it; NULL when it is too large for one or
 * there is nothing. Returns: (transfer full) (nullable) */
GdkTexture *hearth_tensor_map_view_draw (HearthTensorMapView *self);

G_END_DECLS
