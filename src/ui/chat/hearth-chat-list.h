/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-chat-list.h - the place "Chats" of the sidebar: the conversations by when they were used,
 * with a search that appears on typing.
 *
 * Keys in the list: F2 renames, Delete deletes, Menu and Shift+F10 open the menu of the row. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-conversation-list.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_CHAT_LIST (hearth_chat_list_get_type ())
G_DECLARE_FINAL_TYPE (HearthChatList, hearth_chat_list, HEARTH, CHAT_LIST, GtkWidget)

/* Signal "conversation-chosen" (HearthConversation). */

/* Call once. */
void hearth_chat_list_set_list (HearthChatList *self, HearthConversationList *conversations);
/* Selects without a signal; NULL selects nothing. */
void hearth_chat_list_select (HearthChatList *self, HearthConversation *conversation);
/* The chat that is shown `by` rows below. Returns: (transfer none) (nullable) */
HearthConversation *hearth_chat_list_get_neighbour (HearthChatList *self,
                                                    HearthConversation *conversation, int by);
/* The chat whose row has the keyboard. Returns: (transfer none) (nullable) */
HearthConversation *hearth_chat_list_get_focused (HearthChatList *self);
/* Opens the search. */
void hearth_chat_list_find (HearthChatList *self);

/* For the template of section headers. Returns: (transfer full) (nullable) */
char *hearth_chat_list_section_title (gpointer header, gboolean pinned, gint64 updated);
/* Hides what a swipe has shown in a row. */
void hearth_chat_list_end_swipes (HearthChatList *self);

G_END_DECLS
