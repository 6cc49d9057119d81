/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-tokenizer.h"

#include <ember/tokenizer.h>

#include "hearth-error.h"
#include "hearth-gguf.h"
#include "hearth-token-text.h"
#include "hearth-visible.h"

struct _HearthTokenizer
{
  HearthGguf *gguf; /* the tokenizer points into it */
  struct ember_tokenizer *tokenizer;
};

G_STATIC_ASSERT ((int) HEARTH_TOKEN_CONTROL == (int) EMBER_TOKEN_CONTROL);
G_STATIC_ASSERT ((int) HEARTH_TOKEN_BYTE == (int) EMBER_TOKEN_BYTE);

HearthTokenizer *
hearth_tokenizer_new (HearthGguf *gguf, GError **error)
{
  struct ember_error failure = { 0 };
  struct ember_tokenizer *tokenizer = NULL;
  HearthTokenizer *self;

  if (ember_tokenizer_new (&tokenizer, hearth_gguf_get (gguf), &failure) != EMBER_OK)
    {
      g_propagate_error (error, hearth_error_from_ember (&failure));
      return NULL;
    }
  self = g_atomic_rc_box_new (HearthTokenizer);
  self->gguf = hearth_gguf_ref (gguf);
  self->tokenizer = tokenizer;
  return self;
}

