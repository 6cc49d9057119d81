/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conversations of the window. */
#include "hearth-window-private.h"

static void
add_conversation (HearthWindow *self, HearthConversation *conversation)
{
  g_autofree char *system_prompt = hearth_settings_dup_system_prompt (self->settings);
  HearthSampling sampling;

  hearth_settings_get_sampling (self->settings, &sampling);
  hearth_conversation_set_sampling (conversation, &sampling);
  hearth_conversation_set_system_prompt (conversation, system_prompt);
  hearth_conversation_set_limits (conversation, hearth_settings_get_context_length (self->settings),
                                  hearth_settings_get_threads (self->settings));
  g_signal_connect_object (conversation, "notify::title", G_CALLBACK (_hearth_window_update_title),
                           self, G_CONNECT_SWAPPED);
  g_list_store_insert (self->conversations, 0, conversation);
}

HearthConversation *
_hearth_window_get_fresh_chat (HearthWindow *self)
{
  HearthConversation *present = hearth_chat_page_get_conversation (self->chat_page);
  g_autoptr (HearthConversation) fresh = NULL;

  if (present != NULL && hearth_conversation_is_empty (present))
    return present;
  fresh = hearth_conversation_new (self->engine);
  if (present != NULL)
    hearth_conversation_set_model (fresh, hearth_conversation_get_model (present));
  add_conversation (self, fresh);
  return fresh; /* the list keeps it */
}

void
_hearth_window_show_chat (HearthWindow *self, HearthConversation *conversation)
{
  hearth_chat_page_set_conversation (self->chat_page, conversation);
  gtk_stack_set_visible_child (self->pages, GTK_WIDGET (self->chat_page));
  hearth_chat_list_select (hearth_sidebar_get_chat_list (self->sidebar), conversation);
  hearth_sidebar_set_place (self->sidebar, "chats");
  adw_navigation_split_view_set_show_content (self->split_view, TRUE);
  _hearth_window_update_title (self);
  _hearth_window_update_actions (self);
  gtk_widget_grab_focus (GTK_WIDGET (self->chat_page));
}

/* One model is in memory at a time: a load that no question waits for gives way. */
static void
stop_other_loads (HearthWindow *self, HearthConversation *wanted)
{
  GListModel *list = G_LIST_MODEL (self->conversations);

  for (guint i = 0; i < g_list_model_get_n_items (list); i++)
    {
      g_autoptr (HearthConversation) other = g_list_model_get_item (list, i);

      if (other != wanted && hearth_conversation_can_ask (other) &&
          hearth_conversation_get_state (other) == HEARTH_CONVERSATION_LOADING)
        hearth_conversation_stop (other);
    }
}

void
_hearth_window_use_model (HearthWindow *self, HearthConversation *conversation,
                          HearthModelFile *model)
{
  const HearthModelHeader *header = hearth_model_file_get_header (model);

  hearth_conversation_set_model (conversation, model);
  _hearth_window_update_actions (self);
  if (header == NULL || header->fit_error != NULL || !header->fit.fits)
    return;
  stop_other_loads (self, conversation);
  hearth_conversation_load (conversation);
}

void
_hearth_window_step_chat (HearthWindow *self, int by)
{
  HearthConversation *present = hearth_chat_page_get_conversation (self->chat_page);
  guint position;

  if (present == NULL || !g_list_store_find (self->conversations, present, &position))
    return;
  if ((by < 0 && position > 0) ||
      (by > 0 && position + 1 < g_list_model_get_n_items (G_LIST_MODEL (self->conversations))))
    {
      g_autoptr (HearthConversation) other =
        g_list_model_get_item (G_LIST_MODEL (self->conversations), (guint) ((int) position + by));

      _hearth_window_show_chat (self, other);
    }
}
