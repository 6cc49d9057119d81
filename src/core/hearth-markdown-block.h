/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-markdown-block.h - one block of formatted text: a paragraph, a list item, a table … Blocks
 * are made by the parser and never change afterwards, so that what shows them may keep them. One
 * thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  HEARTH_MARKDOWN_PARAGRAPH,
  HEARTH_MARKDOWN_HEADING,
  HEARTH_MARKDOWN_CODE,
  HEARTH_MARKDOWN_ITEM, /* of a list: items that follow each other are one list */
  HEARTH_MARKDOWN_QUOTE,
  HEARTH_MARKDOWN_TABLE,
  HEARTH_MARKDOWN_RULE,
} HearthMarkdownKind;

typedef enum
{
  HEARTH_MARKDOWN_BOLD = 1 << 0,
  HEARTH_MARKDOWN_ITALIC = 1 << 1,
  HEARTH_MARKDOWN_MONOSPACE = 1 << 2,
  HEARTH_MARKDOWN_STRIKE = 1 << 3,
} HearthMarkdownStyle;

typedef enum
{
  HEARTH_MARKDOWN_NO_TASK,
  HEARTH_MARKDOWN_OPEN_TASK,
  HEARTH_MARKDOWN_DONE_TASK,
} HearthMarkdownTask;

typedef enum
{
  HEARTH_MARKDOWN_ALIGN_START, /* of the text's direction */
  HEARTH_MARKDOWN_ALIGN_CENTER,
  HEARTH_MARKDOWN_ALIGN_END,
} HearthMarkdownAlign;

/* Part of a text that looks different. Ascending, never overlapping. */
typedef struct
{
  guint start, end; /* bytes */
  guint style;      /* HearthMarkdownStyle, or-ed */
  char *link;       /* where it leads; NULL: nowhere */
} HearthMarkdownSpan;

typedef struct
{
  GString *string; /* valid UTF-8 without NUL; lines end in '\n' */
  GArray *spans;   /* of HearthMarkdownSpan */
} HearthMarkdownText;

typedef struct _HearthMarkdownBlock HearthMarkdownBlock;

struct _HearthMarkdownBlock
{
  int ref_count;
  HearthMarkdownKind kind;
  HearthMarkdownText *text; /* of paragraph, heading, code; else NULL */
  gboolean continues;       /* a paragraph too long for one block: goes on from the block before */
  guint level;              /* of a heading, 1 … 6 */
  char *language;           /* of code, as written; NULL: not said */
  guint ordinal;            /* of an item */
  gboolean ordered;
  HearthMarkdownTask task;
  GPtrArray *children; /* blocks of an item or quote; else NULL */
  guint n_columns;     /* of a table */
  GArray *aligns;      /* HearthMarkdownAlign, one a column */
  GPtrArray *rows;     /* of GPtrArray of HearthMarkdownText; the first is the header. A row may be
                          shorter than the table. */
};

/* Returns: (transfer full) */
HearthMarkdownText *hearth_markdown_text_new (void);
void hearth_markdown_text_free (HearthMarkdownText *text);
/* Adds at the end. `link` is copied. */
void hearth_markdown_text_add (HearthMarkdownText *text, const char *string, gsize size,
                               guint style, const char *link);
gboolean hearth_markdown_text_equal (const HearthMarkdownText *a, const HearthMarkdownText *b);

/* Returns: (transfer full) */
HearthMarkdownBlock *hearth_markdown_block_new (HearthMarkdownKind kind);
HearthMarkdownBlock *hearth_markdown_block_ref (HearthMarkdownBlock *block);
void hearth_markdown_block_unref (HearthMarkdownBlock *block);
/* Whether both show the same. */
gboolean hearth_markdown_block_equal (const HearthMarkdownBlock *a, const HearthMarkdownBlock *b);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HearthMarkdownText, hearth_markdown_text_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HearthMarkdownBlock, hearth_markdown_block_unref)

G_END_DECLS
