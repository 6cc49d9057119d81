/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-token-lines.h"

struct _HearthTokenLines
{
  GArray *begins; /* guint32 */
  guint size;
};

guint
hearth_token_lines_width (gunichar c)
{
  if (c < 0x300)
    return 1;
  return g_unichar_iszerowidth (c) ? 0 : g_unichar_iswide (c) ? 2 : 1;
}

static void
begin_line (HearthTokenLines *self, guint32 at)
{
  g_array_append_val (self->begins, at);
}

/* Columns up to the end of the cell or its first newline, behind which the line ends anyway. */
static guint
first_columns (const char *text, guint from, guint to, guint most)
{
  guint n = 0;

  for (const char *at = text + from; at < text + to && *at != '\n' && n <= most;
       at = g_utf8_next_char (at))
    n += hearth_token_lines_width (g_utf8_get_char (at));
  return n;
}

HearthTokenLines *
hearth_token_lines_new (HearthTokenText *text, guint n_columns)
{
  HearthTokenLines *self = g_atomic_rc_box_new0 (HearthTokenLines);
  gsize size;
  const char *chars = hearth_token_text_get_text (text, &size);
  guint n_cells = hearth_token_text_get_n_cells (text);
  guint column = 0;

  n_columns = MAX (n_columns, 4);
  self->begins = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->size = (guint) size;
  begin_line (self, 0);
  for (guint i = 0; i < n_cells; i++)
    {
      HearthTokenCell cell;
      guint pill, width;

      hearth_token_text_get_cell (text, i, &cell);
      pill = (cell.flags & HEARTH_CELL_SPECIAL) != 0;
      width = first_columns (chars, cell.from, cell.to, n_columns) + pill;
      if (column > 0 && column + width > n_columns)
        {
          begin_line (self, cell.from);
          column = 0;
        }
      column += pill;
      for (guint at = cell.from; at < cell.to;)
        {
          guint next = (guint) (g_utf8_next_char (chars + at) - chars);
          guint columns = hearth_token_lines_width (g_utf8_get_char (chars + at));

          if (column > 0 && column + columns > n_columns && chars[at] != '\n')
            {
              begin_line (self, at);
              column = 0;
            }
          column += columns;
          if (chars[at] == '\n' && next < size)
            {
              begin_line (self, next);
              column = 0;
            }
          at = next;
        }
    }
  return self;
}

static void
clear (gpointer data)
{
  g_array_unref (((HearthTokenLines *) data)->begins);
}

void
hearth_token_lines_unref (HearthTokenLines *self)
{
  g_atomic_rc_box_release_full (self, clear);
}

guint
hearth_token_lines_get_n (HearthTokenLines *self)
{
  return self->begins->len;
}

void
hearth_token_lines_get (HearthTokenLines *self, guint line, guint *from, guint *to)
{
  g_return_if_fail (line < self->begins->len);

  *from = g_array_index (self->begins, guint32, line);
  *to = line + 1 < self->begins->len ? g_array_index (self->begins, guint32, line + 1) : self->size;
}

guint
hearth_token_lines_find (HearthTokenLines *self, guint offset)
{
  guint low = 0, high = self->begins->len;

  while (high - low > 1)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (self->begins, guint32, middle) <= offset)
        low = middle;
      else
        high = middle;
    }
  return low;
}
