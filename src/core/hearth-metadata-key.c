/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-metadata-key.h"

#include <string.h>

#include <ember/gguf.h>
#include <ember/json.h>

#include "hearth-key-words.h"

/* What a cell of a table can show, and what a viewer can. */
#define MAX_VALUE_BYTES 240
#define MAX_ELEMENT_BYTES 400
#define MAX_TEXT_BYTES (1024 * 1024)
/* What somebody would edit by hand. */
#define MAX_WRITTEN_BYTES (64 * 1024)
#define MAX_WRITTEN_ELEMENTS 1000
/* Elements of an array that stand in a cell. */
#define N_SHOWN 8

struct _HearthMetadataKey
{
  GObject parent_instance;

  HearthGguf *gguf;
  guint64 index;
  char *name;
  char *type;
  char *value;
  char *meaning;
  guint64 length;
  gboolean is_array;
  gboolean is_cut;
};

G_DEFINE_FINAL_TYPE (HearthMetadataKey, hearth_metadata_key, G_TYPE_OBJECT)

enum
{
  PROP_0,
  PROP_NAME,
  PROP_TYPE,
  PROP_VALUE,
  PROP_MEANING,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static char *
format_double (double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  /* As short as tells it apart from its neighbours in 32 bits. */
  for (int digits = 6; digits <= 9; digits++)
    {
      g_autofree char *format = g_strdup_printf ("%%.%dg", digits);

      g_ascii_formatd (text, sizeof text, format, value);
      if ((float) g_ascii_strtod (text, NULL) == (float) value)
        break;
    }
  return g_strdup (text);
}

/* Element `at`; `cut` (may be NULL) is set when not all of it is in the text. */
static char *
dup_element (const struct ember_gguf *gguf, guint64 index, guint64 at, gsize max_bytes,
             gboolean *cut)
{
  struct ember_text text;
  guint64 u;
  gint64 i;
  double d;
  bool b;

  if (ember_gguf_text (gguf, (int64_t) index, at, &text))
    {
      if (cut != NULL && text.size > max_bytes)
        *cut = TRUE;
      return hearth_gguf_dup_line (&text, max_bytes);
    }
  switch (ember_gguf_key_element_type (gguf, index))
    {
    case EMBER_GGUF_BOOL:
      if (ember_gguf_bool (gguf, (int64_t) index, at, &b))
        return g_strdup (b ? "true" : "false");
      break;
    case EMBER_GGUF_F32:
    case EMBER_GGUF_F64:
      if (ember_gguf_f64 (gguf, (int64_t) index, at, &d))
        return format_double (d);
      break;
    case EMBER_GGUF_I8:
    case EMBER_GGUF_I16:
    case EMBER_GGUF_I32:
    case EMBER_GGUF_I64:
      if (ember_gguf_i64 (gguf, (int64_t) index, at, &i))
        return g_strdup_printf ("%" G_GINT64_FORMAT, i);
      break;
    case EMBER_GGUF_U8:
    case EMBER_GGUF_U16:
    case EMBER_GGUF_U32:
    case EMBER_GGUF_U64:
    case EMBER_GGUF_STRING:
    case EMBER_GGUF_ARRAY:
    case EMBER_GGUF_TYPE_COUNT:
    default:
      if (ember_gguf_u64 (gguf, (int64_t) index, at, &u))
        return g_strdup_printf ("%" G_GUINT64_FORMAT, u);
    }
  return g_strdup ("");
}

static char *
dup_first_elements (HearthMetadataKey *self)
{
  const struct ember_gguf *gguf = hearth_gguf_get (self->gguf);
  g_autoptr (GString) out = g_string_new (NULL);
  guint64 n = 0;

  for (; n < self->length && n < N_SHOWN && out->len < MAX_VALUE_BYTES; n++)
    {
      g_autofree char *element =
        dup_element (gguf, self->index, n, MAX_VALUE_BYTES / 4, &self->is_cut);

      if (n > 0)
        g_string_append (out, ", ");
      g_string_append (out, element);
    }
  if (n < self->length)
    {
      g_string_append (out, ", …");
      self->is_cut = TRUE;
    }
  return g_string_free_and_steal (g_steal_pointer (&out));
}

static void
hearth_metadata_key_finalize (GObject *object)
{
  HearthMetadataKey *self = HEARTH_METADATA_KEY (object);

  g_free (self->name);
  g_free (self->type);
  g_free (self->value);
  g_free (self->meaning);
  g_clear_pointer (&self->gguf, hearth_gguf_unref);
  G_OBJECT_CLASS (hearth_metadata_key_parent_class)->finalize (object);
}

static void
hearth_metadata_key_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  HearthMetadataKey *self = HEARTH_METADATA_KEY (object);

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
    case PROP_MEANING:
      g_value_set_string (value, self->meaning);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
hearth_metadata_key_class_init (HearthMetadataKeyClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_STATIC_STRINGS;

  object_class->finalize = hearth_metadata_key_finalize;
  object_class->get_property = hearth_metadata_key_get_property;

  properties[PROP_NAME] = g_param_spec_string ("name", NULL, NULL, NULL, flags);
  properties[PROP_TYPE] = g_param_spec_string ("type", NULL, NULL, NULL, flags);
  properties[PROP_VALUE] = g_param_spec_string ("value", NULL, NULL, NULL, flags);
  properties[PROP_MEANING] = g_param_spec_string ("meaning", NULL, NULL, NULL, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
hearth_metadata_key_init (HearthMetadataKey *self)
{
}

HearthMetadataKey *
hearth_metadata_key_new (HearthGguf *gguf, guint64 index)
{
  HearthMetadataKey *self = g_object_new (HEARTH_TYPE_METADATA_KEY, NULL);
  const struct ember_gguf *open = hearth_gguf_get (gguf);
  struct ember_text name = ember_gguf_key_name (open, index);
  const struct ember_gguf_standard_key *standard =
    ember_gguf_standard_key (name, ember_gguf_get_text (open, "general.architecture"));
  const char *element = ember_gguf_type_name (ember_gguf_key_element_type (open, index));

  self->gguf = hearth_gguf_ref (gguf);
  self->index = index;
  self->name = hearth_gguf_dup_line (&name, MAX_VALUE_BYTES);
  self->is_array = ember_gguf_key_type (open, index) == EMBER_GGUF_ARRAY;
  self->length = ember_gguf_key_length (open, index);
  self->type = g_strdup_printf (self->is_array ? "arr[%s]" : "%s", element != NULL ? element : "?");
  if (standard != NULL)
    self->meaning = hearth_key_words_dup (self->name, standard->meaning, standard->unit);
  self->value = self->is_array ? dup_first_elements (self)
                               : dup_element (open, index, 0, MAX_VALUE_BYTES, &self->is_cut);
  return self;
}

const char *
hearth_metadata_key_get_name (HearthMetadataKey *self)
{
  g_return_val_if_fail (HEARTH_IS_METADATA_KEY (self), NULL);

  return self->name;
}

char *
hearth_metadata_key_dup_exact_name (HearthMetadataKey *self)
{
  struct ember_text name;

  g_return_val_if_fail (HEARTH_IS_METADATA_KEY (self), NULL);

  name = ember_gguf_key_name (hearth_gguf_get (self->gguf), self->index);
  return hearth_gguf_dup_exact (&name);
}

const char *
hearth_metadata_key_get_type_name (HearthMetadataKey *self)
{
  g_return_val_if_fail (HEARTH_IS_METADATA_KEY (self), NULL);

  return self->type;
}

const char *
hearth_metadata_key_get_value (HearthMetadataKey *self)
{
  g_return_val_if_fail (HEARTH_IS_METADATA_KEY (self), NULL);

  return self->value;
}

const char *
hearth_metadata_key_get_meaning (HearthMetadataKey *self)
{
  g_return_val_if_fail (HEARTH_IS_METADATA_KEY (self), NULL);

  return self->meaning;
}

gboolean
hearth_metadata_key_is_array (HearthMetadataKey *self)
{
  g_return_val_if_fail (HEARTH_IS_METADATA_KEY (self), FALSE);

  return self->is_array;
}

guint64
hearth_metadata_key_get_length (HearthMetadataKey *self)
{
  g_return_val_if_fail (HEARTH_IS_METADATA_KEY (self), 0);

  return self->length;
}

gboolean
hearth_metadata_key_is_cut (HearthMetadataKey *self)
{
  g_return_val_if_fail (HEARTH_IS_METADATA_KEY (self), FALSE);

  return self->is_cut;
}

char *
hearth_metadata_key_dup_text (HearthMetadataKey *self)
{
  struct ember_text text;

  g_return_val_if_fail (HEARTH_IS_METADATA_KEY (self), NULL);

  if (!self->is_array &&
      ember_gguf_text (hearth_gguf_get (self->gguf), (int64_t) self->index, 0, &text))
    return g_utf8_make_valid (text.size > 0 ? text.data : "",
                              (gssize) MIN (text.size, MAX_TEXT_BYTES));
  return g_strdup (self->value);
}

char *
hearth_metadata_key_dup_element (HearthMetadataKey *self, guint64 at)
{
  g_return_val_if_fail (HEARTH_IS_METADATA_KEY (self), NULL);

  return dup_element (hearth_gguf_get (self->gguf), self->index, at, MAX_ELEMENT_BYTES, NULL);
}

guint64
hearth_metadata_key_get_index (HearthMetadataKey *self)
{
  g_return_val_if_fail (HEARTH_IS_METADATA_KEY (self), 0);

  return self->index;
}

HearthGguf *
hearth_metadata_key_get_gguf (HearthMetadataKey *self)
{
  g_return_val_if_fail (HEARTH_IS_METADATA_KEY (self), NULL);

  return self->gguf;
}

gboolean
hearth_metadata_key_can_be_written (HearthMetadataKey *self)
{
  const struct ember_gguf *gguf;
  struct ember_text text;
  gsize size = 0;

  g_return_val_if_fail (HEARTH_IS_METADATA_KEY (self), FALSE);

  gguf = hearth_gguf_get (self->gguf);
  if (ember_gguf_key_element_type (gguf, self->index) == EMBER_GGUF_ARRAY ||
      self->length > MAX_WRITTEN_ELEMENTS)
    return FALSE;
  for (guint64 i = 0; i < self->length; i++)
    {
      if (!ember_gguf_text (gguf, (int64_t) self->index, i, &text))
        break; /* numbers */
      size += text.size;
      /* A text view, too, ends at a NUL, which is then not valid. */
      if (size > MAX_WRITTEN_BYTES ||
          (text.size > 0 && !g_utf8_validate_len (text.data, text.size, NULL)))
        return FALSE;
    }
  return TRUE;
}

/* One element as JSON. */
static void
write_element (struct ember_json_writer *json, const struct ember_gguf *gguf, guint64 index,
               guint64 at)
{
  enum ember_gguf_type type = ember_gguf_key_element_type (gguf, index);
  struct ember_text text;
  guint64 u;
  gint64 i;
  double d;
  bool b;

  if (ember_gguf_text (gguf, (int64_t) index, at, &text))
    ember_json_write_text (json, text);
  else if (type == EMBER_GGUF_BOOL && ember_gguf_bool (gguf, (int64_t) index, at, &b))
    ember_json_write_bool (json, b);
  else if ((type == EMBER_GGUF_F32 || type == EMBER_GGUF_F64) &&
           ember_gguf_f64 (gguf, (int64_t) index, at, &d))
    ember_json_write_f64 (json, d, type == EMBER_GGUF_F32);
  else if (ember_gguf_i64 (gguf, (int64_t) index, at, &i))
    ember_json_write_i64 (json, i);
  else if (ember_gguf_u64 (gguf, (int64_t) index, at, &u))
    ember_json_write_u64 (json, u);
  else
    ember_json_write_null (json);
}

char *
hearth_metadata_key_dup_written (HearthMetadataKey *self)
{
  const struct ember_gguf *gguf;
  struct ember_json_writer *json;
  struct ember_text text;
  const char *written;
  char *copy;

  g_return_val_if_fail (HEARTH_IS_METADATA_KEY (self), NULL);

  gguf = hearth_gguf_get (self->gguf);
  if (!self->is_array && ember_gguf_text (gguf, (int64_t) self->index, 0, &text))
    return hearth_gguf_dup_exact (&text);
  json = ember_json_writer_new (0);
  if (json == NULL)
    return g_strdup ("");
  if (self->is_array)
    ember_json_begin_array (json);
  for (guint64 i = 0; i < self->length; i++)
    write_element (json, gguf, self->index, i);
  if (self->is_array)
    ember_json_end_array (json);
  written = ember_json_writer_finish (json, NULL);
  copy = g_strdup (written != NULL ? written : "");
  ember_json_writer_free (json);
  /* A single number that JSON does not know, "nan", came as a string. */
  if (!self->is_array && *copy == '"')
    {
      g_autofree char *quoted = copy;

      copy = g_strndup (quoted + 1, strlen (quoted) - 2);
    }
  return copy;
}
