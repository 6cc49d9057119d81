/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A header as bytes and back. */
#include <gio/gio.h>

#include "hearth-error.h"
#include "hearth-header-cache.h"

/* All strings, all figures, all types, the values of both samplings, and why there is no plan. */
#define RECORD "(amsata(sttt)a{sd}a{sd}m(bis))"

/* Whoever adds a member to HearthModelHeader adds it to one of the tables below, and raises
 * HEADER_VERSION of hearth-header-cache.c: this line is there to be met. */
#if GLIB_SIZEOF_VOID_P == 8
G_STATIC_ASSERT (sizeof (HearthModelHeader) == 640);
#endif

#define STRING(member) G_STRUCT_OFFSET (HearthModelHeader, member)

static const gsize strings[] = {
  STRING (name),   STRING (full_name),     STRING (architecture), STRING (quantization),
  STRING (family), STRING (licence),       STRING (author),       STRING (quantized_by),
  STRING (source), STRING (version_label), STRING (base_model),
};

enum width
{
  IS_U64,
  IS_I64,
  IS_UINT,
  IS_BOOL,
};

#define FIGURE(member, width) { G_STRUCT_OFFSET (HearthModelHeader, member), width }

static const struct
{
  gsize offset;
  enum width width;
} figures[] = {
  FIGURE (roles[0], IS_U64),        FIGURE (roles[1], IS_U64),
  FIGURE (roles[2], IS_U64),        FIGURE (roles[3], IS_U64),
  FIGURE (roles[4], IS_U64),        FIGURE (roles[5], IS_U64),
  FIGURE (roles[6], IS_U64),        FIGURE (roles[7], IS_U64),
  FIGURE (changed, IS_I64),         FIGURE (n_parts, IS_UINT),
  FIGURE (width, IS_UINT),          FIGURE (n_parameters, IS_U64),
  FIGURE (n_tensor_bytes, IS_U64),  FIGURE (n_tensors, IS_U64),
  FIGURE (n_keys, IS_U64),          FIGURE (size, IS_U64),
  FIGURE (expected_size, IS_U64),   FIGURE (n_ctx_trained, IS_UINT),
  FIGURE (n_layers, IS_UINT),       FIGURE (version, IS_UINT),
  FIGURE (role, IS_UINT),           FIGURE (has_template, IS_BOOL),
  FIGURE (has_vocabulary, IS_BOOL), FIGURE (is_embedder, IS_BOOL),
  FIGURE (can_think, IS_BOOL),      FIGURE (fit.fits, IS_BOOL),
  FIGURE (fit.n_ctx, IS_UINT),      FIGURE (fit.weights, IS_U64),
  FIGURE (fit.kv, IS_U64),          FIGURE (fit.checkpoint, IS_U64),
  FIGURE (fit.compute, IS_U64),     FIGURE (fit.budget, IS_U64),
  FIGURE (fit.free, IS_U64),
};

G_STATIC_ASSERT (HEARTH_N_ROLES == 8);
G_STATIC_ASSERT (sizeof (HearthModelRole) == sizeof (guint));

static guint64
get_figure (const HearthModelHeader *header, gsize i)
{
  const void *at = (const char *) header + figures[i].offset;

  switch (figures[i].width)
    {
    case IS_U64:
      return *(const guint64 *) at;
    case IS_I64:
      return (guint64) * (const gint64 *) at;
    case IS_UINT:
      return *(const guint *) at;
    case IS_BOOL:
      return *(const gboolean *) at != FALSE;
    }
  return 0;
}

static void
set_figure (HearthModelHeader *header, gsize i, guint64 value)
{
  void *at = (char *) header + figures[i].offset;

  switch (figures[i].width)
    {
    case IS_U64:
      *(guint64 *) at = value;
      break;
    case IS_I64:
      *(gint64 *) at = (gint64) value;
      break;
    case IS_UINT:
      *(guint *) at = (guint) MIN (value, G_MAXUINT);
      break;
    case IS_BOOL:
      *(gboolean *) at = value != 0;
      break;
    }
}

