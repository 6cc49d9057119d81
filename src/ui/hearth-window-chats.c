/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The conversations of the window. */
#include "hearth-store-banner.h"
#include "hearth-window-private.h"

/* One without a model gets that of the other chat, or else what is in memory. */
static void
lend_model (HearthWindow *self, HearthConversation *fresh, HearthConversation *other)
{
  HearthModelFile *model = other != NULL ? hearth_conversation_get_model (other) : NULL;
  g_autoptr (HearthModelFile) loaded = NULL;

  if (hearth_conversation_get_model (fresh) != NULL)
    return;
  if (model == NULL && hearth_engine_get_path (self->engine) != NULL)
    model = loaded = hearth_library_ref_file (self->library, hearth_engine_get_path (self->engine));
  if (model != NULL)
    hearth_conversation_set_model (fresh, model);
}

HearthConversation *
_hearth_window_get_chat_after (HearthWindow *self, HearthConversation *before)
{
  HearthConversation *fresh = hearth_conversation_list_get_fresh (self->conversations);

  lend_model (self, fresh, before);
  return fresh;
}

HearthConversation *
_hearth_window_get_fresh_chat (HearthWindow *self)
{
  HearthConversation *present = hearth_chat_page_get_conversation (self->chat_page);

  if (present == NULL || !hearth_conversation_is_empty (present))
    return _hearth_window_get_chat_after (self, present);
  lend_model (self, present, NULL);
  return present;
}

/* What is written belongs to the present chat, whatever becomes of the window. */
static void
composer_changed_cb (HearthWindow *self)
{
  HearthConversation *conversation = hearth_chat_page_get_conversation (self->chat_page);
  g_autofree char *draft = NULL;

  if (conversation == NULL)
    return;
  draft = hearth_composer_dup_text (hearth_chat_page_get_composer (self->chat_page));
  hearth_conversation_set_draft (conversation, draft);
}

static void
show_draft (HearthWindow *self, HearthConversation *conversation)
{
  HearthComposer *composer = hearth_chat_page_get_composer (self->chat_page);

  g_signal_handlers_block_by_func (composer, composer_changed_cb, self);
  hearth_composer_set_text (composer, hearth_conversation_get_draft (conversation));
  g_signal_handlers_unblock_by_func (composer, composer_changed_cb, self);
}

/* Makes it the present chat, whether the place Chats is shown or not. */
static void
set_present (HearthWindow *self, HearthConversation *conversation)
{
  HearthConversation *before = hearth_chat_page_get_conversation (self->chat_page);

  if (before != conversation)
    {
      if (before != NULL)
        {
          g_signal_handlers_disconnect_by_func (before, _hearth_window_update_title, self);
          hearth_conversation_list_tidy (self->conversations, before);
        }
      g_signal_connect_object (conversation, "notify::title",
                               G_CALLBACK (_hearth_window_update_title), self, G_CONNECT_SWAPPED);
      hearth_conversation_list_open (self->conversations, conversation);
    }
  hearth_chat_page_set_conversation (self->chat_page, conversation);
  if (before != conversation)
    show_draft (self, conversation);
  hearth_chat_list_select (hearth_sidebar_get_chat_list (self->sidebar), conversation);
  _hearth_window_update_title (self);
  _hearth_window_update_actions (self);
}

void
_hearth_window_show_chat (HearthWindow *self, HearthConversation *conversation)
{
  set_present (self, conversation);
  gtk_stack_set_visible_child (self->pages, GTK_WIDGET (self->chat_page));
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
  HearthConversation *other =
    hearth_chat_list_get_neighbour (hearth_sidebar_get_chat_list (self->sidebar), present, by);

  if (other != NULL)
    _hearth_window_show_chat (self, other);
}

static void
chats_ready_cb (HearthWindow *self)
{
  HearthConversation *present;
  HearthConversation *last;

  if (self->chat_page == NULL)
    return; /* being disposed */
  present = hearth_chat_page_get_conversation (self->chat_page);
  last = hearth_conversation_list_get_last_open (self->conversations);
  /* Only in place of the chat that this window began with, and if nobody did anything with it. */
  if (self->opened != NULL || !hearth_conversation_is_empty (present) ||
      *hearth_conversation_get_draft (present) != '\0')
    return;
  if (last == NULL)
    hearth_conversation_list_lend_model (self->conversations, present);
  else
    set_present (self, last);
  if (last == NULL && hearth_conversation_get_model (present) == NULL)
    return;
  _hearth_window_update_actions (self);
  if (gtk_stack_get_visible_child (self->pages) == GTK_WIDGET (self->chat_page))
    gtk_widget_grab_focus (GTK_WIDGET (self->chat_page));
}

/* Under the header bar of the chats. */
static void
add_store_banner (HearthWindow *self)
{
  GtkWidget *composer = GTK_WIDGET (hearth_chat_page_get_composer (self->chat_page));
  GtkWidget *view = gtk_widget_get_ancestor (composer, ADW_TYPE_TOOLBAR_VIEW);

  adw_toolbar_view_add_top_bar (
    ADW_TOOLBAR_VIEW (view),
    hearth_store_banner_new (hearth_conversation_list_get_store (self->conversations)));
}

void
_hearth_window_begin_chats (HearthWindow *self)
{
  add_store_banner (self);
  g_signal_connect_object (hearth_chat_page_get_composer (self->chat_page), "changed",
                           G_CALLBACK (composer_changed_cb), self, G_CONNECT_SWAPPED);
  set_present (self, hearth_conversation_list_get_fresh (self->conversations));
  if (hearth_conversation_list_get_ready (self->conversations))
    chats_ready_cb (self);
  else
    g_signal_connect_object (self->conversations, "notify::ready", G_CALLBACK (chats_ready_cb),
                             self, G_CONNECT_SWAPPED);
}
