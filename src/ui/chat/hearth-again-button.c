/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-again-button.h"

#include "hearth-focus.h"
#include "hearth-menu.h"

struct _HearthAgainButton
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkMenuButton *menu_button;
};

G_DEFINE_FINAL_TYPE (HearthAgainButton, hearth_again_button, GTK_TYPE_WIDGET)

/* Every answer has such a button, and few are ever opened: the menu is made when it is. */
static void
create_menu_cb (GtkMenuButton *button, gpointer user_data)
{
  g_autoptr (GMenuModel) menu = NULL;
  GtkWidget *popover;

  if (gtk_menu_button_get_popover (button) != NULL)
    return;
  menu = hearth_menu_new ("chat/hearth-chat-menus.ui", "answer_menu");
  popover = gtk_popover_menu_new_from_model (menu);
  gtk_menu_button_set_popover (button, popover);
}

static void
hearth_again_button_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_AGAIN_BUTTON);
  G_OBJECT_CLASS (hearth_again_button_parent_class)->dispose (object);
}

static void
hearth_again_button_class_init (HearthAgainButtonClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  G_OBJECT_CLASS (klass)->dispose = hearth_again_button_dispose;
  gtk_widget_class_set_css_name (widget_class, "againbutton");
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/chat/hearth-again-button.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthAgainButton, root);
  gtk_widget_class_bind_template_child (widget_class, HearthAgainButton, menu_button);
}

static void
hearth_again_button_init (HearthAgainButton *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_menu_button_set_create_popup_func (self->menu_button, create_menu_cb, NULL, NULL);
}
