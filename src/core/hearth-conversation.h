/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-conversation.h - one chat: the list of HearthMessage that is read, the tree of versions
 * behind it, and what may be done with it. Main thread.
 *
 *   idle ─load─▶ loading ─▶ idle            (`load_error` is set when it failed)
 *   idle ─ask, regenerate, edit, continue─▶ [loading ─▶] answering ─▶ idle
 *   loading, answering ─stop─▶ the same state until the engine has seen it, then idle
 *
 * A question asked while the model is still loading waits for it.
 *
 * A conversation of a store is written there as it changes, an answer while it grows. One that
 * comes from there knows its title, model and settings at once and its messages when they were
 * asked for
 * (`restoring` until they are read). */
#pragma once

#include "hearth-chat-settings.h"
#include "hearth-conversation-store.h"
#include "hearth-engine.h"
#include "hearth-message.h"
#include "hearth-model-file.h"

G_BEGIN_DECLS

typedef enum
{
  HEARTH_CONVERSATION_IDLE,
  HEARTH_CONVERSATION_LOADING,
  HEARTH_CONVERSATION_ANSWERING,
} HearthConversationState;

#define HEARTH_TYPE_CONVERSATION (hearth_conversation_get_type ())
G_DECLARE_FINAL_TYPE (HearthConversation, hearth_conversation, HEARTH, CONVERSATION, GObject)

/* Properties: title, model, model-title, pinned, updated, untouched, restoring, state, load-error,
 * can-ask, can-regenerate, can-branch, can-continue. */

/* Returns: (transfer full) */
HearthConversation *hearth_conversation_new (HearthEngine *engine);
/* One that `store` keeps: a new one, which is kept as soon as there is something in it, or the one
 * of `record`. Its model is the caller's to find (get_model_path()). Returns: (transfer full) */
HearthConversation *hearth_conversation_new_kept (HearthEngine *engine,
                                                  HearthConversationStore *store,
                                                  const HearthConversationRecord *record);
/* Reads its messages from the store, unless they are there. */
void hearth_conversation_restore (HearthConversation *self);
/* A copy with all its messages, also of those that are not read yet; kept under `title`.
 * Returns: (transfer full) */
HearthConversation *hearth_conversation_duplicate (HearthConversation *self, const char *title);
/* Hands over to the store now what waits to be saved. */
void hearth_conversation_save (HearthConversation *self);
/* Ends what goes on and saves; what happens to it from now on is not kept. */
void hearth_conversation_close (HearthConversation *self);
/* Takes it out of the store; what happens to it from now on is not kept. */
void hearth_conversation_forget (HearthConversation *self);

/* ---- what it is ------------------------------------------------------------------------- */

/* Nobody else's. */
gint64 hearth_conversation_get_id (HearthConversation *self);
/* The name somebody gave it, or the first question's first line; NULL before there is one.
 * Returns: (nullable) */
const char *hearth_conversation_get_title (HearthConversation *self);
/* NULL or "": the first question's again. */
void hearth_conversation_set_title (HearthConversation *self, const char *title);
gboolean hearth_conversation_get_pinned (HearthConversation *self);
void hearth_conversation_set_pinned (HearthConversation *self, gboolean pinned);
/* Microseconds since 1970: when something was asked last, so that an answer that ends moves
 * nothing. */
gint64 hearth_conversation_get_updated (HearthConversation *self);
/* Returns: (transfer none) (nullable) */
HearthModelFile *hearth_conversation_get_model (HearthConversation *self);
void hearth_conversation_set_model (HearthConversation *self, HearthModelFile *model);
/* The name of the model, also of one whose file is not there any more.
 * Returns: (transfer none) (nullable) */
const char *hearth_conversation_get_model_title (HearthConversation *self);
/* Where its file is, or was. Returns: (transfer none) (nullable) */
const char *hearth_conversation_get_model_path (HearthConversation *self);
HearthConversationState hearth_conversation_get_state (HearthConversation *self);
/* Whether its messages are still being read from the store. */
gboolean hearth_conversation_get_restoring (HearthConversation *self);
/* Why the model could not be loaded. Returns: (transfer none) (nullable) */
const GError *hearth_conversation_get_load_error (HearthConversation *self);
gboolean hearth_conversation_can_ask (HearthConversation *self);
/* By its header the model does not fit, and is neither loaded nor being loaded: whoever asks would
 * load it, so it takes hearth_conversation_load() first. */
