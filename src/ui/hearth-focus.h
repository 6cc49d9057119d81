/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-focus.h - the way of the keyboard through widgets with children. GTK's own vfunc for that
 * takes a widget without one of its own for a leaf: nothing in it would be found by Tab. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* For GtkWidgetClass.focus of each widget that has children: the widget itself first if it can take
 * the focus, then its children in their order. */
gboolean hearth_focus_move (GtkWidget *widget, GtkDirectionType direction);

G_END_DECLS
