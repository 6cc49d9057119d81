/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-message.h - one question or one answer of a conversation. Main thread.
 *
 *   waiting ─▶ reading ─▶ answering ─┬▶ done
 *      │          │           │      └▶ stopped   (by the reader; the text so far stays)
 *      └──────────┴───────────┴──────▶ failed     (`error` says why)
 *
 * A question is done from the start. hearth_conversation moves the states; the reply stream appends
 * the text, and moves an answer from waiting to reading to answering. */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

typedef enum
{
  HEARTH_MESSAGE_QUESTION,
  HEARTH_MESSAGE_ANSWER,
} HearthMessageRole;

typedef enum
{
  HEARTH_MESSAGE_WAITING,
  HEARTH_MESSAGE_READING,
  HEARTH_MESSAGE_ANSWERING,
  HEARTH_MESSAGE_DONE,
  HEARTH_MESSAGE_STOPPED,
  HEARTH_MESSAGE_FAILED,
} HearthMessageState;

/* Why an answer ended. */
typedef enum
{
  HEARTH_ENDING_END,       /* the model had no more to say */
  HEARTH_ENDING_CONTEXT,   /* the context is full */
  HEARTH_ENDING_CANCELLED, /* somebody stopped it */
} HearthEnding;

/* What an answer took. */
typedef struct
{
  HearthEnding ending;
  guint64 n_prompt;     /* tokens of the prompt */
  guint64 n_reused;     /* of those, still in memory from before */
  guint64 n_generated;  /* tokens of the answer */
  double prefill_s;     /* seconds for reading the rest of the prompt */
  double decode_s;      /* seconds from the first to the last token of the answer */
  double first_token_s; /* seconds until the first token */
} HearthFigures;

#define HEARTH_TYPE_FIGURES (hearth_figures_get_type ())
GType hearth_figures_get_type (void) G_GNUC_CONST;

/* Tokens per second of the answer; 0 when there are too few to say. */
double hearth_figures_get_speed (const HearthFigures *figures);

#define HEARTH_TYPE_MESSAGE (hearth_message_get_type ())
G_DECLARE_FINAL_TYPE (HearthMessage, hearth_message, HEARTH, MESSAGE, GObject)

/* Properties: role, state, text, progress, figures, error. Signal "appended" (const char *text)
 * tells what was added at the end; "text" is not notified then. */

/* Returns: (transfer full) */
HearthMessage *hearth_message_new (HearthMessageRole role, const char *text);

HearthMessageRole hearth_message_get_role (HearthMessage *self);
HearthMessageState hearth_message_get_state (HearthMessage *self);
/* Whether nothing more will happen to it. */
gboolean hearth_message_is_finished (HearthMessage *self);
const char *hearth_message_get_text (HearthMessage *self);
/* Share of the prompt that has been read, 0 … 1. */
double hearth_message_get_progress (HearthMessage *self);
/* Returns: (transfer none) (nullable): NULL until the answer ended */
const HearthFigures *hearth_message_get_figures (HearthMessage *self);
/* Returns: (transfer none) (nullable) */
const GError *hearth_message_get_error (HearthMessage *self);

void hearth_message_append (HearthMessage *self, const char *text, gsize size);
void hearth_message_set_progress (HearthMessage *self, double progress);
void hearth_message_finish (HearthMessage *self, const HearthFigures *figures);
void hearth_message_fail (HearthMessage *self, const GError *error);
/* Stopped before the engine had begun. */
void hearth_message_stop (HearthMessage *self);

G_END_DECLS
