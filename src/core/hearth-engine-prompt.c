/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The worker's half: a conversation in tokens. */
#include "hearth-engine-private.h"

#include <string.h>

#include "hearth-error.h"
#include "hearth-thinking.h"

/* Tokens that an answer needs at least, so that leaving out turns is worth it. */
#define ROOM_FOR_ANSWER 256

gboolean
_hearth_engine_get_reasoning (HearthEngine *self, struct ember_reasoning *reasoning)
{
  const struct ember_gguf *gguf = ember_model_gguf (self->ember_model);

  return ember_reasoning_find (ember_gguf_get_text (gguf, "tokenizer.chat_template"), reasoning);
}

static struct ember_chat_params
chat_params (struct job *job, gboolean generate)
{
  return (struct ember_chat_params) {
    .add_generation_prompt = generate,
    .no_thinking = !job->thinking,
    .now = ember_time_now (),
  };
}

/* `behind`: more text, behind what the template makes of the messages. */
static enum ember_status
tokenize (HearthEngine *self, struct job *job, const struct ember_message *messages, gsize n,
          gboolean generate, const struct ember_span *behind, gsize n_behind,
          struct ember_tokens *tokens, struct ember_error *failure)
{
  struct ember_chat_params params = chat_params (job, generate);
  struct ember_prompt prompt = { 0 };
  struct ember_reasoning reasoning;
  enum ember_status status = ember_chat_render (ember_model_chat (self->ember_model), messages, n,
                                                &params, &prompt, failure);

  if (status == EMBER_OK)
    {
      g_autofree struct ember_span *spans = g_new (struct ember_span, prompt.n_spans + n_behind);

      for (gsize i = 0; i < prompt.n_spans; i++)
        spans[i] = prompt.spans[i];
      for (gsize i = 0; i < n_behind; i++)
        spans[prompt.n_spans + i] = behind[i];
      status = ember_tokenize (ember_model_tokenizer (self->ember_model), spans,
                               prompt.n_spans + n_behind, true, tokens, failure);
    }
  if (status == EMBER_OK && _hearth_engine_get_reasoning (self, &reasoning))
    job->begins_open =
      ember_reasoning_is_open (&reasoning, (struct ember_text) { prompt.text, prompt.size });
  ember_prompt_finish (&prompt);
  return status;
}

/* How many of the answer's tokens make exactly these thoughts and this text, with no unfinished
 * character or mark behind it; 0 when none do. */
static gsize
match_text (HearthEngine *self, const struct answered *answered, const char *wanted_thoughts,
            const char *text)
{
  const int32_t *ids = (const int32_t *) (gpointer) answered->ids->data + answered->n_prompt;
  gsize n = answered->ids->len - answered->n_prompt;
  gsize size = strlen (text);
  g_autoptr (GString) thoughts = g_string_new (NULL);
  g_autoptr (GString) made = g_string_new (NULL);
  struct ember_reasoning reasoning = { NULL, NULL };
  struct ember_stream *stream = NULL;
  HearthThinking thinking;
  gsize matching = 0;

  if (ember_stream_new (&stream, ember_model_tokenizer (self->ember_model), false, NULL) !=
      EMBER_OK)
    return 0;
  _hearth_engine_get_reasoning (self, &reasoning);
  hearth_thinking_init (&thinking, reasoning.begin, reasoning.end, answered->begins_open);
  for (gsize i = 0; i < n && made->len <= size; i++)
    {
      struct ember_text piece = ember_stream_push (stream, ids[i]);

      hearth_thinking_push (&thinking, piece.data, piece.size, thoughts, made);
      if (piece.size > 0 && made->len == size && memcmp (made->str, text, size) == 0 &&
          (size > 0 || thinking.held->len == 0) && g_str_equal (thoughts->str, wanted_thoughts))
        matching = i + 1;
    }
  hearth_thinking_finish (&thinking);

  ember_stream_reset (stream);
  for (gsize i = 0; i < matching; i++)
    ember_stream_push (stream, ids[i]);
  if (ember_stream_flush (stream).size > 0)
    matching = 0;
  ember_stream_free (stream);
  return matching;
}