HearthTokenizer *
hearth_tokenizer_ref (HearthTokenizer *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
clear (gpointer data)
{
  HearthTokenizer *self = data;

  ember_tokenizer_free (self->tokenizer);
  hearth_gguf_unref (self->gguf);
}

void
hearth_tokenizer_unref (HearthTokenizer *self)
{
  g_atomic_rc_box_release_full (self, clear);
}

const struct ember_tokenizer *
hearth_tokenizer_get (HearthTokenizer *self)
{
  return self->tokenizer;
}

/* ---- one token -------------------------------------------------------------------------- */

guint
hearth_tokenizer_get_n_tokens (HearthTokenizer *self)
{
  return ember_tokenizer_n_tokens (self->tokenizer);
}

HearthTokenKind
hearth_tokenizer_get_kind (HearthTokenizer *self, int id)
{
  return (HearthTokenKind) ember_tokenizer_kind (self->tokenizer, id);
}

gboolean
hearth_tokenizer_is_special (HearthTokenizer *self, int id)
{
  HearthTokenKind kind = hearth_tokenizer_get_kind (self, id);

  return kind == HEARTH_TOKEN_CONTROL || kind == HEARTH_TOKEN_UNKNOWN ||
         kind == HEARTH_TOKEN_USER_DEFINED;
}

gboolean
hearth_tokenizer_is_end (HearthTokenizer *self, int id)
{
  return ember_tokenizer_is_end (self->tokenizer, id);
}

gboolean
hearth_tokenizer_get_score (HearthTokenizer *self, int id, float *score)
{
  return ember_tokenizer_score (self->tokenizer, id, score);
}

int
hearth_tokenizer_get_first (HearthTokenizer *self)
{
  return ember_tokenizer_adds_bos (self->tokenizer) ? ember_tokenizer_bos (self->tokenizer) : -1;
}

int
hearth_tokenizer_get_last (HearthTokenizer *self)
{
  return ember_tokenizer_adds_eos (self->tokenizer) ? ember_tokenizer_eos (self->tokenizer) : -1;
}

/* Unused tokens stand for nothing in a text; what is stored is all there is to see. */
GBytes *
hearth_tokenizer_dup_bytes (HearthTokenizer *self, int id)
{
  gsize n = ember_detokenize_one (self->tokenizer, id, true, NULL, 0);
  struct ember_text stored = ember_tokenizer_piece (self->tokenizer, id);
  char *bytes;

  if (n == 0)
    return g_bytes_new (stored.data, stored.size);
  bytes = g_malloc (n);
  ember_detokenize_one (self->tokenizer, id, true, bytes, n);
  return g_bytes_new_take (bytes, n);
}

char *
hearth_tokenizer_dup_piece (HearthTokenizer *self, int id)
{
  g_autoptr (GBytes) bytes = hearth_tokenizer_dup_bytes (self, id);
  gsize n;
  const char *data = g_bytes_get_data (bytes, &n);

  return hearth_visible_dup (data, n);
}

char *
hearth_tokenizer_dup_stored (HearthTokenizer *self, int id)
{
  struct ember_text stored = ember_tokenizer_piece (self->tokenizer, id);

  return hearth_visible_dup (stored.data, stored.size);
}

/* ---- progress --------------------------------------------------------------------------- */

struct _HearthProgress
{
  int permille; /* atomic */
};

HearthProgress *
hearth_progress_new (void)
{
  return g_atomic_rc_box_new0 (HearthProgress);
}

HearthProgress *
hearth_progress_ref (HearthProgress *self)
{
  return g_atomic_rc_box_acquire (self);
}

void
hearth_progress_unref (HearthProgress *self)
{
  g_atomic_rc_box_release (self);
}

double
hearth_progress_get (HearthProgress *self)
{
  return g_atomic_int_get (&self->permille) / 1000.0;
}

void
hearth_progress_set (HearthProgress *self, double fraction)
{
  g_atomic_int_set (&self->permille, (int) (CLAMP (fraction, 0, 1) * 1000));
}

/* ---- a text ----------------------------------------------------------------------------- */

struct job
{
  HearthTokenizer *tokenizer;
  GBytes *text;
  HearthTokenizeFlags flags;
  HearthProgress *progress;
  GCancellable *cancellable;
};

static void
job_free (gpointer data)
{
  struct job *job = data;

  hearth_tokenizer_unref (job->tokenizer);
  g_bytes_unref (job->text);
  g_clear_pointer (&job->progress, hearth_progress_unref);
  g_clear_object (&job->cancellable);
  g_free (job);
}

/* The working thread. */
static bool
progress_cb (double fraction, void *user_data)
{
  struct job *job = user_data;

  if (job->progress != NULL)
    hearth_progress_set (job->progress, fraction);
  return !g_cancellable_is_cancelled (job->cancellable);
}

static void
tokenize_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  struct job *job = task_data;
  const struct ember_tokenize_params params = { .add_special = job->flags.add_special,
                                                .progress = progress_cb,
                                                .user_data = job };
  struct ember_tokens tokens = { 0 };
  struct ember_error failure = { 0 };
  gsize n;
  const char *data = g_bytes_get_data (job->text, &n);
  struct ember_span span = { .text = { data != NULL ? data : "", n },
                             .parse_special = job->flags.parse_special };

  if (ember_tokenize_watched (job->tokenizer->tokenizer, &span, 1, &params, &tokens, &failure) ==
      EMBER_OK)
    g_task_return_pointer (task,
                           hearth_token_text_new (job->tokenizer, tokens.ids, tokens.n, data, n),
                           (GDestroyNotify) hearth_token_text_unref);
  else
    g_task_return_error (task, hearth_error_from_ember (&failure));
  ember_tokens_finish (&tokens);
}

void
hearth_tokenizer_tokenize_async (HearthTokenizer *self, GBytes *text, HearthTokenizeFlags flags,
                                 HearthProgress *progress, GCancellable *cancellable,
                                 GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);
  struct job *job = g_new0 (struct job, 1);

  job->tokenizer = hearth_tokenizer_ref (self);
  job->text = g_bytes_ref (text);
  job->flags = flags;
  job->progress = progress != NULL ? hearth_progress_ref (progress) : NULL;
  job->cancellable = cancellable != NULL ? g_object_ref (cancellable) : NULL;
  g_task_set_source_tag (task, hearth_tokenizer_tokenize_async);
  g_task_set_task_data (task, job, job_free);
  g_task_run_in_thread (task, tokenize_in_thread);
}

HearthTokenText *
hearth_tokenizer_tokenize_finish (GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, NULL), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}
