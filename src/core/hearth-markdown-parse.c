/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-markdown-parse.h"

#include <string.h>

#include <md4c.h>

/* Deeper containers are opened in name only: what is in them goes to the deepest one. */
#define MAX_DEPTH 12
/* A longer text is several blocks, since laying out is what costs. */
#define LONG_TEXT 4096

struct list
{
  gboolean ordered;
  guint next;
};

struct parser
{
  GPtrArray *columns; /* of GPtrArray: where blocks go, innermost last; not owned */
  GPtrArray *closing; /* per open container: NULL when it was opened in name only; not owned */
  GArray *lists;      /* of struct list */
  HearthMarkdownText *text; /* where text goes; NULL: a paragraph is made when some comes */
  HearthMarkdownBlock *table;
  GPtrArray *links; /* of char *, innermost last */
  guint style;
  guint counts[4]; /* how often each style is open */
};

static HearthMarkdownBlock *
add_block (struct parser *p, HearthMarkdownKind kind)
{
  HearthMarkdownBlock *block = hearth_markdown_block_new (kind);

  g_ptr_array_add (p->columns->pdata[p->columns->len - 1], block);
  p->text = block->text;
  return block;
}

static void
open_container (struct parser *p, HearthMarkdownKind kind, const MD_BLOCK_LI_DETAIL *item)
{
  HearthMarkdownBlock *block;
  struct list *list =
    p->lists->len > 0 ? &g_array_index (p->lists, struct list, p->lists->len - 1) : NULL;

  p->text = NULL;
  if (p->columns->len > MAX_DEPTH)
    {
      g_ptr_array_add (p->closing, NULL);
      return;
    }
  block = add_block (p, kind);
  if (item != NULL && list != NULL)
    {
      block->ordered = list->ordered;
      block->ordinal = list->next++;
      if (item->is_task)
        block->task =
          item->task_mark == ' ' ? HEARTH_MARKDOWN_OPEN_TASK : HEARTH_MARKDOWN_DONE_TASK;
    }
  g_ptr_array_add (p->columns, block->children);
  g_ptr_array_add (p->closing, block);
}

static void
close_container (struct parser *p)
{
  if (p->closing->pdata[p->closing->len - 1] != NULL)
    g_ptr_array_set_size (p->columns, (int) p->columns->len - 1);
  g_ptr_array_set_size (p->closing, (int) p->closing->len - 1);
  p->text = NULL;
}

/* ---- text ------------------------------------------------------------------------------- */

static const char *
current_link (struct parser *p)
{
  for (guint i = p->links->len; i > 0; i--)
    {
      if (*(const char *) p->links->pdata[i - 1] != '\0')
        return p->links->pdata[i - 1];
    }
  return NULL;
}

static void
add_text (struct parser *p, const char *text, gsize size, guint style)
{
  if (p->text == NULL)
    add_block (p, HEARTH_MARKDOWN_PARAGRAPH);
  hearth_markdown_text_add (p->text, text, size, p->style | style, current_link (p));
}

