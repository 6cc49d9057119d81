/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-token-text.h"

#include <string.h>

#include <ember/json.h>
#include <ember/tokenizer.h>

#include "hearth-visible.h"

/* Longest bytes of a token that are looked at without asking for memory. */
#define USUAL_BYTES 256

struct cell
{
  guint32 to;
  guint32 first;
  guint32 n;
  guint32 flags;
};

struct _HearthTokenText
{
  HearthTokenizer *tokenizer;
  GString *text;
  GArray *cells;
  GArray *ids;
  gsize n_bytes, n_characters, n_words;
  gboolean borders;
};

static HearthTokenText *
create (HearthTokenizer *tokenizer, const gint32 *ids, gsize n, const char *source, gsize size)
{
  HearthTokenText *self = g_atomic_rc_box_new0 (HearthTokenText);
  gboolean in_word = FALSE;

  self->tokenizer = tokenizer != NULL ? hearth_tokenizer_ref (tokenizer) : NULL;
  self->text = g_string_sized_new (size + 16);
  self->cells = g_array_sized_new (FALSE, FALSE, sizeof (struct cell), (guint) MIN (n, 1u << 24));
  self->ids = g_array_new (FALSE, FALSE, sizeof (gint32));
  if (n > 0)
    g_array_append_vals (self->ids, ids, (guint) n);
  self->n_bytes = size;
  for (gsize i = 0; i < size;)
    {
      gunichar c = g_utf8_get_char_validated (source + i, (gssize) (size - i));
      gboolean bad = c == (gunichar) -1 || c == (gunichar) -2;
      gboolean space = !bad && g_unichar_isspace (c);

      if (!space && !in_word)
        self->n_words++;
      in_word = !space;
      self->n_characters++;
      i += bad ? 1 : (gsize) (g_utf8_next_char (source + i) - (source + i));
    }
  return self;
}

static void
add_cell (HearthTokenText *self, const char *bytes, gsize size, gsize first, gsize n,
          HearthCellFlags flags)
{
  struct cell cell = { .first = (guint32) first, .n = (guint32) n, .flags = flags };

  if (hearth_visible_append (self->text, bytes, size))
    cell.flags |= HEARTH_CELL_ESCAPED;
  cell.to = (guint32) self->text->len;
  g_array_append_val (self->cells, cell);
}

/* What a token stands for, in `usual` or, if it is longer, in *larger. */
static const char *
token_bytes (HearthTokenizer *tokenizer, int id, char usual[USUAL_BYTES], char **larger,
             gsize *size)
{
  const struct ember_tokenizer *t = hearth_tokenizer_get (tokenizer);

  *larger = NULL;
  *size = ember_detokenize_one (t, id, true, usual, USUAL_BYTES);
  if (*size <= USUAL_BYTES)
    return usual;
  *larger = g_malloc (*size);
  ember_detokenize_one (t, id, true, *larger, *size);
  return *larger;
}

/* White space that a vocabulary lists by itself stays white space. */
static HearthCellFlags
flags_of (HearthTokenizer *tokenizer, int id, const char *bytes, gsize n)
{
  if (!hearth_tokenizer_is_special (tokenizer, id))
    return 0;
  for (gsize i = 0; i < n; i++)
    {
      if (!g_ascii_isspace (bytes[i]))
        return HEARTH_CELL_SPECIAL;
    }
  return 0;
}

HearthTokenText *
hearth_token_text_new (HearthTokenizer *tokenizer, const gint32 *ids, gsize n, const char *source,
                       gsize size)
{
  HearthTokenText *self = create (tokenizer, ids, n, source, size);

  for (gsize i = 0; i < n; i++)
    {
      char usual[USUAL_BYTES];
      g_autofree char *larger = NULL;
      gsize n_bytes;
      const char *bytes = token_bytes (tokenizer, ids[i], usual, &larger, &n_bytes);

      if (n_bytes == 0)
        {
          struct ember_text stored =
            ember_tokenizer_piece (hearth_tokenizer_get (tokenizer), ids[i]);

          bytes = stored.data;
          n_bytes = stored.size;
        }
      add_cell (self, bytes, n_bytes, i, 1, flags_of (tokenizer, ids[i], bytes, n_bytes));
    }
  self->borders = TRUE;
  return self;
}

