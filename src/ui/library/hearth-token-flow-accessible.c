/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-token-flow-accessible.c - a flow as voice output reads it: a text that cannot be changed,
 * whose words are its tokens, with the caret at the token that is looked at. Positions are
 * characters. */
#include "hearth-token-flow-private.h"

#include "hearth-token-words.h"

static guint
to_offset (HearthTokenFlow *self, guint position)
{
  return (guint) g_utf8_strlen (hearth_token_text_get_text (self->text, NULL), position);
}

static guint
to_position (HearthTokenFlow *self, guint offset)
{
  gsize size;
  const char *text = hearth_token_text_get_text (self->text, &size);
  const char *at = text;

  while (offset-- > 0 && at < text + size)
    at = g_utf8_next_char (at);
  return (guint) (at - text);
}

static GBytes *
get_part (HearthTokenFlow *self, guint from, guint to)
{
  const char *text = self->text != NULL ? hearth_token_text_get_text (self->text, NULL) : "";
  /* With a NUL behind it: what reads it takes it for a string. */
  char *part = g_strndup (text + from, to > from ? to - from : 0);

  return g_bytes_new_take (part, strlen (part) + 1);
}

static GBytes *
get_contents (GtkAccessibleText *text, guint start, guint end)
{
  HearthTokenFlow *self = HEARTH_TOKEN_FLOW (text);
  gsize size;

  if (self->text == NULL)
    return get_part (self, 0, 0);
  hearth_token_text_get_text (self->text, &size);
  return get_part (self, to_position (self, start),
                   end == G_MAXUINT ? (guint) size : to_position (self, end));
}

static GBytes *
get_contents_at (GtkAccessibleText *text, guint offset, GtkAccessibleTextGranularity granularity,
                 guint *start, guint *end)
{
  HearthTokenFlow *self = HEARTH_TOKEN_FLOW (text);
  guint from = 0, to = 0;

  *start = *end = 0;
  if (self->text == NULL || hearth_token_text_get_n_cells (self->text) == 0)
    return get_part (self, 0, 0);
  from = to_position (self, offset);
  if (granularity == GTK_ACCESSIBLE_TEXT_GRANULARITY_CHARACTER)
    to = to_position (self, offset + 1);
  else if (granularity == GTK_ACCESSIBLE_TEXT_GRANULARITY_WORD || self->lines == NULL)
    {
      HearthTokenCell cell;

      hearth_token_text_get_cell (self->text, hearth_token_text_find_cell (self->text, from),
                                  &cell);
      from = cell.from;
      to = cell.to;
    }
  else
    hearth_token_lines_get (self->lines, hearth_token_lines_find (self->lines, from), &from, &to);
  *start = to_offset (self, from);
  *end = to_offset (self, to);
  return get_part (self, from, to);
}

static gboolean
get_focus_cell (HearthTokenFlow *self, HearthTokenCell *cell)
{
  if (self->text == NULL || self->focus_cell < 0)
    return FALSE;
  hearth_token_text_get_cell (self->text, (guint) self->focus_cell, cell);
  return TRUE;
}

static guint
get_caret_position (GtkAccessibleText *text)
{
  HearthTokenCell cell;

  return get_focus_cell (HEARTH_TOKEN_FLOW (text), &cell)
           ? to_offset (HEARTH_TOKEN_FLOW (text), cell.from)
           : 0;
}

static gboolean
get_selection (GtkAccessibleText *text, gsize *n_ranges, GtkAccessibleTextRange **ranges)
{
  HearthTokenFlow *self = HEARTH_TOKEN_FLOW (text);
  HearthTokenCell cell;

  if (!get_focus_cell (self, &cell))
    return FALSE;
  *n_ranges = 1;
  *ranges = g_new (GtkAccessibleTextRange, 1);
  (*ranges)[0].start = to_offset (self, cell.from);
  (*ranges)[0].length = to_offset (self, cell.to) - (*ranges)[0].start;
  return TRUE;
}

static gboolean
get_attributes (GtkAccessibleText *text, guint offset, gsize *n_ranges,
                GtkAccessibleTextRange **ranges, char ***names, char ***values)
{
  *n_ranges = 0;
  return FALSE;
}

void
_hearth_token_flow_accessible_init (GtkAccessibleTextInterface *iface)
{
  iface->get_contents = get_contents;
  iface->get_contents_at = get_contents_at;
  iface->get_caret_position = get_caret_position;
  iface->get_selection = get_selection;
  iface->get_attributes = get_attributes;
}

char *
_hearth_token_flow_describe (HearthTokenFlow *self)
{
  int cell = hearth_token_flow_get_cell (self);
  g_autofree char *piece = NULL;
  g_autofree char *facts = NULL;

  if (self->text == NULL || cell < 0)
    return g_strdup ("");
  piece = hearth_token_words_for_piece (self->text, (guint) cell);
  facts = hearth_token_words_for_ids (self->text, (guint) cell);
  return g_strdup_printf ("%s, %s", piece, facts);
}