/* What is written most in answers; others stay as they are written, which HTML calls right too. */
static const struct
{
  const char *name;
  const char *text;
} entities[] = {
  { "&amp;", "&" },    { "&lt;", "<" },        { "&gt;", ">" },     { "&quot;", "\"" },
  { "&apos;", "'" },   { "&nbsp;", "\u00a0" }, { "&copy;", "©" },   { "&reg;", "®" },
  { "&trade;", "™" },  { "&deg;", "°" },       { "&plusmn;", "±" }, { "&times;", "×" },
  { "&divide;", "÷" }, { "&middot;", "·" },    { "&bull;", "•" },   { "&hellip;", "…" },
  { "&ndash;", "–" },  { "&mdash;", "—" },     { "&lsquo;", "‘" },  { "&rsquo;", "’" },
  { "&ldquo;", "“" },  { "&rdquo;", "”" },     { "&laquo;", "«" },  { "&raquo;", "»" },
  { "&larr;", "←" },   { "&uarr;", "↑" },      { "&rarr;", "→" },   { "&darr;", "↓" },
  { "&harr;", "↔" },   { "&le;", "≤" },        { "&ge;", "≥" },     { "&ne;", "≠" },
  { "&asymp;", "≈" },  { "&infin;", "∞" },     { "&sum;", "∑" },    { "&radic;", "√" },
  { "&pi;", "π" },     { "&micro;", "µ" },     { "&Omega;", "Ω" },  { "&alpha;", "α" },
  { "&beta;", "β" },   { "&gamma;", "γ" },     { "&delta;", "δ" },  { "&lambda;", "λ" },
  { "&euro;", "€" },   { "&pound;", "£" },     { "&yen;", "¥" },    { "&sect;", "§" },
  { "&frac12;", "½" }, { "&frac14;", "¼" },    { "&frac34;", "¾" }, { "&sup2;", "²" },
  { "&sup3;", "³" },   { "&check;", "✓" },     { "&star;", "☆" },   { "&hearts;", "♥" },
};

static void
append_entity (GString *out, const char *text, gsize size)
{
  g_autofree char *name = g_strndup (text, size);

  if (name[1] == '#')
    {
      gboolean hex = name[2] == 'x' || name[2] == 'X';
      guint64 code = g_ascii_strtoull (name + (hex ? 3 : 2), NULL, hex ? 16 : 10);

      if (code == 0 || code > 0x10ffff || !g_unichar_validate ((gunichar) code))
        code = 0xfffd;
      g_string_append_unichar (out, (gunichar) code);
      return;
    }
  for (gsize i = 0; i < G_N_ELEMENTS (entities); i++)
    {
      if (strcmp (entities[i].name, name) == 0)
        {
          g_string_append (out, entities[i].text);
          return;
        }
    }
  g_string_append (out, name);
}

static char *
dup_attribute (const MD_ATTRIBUTE *attribute)
{
  g_autoptr (GString) out = g_string_new (NULL);

  for (gsize i = 0; attribute->text != NULL && attribute->substr_offsets[i] < attribute->size; i++)
    {
      MD_OFFSET from = attribute->substr_offsets[i];
      MD_OFFSET to = attribute->substr_offsets[i + 1];

      if (attribute->substr_types[i] == MD_TEXT_ENTITY)
        append_entity (out, attribute->text + from, to - from);
      else if (attribute->substr_types[i] == MD_TEXT_NULLCHAR)
        g_string_append (out, "\uFFFD");
      else
        g_string_append_len (out, attribute->text + from, (gssize) (to - from));
    }
  return g_string_free (g_steal_pointer (&out), FALSE);
}

/* ---- callbacks of md4c ------------------------------------------------------------------ */

static void
open_table (struct parser *p, const MD_BLOCK_TABLE_DETAIL *detail)
{
  p->table = add_block (p, HEARTH_MARKDOWN_TABLE);
  p->table->n_columns = detail->col_count;
  g_array_set_size (p->table->aligns, detail->col_count);
}

static void
open_cell (struct parser *p, const MD_BLOCK_TD_DETAIL *detail)
{
  GPtrArray *row = p->table->rows->pdata[p->table->rows->len - 1];
  HearthMarkdownAlign align = HEARTH_MARKDOWN_ALIGN_START;

  if (detail->align == MD_ALIGN_CENTER)
    align = HEARTH_MARKDOWN_ALIGN_CENTER;
  else if (detail->align == MD_ALIGN_RIGHT)
    align = HEARTH_MARKDOWN_ALIGN_END;
  if (row->len < p->table->n_columns)
    g_array_index (p->table->aligns, HearthMarkdownAlign, row->len) = align;
  p->text = hearth_markdown_text_new ();
  g_ptr_array_add (row, p->text);
}

