/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-model-export.h"

#include <string.h>

#include <json-glib/json-glib.h>

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

static JsonObject *
describe (HearthModelFile *file)
{
  const HearthModelHeader *header = hearth_model_file_get_header (file);
  const HearthModelFacts *facts = hearth_model_file_get_facts (file);
  HearthModelFile *parent = hearth_model_file_get_parent (file);
  g_autofree char *path = g_filename_display_name (hearth_model_file_get_path (file));
  g_autofree char *changed = dup_changed (file);
  JsonObject *object = json_object_new ();

  json_object_set_string_member (object, "name", hearth_model_file_get_title (file));
  json_object_set_string_member (object, "path", path);
  json_object_set_string_member (object, "role", roles[hearth_model_file_get_role (file)]);
  json_object_set_string_member (object, "goes_with",
                                 parent != NULL ? hearth_model_file_get_title (parent) : "");
  json_object_set_string_member (object, "family", hearth_model_file_get_family (file));
  json_object_set_string_member (
    object, "architecture",
    header != NULL && header->architecture != NULL ? header->architecture : "");
  json_object_set_string_member (
    object, "quantization",
    header != NULL && header->quantization != NULL ? header->quantization : "");
  json_object_set_int_member (object, "parameters",
                              header != NULL ? (gint64) header->n_parameters : 0);
  json_object_set_int_member (object, "context", header != NULL ? header->n_ctx_trained : 0);
  json_object_set_int_member (object, "parts", facts->n_parts);
  json_object_set_int_member (object, "bytes", (gint64) hearth_model_file_get_size (file));
  json_object_set_int_member (object, "bytes_on_disk", (gint64) facts->disk);
  json_object_set_string_member (object, "changed", changed);
  json_object_set_string_member (object, "stores", hearth_model_file_get_stores (file));
  json_object_set_string_member (object, "state", get_state (file));
  return object;
}

/* A table that begins a cell with one of these takes it for a formula: names come from files. */
static gboolean
looks_like_a_formula (const char *text)
{
  return *text != '\0' && strchr ("=+-@\t\r", *text) != NULL;
}

static void
add_cell (GString *out, const char *text)
{
  g_string_append_c (out, '"');
  if (looks_like_a_formula (text))
    g_string_append_c (out, '\'');
  for (const char *at = text; *at != '\0'; at++)
    {
      if (*at == '"')
        g_string_append_c (out, '"');
      g_string_append_c (out, *at);
    }
  g_string_append_c (out, '"');
}

static void
add_line (GString *out, JsonObject *object, gboolean names)
{
  g_autoptr (GList) members = json_object_get_members (object);

  for (GList *at = members; at != NULL; at = at->next)
    {
      JsonNode *node = json_object_get_member (object, at->data);

      if (at != members)
        g_string_append_c (out, ',');
      if (names)
        g_string_append (out, at->data);
      else if (json_node_get_value_type (node) == G_TYPE_INT64)
        g_string_append_printf (out, "%" G_GINT64_FORMAT, json_node_get_int (node));
      else
        add_cell (out, json_node_get_string (node));
    }
  g_string_append (out, "\r\n");
}

char *
hearth_model_export_csv (GListModel *models)
{
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < g_list_model_get_n_items (models); i++)
    {
      g_autoptr (HearthModelFile) file = g_list_model_get_item (models, i);
      JsonObject *object = describe (file);

      if (i == 0)
        add_line (out, object, TRUE);
      add_line (out, object, FALSE);
      json_object_unref (object);
    }
  return g_string_free_and_steal (out);
}

char *
hearth_model_export_json (GListModel *models)
{
  JsonArray *array = json_array_new ();
  g_autoptr (JsonNode) root = json_node_new (JSON_NODE_ARRAY);

  for (guint i = 0; i < g_list_model_get_n_items (models); i++)
    {
      g_autoptr (HearthModelFile) file = g_list_model_get_item (models, i);

      json_array_add_object_element (array, describe (file));
    }
  json_node_take_array (root, array);
  return json_to_string (root, TRUE);
}
