/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-token-flow-draw.c - the lines of a flow as they are drawn. Parts stand as wide as their
 * text is; columns only decide where lines end. */
#include "hearth-token-flow-private.h"

#include <math.h>

#include <adwaita.h>

#include "hearth-visible.h"

#define RADIUS 4
#define PILL_ALPHA 0.22f
/* Of what stands for white space. */
#define MARK_ALPHA 0.45

void
_hearth_flow_line_free (gpointer data)
{
  struct hearth_flow_line *line = data;

  g_array_unref (line->parts);
  g_free (line);
}

static void
clear_part (gpointer data)
{
  g_clear_object (&((struct hearth_flow_part *) data)->layout);
}

static PangoLayout *
create_layout (HearthTokenFlow *self)
{
  PangoLayout *layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), NULL);

  pango_layout_set_single_paragraph_mode (layout, TRUE);
  return layout;
}

void
_hearth_token_flow_measure_font (HearthTokenFlow *self)
{
  PangoContext *context = gtk_widget_get_pango_context (GTK_WIDGET (self));
  g_autoptr (PangoLayout) layout = NULL;
  PangoRectangle logical;

  if (self->line_height > 0 && self->font_serial == pango_context_get_serial (context))
    return;
  layout = create_layout (self);
  pango_layout_set_text (layout, "mmmmmmmmmm", -1);
  pango_layout_get_extents (layout, NULL, &logical);
  self->char_width = MAX (1, (float) logical.width / PANGO_SCALE / 10);
  self->line_height = ceilf ((float) logical.height / PANGO_SCALE) + HEARTH_FLOW_GAP;
  self->font_serial = pango_context_get_serial (context);
  _hearth_token_flow_forget (self, 1, 0);
}

/* Colours of a style may lie outside of what a screen shows. */
static guint16
channel (float value)
{
  return (guint16) (CLAMP (value, 0, 1) * 65535);
}

/* What is drawn for a part of the text, with white space made visible. */
static PangoLayout *
create_part (HearthTokenFlow *self, const char *text, gsize size, HearthCellFlags flags)
{
  g_autoptr (GString) shown = g_string_sized_new (size + 8);
  g_autoptr (PangoAttrList) attributes = pango_attr_list_new ();
  PangoLayout *layout = create_layout (self);

  for (const char *at = text; at < text + size; at = g_utf8_next_char (at))
    {
      gunichar c = g_utf8_get_char (at);
      gunichar mark = c == ' ' && !self->show_spaces ? 0 : hearth_visible_mark (c);
      guint start = (guint) shown->len;

      g_string_append_unichar (shown, mark != 0 ? mark : c);
      if (mark != 0)
        {
          PangoAttribute *dim = pango_attr_foreground_alpha_new ((guint16) (MARK_ALPHA * 65535));

          dim->start_index = start;
          dim->end_index = (guint) shown->len;
          pango_attr_list_insert (attributes, dim);
        }
    }
  if (flags & HEARTH_CELL_ESCAPED)
    {
      GdkRGBA color;

      gtk_widget_get_color (self->colors[HEARTH_FLOW_ESCAPE], &color);
      pango_attr_list_insert (attributes,
                              pango_attr_foreground_new (channel (color.red), channel (color.green),
                                                         channel (color.blue)));
    }
  pango_layout_set_text (layout, shown->str, (int) shown->len);
  pango_layout_set_attributes (layout, attributes);
  return layout;
}

struct hearth_flow_line *
_hearth_token_flow_get_line (HearthTokenFlow *self, guint line)
{
  struct hearth_flow_line *known = g_hash_table_lookup (self->realized, GUINT_TO_POINTER (line));
  const char *text = hearth_token_text_get_text (self->text, NULL);
  guint from, to, n_cells = hearth_token_text_get_n_cells (self->text);
  float x = 0;

  if (known != NULL)
    return known;
  known = g_new0 (struct hearth_flow_line, 1);
  known->parts = g_array_new (FALSE, FALSE, sizeof (struct hearth_flow_part));
  g_array_set_clear_func (known->parts, clear_part);
  hearth_token_lines_get (self->lines, line, &from, &to);
  for (guint i = n_cells > 0 ? hearth_token_text_find_cell (self->text, from) : 0; i < n_cells; i++)
    {
      HearthTokenCell cell;
      struct hearth_flow_part part = { .cell = i, .x = x };
      PangoRectangle logical;

      hearth_token_text_get_cell (self->text, i, &cell);
      if (cell.from >= to)
        break;
      part.flags = cell.flags;
      part.layout = create_part (self, text + MAX (cell.from, from),
                                 MIN (cell.to, to) - MAX (cell.from, from), cell.flags);
      pango_layout_get_extents (part.layout, NULL, &logical);
      part.width = ceilf ((float) logical.width / PANGO_SCALE);
      if (cell.flags & HEARTH_CELL_SPECIAL)
        part.width += 2 * HEARTH_FLOW_PILL_PADDING;
      x += part.width;
      g_array_append_val (known->parts, part);
    }
  g_hash_table_insert (self->realized, GUINT_TO_POINTER (line), known);
  return known;
}

