/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-template.h"

#include <string.h>

#include <ember/chat.h>
#include <ember/json.h>

#include "hearth-error.h"
#include "hearth-gguf.h"

struct _HearthTemplate
{
  HearthGguf *gguf;           /* bos, eos and the chat point into it */
  HearthTokenizer *tokenizer; /* NULL: none that can be used */
  char *name;
  char *source;
  struct ember_template *tmpl; /* NULL: none, or broken */
  struct ember_chat *chat;     /* what a chat uses; of the standard template alone */
  struct ember_text bos, eos;
  char *broken; /* why it cannot be parsed */
  guint broken_line;
  HearthTemplateFeatures features;
  const char *thinking; /* the variable */
  gboolean typed_content;
};

struct _HearthRendering
{
  GBytes *prompt;
  HearthTokenText *tokens;
  GArray *spans; /* guint32 ends; the first is trusted as `trusted_first` says, then in turns */
  gboolean trusted_first;
  char *context;
  char *failure;
  guint line;
  gboolean about_tools;
  gboolean detour;
};

/* ---- the template ----------------------------------------------------------------------- */

/* Straight from the keys, for vocabularies that the engine cannot use. */
static struct ember_text
token_from_keys (const struct ember_gguf *gguf, const char *id_key)
{
  struct ember_text text = { 0 };
  guint64 id = ember_gguf_get_u64 (gguf, id_key, G_MAXUINT64);
  gint64 tokens = ember_gguf_find (gguf, "tokenizer.ggml.tokens");

  if (tokens >= 0 && id != G_MAXUINT64)
    ember_gguf_text (gguf, tokens, id, &text);
  return text;
}

static void
find_ends (HearthTemplate *self)
{
  const struct ember_gguf *gguf = hearth_gguf_get (self->gguf);

  if (self->tokenizer != NULL)
    {
      const struct ember_tokenizer *t = hearth_tokenizer_get (self->tokenizer);

      self->bos = ember_tokenizer_piece (t, ember_tokenizer_bos (t));
      self->eos = ember_tokenizer_piece (t, ember_tokenizer_eos (t));
      return;
    }
  self->bos = token_from_keys (gguf, "tokenizer.ggml.bos_token_id");
  self->eos = token_from_keys (gguf, "tokenizer.ggml.eos_token_id");
}

static void
parse (HearthTemplate *self, const struct ember_text *source)
{
  struct ember_error failure = { 0 };
  struct ember_template_features features;

  if (ember_template_new (&self->tmpl, source->data, source->size, "chat template", &failure) !=
      EMBER_OK)
    {
      self->broken = g_strdup (failure.message);
      self->broken_line = failure.line;
      return;
    }
  ember_template_probe (self->tmpl, self->bos, self->eos, &features);
  self->features = (HearthTemplateFeatures) { .system = features.system,
                                              .refuses_system = features.refuses_system,
                                              .tools = features.tools,
                                              .thinking = features.thinking != NULL,
                                              .generation_prompt = features.generation_prompt };
  self->thinking = features.thinking;
  self->typed_content = features.typed_content;
}

/* The engine counts "\r\n" and "\r" as one line's end. */
static char *
dup_source (const struct ember_text *source)
{
  g_autofree char *valid = g_utf8_make_valid (source->data, (gssize) source->size);
  GString *out = g_string_sized_new (source->size);

  for (const char *at = valid; *at != '\0'; at++)
    {
      if (*at != '\r')
        g_string_append_c (out, *at);
      else if (at[1] != '\n')
        g_string_append_c (out, '\n');
    }
  return g_string_free_and_steal (out);
}

HearthTemplate *
hearth_template_new (HearthGguf *gguf, HearthTokenizer *tokenizer, const char *name,
                     const struct ember_text *source)
{
  HearthTemplate *self = g_atomic_rc_box_new0 (HearthTemplate);

  self->gguf = hearth_gguf_ref (gguf);
  self->tokenizer = tokenizer != NULL ? hearth_tokenizer_ref (tokenizer) : NULL;
  self->name = g_strdup (name);
  find_ends (self);
  if (source != NULL)
    {
      self->source = dup_source (source);
      parse (self, source);
    }
  else
    /* Texts one after the other: of whoever they are. */
    self->features = (HearthTemplateFeatures) { .system = TRUE };
  if (name == NULL)
    ember_chat_new (&self->chat, hearth_gguf_get (gguf),
                    tokenizer != NULL ? hearth_tokenizer_get (tokenizer) : NULL, NULL);
  return self;
}

