/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-field-row.h"

#include "hearth-focus.h"

G_DEFINE_TYPE (HearthFieldRow, hearth_field_row, ADW_TYPE_ACTION_ROW)

static gboolean
hearth_field_row_grab_focus (GtkWidget *widget)
{
  GtkWidget *field = adw_action_row_get_activatable_widget (ADW_ACTION_ROW (widget));

  return field != NULL && gtk_widget_grab_focus (field);
}

static void
hearth_field_row_class_init (HearthFieldRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  widget_class->grab_focus = hearth_field_row_grab_focus;
}

static void
hearth_field_row_init (HearthFieldRow *self)
{
  gtk_widget_set_focusable (GTK_WIDGET (self), FALSE);
}
