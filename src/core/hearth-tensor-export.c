/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-tensor-export.h"

#include <glib/gi18n.h>

#include "hearth-tensor-role.h"
#include "hearth-tensor.h"

const char *
hearth_region_kind_get_name (HearthRegionKind kind)
{
  static const char *const names[HEARTH_N_REGION_KINDS] = {
    [HEARTH_REGION_HEADER] = N_ ("Header"),     [HEARTH_REGION_KEY] = N_ ("Key"),
    [HEARTH_REGION_INFO] = N_ ("Tensor table"), [HEARTH_REGION_TENSOR] = N_ ("Tensor"),
    [HEARTH_REGION_PADDING] = N_ ("Padding"),   [HEARTH_REGION_GAP] = N_ ("Gap"),
  };

  return kind < HEARTH_N_REGION_KINDS ? names[kind] : "";
}

GBytes *
hearth_tensor_export (GListModel *tensors, HearthTableFormat format)
{
  static const char *const names[] = { "name",  "role",   "layer", "type",
                                       "shape", "values", "bytes", "bits_per_weight",
                                       "file",  "offset", NULL };
  HearthTableText *table = hearth_table_text_new (format, names);
  guint n = g_list_model_get_n_items (tensors);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (HearthTensor) tensor = g_list_model_get_item (tensors, i);
      g_autofree char *name = hearth_tensor_dup_exact_name (tensor);
      g_auto (HearthTensorPlace) place;

      hearth_tensor_place_init (&place, hearth_tensor_get_name (tensor));
      hearth_table_text_add (table, name);
      hearth_table_text_add (table, place.key);
      if (place.layer >= 0)
        hearth_table_text_add_number (table, (guint64) place.layer);
      else
        hearth_table_text_add (table, "");
      hearth_table_text_add (table, hearth_tensor_get_type_name (tensor));
      hearth_table_text_add (table, hearth_tensor_get_shape (tensor));
      hearth_table_text_add_number (table, hearth_tensor_get_n_elements (tensor));
      hearth_table_text_add_number (table, hearth_tensor_get_n_bytes (tensor));
      hearth_table_text_add_real (table, hearth_tensor_get_bits_per_weight (tensor));
      hearth_table_text_add_number (table, hearth_tensor_get_part (tensor) + 1);
      hearth_table_text_add_number (table, hearth_tensor_get_file_offset (tensor));
    }
  return hearth_table_text_end (table);
}

GBytes *
hearth_file_region_export (GListModel *regions, HearthResidency *residency,
                           HearthTableFormat format)
{
  static const char *const names[] = { "offset",        "bytes",           "kind", "name", "type",
                                       "bytes_in_file", "bytes_in_memory", NULL };
  HearthTableText *table = hearth_table_text_new (format, names);
  guint n = g_list_model_get_n_items (regions);

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (HearthFileRegion) region = g_list_model_get_item (regions, i);
      guint64 offset = hearth_file_region_get_offset (region);
      guint64 size = hearth_file_region_get_size (region);

      hearth_table_text_add_number (table, offset);
      hearth_table_text_add_number (table, size);
      hearth_table_text_add (table,
                             hearth_region_kind_get_name (hearth_file_region_get_kind (region)));
      hearth_table_text_add (table, hearth_file_region_get_exact_name (region));
      hearth_table_text_add (table, hearth_file_region_get_type_name (region));
      hearth_table_text_add_number (table, hearth_file_region_get_n_present (region));
      if (residency != NULL)
        hearth_table_text_add_number (table, hearth_residency_count (residency, offset, size));
      else
        hearth_table_text_add (table, "");
    }
  return hearth_table_text_end (table);
}

static void
add_figure (HearthTableText *table, const char *name, double value)
{
  hearth_table_text_add (table, name);
  hearth_table_text_add (table, "");
  hearth_table_text_add (table, "");
  hearth_table_text_add_real (table, value);
}

static void
add_count (HearthTableText *table, const char *name, guint64 count)
{
  hearth_table_text_add (table, name);
  hearth_table_text_add (table, "");
  hearth_table_text_add (table, "");
  hearth_table_text_add_number (table, count);
}

GBytes *
hearth_tensor_figures_export (const HearthTensorFigures *f, HearthTableFormat format)
{
  static const char *const names[] = { "name", "from", "to", "value", NULL };
  HearthTableText *table = hearth_table_text_new (format, names);
  double step = (f->max - f->min) / HEARTH_STATS_BINS;

  add_count (table, "values", f->n_all);
  add_count (table, "values_read", f->n);
  add_count (table, "zeros", f->n_zero);
  add_count (table, "nan", f->n_nan);
  add_count (table, "infinite", f->n_infinite);
  add_figure (table, "minimum", f->min);
  add_figure (table, "maximum", f->max);
  add_figure (table, "largest_magnitude", f->abs_max);
  add_figure (table, "mean", f->mean);
  add_figure (table, "root_mean_square", f->rms);
  add_figure (table, "standard_deviation", f->deviation);
  for (guint i = 0; i < HEARTH_STATS_QUANTILES; i++)
    {
      char number[G_ASCII_DTOSTR_BUF_SIZE];
      g_autofree char *name = NULL;

      g_ascii_formatd (number, sizeof number, "%g", hearth_tensor_stats_get_quantile (i));
      name = g_strconcat ("quantile_", number, NULL);
      add_figure (table, name, f->quantiles[i]);
    }
  for (guint i = 0; i < HEARTH_STATS_BINS; i++)
    {
      hearth_table_text_add (table, "histogram");
      hearth_table_text_add_real (table, f->min + step * i);
      hearth_table_text_add_real (table, f->min + step * (i + 1));
      hearth_table_text_add_number (table, f->bins[i]);
    }
  return hearth_table_text_end (table);
}