HearthTemplate *
hearth_template_ref (HearthTemplate *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
clear_template (gpointer data)
{
  HearthTemplate *self = data;

  ember_chat_free (self->chat);
  ember_template_free (self->tmpl);
  g_clear_pointer (&self->tokenizer, hearth_tokenizer_unref);
  g_clear_pointer (&self->gguf, hearth_gguf_unref);
  g_free (self->name);
  g_free (self->source);
  g_free (self->broken);
}

void
hearth_template_unref (HearthTemplate *self)
{
  g_atomic_rc_box_release_full (self, clear_template);
}

const char *
hearth_template_get_name (HearthTemplate *self)
{
  return self->name;
}

const char *
hearth_template_get_source (HearthTemplate *self)
{
  return self->source;
}

const HearthTemplateFeatures *
hearth_template_get_features (HearthTemplate *self)
{
  return &self->features;
}

/* ---- the variables ---------------------------------------------------------------------- */

static void
write_string (struct ember_json_writer *json, const char *text)
{
  ember_json_write_string (json, text);
}

static void
write_messages (struct ember_json_writer *json, const HearthTemplateWish *wish, gboolean typed)
{
  ember_json_name (json, "messages");
  ember_json_begin_array (json);
  for (gsize i = 0; i < wish->n_messages; i++)
    {
      ember_json_begin_object (json);
      ember_json_name (json, "role");
      write_string (json, wish->messages[i].role);
      ember_json_name (json, "content");
      if (typed)
        {
          ember_json_begin_array (json);
          ember_json_begin_object (json);
          ember_json_name (json, "type");
          write_string (json, "text");
          ember_json_name (json, "text");
        }
      write_string (json, wish->messages[i].text);
      if (typed)
        {
          ember_json_end_object (json);
          ember_json_end_array (json);
        }
      ember_json_end_object (json);
    }
  ember_json_end_array (json);
}

/* As the chat gives them, in English whatever the locale. */
static void
write_dates (struct ember_json_writer *json, const struct ember_time *now)
{
  static const char *const months[] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };
  const char *month = months[(now->month + 11) % 12];
  g_autofree char *date = g_strdup_printf ("%02d %s %d", now->day, month, now->year);
  g_autofree char *time = g_strdup_printf ("%s %02d %d", month, now->day, now->year);

  ember_json_name (json, "date_string");
  write_string (json, date);
  ember_json_name (json, "datetime");
  write_string (json, time);
}

/* The tools are the person's own JSON and stay as they are written. Returns NULL and fills in the
 * failure when they are none. */
static char *
dup_context (HearthTemplate *self, const HearthTemplateWish *wish, const struct ember_time *now,
             HearthRendering *out)
{
  struct ember_json_writer *json = ember_json_writer_new (0);
  struct ember_json_document *tools = NULL;
  struct ember_error failure = { 0 };
  const char *written;
  char *context = NULL;
  gsize n;

  ember_json_begin_object (json);
  write_messages (json, wish, self->typed_content);
  ember_json_name (json, "add_generation_prompt");
  ember_json_write_bool (json, wish->generation_prompt);
  if (self->thinking != NULL)
    {
      ember_json_name (json, self->thinking);
      ember_json_write_bool (json, !wish->no_thinking);
    }
  write_dates (json, now);
  ember_json_end_object (json);
  written = ember_json_writer_finish (json, &n);
  if (wish->tools == NULL)
    context = g_strdup (written);
  else if (ember_json_parse (&tools, wish->tools, strlen (wish->tools), &failure) != EMBER_OK)
    out->failure = g_strdup (failure.message);
  else if (ember_json_root (tools)->kind != EMBER_JSON_ARRAY)
    out->failure = g_strdup ("tools: expected a list, [{\"type\": \"function\", …}]");
  else
    context = g_strdup_printf ("%.*s, \"tools\": %s}", (int) n - 1, written, wish->tools);
  out->about_tools = out->failure != NULL;
  ember_json_free (tools);
  ember_json_writer_free (json);
  return context;
}