/* A short row of a wide table is made up with empty cells; they are not kept. */
static void
close_row (struct parser *p)
{
  GPtrArray *row = p->table->rows->pdata[p->table->rows->len - 1];

  while (row->len > 0 && ((HearthMarkdownText *) row->pdata[row->len - 1])->string->len == 0)
    g_ptr_array_set_size (row, (int) row->len - 1);
}

static void
free_cell (gpointer data)
{
  hearth_markdown_text_free (data);
}

static int
enter_block_cb (MD_BLOCKTYPE type, void *detail, void *data)
{
  struct parser *p = data;
  struct list list = { FALSE, 1 };
  HearthMarkdownBlock *block;

  switch (type)
    {
    case MD_BLOCK_QUOTE:
      open_container (p, HEARTH_MARKDOWN_QUOTE, NULL);
      break;
    case MD_BLOCK_OL:
      list = (struct list) { TRUE, ((MD_BLOCK_OL_DETAIL *) detail)->start };
      g_array_append_val (p->lists, list);
      break;
    case MD_BLOCK_UL:
      g_array_append_val (p->lists, list);
      break;
    case MD_BLOCK_LI:
      open_container (p, HEARTH_MARKDOWN_ITEM, detail);
      break;
    case MD_BLOCK_HR:
      add_block (p, HEARTH_MARKDOWN_RULE);
      break;
    case MD_BLOCK_H:
      block = add_block (p, HEARTH_MARKDOWN_HEADING);
      block->level = ((MD_BLOCK_H_DETAIL *) detail)->level;
      break;
    case MD_BLOCK_CODE:
      block = add_block (p, HEARTH_MARKDOWN_CODE);
      block->language = dup_attribute (&((MD_BLOCK_CODE_DETAIL *) detail)->lang);
      if (*block->language == '\0')
        g_clear_pointer (&block->language, g_free);
      break;
    case MD_BLOCK_TABLE:
      open_table (p, detail);
      break;
    case MD_BLOCK_TR:
      g_ptr_array_add (p->table->rows, g_ptr_array_new_with_free_func (free_cell));
      break;
    case MD_BLOCK_TH:
    case MD_BLOCK_TD:
      open_cell (p, detail);
      break;
    case MD_BLOCK_P:
    case MD_BLOCK_HTML:
      p->text = NULL; /* made when there is text for it */
      break;
    case MD_BLOCK_DOC:
    case MD_BLOCK_THEAD:
    case MD_BLOCK_TBODY:
    default:
      break;
    }
  return 0;
}

static int
leave_block_cb (MD_BLOCKTYPE type, void *detail, void *data)
{
  struct parser *p = data;

  switch (type)
    {
    case MD_BLOCK_QUOTE:
    case MD_BLOCK_LI:
      close_container (p);
      break;
    case MD_BLOCK_OL:
    case MD_BLOCK_UL:
      g_array_set_size (p->lists, p->lists->len - 1);
      break;
    case MD_BLOCK_CODE:
      /* The last line break ends the last line. */
      if (g_str_has_suffix (p->text->string->str, "\n"))
        g_string_truncate (p->text->string, p->text->string->len - 1);
      p->text = NULL;
      break;
    case MD_BLOCK_TR:
      close_row (p);
      p->text = NULL;
      break;
    case MD_BLOCK_DOC:
    case MD_BLOCK_HR:
    case MD_BLOCK_H:
    case MD_BLOCK_HTML:
    case MD_BLOCK_P:
    case MD_BLOCK_TABLE:
    case MD_BLOCK_THEAD:
    case MD_BLOCK_TBODY:
    case MD_BLOCK_TH:
    case MD_BLOCK_TD:
    default:
      p->text = NULL;
      break;
    }
  return 0;
}

