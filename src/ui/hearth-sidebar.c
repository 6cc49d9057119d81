/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-sidebar.h"

#include <adwaita.h>

struct _HearthSidebar
{
  GtkWidget parent_instance;

  GtkWidget *root;
  AdwViewStack *places;
  GtkStack *model_stack;
  GtkSingleSelection *conversation_selection;
  GtkSingleSelection *model_selection;
};

G_DEFINE_FINAL_TYPE (HearthSidebar, hearth_sidebar, GTK_TYPE_WIDGET)

enum
{
  CONVERSATION_CHOSEN,
  MODEL_CHOSEN,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

static void
conversation_activated_cb (HearthSidebar *self, guint position)
{
  g_autoptr (HearthConversation) conversation =
    g_list_model_get_item (G_LIST_MODEL (self->conversation_selection), position);

  if (conversation != NULL)
    g_signal_emit (self, signals[CONVERSATION_CHOSEN], 0, conversation);
}

static void
model_activated_cb (HearthSidebar *self, guint position)
{
  g_autoptr (HearthModelFile) model =
    g_list_model_get_item (G_LIST_MODEL (self->model_selection), position);

  if (model != NULL)
    g_signal_emit (self, signals[MODEL_CHOSEN], 0, model);
}

static void
models_changed_cb (HearthSidebar *self)
{
  gboolean any;

  if (self->model_selection == NULL)
    return; /* being disposed */
  any = g_list_model_get_n_items (G_LIST_MODEL (self->model_selection)) > 0;
  gtk_stack_set_visible_child_name (self->model_stack, any ? "list" : "empty");
}

static void
select (GtkSingleSelection *selection, gpointer item)
{
  GListModel *list = G_LIST_MODEL (selection);
  guint found = GTK_INVALID_LIST_POSITION;

  for (guint i = 0; item != NULL && i < g_list_model_get_n_items (list); i++)
    {
      g_autoptr (GObject) at = g_list_model_get_item (list, i);

      if (at == item)
        found = i;
    }
  gtk_single_selection_set_selected (selection, found);
}

static gboolean
hearth_sidebar_grab_focus (GtkWidget *widget)
{
  GtkWidget *child = adw_view_stack_get_visible_child (HEARTH_SIDEBAR (widget)->places);

  return child != NULL && gtk_widget_child_focus (child, GTK_DIR_TAB_FORWARD);
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

  G_OBJECT_CLASS (klass)->dispose = hearth_sidebar_dispose;
  widget_class->grab_focus = hearth_sidebar_grab_focus;

  signals[CONVERSATION_CHOSEN] =
    g_signal_new ("conversation-chosen", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                  NULL, NULL, G_TYPE_NONE, 1, HEARTH_TYPE_CONVERSATION);
  signals[MODEL_CHOSEN] =
    g_signal_new ("model-chosen", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                  G_TYPE_NONE, 1, HEARTH_TYPE_MODEL_FILE);

  g_type_ensure (HEARTH_TYPE_CONVERSATION);
  g_type_ensure (HEARTH_TYPE_MODEL_FILE);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/hearth_app/Hearth/hearth-sidebar.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthSidebar, root);
  gtk_widget_class_bind_template_child (widget_class, HearthSidebar, places);
  gtk_widget_class_bind_template_child (widget_class, HearthSidebar, model_stack);
  gtk_widget_class_bind_template_child (widget_class, HearthSidebar, conversation_selection);
  gtk_widget_class_bind_template_child (widget_class, HearthSidebar, model_selection);
  gtk_widget_class_bind_template_callback (widget_class, conversation_activated_cb);
  gtk_widget_class_bind_template_callback (widget_class, model_activated_cb);
}

static void
hearth_sidebar_init (HearthSidebar *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
hearth_sidebar_set_lists (HearthSidebar *self, GListModel *conversations, GListModel *models)
{
  g_return_if_fail (HEARTH_IS_SIDEBAR (self));

  gtk_single_selection_set_model (self->conversation_selection, conversations);
  gtk_single_selection_set_model (self->model_selection, models);
  g_signal_connect_object (models, "items-changed", G_CALLBACK (models_changed_cb), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  models_changed_cb (self);
}

void
hearth_sidebar_select_conversation (HearthSidebar *self, HearthConversation *conversation)
{
  g_return_if_fail (HEARTH_IS_SIDEBAR (self));

  select (self->conversation_selection, conversation);
}

void
hearth_sidebar_select_model (HearthSidebar *self, HearthModelFile *model)
{
  g_return_if_fail (HEARTH_IS_SIDEBAR (self));

  select (self->model_selection, model);
}

void
hearth_sidebar_set_place (HearthSidebar *self, const char *place)
{
  g_return_if_fail (HEARTH_IS_SIDEBAR (self));

  adw_view_stack_set_visible_child_name (self->places, place);
}