GBytes *
_hearth_header_to_bytes (const HearthModelHeader *header)
{
  g_autoptr (GVariant) record = NULL;
  GVariantBuilder builder;
  GVariant *error = NULL;

  g_variant_builder_init (&builder, G_VARIANT_TYPE (RECORD));
  g_variant_builder_open (&builder, G_VARIANT_TYPE ("ams"));
  for (gsize i = 0; i < G_N_ELEMENTS (strings); i++)
    g_variant_builder_add (&builder, "ms", G_STRUCT_MEMBER (char *, header, strings[i]));
  g_variant_builder_close (&builder);
  g_variant_builder_open (&builder, G_VARIANT_TYPE ("at"));
  for (gsize i = 0; i < G_N_ELEMENTS (figures); i++)
    g_variant_builder_add (&builder, "t", get_figure (header, i));
  g_variant_builder_close (&builder);
  g_variant_builder_open (&builder, G_VARIANT_TYPE ("a(sttt)"));
  for (guint i = 0; i < header->types->len; i++)
    {
      const HearthHeaderType *type = &g_array_index (header->types, HearthHeaderType, i);

      g_variant_builder_add (&builder, "(sttt)", type->type, type->n_tensors, type->n_elements,
                             type->n_bytes);
    }
  g_variant_builder_close (&builder);
  g_variant_builder_add_value (&builder, hearth_sampling_to_variant (&header->sampling));
  g_variant_builder_add_value (&builder, hearth_sampling_to_variant (&header->sampling_defaults));
  if (header->fit_error != NULL)
    {
      g_autofree char *message = g_utf8_make_valid (header->fit_error->message, -1);

      error = g_variant_new ("(bis)", header->fit_error->domain == HEARTH_ERROR,
                             header->fit_error->code, message);
    }
  g_variant_builder_add_value (&builder, g_variant_new_maybe (G_VARIANT_TYPE ("(bis)"), error));
  record = g_variant_ref_sink (g_variant_builder_end (&builder));
  return g_variant_get_data_as_bytes (record);
}

HearthModelHeader *
_hearth_header_from_bytes (GBytes *bytes)
{
  g_autoptr (GVariant) record =
    g_variant_ref_sink (g_variant_new_from_bytes (G_VARIANT_TYPE (RECORD), bytes, FALSE));
  g_autoptr (HearthModelHeader) header = NULL;
  g_autoptr (GVariant) texts = NULL;
  g_autoptr (GVariant) numbers = NULL;
  g_autoptr (GVariant) types = NULL;
  g_autoptr (GVariant) sampling = NULL;
  g_autoptr (GVariant) defaults = NULL;
  g_autoptr (GVariant) error = NULL;

  if (!g_variant_is_normal_form (record))
    return NULL;
  texts = g_variant_get_child_value (record, 0);
  numbers = g_variant_get_child_value (record, 1);
  types = g_variant_get_child_value (record, 2);
  sampling = g_variant_get_child_value (record, 3);
  defaults = g_variant_get_child_value (record, 4);
  if (g_variant_n_children (texts) != G_N_ELEMENTS (strings) ||
      g_variant_n_children (numbers) != G_N_ELEMENTS (figures))
    return NULL;
  header = hearth_model_header_new ();
  for (gsize i = 0; i < G_N_ELEMENTS (strings); i++)
    g_variant_get_child (texts, i, "ms", &G_STRUCT_MEMBER (char *, header, strings[i]));
  if (header->name == NULL)
    return NULL;
  for (gsize i = 0; i < G_N_ELEMENTS (figures); i++)
    {
      guint64 value;

      g_variant_get_child (numbers, i, "t", &value);
      set_figure (header, i, value);
    }
  for (gsize i = 0; i < g_variant_n_children (types); i++)
    {
      HearthHeaderType type;

      g_variant_get_child (types, i, "(sttt)", &type.type, &type.n_tensors, &type.n_elements,
                           &type.n_bytes);
      g_array_append_val (header->types, type);
    }
  hearth_sampling_init (&header->sampling);
  hearth_sampling_init (&header->sampling_defaults);
  hearth_sampling_from_variant (&header->sampling, sampling);
  hearth_sampling_from_variant (&header->sampling_defaults, defaults);
  g_variant_get_child (record, 5, "m@(bis)", &error);
  if (error != NULL)
    {
      gboolean own;
      int code;
      const char *message;

      g_variant_get (error, "(bi&s)", &own, &code, &message);
      header->fit_error = g_error_new_literal (own ? HEARTH_ERROR : G_IO_ERROR, code, message);
    }
  return g_steal_pointer (&header);
}
