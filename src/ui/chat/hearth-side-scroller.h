/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-side-scroller.h - a frame through which something too wide scrolls sideways. As high as
 * its child; what scrolls up and down goes on to whoever is around it (a GtkScrolledWindow keeps
 * it). */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HEARTH_TYPE_SIDE_SCROLLER (hearth_side_scroller_get_type ())
G_DECLARE_FINAL_TYPE (HearthSideScroller, hearth_side_scroller, HEARTH, SIDE_SCROLLER, GtkWidget)

/* Property "child". */
GtkWidget *hearth_side_scroller_new (GtkWidget *child);
void hearth_side_scroller_set_child (HearthSideScroller *self, GtkWidget *child);
/* Scrolls no more than needed for what lies between x and x + width of `widget`, which is inside.
 */
void hearth_side_scroller_reveal (HearthSideScroller *self, GtkWidget *widget, double x,
                                  double width);

G_END_DECLS
