/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-text-block-private.h"

#include <math.h>

#include <adwaita.h>

#include "hearth-focus.h"
#include "hearth-text-link.h"

#define LINE_HEIGHT 1.35f

G_DEFINE_FINAL_TYPE_WITH_CODE (HearthTextBlock, hearth_text_block, GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (GTK_TYPE_ACCESSIBLE_TEXT,
                                                      _hearth_text_block_accessible_init))

/* ---- layout ----------------------------------------------------------------------------- */

static void
insert (PangoAttrList *list, PangoAttribute *attribute, const HearthMarkdownSpan *span)
{
  attribute->start_index = span->start;
  attribute->end_index = span->end;
  pango_attr_list_insert (list, attribute);
}

static PangoAttribute *
color_attribute (const GdkRGBA *color)
{
  return pango_attr_foreground_new ((guint16) (color->red * 65535),
                                    (guint16) (color->green * 65535),
                                    (guint16) (color->blue * 65535));
}

static void
get_link_color (GdkRGBA *color)
{
  AdwStyleManager *manager = adw_style_manager_get_default ();

  adw_accent_color_to_standalone_rgba (adw_style_manager_get_accent_color (manager),
                                       adw_style_manager_get_dark (manager), color);
}

static void
apply_attributes (HearthTextBlock *self)
{
  g_autoptr (PangoAttrList) list =
    self->attributes != NULL ? pango_attr_list_copy (self->attributes) : pango_attr_list_new ();

  get_link_color (&self->link_color);
  for (guint i = 0; self->spans != NULL && i < self->spans->len; i++)
    {
      const HearthMarkdownSpan *span = &g_array_index (self->spans, HearthMarkdownSpan, i);

      if (span->style & HEARTH_MARKDOWN_BOLD)
        insert (list, pango_attr_weight_new (PANGO_WEIGHT_BOLD), span);
      if (span->style & HEARTH_MARKDOWN_ITALIC)
        insert (list, pango_attr_style_new (PANGO_STYLE_ITALIC), span);
      if (span->style & HEARTH_MARKDOWN_STRIKE)
        insert (list, pango_attr_strikethrough_new (TRUE), span);
      if (span->style & HEARTH_MARKDOWN_MONOSPACE)
        {
          insert (list, pango_attr_family_new ("monospace"), span);
          insert (list, pango_attr_scale_new (0.94), span);
        }
      if (span->link != NULL)
        {
          insert (list, pango_attr_underline_new (PANGO_UNDERLINE_SINGLE), span);
          insert (list, color_attribute (&self->link_color), span);
        }
    }
  pango_layout_set_attributes (self->layout, list);
}

static PangoAlignment
pango_alignment (HearthMarkdownAlign align)
{
  if (align == HEARTH_MARKDOWN_ALIGN_CENTER)
    return PANGO_ALIGN_CENTER;
  return align == HEARTH_MARKDOWN_ALIGN_END ? PANGO_ALIGN_RIGHT : PANGO_ALIGN_LEFT;
}

static void
ensure_layout (HearthTextBlock *self)
{
  if (self->layout != NULL)
    return;
  self->layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), NULL);
  self->font_serial = pango_context_get_serial (pango_layout_get_context (self->layout));
  pango_layout_set_text (self->layout, self->text, (int) self->size);
  pango_layout_set_wrap (self->layout, PANGO_WRAP_WORD_CHAR);
  pango_layout_set_line_spacing (self->layout, LINE_HEIGHT);
  pango_layout_set_alignment (self->layout, pango_alignment (self->align));
  apply_attributes (self);
  self->width = -1;
  self->stale = TRUE;
}

static void
set_width (HearthTextBlock *self, int width)
{
  ensure_layout (self);
  if (self->shape == HEARTH_TEXT_LINES || self->width == width)
    return;
  self->width = width;
  pango_layout_set_width (self->layout, width < 0 ? -1 : width * PANGO_SCALE);
  self->stale = TRUE;
}

static void
get_pixel_size (HearthTextBlock *self, int *width, int *height)
{
  PangoRectangle logical;

  pango_layout_get_extents (self->layout, NULL, &logical);
  if (self->stale)
    self->n_layouts++;
  self->stale = FALSE;
  *width = PANGO_PIXELS_CEIL (logical.width);
  *height = PANGO_PIXELS_CEIL (logical.height);
}

PangoLayout *
hearth_text_block_get_layout (HearthTextBlock *self)
{
  ensure_layout (self);
  return self->layout;
}

