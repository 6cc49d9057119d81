/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check-figures FILE...: what the table, the map and the file map of each file add up to, as a line
 * of JSON, for test-figures.py to compare with the engine's own tool. */
#include "core-test.h"
#include "hearth-file-layout.h"
#include "hearth-model-contents.h"
#include "hearth-tensor-export.h"
#include "hearth-tensor-map.h"

static void
print_table (GListModel *tensors)
{
  guint64 n_elements = 0, n_bytes = 0;
  guint n = g_list_model_get_n_items (tensors);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (HearthTensor) tensor = g_list_model_get_item (tensors, i);

      n_elements += hearth_tensor_get_n_elements (tensor);
      n_bytes += hearth_tensor_get_n_bytes (tensor);
    }
  g_print ("\"table\": {\"n\": %u, \"values\": %" G_GUINT64_FORMAT ", \"bytes\": %" G_GUINT64_FORMAT
           "}, ",
           n, n_elements, n_bytes);
}

/* Every cell, and back from its tensor to its place. */
static void
print_map (GListModel *tensors)
{
  g_autoptr (HearthTensorMap) map = hearth_tensor_map_new (tensors);
  guint64 n_elements = 0, n_bytes = 0;
  guint n = 0, n_of_types = 0;

  for (guint row = 0; row < hearth_tensor_map_get_n_rows (map); row++)
    {
      HearthTensor *tensor;

      for (guint column = 0; hearth_tensor_map_next (map, row, &column, &tensor); column++)
        {
          guint r, c;

          g_assert_true (hearth_tensor_map_find (map, tensor, &r, &c));
          g_assert_cmpuint (r, ==, row);
          g_assert_cmpuint (c, ==, column);
          n++;
          n_elements += hearth_tensor_get_n_elements (tensor);
          n_bytes += hearth_tensor_get_n_bytes (tensor);
        }
    }
  g_print ("\"map\": {\"n\": %u, \"values\": %" G_GUINT64_FORMAT ", \"bytes\": %" G_GUINT64_FORMAT
           ", \"types\": [",
           n, n_elements, n_bytes);
  for (guint i = 0; i < hearth_tensor_map_get_n_types (map); i++)
    {
      const HearthTensorMapType *type = hearth_tensor_map_get_type_at (map, i);

      g_print ("%s[\"%s\", %u, %" G_GUINT64_FORMAT "]", i > 0 ? ", " : "", type->name,
               type->n_tensors, type->n_bytes);
      n_of_types += type->n_tensors;
    }
  g_print ("]}, ");
  g_assert_cmpuint (n_of_types, ==, n);
}

static gboolean
print_layout (const char *path)
{
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (HearthFileLayout) layout = NULL;
  guint64 n_present = 0, at = 0;
  gboolean overlaps = FALSE;
  guint n;

  hearth_file_layout_read_async (path, NULL, core_test_result_cb, &result);
  core_test_wait (result != NULL);
  layout = hearth_file_layout_read_finish (result, &error);
  g_assert_no_error (error);
  n = g_list_model_get_n_items (G_LIST_MODEL (layout));
  for (guint i = 0; i < n; i++)
    {
      HearthFileRegion *region = hearth_file_layout_get (layout, i);
      guint64 offset = hearth_file_region_get_offset (region);
      guint found;

      overlaps |= hearth_file_region_get_overlaps (region);
      if (!overlaps) /* each begins where the one before ends */
        g_assert_cmpuint (offset, ==, at);
      if (hearth_file_region_get_size (region) > 0 && !overlaps)
        {
          g_assert_true (hearth_file_layout_find (layout, offset, &found));
          g_assert_cmpuint (found, ==, i);
        }
      at = offset + hearth_file_region_get_size (region);
      n_present += hearth_file_region_get_n_present (region);
    }
  g_print ("\"layout\": {\"n\": %u, \"size\": %" G_GUINT64_FORMAT ", \"end\": %" G_GUINT64_FORMAT
           ", \"present\": %" G_GUINT64_FORMAT ", \"overlaps\": %s",
           n, hearth_file_layout_get_file_size (layout), hearth_file_layout_get_end (layout),
           n_present, overlaps ? "true" : "false");
  for (HearthRegionKind kind = 0; kind < HEARTH_N_REGION_KINDS; kind++)
    g_print (", \"%s\": [%u, %" G_GUINT64_FORMAT "]", hearth_region_kind_get_name (kind),
             hearth_file_layout_get_n_regions (layout, kind),
             hearth_file_layout_get_n_bytes (layout, kind));
  g_print ("}, ");
  return TRUE;
}

static void
print_figures (const char *path)
{
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (HearthModelContents) contents = NULL;
  g_autoptr (GBytes) text = NULL;
  g_auto (GStrv) lines = NULL;
  GListModel *tensors;

  hearth_model_contents_read_async (path, NULL, core_test_result_cb, &result);
  core_test_wait (result != NULL);
  contents = hearth_model_contents_read_finish (result, &error);
  if (contents == NULL)
    {
      g_print ("{\"error\": true}\n");
      return;
    }
  tensors = hearth_model_contents_get_tensors (contents);
  g_print ("{");
  print_table (tensors);
  print_map (tensors);
  print_layout (path);
  text = hearth_tensor_export (tensors, HEARTH_TABLE_JSON);
  g_print ("\"keys\": %u, \"tensors\": ",
           g_list_model_get_n_items (hearth_model_contents_get_keys (contents)));
  lines = g_strsplit (g_bytes_get_data (text, NULL), "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++) /* on one line, and not in the locale's characters */
    fputs (lines[i], stdout);
  g_print ("}\n");
}

int
main (int argc, char *argv[])
{
  g_print ("begin\n"); /* the engine's log, if any, is not on these lines */
  for (int i = 1; i < argc; i++)
    print_figures (argv[i]);
  return 0;
}
