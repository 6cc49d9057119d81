/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-focus.h"

gboolean
hearth_focus_move (GtkWidget *widget, GtkDirectionType direction)
{
  gboolean back =
    direction == GTK_DIR_TAB_BACKWARD || direction == GTK_DIR_UP || direction == GTK_DIR_LEFT;
  GtkWidget *child = gtk_widget_get_focus_child (widget);
  gboolean inside = child != NULL;
  gboolean itself = gtk_widget_is_focus (widget);

  if (itself && back)
    return FALSE;
  if (!inside && !itself && !back && gtk_widget_get_focusable (widget) &&
      gtk_widget_grab_focus (widget))
    return TRUE;
  if (inside && gtk_widget_child_focus (child, direction))
    return TRUE;
  if (inside)
    child = back ? gtk_widget_get_prev_sibling (child) : gtk_widget_get_next_sibling (child);
  else
    child = back ? gtk_widget_get_last_child (widget) : gtk_widget_get_first_child (widget);
  while (child != NULL)
    {
      if (gtk_widget_child_focus (child, direction))
        return TRUE;
      child = back ? gtk_widget_get_prev_sibling (child) : gtk_widget_get_next_sibling (child);
    }
  return back && gtk_widget_get_focusable (widget) && gtk_widget_grab_focus (widget);
}
