/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-model-button.h"

#include <glib/gi18n.h>

#include "hearth-focus.h"

struct _HearthModelButton
{
  GtkWidget parent_instance;

  GtkMenuButton *button;
  GtkLabel *title_label;
  GtkPopover *popover;
  GtkListView *view;
  GtkWidget *list_area;
  GtkSingleSelection *selection;

  GtkWidget *choose_label;
  gboolean choosing; /* somebody waits for what is chosen */

  HearthModelFile *model;
};

G_DEFINE_FINAL_TYPE (HearthModelButton, hearth_model_button, GTK_TYPE_WIDGET)

enum
{
  CHOSEN,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

static void
activate_cb (HearthModelButton *self, guint position)
{
  GListModel *list = G_LIST_MODEL (self->selection);
  g_autoptr (HearthModelFile) chosen = g_list_model_get_item (list, position);
  gboolean choosing = self->choosing;

  gtk_popover_popdown (self->popover);
  if (chosen == NULL)
    return;
  gtk_widget_activate_action (GTK_WIDGET (self), "win.use-model", "s",
                              hearth_model_file_get_path (chosen));
  if (choosing)
    g_signal_emit (self, signals[CHOSEN], 0, hearth_model_file_get_path (chosen));
}

static void
closed_cb (HearthModelButton *self)
{
  self->choosing = FALSE;
  gtk_widget_set_visible (self->choose_label, FALSE);
}

/* The row of the present model is the selected one. */
static void
show_cb (HearthModelButton *self)
{
  GListModel *list = G_LIST_MODEL (self->selection);
  guint n = g_list_model_get_n_items (list);

  gtk_widget_set_visible (self->list_area, n > 0);
  gtk_single_selection_set_selected (self->selection, GTK_INVALID_LIST_POSITION);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (HearthModelFile) file = g_list_model_get_item (list, i);

      if (file == self->model)
        gtk_single_selection_set_selected (self->selection, i);
    }
}

static void
open_clicked_cb (HearthModelButton *self)
{
  gtk_popover_popdown (self->popover);
  gtk_widget_activate_action (GTK_WIDGET (self), "win.open-for-chat", NULL);
}

static void
update_title (HearthModelButton *self)
{
  const char *title =
    self->model != NULL ? hearth_model_file_get_title (self->model) : _ ("Choose a Model");
  g_autofree char *label = g_strdup_printf (_ ("Model: %s"), title);

  gtk_label_set_text (self->title_label, title);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->button), title);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  label, -1);
}

static void
hearth_model_button_dispose (GObject *object)
{
  HearthModelButton *self = HEARTH_MODEL_BUTTON (object);

  if (self->model != NULL)
    g_signal_handlers_disconnect_by_data (self->model, self);
  g_clear_object (&self->model);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_MODEL_BUTTON);
  G_OBJECT_CLASS (hearth_model_button_parent_class)->dispose (object);
}

static void
hearth_model_button_class_init (HearthModelButtonClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  G_OBJECT_CLASS (klass)->dispose = hearth_model_button_dispose;
  signals[CHOSEN] =
    g_signal_new ("chosen", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                  G_TYPE_NONE, 1, G_TYPE_STRING | G_SIGNAL_TYPE_STATIC_SCOPE);

  g_type_ensure (HEARTH_TYPE_MODEL_FILE);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/chat/hearth-model-button.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthModelButton, button);
  gtk_widget_class_bind_template_child (widget_class, HearthModelButton, title_label);
  gtk_widget_class_bind_template_child (widget_class, HearthModelButton, popover);
  gtk_widget_class_bind_template_child (widget_class, HearthModelButton, view);
  gtk_widget_class_bind_template_child (widget_class, HearthModelButton, list_area);
  gtk_widget_class_bind_template_child (widget_class, HearthModelButton, selection);
  gtk_widget_class_bind_template_child (widget_class, HearthModelButton, choose_label);
  gtk_widget_class_bind_template_callback (widget_class, closed_cb);
  gtk_widget_class_bind_template_callback (widget_class, activate_cb);
  gtk_widget_class_bind_template_callback (widget_class, show_cb);
  gtk_widget_class_bind_template_callback (widget_class, open_clicked_cb);
}

static void
hearth_model_button_init (HearthModelButton *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  update_title (self);
}

void
hearth_model_button_set_list (HearthModelButton *self, GListModel *list)
{
  g_return_if_fail (HEARTH_IS_MODEL_BUTTON (self));

  gtk_single_selection_set_model (self->selection, list);
}

void
hearth_model_button_open (HearthModelButton *self)
{
  g_return_if_fail (HEARTH_IS_MODEL_BUTTON (self));

  gtk_menu_button_popup (self->button);
}

void
hearth_model_button_choose (HearthModelButton *self)
{
  g_return_if_fail (HEARTH_IS_MODEL_BUTTON (self));

  self->choosing = TRUE;
  gtk_widget_set_visible (self->choose_label, TRUE);
  gtk_menu_button_popup (self->button);
}

void
hearth_model_button_set_model (HearthModelButton *self, HearthModelFile *model)
{
  g_return_if_fail (HEARTH_IS_MODEL_BUTTON (self));

  if (self->model == model)
    return;
  if (self->model != NULL)
    g_signal_handlers_disconnect_by_func (self->model, update_title, self);
  g_set_object (&self->model, model);
  if (model != NULL)
    g_signal_connect_object (model, "notify::title", G_CALLBACK (update_title), self,
                             G_CONNECT_SWAPPED);
  update_title (self);
}
