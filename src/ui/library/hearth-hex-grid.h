/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-hex-grid.h - the bytes of a file of any size: offset, sixteen bytes, and the same as text.
 */
#pragma once

#include "hearth-cell-grid.h"
#include "hearth-file-bytes.h"

G_BEGIN_DECLS

#define HEARTH_HEX_COLUMNS 16

#define HEARTH_TYPE_HEX_GRID (hearth_hex_grid_get_type ())
G_DECLARE_FINAL_TYPE (HearthHexGrid, hearth_hex_grid, HEARTH, HEX_GRID, HearthCellGrid)

GtkWidget *hearth_hex_grid_new (void);
void hearth_hex_grid_set_bytes (HearthHexGrid *self, HearthFileBytes *bytes);
/* Moves the cursor to a byte and selects from there. */
void hearth_hex_grid_go_to (HearthHexGrid *self, guint64 offset, guint64 n_selected);
/* Where the cursor is. */
guint64 hearth_hex_grid_get_offset (HearthHexGrid *self);
/* What is selected; at least the byte of the cursor. */
void hearth_hex_grid_get_range (HearthHexGrid *self, guint64 *offset, guint64 *size);

G_END_DECLS
