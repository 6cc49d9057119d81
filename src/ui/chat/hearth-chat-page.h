/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-chat-page.h - the page of one conversation: which model, the messages, the composer.
 * Actions: those of hearth-chat-page-actions.c. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-composer.h"
#include "hearth-conversation.h"
#include "hearth-error-card.h"
#include "hearth-settings.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_CHAT_PAGE (hearth_chat_page_get_type ())
G_DECLARE_FINAL_TYPE (HearthChatPage, hearth_chat_page, HEARTH, CHAT_PAGE, GtkWidget)

/* Property: low (there is little height: pictures that only greet are left out). */

/* The engine tells how far a load is; `library` fills the model button. Call once. */
void hearth_chat_page_set_sources (HearthChatPage *self, HearthEngine *engine, GListModel *library,
                                   HearthSettings *settings);
/* NULL: nothing is shown. */
void hearth_chat_page_set_conversation (HearthChatPage *self, HearthConversation *conversation);
/* Returns: (transfer none) (nullable) */
HearthConversation *hearth_chat_page_get_conversation (HearthChatPage *self);
/* Returns: (transfer none) */
HearthComposer *hearth_chat_page_get_composer (HearthChatPage *self);
/* Where failures of this window are shown while this page is. Returns: (transfer none) */
HearthErrorCard *hearth_chat_page_get_notice (HearthChatPage *self);

G_END_DECLS
