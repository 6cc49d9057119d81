/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-picture.h"

#define SCALE 2.0f
#define BORDER 18.0f
#define SPACING 6.0f

struct _HearthPicture
{
  GtkWidget *widget;
  GtkSnapshot *snapshot;
  float width;
  float y; /* of what comes next */
  /* The drawing that was added last. */
  float left, top, bottom;
  /* Of the legend: where the next entry begins, and how high its line is; 0: there is none. */
  float x, line;
};

HearthPicture *
hearth_picture_new (GtkWidget *widget, int width)
{
  HearthPicture *self = g_new0 (HearthPicture, 1);

  self->widget = widget;
  self->snapshot = gtk_snapshot_new ();
  self->width = (float) width;
  return self;
}

/* ---- texts ------------------------------------------------------------------------------ */

static PangoLayout *
create_layout (HearthPicture *self, const char *text, gboolean bold, float width)
{
  PangoLayout *layout = gtk_widget_create_pango_layout (self->widget, text);

  if (bold)
    {
      g_autoptr (PangoAttrList) attributes = pango_attr_list_new ();

      pango_attr_list_insert (attributes, pango_attr_weight_new (PANGO_WEIGHT_BOLD));
      pango_layout_set_attributes (layout, attributes);
    }
  if (width > 0)
    {
      pango_layout_set_width (layout, (int) (width * PANGO_SCALE));
      pango_layout_set_wrap (layout, PANGO_WRAP_WORD_CHAR);
    }
  return layout;
}

static void
append_layout (HearthPicture *self, PangoLayout *layout, float x, float y)
{
  GdkRGBA colour;

  gtk_widget_get_color (self->widget, &colour);
  gtk_snapshot_save (self->snapshot);
  gtk_snapshot_translate (self->snapshot, &GRAPHENE_POINT_INIT (x, y));
  gtk_snapshot_append_layout (self->snapshot, layout, &colour);
  gtk_snapshot_restore (self->snapshot);
}

static void
get_size (PangoLayout *layout, float *width, float *height)
{
  int w, h;

  pango_layout_get_pixel_size (layout, &w, &h);
  *width = (float) w;
  *height = (float) h;
}

static void
add_lines (HearthPicture *self, const char *text, gboolean bold)
{
  g_autoptr (PangoLayout) layout = create_layout (self, text, bold, self->width);
  float width, height;

  get_size (layout, &width, &height);
  append_layout (self, layout, 0, self->y);
  self->y += height + SPACING;
}

void
hearth_picture_add_title (HearthPicture *self, const char *text)
{
  add_lines (self, text, TRUE);
}

void
hearth_picture_add_text (HearthPicture *self, const char *text)
{
  add_lines (self, text, FALSE);
}

/* ---- drawings --------------------------------------------------------------------------- */

void
hearth_picture_add_drawing (HearthPicture *self, GskRenderNode *node, float gutter, float height)
{
  self->y += SPACING;
  if (node != NULL)
    {
      gtk_snapshot_save (self->snapshot);
      gtk_snapshot_translate (self->snapshot, &GRAPHENE_POINT_INIT (gutter, self->y));
      gtk_snapshot_append_node (self->snapshot, node);
      gtk_snapshot_restore (self->snapshot);
      gsk_render_node_unref (node);
    }
  self->left = gutter;
  self->top = self->y;
  self->bottom = self->y + height;
  self->y = self->bottom + SPACING;
}

float
hearth_picture_measure (HearthPicture *self, const char *text)
{
  g_autoptr (PangoLayout) layout = create_layout (self, text, FALSE, 0);
  float width, height;

  get_size (layout, &width, &height);
  return width + SPACING;
}

void
hearth_picture_add_heights (HearthPicture *self, const char *top, const char *bottom)
{
  const char *const texts[] = { top, bottom };

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (PangoLayout) layout = create_layout (self, texts[i], FALSE, 0);
      float width, height;

      get_size (layout, &width, &height);
      append_layout (self, layout, self->left - SPACING - width,
                     i == 0 ? self->top : self->bottom - height);
    }
}

void
hearth_picture_add_labels (HearthPicture *self, const char *const *labels)
{
  guint n = g_strv_length ((char **) labels);
  float highest = 0;

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (PangoLayout) layout = create_layout (self, labels[i], FALSE, 0);
      float part = n > 1 ? (float) i / (float) (n - 1) : 0;
      float x = self->left + part * (self->width - self->left);
      float width, height;

      /* In the middle of its place, but for the ends, which stay over the drawing. */
      get_size (layout, &width, &height);
      append_layout (self, layout, x - (i == 0 ? 0 : i + 1 == n ? width : width / 2), self->y);
      highest = MAX (highest, height);
    }
  self->y += highest + SPACING;
}

void
hearth_picture_add_legend (HearthPicture *self, GskRenderNode *swatch, const char *text)
{
  g_autoptr (PangoLayout) layout =
    create_layout (self, text, FALSE, self->width - HEARTH_PICTURE_SWATCH - SPACING);
  float width, height, line;

  get_size (layout, &width, &height);
  if (self->line > 0 && self->x + HEARTH_PICTURE_SWATCH + SPACING + width > self->width)
    {
      self->y += self->line + SPACING;
      self->x = self->line = 0;
    }
  else if (self->line <= 0)
    self->y += SPACING;
  line = MAX (height, HEARTH_PICTURE_SWATCH);
  if (swatch != NULL)
    {
      gtk_snapshot_save (self->snapshot);
      gtk_snapshot_translate (
        self->snapshot,
        &GRAPHENE_POINT_INIT (self->x, self->y + (line - HEARTH_PICTURE_SWATCH) / 2));
      gtk_snapshot_append_node (self->snapshot, swatch);
      gtk_snapshot_restore (self->snapshot);
      gsk_render_node_unref (swatch);
    }
  append_layout (self, layout, self->x + HEARTH_PICTURE_SWATCH + SPACING,
                 self->y + (line - height) / 2);
  self->x += HEARTH_PICTURE_SWATCH + SPACING + width + 3 * SPACING;
  self->line = MAX (self->line, line);
}

/* ---- the picture ------------------------------------------------------------------------ */

GdkTexture *
hearth_picture_end (HearthPicture *self, const GdkRGBA *background)
{
  g_autoptr (GskRenderNode) drawn = gtk_snapshot_free_to_node (self->snapshot);
  g_autoptr (GskRenderNode) all = NULL;
  GtkNative *native = gtk_widget_get_native (self->widget);
  GtkSnapshot *snapshot;
  graphene_rect_t bounds;
  float height = self->y + self->line;
  float width = self->width;

  g_free (self);
  if (native == NULL || drawn == NULL)
    return NULL;
  graphene_rect_init (&bounds, 0, 0, (width + 2 * BORDER) * SCALE, (height + 2 * BORDER) * SCALE);
  snapshot = gtk_snapshot_new ();
  gtk_snapshot_append_color (snapshot, background, &bounds);
  gtk_snapshot_scale (snapshot, SCALE, SCALE);
  gtk_snapshot_translate (snapshot, &GRAPHENE_POINT_INIT (BORDER, BORDER));
  gtk_snapshot_append_node (snapshot, drawn);
  all = gtk_snapshot_free_to_node (snapshot);
  return gsk_renderer_render_texture (gtk_native_get_renderer (native), all, &bounds);
}
