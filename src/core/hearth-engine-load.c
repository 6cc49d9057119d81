/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The worker's half: which model is in memory. */
#include "hearth-engine-private.h"

#include "hearth-error.h"

void
_hearth_engine_drop_model (HearthEngine *self)
{
  struct ember_session *session;

  g_mutex_lock (&self->lock);
  session = g_steal_pointer (&self->session);
  g_mutex_unlock (&self->lock);
  ember_session_free (session);
  ember_model_unref (self->ember_model);
  self->ember_model = NULL;
  g_clear_pointer (&self->loaded_path, g_free);
}

static bool
progress_cb (double fraction, void *user_data)
{
  struct job *job = user_data;

  g_atomic_int_set (&job->permille, (int) (CLAMP (fraction, 0, 1) * 1000));
  _hearth_engine_post_progress (job);
  return !_hearth_engine_job_is_cancelled (job);
}

static gboolean
open_session (HearthEngine *self, struct job *job, struct ember_error *failure)
{
  struct ember_session *session = NULL;
  struct ember_fit_params params = { .n_ctx = job->n_ctx,
                                     .n_threads = job->n_threads,
                                     .kv_type = job->kv_type == HEARTH_KV_F32 ? EMBER_KV_F32
                                                                              : EMBER_KV_F16 };

  if (ember_session_new (&session, self->ember_model, &params, failure) != EMBER_OK)
    return FALSE;
  self->loaded = (HearthEngineModel) { .n_ctx = job->n_ctx,
                                       .n_threads = job->n_threads,
                                       .kv_type = job->kv_type };
  g_mutex_lock (&self->lock);
  self->session = session;
  g_mutex_unlock (&self->lock);
  return TRUE;
}

/* The same file with another context: the weights stay. The old session goes first, since both may
 * not fit; without it the model would be of no use, so it goes too when that fails. */
static gboolean
replace_session (HearthEngine *self, struct job *job)
{
  struct ember_error failure = { 0 };
  struct ember_session *old;

  g_mutex_lock (&self->lock);
  old = g_steal_pointer (&self->session);
  g_mutex_unlock (&self->lock);
  ember_session_free (old);
  if (open_session (self, job, &failure))
    return TRUE;
  job->error = hearth_error_from_ember (&failure);
  _hearth_engine_drop_model (self);
  return FALSE;
}

gboolean
_hearth_engine_ensure_loaded (HearthEngine *self, struct job *job)
{
  struct ember_error failure = { 0 };
  struct ember_model_params params = { .preload = true, .progress = progress_cb, .user_data = job };
  gboolean same_file = g_strcmp0 (self->loaded_path, job->path) == 0;

  if (same_file && self->loaded.n_ctx == job->n_ctx && self->loaded.n_threads == job->n_threads &&
      self->loaded.kv_type == job->kv_type)
    return TRUE;
  if (_hearth_engine_job_is_cancelled (job))
    {
      job->error = g_error_new_literal (G_IO_ERROR, G_IO_ERROR_CANCELLED, "cancelled");
      return FALSE;
    }
  _hearth_engine_post_loading (job);
  if (same_file)
    return replace_session (self, job);

  _hearth_engine_drop_model (self);
  if (ember_model_open (&self->ember_model, job->path, &params, &failure) != EMBER_OK ||
      !open_session (self, job, &failure))
    {
      job->error = hearth_error_from_ember (&failure);
      if (failure.status == EMBER_IO && !g_file_test (job->path, G_FILE_TEST_EXISTS))
        job->error->code = HEARTH_ERROR_NOT_FOUND;
      _hearth_engine_drop_model (self);
      return FALSE;
    }
  self->loaded_path = g_strdup (job->path);
  return TRUE;
}

void
_hearth_engine_describe_loaded (HearthEngine *self, struct job *job)
{
  struct ember_session_memory memory;
  size_t n_tokens;

  if (self->session == NULL)
    return;
  ember_session_memory (self->session, &memory);
  ember_session_tokens (self->session, &n_tokens);
  job->loaded_path = g_strdup (self->loaded_path);
  job->loaded_n_ctx = ember_session_plan (self->session)->n_ctx;
  job->loaded_n_tokens = (guint) n_tokens;
  job->loaded_model = self->loaded;
  job->loaded_memory = (HearthEngineMemory) {
    .weights = memory.weights,
    .kv = memory.kv,
    .checkpoint = memory.checkpoint,
    .compute = memory.compute,
  };
}