/* The very tokens of an answer that is to go on, if they are remembered. */
static gboolean
recall (HearthEngine *self, struct job *job, const struct ember_tokens *prompt, const char *text,
        struct ember_tokens *tokens)
{
  for (GList *at = self->answers.head; at != NULL; at = at->next)
    {
      const struct answered *answered = at->data;
      const int32_t *ids = (const int32_t *) (gpointer) answered->ids->data;
      gsize n;

      if (g_strcmp0 (answered->path, job->path) != 0 || answered->n_prompt != prompt->n ||
          memcmp (ids, prompt->ids, prompt->n * sizeof *ids) != 0)
        continue;
      n = match_text (self, answered, job->thoughts, text);
      if (n == 0)
        continue;
      tokens->n = tokens->capacity = prompt->n + n;
      tokens->ids = malloc (tokens->n * sizeof *ids); /* the engine frees it */
      if (tokens->ids == NULL)
        {
          tokens->n = tokens->capacity = 0;
          return FALSE;
        }
      memcpy (tokens->ids, ids, tokens->n * sizeof *ids);
      return TRUE;
    }
  return FALSE;
}

/* An answer that goes on, in its own words: templates drop the thoughts of earlier answers, and
 * would begin new ones for this. */
static enum ember_status
tokenize_beginning (HearthEngine *self, struct job *job, const struct ember_message *messages,
                    gsize n, const struct ember_reasoning *reasoning, const char *text,
                    struct ember_tokens *tokens, struct ember_error *failure)
{
  struct ember_span spans[4];
  gsize n_spans = 0;
  g_autofree char *begin = g_strconcat (reasoning->begin, "\n", NULL);
  g_autofree char *end = g_strconcat (reasoning->end, "\n\n", NULL);

  if (!job->begins_open)
    spans[n_spans++] = (struct ember_span) { { begin, strlen (begin) }, true };
  spans[n_spans++] = (struct ember_span) { { job->thoughts, strlen (job->thoughts) }, false };
  if (*text != '\0')
    {
      spans[n_spans++] = (struct ember_span) { { end, strlen (end) }, true };
      spans[n_spans++] = (struct ember_span) { { text, strlen (text) }, false };
    }
  return tokenize (self, job, messages, n, TRUE, spans, n_spans, tokens, failure);
}

/* The prompt of `n` messages. A last one of the assistant is left open. */
static enum ember_status
make_prompt (HearthEngine *self, struct job *job, const struct ember_message *messages, gsize n,
             struct ember_tokens *tokens, struct ember_error *failure)
{
  gboolean open = n > 0 && g_str_equal (messages[n - 1].role, "assistant");
  struct ember_tokens before = { 0 };
  enum ember_status status;
  struct ember_reasoning reasoning;
  gboolean recalled;

  if (!open)
    return tokenize (self, job, messages, n, TRUE, NULL, 0, tokens, failure);
  status = tokenize (self, job, messages, n - 1, TRUE, NULL, 0, &before, failure);
  recalled = status == EMBER_OK && recall (self, job, &before, messages[n - 1].content, tokens);
  ember_tokens_finish (&before);
  if (recalled)
    return EMBER_OK;
  if (status == EMBER_OK && *job->thoughts != '\0' &&
      _hearth_engine_get_reasoning (self, &reasoning))
    return tokenize_beginning (self, job, messages, n - 1, &reasoning, messages[n - 1].content,
                               tokens, failure);
  return tokenize (self, job, messages, n, FALSE, NULL, 0, tokens, failure);
}

/* What the thoughts of an answer that goes on take, which no template counts. */
static gsize
count_thoughts (HearthEngine *self, struct job *job)
{
  struct ember_span span = { { job->thoughts, strlen (job->thoughts) }, false };
  struct ember_tokens tokens = { 0 };
  gsize n = 0;

  if (ember_tokenize (ember_model_tokenizer (self->ember_model), &span, 1, false, &tokens, NULL) ==
      EMBER_OK)
    n = tokens.n;
  ember_tokens_finish (&tokens);
  return n;
}

