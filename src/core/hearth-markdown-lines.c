/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-markdown-lines.h"

#include <string.h>

struct line
{
  const char *text; /* without indentation */
  gsize size;       /* without line break and white space at the end */
  guint indent;     /* in columns */
};

static struct line
take_apart (const char *text, gsize size)
{
  struct line line = { 0 };
  gsize at = 0;

  while (size > 0 && g_ascii_isspace (text[size - 1]))
    size--;
  for (; at < size && (text[at] == ' ' || text[at] == '\t'); at++)
    line.indent = text[at] == '\t' ? (line.indent / 4 + 1) * 4 : line.indent + 1;
  line.text = text + at;
  line.size = size - at;
  return line;
}

static gsize
run_of (const struct line *line, gsize from, char c)
{
  gsize n = 0;

  while (from + n < line->size && line->text[from + n] == c)
    n++;
  return n;
}

static gboolean
is_heading (const struct line *line)
{
  gsize n = run_of (line, 0, '#');

  return line->indent < 4 && n >= 1 && n <= 6 &&
         (n == line->size || line->text[n] == ' ' || line->text[n] == '\t');
}

static gboolean
is_rule (const struct line *line)
{
  guint n = 0;
  char c = line->size > 0 ? line->text[0] : '\0';

  if (line->indent > 3 || (c != '-' && c != '*' && c != '_'))
    return FALSE;
  for (gsize i = 0; i < line->size; i++)
    {
      if (line->text[i] == c)
        n++;
      else if (line->text[i] != ' ' && line->text[i] != '\t')
        return FALSE;
    }
  return n >= 3;
}

/* Length of the fence that the line opens; 0: none. */
static gsize
fence_length (const struct line *line)
{
  char c = line->size > 0 ? line->text[0] : '\0';
  gsize n = c == '`' || c == '~' ? run_of (line, 0, c) : 0;

  if (line->indent > 3 || n < 3)
    return 0;
  if (c == '`' && memchr (line->text + n, '`', line->size - n) != NULL)
    return 0;
  return n;
}

/* Whether the line begins an item: its marker, and the column where its content begins. */
static gboolean
is_item (const struct line *line, char *marker, guint *content, gboolean *interrupts)
{
  gsize n = 0;
  gsize spaces = 0;

  if (line->indent > 3 || line->size == 0)
    return FALSE;
  if (strchr ("-+*", line->text[0]) != NULL)
    {
      *interrupts = TRUE;
      n = 1;
    }
  else
    {
      while (n < line->size && n < 9 && g_ascii_isdigit (line->text[n]))
        n++;
      if (n == 0 || n == line->size || (line->text[n] != '.' && line->text[n] != ')'))
        return FALSE;
      *interrupts = n == 1 && line->text[0] == '1';
      n++;
    }
  *marker = line->text[n - 1];
  if (n == line->size)
    {
      *interrupts = FALSE; /* an empty item does not end a paragraph */
      *content = line->indent + (guint) n + 1;
      return TRUE;
    }
  if (line->text[n] != ' ' && line->text[n] != '\t')
    return FALSE;
  spaces = run_of (line, n, ' ');
  if (line->text[n] == '\t')
    spaces = 1;
  *content = line->indent + (guint) n + (spaces > 4 ? 1 : (guint) spaces);
  return TRUE;
}

/* A second line of a table: bars, colons, dashes. */
static gboolean
is_table_ruler (const struct line *line)
{
  gboolean dash = FALSE;
  gboolean bar = FALSE;

  for (gsize i = 0; i < line->size; i++)
    {
      dash |= line->text[i] == '-';
      bar |= line->text[i] == '|';
      if (strchr ("|:- \t", line->text[i]) == NULL)
        return FALSE;
    }
  return dash && bar;
}

static void
start (HearthMarkdownLines *self, HearthMarkdownOpen open)
{
  *self = (HearthMarkdownLines) { .open = open };
}

/* A line that is not within what is open: begins a block of its own. */
static HearthMarkdownCut
begin_block (HearthMarkdownLines *self, const struct line *line, gboolean paragraph)
{
  HearthMarkdownCut cut = { 0 };
  gsize fence = fence_length (line);
  char marker;
  guint content;
  gboolean interrupts;

  if (is_heading (line))
    {
      cut.before = cut.after = TRUE;
      start (self, HEARTH_MARKDOWN_LINES_NOTHING);
    }
  else if (fence > 0)
    {
      cut.before = TRUE;
      start (self, HEARTH_MARKDOWN_LINES_CODE);
      self->fence = line->text[0];
      self->fence_length = (guint) fence;
    }
  else if (is_rule (line))
    {
      /* Dashes under a paragraph make it a heading. */
      cut.before = !paragraph || line->text[0] != '-';
      cut.after = TRUE;
      start (self, HEARTH_MARKDOWN_LINES_NOTHING);
    }
  else if (line->size > 0 && line->text[0] == '>' && line->indent < 4)
    {
      cut.before = TRUE;
      start (self, HEARTH_MARKDOWN_LINES_QUOTE);
    }
  else if (is_item (line, &marker, &content, &interrupts) && (!paragraph || interrupts))
    {
      cut.before = TRUE;
      start (self, HEARTH_MARKDOWN_LINES_LIST);
      self->marker = marker;
      self->content = content;
    }
  else if (!paragraph)
    {
      /* Code by indentation goes on after empty lines. */
      gboolean indented = line->indent > 3;

      cut.before = !indented || !self->indented;
      start (self, HEARTH_MARKDOWN_LINES_OTHER);
      self->indented = indented;
    }
  else if (self->open == HEARTH_MARKDOWN_LINES_OTHER && is_table_ruler (line))
    self->open = HEARTH_MARKDOWN_LINES_TABLE;
  self->blank = FALSE;
  return cut;
}

