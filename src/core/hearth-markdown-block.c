/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-markdown-block.h"

#include <string.h>

static void
clear_span (gpointer data)
{
  g_free (((HearthMarkdownSpan *) data)->link);
}

HearthMarkdownText *
hearth_markdown_text_new (void)
{
  HearthMarkdownText *text = g_new0 (HearthMarkdownText, 1);

  text->string = g_string_new (NULL);
  text->spans = g_array_new (FALSE, FALSE, sizeof (HearthMarkdownSpan));
  g_array_set_clear_func (text->spans, clear_span);
  return text;
}

void
hearth_markdown_text_free (HearthMarkdownText *text)
{
  if (text == NULL)
    return;
  g_string_free (text->string, TRUE);
  g_array_unref (text->spans);
  g_free (text);
}

void
hearth_markdown_text_add (HearthMarkdownText *text, const char *string, gsize size, guint style,
                          const char *link)
{
  guint start = (guint) text->string->len;
  HearthMarkdownSpan *last;
  HearthMarkdownSpan span;

  g_string_append_len (text->string, string, (gssize) size);
  if (style == 0 && link == NULL)
    return;
  last = text->spans->len > 0
           ? &g_array_index (text->spans, HearthMarkdownSpan, text->spans->len - 1)
           : NULL;
  if (last != NULL && last->end == start && last->style == style &&
      g_strcmp0 (last->link, link) == 0)
    {
      last->end = (guint) text->string->len;
      return;
    }
  span = (HearthMarkdownSpan) { start, (guint) text->string->len, style, g_strdup (link) };
  g_array_append_val (text->spans, span);
}

gboolean
hearth_markdown_text_equal (const HearthMarkdownText *a, const HearthMarkdownText *b)
{
  if (a == NULL || b == NULL)
    return a == b;
  if (!g_string_equal (a->string, b->string) || a->spans->len != b->spans->len)
    return FALSE;
  for (guint i = 0; i < a->spans->len; i++)
    {
      const HearthMarkdownSpan *x = &g_array_index (a->spans, HearthMarkdownSpan, i);
      const HearthMarkdownSpan *y = &g_array_index (b->spans, HearthMarkdownSpan, i);

      if (x->start != y->start || x->end != y->end || x->style != y->style ||
          g_strcmp0 (x->link, y->link) != 0)
        return FALSE;
    }
  return TRUE;
}

static void
unref_block (gpointer data)
{
  hearth_markdown_block_unref (data);
}

static void
unref_row (gpointer data)
{
  g_ptr_array_unref (data);
}

HearthMarkdownBlock *
hearth_markdown_block_new (HearthMarkdownKind kind)
{
  HearthMarkdownBlock *block = g_new0 (HearthMarkdownBlock, 1);

  block->ref_count = 1;
  block->kind = kind;
  switch (kind)
    {
    case HEARTH_MARKDOWN_PARAGRAPH:
    case HEARTH_MARKDOWN_HEADING:
    case HEARTH_MARKDOWN_CODE:
      block->text = hearth_markdown_text_new ();
      break;
    case HEARTH_MARKDOWN_ITEM:
    case HEARTH_MARKDOWN_QUOTE:
      block->children = g_ptr_array_new_with_free_func (unref_block);
      break;
    case HEARTH_MARKDOWN_TABLE:
      block->aligns = g_array_new (FALSE, TRUE, sizeof (HearthMarkdownAlign));
      block->rows = g_ptr_array_new_with_free_func (unref_row);
      break;
    case HEARTH_MARKDOWN_RULE:
    default:
      break;
    }
  return block;
}

HearthMarkdownBlock *
hearth_markdown_block_ref (HearthMarkdownBlock *block)
{
  block->ref_count++;
  return block;
}

/* Blocks nest a dozen deep at most, so this may call itself. */
void
hearth_markdown_block_unref (HearthMarkdownBlock *block)
{
  if (block == NULL || --block->ref_count > 0)
    return;
  hearth_markdown_text_free (block->text);
  g_free (block->language);
  g_clear_pointer (&block->children, g_ptr_array_unref);
  g_clear_pointer (&block->aligns, g_array_unref);
  g_clear_pointer (&block->rows, g_ptr_array_unref);
  g_free (block);
}

static gboolean
same_children (const GPtrArray *a, const GPtrArray *b)
{
  if (a == NULL || b == NULL)
    return a == b;
  if (a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    {
      if (!hearth_markdown_block_equal (a->pdata[i], b->pdata[i]))
        return FALSE;
    }
  return TRUE;
}

static gboolean
same_rows (const GPtrArray *a, const GPtrArray *b)
{
  if (a == NULL || b == NULL)
    return a == b;
  if (a->len != b->len)
    return FALSE;
  for (guint i = 0; i < a->len; i++)
    {
      const GPtrArray *x = a->pdata[i];
      const GPtrArray *y = b->pdata[i];

      if (x->len != y->len)
        return FALSE;
      for (guint k = 0; k < x->len; k++)
        {
          if (!hearth_markdown_text_equal (x->pdata[k], y->pdata[k]))
            return FALSE;
        }
    }
  return TRUE;
}

gboolean
hearth_markdown_block_equal (const HearthMarkdownBlock *a, const HearthMarkdownBlock *b)
{
  if (a == b)
    return TRUE;
  return a->kind == b->kind && a->continues == b->continues && a->level == b->level &&
         a->ordinal == b->ordinal && a->ordered == b->ordered && a->task == b->task &&
         a->n_columns == b->n_columns && g_strcmp0 (a->language, b->language) == 0 &&
         hearth_markdown_text_equal (a->text, b->text) &&
         same_children (a->children, b->children) &&
         (a->aligns == NULL || a->n_columns == 0 ||
          memcmp (a->aligns->data, b->aligns->data, a->n_columns * sizeof (HearthMarkdownAlign)) ==
            0) &&
         same_rows (a->rows, b->rows);
}
