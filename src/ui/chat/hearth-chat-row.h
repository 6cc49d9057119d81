/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-chat-row.h - one chat in the list: its title, and a dim line with model and time. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-conversation.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_CHAT_ROW (hearth_chat_row_get_type ())
G_DECLARE_FINAL_TYPE (HearthChatRow, hearth_chat_row, HEARTH, CHAT_ROW, GtkWidget)

/* Properties: conversation; title, detail (read-only: what is written there). */

/* Returns: (transfer none) (nullable) */
HearthConversation *hearth_chat_row_get_conversation (HearthChatRow *self);
/* What can be done with this chat, in a menu that points at the row. */
void hearth_chat_row_popup_menu (HearthChatRow *self);
/* Hides what a swipe has shown. */
void hearth_chat_row_end_swipe (HearthChatRow *self);

G_END_DECLS
