/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-cell-paint.h - the eight colours of style.css, with a pattern each, for what is drawn and
 * not made of widgets. Belongs to a widget whose style it follows. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HEARTH_PAINT_COLOURS 8

typedef struct _HearthCellPaint HearthCellPaint;

/* `widget` gets children without a size that carry the colours. Returns: (transfer full) */
HearthCellPaint *hearth_cell_paint_new (GtkWidget *widget);
/* Before the widget's own end. */
void hearth_cell_paint_free (HearthCellPaint *self);
/* The widget's style has changed. */
void hearth_cell_paint_update (HearthCellPaint *self);

/* The colour of an index, with its pattern where there is room for one. */
void hearth_cell_paint_type (HearthCellPaint *self, GtkSnapshot *snapshot, guint index,
                             const graphene_rect_t *area, gboolean pattern);
/* A level of HEARTH_PAINT_COLOURS: how far the area is filled, and how strongly. */
void hearth_cell_paint_level (HearthCellPaint *self, GtkSnapshot *snapshot, guint level,
                              const graphene_rect_t *area);
void hearth_cell_paint_outline (HearthCellPaint *self, GtkSnapshot *snapshot,
                                const graphene_rect_t *area);
/* What can be read on top of it. */
const GdkRGBA *hearth_cell_paint_get_type_text (HearthCellPaint *self, guint index);
const GdkRGBA *hearth_cell_paint_get_level_text (HearthCellPaint *self, guint level);
const GdkRGBA *hearth_cell_paint_get_background (HearthCellPaint *self);

/* A small area that shows an index, for legends; decorative. */
GtkWidget *hearth_cell_paint_swatch_new (guint index, gboolean is_level);

G_END_DECLS
