/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-edit-key.h"

#include "hearth-enums.h"

#define MAX_VALUE_CHARS 240

struct _HearthEditKey
{
  GObject parent_instance;

  HearthMetadataKey *original; /* NULL: added */
  char *name;
  char *type;
  char *text;  /* NULL: the value of `original` */
  char *value; /* one line of it */
  gboolean removed;
};

G_DEFINE_FINAL_TYPE (HearthEditKey, hearth_edit_key, G_TYPE_OBJECT)

enum
{
  PROP_0,
  PROP_NAME,
  PROP_TYPE,
  PROP_VALUE,
  PROP_CHANGE,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

/* One line, cut when it is long. */
static char *
dup_line (const char *text)
{
  glong length = g_utf8_strlen (text, -1);
  g_autofree char *cut = g_utf8_substring (text, 0, MIN (length, MAX_VALUE_CHARS));
  GString *line = g_string_new (cut);

  g_string_replace (line, "\n", "⏎", 0);
  if (length > MAX_VALUE_CHARS)
    g_string_append (line, "…");
  return g_string_free_and_steal (line);
}

static void
notify_all (HearthEditKey *self)
{
  g_object_freeze_notify (G_OBJECT (self));
  for (guint i = PROP_NAME; i < N_PROPS; i++)
    g_object_notify_by_pspec (G_OBJECT (self), properties[i]);
  g_object_thaw_notify (G_OBJECT (self));
}

static void
hearth_edit_key_finalize (GObject *object)
{
  HearthEditKey *self = HEARTH_EDIT_KEY (object);

  g_clear_object (&self->original);
  g_free (self->name);
  g_free (self->type);
  g_free (self->text);
  g_free (self->value);
  G_OBJECT_CLASS (hearth_edit_key_parent_class)->finalize (object);
}

static void
hearth_edit_key_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  HearthEditKey *self = HEARTH_EDIT_KEY (object);

  switch (id)
    {
    case PROP_NAME:
      g_value_set_string (value, self->name);
      break;
    case PROP_TYPE:
      g_value_set_string (value, self->type);
      break;
    case PROP_VALUE:
      g_value_set_string (value, self->value);
      break;
    case PROP_CHANGE:
      g_value_set_enum (value, (int) hearth_edit_key_get_change (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
hearth_edit_key_class_init (HearthEditKeyClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->finalize = hearth_edit_key_finalize;
  object_class->get_property = hearth_edit_key_get_property;

  properties[PROP_NAME] = g_param_spec_string ("name", NULL, NULL, NULL, flags);
  properties[PROP_TYPE] = g_param_spec_string ("type", NULL, NULL, NULL, flags);
  properties[PROP_VALUE] = g_param_spec_string ("value", NULL, NULL, NULL, flags);
  properties[PROP_CHANGE] =
    g_param_spec_enum ("change", NULL, NULL, HEARTH_TYPE_EDIT_CHANGE, HEARTH_EDIT_SAME, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
hearth_edit_key_init (HearthEditKey *self)
{
}

HearthEditKey *
hearth_edit_key_new (HearthMetadataKey *original)
{
  HearthEditKey *self = g_object_new (HEARTH_TYPE_EDIT_KEY, NULL);

  g_set_object (&self->original, original);
  hearth_edit_key_reset (self);
  return self;
}

const char *
hearth_edit_key_get_name (HearthEditKey *self)
{
  g_return_val_if_fail (HEARTH_IS_EDIT_KEY (self), NULL);

  return self->name;
}

const char *
hearth_edit_key_get_type_name (HearthEditKey *self)
{
  g_return_val_if_fail (HEARTH_IS_EDIT_KEY (self), NULL);

  return self->type;
}

const char *
hearth_edit_key_get_value (HearthEditKey *self)
{
  g_return_val_if_fail (HEARTH_IS_EDIT_KEY (self), NULL);

  return self->value;
}

HearthEditChange
hearth_edit_key_get_change (HearthEditKey *self)
{
  g_return_val_if_fail (HEARTH_IS_EDIT_KEY (self), HEARTH_EDIT_SAME);

  if (self->original == NULL)
    return HEARTH_EDIT_ADDED;
  if (self->removed)
    return HEARTH_EDIT_REMOVED;
  if (self->text != NULL ||
      !g_str_equal (self->name, hearth_metadata_key_get_name (self->original)))
    return HEARTH_EDIT_CHANGED;
  return HEARTH_EDIT_SAME;
}

HearthMetadataKey *
hearth_edit_key_get_original (HearthEditKey *self)
{
  g_return_val_if_fail (HEARTH_IS_EDIT_KEY (self), NULL);

  return self->original;
}

gboolean
hearth_edit_key_has_text (HearthEditKey *self)
{
  g_return_val_if_fail (HEARTH_IS_EDIT_KEY (self), FALSE);

  return self->text != NULL || self->original == NULL ||
         hearth_metadata_key_can_be_written (self->original);
}

char *
hearth_edit_key_dup_text (HearthEditKey *self)
{
  g_return_val_if_fail (HEARTH_IS_EDIT_KEY (self), NULL);

  if (self->text != NULL)
    return g_strdup (self->text);
  if (self->original != NULL && hearth_metadata_key_can_be_written (self->original))
    return hearth_metadata_key_dup_written (self->original);
  return g_strdup ("");
}

gboolean
hearth_edit_key_has_new_text (HearthEditKey *self)
{
  g_return_val_if_fail (HEARTH_IS_EDIT_KEY (self), FALSE);

  return self->text != NULL;
}

void
hearth_edit_key_set (HearthEditKey *self, const char *name, const char *type, const char *text)
{
  g_return_if_fail (HEARTH_IS_EDIT_KEY (self));

  g_set_str (&self->name, name);
  g_set_str (&self->type, type);
  g_set_str (&self->text, text);
  g_free (self->value);
  self->value =
    text != NULL ? dup_line (text) : g_strdup (hearth_metadata_key_get_value (self->original));
  self->removed = FALSE;
  notify_all (self);
}

void
hearth_edit_key_set_removed (HearthEditKey *self, gboolean removed)
{
  g_return_if_fail (HEARTH_IS_EDIT_KEY (self));

  self->removed = removed;
  notify_all (self);
}

void
hearth_edit_key_reset (HearthEditKey *self)
{
  g_return_if_fail (HEARTH_IS_EDIT_KEY (self));

  if (self->original != NULL)
    hearth_edit_key_set (self, hearth_metadata_key_get_name (self->original),
                         hearth_metadata_key_get_type_name (self->original), NULL);
  else
    hearth_edit_key_set (self, "", "str", "");
}
