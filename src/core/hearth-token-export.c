/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-token-export.h"

#include <string.h>

#include <ember/json.h>
#include <ember/tokenizer.h>

#include "hearth-visible.h"

/* Written to the file at once. */
#define CHUNK (256 * 1024)

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
  GFile *file;
  HearthTokenExport format;
};

static void
job_free (gpointer data)
{
  struct job *job = data;

  hearth_tokenizer_unref (job->tokenizer);
  g_clear_pointer (&job->ids, g_array_unref);
  g_object_unref (job->file);
  g_free (job);
}

static const char *
kind_name (HearthTokenizer *tokenizer, int id)
{
  HearthTokenKind kind = hearth_tokenizer_get_kind (tokenizer, id);

  return (guint) kind < HEARTH_TOKEN_N_KINDS ? kind_names[kind] : "";
}

static void
add_csv (GString *out, HearthTokenizer *tokenizer, int id)
{
  struct ember_text stored = ember_tokenizer_piece (hearth_tokenizer_get (tokenizer), id);
  g_autoptr (GString) piece = g_string_new (NULL);
  g_autoptr (GBytes) bytes = hearth_tokenizer_dup_bytes (tokenizer, id);
  gsize n;
  const guint8 *data = g_bytes_get_data (bytes, &n);
  float score;

  hearth_visible_append (piece, stored.data, stored.size);
  g_string_replace (piece, "\"", "\"\"", 0);
  g_string_append_printf (out, "%d,\"%s\",%s,", id, piece->str, kind_name (tokenizer, id));
  if (hearth_tokenizer_get_score (tokenizer, id, &score))
    {
      char digits[G_ASCII_DTOSTR_BUF_SIZE];

      g_string_append (out, g_ascii_formatd (digits, sizeof digits, "%.9g", score));
    }
  g_string_append_c (out, ',');
  for (gsize i = 0; i < n; i++)
    g_string_append_printf (out, "%02X", data[i]);
  g_string_append (out, "\r\n");
}

static void
add_json (GString *out, HearthTokenizer *tokenizer, int id)
{
  struct ember_json_writer *json = ember_json_writer_new (0);
  g_autoptr (GBytes) bytes = hearth_tokenizer_dup_bytes (tokenizer, id);
  gsize n;
  const guint8 *data = g_bytes_get_data (bytes, &n);
  float score;

  ember_json_begin_object (json);
  ember_json_name (json, "id");
  ember_json_write_i64 (json, id);
  ember_json_name (json, "piece");
  ember_json_write_text (json, ember_tokenizer_piece (hearth_tokenizer_get (tokenizer), id));
  ember_json_name (json, "type");
  ember_json_write_string (json, kind_name (tokenizer, id));
  if (hearth_tokenizer_get_score (tokenizer, id, &score))
    {
      ember_json_name (json, "score");
      ember_json_write_f64 (json, (double) score, true);
    }
  ember_json_name (json, "bytes");
  ember_json_begin_array (json);
  for (gsize i = 0; i < n; i++)
    ember_json_write_u64 (json, data[i]);
  ember_json_end_array (json);
  ember_json_end_object (json);
  g_string_append (out, ember_json_writer_finish (json, &n));
  ember_json_writer_free (json);
}

static gboolean
write_out (GOutputStream *stream, GString *text, GCancellable *cancellable, GError **error)
{
  gboolean fine =
    g_output_stream_write_all (stream, text->str, text->len, NULL, cancellable, error);

  g_string_truncate (text, 0);
  return fine;
}

static void
export_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  struct job *job = task_data;
  GError *error = NULL;
  g_autoptr (GFileOutputStream) stream =
    g_file_replace (job->file, NULL, FALSE, G_FILE_CREATE_NONE, cancellable, &error);
  g_autoptr (GString) text = g_string_sized_new (CHUNK + 4096);
  gboolean json = job->format == HEARTH_TOKEN_EXPORT_JSON;
  guint n = job->ids != NULL ? job->ids->len : hearth_tokenizer_get_n_tokens (job->tokenizer);
  gboolean fine = stream != NULL;

  g_string_append (text, json ? "[\n" : "id,piece,type,score,bytes\r\n");
  for (guint i = 0; fine && i < n; i++)
    {
      int id = job->ids != NULL ? g_array_index (job->ids, gint32, i) : (int) i;

      if (json && i > 0)
        g_string_append (text, ",\n");
      if (json)
        add_json (text, job->tokenizer, id);
      else
        add_csv (text, job->tokenizer, id);
      if (text->len >= CHUNK)
        fine = write_out (G_OUTPUT_STREAM (stream), text, cancellable, &error);
    }
  if (json)
    g_string_append (text, "\n]\n");
  fine = fine && write_out (G_OUTPUT_STREAM (stream), text, cancellable, &error) &&
         g_output_stream_close (G_OUTPUT_STREAM (stream), cancellable, &error);
  if (fine)
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

void
hearth_token_export_async (HearthTokenizer *tokenizer, GArray *ids, GFile *file,
                           HearthTokenExport format, GCancellable *cancellable,
                           GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);
  struct job *job = g_new0 (struct job, 1);

  job->tokenizer = hearth_tokenizer_ref (tokenizer);
  job->ids = ids != NULL ? g_array_ref (ids) : NULL;
  job->file = g_object_ref (file);
  job->format = format;
  g_task_set_source_tag (task, hearth_token_export_async);
  g_task_set_task_data (task, job, job_free);
  g_task_run_in_thread (task, export_in_thread);
}
