/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-engine.h"

#include <math.h>

#include <ember/ember.h>

#include "hearth-enums.h"
#include "hearth-error.h"

/* A cancel sent in the instant before the engine's call begins is dropped by it, so it is sent
 * again until the job is over. */
#define CANCEL_AGAIN_MS 40

enum job_kind
{
  JOB_LOAD,
  JOB_ANSWER,
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
  HearthSampling sampling;
  GStrv roles;
  GStrv contents;
  HearthReplyStream *stream;

  int cancelled;       /* atomic */
  int permille;        /* atomic: of the load */
  int progress_queued; /* atomic: a report waits in the main loop */

  gboolean done; /* main thread: nothing more is reported */
  HearthFigures figures;
  char *loaded_path; /* what is in memory after this job; NULL: nothing */
  guint loaded_n_ctx;
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

  GMutex lock; /* guards `session` against a cancel from the main thread */
  struct ember_session *session;
  struct job *running; /* guarded by `lock` */

  /* The worker's own. */
  struct ember_model *model;
  char *loaded_path;
  guint loaded_n_ctx;
  guint loaded_n_threads;
};

G_DEFINE_FINAL_TYPE (HearthEngine, hearth_engine, G_TYPE_OBJECT)

enum
{
  PROP_0,
  PROP_STATE,
  PROP_PATH,
  PROP_PROGRESS,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

/* ---- jobs ------------------------------------------------------------------------------- */

static struct job *
job_ref (struct job *job)
{
  g_atomic_ref_count_inc (&job->ref_count);
  return job;
}

static void
job_unref (gpointer data)
{
  struct job *job = data;

  if (!g_atomic_ref_count_dec (&job->ref_count))
    return;
  g_clear_object (&job->task);
  g_clear_object (&job->cancellable);
  g_clear_pointer (&job->stream, hearth_reply_stream_unref);
  g_free (job->path);
  g_free (job->loaded_path);
  g_strfreev (job->roles);
  g_strfreev (job->contents);
  g_clear_error (&job->error);
  g_clear_object (&job->engine);
  g_free (job);
}

/* The source takes over a reference; it is dropped on the main thread after the callback. */
static void
post (struct job *job, int priority, GSourceFunc callback)
{
  g_autoptr (GSource) source = g_idle_source_new ();

  g_source_set_priority (source, priority);
  g_source_set_static_name (source, "hearth engine");
  g_source_set_callback (source, callback, job, job_unref);
  g_source_attach (source, job->engine->ui);
}

/* ---- the worker ------------------------------------------------------------------------- */

static gboolean progress_cb (gpointer data);
static gboolean loading_cb (gpointer data);
static gboolean answering_cb (gpointer data);
static gboolean done_cb (gpointer data);

static gboolean
job_is_cancelled (struct job *job)
{
  return g_atomic_int_get (&job->cancelled) != 0;
}

static void
drop_model (HearthEngine *self)
{
  struct ember_session *session;

  g_mutex_lock (&self->lock);
  session = g_steal_pointer (&self->session);
  g_mutex_unlock (&self->lock);
  ember_session_free (session);
  ember_model_unref (self->model);
  self->model = NULL;
  g_clear_pointer (&self->loaded_path, g_free);
}

/* Worker thread. */
static bool
load_progress_cb (double fraction, void *user_data)
{
  struct job *job = user_data;

  g_atomic_int_set (&job->permille, (int) (CLAMP (fraction, 0, 1) * 1000));
  if (g_atomic_int_compare_and_exchange (&job->progress_queued, 0, 1))
    post (job_ref (job), G_PRIORITY_DEFAULT_IDLE, progress_cb);
  return !job_is_cancelled (job);
}

static gboolean
ensure_loaded (HearthEngine *self, struct job *job)
{
  struct ember_error failure = { 0 };
  struct ember_session *session = NULL;
  struct ember_model_params model_params = { .preload = true,
                                             .progress = load_progress_cb,
                                             .user_data = job };
  struct ember_fit_params session_params = { .n_ctx = job->n_ctx, .n_threads = job->n_threads };

  if (g_strcmp0 (self->loaded_path, job->path) == 0 && self->loaded_n_ctx == job->n_ctx &&
      self->loaded_n_threads == job->n_threads)
    return TRUE;
  if (job_is_cancelled (job))
    {
      job->error = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, "cancelled");
      return FALSE;
    }
  drop_model (self);
  post (job_ref (job), G_PRIORITY_DEFAULT, loading_cb);
  if (ember_model_open (&self->model, job->path, &model_params, &failure) != EMBER_OK ||
      ember_session_new (&session, self->model, &session_params, &failure) != EMBER_OK)
    {
      job->error = hearth_error_from_ember (&failure);
      drop_model (self);
      return FALSE;
    }
  self->loaded_path = g_strdup (job->path);
  self->loaded_n_ctx = job->n_ctx;
  self->loaded_n_threads = job->n_threads;
  g_mutex_lock (&self->lock);
  self->session = session;
  g_mutex_unlock (&self->lock);
  return TRUE;
}

