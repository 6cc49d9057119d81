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

/* Between the two letters of a mark. */
static gboolean
in_mark (const GtkTextIter *at)
{
  GtkTextIter before = *at;

  return gtk_text_iter_get_char (at) == 0x2029 && gtk_text_iter_backward_char (&before) &&
         gtk_text_iter_get_char (&before) == 0x2060;
}

/* Marks go whole: half of one would be text. */
static void
widen (GtkTextIter *start, GtkTextIter *end)
{
  if (in_mark (start))
    gtk_text_iter_backward_char (start);
  if (in_mark (end))
    gtk_text_iter_forward_char (end);
}

static void
delete_cb (GtkTextBuffer *buffer, GtkTextIter *start, GtkTextIter *end, gpointer user_data)
{
  widen (start, end);
}

static void
insert_cb (GtkTextBuffer *buffer, GtkTextIter *at, const char *text, int length, gpointer user_data)
{
  gsize size = length < 0 ? strlen (text) : (gsize) length;
  GString *parted;

  if (in_mark (at))
    gtk_text_iter_backward_char (at);
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

/* The text of a range without the marks in it. */
static char *
dup_range (GtkTextBuffer *buffer, GtkTextIter *start, GtkTextIter *end)
{
  char *text, *from, *mark;
  char *to;

  widen (start, end);
  text = gtk_text_buffer_get_text (buffer, start, end, FALSE);
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

static gboolean
copy_selection (GtkTextView *view)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (view);
  GtkTextIter start, end;
  g_autofree char *text = NULL;

  if (!gtk_text_buffer_get_selection_bounds (buffer, &start, &end))
    return FALSE;
  text = dup_range (buffer, &start, &end);
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (view)), text);
  return TRUE;
}

static void
copy_cb (GtkTextView *view, gpointer user_data)
{
  if (copy_selection (view))
    g_signal_stop_emission_by_name (view, "copy-clipboard");
}

static void
cut_cb (GtkTextView *view, gpointer user_data)
{
  if (!copy_selection (view))
    return;
  g_signal_stop_emission_by_name (view, "cut-clipboard");
  gtk_text_buffer_delete_selection (gtk_text_view_get_buffer (view), TRUE,
                                    gtk_text_view_get_editable (view));
  gtk_text_view_scroll_mark_onscreen (view,
                                      gtk_text_buffer_get_insert (gtk_text_view_get_buffer (view)));
}

void
hearth_long_lines_watch (GtkTextView *view)
{
  GtkTextBuffer *buffer;

  g_return_if_fail (GTK_IS_TEXT_VIEW (view));

  buffer = gtk_text_view_get_buffer (view);
  g_signal_connect (buffer, "insert-text", G_CALLBACK (insert_cb), NULL);
  g_signal_connect (buffer, "delete-range", G_CALLBACK (delete_cb), NULL);
  g_signal_connect (view, "copy-clipboard", G_CALLBACK (copy_cb), NULL);
  g_signal_connect (view, "cut-clipboard", G_CALLBACK (cut_cb), NULL);
}

char *
hearth_long_lines_dup_text (GtkTextBuffer *buffer)
{
  GtkTextIter start, end;

  g_return_val_if_fail (GTK_IS_TEXT_BUFFER (buffer), NULL);

  gtk_text_buffer_get_bounds (buffer, &start, &end);
  return dup_range (buffer, &start, &end);
}