static int
natural_width (HearthTextBlock *self)
{
  if (self->natural < 0)
    {
      set_width (self, -1);
      get_pixel_size (self, &self->natural, &self->natural_height);
    }
  return self->natural;
}

static int
least_width (HearthTextBlock *self)
{
  PangoContext *context;
  PangoFontMetrics *metrics;
  int width;

  ensure_layout (self);
  context = pango_layout_get_context (self->layout);
  metrics = pango_context_get_metrics (context, NULL, NULL);
  width = PANGO_PIXELS_CEIL (4 * pango_font_metrics_get_approximate_char_width (metrics));
  pango_font_metrics_unref (metrics);
  return width;
}

static GtkSizeRequestMode
hearth_text_block_get_request_mode (GtkWidget *widget)
{
  return HEARTH_TEXT_BLOCK (widget)->shape == HEARTH_TEXT_LINES ? GTK_SIZE_REQUEST_CONSTANT_SIZE
                                                                : GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
hearth_text_block_measure (GtkWidget *widget, GtkOrientation orientation, int for_size,
                           int *minimum, int *natural, int *minimum_baseline, int *natural_baseline)
{
  HearthTextBlock *self = HEARTH_TEXT_BLOCK (widget);
  int width;

  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      if (self->shape == HEARTH_TEXT_FILL)
        *minimum = *natural = least_width (self);
      else
        {
          *natural = natural_width (self);
          *minimum =
            self->shape == HEARTH_TEXT_LINES ? *natural : MIN (*natural, least_width (self));
        }
      return;
    }
  ensure_layout (self);
  if (for_size < 0 && self->shape == HEARTH_TEXT_WRAP)
    {
      natural_width (self);
      *minimum = *natural = self->natural_height;
      return;
    }
  if (for_size >= 0)
    set_width (self, for_size);
  get_pixel_size (self, &width, natural);
  *minimum = *natural;
  if (for_size < 0 && self->shape == HEARTH_TEXT_FILL)
    {
      *minimum = 1; /* some width makes it low */
      return;
    }
  *minimum_baseline = *natural_baseline = PANGO_PIXELS (pango_layout_get_baseline (self->layout));
}

/* The area of a span on its first line, and what the whole span covers. */
void
_hearth_text_block_get_span_area (HearthTextBlock *self, guint start, guint end,
                                  graphene_rect_t *area)
{
  PangoRectangle first, last;

  pango_layout_index_to_pos (self->layout, (int) start, &first);
  pango_layout_index_to_pos (self->layout, (int) end, &last);
  if (first.y == last.y)
    {
      int left = MIN (first.x, last.x);

      *area = GRAPHENE_RECT_INIT ((float) left / PANGO_SCALE, (float) first.y / PANGO_SCALE,
                                  (float) abs (last.x - first.x) / PANGO_SCALE,
                                  (float) first.height / PANGO_SCALE);
    }
  else
    *area = GRAPHENE_RECT_INIT (0, (float) first.y / PANGO_SCALE,
                                (float) gtk_widget_get_width (GTK_WIDGET (self)),
                                (float) (last.y + last.height - first.y) / PANGO_SCALE);
  graphene_rect_normalize (area);
}

static void
hearth_text_block_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  HearthTextBlock *self = HEARTH_TEXT_BLOCK (widget);
  guint n = 0;

  set_width (self, width);
  get_pixel_size (self, &width, &height);
  for (guint i = 0; self->links != NULL && i < self->spans->len; i++)
    {
      const HearthMarkdownSpan *span = &g_array_index (self->spans, HearthMarkdownSpan, i);
      graphene_rect_t area;
      GtkAllocation allocation;
      int least_w, least_h;

      if (span->link == NULL || n == self->links->len)
        continue;
      _hearth_text_block_get_span_area (self, span->start, span->end, &area);
      gtk_widget_measure (self->links->pdata[n], GTK_ORIENTATION_HORIZONTAL, -1, &least_w, NULL,
                          NULL, NULL);
      gtk_widget_measure (self->links->pdata[n], GTK_ORIENTATION_VERTICAL, -1, &least_h, NULL, NULL,
                          NULL);
      allocation = (GtkAllocation) { (int) floorf (area.origin.x), (int) floorf (area.origin.y),
                                     MAX ((int) ceilf (area.size.width), least_w),
                                     MAX ((int) ceilf (area.size.height), least_h) };
      gtk_widget_size_allocate (self->links->pdata[n++], &allocation, -1);
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      if (GTK_IS_POPOVER (child))
        gtk_popover_present (GTK_POPOVER (child));
    }
}