static void
change_style (struct parser *p, MD_SPANTYPE type, int change)
{
  static const struct
  {
    MD_SPANTYPE type;
    guint style;
  } styles[] = {
    { MD_SPAN_STRONG, HEARTH_MARKDOWN_BOLD },
    { MD_SPAN_EM, HEARTH_MARKDOWN_ITALIC },
    { MD_SPAN_CODE, HEARTH_MARKDOWN_MONOSPACE },
    { MD_SPAN_DEL, HEARTH_MARKDOWN_STRIKE },
  };

  for (gsize i = 0; i < G_N_ELEMENTS (styles); i++)
    {
      if (styles[i].type != type)
        continue;
      p->counts[i] = (guint) ((int) p->counts[i] + change);
      if (p->counts[i] > 0)
        p->style |= styles[i].style;
      else
        p->style &= ~styles[i].style;
    }
}

/* Formulas stay as they are written, with the signs that make them formulas. */
static void
add_formula_sign (struct parser *p, MD_SPANTYPE type)
{
  if (type == MD_SPAN_LATEXMATH)
    add_text (p, "$", 1, 0);
  else if (type == MD_SPAN_LATEXMATH_DISPLAY)
    add_text (p, "$$", 2, 0);
}

static int
enter_span_cb (MD_SPANTYPE type, void *detail, void *data)
{
  struct parser *p = data;

  change_style (p, type, 1);
  add_formula_sign (p, type);
  if (type == MD_SPAN_A)
    g_ptr_array_add (p->links, dup_attribute (&((MD_SPAN_A_DETAIL *) detail)->href));
  else if (type == MD_SPAN_IMG)
    g_ptr_array_add (p->links, dup_attribute (&((MD_SPAN_IMG_DETAIL *) detail)->src));
  return 0;
}

static int
leave_span_cb (MD_SPANTYPE type, void *detail, void *data)
{
  struct parser *p = data;
  const char *link;

  change_style (p, type, -1);
  add_formula_sign (p, type);
  if (type != MD_SPAN_A && type != MD_SPAN_IMG)
    return 0;
  /* A link without a word, most often an image without a description, is called by its target. */
  link = p->links->pdata[p->links->len - 1];
  if (*link != '\0' &&
      (p->text == NULL || p->text->spans->len == 0 ||
       g_array_index (p->text->spans, HearthMarkdownSpan, p->text->spans->len - 1).end !=
         p->text->string->len ||
       g_array_index (p->text->spans, HearthMarkdownSpan, p->text->spans->len - 1).link == NULL))
    add_text (p, link, strlen (link), 0);
  g_ptr_array_set_size (p->links, (int) p->links->len - 1);
  return 0;
}

static int
text_cb (MD_TEXTTYPE type, const MD_CHAR *text, MD_SIZE size, void *data)
{
  struct parser *p = data;
  g_autoptr (GString) entity = NULL;

  switch (type)
    {
    case MD_TEXT_NULLCHAR:
      add_text (p, "\uFFFD", strlen ("\uFFFD"), 0);
      break;
    case MD_TEXT_BR:
    case MD_TEXT_SOFTBR:
      add_text (p, "\n", 1, 0);
      break;
    case MD_TEXT_ENTITY:
      entity = g_string_new (NULL);
      append_entity (entity, text, size);
      add_text (p, entity->str, entity->len, 0);
      break;
    case MD_TEXT_NORMAL:
    case MD_TEXT_CODE:
    case MD_TEXT_HTML:
    case MD_TEXT_LATEXMATH:
    default:
      add_text (p, text, size, 0);
      break;
    }
  return 0;
}

/* ---- long paragraphs -------------------------------------------------------------------- */

/* Where to part a text: behind white space, or anywhere between characters. From its beginning, so
 * that more text at the end does not move it. */
static gsize
parting (const char *text, gsize size)
{
  gsize at = LONG_TEXT;

  while (at < size && at < LONG_TEXT + 512 && !g_ascii_isspace (text[at - 1]))
    at++;
  while (at < size && ((guchar) text[at] & 0xc0) == 0x80)
    at++;
  return at;
}

