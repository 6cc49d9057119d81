/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-token-export.h"

#include <math.h>

#include <ember/tokenizer.h>

#include "hearth-visible.h"

/* In the file, whatever the language. */
static const char *const kind_names[HEARTH_TOKEN_N_KINDS] = {
  [HEARTH_TOKEN_UNDEFINED] = "undefined",
  [HEARTH_TOKEN_NORMAL] = "normal",
  [HEARTH_TOKEN_UNKNOWN] = "unknown",
  [HEARTH_TOKEN_CONTROL] = "control",
  [HEARTH_TOKEN_USER_DEFINED] = "user-defined",
  [HEARTH_TOKEN_UNUSED] = "unused",
  [HEARTH_TOKEN_BYTE] = "byte",
};

struct job
{
  HearthTokenizer *tokenizer;
  GArray *ids;
  HearthTableFormat format;
};

static void
job_free (gpointer data)
{
  struct job *job = data;

  hearth_tokenizer_unref (job->tokenizer);
  g_clear_pointer (&job->ids, g_array_unref);
  g_free (job);
}

static void
add_row (HearthTableText *table, HearthTokenizer *tokenizer, int id)
{
  struct ember_text stored = ember_tokenizer_piece (hearth_tokenizer_get (tokenizer), id);
  HearthTokenKind kind = hearth_tokenizer_get_kind (tokenizer, id);
  g_autoptr (GString) piece = g_string_new (NULL);
  g_autoptr (GString) hex = g_string_new (NULL);
  g_autoptr (GBytes) bytes = hearth_tokenizer_dup_bytes (tokenizer, id);
  gsize n;
  const guint8 *data = g_bytes_get_data (bytes, &n);
  float score = NAN;

  hearth_visible_append (piece, stored.data, stored.size);
  for (gsize i = 0; i < n; i++)
    g_string_append_printf (hex, "%02X", data[i]);
  hearth_tokenizer_get_score (tokenizer, id, &score);
  hearth_table_text_add_number (table, (guint64) id);
  hearth_table_text_add (table, piece->str);
  hearth_table_text_add (table, (guint) kind < HEARTH_TOKEN_N_KINDS ? kind_names[kind] : "");
  hearth_table_text_add_real (table, (double) score);
  hearth_table_text_add (table, hex->str);
}

static void
export_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  static const char *const names[] = { "id", "piece", "type", "score", "bytes", NULL };
  struct job *job = task_data;
  HearthTableText *table = hearth_table_text_new (job->format, names);
  guint n = job->ids != NULL ? job->ids->len : hearth_tokenizer_get_n_tokens (job->tokenizer);

  for (guint i = 0; i < n && !g_cancellable_is_cancelled (cancellable); i++)
    add_row (table, job->tokenizer,
             job->ids != NULL ? g_array_index (job->ids, gint32, i) : (int) i);
  g_task_return_pointer (task, hearth_table_text_end (table), (GDestroyNotify) g_bytes_unref);
}

void
hearth_token_export_async (HearthTokenizer *tokenizer, GArray *ids, HearthTableFormat format,
                           GCancellable *cancellable, GAsyncReadyCallback callback,
                           gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);
  struct job *job = g_new0 (struct job, 1);

  job->tokenizer = hearth_tokenizer_ref (tokenizer);
  job->ids = ids != NULL ? g_array_ref (ids) : NULL;
  job->format = format;
  g_task_set_source_tag (task, hearth_token_export_async);
  g_task_set_task_data (task, job, job_free);
  g_task_run_in_thread (task, export_in_thread);
}
