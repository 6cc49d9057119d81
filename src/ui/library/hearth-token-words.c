/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-token-words.h"

#include <string.h>

#include <glib/gi18n.h>

#include "hearth-visible.h"
#include "hearth-words.h"

/* Of more bytes the rest is left out: nobody counts them. */
#define MOST_BYTES 24
#define MOST_IDS 8

static const char *const kinds[HEARTH_TOKEN_N_KINDS] = {
  [HEARTH_TOKEN_UNDEFINED] = N_ ("Undefined"),
  [HEARTH_TOKEN_NORMAL] = N_ ("Normal"),
  [HEARTH_TOKEN_UNKNOWN] = N_ ("Unknown"),
  [HEARTH_TOKEN_CONTROL] = N_ ("Control"),
  [HEARTH_TOKEN_USER_DEFINED] = N_ ("User-Defined"),
  [HEARTH_TOKEN_UNUSED] = N_ ("Unused"),
  [HEARTH_TOKEN_BYTE] = N_ ("Byte"),
};

const char *
hearth_token_words_for_kind (HearthTokenKind kind)
{
  return (guint) kind < HEARTH_TOKEN_N_KINDS ? _ (kinds[kind]) : "";
}

char *
hearth_token_words_for_bytes (GBytes *bytes)
{
  gsize n;
  const guint8 *data = g_bytes_get_data (bytes, &n);
  GString *out = g_string_new (NULL);

  for (gsize i = 0; i < n && i < MOST_BYTES; i++)
    g_string_append_printf (out, "%s%02X", i > 0 ? " " : "", data[i]);
  if (n > MOST_BYTES)
    g_string_append (out, " …");
  return g_string_free_and_steal (out);
}

char *
hearth_token_words_for_score (HearthTokenizer *tokenizer, int id)
{
  float score;
  g_autofree char *text = NULL;

  if (!hearth_tokenizer_get_score (tokenizer, id, &score))
    return g_strdup ("");
  text = g_strdup_printf ("%.6g", (double) score);
  return hearth_words_with_sign (text);
}

char *
hearth_token_words_for_piece (HearthTokenText *text, guint cell)
{
  HearthTokenCell at;
  g_autofree char *shown = NULL;

  hearth_token_text_get_cell (text, cell, &at);
  shown = hearth_visible_dup (hearth_token_text_get_text (text, NULL) + at.from, at.to - at.from);
  return g_strdup_printf (_ ("“%s”"), shown);
}

char *
hearth_token_words_for_ids (HearthTokenText *text, guint cell)
{
  HearthTokenCell at;
  HearthTokenizer *tokenizer = hearth_token_text_get_tokenizer (text);
  guint n;
  const gint32 *ids = hearth_token_text_get_ids (text, &n);
  g_autoptr (GString) list = g_string_new (NULL);

  hearth_token_text_get_cell (text, cell, &at);
  if (at.n == 0 || tokenizer == NULL)
    return g_strdup (_ ("No token of its own"));
  if (at.n == 1)
    /* Translators: a token's number and its type: "ID 665 · Normal" */
    return g_strdup_printf (
      _ ("ID %1$d · %2$s"), ids[at.first],
      hearth_token_words_for_kind (hearth_tokenizer_get_kind (tokenizer, ids[at.first])));
  for (guint i = 0; i < at.n && i < MOST_IDS; i++)
    g_string_append_printf (list, "%s%d", i > 0 ? ", " : "", ids[at.first + i]);
  if (at.n > MOST_IDS)
    g_string_append (list, ", …");
  /* Translators: one character made of several tokens, and their numbers */
  return g_strdup_printf (ngettext ("%1$u token: %2$s", "%1$u tokens: %2$s", at.n), at.n,
                          list->str);
}

/* The bytes of all tokens of the cell. */
static GBytes *
dup_bytes (HearthTokenText *text, const HearthTokenCell *at)
{
  HearthTokenizer *tokenizer = hearth_token_text_get_tokenizer (text);
  guint n;
  const gint32 *ids = hearth_token_text_get_ids (text, &n);
  GByteArray *all = g_byte_array_new ();

  for (guint i = 0; i < at->n && i <= MOST_BYTES; i++)
    {
      g_autoptr (GBytes) one = hearth_tokenizer_dup_bytes (tokenizer, ids[at->first + i]);

      g_byte_array_append (all, g_bytes_get_data (one, NULL), (guint) g_bytes_get_size (one));
    }
  return g_byte_array_free_to_bytes (all);
}

char *
hearth_token_words_for_details (HearthTokenText *text, guint cell)
{
  HearthTokenCell at;
  HearthTokenizer *tokenizer = hearth_token_text_get_tokenizer (text);
  guint n;
  const gint32 *ids = hearth_token_text_get_ids (text, &n);
  g_autoptr (GBytes) bytes = NULL;
  g_autofree char *hex = NULL;
  g_autofree char *score = NULL;

  hearth_token_text_get_cell (text, cell, &at);
  if (at.n == 0 || tokenizer == NULL)
    return g_strdup ("");
  bytes = dup_bytes (text, &at);
  hex = hearth_token_words_for_bytes (bytes);
  score = at.n == 1 ? hearth_token_words_for_score (tokenizer, ids[at.first]) : g_strdup ("");
  if (*score != '\0')
    /* Translators: "Bytes 20 74 68 65 · Score −12.3" */
    return g_strdup_printf (_ ("Bytes %1$s · Score %2$s"), hex, score);
  /* Translators: "Bytes 20 74 68 65" */
  return g_strdup_printf (_ ("Bytes %s"), hex);
}
