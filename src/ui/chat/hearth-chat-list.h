/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-chat-list.h - the place "Chats" of the sidebar: the list of conversations. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-conversation.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_CHAT_LIST (hearth_chat_list_get_type ())
G_DECLARE_FINAL_TYPE (HearthChatList, hearth_chat_list, HEARTH, CHAT_LIST, GtkWidget)

/* Signal "conversation-chosen" (HearthConversation): somebody wants to see it. */

/* A list of HearthConversation. Call once. */
void hearth_chat_list_set_list (HearthChatList *self, GListModel *conversations);
/* Selects without a signal; NULL selects nothing. */
void hearth_chat_list_select (HearthChatList *self, HearthConversation *conversation);

G_END_DECLS
