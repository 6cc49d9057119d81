/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-overview-export.h"

static const char *const role_names[HEARTH_N_ROLES] = {
  [HEARTH_ROLE_EMBEDDING] = "embedding",
  [HEARTH_ROLE_ATTENTION] = "attention",
  [HEARTH_ROLE_FEED_FORWARD] = "feed_forward",
  [HEARTH_ROLE_EXPERTS] = "experts",
  [HEARTH_ROLE_RECURRENT] = "recurrent",
  [HEARTH_ROLE_NORM] = "norm",
  [HEARTH_ROLE_OUTPUT] = "output",
  [HEARTH_ROLE_OTHER] = "other",
};

/* What the file does not say has no row. */
static void
add_text (HearthTableText *table, const char *name, const char *text)
{
  if (text == NULL || *text == '\0')
    return;
  hearth_table_text_add (table, "fact");
  hearth_table_text_add (table, name);
  hearth_table_text_add (table, text);
}

static void
add_number (HearthTableText *table, const char *group, const char *name, guint64 number)
{
  if (number == 0)
    return;
  hearth_table_text_add (table, group);
  hearth_table_text_add (table, name);
  hearth_table_text_add_number (table, number);
}

static void
add_facts (HearthTableText *table, HearthModelFile *model, const HearthModelHeader *header)
{
  g_autofree char *path = g_filename_display_name (hearth_model_file_get_path (model));

  add_text (table, "name", header->name);
  add_text (table, "full_name", header->full_name);
  add_text (table, "path", path);
  add_text (table, "architecture", header->architecture);
  add_text (table, "quantization", header->quantization);
  add_text (table, "version", header->version_label);
  add_text (table, "author", header->author);
  add_text (table, "licence", header->licence);
  add_text (table, "quantized_by", header->quantized_by);
  add_text (table, "base_model", header->base_model);
  add_text (table, "source", header->source);
  add_number (table, "fact", "parameters", header->n_parameters);
  if (header->n_parameters > 0)
    {
      hearth_table_text_add (table, "fact");
      hearth_table_text_add (table, "bits_per_weight");
      hearth_table_text_add_real (table, hearth_model_file_get_bits_per_weight (model));
    }
  add_number (table, "fact", "bytes", header->size);
  add_number (table, "fact", "tensor_bytes", header->n_tensor_bytes);
  add_number (table, "fact", "context", header->n_ctx_trained);
  add_number (table, "fact", "layers", header->n_layers);
  add_number (table, "fact", "width", header->width);
  add_number (table, "fact", "tensors", header->n_tensors);
  add_number (table, "fact", "keys", header->n_keys);
  add_number (table, "fact", "files", header->n_parts);
}

GBytes *
hearth_overview_export (HearthModelFile *model, HearthTableFormat format)
{
  static const char *const names[] = { "group", "name", "value", NULL };
  const HearthModelHeader *header = hearth_model_file_get_header (model);
  HearthTableText *table;

  g_return_val_if_fail (header != NULL, NULL);

  table = hearth_table_text_new (format, names);
  add_facts (table, model, header);
  for (guint i = 0; i < header->types->len; i++)
    {
      const HearthHeaderType *type = &g_array_index (header->types, HearthHeaderType, i);

      add_number (table, "bytes of type", type->type, type->n_bytes);
    }
  for (guint role = 0; role < HEARTH_N_ROLES; role++)
    add_number (table, "parameters of role", role_names[role], header->roles[role]);
  return hearth_table_text_end (table);
}
