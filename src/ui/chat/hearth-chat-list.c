/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-chat-list.h"

struct _HearthChatList
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkSingleSelection *selection;
};

G_DEFINE_FINAL_TYPE (HearthChatList, hearth_chat_list, GTK_TYPE_WIDGET)

enum
{
  CONVERSATION_CHOSEN,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

static void
activated_cb (HearthChatList *self, guint position)
{
  g_autoptr (HearthConversation) conversation =
    g_list_model_get_item (G_LIST_MODEL (self->selection), position);

  if (conversation != NULL)
    g_signal_emit (self, signals[CONVERSATION_CHOSEN], 0, conversation);
}

static gboolean
hearth_chat_list_grab_focus (GtkWidget *widget)
{
  return gtk_widget_child_focus (HEARTH_CHAT_LIST (widget)->root, GTK_DIR_TAB_FORWARD);
}

static void
hearth_chat_list_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_CHAT_LIST);
  G_OBJECT_CLASS (hearth_chat_list_parent_class)->dispose (object);
}

static void
hearth_chat_list_class_init (HearthChatListClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hearth_chat_list_dispose;
  widget_class->grab_focus = hearth_chat_list_grab_focus;

  signals[CONVERSATION_CHOSEN] =
    g_signal_new ("conversation-chosen", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                  NULL, NULL, G_TYPE_NONE, 1, HEARTH_TYPE_CONVERSATION);

  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/chat/hearth-chat-list.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthChatList, root);
  gtk_widget_class_bind_template_child (widget_class, HearthChatList, selection);
  gtk_widget_class_bind_template_callback (widget_class, activated_cb);
}

static void
hearth_chat_list_init (HearthChatList *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
hearth_chat_list_set_list (HearthChatList *self, GListModel *conversations)
{
  g_return_if_fail (HEARTH_IS_CHAT_LIST (self));

  gtk_single_selection_set_model (self->selection, conversations);
}

void
hearth_chat_list_select (HearthChatList *self, HearthConversation *conversation)
{
  GListModel *list;
  guint found = GTK_INVALID_LIST_POSITION;

  g_return_if_fail (HEARTH_IS_CHAT_LIST (self));

  list = G_LIST_MODEL (self->selection);
  for (guint i = 0; conversation != NULL && i < g_list_model_get_n_items (list); i++)
    {
      g_autoptr (GObject) at = g_list_model_get_item (list, i);

      if (at == G_OBJECT (conversation))
        found = i;
    }
  gtk_single_selection_set_selected (self->selection, found);
}
