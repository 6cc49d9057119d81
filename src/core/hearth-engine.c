/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The main thread's half: what the engine looks like from outside, the queue, and what comes back
 * from the worker. */
#include "hearth-engine-private.h"

#include "hearth-enums.h"

/* A cancel sent in the instant before the engine's call begins is dropped by it, so it is sent
 * again until the job is over. */
#define CANCEL_AGAIN_MS 40

G_DEFINE_FINAL_TYPE (HearthEngine, hearth_engine, G_TYPE_OBJECT)

enum
{
  PROP_0,
  PROP_STATE,
  PROP_PATH,
  PROP_PROGRESS,
  PROP_N_TOKENS,
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
  g_free (job->thoughts);
  g_clear_pointer (&job->ids, g_array_unref);
  if (job->held != NULL)
    g_string_free (job->held, TRUE);
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

void
_hearth_engine_post_loading (struct job *job)
{
  post (job_ref (job), G_PRIORITY_DEFAULT, loading_cb);
}

void
_hearth_engine_post_answering (struct job *job)
{
  post (job_ref (job), G_PRIORITY_DEFAULT, answering_cb);
}

/* At most one waits in the main loop. */
void
_hearth_engine_post_progress (struct job *job)
{
  if (g_atomic_int_compare_and_exchange (&job->progress_queued, 0, 1))
    post (job_ref (job), G_PRIORITY_DEFAULT_IDLE, progress_cb);
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
          _hearth_engine_ensure_loaded (self, job);
          break;
        case JOB_ANSWER:
          _hearth_engine_answer (self, job);
          break;
        case JOB_COUNT:
          _hearth_engine_count (self, job);
          break;
        case JOB_UNLOAD:
          _hearth_engine_drop_model (self);
          break;
        case JOB_CLOSE:
          _hearth_engine_drop_model (self);
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
      _hearth_engine_describe_loaded (self, job);
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

static void
set_n_tokens (HearthEngine *self, guint n_tokens)
{
  if (self->n_tokens == n_tokens)
    return;
  self->n_tokens = n_tokens;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_N_TOKENS]);
}

static gboolean
loading_cb (gpointer data)
{
  struct job *job = data;
  HearthEngine *self = job->engine;

  g_object_freeze_notify (G_OBJECT (self));
  set_progress (self, 0);
  set_n_tokens (self, 0);
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
  if (job->done)
    return G_SOURCE_REMOVE;
  if (job->engine->state == HEARTH_ENGINE_LOADING)
    set_progress (job->engine, g_atomic_int_get (&job->permille) / 1000.0);
  else
    set_n_tokens (job->engine, (guint) g_atomic_int_get (&job->n_tokens));
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
  self->memory = job->loaded_memory;
  self->model = job->loaded_model;
  set_n_tokens (self, job->loaded_n_tokens);
  set_path (self, job->loaded_path);
  set_state (self, job->loaded_path != NULL ? HEARTH_ENGINE_READY : HEARTH_ENGINE_EMPTY);
  g_object_thaw_notify (G_OBJECT (self));

  if (job->task == NULL)
    return G_SOURCE_REMOVE;
  if (job->error != NULL)
    g_task_return_error (job->task, g_steal_pointer (&job->error));
  else if (job->kind == JOB_ANSWER)
    g_task_return_pointer (job->task, g_memdup2 (&job->figures, sizeof job->figures), g_free);
  else if (job->kind == JOB_COUNT)
    g_task_return_pointer (job->task, g_memdup2 (&job->count, sizeof job->count), g_free);
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

  if (_hearth_engine_job_is_cancelled (job))
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
      job->kv_type = model->kv_type;
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
  g_queue_clear_full (&self->answers, _hearth_engine_answered_free);
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
    case PROP_N_TOKENS:
      g_value_set_uint (value, self->n_tokens);
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
  properties[PROP_N_TOKENS] = g_param_spec_uint ("n-tokens", NULL, NULL, 0, G_MAXUINT, 0, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  ember_log_set (log_cb, NULL);
  ember_gguf_guard (); /* a file that is cut short while in use must not end the program */
}

static void
hearth_engine_init (HearthEngine *self)
{
  g_mutex_init (&self->lock);
  self->ui = g_main_context_ref_thread_default ();
  self->jobs = g_ptr_array_new ();
  self->queue = g_async_queue_new ();
  g_queue_init (&self->answers);
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

guint
hearth_engine_get_n_tokens (HearthEngine *self)
{
  g_return_val_if_fail (HEARTH_IS_ENGINE (self), 0);

  return self->n_tokens;
}

void
hearth_engine_get_memory (HearthEngine *self, HearthEngineMemory *memory)
{
  g_return_if_fail (HEARTH_IS_ENGINE (self));

  *memory = self->memory;
}

gboolean
hearth_engine_has_loaded (HearthEngine *self, const HearthEngineModel *model)
{
  g_return_val_if_fail (HEARTH_IS_ENGINE (self), FALSE);

  return (self->state == HEARTH_ENGINE_READY || self->state == HEARTH_ENGINE_ANSWERING) &&
         g_strcmp0 (self->path, model->path) == 0 && self->model.n_ctx == model->n_ctx &&
         self->model.n_threads == model->n_threads && self->model.kv_type == model->kv_type;
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

static struct job *
turn_job_new (HearthEngine *self, enum job_kind kind, const HearthEngineTurn *turn)
{
  g_autoptr (GStrvBuilder) roles = g_strv_builder_new ();
  g_autoptr (GStrvBuilder) contents = g_strv_builder_new ();
  struct job *job = job_new (self, kind, &turn->model);

  for (gsize i = 0; i < turn->n_messages; i++)
    {
      g_strv_builder_add (roles, turn->roles[i]);
      g_strv_builder_add (contents, turn->contents[i]);
    }
  if (turn->sampling != NULL)
    job->sampling = *turn->sampling;
  job->roles = g_strv_builder_end (roles);
  job->contents = g_strv_builder_end (contents);
  job->thoughts = g_strdup (turn->thoughts != NULL ? turn->thoughts : "");
  job->thinking = turn->thinking;
  job->leave_out = turn->leave_out;
  return job;
}

void
hearth_engine_answer_async (HearthEngine *self, const HearthEngineTurn *turn,
                            HearthReplyStream *stream, GCancellable *cancellable,
                            GAsyncReadyCallback callback, gpointer user_data)
{
  struct job *job;
  GTask *task;

  g_return_if_fail (HEARTH_IS_ENGINE (self));
  g_return_if_fail (stream != NULL);

  task = task_new (self, hearth_engine_answer_async, cancellable, callback, user_data);
  if (task == NULL)
    return;
  job = turn_job_new (self, JOB_ANSWER, turn);
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
hearth_engine_count_async (HearthEngine *self, const HearthEngineTurn *turn,
                           GCancellable *cancellable, GAsyncReadyCallback callback,
                           gpointer user_data)
{
  GTask *task;

  g_return_if_fail (HEARTH_IS_ENGINE (self));

  task = task_new (self, hearth_engine_count_async, cancellable, callback, user_data);
  if (task != NULL)
    push (self, turn_job_new (self, JOB_COUNT, turn), cancellable, task);
}

gboolean
hearth_engine_count_finish (HearthEngine *self, GAsyncResult *result, HearthCount *count,
                            GError **error)
{
  g_autofree HearthCount *counted = NULL;

  g_return_val_if_fail (g_task_is_valid (result, self), FALSE);

  counted = g_task_propagate_pointer (G_TASK (result), error);
  if (counted == NULL)
    return FALSE;
  *count = *counted;
  return TRUE;
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
