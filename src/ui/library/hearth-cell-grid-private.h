/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-cell-grid-private.h - the insides of a grid, for its two files: drawing, and input. */
#pragma once

#include "hearth-cell-grid.h"

G_BEGIN_DECLS

typedef struct
{
  HearthCellGeometry geometry;
  GtkAdjustment *adjustments[2]; /* by GtkOrientation */
  GtkScrollablePolicy policies[2];
  GskRenderNode *picture; /* all but cursor and pointer; NULL: to be drawn */
  gboolean placed;        /* a mirrored one begins at its end */
  HearthCell cursor;
  HearthCell anchor; /* where the selection began */
  HearthCell hover;
  gboolean hovers;
  gboolean flows;
  gboolean selectable;
  gboolean dragging;
  gboolean scroll_later; /* to the cursor, as soon as there is room */
  gboolean first_later;  /* and its row is to be the first */
  gboolean whole;        /* all cells are being drawn, not those in sight */
  guint n_drawn;
  guint n_cells;
} HearthCellGridPrivate;

typedef enum
{
  HEARTH_GRID_CURSOR_MOVED,
  HEARTH_GRID_HOVER_CHANGED,
  HEARTH_GRID_CELL_ACTIVATED,
  HEARTH_GRID_CELL_CLICKED,
  HEARTH_GRID_TITLE_CLICKED,
  HEARTH_GRID_ZOOM,
  HEARTH_GRID_N_SIGNALS
} HearthCellGridSignal;

HearthCellGridPrivate *_hearth_cell_grid_get (HearthCellGrid *self);
void _hearth_cell_grid_emit (HearthCellGrid *self, HearthCellGridSignal signal, ...);
gboolean _hearth_cell_grid_is_mirrored (HearthCellGrid *self);
/* What all cells take, and what of it is in sight beside the titles. */
double _hearth_cell_grid_get_content (HearthCellGrid *self, GtkOrientation orientation);
double _hearth_cell_grid_get_page (HearthCellGrid *self, GtkOrientation orientation);
double _hearth_cell_grid_get_value (HearthCellGrid *self, GtkOrientation orientation);
/* Whether somebody listens to "zoom". */
gboolean _hearth_cell_grid_can_zoom (HearthCellGrid *self);
void _hearth_cell_grid_scroll_to_cursor (HearthCellGrid *self);

/* hearth-cell-grid-input.c */
void _hearth_cell_grid_add_keys (GtkWidgetClass *klass);
void _hearth_cell_grid_add_controllers (HearthCellGrid *self);
void _hearth_cell_grid_announce (HearthCellGrid *self, gboolean aloud);

G_END_DECLS