/* ---- rendering -------------------------------------------------------------------------- */

static void
take_prompt (HearthTemplate *self, HearthRendering *out, struct ember_prompt *prompt)
{
  struct ember_tokens tokens = { 0 };

  if (self->tokenizer != NULL)
    /* A prompt that cannot be tokenised is still shown; it then has no borders. */
    ember_tokenize (hearth_tokenizer_get (self->tokenizer), prompt->spans, prompt->n_spans, true,
                    &tokens, NULL);
  out->prompt = g_bytes_new (prompt->text, prompt->size);
  out->tokens = hearth_token_text_new_aligned (self->tokenizer, tokens.ids, tokens.n, prompt->text,
                                               prompt->size);
  out->spans = g_array_new (FALSE, FALSE, sizeof (guint32));
  out->trusted_first = prompt->n_spans > 0 && prompt->spans[0].parse_special;
  for (gsize i = 0; i < prompt->n_spans; i++)
    {
      guint32 end =
        (guint32) (prompt->spans[i].text.data - prompt->text + (gssize) prompt->spans[i].text.size);

      g_array_append_val (out->spans, end);
    }
  ember_tokens_finish (&tokens);
  ember_prompt_finish (prompt);
}

static enum ember_status
render_as_chat (HearthTemplate *self, const HearthTemplateWish *wish, const struct ember_time *now,
                struct ember_prompt *prompt, struct ember_error *failure)
{
  const struct ember_chat_params params = { .add_generation_prompt = wish->generation_prompt,
                                            .no_thinking = wish->no_thinking,
                                            .now = *now };
  g_autofree struct ember_message *messages = g_new0 (struct ember_message, wish->n_messages + 1);

  for (gsize i = 0; i < wish->n_messages; i++)
    messages[i] =
      (struct ember_message) { .role = wish->messages[i].role, .content = wish->messages[i].text };
  return ember_chat_render (self->chat, messages, wish->n_messages, &params, prompt, failure);
}

static void
render_template (HearthTemplate *self, const HearthTemplateWish *wish, const struct ember_time *now,
                 HearthRendering *out)
{
  struct ember_json_document *context = NULL;
  struct ember_prompt prompt = { 0 };
  struct ember_error failure = { 0 };

  if (ember_json_parse (&context, out->context, strlen (out->context), &failure) == EMBER_OK &&
      ember_template_render (self->tmpl, ember_json_root (context), self->bos, self->eos, *now,
                             &prompt, &failure) == EMBER_OK)
    take_prompt (self, out, &prompt);
  else
    {
      out->failure = g_strdup (failure.message);
      out->line = failure.line;
      /* A chat goes round some refusals. */
      if (self->chat != NULL && wish->tools == NULL &&
          render_as_chat (self, wish, now, &prompt, NULL) == EMBER_OK)
        {
          out->detour = TRUE;
          take_prompt (self, out, &prompt);
        }
    }
  ember_json_free (context);
}

HearthRendering *
hearth_template_render (HearthTemplate *self, const HearthTemplateWish *wish)
{
  HearthRendering *out = g_atomic_rc_box_new0 (HearthRendering);
  struct ember_time now = ember_time_now ();

  if (self->broken != NULL)
    {
      out->failure = g_strdup (self->broken);
      out->line = self->broken_line;
    }
  else if (self->tmpl == NULL)
    {
      struct ember_prompt prompt = { 0 };
      struct ember_error failure = { 0 };

      if (self->chat != NULL && render_as_chat (self, wish, &now, &prompt, &failure) == EMBER_OK)
        take_prompt (self, out, &prompt);
      else
        out->failure = g_strdup (failure.message);
    }
  else
    {
      out->context = dup_context (self, wish, &now, out);
      if (out->context != NULL)
        render_template (self, wish, &now, out);
    }
  return out;
}

/* ---- on another thread ------------------------------------------------------------------ */

struct job
{
  HearthTemplate *tmpl;
  HearthTemplateWish wish;
  HearthTemplateMessage *messages;
};