/* ---- drawing ---------------------------------------------------------------------------- */

/* Fills what the bytes from `start` to `end` cover, line by line. */
static void
fill_range (HearthTextBlock *self, GtkSnapshot *snapshot, guint start, guint end,
            const GdkRGBA *color, float grow, float radius)
{
  PangoLayoutIter *iter = pango_layout_get_iter (self->layout);

  do
    {
      PangoLayoutLine *line = pango_layout_iter_get_line_readonly (iter);
      PangoRectangle extents;
      int top, bottom, n_ranges;
      g_autofree int *ranges = NULL;
      guint line_start = (guint) line->start_index;
      guint line_end = line_start + (guint) line->length;

      if (line_start >= end)
        break;
      if (line_end < start || (line_end == start && line_end != line_start))
        continue;
      pango_layout_iter_get_line_extents (iter, NULL, &extents);
      pango_layout_iter_get_line_yrange (iter, &top, &bottom);
      pango_layout_line_get_x_ranges (line, (int) MAX (start, line_start),
                                      (int) MIN (end, line_end), &ranges, &n_ranges);
      for (int i = 0; i < n_ranges; i++)
        {
          float x = (float) ranges[2 * i] / PANGO_SCALE;
          float width = (float) (ranges[2 * i + 1] - ranges[2 * i]) / PANGO_SCALE;
          GskRoundedRect outline;

          if (width <= 0)
            continue;
          gsk_rounded_rect_init_from_rect (
            &outline,
            &GRAPHENE_RECT_INIT (x - grow, (float) top / PANGO_SCALE, width + 2 * grow,
                                 (float) (bottom - top) / PANGO_SCALE),
            radius);
          if (radius > 0)
            gtk_snapshot_push_rounded_clip (snapshot, &outline);
          gtk_snapshot_append_color (snapshot, color, &outline.bounds);
          if (radius > 0)
            gtk_snapshot_pop (snapshot);
        }
    }
  while (pango_layout_iter_next_line (iter));
  pango_layout_iter_free (iter);
}

static void
hearth_text_block_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  HearthTextBlock *self = HEARTH_TEXT_BLOCK (widget);
  AdwStyleManager *manager = adw_style_manager_get_default ();
  GdkRGBA color, behind;

  if (self->layout == NULL)
    return;
  gtk_widget_get_color (widget, &color);
  behind = color;
  behind.alpha = 0.08f;
  for (guint i = 0; self->spans != NULL && i < self->spans->len; i++)
    {
      const HearthMarkdownSpan *span = &g_array_index (self->spans, HearthMarkdownSpan, i);

      if (span->style & HEARTH_MARKDOWN_MONOSPACE)
        fill_range (self, snapshot, span->start, span->end, &behind, 2, 4);
    }
  if (self->selection_start < self->selection_end)
    {
      g_autofree GdkRGBA *accent = adw_style_manager_get_accent_color_rgba (manager);

      accent->alpha = adw_style_manager_get_high_contrast (manager) ? 0.5f : 0.3f;
      fill_range (self, snapshot, self->selection_start, self->selection_end, accent, 0, 0);
    }
  gtk_snapshot_append_layout (snapshot, self->layout, &color);
  if (self->caret >= 0 && gtk_widget_has_focus (widget))
    {
      graphene_rect_t area;

      hearth_text_block_get_caret_area (self, (guint) self->caret, &area);
      gtk_snapshot_append_color (snapshot, &color, &area);
    }
  for (guint i = 0; self->links != NULL && i < self->links->len; i++)
    gtk_widget_snapshot_child (widget, self->links->pdata[i], snapshot);
}

/* ---- positions -------------------------------------------------------------------------- */

guint
hearth_text_block_get_position_at (HearthTextBlock *self, double x, double y)
{
  int index, trailing;
  const char *at;

  ensure_layout (self);
  if (y < 0)
    return 0;
  if (y >= gtk_widget_get_height (GTK_WIDGET (self)))
    return self->size;
  pango_layout_xy_to_index (self->layout, (int) (x * PANGO_SCALE), (int) (y * PANGO_SCALE), &index,
                            &trailing);
  at = self->text + index;
  while (trailing-- > 0 && *at != '\0')
    at = g_utf8_next_char (at);
  return (guint) (at - self->text);
}

