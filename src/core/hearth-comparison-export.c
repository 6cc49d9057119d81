/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A comparison as JSON and CSV, the same in every language. */
#include "hearth-comparison-private.h"

#include <ember/json.h>

#include "hearth-table-text.h"

static void
write_text (struct ember_json_writer *json, const char *name, const char *text)
{
  ember_json_name (json, name);
  if (text != NULL)
    ember_json_write_string (json, text);
  else
    ember_json_write_null (json);
}

static void
write_u64 (struct ember_json_writer *json, const char *name, guint64 value)
{
  ember_json_name (json, name);
  ember_json_write_u64 (json, value);
}

static void
write_f64 (struct ember_json_writer *json, const char *name, double value)
{
  ember_json_name (json, name);
  ember_json_write_f64 (json, value, false);
}

static void
write_side (struct ember_json_writer *json, const char *name, const HearthComparisonSide *side)
{
  ember_json_name (json, name);
  ember_json_begin_object (json);
  write_text (json, "file", side->path);
  write_text (json, "name", side->name);
  write_text (json, "architecture", side->architecture);
  write_u64 (json, "size", side->size);
  write_u64 (json, "parameters", side->n_parameters);
  write_u64 (json, "tensor_bytes", side->n_tensor_bytes);
  write_u64 (json, "n_tensors", side->n_tensors);
  write_u64 (json, "n_kv", side->n_keys);
  ember_json_end_object (json);
}

static void
write_tensor (struct ember_json_writer *json, HearthComparedTensor *tensor)
{
  static const char *const names[] = { "first", "second" };
  const HearthValueError *error = hearth_compared_tensor_get_error (tensor);
  g_autofree char *name = hearth_compared_tensor_dup_exact_name (tensor);

  ember_json_begin_object (json);
  write_text (json, "name", name);
  write_text (json, "change",
              ember_change_name ((enum ember_change) hearth_compared_tensor_get_change (tensor)));
  for (guint i = 0; i < 2; i++)
    {
      ember_json_name (json, names[i]);
      if (hearth_compared_tensor_get_type_name (tensor, i == 1) == NULL)
        {
          ember_json_write_null (json);
          continue;
        }
      ember_json_begin_object (json);
      write_text (json, "type", hearth_compared_tensor_get_type_name (tensor, i == 1));
      write_text (json, "shape", hearth_compared_tensor_get_shape (tensor, i == 1));
      write_u64 (json, "bytes", hearth_compared_tensor_get_n_bytes (tensor, i == 1));
      ember_json_end_object (json);
    }
  if (error != NULL)
    {
      write_f64 (json, "relative_rms", error->relative_rms);
      write_f64 (json, "maximum", error->maximum);
      write_f64 (json, "cosine", error->cosine);
      write_u64 (json, "different", error->n_different);
    }
  ember_json_end_object (json);
}

char *
hearth_comparison_dup_json (HearthComparison *self)
{
  struct ember_json_writer *json;
  GListModel *keys, *tensors;
  const char *text;
  char *copy;

  g_return_val_if_fail (HEARTH_IS_COMPARISON (self), NULL);
  g_return_val_if_fail (hearth_comparison_get_side (self, FALSE) != NULL, NULL);

  json = ember_json_writer_new (1);
  keys = hearth_comparison_get_keys (self);
  tensors = hearth_comparison_get_tensors (self);
  ember_json_begin_object (json);
  write_side (json, "first", hearth_comparison_get_side (self, FALSE));
  write_side (json, "second", hearth_comparison_get_side (self, TRUE));
  ember_json_name (json, "keys");
  ember_json_begin_array (json);
  for (guint i = 0; i < g_list_model_get_n_items (keys); i++)
    {
      g_autoptr (HearthComparedKey) key = g_list_model_get_item (keys, i);
      HearthChange change = hearth_compared_key_get_change (key);

      if (change == HEARTH_CHANGE_SAME)
        continue;
      ember_json_begin_object (json);
      write_text (json, "key", hearth_compared_key_get_exact_name (key));
      write_text (json, "change", ember_change_name ((enum ember_change) change));
      write_text (json, "first", hearth_compared_key_get_exact (key, FALSE));
      write_text (json, "second", hearth_compared_key_get_exact (key, TRUE));
      ember_json_end_object (json);
    }
  ember_json_end_array (json);
  ember_json_name (json, "tensors");
  ember_json_begin_array (json);
  for (guint i = 0; i < g_list_model_get_n_items (tensors); i++)
    {
      g_autoptr (HearthComparedTensor) tensor = g_list_model_get_item (tensors, i);

      if (hearth_compared_tensor_get_change (tensor) != HEARTH_CHANGE_SAME ||
          hearth_compared_tensor_get_error (tensor) != NULL)
        write_tensor (json, tensor);
    }
  ember_json_end_array (json);
  ember_json_end_object (json);
  text = ember_json_writer_finish (json, NULL);
  copy = g_strdup (text != NULL ? text : "");
  ember_json_writer_free (json);
  return copy;
}