static void
job_free (gpointer data)
{
  struct job *job = data;

  for (gsize i = 0; i < job->wish.n_messages; i++)
    {
      g_free ((char *) job->messages[i].role);
      g_free ((char *) job->messages[i].text);
    }
  g_free (job->messages);
  g_free ((char *) job->wish.tools);
  hearth_template_unref (job->tmpl);
  g_free (job);
}

static void
render_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  struct job *job = task_data;

  g_task_return_pointer (task, hearth_template_render (job->tmpl, &job->wish),
                         (GDestroyNotify) hearth_rendering_unref);
}

void
hearth_template_render_async (HearthTemplate *self, const HearthTemplateWish *wish,
                              GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, callback, user_data);
  struct job *job = g_new0 (struct job, 1);

  job->tmpl = hearth_template_ref (self);
  job->wish = *wish;
  job->wish.tools = g_strdup (wish->tools);
  job->wish.messages = job->messages = g_new0 (HearthTemplateMessage, wish->n_messages + 1);
  for (gsize i = 0; i < wish->n_messages; i++)
    job->messages[i] = (HearthTemplateMessage) { .role = g_strdup (wish->messages[i].role),
                                                 .text = g_strdup (wish->messages[i].text) };
  g_task_set_source_tag (task, hearth_template_render_async);
  g_task_set_task_data (task, job, job_free);
  g_task_run_in_thread (task, render_in_thread);
}

HearthRendering *
hearth_template_render_finish (GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, NULL), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}

/* ---- the rendering ---------------------------------------------------------------------- */

HearthRendering *
hearth_rendering_ref (HearthRendering *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
clear_rendering (gpointer data)
{
  HearthRendering *self = data;

  g_clear_pointer (&self->prompt, g_bytes_unref);
  g_clear_pointer (&self->tokens, hearth_token_text_unref);
  g_clear_pointer (&self->spans, g_array_unref);
  g_free (self->context);
  g_free (self->failure);
}

void
hearth_rendering_unref (HearthRendering *self)
{
  g_atomic_rc_box_release_full (self, clear_rendering);
}

HearthTokenText *
hearth_rendering_get_tokens (HearthRendering *self)
{
  return self->tokens;
}

GBytes *
hearth_rendering_get_prompt (HearthRendering *self)
{
  return self->prompt;
}

const char *
hearth_rendering_get_context (HearthRendering *self)
{
  return self->context;
}

const char *
hearth_rendering_get_failure (HearthRendering *self, guint *line)
{
  if (line != NULL)
    *line = self->line;
  return self->failure;
}

gboolean
hearth_rendering_is_about_tools (HearthRendering *self)
{
  return self->about_tools;
}

gboolean
hearth_rendering_is_detour (HearthRendering *self)
{
  return self->detour;
}

GBytes *
hearth_rendering_to_json (HearthRendering *self)
{
  gsize size = 0, n;
  const char *prompt = self->prompt != NULL ? g_bytes_get_data (self->prompt, &size) : "";
  g_autoptr (GBytes) body =
    self->tokens != NULL ? hearth_token_text_to_json (self->tokens, prompt, size) : NULL;
  struct ember_json_writer *spans = ember_json_writer_new (0);
  GString *out = g_string_new ("{");
  guint32 at = 0;

  ember_json_begin_array (spans);
  for (guint i = 0; self->spans != NULL && i < self->spans->len; i++)
    {
      guint32 end = g_array_index (self->spans, guint32, i);

      ember_json_begin_object (spans);
      ember_json_name (spans, "text");
      ember_json_write_text (spans, (struct ember_text) { prompt + at, end - at });
      ember_json_name (spans, "special");
      ember_json_write_bool (spans, (i % 2 == 0) == self->trusted_first);
      ember_json_end_object (spans);
      at = end;
    }
  ember_json_end_array (spans);
  if (body != NULL)
    {
      const char *fields = g_bytes_get_data (body, &n);

      /* Without its braces. */
      g_string_append_len (out, fields + 1, (gssize) n - 2);
      g_string_append (out, ", ");
    }
  g_string_append_printf (out, "\"spans\": %s", ember_json_writer_finish (spans, &n));
  if (self->context != NULL)
    g_string_append_printf (out, ", \"context\": %s", self->context);
  g_string_append (out, "}\n");
  ember_json_writer_free (spans);
  return g_string_free_to_bytes (out);
}