void
_hearth_token_flow_forget (HearthTokenFlow *self, guint from, guint to)
{
  GHashTableIter iter;
  gpointer key;

  if (from > to)
    {
      g_hash_table_remove_all (self->realized);
      return;
    }
  g_hash_table_iter_init (&iter, self->realized);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      if (GPOINTER_TO_UINT (key) < from || GPOINTER_TO_UINT (key) > to)
        g_hash_table_iter_remove (&iter);
    }
}

/* ---- drawing ---------------------------------------------------------------------------- */

static void
fill (GtkSnapshot *snapshot, const graphene_rect_t *area, float radius, const GdkRGBA *color)
{
  GskRoundedRect shape;

  if (color->alpha <= 0)
    return;
  gsk_rounded_rect_init_from_rect (&shape, area, radius);
  gtk_snapshot_push_rounded_clip (snapshot, &shape);
  gtk_snapshot_append_color (snapshot, color, area);
  gtk_snapshot_pop (snapshot);
}

static void
frame (GtkSnapshot *snapshot, const graphene_rect_t *area, float radius, float width,
       const GdkRGBA *color)
{
  GskRoundedRect shape;
  const float widths[4] = { width, width, width, width };
  const GdkRGBA colors[4] = { *color, *color, *color, *color };

  if (color->alpha <= 0)
    return;
  gsk_rounded_rect_init_from_rect (&shape, area, radius);
  gtk_snapshot_append_border (snapshot, &shape, widths, colors);
}

static void
draw_part (HearthTokenFlow *self, GtkSnapshot *snapshot, const struct hearth_flow_part *part,
           float y, const GdkRGBA *colors)
{
  graphene_rect_t area;
  GdkRGBA text_color;
  gboolean pill = (part->flags & HEARTH_CELL_SPECIAL) != 0;
  float inset = pill ? HEARTH_FLOW_PILL_PADDING : 0;
  float height = self->line_height - HEARTH_FLOW_GAP;
  int looked_at = hearth_token_flow_get_cell (self);

  graphene_rect_init (&area, HEARTH_FLOW_MARGIN + part->x, y, part->width, height + 2);
  if (pill)
    {
      GdkRGBA tint = colors[HEARTH_FLOW_PILL];

      graphene_rect_inset (&area, 1, 0);
      tint.alpha *= PILL_ALPHA;
      fill (snapshot, &area, (height + 2) / 2, &tint);
      tint.alpha = 0.7f;
      frame (snapshot, &area, (height + 2) / 2, 1, &tint);
    }
  else if (self->shaded && !(part->flags & HEARTH_CELL_PLAIN))
    {
      graphene_rect_t inner = area;

      graphene_rect_inset (&inner, 0.5f, 0);
      fill (snapshot, &inner, RADIUS,
            &colors[part->cell % 2 == 0 ? HEARTH_FLOW_EVEN : HEARTH_FLOW_ODD]);
      frame (snapshot, &inner, RADIUS, 1, &colors[HEARTH_FLOW_BORDER]);
    }
  gtk_widget_get_color (GTK_WIDGET (self), &text_color);
  if ((int) part->cell == looked_at && !(part->flags & HEARTH_CELL_PLAIN))
    {
      float radius = pill ? (height + 2) / 2 : RADIUS;
      GdkRGBA tint = text_color;

      tint.alpha *= 0.12f;
      fill (snapshot, &area, radius, &tint);
      if (gtk_widget_has_focus (GTK_WIDGET (self)))
        frame (snapshot, &area, radius, 2, &colors[HEARTH_FLOW_FOCUS]);
    }
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (snapshot,
                          &GRAPHENE_POINT_INIT (HEARTH_FLOW_MARGIN + part->x + inset, y + 1));
  gtk_snapshot_append_layout (snapshot, part->layout, &text_color);
  gtk_snapshot_restore (snapshot);
}

void
_hearth_token_flow_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  HearthTokenFlow *self = (HearthTokenFlow *) widget;
  double top = _hearth_token_flow_get_top (self);
  float height = (float) gtk_widget_get_height (widget);
  GdkRGBA colors[HEARTH_FLOW_N_COLORS];
  guint n, first, last;

  if (self->text == NULL || self->lines == NULL)
    return;
  _hearth_token_flow_measure_font (self);
  for (guint i = 0; i < HEARTH_FLOW_N_COLORS; i++)
    gtk_widget_get_color (self->colors[i], &colors[i]);
  n = hearth_token_lines_get_n (self->lines);
  first = (guint) MAX (0, floor ((top - HEARTH_FLOW_MARGIN) / self->line_height));
  last = MIN (n - 1, (guint) MAX (0, floor ((top + height) / self->line_height)));
  gtk_snapshot_push_clip (
    snapshot, &GRAPHENE_RECT_INIT (0, 0, (float) gtk_widget_get_width (widget), height));
  for (guint i = first; i <= last && i < n; i++)
    {
      const struct hearth_flow_line *line = _hearth_token_flow_get_line (self, i);
      float y = (float) (HEARTH_FLOW_MARGIN + i * (double) self->line_height - top);

      for (guint k = 0; k < line->parts->len; k++)
        draw_part (self, snapshot, &g_array_index (line->parts, struct hearth_flow_part, k), y,
                   colors);
    }
  gtk_snapshot_pop (snapshot);
  _hearth_token_flow_forget (self, first > 8 ? first - 8 : 0, last + 8);
}
