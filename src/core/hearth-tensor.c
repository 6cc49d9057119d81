/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-tensor.h"

#include <ember/gguf.h>

struct _HearthTensor
{
  GObject parent_instance;

  HearthGguf *gguf;
  HearthTensorFields fields;
};

G_DEFINE_FINAL_TYPE (HearthTensor, hearth_tensor, G_TYPE_OBJECT)

enum
{
  PROP_0,
  PROP_NAME,
  PROP_TYPE,
  PROP_SHAPE,
  PROP_N_ELEMENTS,
  PROP_N_BYTES,
  PROP_POSITION,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static void
hearth_tensor_finalize (GObject *object)
{
  HearthTensor *self = HEARTH_TENSOR (object);

  g_free (self->fields.name);
  g_free (self->fields.shape);
  g_clear_pointer (&self->gguf, hearth_gguf_unref);
  G_OBJECT_CLASS (hearth_tensor_parent_class)->finalize (object);
}

static void
hearth_tensor_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  HearthTensor *self = HEARTH_TENSOR (object);

  switch (id)
    {
    case PROP_NAME:
      g_value_set_string (value, self->fields.name);
      break;
    case PROP_TYPE:
      g_value_set_string (value, self->fields.type);
      break;
    case PROP_SHAPE:
      g_value_set_string (value, self->fields.shape);
      break;
    case PROP_N_ELEMENTS:
      g_value_set_uint64 (value, self->fields.n_elements);
      break;
    case PROP_N_BYTES:
      g_value_set_uint64 (value, self->fields.n_bytes);
      break;
    case PROP_POSITION:
      g_value_set_uint (value, self->fields.position);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
hearth_tensor_class_init (HearthTensorClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  object_class->finalize = hearth_tensor_finalize;
  object_class->get_property = hearth_tensor_get_property;

  properties[PROP_NAME] = g_param_spec_string ("name", NULL, NULL, NULL, flags);
  properties[PROP_TYPE] = g_param_spec_string ("type", NULL, NULL, NULL, flags);
  properties[PROP_SHAPE] = g_param_spec_string ("shape", NULL, NULL, NULL, flags);
  properties[PROP_N_ELEMENTS] =
    g_param_spec_uint64 ("n-elements", NULL, NULL, 0, G_MAXUINT64, 0, flags);
  properties[PROP_N_BYTES] = g_param_spec_uint64 ("n-bytes", NULL, NULL, 0, G_MAXUINT64, 0, flags);
  properties[PROP_POSITION] = g_param_spec_uint ("position", NULL, NULL, 0, G_MAXUINT, 0, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
hearth_tensor_init (HearthTensor *self)
{
}

HearthTensor *
hearth_tensor_new_take (HearthGguf *gguf, const HearthTensorFields *fields)
{
  HearthTensor *self = g_object_new (HEARTH_TYPE_TENSOR, NULL);

  self->gguf = gguf != NULL ? hearth_gguf_ref (gguf) : NULL;
  self->fields = *fields;
  return self;
}

const char *
hearth_tensor_get_name (HearthTensor *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR (self), NULL);

  return self->fields.name;
}

char *
hearth_tensor_dup_exact_name (HearthTensor *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR (self), NULL);

  if (self->gguf == NULL)
    return g_strdup (self->fields.name);
  return hearth_gguf_dup_exact (
    &ember_gguf_tensor (hearth_gguf_get (self->gguf), self->fields.position)->name);
}

const char *
hearth_tensor_get_type_name (HearthTensor *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR (self), NULL);

  return self->fields.type;
}

const char *
hearth_tensor_get_shape (HearthTensor *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR (self), NULL);

  return self->fields.shape;
}

guint64
hearth_tensor_get_n_elements (HearthTensor *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR (self), 0);

  return self->fields.n_elements;
}

guint64
hearth_tensor_get_n_bytes (HearthTensor *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR (self), 0);

  return self->fields.n_bytes;
}

guint64
hearth_tensor_get_file_offset (HearthTensor *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR (self), 0);

  return self->fields.file_offset;
}

guint64
hearth_tensor_get_row_length (HearthTensor *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR (self), 0);

  return self->fields.row_length;
}

guint
hearth_tensor_get_position (HearthTensor *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR (self), 0);

  return self->fields.position;
}

guint
hearth_tensor_get_part (HearthTensor *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR (self), 0);

  return self->fields.part;
}

guint64
hearth_tensor_get_n_rows (HearthTensor *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR (self), 0);

  return self->fields.row_length > 0 ? self->fields.n_elements / self->fields.row_length : 0;
}

double
hearth_tensor_get_bits_per_weight (HearthTensor *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR (self), 0);

  return self->fields.n_elements > 0
           ? 8.0 * (double) self->fields.n_bytes / (double) self->fields.n_elements
           : 0;
}

const char *
hearth_tensor_get_file (HearthTensor *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR (self), NULL);

  return self->gguf != NULL ? ember_gguf_part_file (hearth_gguf_get (self->gguf), self->fields.part)
                            : NULL;
}

guint
hearth_tensor_get_n_parts (HearthTensor *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR (self), 1);

  return self->gguf != NULL ? ember_gguf_n_parts (hearth_gguf_get (self->gguf)) : 1;
}

HearthGguf *
hearth_tensor_get_gguf (HearthTensor *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR (self), NULL);

  return self->gguf;
}

int
hearth_tensor_compare_names (HearthTensor *a, HearthTensor *b)
{
  const char *x = a->fields.name;
  const char *y = b->fields.name;

  while (*x != '\0' && *y != '\0')
    {
      if (g_ascii_isdigit (*x) && g_ascii_isdigit (*y))
        {
          const char *x_end, *y_end;

          while (*x == '0' && g_ascii_isdigit (x[1]))
            x++;
          while (*y == '0' && g_ascii_isdigit (y[1]))
            y++;
          for (x_end = x; g_ascii_isdigit (*x_end);)
            x_end++;
          for (y_end = y; g_ascii_isdigit (*y_end);)
            y_end++;
          if (x_end - x != y_end - y)
            return x_end - x < y_end - y ? -1 : 1;
          for (; x < x_end; x++, y++)
            {
              if (*x != *y)
                return *x < *y ? -1 : 1;
            }
        }
      else if (*x != *y)
        return (guchar) *x < (guchar) *y ? -1 : 1;
      else
        {
          x++;
          y++;
        }
    }
  if (*x == *y)
    return a->fields.position < b->fields.position ? -1 : a->fields.position > b->fields.position;
  return *x == '\0' ? -1 : 1;
}
