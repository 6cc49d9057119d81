/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-metadata-export.h"

#include <ember/gguf.h>
#include <ember/json.h>
#include <ember/writer.h>

#include "hearth-error.h"
#include "hearth-metadata-key.h"

struct job
{
  HearthGguf *gguf;
  HearthTableFormat format;
};

static void
job_free (gpointer data)
{
  struct job *job = data;

  hearth_gguf_unref (job->gguf);
  g_free (job);
}

static GBytes *
export_csv (HearthGguf *gguf)
{
  static const char *const names[] = { "key", "type", "value", "meaning", NULL };
  HearthTableText *table = hearth_table_text_new (HEARTH_TABLE_CSV, names);
  guint64 n = ember_gguf_info (hearth_gguf_get (gguf))->n_keys;

  for (guint64 i = 0; i < n; i++)
    {
      g_autoptr (HearthMetadataKey) key = hearth_metadata_key_new (gguf, i);
      const char *meaning = hearth_metadata_key_get_meaning (key);
      g_autofree char *name = hearth_metadata_key_dup_exact_name (key);
      g_autofree char *value = hearth_metadata_key_dup_written (key);

      hearth_table_text_add (table, name);
      hearth_table_text_add (table, hearth_metadata_key_get_type_name (key));
      hearth_table_text_add (table, value);
      hearth_table_text_add (table, meaning != NULL ? meaning : "");
    }
  return hearth_table_text_end (table);
}

static void
export_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  struct job *job = task_data;
  struct ember_json_writer *json;
  const char *text = NULL;
  gsize size = 0;

  if (job->format == HEARTH_TABLE_CSV)
    {
      g_task_return_pointer (task, export_csv (job->gguf), (GDestroyNotify) g_bytes_unref);
      return;
    }
  json = ember_json_writer_new (2);
  if (json != NULL)
    {
      ember_writer_metadata_json (hearth_gguf_get (job->gguf), json);
      text = ember_json_writer_finish (json, &size);
    }
  if (text != NULL)
    g_task_return_pointer (task, g_bytes_new (text, size), (GDestroyNotify) g_bytes_unref);
  else
    g_task_return_new_error_literal (task, HEARTH_ERROR, HEARTH_ERROR_NO_MEMORY,
                                     "The metadata as JSON: out of memory.");
  ember_json_writer_free (json);
}

void
hearth_metadata_export_async (HearthGguf *gguf, HearthTableFormat format,
                              GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, NULL, callback, user_data);
  struct job *job = g_new0 (struct job, 1);

  job->gguf = hearth_gguf_ref (gguf);
  job->format = format;
  g_task_set_source_tag (task, hearth_metadata_export_async);
  g_task_set_task_data (task, job, job_free);
  g_task_run_in_thread (task, export_in_thread);
}

GBytes *
hearth_metadata_export_finish (GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, NULL), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}
