/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-comparison-private.h"

#define MAX_NAME_BYTES 200

struct _HearthComparedTensor
{
  GObject parent_instance;

  char *name;
  HearthChange change;
  gboolean comparable;
  const struct ember_gguf_tensor *tensors[2]; /* of the comparison's open files */
  const char *types[2];                       /* interned */
  char *shapes[2];
  guint64 n_bytes[2];
  HearthValueError error;
  gboolean measured;
};

G_DEFINE_FINAL_TYPE (HearthComparedTensor, hearth_compared_tensor, G_TYPE_OBJECT)

enum
{
  PROP_0,
  PROP_MEASURED,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static void
hearth_compared_tensor_finalize (GObject *object)
{
  HearthComparedTensor *self = HEARTH_COMPARED_TENSOR (object);

  g_free (self->name);
  g_free (self->shapes[0]);
  g_free (self->shapes[1]);
  G_OBJECT_CLASS (hearth_compared_tensor_parent_class)->finalize (object);
}

static void
hearth_compared_tensor_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_MEASURED)
    g_value_set_boolean (value, HEARTH_COMPARED_TENSOR (object)->measured);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
hearth_compared_tensor_class_init (HearthComparedTensorClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->finalize = hearth_compared_tensor_finalize;
  object_class->get_property = hearth_compared_tensor_get_property;
  properties[PROP_MEASURED] =
    g_param_spec_boolean ("measured", NULL, NULL, FALSE,
                          G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
hearth_compared_tensor_init (HearthComparedTensor *self)
{
}

static char *
dup_shape (const struct ember_gguf_tensor *tensor)
{
  g_autoptr (GString) out = g_string_new (NULL);

  for (guint i = 0; i < tensor->n_dims && i < EMBER_MAX_DIMS; i++)
    g_string_append_printf (out, "%s%" G_GUINT64_FORMAT, i > 0 ? " × " : "", tensor->ne[i]);
  return g_string_free_and_steal (g_steal_pointer (&out));
}

static const char *
intern_type (guint32 type)
{
  const char *name = ember_tensor_type_name (type);
  g_autofree char *text =
    name != NULL ? g_ascii_strup (name, -1) : g_strdup_printf ("%" G_GUINT32_FORMAT, type);

  return g_intern_string (text);
}

HearthComparedTensor *
_hearth_compared_tensor_new (const struct ember_diff_tensor *tensor)
{
  HearthComparedTensor *self = g_object_new (HEARTH_TYPE_COMPARED_TENSOR, NULL);

  self->name = hearth_gguf_dup_line (&tensor->name, MAX_NAME_BYTES);
  self->change = (HearthChange) tensor->change;
  self->tensors[0] = tensor->first;
  self->tensors[1] = tensor->second;
  for (guint i = 0; i < 2; i++)
    {
      if (self->tensors[i] == NULL)
        continue;
      self->types[i] = intern_type (self->tensors[i]->type);
      self->shapes[i] = dup_shape (self->tensors[i]);
      self->n_bytes[i] = self->tensors[i]->n_bytes;
    }
  self->comparable = tensor->first != NULL && tensor->second != NULL && !tensor->shape;
  return self;
}

const struct ember_gguf_tensor *
_hearth_compared_tensor_get (HearthComparedTensor *self, gboolean second)
{
  return self->tensors[second ? 1 : 0];
}

gboolean
_hearth_compared_tensor_is_comparable (HearthComparedTensor *self)
{
  return self->comparable;
}

void
_hearth_compared_tensor_set_error (HearthComparedTensor *self, const HearthValueError *error)
{
  self->error = *error;
  self->measured = TRUE;
  if (error->n_different > 0)
    self->change = HEARTH_CHANGE_CHANGED;
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_MEASURED]);
}

const char *
hearth_compared_tensor_get_name (HearthComparedTensor *self)
{
  g_return_val_if_fail (HEARTH_IS_COMPARED_TENSOR (self), NULL);

  return self->name;
}

char *
hearth_compared_tensor_dup_exact_name (HearthComparedTensor *self)
{
  g_return_val_if_fail (HEARTH_IS_COMPARED_TENSOR (self), NULL);

  return hearth_gguf_dup_exact (&self->tensors[self->tensors[0] != NULL ? 0 : 1]->name);
}

HearthChange
hearth_compared_tensor_get_change (HearthComparedTensor *self)
{
  g_return_val_if_fail (HEARTH_IS_COMPARED_TENSOR (self), HEARTH_CHANGE_SAME);

  return self->change;
}

const char *
hearth_compared_tensor_get_type_name (HearthComparedTensor *self, gboolean second)
{
  g_return_val_if_fail (HEARTH_IS_COMPARED_TENSOR (self), NULL);

  return self->types[second ? 1 : 0];
}

const char *
hearth_compared_tensor_get_shape (HearthComparedTensor *self, gboolean second)
{
  g_return_val_if_fail (HEARTH_IS_COMPARED_TENSOR (self), NULL);

  return self->shapes[second ? 1 : 0];
}

guint64
hearth_compared_tensor_get_n_bytes (HearthComparedTensor *self, gboolean second)
{
  g_return_val_if_fail (HEARTH_IS_COMPARED_TENSOR (self), 0);

  return self->n_bytes[second ? 1 : 0];
}

const HearthValueError *
hearth_compared_tensor_get_error (HearthComparedTensor *self)
{
  g_return_val_if_fail (HEARTH_IS_COMPARED_TENSOR (self), NULL);

  return self->measured ? &self->error : NULL;
}
