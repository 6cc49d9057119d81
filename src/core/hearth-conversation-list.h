/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-conversation-list.h - all chats there are: pinned ones first, then the last used first; a
 * list of HearthConversation. Main thread.
 *
 * What the store has is read once, while the program starts (`ready`); until then, and besides,
 * there may be chats that were begun since. */
#pragma once

#include "hearth-conversation.h"
#include "hearth-library.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_CONVERSATION_LIST (hearth_conversation_list_get_type ())
G_DECLARE_FINAL_TYPE (HearthConversationList, hearth_conversation_list, HEARTH, CONVERSATION_LIST,
                      GObject)

/* Properties: ready, store. Signal "used": a HearthConversation was, and stays where it is. */

/* `library` knows the files of the chats' models. Returns: (transfer full) */
HearthConversationList *hearth_conversation_list_new (HearthEngine *engine,
                                                      HearthConversationStore *store,
                                                      HearthLibrary *library,
                                                      HearthSettings *settings);

gboolean hearth_conversation_list_get_ready (HearthConversationList *self);
/* Returns: (transfer none) */
HearthConversationStore *hearth_conversation_list_get_store (HearthConversationList *self);
/* Also one that is hidden. Returns: (transfer none) (nullable) */
HearthConversation *hearth_conversation_list_find (HearthConversationList *self, gint64 id);

/* An empty chat, with the settings that new ones begin with: the one that is there, or a new one.
 * Returns: (transfer none) */
HearthConversation *hearth_conversation_list_get_fresh (HearthConversationList *self);
/* Takes an empty chat out again when nobody did anything with it. */
void hearth_conversation_list_tidy (HearthConversationList *self, HearthConversation *conversation);
/* Returns: (transfer none) */
HearthConversation *hearth_conversation_list_duplicate (HearthConversationList *self,
                                                        HearthConversation *conversation,
                                                        const char *title);

/* Reads the chat's messages and finds its model, and remembers that it is the one that is open. */
void hearth_conversation_list_open (HearthConversationList *self, HearthConversation *conversation);
/* Gives a chat without a model that of the chat used last, if there is one. */
void hearth_conversation_list_lend_model (HearthConversationList *self,
                                          HearthConversation *conversation);
/* The one that was open when the program ended. Returns: (transfer none) (nullable) */
HearthConversation *hearth_conversation_list_get_last_open (HearthConversationList *self);

/* Deleting, in two steps: out of sight, then out of the store. */
void hearth_conversation_list_hide (HearthConversationList *self, HearthConversation *conversation);
/* Back again; FALSE when it is too late. */
gboolean hearth_conversation_list_unhide (HearthConversationList *self, gint64 id);
void hearth_conversation_list_purge (HearthConversationList *self, gint64 id);
/* Purges what is hidden and lets go of all chats; what is said in them is saved. */
void hearth_conversation_list_close (HearthConversationList *self);

G_END_DECLS