static HearthMarkdownText *
text_part (const HearthMarkdownText *text, gsize from, gsize to)
{
  HearthMarkdownText *part = hearth_markdown_text_new ();
  gsize done = from;

  for (guint i = 0; i < text->spans->len; i++)
    {
      const HearthMarkdownSpan *span = &g_array_index (text->spans, HearthMarkdownSpan, i);
      gsize start = CLAMP (span->start, done, to);
      gsize end = CLAMP (span->end, start, to);

      if (end == start)
        continue;
      hearth_markdown_text_add (part, text->string->str + done, start - done, 0, NULL);
      hearth_markdown_text_add (part, text->string->str + start, end - start, span->style,
                                span->link);
      done = end;
    }
  hearth_markdown_text_add (part, text->string->str + done, to - done, 0, NULL);
  return part;
}

static void
part_long_ones (GPtrArray *blocks)
{
  for (guint i = 0; i < blocks->len; i++)
    {
      HearthMarkdownBlock *block = blocks->pdata[i];
      HearthMarkdownBlock *rest;
      gsize at;

      if (block->children != NULL)
        part_long_ones (block->children);
      if ((block->kind != HEARTH_MARKDOWN_PARAGRAPH && block->kind != HEARTH_MARKDOWN_HEADING) ||
          block->text->string->len <= 2 * LONG_TEXT)
        continue;
      at = parting (block->text->string->str, block->text->string->len);
      rest = hearth_markdown_block_new (HEARTH_MARKDOWN_PARAGRAPH);
      hearth_markdown_text_free (rest->text);
      rest->text = text_part (block->text, at, block->text->string->len);
      rest->continues = TRUE;
      g_ptr_array_insert (blocks, (int) i + 1, rest);
      {
        HearthMarkdownText *first = text_part (block->text, 0, at);

        hearth_markdown_text_free (block->text);
        block->text = first;
      }
    }
}

void
hearth_markdown_parse (const char *source, gsize size, GPtrArray *blocks)
{
  g_autoptr (GPtrArray) columns = g_ptr_array_new ();
  g_autoptr (GPtrArray) closing = g_ptr_array_new ();
  g_autoptr (GPtrArray) links = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GArray) lists = g_array_new (FALSE, FALSE, sizeof (struct list));
  g_autoptr (GPtrArray) found =
    g_ptr_array_new_with_free_func ((GDestroyNotify) hearth_markdown_block_unref);
  struct parser p = { .columns = columns, .closing = closing, .links = links, .lists = lists };
  const MD_PARSER parser = {
    .flags = MD_FLAG_TABLES | MD_FLAG_STRIKETHROUGH | MD_FLAG_TASKLISTS |
             MD_FLAG_PERMISSIVEURLAUTOLINKS | MD_FLAG_PERMISSIVEWWWAUTOLINKS | MD_FLAG_NOHTML |
             MD_FLAG_LATEXMATHSPANS,
    .enter_block = enter_block_cb,
    .leave_block = leave_block_cb,
    .enter_span = enter_span_cb,
    .leave_span = leave_span_cb,
    .text = text_cb,
  };

  g_ptr_array_add (columns, found);
  if (md_parse (source, (MD_SIZE) size, &parser, &p) != 0)
    {
      /* It ran out of memory or out of its own limits: the text is still worth reading. */
      HearthMarkdownBlock *plain = hearth_markdown_block_new (HEARTH_MARKDOWN_PARAGRAPH);

      g_ptr_array_set_size (found, 0);
      hearth_markdown_text_add (plain->text, source, size, 0, NULL);
      g_ptr_array_add (found, plain);
    }
  part_long_ones (found);
  for (guint i = 0; i < found->len; i++)
    g_ptr_array_add (blocks, hearth_markdown_block_ref (found->pdata[i]));
}
