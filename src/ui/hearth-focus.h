/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-focus.h - the way of the keyboard through widgets with children. GTK's own vfunc for that
 * takes a widget without one of its own for a leaf: nothing in it would be found by Tab. And where
 * the keyboard goes when what it was at is gone. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* For GtkWidgetClass.focus of each widget that has children: the widget itself first if it can take
 * the focus, then its children in their order. */
gboolean hearth_focus_move (GtkWidget *widget, GtkDirectionType direction);

/* While `area` is shown, the keyboard stays in it when what has the focus there goes away or cannot
 * be used any more: it goes to the nearest neighbour. GTK would go on to whatever comes next in the
 * window, where the keys of the area, such as Escape, do nothing. */
void hearth_focus_hold (GtkWidget *area);

/* Whether the keyboard is at this, or at something in it. */
gboolean hearth_focus_is_in (GtkWidget *widget);
/* Puts the keyboard on a text that Tab passes over, such as what has come of an action: voice
 * output reads it, and Tab goes on from there. */
void hearth_focus_visit (GtkWidget *label);

G_END_DECLS
