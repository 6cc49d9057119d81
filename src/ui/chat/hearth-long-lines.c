/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-long-lines.h"

#include <string.h>

/* Word joiner and paragraph separator: a view begins a new line there, and no text that people
 * write has the two together. */
#define MARK "\342\201\240\342\200\251"
#define MARK_SIZE (sizeof MARK - 1)
/* Bytes of a part; a part ends at a space if there is one near its end. */
#define LONGEST 8192
#define NEAR 256

static gboolean
ends_line (const char *text, gsize i)
{
  return text[i] == '\n' || text[i] == '\r' ||
         (i >= 2 && memcmp (text + i - 2, "\342\200\251", 3) == 0);
}

/* Where the part that begins at `from` ends, at `at` or behind a space before it. */
static gsize
part_end (const char *text, gsize from, gsize at)
{
  for (gsize i = at; i > from && at - i < NEAR; i--)
    {
      if (text[i - 1] == ' ')
        return i;
    }
  return at;
}

/* NULL: no line is too long. `before`: bytes of its first line that are there already. */
static GString *
part_lines (const char *text, gsize size, gsize before)
{
  GString *parted = NULL;
  gsize written = 0;
  gsize line = 0;

  for (gsize i = 0; i < size; i++)
    {
      if (ends_line (text, i))
        {
          line = i + 1;
          before = 0;
        }
      else if (i - line + before >= LONGEST && ((guchar) text[i] & 0xc0) != 0x80)
        {
          gsize end = part_end (text, line, i);

          if (parted == NULL)
            parted = g_string_sized_new (size + size / 512);
          g_string_append_len (parted, text + written, (gssize) (end - written));
          g_string_append_len (parted, MARK, MARK_SIZE);
          written = line = end;
          before = 0;
        }
    }
  if (parted != NULL)
    g_string_append_len (parted, text + written, (gssize) (size - written));
  return parted;
}

static void
insert_cb (GtkTextBuffer *buffer, GtkTextIter *at, const char *text, int length, gpointer user_data)
{
  gsize size = length < 0 ? strlen (text) : (gsize) length;
  GString *parted;

  /* What is typed grows by a letter: it was pasted that makes a line long. */
  if (size < NEAR)
    return;
  parted = part_lines (text, size, (gsize) gtk_text_iter_get_line_index (at));
  if (parted == NULL)
    return;
  g_signal_stop_emission_by_name (buffer, "insert-text");
  g_signal_handlers_block_by_func (buffer, insert_cb, NULL);
  gtk_text_buffer_insert (buffer, at, parted->str, (int) parted->len);
  g_signal_handlers_unblock_by_func (buffer, insert_cb, NULL);
  g_string_free (parted, TRUE);
}

void
hearth_long_lines_watch (GtkTextBuffer *buffer)
{
  g_return_if_fail (GTK_IS_TEXT_BUFFER (buffer));

  g_signal_connect (buffer, "insert-text", G_CALLBACK (insert_cb), NULL);
}

char *
hearth_long_lines_dup_text (GtkTextBuffer *buffer)
{
  GtkTextIter start, end;
  char *text, *from, *mark;
  char *to;

  g_return_val_if_fail (GTK_IS_TEXT_BUFFER (buffer), NULL);

  gtk_text_buffer_get_bounds (buffer, &start, &end);
  text = gtk_text_buffer_get_text (buffer, &start, &end, FALSE);
  from = to = text;
  while ((mark = strstr (from, MARK)) != NULL)
    {
      memmove (to, from, (gsize) (mark - from));
      to += mark - from;
      from = mark + MARK_SIZE;
    }
  memmove (to, from, strlen (from) + 1);
  return text;
}
