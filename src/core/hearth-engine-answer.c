/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The worker's half: one answer. */
#include "hearth-engine-private.h"

#include <math.h>

#include "hearth-engine-sampling.h"
#include "hearth-error.h"

/* Answers that can be gone on with exactly. One takes some kilobytes. */
#define MAX_ANSWERS 16

void
_hearth_engine_answered_free (gpointer data)
{
  struct answered *answered = data;

  g_free (answered->path);
  g_array_unref (answered->ids);
  g_free (answered);
}

static void
remember (HearthEngine *self, struct job *job, gsize n_prompt)
{
  struct answered *answered = g_new0 (struct answered, 1);

  answered->path = g_strdup (job->path);
  answered->n_prompt = n_prompt;
  answered->begins_open = job->begins_open;
  answered->ids = g_array_ref (job->ids);
  g_queue_push_head (&self->answers, answered);
  if (self->answers.length > MAX_ANSWERS)
    _hearth_engine_answered_free (g_queue_pop_tail (&self->answers));
}

static bool
progress_cb (size_t n_done, size_t n_total, void *user_data)
{
  struct job *job = user_data;

  g_atomic_int_set (&job->n_tokens, (int) n_done);
  _hearth_engine_post_progress (job);
  hearth_reply_stream_push_progress (job->stream,
                                     n_total > 0 ? (double) n_done / (double) n_total : 1);
  return !_hearth_engine_job_is_cancelled (job);
}

static bool
token_cb (int32_t id, struct ember_text text, void *user_data)
{
  struct job *job = user_data;

  if (id >= 0)
    {
      g_array_append_val (job->ids, id);
      g_atomic_int_inc (&job->n_tokens);
      _hearth_engine_post_progress (job);
      if (text.size > 0)
        hearth_reply_stream_push_text (job->stream, text.data, text.size);
    }
  else if (text.size > 0)
    g_string_append_len (job->held, text.data, (gssize) text.size);
  return !_hearth_engine_job_is_cancelled (job);
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
    case EMBER_STOP_LENGTH:
      return HEARTH_ENDING_LENGTH;
    case EMBER_STOP_END:
    case EMBER_STOP_STRING:
    default:
      return HEARTH_ENDING_END;
    }
}

static const char *
last_content (struct job *job)
{
  guint n = g_strv_length (job->contents);

  return n > 0 ? job->contents[n - 1] : "";
}

static enum ember_status
generate (HearthEngine *self, struct job *job, struct ember_sampler *sampler,
          const struct ember_tokens *prompt, struct ember_generate_result *result,
          struct ember_error *failure)
{
  double max_tokens = job->sampling.values[HEARTH_PARAMETER_MAX_TOKENS];
  struct ember_generate_params params = {
    .prompt = prompt->ids,
    .n_prompt = prompt->n,
    .sampler = sampler,
    .max_tokens = max_tokens > 0 ? (size_t) max_tokens : 0,
    .events = { .progress = progress_cb, .token = token_cb, .user_data = job },
  };
  struct ember_reasoning reasoning;
  gboolean still_thinks;
  enum ember_status status;

  /* Thoughts come before the answer: one that has begun is over with them. */
  still_thinks = job->goes_on && *job->thoughts != '\0' && *last_content (job) == '\0';
  if ((!job->goes_on || still_thinks) && _hearth_engine_get_reasoning (self, &reasoning))
    hearth_reply_stream_expect_thinking (job->stream, reasoning.begin, reasoning.end,
                                         job->begins_open);
  if (still_thinks)
    hearth_reply_stream_go_on_thinking (job->stream);
  job->ids = g_array_sized_new (FALSE, FALSE, sizeof (int32_t), (guint) prompt->n + 256);
  g_array_append_vals (job->ids, prompt->ids, (guint) prompt->n);
  job->held = g_string_new (NULL);
  status = ember_session_generate (self->session, &params, result, failure);
  /* The beginning of a character, or of a mark, is no text as long as the answer may go on. */
  if (status == EMBER_OK && ending_from_ember (result->stop) != HEARTH_ENDING_END)
    return status;
  if (status == EMBER_OK && job->held->len > 0)
    hearth_reply_stream_push_text (job->stream, job->held->str, job->held->len);
  hearth_reply_stream_end (job->stream);
  return status;
}

/* How many tokens before the answer; less than the prompt when that is an answer's beginning. */
static gsize
n_before_answer (HearthEngine *self, struct job *job, const struct ember_tokens *prompt)
{
  for (GList *at = self->answers.head; at != NULL; at = at->next)
    {
      const struct answered *answered = at->data;

      if (g_strcmp0 (answered->path, job->path) == 0 && answered->n_prompt < prompt->n &&
          answered->ids->len >= prompt->n &&
          memcmp (answered->ids->data, prompt->ids, prompt->n * sizeof *prompt->ids) == 0)
        return answered->n_prompt;
    }
  return prompt->n;
}

void
_hearth_engine_answer (HearthEngine *self, struct job *job)
{
  struct ember_error failure = { 0 };
  struct ember_sampler *sampler = NULL;
  struct ember_tokens prompt = { 0 };
  struct ember_generate_result result = { .stop = EMBER_STOP_CANCEL };
  enum ember_status status;

  if (!_hearth_engine_ensure_loaded (self, job))
    return;
  if (ember_model_chat (self->ember_model) == NULL)
    {
      job->error = g_error_new (HEARTH_ERROR, HEARTH_ERROR_NO_CHAT,
                                "%s: the file has no vocabulary", job->path);
      return;
    }
  _hearth_engine_post_answering (job);
  status = _hearth_engine_tokenize (self, job, &prompt, &failure);
  if (status == EMBER_OK)
    status = _hearth_engine_sampler_new (&sampler, self->ember_model, &job->sampling, &failure);
  if (status == EMBER_OK && !_hearth_engine_job_is_cancelled (job))
    {
      gsize n_before = n_before_answer (self, job, &prompt);

      status = generate (self, job, sampler, &prompt, &result, &failure);
      if (status == EMBER_OK)
        remember (self, job, n_before);
    }
  if (status == EMBER_OK)
    {
      job->figures.ending = ending_from_ember (result.stop);
      job->figures.n_prompt = result.n_prompt;
      job->figures.n_reused = result.n_reused;
      job->figures.n_generated = result.n_generated;
      job->figures.prefill_s = result.prefill_s;
      job->figures.decode_s = result.decode_s;
      job->figures.first_token_s = result.first_token_s;
    }
  else
    {
      job->error = hearth_error_from_ember (&failure);
      if (status == EMBER_IO)
        {
          /* What is left of the map is worth nothing; another try opens the file anew. */
          job->error->code = HEARTH_ERROR_FILE_LOST;
          _hearth_engine_drop_model (self);
        }
    }
  ember_sampler_free (sampler);
  ember_tokens_finish (&prompt);
}
