/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-sidebar.h"

#include <adwaita.h>

#include "hearth-focus.h"

struct _HearthSidebar
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkMenuButton *menu_button;
  AdwViewStack *places;
  HearthChatList *chat_list;
  HearthModelList *model_list;
  HearthLoadedRow *loaded_row;
};

G_DEFINE_FINAL_TYPE (HearthSidebar, hearth_sidebar, GTK_TYPE_WIDGET)

enum
{
  PLACE_CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

static void
place_changed_cb (HearthSidebar *self)
{
  if (self->places != NULL && adw_view_stack_get_visible_child_name (self->places) != NULL)
    g_signal_emit (self, signals[PLACE_CHANGED], 0);
}

static gboolean
hearth_sidebar_grab_focus (GtkWidget *widget)
{
  HearthSidebar *self = HEARTH_SIDEBAR (widget);

  /* A list without rows has nothing to go to. */
  return gtk_widget_grab_focus (adw_view_stack_get_visible_child (self->places)) ||
         gtk_widget_child_focus (self->root, GTK_DIR_TAB_FORWARD);
}

static void
hearth_sidebar_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_SIDEBAR);
  G_OBJECT_CLASS (hearth_sidebar_parent_class)->dispose (object);
}

static void
hearth_sidebar_class_init (HearthSidebarClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  G_OBJECT_CLASS (klass)->dispose = hearth_sidebar_dispose;
  widget_class->grab_focus = hearth_sidebar_grab_focus;

  signals[PLACE_CHANGED] = g_signal_new ("place-changed", G_TYPE_FROM_CLASS (klass),
                                         G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);

  g_type_ensure (HEARTH_TYPE_CHAT_LIST);
  g_type_ensure (HEARTH_TYPE_LOADED_ROW);
  g_type_ensure (HEARTH_TYPE_MODEL_LIST);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/hearth_app/Hearth/hearth-sidebar.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthSidebar, root);
  gtk_widget_class_bind_template_child (widget_class, HearthSidebar, menu_button);
  gtk_widget_class_bind_template_child (widget_class, HearthSidebar, places);
  gtk_widget_class_bind_template_child (widget_class, HearthSidebar, chat_list);
  gtk_widget_class_bind_template_child (widget_class, HearthSidebar, model_list);
  gtk_widget_class_bind_template_child (widget_class, HearthSidebar, loaded_row);
  gtk_widget_class_bind_template_callback (widget_class, place_changed_cb);
}

static void
hearth_sidebar_init (HearthSidebar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

HearthChatList *
hearth_sidebar_get_chat_list (HearthSidebar *self)
{
  g_return_val_if_fail (HEARTH_IS_SIDEBAR (self), NULL);

  return self->chat_list;
}

HearthModelList *
hearth_sidebar_get_model_list (HearthSidebar *self)
{
  g_return_val_if_fail (HEARTH_IS_SIDEBAR (self), NULL);

  return self->model_list;
}

void
hearth_sidebar_set_place (HearthSidebar *self, const char *place)
{
  g_return_if_fail (HEARTH_IS_SIDEBAR (self));

  adw_view_stack_set_visible_child_name (self->places, place);
}

const char *
hearth_sidebar_get_place (HearthSidebar *self)
{
  g_return_val_if_fail (HEARTH_IS_SIDEBAR (self), NULL);

  return adw_view_stack_get_visible_child_name (self->places);
}

HearthLoadedRow *
hearth_sidebar_get_loaded_row (HearthSidebar *self)
{
  g_return_val_if_fail (HEARTH_IS_SIDEBAR (self), NULL);

  return self->loaded_row;
}