/* Worker thread. */
static bool
prompt_progress_cb (size_t n_done, size_t n_total, void *user_data)
{
  struct job *job = user_data;

  hearth_reply_stream_push_progress (job->stream,
                                     n_total > 0 ? (double) n_done / (double) n_total : 1);
  return !job_is_cancelled (job);
}

/* Worker thread. */
static bool
token_cb (int32_t id, struct ember_text text, void *user_data)
{
  struct job *job = user_data;

  if (text.size > 0)
    hearth_reply_stream_push_text (job->stream, text.data, text.size);
  return !job_is_cancelled (job);
}

static void
apply_sampling (struct ember_sampler_params *params, const HearthSampling *sampling)
{
  if (!isnan (sampling->temperature))
    params->temperature = (float) sampling->temperature;
  if (!isnan (sampling->top_p))
    params->top_p = (float) sampling->top_p;
  if (!isnan (sampling->min_p))
    params->min_p = (float) sampling->min_p;
  if (sampling->top_k != HEARTH_SAMPLING_UNSET_INT)
    params->top_k = sampling->top_k;
  if (sampling->seed >= 0)
    params->seed = (uint32_t) MIN (sampling->seed, (gint64) EMBER_SEED_RANDOM - 1);
}

/* The prompt of the whole conversation as token ids, with what the file's settings add. */
static enum ember_status
tokenize_conversation (HearthEngine *self, struct job *job, struct ember_tokens *tokens,
                       struct ember_error *failure)
{
  gsize n = g_strv_length (job->roles);
  g_autofree struct ember_message *messages = g_new0 (struct ember_message, n);
  struct ember_prompt prompt = { 0 };
  enum ember_status status;

  for (gsize i = 0; i < n; i++)
    messages[i] = (struct ember_message) { job->roles[i], job->contents[i] };
  status = ember_chat_prompt (ember_model_chat (self->model), messages, n, true, ember_time_now (),
                              &prompt, failure);
  if (status == EMBER_OK)
    status = ember_tokenize (ember_model_tokenizer (self->model), prompt.spans, prompt.n_spans,
                             true, tokens, failure);
  ember_prompt_finish (&prompt);
  return status;
}

static HearthEnding
ending_from_ember (enum ember_stop_reason reason)
{
  switch (reason)
    {
    case EMBER_STOP_CANCEL:
      return HEARTH_ENDING_CANCELLED;
    case EMBER_STOP_CONTEXT:
      return HEARTH_ENDING_CONTEXT;
    case EMBER_STOP_END:
    case EMBER_STOP_LENGTH:
    case EMBER_STOP_STRING:
    default:
      return HEARTH_ENDING_END;
    }
}

static void
run_answer (HearthEngine *self, struct job *job)
{
  struct ember_error failure = { 0 };
  struct ember_sampler_params sampler_params;
  struct ember_sampler *sampler = NULL;
  struct ember_tokens tokens = { 0 };
  struct ember_generate_params params = { 0 };
  struct ember_generate_result result = { 0 };
  enum ember_status status;

  if (!ensure_loaded (self, job))
    return;
  if (ember_model_chat (self->model) == NULL || ember_model_tokenizer (self->model) == NULL)
    {
      job->error = g_error_new (HEARTH_ERROR, HEARTH_ERROR_NO_CHAT,
                                "%s: the file has no vocabulary", job->path);
      return;
    }
  post (job_ref (job), G_PRIORITY_DEFAULT, answering_cb);

  status = tokenize_conversation (self, job, &tokens, &failure);
  if (status == EMBER_OK)
    {
      ember_sampler_defaults (&sampler_params, ember_model_gguf (self->model));
      apply_sampling (&sampler_params, &job->sampling);
      status = ember_sampler_new (&sampler, &sampler_params, ember_model_tokenizer (self->model),
                                  ember_model_n_vocab (self->model), &failure);
    }
  if (status == EMBER_OK && !job_is_cancelled (job))
    {
      params.prompt = tokens.ids;
      params.n_prompt = tokens.n;
      params.sampler = sampler;
      params.events.progress = prompt_progress_cb;
      params.events.token = token_cb;
      params.events.user_data = job;
      status = ember_session_generate (self->session, &params, &result, &failure);
    }
  else if (status == EMBER_OK)
    result.stop = EMBER_STOP_CANCEL;
  if (status == EMBER_OK)
    job->figures = (HearthFigures) {
      .ending = ending_from_ember (result.stop),
      .n_prompt = result.n_prompt,
      .n_reused = result.n_reused,
      .n_generated = result.n_generated,
      .prefill_s = result.prefill_s,
      .decode_s = result.decode_s,
      .first_token_s = result.first_token_s,
    };
  else
    job->error = hearth_error_from_ember (&failure);
  ember_sampler_free (sampler);
  ember_tokens_finish (&tokens);
}