const char *
hearth_text_block_get_link_at (HearthTextBlock *self, double x, double y, graphene_rect_t *area)
{
  int index, trailing;

  if (self->links == NULL || self->layout == NULL ||
      !pango_layout_xy_to_index (self->layout, (int) (x * PANGO_SCALE), (int) (y * PANGO_SCALE),
                                 &index, &trailing))
    return NULL;
  for (guint i = 0; i < self->spans->len; i++)
    {
      const HearthMarkdownSpan *span = &g_array_index (self->spans, HearthMarkdownSpan, i);

      if (span->link == NULL || (guint) index < span->start || (guint) index >= span->end)
        continue;
      _hearth_text_block_get_span_area (self, span->start, span->end, area);
      return span->link;
    }
  return NULL;
}

void
hearth_text_block_get_caret_area (HearthTextBlock *self, guint position, graphene_rect_t *area)
{
  PangoRectangle strong;

  ensure_layout (self);
  pango_layout_get_cursor_pos (self->layout, (int) MIN (position, self->size), &strong, NULL);
  *area = GRAPHENE_RECT_INIT ((float) strong.x / PANGO_SCALE, (float) strong.y / PANGO_SCALE, 1,
                              (float) strong.height / PANGO_SCALE);
}

guint
_hearth_text_block_to_offset (HearthTextBlock *self, guint position)
{
  return (guint) g_utf8_pointer_to_offset (self->text, self->text + MIN (position, self->size));
}

static void
around_line (HearthTextBlock *self, guint offset, guint *start, guint *end)
{
  guint position = (guint) (g_utf8_offset_to_pointer (self->text, (glong) offset) - self->text);
  int number;

  pango_layout_index_to_line_x (self->layout, (int) position, FALSE, &number, NULL);
  {
    PangoLayoutLine *line = pango_layout_get_line_readonly (self->layout, number);

    *start = _hearth_text_block_to_offset (self, (guint) line->start_index);
    *end = _hearth_text_block_to_offset (self, (guint) (line->start_index + line->length));
  }
}

void
hearth_text_block_get_around (HearthTextBlock *self, guint offset,
                              GtkAccessibleTextGranularity granularity, guint *start, guint *end)
{
  const PangoLogAttr *attrs;
  int n_attrs;
  guint n;

  ensure_layout (self);
  attrs = pango_layout_get_log_attrs_readonly (self->layout, &n_attrs);
  n = (guint) n_attrs - 1; /* one more than characters */
  offset = MIN (offset, n);
  *start = offset;
  *end = MIN (offset + 1, n);
  switch (granularity)
    {
    case GTK_ACCESSIBLE_TEXT_GRANULARITY_WORD:
      while (*start > 0 && !attrs[*start].is_word_boundary)
        (*start)--;
      while (*end < n && !attrs[*end].is_word_boundary)
        (*end)++;
      break;
    case GTK_ACCESSIBLE_TEXT_GRANULARITY_SENTENCE:
      while (*start > 0 && !attrs[*start].is_sentence_start)
        (*start)--;
      while (*end < n && !attrs[*end].is_sentence_start)
        (*end)++;
      break;
    case GTK_ACCESSIBLE_TEXT_GRANULARITY_LINE:
      around_line (self, offset, start, end);
      break;
    case GTK_ACCESSIBLE_TEXT_GRANULARITY_PARAGRAPH:
      *start = 0;
      *end = n;
      break;
    case GTK_ACCESSIBLE_TEXT_GRANULARITY_CHARACTER:
    default:
      break;
    }
}

/* ---- object ----------------------------------------------------------------------------- */

static void
restyle (HearthTextBlock *self)
{
  GdkRGBA link;

  if (self->layout == NULL)
    return;
  get_link_color (&link);
  if (self->links != NULL && !gdk_rgba_equal (&link, &self->link_color))
    {
      apply_attributes (self);
      self->stale = TRUE;
    }
  if (pango_context_get_serial (pango_layout_get_context (self->layout)) != self->font_serial)
    {
      self->font_serial = pango_context_get_serial (pango_layout_get_context (self->layout));
      pango_layout_context_changed (self->layout);
      self->natural = -1;
      self->stale = TRUE;
      gtk_widget_queue_resize (GTK_WIDGET (self));
    }
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
hearth_text_block_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (hearth_text_block_parent_class)->css_changed (widget, change);
  restyle (HEARTH_TEXT_BLOCK (widget));
}

