/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-text-block-accessible.c - a text block as voice output reads it. Positions are characters.
 */
#include "hearth-text-block-private.h"

static GBytes *
get_part (HearthTextBlock *self, guint start, guint end)
{
  glong n = g_utf8_strlen (self->text, self->size);
  const char *from = g_utf8_offset_to_pointer (self->text, MIN ((glong) start, n));
  const char *to = g_utf8_offset_to_pointer (self->text, MIN ((glong) end, n));
  /* With a NUL behind it: what reads it takes it for a string. */
  char *part = g_strndup (from, to > from ? (gsize) (to - from) : 0);

  return g_bytes_new_take (part, strlen (part) + 1);
}

static GBytes *
get_contents (GtkAccessibleText *text, guint start, guint end)
{
  return get_part (HEARTH_TEXT_BLOCK (text), start, end);
}

static GBytes *
get_contents_at (GtkAccessibleText *text, guint offset, GtkAccessibleTextGranularity granularity,
                 guint *start, guint *end)
{
  HearthTextBlock *self = HEARTH_TEXT_BLOCK (text);

  hearth_text_block_get_around (self, offset, granularity, start, end);
  return get_part (self, *start, *end);
}

static guint
get_caret_position (GtkAccessibleText *text)
{
  HearthTextBlock *self = HEARTH_TEXT_BLOCK (text);

  return self->caret >= 0 ? _hearth_text_block_to_offset (self, (guint) self->caret) : 0;
}

static gboolean
get_selection (GtkAccessibleText *text, gsize *n_ranges, GtkAccessibleTextRange **ranges)
{
  HearthTextBlock *self = HEARTH_TEXT_BLOCK (text);

  if (self->selection_start >= self->selection_end)
    return FALSE;
  *n_ranges = 1;
  *ranges = g_new (GtkAccessibleTextRange, 1);
  (*ranges)[0].start = _hearth_text_block_to_offset (self, self->selection_start);
  (*ranges)[0].length =
    _hearth_text_block_to_offset (self, self->selection_end) - (*ranges)[0].start;
  return TRUE;
}

static gboolean
get_attributes (GtkAccessibleText *text, guint offset, gsize *n_ranges,
                GtkAccessibleTextRange **ranges, char ***names, char ***values)
{
  HearthTextBlock *self = HEARTH_TEXT_BLOCK (text);
  guint position =
    (guint) (g_utf8_offset_to_pointer (
               self->text, MIN ((glong) offset, g_utf8_strlen (self->text, self->size))) -
             self->text);
  g_autoptr (GStrvBuilder) name_list = g_strv_builder_new ();
  g_autoptr (GStrvBuilder) value_list = g_strv_builder_new ();
  gsize n = 0;

  for (guint i = 0; self->spans != NULL && i < self->spans->len; i++)
    {
      const HearthMarkdownSpan *span = &g_array_index (self->spans, HearthMarkdownSpan, i);
      static const struct
      {
        guint style;
        const char *name, *value;
      } known[] = {
        { HEARTH_MARKDOWN_BOLD, GTK_ACCESSIBLE_ATTRIBUTE_WEIGHT, "700" },
        { HEARTH_MARKDOWN_ITALIC, GTK_ACCESSIBLE_ATTRIBUTE_STYLE,
          GTK_ACCESSIBLE_ATTRIBUTE_STYLE_ITALIC },
        { HEARTH_MARKDOWN_STRIKE, GTK_ACCESSIBLE_ATTRIBUTE_STRIKETHROUGH, "true" },
        { HEARTH_MARKDOWN_MONOSPACE, GTK_ACCESSIBLE_ATTRIBUTE_FAMILY, "monospace" },
      };

      if (position < span->start || position >= span->end)
        continue;
      *ranges = g_new (GtkAccessibleTextRange, G_N_ELEMENTS (known));
      for (gsize k = 0; k < G_N_ELEMENTS (known); k++)
        {
          if (!(span->style & known[k].style))
            continue;
          g_strv_builder_add (name_list, known[k].name);
          g_strv_builder_add (value_list, known[k].value);
          (*ranges)[n].start = _hearth_text_block_to_offset (self, span->start);
          (*ranges)[n].length = _hearth_text_block_to_offset (self, span->end) - (*ranges)[n].start;
          n++;
        }
      if (n == 0)
        g_clear_pointer (ranges, g_free);
      break;
    }
  *n_ranges = n;
  if (n == 0)
    return FALSE;
  *names = g_strv_builder_end (name_list);
  *values = g_strv_builder_end (value_list);
  return TRUE;
}

static gboolean
get_extents (GtkAccessibleText *text, guint start, guint end, graphene_rect_t *extents)
{
  HearthTextBlock *self = HEARTH_TEXT_BLOCK (text);
  glong n = g_utf8_strlen (self->text, self->size);

  if (self->layout == NULL)
    return FALSE;
  _hearth_text_block_get_span_area (
    self, (guint) (g_utf8_offset_to_pointer (self->text, MIN ((glong) start, n)) - self->text),
    (guint) (g_utf8_offset_to_pointer (self->text, MIN ((glong) end, n)) - self->text), extents);
  return TRUE;
}

static gboolean
get_offset (GtkAccessibleText *text, const graphene_point_t *point, guint *offset)
{
  HearthTextBlock *self = HEARTH_TEXT_BLOCK (text);

  *offset = _hearth_text_block_to_offset (
    self, hearth_text_block_get_position_at (self, point->x, point->y));
  return TRUE;
}

void
_hearth_text_block_accessible_init (GtkAccessibleTextInterface *iface)
{
  iface->get_contents = get_contents;
  iface->get_contents_at = get_contents_at;
  iface->get_caret_position = get_caret_position;
  iface->get_selection = get_selection;
  iface->get_attributes = get_attributes;
  iface->get_extents = get_extents;
  iface->get_offset = get_offset;
}