/* ---- the text itself, with borders ------------------------------------------------------ */

/* Words with the white space behind them, so that lines can be broken between. */
static void
add_words (HearthTokenText *self, const char *source, gsize size)
{
  for (gsize at = 0; at < size;)
    {
      gsize end = at;

      while (end < size && !g_ascii_isspace (source[end]))
        end++;
      while (end < size && source[end] == ' ')
        end++;
      if (end < size && g_ascii_isspace (source[end]))
        end++;
      add_cell (self, source + at, end - at, 0, 0, HEARTH_CELL_PLAIN);
      at = end;
    }
}

static gboolean
begins_with (const char *text, gsize size, const char *bytes, gsize n)
{
  return n <= size && memcmp (text, bytes, n) == 0;
}

/* Whether a character begins at `at`, or the text ends. */
static gboolean
is_border (const char *source, gsize size, gsize at)
{
  return at >= size || ((guchar) source[at] & 0xC0) != 0x80;
}

/* Goes along the text with its tokens. FALSE: they do not give the text. */
static gboolean
align (HearthTokenText *self, const gint32 *ids, gsize n, const char *source, gsize size)
{
  gsize at = 0, cell_at = 0, first = 0;

  for (gsize i = 0; i < n; i++)
    {
      char usual[USUAL_BYTES];
      g_autofree char *larger = NULL;
      gsize n_bytes;
      const char *bytes = token_bytes (self->tokenizer, ids[i], usual, &larger, &n_bytes);
      HearthCellFlags flags = flags_of (self->tokenizer, ids[i], bytes, n_bytes);

      if (cell_at == at && !begins_with (source + at, size - at, bytes, n_bytes))
        {
          gsize skipped = at;

          /* What a file's settings put around the text. */
          if (flags != 0 && (i == 0 || i + 1 == n))
            {
              add_cell (self, bytes, n_bytes, i, 1, flags);
              first = i + 1;
              continue;
            }
          /* Some vocabularies put a space before the text, and some drop white space at special
           * tokens. */
          if (n_bytes > 1 && bytes[0] == ' ' &&
              begins_with (source + at, size - at, bytes + 1, n_bytes - 1))
            {
              bytes++;
              n_bytes--;
            }
          else
            {
              while (skipped < size && g_ascii_isspace (source[skipped]))
                skipped++;
              if (skipped == at)
                return FALSE;
              add_cell (self, source + at, skipped - at, 0, 0, HEARTH_CELL_PLAIN);
              at = cell_at = skipped;
            }
        }
      if (!begins_with (source + at, size - at, bytes, n_bytes))
        return FALSE;
      at += n_bytes;
      if (!is_border (source, size, at))
        continue;
      add_cell (self, source + cell_at, at - cell_at, first, i + 1 - first, flags);
      cell_at = at;
      first = i + 1;
    }
  while (at < size && g_ascii_isspace (source[at]))
    at++;
  if (at > cell_at)
    add_cell (self, source + cell_at, at - cell_at, 0, 0, HEARTH_CELL_PLAIN);
  return at == size;
}

HearthTokenText *
hearth_token_text_new_aligned (HearthTokenizer *tokenizer, const gint32 *ids, gsize n,
                               const char *source, gsize size)
{
  HearthTokenText *self = create (tokenizer, ids, n, source, size);

  self->borders = tokenizer != NULL && align (self, ids, n, source, size);
  if (!self->borders)
    {
      g_string_truncate (self->text, 0);
      g_array_set_size (self->cells, 0);
      add_words (self, source, size);
    }
  return self;
}

