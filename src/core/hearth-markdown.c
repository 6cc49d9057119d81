/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-markdown.h"

#include <string.h>

#include "hearth-markdown-lines.h"
#include "hearth-markdown-parse.h"

/* How much source may stay open: what an append costs at most. Code is cheap and often long. */
#define MAX_OPEN (32 * 1024)
#define MAX_OPEN_TABLE (16 * 1024)
#define MAX_OPEN_CODE (256 * 1024)

struct _HearthMarkdown
{
  GPtrArray *blocks;
  guint n_finished;

  GString *source; /* from the last cut on */
  gsize read;      /* the lines before this one are sorted */
  HearthMarkdownLines lines;
  char *prefix;       /* what the next segment needs in front after a cut at a limit; or NULL */
  gboolean goes_on;   /* the next segment is the rest of a paragraph */
  guint next_ordinal; /* of the next item when the list goes on; 0: a new one */
  gboolean finished;
  guint64 n_parsed;
};

static void
unref_block (gpointer data)
{
  hearth_markdown_block_unref (data);
}

HearthMarkdown *
hearth_markdown_new (void)
{
  HearthMarkdown *self = g_new0 (HearthMarkdown, 1);

  self->blocks = g_ptr_array_new_with_free_func (unref_block);
  self->source = g_string_new (NULL);
  return self;
}

void
hearth_markdown_free (HearthMarkdown *self)
{
  if (self == NULL)
    return;
  g_ptr_array_unref (self->blocks);
  g_string_free (self->source, TRUE);
  g_free (self->prefix);
  g_free (self);
}

/* Parses `size` bytes of source after the finished blocks. */
static void
parse_segment (HearthMarkdown *self, const char *source, gsize size)
{
  guint first = self->blocks->len;
  g_autoptr (GString) whole = NULL;
  HearthMarkdownBlock *block;

  self->n_parsed += size;
  if (self->prefix != NULL)
    {
      whole = g_string_new (self->prefix);
      g_string_append_len (whole, source, (gssize) size);
      source = whole->str;
      size = whole->len;
    }
  hearth_markdown_parse (source, size, self->blocks);
  if (self->blocks->len == first)
    return;
  block = self->blocks->pdata[first];
  if (self->goes_on && block->kind == HEARTH_MARKDOWN_PARAGRAPH)
    block->continues = TRUE;
  for (guint i = first, ordinal = self->next_ordinal; ordinal > 0 && i < self->blocks->len; i++)
    {
      block = self->blocks->pdata[i];
      if (block->kind != HEARTH_MARKDOWN_ITEM || !block->ordered)
        break;
      block->ordinal = ordinal++;
    }
}

/* The source up to `end` has become finished blocks; `same_list` says that an item of the same list
 * follows. */
static void
cut (HearthMarkdown *self, const char *source, gsize end, gboolean same_list)
{
  HearthMarkdownBlock *last;

  parse_segment (self, source, end);
  self->n_finished = self->blocks->len;
  g_clear_pointer (&self->prefix, g_free);
  self->goes_on = FALSE;
  self->next_ordinal = 0;
  last = self->n_finished > 0 ? self->blocks->pdata[self->n_finished - 1] : NULL;
  if (same_list && last != NULL && last->kind == HEARTH_MARKDOWN_ITEM && last->ordered)
    self->next_ordinal = last->ordinal + 1;
}

static gsize
limit (const HearthMarkdownLines *lines)
{
  switch (lines->open)
    {
    case HEARTH_MARKDOWN_LINES_CODE:
      return MAX_OPEN_CODE;
    case HEARTH_MARKDOWN_LINES_TABLE:
      return MAX_OPEN_TABLE;
    case HEARTH_MARKDOWN_LINES_NOTHING:
    case HEARTH_MARKDOWN_LINES_LIST:
    case HEARTH_MARKDOWN_LINES_QUOTE:
    case HEARTH_MARKDOWN_LINES_OTHER:
    default:
      return MAX_OPEN;
    }
}