static HearthMarkdownCut
add_to_list (HearthMarkdownLines *self, const struct line *line)
{
  HearthMarkdownCut cut = { 0 };
  char marker;
  guint content;
  gboolean interrupts;

  if (line->indent >= self->content)
    {
      self->blank = FALSE;
      return cut;
    }
  if (!is_rule (line) && is_item (line, &marker, &content, &interrupts))
    {
      cut.before = TRUE;
      cut.same_list = marker == self->marker;
      start (self, HEARTH_MARKDOWN_LINES_LIST);
      self->marker = marker;
      self->content = content;
      return cut;
    }
  /* Without an empty line before, text goes on with the item's paragraph. */
  return begin_block (self, line, !self->blank);
}

HearthMarkdownCut
hearth_markdown_lines_add (HearthMarkdownLines *self, const char *text, gsize size)
{
  struct line line = take_apart (text, size);
  HearthMarkdownCut cut = { 0 };

  if (self->open == HEARTH_MARKDOWN_LINES_CODE)
    {
      gsize n = run_of (&line, 0, self->fence);

      if (line.indent < 4 && n >= self->fence_length && n == line.size)
        {
          cut.after = TRUE;
          start (self, HEARTH_MARKDOWN_LINES_NOTHING);
        }
      return cut;
    }
  if (line.size == 0)
    {
      self->blank = TRUE;
      return cut;
    }
  if (self->open == HEARTH_MARKDOWN_LINES_LIST)
    return add_to_list (self, &line);
  if (self->open == HEARTH_MARKDOWN_LINES_QUOTE && !self->blank && line.text[0] == '>' &&
      line.indent < 4)
    return cut;
  return begin_block (self, &line,
                      self->open != HEARTH_MARKDOWN_LINES_NOTHING && !self->blank &&
                        !(self->indented && line.indent < 4));
}

gsize
hearth_markdown_lines_length (const char *source, gsize size, guint n)
{
  gsize at = 0;

  for (; n > 0 && at < size; n--)
    {
      const char *end = memchr (source + at, '\n', size - at);

      at = end != NULL ? (gsize) (end - source) + 1 : size;
    }
  return at;
}

/* ---- the end of text that grows --------------------------------------------------------- */

/* Where the last paragraph begins: marks do not reach beyond an empty line. */
static gsize
last_paragraph (const GString *source)
{
  const char *end = g_strrstr (source->str, "\n\n");
  const char *line = strrchr (source->str, '\n');

  if (end != NULL)
    return (gsize) (end - source->str) + 2;
  /* Neither do they reach from one item, row or heading into the next. */
  return line != NULL && source->len - (gsize) (line - source->str) > 1 &&
             strchr ("-+*#|>0123456789 ", line[1]) != NULL
           ? (gsize) (line - source->str) + 1
           : 0;
}

/* Whether the source ends between fences inside a list or a quote. */
static gboolean
ends_in_code (const char *source)
{
  gboolean code = FALSE;

  for (; source != NULL; source = strchr (source, '\n'))
    {
      source += strspn (source, "\n >");
      if (g_str_has_prefix (source, "```") || g_str_has_prefix (source, "~~~"))
        code = !code;
    }
  return code;
}

void
hearth_markdown_lines_complete (GString *source)
{
  static const char *const marks[] = { "**", "__", "~~", "*", "`" };
  const char *waiting[8];
  gsize n = 0;
  gsize text_after = 0; /* where text begins after the last opening mark */
  gsize begin = last_paragraph (source);
  gsize at = begin;

  if (ends_in_code (source->str))
    return;
  while (at < source->len)
    {
      const char *here = source->str + at;
      gboolean code = n > 0 && *waiting[n - 1] == '`';
      const char *mark = NULL;

      if (*here == '\\' && here[1] != '\0' && !code)
        {
          at += 2;
          continue;
        }
      for (gsize i = 0; i < G_N_ELEMENTS (marks) && mark == NULL; i++)
        {
          if (g_str_has_prefix (here, marks[i]))
            mark = marks[i];
        }
      if (mark == NULL || (code && *mark != '`'))
        {
          at++;
          continue;
        }
      if (*mark == '`' && here[1] == '`')
        return; /* longer runs pair in ways of their own */
      at += strlen (mark);
      if (n > 0 && g_str_equal (waiting[n - 1], mark) && (code || !g_ascii_isspace (here[-1])))
        n--;
      else if (here[strlen (mark)] == '\0' || !g_ascii_isspace (here[strlen (mark)]))
        {
          if (n == G_N_ELEMENTS (waiting))
            return;
          waiting[n++] = mark;
          text_after = at;
        }
    }
  if (n == 0)
    return;
  if (text_after == source->len)
    {
      /* Nothing to show yet: the mark waits unseen. At the beginning it may be an item's. */
      if (text_after - strlen (waiting[n - 1]) > begin)
        g_string_truncate (source, source->len - strlen (waiting[n - 1]));
      n--;
    }
  else if (*waiting[n - 1] != '`' && g_str_has_suffix (source->str, "*") &&
           g_str_equal (waiting[n - 1], "**"))
    g_string_truncate (source, source->len - 1); /* half of the closing mark */
  while (n > 0 && source->len > begin && g_ascii_isspace (source->str[source->len - 1]))
    g_string_truncate (source, source->len - 1);
  while (n > 0)
    g_string_append (source, waiting[--n]);
}