static gpointer
worker_main (gpointer data)
{
  HearthEngine *self = data;
  gboolean open = TRUE;

  while (open)
    {
      struct job *job = g_async_queue_pop (self->queue);

      g_mutex_lock (&self->lock);
      self->running = job;
      g_mutex_unlock (&self->lock);
      switch (job->kind)
        {
        case JOB_LOAD:
          ensure_loaded (self, job);
          break;
        case JOB_ANSWER:
          run_answer (self, job);
          break;
        case JOB_UNLOAD:
          drop_model (self);
          break;
        case JOB_CLOSE:
          drop_model (self);
          open = FALSE;
          break;
        default:
          g_assert_not_reached ();
        }
      if (job->engine == NULL)
        {
          /* The object is being finalized: nobody is there to tell. */
          g_free (job);
          continue;
        }
      if (self->session != NULL)
        {
          job->loaded_path = g_strdup (self->loaded_path);
          job->loaded_n_ctx = ember_session_plan (self->session)->n_ctx;
        }
      g_mutex_lock (&self->lock);
      self->running = NULL;
      g_mutex_unlock (&self->lock);
      post (job, G_PRIORITY_DEFAULT, done_cb);
    }
  return NULL;
}

/* ---- the main thread -------------------------------------------------------------------- */

static void
set_state (HearthEngine *self, HearthEngineState state)
{
  if (self->state == state || self->state == HEARTH_ENGINE_CLOSED)
    return;
  self->state = state;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_STATE]);
}

static void
set_path (HearthEngine *self, const char *path)
{
  if (g_set_str (&self->path, path))
    g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PATH]);
}

static void
set_progress (HearthEngine *self, double progress)
{
  if (G_APPROX_VALUE (self->progress, progress, 1e-6))
    return;
  self->progress = progress;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PROGRESS]);
}

static gboolean
loading_cb (gpointer data)
{
  struct job *job = data;
  HearthEngine *self = job->engine;

  g_object_freeze_notify (G_OBJECT (self));
  set_progress (self, 0);
  set_path (self, job->path);
  set_state (self, HEARTH_ENGINE_LOADING);
  g_object_thaw_notify (G_OBJECT (self));
  return G_SOURCE_REMOVE;
}

static gboolean
answering_cb (gpointer data)
{
  struct job *job = data;

  set_state (job->engine, HEARTH_ENGINE_ANSWERING);
  return G_SOURCE_REMOVE;
}

static gboolean
progress_cb (gpointer data)
{
  struct job *job = data;

  g_atomic_int_set (&job->progress_queued, 0);
  if (!job->done)
    set_progress (job->engine, g_atomic_int_get (&job->permille) / 1000.0);
  return G_SOURCE_REMOVE;
}

static gboolean
done_cb (gpointer data)
{
  struct job *job = data;
  HearthEngine *self = job->engine;

  job->done = TRUE;
  g_ptr_array_remove (self->jobs, job);
  if (job->cancelled_id != 0)
    g_cancellable_disconnect (job->cancellable, job->cancelled_id);

  g_object_freeze_notify (G_OBJECT (self));
  self->n_ctx = job->loaded_n_ctx;
  set_path (self, job->loaded_path);
  set_state (self, job->loaded_path != NULL ? HEARTH_ENGINE_READY : HEARTH_ENGINE_EMPTY);
  g_object_thaw_notify (G_OBJECT (self));

  if (job->task == NULL)
    return G_SOURCE_REMOVE;
  if (job->error != NULL)
    g_task_return_error (job->task, g_steal_pointer (&job->error));
  else if (job->kind == JOB_ANSWER)
    g_task_return_pointer (job->task, g_memdup2 (&job->figures, sizeof job->figures), g_free);
  else
    g_task_return_boolean (job->task, TRUE);
  return G_SOURCE_REMOVE;
}

