/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-tensor.h"

struct _HearthTensor
{
  GObject parent_instance;

  char *name;
  const char *type;
  char *shape;
  guint64 n_elements;
  guint64 n_bytes;
  guint64 file_offset;
  guint position;
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

  g_free (self->name);
  g_free (self->shape);
  G_OBJECT_CLASS (hearth_tensor_parent_class)->finalize (object);
}

static void
hearth_tensor_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  HearthTensor *self = HEARTH_TENSOR (object);

  switch (id)
    {
    case PROP_NAME:
      g_value_set_string (value, self->name);
      break;
    case PROP_TYPE:
      g_value_set_string (value, self->type);
      break;
    case PROP_SHAPE:
      g_value_set_string (value, self->shape);
      break;
    case PROP_N_ELEMENTS:
      g_value_set_uint64 (value, self->n_elements);
      break;
    case PROP_N_BYTES:
      g_value_set_uint64 (value, self->n_bytes);
      break;
    case PROP_POSITION:
      g_value_set_uint (value, self->position);
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
hearth_tensor_new_take (char *name, const char *type, char *shape, guint64 n_elements,
                        guint64 n_bytes, guint64 file_offset, guint position)
{
  HearthTensor *self = g_object_new (HEARTH_TYPE_TENSOR, NULL);

  self->name = name;
  self->type = type;
  self->shape = shape;
  self->n_elements = n_elements;
  self->n_bytes = n_bytes;
  self->file_offset = file_offset;
  self->position = position;
  return self;
}

const char *
hearth_tensor_get_name (HearthTensor *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR (self), NULL);

  return self->name;
}

const char *
hearth_tensor_get_type_name (HearthTensor *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR (self), NULL);

  return self->type;
}

const char *
hearth_tensor_get_shape (HearthTensor *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR (self), NULL);

  return self->shape;
}

guint64
hearth_tensor_get_n_elements (HearthTensor *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR (self), 0);

  return self->n_elements;
}

guint64
hearth_tensor_get_n_bytes (HearthTensor *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR (self), 0);

  return self->n_bytes;
}

guint64
hearth_tensor_get_file_offset (HearthTensor *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR (self), 0);

  return self->file_offset;
}

int
hearth_tensor_compare_names (HearthTensor *a, HearthTensor *b)
{
  const char *x = a->name;
  const char *y = b->name;

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
    return a->position < b->position ? -1 : a->position > b->position;
  return *x == '\0' ? -1 : 1;
}