gboolean hearth_conversation_is_too_big (HearthConversation *self);
gboolean hearth_conversation_can_regenerate (HearthConversation *self);
/* Whether another version of a message may be shown or made. */
gboolean hearth_conversation_can_branch (HearthConversation *self);
/* Whether the last answer was stopped or cut off, so that it can go on. */
gboolean hearth_conversation_can_continue (HearthConversation *self);
/* Whether nothing has been asked yet. */
gboolean hearth_conversation_is_empty (HearthConversation *self);
/* Whether, besides, nobody has written anything for it or marked it: nothing is lost with it. */
gboolean hearth_conversation_is_untouched (HearthConversation *self);

/* What the next answers are made with; what follows is some of it. Returns: (transfer none) */
HearthChatSettings *hearth_conversation_get_settings (HearthConversation *self);
void hearth_conversation_set_sampling (HearthConversation *self, const HearthSampling *sampling);
void hearth_conversation_set_limits (HearthConversation *self, guint n_ctx, guint n_threads);
/* What a chat begins with; NULL or "": nothing. */
void hearth_conversation_set_system_prompt (HearthConversation *self, const char *text);
/* Its settings are what every new chat has: with them it still counts as untouched. */
void hearth_conversation_settle (HearthConversation *self);

/* What is written and not asked yet; never NULL. */
const char *hearth_conversation_get_draft (HearthConversation *self);
void hearth_conversation_set_draft (HearthConversation *self, const char *text);
/* What is written in place of a message and not sent yet (hearth_message_get_edit()): kept like the
 * draft. NULL, or what the message says: nothing. */
void hearth_conversation_set_edit (HearthConversation *self, HearthMessage *message,
                                   const char *text);
/* Where the reader was: the message at the top of the view and how many pixels of it are above.
 * An id of 0 is the end of the conversation. */
void hearth_conversation_get_place (HearthConversation *self, guint *message_id, double *offset);
void hearth_conversation_set_place (HearthConversation *self, guint message_id, double offset);

/* ---- what is done with it --------------------------------------------------------------- */

/* Loads the model now, so that the first answer need not wait. */
void hearth_conversation_load (HearthConversation *self);
/* Asks; does nothing unless can-ask, or when `text` is only white space. Returns whether it did. */
gboolean hearth_conversation_ask (HearthConversation *self, const char *text);
/* Answers the last question again: a new version of its answer. */
void hearth_conversation_regenerate (HearthConversation *self);
/* The same for any answer in the list; what followed it stays with its other version. Returns
 * whether it did. */
gboolean hearth_conversation_regenerate_answer (HearthConversation *self, HearthMessage *answer);
/* A new version of a message in the list: a question is asked in these words, an answer just says
 * `text` from now on. Returns whether it did. */
gboolean hearth_conversation_edit (HearthConversation *self, HearthMessage *message,
                                   const char *text);
/* Shows another version of a message in the list, with what followed that one. Does nothing unless
 * can-branch. */
void hearth_conversation_show_version (HearthConversation *self, HearthMessage *message,
                                       guint version);
/* Goes on with the last answer where it stopped: the same message grows. */
void hearth_conversation_continue (HearthConversation *self);
/* Counts the tokens of the conversation with `draft` (NULL or blank: none) as its next question.
 * Nothing is loaded for it: HEARTH_ERROR_NOT_LOADED when the model is not in memory. */
void hearth_conversation_count_async (HearthConversation *self, const char *draft,
                                      GCancellable *cancellable, GAsyncReadyCallback callback,
                                      gpointer user_data);
gboolean hearth_conversation_count_finish (HearthConversation *self, GAsyncResult *result,
                                           HearthCount *count, GError **error);
/* Ends the load or the answer that is going on; text that is there stays. */
void hearth_conversation_stop (HearthConversation *self);

G_END_DECLS