/* ---- reading ---------------------------------------------------------------------------- */

HearthTokenText *
hearth_token_text_ref (HearthTokenText *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
clear (gpointer data)
{
  HearthTokenText *self = data;

  g_clear_pointer (&self->tokenizer, hearth_tokenizer_unref);
  g_string_free (self->text, TRUE);
  g_array_unref (self->cells);
  g_array_unref (self->ids);
}

void
hearth_token_text_unref (HearthTokenText *self)
{
  g_atomic_rc_box_release_full (self, clear);
}

const char *
hearth_token_text_get_text (HearthTokenText *self, gsize *size)
{
  if (size != NULL)
    *size = self->text->len;
  return self->text->str;
}

guint
hearth_token_text_get_n_cells (HearthTokenText *self)
{
  return self->cells->len;
}

void
hearth_token_text_get_cell (HearthTokenText *self, guint cell, HearthTokenCell *out)
{
  const struct cell *at;

  g_return_if_fail (cell < self->cells->len);

  at = &g_array_index (self->cells, struct cell, cell);
  *out = (HearthTokenCell) { .from = cell > 0 ? at[-1].to : 0,
                             .to = at->to,
                             .first = at->first,
                             .n = at->n,
                             .flags = at->flags };
}

guint
hearth_token_text_find_cell (HearthTokenText *self, guint offset)
{
  guint low = 0, high = self->cells->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (self->cells, struct cell, middle).to <= offset)
        low = middle + 1;
      else
        high = middle;
    }
  return low < self->cells->len ? low : MAX (self->cells->len, 1) - 1;
}

gboolean
hearth_token_text_has_borders (HearthTokenText *self)
{
  return self->borders;
}

const gint32 *
hearth_token_text_get_ids (HearthTokenText *self, guint *n)
{
  *n = self->ids->len;
  return (const gint32 *) (gconstpointer) self->ids->data;
}

void
hearth_token_text_get_counts (HearthTokenText *self, gsize *n_bytes, gsize *n_characters,
                              gsize *n_words)
{
  *n_bytes = self->n_bytes;
  *n_characters = self->n_characters;
  *n_words = self->n_words;
}

HearthTokenizer *
hearth_token_text_get_tokenizer (HearthTokenText *self)
{
  return self->tokenizer;
}

char *
hearth_token_text_dup_ids (HearthTokenText *self)
{
  GString *out = g_string_sized_new (self->ids->len * 7 + 1);

  for (guint i = 0; i < self->ids->len; i++)
    g_string_append_printf (out, "%s%d", i > 0 ? ", " : "", g_array_index (self->ids, gint32, i));
  return g_string_free_and_steal (out);
}

GBytes *
hearth_token_text_to_json (HearthTokenText *self, const char *source, gsize size)
{
  struct ember_json_writer *json = ember_json_writer_new (0);
  const char *written;
  gsize n = 0;
  GBytes *bytes;

  ember_json_begin_object (json);
  ember_json_name (json, "text");
  ember_json_write_text (json, (struct ember_text) { source, size });
  ember_json_name (json, "ids");
  ember_json_begin_array (json);
  for (guint i = 0; i < self->ids->len; i++)
    ember_json_write_i64 (json, g_array_index (self->ids, gint32, i));
  ember_json_end_array (json);
  ember_json_name (json, "pieces");
  ember_json_begin_array (json);
  for (guint i = 0; self->tokenizer != NULL && i < self->ids->len; i++)
    ember_json_write_text (json, ember_tokenizer_piece (hearth_tokenizer_get (self->tokenizer),
                                                        g_array_index (self->ids, gint32, i)));
  ember_json_end_array (json);
  ember_json_end_object (json);
  written = ember_json_writer_finish (json, &n);
  bytes = g_bytes_new (written, written != NULL ? n : 0);
  ember_json_writer_free (json);
  return bytes;
}