static void
hearth_text_block_system_setting_changed (GtkWidget *widget, GtkSystemSetting setting)
{
  GTK_WIDGET_CLASS (hearth_text_block_parent_class)->system_setting_changed (widget, setting);
  restyle (HEARTH_TEXT_BLOCK (widget));
}

static void
hearth_text_block_state_flags_changed (GtkWidget *widget, GtkStateFlags before)
{
  GTK_WIDGET_CLASS (hearth_text_block_parent_class)->state_flags_changed (widget, before);
  if ((before ^ gtk_widget_get_state_flags (widget)) & GTK_STATE_FLAG_FOCUSED)
    gtk_widget_queue_draw (widget); /* the caret comes or goes */
}

static void
hearth_text_block_direction_changed (GtkWidget *widget, GtkTextDirection before)
{
  GTK_WIDGET_CLASS (hearth_text_block_parent_class)->direction_changed (widget, before);
  restyle (HEARTH_TEXT_BLOCK (widget));
}

static void
drop_links (HearthTextBlock *self)
{
  for (guint i = 0; self->links != NULL && i < self->links->len; i++)
    gtk_widget_unparent (self->links->pdata[i]);
  g_clear_pointer (&self->links, g_ptr_array_unref);
  g_clear_pointer (&self->spans, g_array_unref);
}

static void
hearth_text_block_dispose (GObject *object)
{
  GtkWidget *child;

  drop_links (HEARTH_TEXT_BLOCK (object));
  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child); /* the question about a link */
  G_OBJECT_CLASS (hearth_text_block_parent_class)->dispose (object);
}

static void
hearth_text_block_finalize (GObject *object)
{
  HearthTextBlock *self = HEARTH_TEXT_BLOCK (object);

  g_free (self->text);
  g_clear_object (&self->layout);
  g_clear_pointer (&self->attributes, pango_attr_list_unref);
  G_OBJECT_CLASS (hearth_text_block_parent_class)->finalize (object);
}

static void
hearth_text_block_class_init (HearthTextBlockClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  object_class->dispose = hearth_text_block_dispose;
  object_class->finalize = hearth_text_block_finalize;
  widget_class->get_request_mode = hearth_text_block_get_request_mode;
  widget_class->measure = hearth_text_block_measure;
  widget_class->size_allocate = hearth_text_block_size_allocate;
  widget_class->snapshot = hearth_text_block_snapshot;
  widget_class->css_changed = hearth_text_block_css_changed;
  widget_class->system_setting_changed = hearth_text_block_system_setting_changed;
  widget_class->state_flags_changed = hearth_text_block_state_flags_changed;
  widget_class->direction_changed = hearth_text_block_direction_changed;
  gtk_widget_class_set_css_name (widget_class, "textblock");
}

static void
hearth_text_block_init (HearthTextBlock *self)
{
  self->text = g_strdup ("");
  self->natural = -1;
  self->caret = -1;
}

GtkWidget *
hearth_text_block_new (GtkAccessibleRole role, HearthTextShape shape)
{
  HearthTextBlock *self = g_object_new (HEARTH_TYPE_TEXT_BLOCK, "accessible-role", role, NULL);

  self->shape = shape;
  return GTK_WIDGET (self);
}

