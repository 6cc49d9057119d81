/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-message.h - one question or one answer of a conversation. Main thread.
 *
 *   waiting ─▶ reading ─▶ answering ─┬▶ done     (done, stopped ─resume─▶ waiting)
 *      │          │           │      └▶ stopped   (by the reader; the text so far stays)
 *      └──────────┴───────────┴──────▶ failed     (`error` says why)
 *
 * A question is done from the start. hearth_conversation moves the states; the reply stream appends
 * the text, and moves an answer from waiting to reading to answering. */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

/* Role, state and ending are kept with chats as numbers: new ones are added at the end. */
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
  HEARTH_ENDING_LENGTH,    /* it reached the length that was asked for */
  /* The program ended before it did: killed, or the power went. No figures are known. */
  HEARTH_ENDING_INTERRUPTED,
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
  guint64 n_left_out;   /* messages at the beginning that the model was not given */
} HearthFigures;

#define HEARTH_TYPE_FIGURES (hearth_figures_get_type ())
GType hearth_figures_get_type (void) G_GNUC_CONST;

/* Tokens per second of the answer; 0 when there are too few to say. */
double hearth_figures_get_speed (const HearthFigures *figures);

/* The whole of an answer that was continued: `figures` are those of its end, `before` (NULL: there
 * is none) those of what was there before. */
void hearth_figures_add (HearthFigures *figures, const HearthFigures *before);

#define HEARTH_TYPE_MESSAGE (hearth_message_get_type ())
G_DECLARE_FINAL_TYPE (HearthMessage, hearth_message, HEARTH, MESSAGE, GObject)

/* Properties: role, state, text, progress, figures, error, n-versions, version, thinking-ms.
 * Signal "appended" (const char *text) tells what was added at the end; "text" is not notified
 * then. "thought" does so for the thoughts. */

/* All there is to a message, as it is kept on disk. Strings are borrowed. */
typedef struct
{
  guint id;     /* unique in its conversation, growing; 0: given by the tree */
  guint parent; /* the message before it; 0: none */
  HearthMessageRole role;
  HearthMessageState state;
  gboolean chosen; /* among its versions, the one that is shown */
  gint64 created;  /* microseconds since 1970 */
  const char *text;
  const char *thinking; /* NULL: none */
  guint thinking_ms;
  const char *model_title;      /* who answered; NULL for questions, or when nobody knows */
  const HearthFigures *figures; /* NULL: none */
  const GError *error;          /* NULL unless it failed */
  const char *edit;             /* being written in its place; NULL: nothing */
} HearthMessageRecord;

/* Returns: (transfer full) */
HearthMessage *hearth_message_new (HearthMessageRole role, const char *text);
/* As it was kept. A record of an answer that still grew becomes one that was stopped, with
 * HEARTH_ENDING_INTERRUPTED.
 * Returns: (transfer full) */
HearthMessage *hearth_message_new_from_record (const HearthMessageRecord *record);

HearthMessageRole hearth_message_get_role (HearthMessage *self);
HearthMessageState hearth_message_get_state (HearthMessage *self);
/* Whether nothing more will happen to it. */
gboolean hearth_message_is_finished (HearthMessage *self);
/* Whether it ended before the model had said all (stopped, too long, or the context was full), with
 * something to go on from: an answer or thoughts. */
gboolean hearth_message_can_go_on (HearthMessage *self);
const char *hearth_message_get_text (HearthMessage *self);
/* Nothing, or white space alone: no question and no answer. UTF-8. */
gboolean hearth_text_is_blank (const char *text);
/* What the model thought before it answered, as far as its template tells it from the answer;
 * "" for nothing. No part of the text. */
const char *hearth_message_get_thinking (HearthMessage *self);
/* What copying it gives: its text, or its thoughts when it was stopped before there was any.
 * Returns: (transfer none) */
const char *hearth_message_get_copy_text (HearthMessage *self);
/* Whether it thinks now, and for how long it has or had been doing so. */
gboolean hearth_message_is_thinking (HearthMessage *self);
guint hearth_message_get_thinking_ms (HearthMessage *self);
/* Share of the prompt that has been read, 0 … 1. */
double hearth_message_get_progress (HearthMessage *self);
/* Returns: (transfer none) (nullable): NULL until the answer ended */
const HearthFigures *hearth_message_get_figures (HearthMessage *self);
/* Returns: (transfer none) (nullable) */
const GError *hearth_message_get_error (HearthMessage *self);
/* Unique in its conversation; 0 while it is in none. */
guint hearth_message_get_id (HearthMessage *self);
/* Microseconds since 1970. */
gint64 hearth_message_get_created (HearthMessage *self);
/* Who answers, as the model was called then. Returns: (transfer none) (nullable) */
const char *hearth_message_get_model_title (HearthMessage *self);
/* How many versions there are of it (answers to the same question, questions after the same
 * answer), itself included, and which of them it is, from 0. */
guint hearth_message_get_n_versions (HearthMessage *self);
guint hearth_message_get_version (HearthMessage *self);
/* What somebody is writing in its place and has not sent yet. Returns: (transfer none) (nullable)
 */
const char *hearth_message_get_edit (HearthMessage *self);

void hearth_message_append (HearthMessage *self, const char *text, gsize size);
/* Adds to the thoughts, and begins thinking if it had not. Thinking ends with the first text after
 * it, or with the answer. */
void hearth_message_think (HearthMessage *self, const char *text, gsize size);
void hearth_message_set_progress (HearthMessage *self, double progress);
/* `figures` is NULL when somebody wrote the answer themselves. */
void hearth_message_finish (HearthMessage *self, const HearthFigures *figures);
void hearth_message_fail (HearthMessage *self, const GError *error);
/* Stopped before the engine had begun. */
void hearth_message_stop (HearthMessage *self);
/* A finished answer that is gone on with: it waits again, its text stays, its figures go. */
void hearth_message_resume (HearthMessage *self);

/* For the conversation: who it comes from, and where it stands. */
void hearth_message_set_model_title (HearthMessage *self, const char *title);
void hearth_message_set_id (HearthMessage *self, guint id);
/* Returns whether it was another one. */
gboolean hearth_message_set_edit (HearthMessage *self, const char *text);
void hearth_message_set_versions (HearthMessage *self, guint version, guint n_versions);

G_END_DECLS
