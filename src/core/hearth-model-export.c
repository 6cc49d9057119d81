/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-model-export.h"

#include "hearth-model-file.h"

static const char *const roles[] = {
  [HEARTH_MODEL_ROLE_MODEL] = "model",           [HEARTH_MODEL_ROLE_PROJECTOR] = "projector",
  [HEARTH_MODEL_ROLE_DRAFT] = "draft",           [HEARTH_MODEL_ROLE_ADAPTER] = "adapter",
  [HEARTH_MODEL_ROLE_VOCABULARY] = "vocabulary", [HEARTH_MODEL_ROLE_IMATRIX] = "imatrix",
};

static const char *
get_state (HearthModelFile *file)
{
  const HearthModelHeader *header = hearth_model_file_get_header (file);

  if (hearth_model_file_get_presence (file) == HEARTH_MODEL_PRESENCE_GONE)
    return "gone";
  if (hearth_model_file_get_presence (file) == HEARTH_MODEL_PRESENCE_WRITING)
    return "being written";
  if (hearth_model_file_get_facts (file)->n_missing > 0 ||
      (header != NULL && header->expected_size > header->size))
    return "incomplete";
  if (hearth_model_file_get_state (file) == HEARTH_MODEL_FILE_FAILED)
    return "damaged";
  return header != NULL ? "ready" : "not read";
}

static char *
dup_changed (HearthModelFile *file)
{
  g_autoptr (GDateTime) time =
    g_date_time_new_from_unix_utc (hearth_model_file_get_facts (file)->changed / G_USEC_PER_SEC);

  return time != NULL ? g_date_time_format_iso8601 (time) : g_strdup ("");
}

/* NULL: it is not known. */
static void
add_text (HearthTableText *table, const char *text)
{
  hearth_table_text_add (table, text != NULL ? text : "");
}

static void
add_row (HearthTableText *table, HearthModelFile *file)
{
  const HearthModelHeader *header = hearth_model_file_get_header (file);
  const HearthModelFacts *facts = hearth_model_file_get_facts (file);
  HearthModelFile *parent = hearth_model_file_get_parent (file);
  g_autofree char *path = g_filename_display_name (hearth_model_file_get_path (file));
  g_autofree char *changed = dup_changed (file);

  add_text (table, hearth_model_file_get_title (file));
  add_text (table, path);
  add_text (table, roles[hearth_model_file_get_role (file)]);
  add_text (table, parent != NULL ? hearth_model_file_get_title (parent) : NULL);
  add_text (table, hearth_model_file_get_family (file));
  add_text (table, header != NULL ? header->architecture : NULL);
  add_text (table, header != NULL ? header->quantization : NULL);
  hearth_table_text_add_number (table, header != NULL ? header->n_parameters : 0);
  hearth_table_text_add_number (table, header != NULL ? header->n_ctx_trained : 0);
  hearth_table_text_add_number (table, facts->n_parts);
  hearth_table_text_add_number (table, hearth_model_file_get_size (file));
  hearth_table_text_add_number (table, facts->disk);
  add_text (table, changed);
  add_text (table, hearth_model_file_get_stores (file));
  add_text (table, get_state (file));
}

GBytes *
hearth_model_export (GListModel *models, HearthTableFormat format)
{
  static const char *const names[] = { "name",    "path",         "role",         "goes_with",
                                       "family",  "architecture", "quantization", "parameters",
                                       "context", "parts",        "bytes",        "bytes_on_disk",
                                       "changed", "stores",       "state",        NULL };
  HearthTableText *table = hearth_table_text_new (format, names);

  for (guint i = 0; i < g_list_model_get_n_items (models); i++)
    {
      g_autoptr (HearthModelFile) file = g_list_model_get_item (models, i);

      add_row (table, file);
    }
  return hearth_table_text_end (table);
}