/* Ends the segment at `end` although it may go on. */
static void
cut_at_limit (HearthMarkdown *self, const char *source, gsize end)
{
  g_autofree char *prefix = NULL;
  gboolean text = self->lines.open == HEARTH_MARKDOWN_LINES_OTHER;

  /* Code and tables go on as what they are: the line that opened them is repeated. */
  if (self->lines.open == HEARTH_MARKDOWN_LINES_CODE)
    prefix = self->prefix != NULL
               ? g_strdup (self->prefix)
               : g_strndup (source, hearth_markdown_lines_length (source, end, 1));
  else if (self->lines.open == HEARTH_MARKDOWN_LINES_TABLE)
    prefix = self->prefix != NULL
               ? g_strdup (self->prefix)
               : g_strndup (source, hearth_markdown_lines_length (source, end, 2));
  cut (self, source, end, FALSE);
  self->prefix = g_steal_pointer (&prefix);
  self->goes_on = text;
}

/* A place inside a line that is longer than the limit. */
static gsize
inside_line (const char *text, gsize size)
{
  gsize at = size;

  while (at > size / 2 && text[at - 1] != ' ')
    at--;
  if (at <= size / 2)
    at = size;
  while (at > 1 && ((guchar) text[at] & 0xc0) == 0x80)
    at--;
  return at;
}

static guint
update (HearthMarkdown *self)
{
  guint first = self->n_finished;
  gsize begin = 0; /* of the open segment */
  gsize at = self->read;
  const char *source = self->source->str;
  gsize size = self->source->len;

  g_ptr_array_set_size (self->blocks, (int) self->n_finished);
  for (;;)
    {
      const char *end = memchr (source + at, '\n', size - at);
      gsize next = end != NULL ? (gsize) (end - source) + 1 : size;
      HearthMarkdownCut where;

      if (next - begin > limit (&self->lines) && at > begin)
        {
          cut_at_limit (self, source + begin, at - begin);
          begin = at;
        }
      if (next - begin > limit (&self->lines))
        {
          gsize part = inside_line (source + begin, limit (&self->lines));

          cut_at_limit (self, source + begin, part);
          self->goes_on = self->prefix == NULL;
          begin += part;
          at = begin;
          continue;
        }
      if (end == NULL)
        break;
      where = hearth_markdown_lines_add (&self->lines, source + at, next - at);
      if (where.before && at > begin)
        {
          cut (self, source + begin, at - begin, where.same_list);
          begin = at;
        }
      if (where.after)
        {
          cut (self, source + begin, next - begin, FALSE);
          begin = next;
        }
      at = next;
    }
  g_string_erase (self->source, 0, (gssize) begin);
  self->read = at - begin;
  if (self->source->len > 0)
    {
      g_autoptr (GString) shown = g_string_new_len (self->source->str, (gssize) self->source->len);

      if (!self->finished && self->lines.open != HEARTH_MARKDOWN_LINES_CODE)
        hearth_markdown_lines_complete (shown);
      parse_segment (self, shown->str, shown->len);
    }
  return first;
}

guint
hearth_markdown_append (HearthMarkdown *self, const char *text)
{
  g_return_val_if_fail (!self->finished, self->n_finished);

  g_string_append (self->source, text);
  return update (self);
}

guint
hearth_markdown_finish (HearthMarkdown *self)
{
  self->finished = TRUE;
  return update (self);
}

guint
hearth_markdown_get_n_blocks (HearthMarkdown *self)
{
  return self->blocks->len;
}

guint
hearth_markdown_get_n_finished (HearthMarkdown *self)
{
  return self->n_finished;
}

HearthMarkdownBlock *
hearth_markdown_get_block (HearthMarkdown *self, guint position)
{
  g_return_val_if_fail (position < self->blocks->len, NULL);

  return self->blocks->pdata[position];
}

guint64
hearth_markdown_get_n_parsed (HearthMarkdown *self)
{
  return self->n_parsed;
}
