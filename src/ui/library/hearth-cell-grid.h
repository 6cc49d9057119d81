/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-cell-grid.h - a grid of cells with titles that stay in sight, of any size, drawn and not
 * made of widgets: it costs what is on the screen, whether it has a hundred cells or billions. What
 * is in the cells is drawn by subclasses, into a picture that is kept until something in it
 * changes; the pointer and the cursor move on top of that.
 *
 * Arrows move the cursor, Enter activates a cell, Shift selects. Each move is told to voice output.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HEARTH_TYPE_CELL_GRID (hearth_cell_grid_get_type ())
G_DECLARE_DERIVABLE_TYPE (HearthCellGrid, hearth_cell_grid, HEARTH, CELL_GRID, GtkWidget)

struct _HearthCellGridClass
{
  GtkWidgetClass parent_class;

  /* Draws the cells first … last of a row; hearth_cell_grid_get_area() has their places. */
  void (*draw_row) (HearthCellGrid *self, GtkSnapshot *snapshot, guint64 row, guint64 first,
                    guint64 last);
  void (*draw_row_title) (HearthCellGrid *self, GtkSnapshot *snapshot, guint64 row,
                          const graphene_rect_t *area);
  void (*draw_column_title) (HearthCellGrid *self, GtkSnapshot *snapshot, guint64 column,
                             const graphene_rect_t *area);
  /* What voice output says of a cell. */
  char *(*describe) (HearthCellGrid *self, guint64 row, guint64 column);
  /* How wide titles of rows may be in a widget of this width; NULL: as the geometry says. */
  double (*fit_titles) (HearthCellGrid *self, int width);
  /* Sizes may be asked for anew: the font or the style has changed. */
  void (*restyle) (HearthCellGrid *self);
};

typedef struct
{
  guint64 n_rows;
  guint64 n_columns;
  double cell_width;
  double cell_height;
  double title_width;   /* of the titles of rows, before the first column */
  double title_height;  /* of the titles of columns */
  double trailer_width; /* behind the last column; belongs to draw_row */
} HearthCellGeometry;

typedef struct
{
  guint64 row;
  guint64 column;
} HearthCell;

/* Signals: "cursor-moved"; "hover-changed"; "cell-activated" (Enter or a double click);
 * "cell-clicked"; "title-clicked" (gboolean is_row, guint64 number); "zoom" (int steps; 0: as at
 * first). */

void hearth_cell_grid_set_geometry (HearthCellGrid *self, const HearthCellGeometry *geometry);
const HearthCellGeometry *hearth_cell_grid_get_geometry (HearthCellGrid *self);
/* What is in the cells has changed: they are drawn anew. */
void hearth_cell_grid_invalidate (HearthCellGrid *self);

/* Where a cell is in the widget. */
void hearth_cell_grid_get_area (HearthCellGrid *self, guint64 row, guint64 column,
                                graphene_rect_t *area);
/* Where the trailer of a row is. */
void hearth_cell_grid_get_trailer (HearthCellGrid *self, guint64 row, graphene_rect_t *area);

/* FALSE when there are no cells. */
gboolean hearth_cell_grid_get_cursor (HearthCellGrid *self, HearthCell *cell);
/* Moves the cursor and scrolls to it; what is selected is this cell alone, or with `extend` all up
 * to it. */
void hearth_cell_grid_set_cursor (HearthCellGrid *self, guint64 row, guint64 column,
                                  gboolean extend);
/* Scrolls so that the row of the cursor is the first in sight. */
void hearth_cell_grid_show_cursor_first (HearthCellGrid *self);
/* The cell under the pointer; FALSE: none. */
gboolean hearth_cell_grid_get_hover (HearthCellGrid *self, HearthCell *cell);
/* Rows and columns from the first to the last that are selected. */
void hearth_cell_grid_get_selection (HearthCellGrid *self, HearthCell *first, HearthCell *last);
/* Whether a selection runs on from row to row, as text does, and not over a rectangle. */
void hearth_cell_grid_set_flows (HearthCellGrid *self, gboolean flows);
/* Whether more than a cell can be selected. */
void hearth_cell_grid_set_selectable (HearthCellGrid *self, gboolean selectable);

/* All cells, whatever is in sight: for a grid that is known to be of moderate size. `bounds` is
 * where they are. Returns: (transfer full) (nullable) */
GskRenderNode *hearth_cell_grid_draw_all (HearthCellGrid *self, graphene_rect_t *bounds);

/* For tests: how often cells were drawn, and how many of them the last time. */
guint hearth_cell_grid_get_n_drawn (HearthCellGrid *self);
guint hearth_cell_grid_get_n_cells (HearthCellGrid *self);

G_END_DECLS