/* Main thread: makes the running call return soon, if it is this job's. */
static void
interrupt (struct job *job)
{
  HearthEngine *self = job->engine;

  g_atomic_int_set (&job->cancelled, 1);
  g_mutex_lock (&self->lock);
  if (self->running == job && self->session != NULL)
    ember_session_cancel (self->session);
  g_mutex_unlock (&self->lock);
}

static gboolean
interrupt_again_cb (gpointer data)
{
  struct job *job = data;

  if (job->done)
    return G_SOURCE_REMOVE;
  interrupt (job);
  return G_SOURCE_CONTINUE;
}

static void
job_cancel (struct job *job)
{
  g_autoptr (GSource) again = NULL;

  if (job_is_cancelled (job))
    return;
  interrupt (job);
  again = g_timeout_source_new (CANCEL_AGAIN_MS);
  g_source_set_callback (again, interrupt_again_cb, job_ref (job), job_unref);
  g_source_attach (again, job->engine->ui);
}

static void
cancelled_cb (GCancellable *cancellable, gpointer data)
{
  job_cancel (data);
}

static struct job *
job_new (HearthEngine *self, enum job_kind kind, const HearthEngineModel *model)
{
  struct job *job = g_new0 (struct job, 1);

  g_atomic_ref_count_init (&job->ref_count);
  job->kind = kind;
  job->engine = g_object_ref (self);
  hearth_sampling_init (&job->sampling);
  if (model != NULL)
    {
      job->path = g_strdup (model->path);
      job->n_ctx = model->n_ctx;
      job->n_threads = model->n_threads;
    }
  return job;
}

/* Takes over `job`. */
static void
push (HearthEngine *self, struct job *job, GCancellable *cancellable, GTask *task)
{
  job->task = task;
  if (task != NULL)
    g_task_set_check_cancellable (task, FALSE); /* the worker says what became of it */
  g_ptr_array_add (self->jobs, job);
  if (cancellable != NULL)
    {
      job->cancellable = g_object_ref (cancellable);
      job->cancelled_id =
        g_cancellable_connect (cancellable, G_CALLBACK (cancelled_cb), job_ref (job), job_unref);
    }
  g_async_queue_push (self->queue, job);
}

/* The engine's own debug lines. Any thread. */
static void
log_cb (enum ember_log_level level, const char *text, void *user_data)
{
  static const GLogLevelFlags levels[] = {
    [EMBER_LOG_DEBUG] = G_LOG_LEVEL_DEBUG,
    [EMBER_LOG_INFO] = G_LOG_LEVEL_INFO,
    [EMBER_LOG_WARNING] = G_LOG_LEVEL_MESSAGE, /* about a file: not a bug of ours */
  };

  g_log ("ember", levels[level], "%s", text);
}

static void
hearth_engine_finalize (GObject *object)
{
  HearthEngine *self = HEARTH_ENGINE (object);

  /* Every job holds a reference, so nothing is queued now: the worker waits, and joining is quick.
   */
  if (!self->closing)
    {
      struct job *last = g_new0 (struct job, 1);

      last->kind = JOB_CLOSE;
      g_async_queue_push (self->queue, last);
    }
  g_clear_pointer (&self->thread, g_thread_join);
  g_async_queue_unref (self->queue);
  g_ptr_array_unref (self->jobs);
  g_main_context_unref (self->ui);
  g_mutex_clear (&self->lock);
  g_free (self->path);
  G_OBJECT_CLASS (hearth_engine_parent_class)->finalize (object);
}