/* Leaves out the oldest turns until there is room for an answer. `n_left_out` counts messages. */
static enum ember_status
make_shorter_prompt (HearthEngine *self, struct job *job, struct ember_message *messages, gsize n,
                     struct ember_tokens *tokens, guint *n_left_out, struct ember_error *failure)
{
  guint n_ctx = ember_session_plan (self->session)->n_ctx;
  gsize room = MIN (ROOM_FOR_ANSWER, n_ctx / 4);
  gboolean open = n > 0 && g_str_equal (messages[n - 1].role, "assistant");
  struct ember_chat_params params = chat_params (job, !open);
  enum ember_status status = make_prompt (self, job, messages, n, tokens, failure);
  gsize budget = n_ctx - room;
  size_t first, n_out;

  *n_left_out = 0;
  if (status != EMBER_OK || tokens->n <= budget)
    return status;
  if (open)
    budget -= MIN (count_thoughts (self, job), budget - 1);
  status = ember_chat_leave_out (ember_model_chat (self->ember_model),
                                 ember_model_tokenizer (self->ember_model), messages, n, &params,
                                 budget, &first, &n_out, failure);
  /* The last question alone may still fit, if with less room than is good. */
  if (status != EMBER_OK && status != EMBER_CONTEXT_FULL)
    return status;
  memmove (&messages[first], &messages[first + n_out], (n - first - n_out) * sizeof *messages);
  *n_left_out = (guint) n_out;
  ember_tokens_finish (tokens);
  *tokens = (struct ember_tokens) { 0 };
  return make_prompt (self, job, messages, n - n_out, tokens, failure);
}

static struct ember_message *
messages_of (struct job *job, gsize *n)
{
  struct ember_message *messages;

  *n = g_strv_length (job->roles);
  messages = g_new0 (struct ember_message, MAX (*n, 1));
  for (gsize i = 0; i < *n; i++)
    messages[i] = (struct ember_message) { job->roles[i], job->contents[i] };
  return messages;
}

enum ember_status
_hearth_engine_tokenize (HearthEngine *self, struct job *job, struct ember_tokens *tokens,
                         struct ember_error *failure)
{
  gsize n;
  g_autofree struct ember_message *messages = messages_of (job, &n);
  guint n_left_out = 0;
  enum ember_status status;

  job->goes_on = n > 0 && g_str_equal (messages[n - 1].role, "assistant");
  if (job->leave_out)
    status = make_shorter_prompt (self, job, messages, n, tokens, &n_left_out, failure);
  else
    status = make_prompt (self, job, messages, n, tokens, failure);
  job->figures.n_left_out = n_left_out;
  return status;
}

void
_hearth_engine_count (HearthEngine *self, struct job *job)
{
  gsize n;
  g_autofree struct ember_message *messages = NULL;
  struct ember_tokens whole = { 0 };
  struct ember_tokens shorter = { 0 };
  const struct ember_tokens *asked = &whole;
  struct ember_error failure = { 0 };
  const int32_t *known;
  size_t n_known;
  guint n_kept = 0;
  enum ember_status status;

  if (g_strcmp0 (self->loaded_path, job->path) != 0 || self->session == NULL ||
      ember_model_chat (self->ember_model) == NULL)
    {
      job->error =
        g_error_new (HEARTH_ERROR, HEARTH_ERROR_NOT_LOADED, "%s is not loaded", job->path);
      return;
    }
  job->count.n_ctx = ember_session_plan (self->session)->n_ctx;
  if (job->roles[0] == NULL)
    return;
  messages = messages_of (job, &n);
  status = make_prompt (self, job, messages, n, &whole, &failure);
  if (status == EMBER_OK)
    status =
      make_shorter_prompt (self, job, messages, n, &shorter, &job->count.n_left_out, &failure);
  if (status != EMBER_OK)
    job->error = hearth_error_from_ember (&failure);
  else
    {
      if (job->leave_out)
        asked = &shorter;
      known = ember_session_tokens (self->session, &n_known);
      while (n_kept < n_known && n_kept < asked->n && known[n_kept] == asked->ids[n_kept])
        n_kept++;
      job->count.n_prompt = (guint) whole.n;
      job->count.n_remaining = (guint) shorter.n;
      job->count.n_kept = n_kept;
    }
  ember_tokens_finish (&whole);
  ember_tokens_finish (&shorter);
}