void
hearth_text_block_set_shape (HearthTextBlock *self, HearthTextShape shape)
{
  g_return_if_fail (HEARTH_IS_TEXT_BLOCK (self));

  if (self->shape == shape)
    return;
  self->shape = shape;
  self->natural = -1;
  if (self->layout != NULL)
    {
      self->width = -1;
      self->stale = TRUE;
      pango_layout_set_width (self->layout, -1);
    }
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

/* Tells voice output what has changed; text that grows has something new at its end. */
static void
replace_text (HearthTextBlock *self, const char *text, gsize size)
{
  GtkAccessibleText *accessible = GTK_ACCESSIBLE_TEXT (self);
  gboolean same = size == self->size && memcmp (text, self->text, size) == 0;
  gboolean grows = size > self->size && memcmp (text, self->text, self->size) == 0;
  guint before = 0;

  if (same)
    return;
  if (grows)
    before = (guint) g_utf8_strlen (self->text, self->size);
  else if (self->size > 0)
    gtk_accessible_text_update_contents (accessible, GTK_ACCESSIBLE_TEXT_CONTENT_CHANGE_REMOVE, 0,
                                         (guint) g_utf8_strlen (self->text, self->size));
  g_free (self->text);
  self->text = g_strndup (text, size);
  self->size = (guint) size;
  gtk_accessible_text_update_contents (accessible, GTK_ACCESSIBLE_TEXT_CONTENT_CHANGE_INSERT,
                                       before, (guint) g_utf8_strlen (text, (gssize) size));
}

static void
text_changed (HearthTextBlock *self)
{
  self->natural = -1;
  self->stale = TRUE;
  self->selection_start = MIN (self->selection_start, self->size);
  self->selection_end = MIN (self->selection_end, self->size);
  self->caret = MIN (self->caret, (int) self->size);
  if (self->layout != NULL)
    {
      pango_layout_set_text (self->layout, self->text, (int) self->size);
      apply_attributes (self);
    }
  gtk_widget_queue_resize (GTK_WIDGET (self));
}

static gboolean
has_text (HearthTextBlock *self, const HearthMarkdownText *text)
{
  HearthMarkdownText now = { .string = &(GString) { self->text, self->size, self->size + 1 },
                             .spans = self->spans };

  if (self->spans == NULL)
    return text->spans->len == 0 && text->string->len == self->size &&
           memcmp (text->string->str, self->text, self->size) == 0;
  return hearth_markdown_text_equal (&now, text);
}

static void
clear_span (gpointer data)
{
  g_free (((HearthMarkdownSpan *) data)->link);
}

static void
take_spans (HearthTextBlock *self, const GArray *spans)
{
  drop_links (self);
  if (spans->len == 0)
    return;
  self->spans = g_array_new (FALSE, FALSE, sizeof (HearthMarkdownSpan));
  g_array_set_clear_func (self->spans, clear_span);
  for (guint i = 0; i < spans->len; i++)
    {
      HearthMarkdownSpan span = g_array_index (spans, HearthMarkdownSpan, i);
      GtkWidget *link;
      g_autofree char *label = NULL;

      span.link = g_strdup (span.link);
      g_array_append_val (self->spans, span);
      if (span.link == NULL)
        continue;
      label = g_strndup (self->text + span.start, span.end - span.start);
      link = hearth_text_link_new (label, span.link);
      gtk_widget_set_parent (link, GTK_WIDGET (self));
      if (self->links == NULL)
        self->links = g_ptr_array_new ();
      g_ptr_array_add (self->links, link);
    }
}

void
hearth_text_block_set_text (HearthTextBlock *self, const HearthMarkdownText *text)
{
  g_return_if_fail (HEARTH_IS_TEXT_BLOCK (self));

  if (has_text (self, text))
    return;
  replace_text (self, text->string->str, text->string->len);
  take_spans (self, text->spans);
  text_changed (self);
}

void
hearth_text_block_set_code (HearthTextBlock *self, const char *text, gsize size,
                            PangoAttrList *attributes)
{
  g_return_if_fail (HEARTH_IS_TEXT_BLOCK (self));

  if (size == self->size && memcmp (text, self->text, size) == 0 &&
      (attributes == self->attributes || (attributes != NULL && self->attributes != NULL &&
                                          pango_attr_list_equal (attributes, self->attributes))))
    return;
  replace_text (self, text, size);
  g_clear_pointer (&self->attributes, pango_attr_list_unref);
  self->attributes = attributes != NULL ? pango_attr_list_ref (attributes) : NULL;
  text_changed (self);
}

void
hearth_text_block_set_align (HearthTextBlock *self, HearthMarkdownAlign align)
{
  if (self->align == align)
    return;
  self->align = align;
  if (self->layout != NULL)
    pango_layout_set_alignment (self->layout, pango_alignment (align));
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

const char *
hearth_text_block_get_text (HearthTextBlock *self)
{
  return self->text;
}

guint
hearth_text_block_get_size (HearthTextBlock *self)
{
  return self->size;
}

guint
hearth_text_block_get_n_layouts (HearthTextBlock *self)
{
  return self->n_layouts;
}

void
hearth_text_block_set_selection (HearthTextBlock *self, guint start, guint end)
{
  if (self->selection_start == start && self->selection_end == end)
    return;
  self->selection_start = start;
  self->selection_end = end;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  gtk_accessible_text_update_selection_bound (GTK_ACCESSIBLE_TEXT (self));
}

void
hearth_text_block_set_caret (HearthTextBlock *self, int position)
{
  if (self->caret == position)
    return;
  self->caret = position;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  if (position >= 0)
    gtk_accessible_text_update_caret_position (GTK_ACCESSIBLE_TEXT (self));
}

int
hearth_text_block_get_caret (HearthTextBlock *self)
{
  return self->caret;
}
