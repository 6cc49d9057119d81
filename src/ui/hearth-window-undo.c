/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Toasts that offer to take back what was done, and the key that takes back the last of it. */
#include <glib/gi18n.h>

#include "hearth-window-private.h"

/* Enough to read it, turn around and come back. */
#define UNDO_S 10

static void
dismissed_cb (HearthWindow *self, AdwToast *toast)
{
  GList *link = g_queue_find (&self->undoable, toast);

  if (link == NULL)
    return;
  g_queue_delete_link (&self->undoable, link);
  g_object_unref (toast);
}

AdwToast *
_hearth_window_offer_undo (HearthWindow *self, const char *text)
{
  AdwToast *toast = adw_toast_new (text);

  adw_toast_set_use_markup (toast, FALSE);
  adw_toast_set_timeout (toast, UNDO_S);
  adw_toast_set_button_label (toast, _ ("_Undo"));
  g_queue_push_head (&self->undoable, g_object_ref (toast));
  g_signal_connect_object (toast, "dismissed", G_CALLBACK (dismissed_cb), self, G_CONNECT_SWAPPED);
  adw_toast_overlay_add_toast (self->toasts, toast);
  gtk_accessible_announce (GTK_ACCESSIBLE (self), text,
                           GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_MEDIUM);
  return toast;
}

static void
undo_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthWindow *self = HEARTH_WINDOW (widget);
  g_autoptr (AdwToast) toast = g_queue_pop_head (&self->undoable);

  if (toast == NULL)
    return;
  g_signal_emit_by_name (toast, "button-clicked");
  adw_toast_dismiss (toast);
}

void
_hearth_window_drop_undo (HearthWindow *self)
{
  g_queue_clear_full (&self->undoable, g_object_unref);
}

void
_hearth_window_class_install_undo_action (GtkWidgetClass *widget_class)
{
  /* Not "win.": a text that is being written takes Ctrl+Z first. */
  gtk_widget_class_install_action (widget_class, "undo.last", NULL, undo_action);
}
