/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-engine.h - the bridge to Ember: one worker thread that loads a model and answers, in the
 * order it was asked.
 *
 * The object lives on the main thread and never waits for the worker. Calls are queued; callbacks
 * come on the main thread. A GCancellable is seen by the worker within 100 ms, in a load, while a
 * prompt is read and while an answer grows.
 *
 *   empty ─load─▶ loading ─┬▶ ready ◀─▶ answering       (state, as the main thread sees it)
 *     ▲                    │    │
 *     └──── failed, cancelled ──┴─ unload, another load
 *   any ─close─▶ closed */
#pragma once

#include <gio/gio.h>

#include "hearth-chat-settings.h"
#include "hearth-reply-stream.h"

G_BEGIN_DECLS

typedef enum
{
  HEARTH_ENGINE_EMPTY,
  HEARTH_ENGINE_LOADING,
  HEARTH_ENGINE_READY,
  HEARTH_ENGINE_ANSWERING,
  HEARTH_ENGINE_CLOSED,
} HearthEngineState;

#define HEARTH_TYPE_ENGINE (hearth_engine_get_type ())
G_DECLARE_FINAL_TYPE (HearthEngine, hearth_engine, HEARTH, ENGINE, GObject)

/* Properties: state; path (of the model in memory, or being loaded; NULL when empty); progress
 * (of the load, 0 … 1); n-tokens (of the conversation that is in the model's memory). */

/* Which model to have in memory, and how. */
typedef struct
{
  const char *path;
  guint n_ctx;     /* tokens; 0: the smaller of trained, 8,192 and what fits */
  guint n_threads; /* 0: one per physical core */
  HearthKvType kv_type;
} HearthEngineModel;

/* One turn. Everything is copied. A last message of the assistant is the beginning of the answer,
 * which goes on from there. */
typedef struct
{
  HearthEngineModel model;        /* loaded first if another one, or none, is in memory */
  const HearthSampling *sampling; /* NULL: all from the file or the engine */
  const char *const *roles;       /* "system", "user", "assistant" */
  const char *const *contents;    /* as many */
  gsize n_messages;
  const char *thoughts; /* before the last one, when it is the beginning of an answer; NULL: none */
  gboolean thinking;    /* models that can think before they answer do so */
  gboolean leave_out;   /* the oldest turns, when all of them do not fit */
} HearthEngineTurn;

/* A conversation in tokens. */
typedef struct
{
  guint n_ctx;       /* of the model as it is loaded */
  guint n_prompt;    /* of the whole conversation; more than n_ctx: it does not fit */
  guint n_kept;      /* of those, known to the model already */
  guint n_left_out;  /* messages at the beginning that would have to be left out */
  guint n_remaining; /* tokens of what is left then; n_prompt when nothing is left out */
} HearthCount;

/* What the model in memory takes, in bytes. */
typedef struct
{
  guint64 weights;
  guint64 kv;
  guint64 checkpoint;
  guint64 compute;
} HearthEngineMemory;

/* Returns: (transfer full) */
HearthEngine *hearth_engine_new (void);

HearthEngineState hearth_engine_get_state (HearthEngine *self);
/* Returns: (transfer none) (nullable) */
const char *hearth_engine_get_path (HearthEngine *self);
double hearth_engine_get_progress (HearthEngine *self);
/* Context of the loaded model, in tokens; 0 when empty. */
guint hearth_engine_get_n_ctx (HearthEngine *self);
/* Tokens of the conversation that the model has in its memory; grows while it reads and answers. */
guint hearth_engine_get_n_tokens (HearthEngine *self);
/* All zero when empty. */
void hearth_engine_get_memory (HearthEngine *self, HearthEngineMemory *memory);
/* Whether exactly this is in memory, so that nothing has to be loaded for it. */
gboolean hearth_engine_has_loaded (HearthEngine *self, const HearthEngineModel *model);

/* Loads a model unless it is the one in memory; a different one is dropped first. */
void hearth_engine_load_async (HearthEngine *self, const HearthEngineModel *model,
                               GCancellable *cancellable, GAsyncReadyCallback callback,
                               gpointer user_data);
gboolean hearth_engine_load_finish (HearthEngine *self, GAsyncResult *result, GError **error);

/* Answers. The text goes to `stream`; call hearth_reply_stream_flush() in the callback for the
 * rest. A cancelled answer is no error: its figures say so. */
void hearth_engine_answer_async (HearthEngine *self, const HearthEngineTurn *turn,
                                 HearthReplyStream *stream, GCancellable *cancellable,
                                 GAsyncReadyCallback callback, gpointer user_data);
/* Returns: (transfer full) (nullable) */
HearthFigures *hearth_engine_answer_finish (HearthEngine *self, GAsyncResult *result,
                                            GError **error);

/* Counts the tokens of a conversation when what is queued before is done. Nothing is loaded for it:
 * HEARTH_ERROR_NOT_LOADED when the file is not the one in memory. */
void hearth_engine_count_async (HearthEngine *self, const HearthEngineTurn *turn,
                                GCancellable *cancellable, GAsyncReadyCallback callback,
                                gpointer user_data);
gboolean hearth_engine_count_finish (HearthEngine *self, GAsyncResult *result, HearthCount *count,
                                     GError **error);

/* Drops the model when what is queued before is done. */
void hearth_engine_unload (HearthEngine *self);

/* Cancels everything, drops the model and ends the worker. Cannot fail; no call may follow. */
void hearth_engine_close_async (HearthEngine *self, GAsyncReadyCallback callback,
                                gpointer user_data);
void hearth_engine_close_finish (HearthEngine *self, GAsyncResult *result);

G_END_DECLS