static void
hearth_engine_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  HearthEngine *self = HEARTH_ENGINE (object);

  switch (id)
    {
    case PROP_STATE:
      g_value_set_enum (value, (int) self->state);
      break;
    case PROP_PATH:
      g_value_set_string (value, self->path);
      break;
    case PROP_PROGRESS:
      g_value_set_double (value, self->progress);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
hearth_engine_class_init (HearthEngineClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->finalize = hearth_engine_finalize;
  object_class->get_property = hearth_engine_get_property;

  properties[PROP_STATE] =
    g_param_spec_enum ("state", NULL, NULL, HEARTH_TYPE_ENGINE_STATE, HEARTH_ENGINE_EMPTY, flags);
  properties[PROP_PATH] = g_param_spec_string ("path", NULL, NULL, NULL, flags);
  properties[PROP_PROGRESS] = g_param_spec_double ("progress", NULL, NULL, 0, 1, 0, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  ember_log_set (log_cb, NULL);
}

static void
hearth_engine_init (HearthEngine *self)
{
  g_mutex_init (&self->lock);
  self->ui = g_main_context_ref_thread_default ();
  self->jobs = g_ptr_array_new ();
  self->queue = g_async_queue_new ();
  self->thread = g_thread_new ("ember", worker_main, self);
}

/* ---- public functions ------------------------------------------------------------------- */

HearthEngine *
hearth_engine_new (void)
{
  return g_object_new (HEARTH_TYPE_ENGINE, NULL);
}

HearthEngineState
hearth_engine_get_state (HearthEngine *self)
{
  g_return_val_if_fail (HEARTH_IS_ENGINE (self), HEARTH_ENGINE_EMPTY);

  return self->state;
}

const char *
hearth_engine_get_path (HearthEngine *self)
{
  g_return_val_if_fail (HEARTH_IS_ENGINE (self), NULL);

  return self->path;
}

double
hearth_engine_get_progress (HearthEngine *self)
{
  g_return_val_if_fail (HEARTH_IS_ENGINE (self), 0);

  return self->progress;
}

guint
hearth_engine_get_n_ctx (HearthEngine *self)
{
  g_return_val_if_fail (HEARTH_IS_ENGINE (self), 0);

  return self->n_ctx;
}

/* A task for this call; NULL when the engine is closing and the task was already refused. */
static GTask *
task_new (HearthEngine *self, gpointer tag, GCancellable *cancellable, GAsyncReadyCallback callback,
          gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (self, cancellable, callback, user_data);

  g_task_set_source_tag (task, tag);
  if (self->closing)
    {
      g_task_return_new_error (task, G_IO_ERROR, G_IO_ERROR_CANCELLED, "the engine is closing");
      return NULL;
    }
  return g_steal_pointer (&task);
}

void
hearth_engine_load_async (HearthEngine *self, const HearthEngineModel *model,
                          GCancellable *cancellable, GAsyncReadyCallback callback,
                          gpointer user_data)
{
  GTask *task;

  g_return_if_fail (HEARTH_IS_ENGINE (self));

  task = task_new (self, hearth_engine_load_async, cancellable, callback, user_data);
  if (task != NULL)
    push (self, job_new (self, JOB_LOAD, model), cancellable, task);
}

gboolean
hearth_engine_load_finish (HearthEngine *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);

  return g_task_propagate_boolean (G_TASK (result), error);
}

void
hearth_engine_answer_async (HearthEngine *self, const HearthEngineTurn *turn,
                            HearthReplyStream *stream, GCancellable *cancellable,
                            GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GStrvBuilder) roles = g_strv_builder_new ();
  g_autoptr (GStrvBuilder) contents = g_strv_builder_new ();
  struct job *job;
  GTask *task;

  g_return_if_fail (HEARTH_IS_ENGINE (self));
  g_return_if_fail (stream != NULL);

  task = task_new (self, hearth_engine_answer_async, cancellable, callback, user_data);
  if (task == NULL)
    return;
  for (gsize i = 0; i < turn->n_messages; i++)
    {
      g_strv_builder_add (roles, turn->roles[i]);
      g_strv_builder_add (contents, turn->contents[i]);
    }
  job = job_new (self, JOB_ANSWER, &turn->model);
  if (turn->sampling != NULL)
    job->sampling = *turn->sampling;
  job->roles = g_strv_builder_end (roles);
  job->contents = g_strv_builder_end (contents);
  job->stream = hearth_reply_stream_ref (stream);
  push (self, job, cancellable, task);
}

HearthFigures *
hearth_engine_answer_finish (HearthEngine *self, GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, self), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}

void
hearth_engine_unload (HearthEngine *self)
{
  g_return_if_fail (HEARTH_IS_ENGINE (self));

  if (!self->closing)
    push (self, job_new (self, JOB_UNLOAD, NULL), NULL, NULL);
}

void
hearth_engine_close_async (HearthEngine *self, GAsyncReadyCallback callback, gpointer user_data)
{
  GTask *task;

  g_return_if_fail (HEARTH_IS_ENGINE (self));
  g_return_if_fail (!self->closing);

  task = task_new (self, hearth_engine_close_async, NULL, callback, user_data);
  self->closing = TRUE;
  for (guint i = 0; i < self->jobs->len; i++)
    job_cancel (self->jobs->pdata[i]);
  push (self, job_new (self, JOB_CLOSE, NULL), NULL, task);
}

void
hearth_engine_close_finish (HearthEngine *self, GAsyncResult *result)
{
  g_return_if_fail (g_task_is_valid (result, self));

  g_task_propagate_boolean (G_TASK (result), NULL);
  set_state (self, HEARTH_ENGINE_CLOSED);
  g_clear_pointer (&self->thread, g_thread_join);
}
