/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-comparison-private.h"

/* Of a value, and of one element of a list. */
#define MAX_VALUE_BYTES 400
#define MAX_ELEMENT_BYTES 60
#define MAX_NAME_BYTES 200
#define SHOWN 6 /* elements of an array */

struct _HearthComparedKey
{
  GObject parent_instance;

  char *name;
  HearthChange change;
  char *first;
  char *second;
  /* NULL: as it is shown. */
  char *exact_name;
  char *exact[2];
};

G_DEFINE_FINAL_TYPE (HearthComparedKey, hearth_compared_key, G_TYPE_OBJECT)

static void
hearth_compared_key_finalize (GObject *object)
{
  HearthComparedKey *self = HEARTH_COMPARED_KEY (object);

  g_free (self->name);
  g_free (self->first);
  g_free (self->second);
  g_free (self->exact_name);
  g_free (self->exact[0]);
  g_free (self->exact[1]);
  G_OBJECT_CLASS (hearth_compared_key_parent_class)->finalize (object);
}

static void
hearth_compared_key_class_init (HearthComparedKeyClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = hearth_compared_key_finalize;
}

static void
hearth_compared_key_init (HearthComparedKey *self)
{
}

static char *
dup_element (const struct ember_gguf *gguf, gint64 key, guint64 at, gsize max_bytes)
{
  struct ember_text text;
  int64_t i;
  uint64_t u;
  double f;
  bool boolean;

  if (ember_gguf_text (gguf, key, at, &text))
    return hearth_gguf_dup_line (&text, max_bytes);
  if (ember_gguf_bool (gguf, key, at, &boolean))
    return g_strdup (boolean ? "true" : "false");
  if (ember_gguf_i64 (gguf, key, at, &i))
    return g_strdup_printf ("%" G_GINT64_FORMAT, (gint64) i);
  if (ember_gguf_u64 (gguf, key, at, &u))
    return g_strdup_printf ("%" G_GUINT64_FORMAT, (guint64) u);
  if (ember_gguf_f64 (gguf, key, at, &f))
    {
      char buffer[G_ASCII_DTOSTR_BUF_SIZE];

      return g_strdup (g_ascii_formatd (buffer, sizeof buffer, "%.9g", f));
    }
  return g_strdup ("[…]"); /* an array within an array */
}

/* A single value, or some elements of an array from the first that differs on. */
static char *
dup_value (const struct ember_gguf *gguf, gint64 key, guint64 from)
{
  g_autoptr (GString) out = NULL;
  guint64 length;

  if (key < 0)
    return NULL;
  if (ember_gguf_key_type (gguf, (uint64_t) key) != EMBER_GGUF_ARRAY)
    return dup_element (gguf, key, 0, MAX_VALUE_BYTES);
  length = ember_gguf_key_length (gguf, (uint64_t) key);
  out = g_string_new (NULL);
  g_string_append_printf (
    out, "%" G_GUINT64_FORMAT " × %s", length,
    ember_gguf_type_name (ember_gguf_key_element_type (gguf, (uint64_t) key)));
  if (length > 0)
    g_string_append (out, ": ");
  if (from > 0 && from < length)
    g_string_append_printf (out, "… [%" G_GUINT64_FORMAT "] ", from);
  for (guint64 i = from; i < length && i < from + SHOWN; i++)
    {
      g_autofree char *element = dup_element (gguf, key, i, MAX_ELEMENT_BYTES);

      g_string_append_printf (out, "%s%s", i > from ? ", " : "", element);
    }
  if (from + SHOWN < length)
    g_string_append (out, ", …");
  return g_string_free_and_steal (g_steal_pointer (&out));
}

/* A text that is not shown as it is; NULL where it is. */
static char *
dup_exact (const struct ember_text *text, const char *shown)
{
  g_autofree char *exact = hearth_gguf_dup_exact (text);

  return g_str_equal (exact, shown) ? NULL : g_steal_pointer (&exact);
}

static char *
dup_exact_value (const struct ember_gguf *gguf, gint64 key, const char *shown)
{
  struct ember_text text;

  if (key < 0 || ember_gguf_key_type (gguf, (uint64_t) key) != EMBER_GGUF_STRING ||
      !ember_gguf_text (gguf, key, 0, &text))
    return NULL;
  return dup_exact (&text, shown);
}

HearthComparedKey *
_hearth_compared_key_new (const struct ember_gguf *first, const struct ember_gguf *second,
                          const struct ember_diff_key *key)
{
  HearthComparedKey *self = g_object_new (HEARTH_TYPE_COMPARED_KEY, NULL);

  self->name = hearth_gguf_dup_line (&key->name, MAX_NAME_BYTES);
  self->change = (HearthChange) key->change;
  self->first = dup_value (first, key->first, key->first_different);
  self->second = dup_value (second, key->second, key->first_different);
  self->exact_name = dup_exact (&key->name, self->name);
  self->exact[0] = dup_exact_value (first, key->first, self->first);
  self->exact[1] = dup_exact_value (second, key->second, self->second);
  return self;
}

const char *
hearth_compared_key_get_name (HearthComparedKey *self)
{
  g_return_val_if_fail (HEARTH_IS_COMPARED_KEY (self), NULL);

  return self->name;
}

HearthChange
hearth_compared_key_get_change (HearthComparedKey *self)
{
  g_return_val_if_fail (HEARTH_IS_COMPARED_KEY (self), HEARTH_CHANGE_SAME);

  return self->change;
}

const char *
hearth_compared_key_get_first (HearthComparedKey *self)
{
  g_return_val_if_fail (HEARTH_IS_COMPARED_KEY (self), NULL);

  return self->first;
}

const char *
hearth_compared_key_get_second (HearthComparedKey *self)
{
  g_return_val_if_fail (HEARTH_IS_COMPARED_KEY (self), NULL);

  return self->second;
}

const char *
hearth_compared_key_get_exact_name (HearthComparedKey *self)
{
  g_return_val_if_fail (HEARTH_IS_COMPARED_KEY (self), NULL);

  return self->exact_name != NULL ? self->exact_name : self->name;
}

const char *
hearth_compared_key_get_exact (HearthComparedKey *self, gboolean second)
{
  g_return_val_if_fail (HEARTH_IS_COMPARED_KEY (self), NULL);

  if (self->exact[second ? 1 : 0] != NULL)
    return self->exact[second ? 1 : 0];
  return second ? self->second : self->first;
}