/* ---- CSV -------------------------------------------------------------------------------- */

/* NULL: there is none. */
static void
add_text (HearthTableText *table, const char *text)
{
  hearth_table_text_add (table, text != NULL ? text : "");
}

GBytes *
hearth_compared_keys_export (GListModel *keys)
{
  static const char *const names[] = { "key", "change", "first", "second", NULL };
  HearthTableText *table = hearth_table_text_new (HEARTH_TABLE_CSV, names);

  for (guint i = 0; i < g_list_model_get_n_items (keys); i++)
    {
      g_autoptr (HearthComparedKey) key = g_list_model_get_item (keys, i);

      add_text (table, hearth_compared_key_get_exact_name (key));
      add_text (table,
                ember_change_name ((enum ember_change) hearth_compared_key_get_change (key)));
      add_text (table, hearth_compared_key_get_exact (key, FALSE));
      add_text (table, hearth_compared_key_get_exact (key, TRUE));
    }
  return hearth_table_text_end (table);
}

static void
add_error (HearthTableText *table, const HearthValueError *error)
{
  if (error == NULL)
    {
      for (guint i = 0; i < 4; i++)
        add_text (table, NULL);
      return;
    }
  hearth_table_text_add_real (table, error->relative_rms);
  hearth_table_text_add_real (table, error->maximum);
  hearth_table_text_add_real (table, error->cosine);
  hearth_table_text_add_number (table, error->n_different);
}

GBytes *
hearth_compared_tensors_export (GListModel *tensors)
{
  static const char *const names[] = { "tensor",      "change",       "first_type",
                                       "second_type", "first_shape",  "second_shape",
                                       "first_bytes", "second_bytes", "relative_rms",
                                       "maximum",     "cosine",       "different",
                                       NULL };
  HearthTableText *table = hearth_table_text_new (HEARTH_TABLE_CSV, names);

  for (guint i = 0; i < g_list_model_get_n_items (tensors); i++)
    {
      g_autoptr (HearthComparedTensor) tensor = g_list_model_get_item (tensors, i);
      enum ember_change change = (enum ember_change) hearth_compared_tensor_get_change (tensor);
      g_autofree char *name = hearth_compared_tensor_dup_exact_name (tensor);

      add_text (table, name);
      add_text (table, ember_change_name (change));
      for (guint side = 0; side < 2; side++)
        add_text (table, hearth_compared_tensor_get_type_name (tensor, side == 1));
      for (guint side = 0; side < 2; side++)
        add_text (table, hearth_compared_tensor_get_shape (tensor, side == 1));
      for (guint side = 0; side < 2; side++)
        hearth_table_text_add_number (table,
                                      hearth_compared_tensor_get_n_bytes (tensor, side == 1));
      add_error (table, hearth_compared_tensor_get_error (tensor));
    }
  return hearth_table_text_end (table);
}
