/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-engine-private.h - the engine's two halves, for hearth-engine*.c alone.
 *
 * hearth-engine.c is the main thread's half: state, the queue, what comes back.
 * hearth-engine-load.c and hearth-engine-answer.c are the worker's: only they touch the model and
 * the session. */
#pragma once

#include <ember/ember.h>

#include "hearth-engine.h"

enum job_kind
{
  JOB_LOAD,
  JOB_ANSWER,
  JOB_COUNT,
  JOB_UNLOAD,
  JOB_CLOSE,
};

/* One entry of the queue. The worker uses the plain values and never touches a GObject: what is
 * done goes back to the main thread, which answers the task and frees the job there. */
struct job
{
  gatomicrefcount ref_count;
  enum job_kind kind;
  HearthEngine *engine; /* main thread only; keeps it alive until the job is freed */
  GTask *task;          /* main thread only; NULL for an unload */
  GCancellable *cancellable;
  gulong cancelled_id;

  char *path;
  guint n_ctx;
  guint n_threads;
  HearthKvType kv_type;
  HearthSampling sampling;
  GStrv roles;
  GStrv contents;
  char *thoughts; /* of the answer that goes on; "": none */
  gboolean thinking;
  gboolean leave_out;
  HearthReplyStream *stream;

  int cancelled;       /* atomic */
  int permille;        /* atomic: of the load */
  int n_tokens;        /* atomic: in the model's memory */
  int progress_queued; /* atomic: a report waits in the main loop */

  gboolean goes_on;     /* worker: the answer has a beginning already */
  gboolean begins_open; /* worker: the prompt has opened the thoughts */
  GArray *ids;          /* worker: int32_t, of the prompt and of the answer so far */
  GString *held;        /* worker: text that the end of the answer decides about */

  gboolean done; /* main thread: nothing more is reported */
  HearthFigures figures;
  HearthCount count;
  char *loaded_path; /* what is in memory after this job; NULL: nothing */
  guint loaded_n_ctx;
  guint loaded_n_tokens;
  HearthEngineMemory loaded_memory;
  HearthEngineModel loaded_model; /* as it was asked for; its path is `loaded_path` */
  GError *error;
};

struct _HearthEngine
{
  GObject parent_instance;

  GThread *thread;
  GAsyncQueue *queue;
  GMainContext *ui;

  /* The main thread's picture. */
  GPtrArray *jobs; /* waiting or running, in order; not owned */
  HearthEngineState state;
  gboolean closing;
  char *path;
  double progress;
  guint n_ctx;
  guint n_tokens;
  HearthEngineMemory memory;
  HearthEngineModel model; /* without its path */

  GMutex lock; /* guards `session` against a cancel from the main thread */
  struct ember_session *session;
  struct job *running; /* guarded by `lock` */

  /* The worker's own. */
  struct ember_model *ember_model;
  char *loaded_path;
  HearthEngineModel loaded; /* as it was asked for, without its path */
  GQueue answers;           /* of struct answered, last first */
};

/* An answer as the model made it. To go on with it exactly, its very tokens are needed: its text
 * may be cut into others. */
struct answered
{
  char *path;
  gsize n_prompt;
  gboolean begins_open; /* its text begins inside the thoughts */
  GArray *ids;          /* of the prompt and of the answer */
};

/* Worker thread, hearth-engine.c: something to show. */
void _hearth_engine_post_loading (struct job *job);
void _hearth_engine_post_answering (struct job *job);
void _hearth_engine_post_progress (struct job *job);

static inline gboolean
_hearth_engine_job_is_cancelled (struct job *job)
{
  return g_atomic_int_get (&job->cancelled) != 0;
}

/* Worker thread, hearth-engine-load.c. */
gboolean _hearth_engine_ensure_loaded (HearthEngine *self, struct job *job);
void _hearth_engine_drop_model (HearthEngine *self);
/* What is in memory now, for the main thread. */
void _hearth_engine_describe_loaded (HearthEngine *self, struct job *job);

/* Worker thread, hearth-engine-answer.c. */
void _hearth_engine_answer (HearthEngine *self, struct job *job);
void _hearth_engine_answered_free (gpointer answered);

/* Worker thread, hearth-engine-prompt.c: how the loaded model's template marks thoughts. */
gboolean _hearth_engine_get_reasoning (HearthEngine *self, struct ember_reasoning *reasoning);
/* The tokens of the job's conversation. */
enum ember_status _hearth_engine_tokenize (HearthEngine *self, struct job *job,
                                           struct ember_tokens *tokens,
                                           struct ember_error *failure);
void _hearth_engine_count (HearthEngine *self, struct job *job);
