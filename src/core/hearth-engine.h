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

#include "hearth-reply-stream.h"
#include "hearth-sampling.h"

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
 * (of the load, 0 … 1). */

/* Which model to have in memory, and how. */
typedef struct
{
  const char *path;
  guint n_ctx;     /* tokens; 0: the smaller of trained, 8,192 and what fits */
  guint n_threads; /* 0: one per physical core */
} HearthEngineModel;

/* One turn. Everything is copied. */
typedef struct
{
  HearthEngineModel model;        /* loaded first if another one, or none, is in memory */
  const HearthSampling *sampling; /* NULL: all from the file or the engine */
  const char *const *roles;       /* "system", "user", "assistant" */
  const char *const *contents;    /* as many */
  gsize n_messages;
} HearthEngineTurn;

/* Returns: (transfer full) */
HearthEngine *hearth_engine_new (void);

HearthEngineState hearth_engine_get_state (HearthEngine *self);
/* Returns: (transfer none) (nullable) */
const char *hearth_engine_get_path (HearthEngine *self);
double hearth_engine_get_progress (HearthEngine *self);
/* Context of the loaded model, in tokens; 0 when empty. */
guint hearth_engine_get_n_ctx (HearthEngine *self);

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

/* Drops the model when what is queued before is done. */
void hearth_engine_unload (HearthEngine *self);

/* Cancels everything, drops the model and ends the worker. Cannot fail; no call may follow. */
void hearth_engine_close_async (HearthEngine *self, GAsyncReadyCallback callback,
                                gpointer user_data);
void hearth_engine_close_finish (HearthEngine *self, GAsyncResult *result);

G_END_DECLS
