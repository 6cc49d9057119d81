/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-message-list.h - the messages of a conversation, one row each. The view follows a growing
 * answer only while it is at the end; otherwise a button leads back there. Where the reader was is
 * kept in the conversation.
 *
 * Keys on a row: Up, Down, Home, End to other rows; Tab goes into its text. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-conversation.h"
#include "hearth-settings.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_MESSAGE_LIST (hearth_message_list_get_type ())
G_DECLARE_FINAL_TYPE (HearthMessageList, hearth_message_list, HEARTH, MESSAGE_LIST, GtkWidget)

/* Properties: enter-sends, wrap-code; both follow the settings. So does the size of the text. */
void hearth_message_list_set_settings (HearthMessageList *self, HearthSettings *settings);
/* NULL: nothing is shown. */
void hearth_message_list_set_conversation (HearthMessageList *self,
                                           HearthConversation *conversation);
/* Goes to the end, and follows from there. */
void hearth_message_list_scroll_to_end (HearthMessageList *self);
/* Turns the last question into an editor in its place. Returns whether there is one. */
gboolean hearth_message_list_edit_last (HearthMessageList *self);

G_END_DECLS
