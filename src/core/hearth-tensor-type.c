/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-tensor-type.h"

struct _HearthTensorType
{
  GObject parent_instance;

  char *name;
  guint64 n_tensors;
  guint64 n_elements;
  guint64 n_bytes;
  double share;
};

G_DEFINE_FINAL_TYPE (HearthTensorType, hearth_tensor_type, G_TYPE_OBJECT)

enum
{
  PROP_0,
  PROP_NAME,
  PROP_N_TENSORS,
  PROP_N_BYTES,
  PROP_SHARE,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static void
hearth_tensor_type_finalize (GObject *object)
{
  g_free (HEARTH_TENSOR_TYPE (object)->name);
  G_OBJECT_CLASS (hearth_tensor_type_parent_class)->finalize (object);
}

static void
hearth_tensor_type_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  HearthTensorType *self = HEARTH_TENSOR_TYPE (object);

  switch (id)
    {
    case PROP_NAME:
      g_value_set_string (value, self->name);
      break;
    case PROP_N_TENSORS:
      g_value_set_uint64 (value, self->n_tensors);
      break;
    case PROP_N_BYTES:
      g_value_set_uint64 (value, self->n_bytes);
      break;
    case PROP_SHARE:
      g_value_set_double (value, self->share);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
hearth_tensor_type_class_init (HearthTensorTypeClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  object_class->finalize = hearth_tensor_type_finalize;
  object_class->get_property = hearth_tensor_type_get_property;

  properties[PROP_NAME] = g_param_spec_string ("name", NULL, NULL, NULL, flags);
  properties[PROP_N_TENSORS] =
    g_param_spec_uint64 ("n-tensors", NULL, NULL, 0, G_MAXUINT64, 0, flags);
  properties[PROP_N_BYTES] = g_param_spec_uint64 ("n-bytes", NULL, NULL, 0, G_MAXUINT64, 0, flags);
  properties[PROP_SHARE] = g_param_spec_double ("share", NULL, NULL, 0, 1, 0, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
hearth_tensor_type_init (HearthTensorType *self)
{
}

HearthTensorType *
hearth_tensor_type_new (const char *name, guint64 n_tensors, guint64 n_elements, guint64 n_bytes,
                        double share)
{
  HearthTensorType *self = g_object_new (HEARTH_TYPE_TENSOR_TYPE, NULL);

  self->name = g_strdup (name);
  self->n_tensors = n_tensors;
  self->n_elements = n_elements;
  self->n_bytes = n_bytes;
  self->share = share;
  return self;
}

const char *
hearth_tensor_type_get_name (HearthTensorType *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR_TYPE (self), NULL);

  return self->name;
}

guint64
hearth_tensor_type_get_n_tensors (HearthTensorType *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR_TYPE (self), 0);

  return self->n_tensors;
}

guint64
hearth_tensor_type_get_n_elements (HearthTensorType *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR_TYPE (self), 0);

  return self->n_elements;
}

guint64
hearth_tensor_type_get_n_bytes (HearthTensorType *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR_TYPE (self), 0);

  return self->n_bytes;
}

double
hearth_tensor_type_get_share (HearthTensorType *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR_TYPE (self), 0);

  return self->share;
}
