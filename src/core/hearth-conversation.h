/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-conversation.h - one chat: a list of HearthMessage, and what may be done with it. Main
 * thread.
 *
 *   idle ─load─▶ loading ─▶ idle            (`load_error` is set when it failed)
 *   idle ─ask, regenerate─▶ [loading ─▶] answering ─▶ idle
 *   loading, answering ─stop─▶ the same state until the engine has seen it, then idle
 *
 * A question asked while the model is still loading waits for it. */
#pragma once

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

/* Properties: title, model, state, load-error, can-ask, can-regenerate. */

/* Returns: (transfer full) */
HearthConversation *hearth_conversation_new (HearthEngine *engine);

/* The first question's first line; NULL before there is one. Returns: (nullable) */
const char *hearth_conversation_get_title (HearthConversation *self);
/* Returns: (transfer none) (nullable) */
HearthModelFile *hearth_conversation_get_model (HearthConversation *self);
void hearth_conversation_set_model (HearthConversation *self, HearthModelFile *model);
HearthConversationState hearth_conversation_get_state (HearthConversation *self);
/* Why the model could not be loaded. Returns: (transfer none) (nullable) */
const GError *hearth_conversation_get_load_error (HearthConversation *self);
gboolean hearth_conversation_can_ask (HearthConversation *self);
gboolean hearth_conversation_can_regenerate (HearthConversation *self);
/* Whether nothing has been asked yet. */
gboolean hearth_conversation_is_empty (HearthConversation *self);

/* What the next answers are made with. */
void hearth_conversation_set_sampling (HearthConversation *self, const HearthSampling *sampling);
void hearth_conversation_set_limits (HearthConversation *self, guint n_ctx, guint n_threads);
/* NULL or "": none. */
void hearth_conversation_set_system_prompt (HearthConversation *self, const char *text);

/* Loads the model now, so that the first answer need not wait. */
void hearth_conversation_load (HearthConversation *self);
/* Asks; does nothing unless can-ask, or when `text` is only white space. Returns whether it did. */
gboolean hearth_conversation_ask (HearthConversation *self, const char *text);
/* Answers the last question again. */
void hearth_conversation_regenerate (HearthConversation *self);
/* Ends the load or the answer that is going on; text that is there stays. */
void hearth_conversation_stop (HearthConversation *self);

G_END_DECLS
