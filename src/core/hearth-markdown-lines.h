/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-markdown-lines.h - sorts the lines of Markdown source as they come, to find the places
 * where a block surely ends. It may miss such a place, and never makes one up: what it does not
 * know stays together. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What the lines since the last cut are. */
typedef enum
{
  HEARTH_MARKDOWN_LINES_NOTHING,
  HEARTH_MARKDOWN_LINES_CODE, /* between fences */
  HEARTH_MARKDOWN_LINES_LIST,
  HEARTH_MARKDOWN_LINES_QUOTE,
  HEARTH_MARKDOWN_LINES_TABLE,
  HEARTH_MARKDOWN_LINES_OTHER,
} HearthMarkdownOpen;

/* All zero: at the beginning. */
typedef struct
{
  HearthMarkdownOpen open;
  gboolean blank;    /* the line before was empty */
  gboolean indented; /* the lines are code by indentation */
  char fence;        /* '`' or '~' */
  guint fence_length;
  char marker;   /* of the list: '-', '+', '*', '.' or ')' */
  guint content; /* column where the item's content begins */
} HearthMarkdownLines;

typedef struct
{
  gboolean before;    /* a block ends before this line */
  gboolean same_list; /* and the line begins the next item of the same list */
  gboolean after;     /* a block ends with this line */
} HearthMarkdownCut;

/* Takes one whole line with its line break. */
HearthMarkdownCut hearth_markdown_lines_add (HearthMarkdownLines *self, const char *line,
                                             gsize size);

/* Bytes of the first `n` lines. */
gsize hearth_markdown_lines_length (const char *source, gsize size, guint n);

/* Makes the end of text that still grows look as it will: a mark that waits for its partner gets
 * one, half a mark is left out. */
void hearth_markdown_lines_complete (GString *source);

G_END_DECLS
