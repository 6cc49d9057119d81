/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-tensor-map-pane.h - the map of tensors with its choice of colours, zoom, legend, and a
 * line that says what is pointed at. */
#pragma once

#include "hearth-tensor-map-view.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_TENSOR_MAP_PANE (hearth_tensor_map_pane_get_type ())
G_DECLARE_FINAL_TYPE (HearthTensorMapPane, hearth_tensor_map_pane, HEARTH, TENSOR_MAP_PANE,
                      GtkWidget)

/* Signals: "filter" (a part of names that the table is to show; "": all of them), "open"
 * (HearthTensor); "changed": colours or zoom were. */

void hearth_tensor_map_pane_set_map (HearthTensorMapPane *self, HearthTensorMap *map);
/* Returns: (transfer none) */
HearthTensorMapView *hearth_tensor_map_pane_get_map_view (HearthTensorMapPane *self);

void hearth_tensor_map_pane_set_look (HearthTensorMapPane *self, HearthMapColours colours,
                                      guint zoom);
HearthMapColours hearth_tensor_map_pane_get_colours (HearthTensorMapPane *self);

G_END_DECLS
