/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-cell-paint.h"

/* Of a gradient: a stripe and what lies between two of them, in pixels. */
#define STRIPE 2.0f
#define BETWEEN 4.0f

struct _HearthCellPaint
{
  GtkWidget *widget;
  /* Children without a size whose "color" is one of the named colours: C code cannot ask for those
   * by name. */
  GtkWidget *holders[HEARTH_PAINT_COLOURS + 2];
  GdkRGBA colours[HEARTH_PAINT_COLOURS];
  GdkRGBA texts[HEARTH_PAINT_COLOURS];
  GdkRGBA levels[HEARTH_PAINT_COLOURS];
  GdkRGBA level_texts[HEARTH_PAINT_COLOURS];
  GdkRGBA stripe;
  GdkRGBA background;
  GdkRGBA foreground;
};

static double
get_luminance (const GdkRGBA *colour)
{
  return 0.2126 * (double) colour->red + 0.7152 * (double) colour->green +
         0.0722 * (double) colour->blue;
}

/* Black or white, whichever stands out more. */
static GdkRGBA
get_contrast (const GdkRGBA *colour)
{
  return get_luminance (colour) > 0.42 ? (GdkRGBA) { 0, 0, 0, 0.9f } : (GdkRGBA) { 1, 1, 1, 1 };
}

static GdkRGBA
mix (const GdkRGBA *a, const GdkRGBA *b, float part)
{
  return (GdkRGBA) { a->red + (b->red - a->red) * part, a->green + (b->green - a->green) * part,
                     a->blue + (b->blue - a->blue) * part, 1 };
}

HearthCellPaint *
hearth_cell_paint_new (GtkWidget *widget)
{
  HearthCellPaint *self = g_new0 (HearthCellPaint, 1);

  self->widget = widget;
  for (guint i = 0; i < G_N_ELEMENTS (self->holders); i++)
    {
      g_autofree char *style =
        i < HEARTH_PAINT_COLOURS ? g_strdup_printf ("colour-%u", i + 1) : NULL;

      self->holders[i] = g_object_new (GTK_TYPE_BOX, "css-name", "colour", "accessible-role",
                                       GTK_ACCESSIBLE_ROLE_PRESENTATION, "can-target", FALSE, NULL);
      gtk_widget_add_css_class (self->holders[i], style != NULL ? style
                                                  : i == HEARTH_PAINT_COLOURS
                                                    ? "colour-stripe"
                                                    : "colour-background");
      gtk_widget_set_visible (self->holders[i], FALSE);
      gtk_widget_set_parent (self->holders[i], widget);
    }
  return self;
}

void
hearth_cell_paint_free (HearthCellPaint *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->holders); i++)
    g_clear_pointer (&self->holders[i], gtk_widget_unparent);
  g_free (self);
}

void
hearth_cell_paint_update (HearthCellPaint *self)
{
  for (guint i = 0; i < HEARTH_PAINT_COLOURS; i++)
    {
      gtk_widget_get_color (self->holders[i], &self->colours[i]);
      self->texts[i] = get_contrast (&self->colours[i]);
    }
  gtk_widget_get_color (self->holders[HEARTH_PAINT_COLOURS], &self->stripe);
  gtk_widget_get_color (self->holders[HEARTH_PAINT_COLOURS + 1], &self->background);
  gtk_widget_get_color (self->widget, &self->foreground);
  for (guint i = 0; i < HEARTH_PAINT_COLOURS; i++)
    {
      /* One hue, from faint to strong, so that more looks like more. */
      self->levels[i] = mix (&self->background, &self->colours[0],
                             0.35f + 0.65f * (float) i / (HEARTH_PAINT_COLOURS - 1));
      /* The figure lies on the level and on what is above it: the foreground is read on both unless
       * nearly all is filled. */
      self->level_texts[i] =
        i >= HEARTH_PAINT_COLOURS / 2 ? get_contrast (&self->levels[i]) : self->foreground;
    }
}

static void
append_stripes (HearthCellPaint *self, GtkSnapshot *snapshot, const graphene_rect_t *area, float dx,
                float dy)
{
  const GskColorStop stops[] = {
    { 0, self->stripe },
    { STRIPE / (STRIPE + BETWEEN), self->stripe },
    { STRIPE / (STRIPE + BETWEEN), { 0, 0, 0, 0 } },
    { 1, { 0, 0, 0, 0 } },
  };
  graphene_point_t from = area->origin;
  graphene_point_t to =
    GRAPHENE_POINT_INIT (from.x + dx * (STRIPE + BETWEEN), from.y + dy * (STRIPE + BETWEEN));

  gtk_snapshot_append_repeating_linear_gradient (snapshot, area, &from, &to, stops,
                                                 G_N_ELEMENTS (stops));
}

void
hearth_cell_paint_type (HearthCellPaint *self, GtkSnapshot *snapshot, guint index,
                        const graphene_rect_t *area, gboolean pattern)
{
  gtk_snapshot_append_color (snapshot, &self->colours[index % HEARTH_PAINT_COLOURS], area);
  if (!pattern)
    return;
  /* The patterns of style.css; a second round of colours has them crossed. */
  switch (index % HEARTH_PAINT_COLOURS)
    {
    case 1:
    case 5:
      append_stripes (self, snapshot, area, 0.7071f, 0.7071f);
      break;
    case 3:
    case 7:
      append_stripes (self, snapshot, area, 0.7071f, -0.7071f);
      break;
    case 2:
      append_stripes (self, snapshot, area, 1, 0);
      break;
    case 6:
      append_stripes (self, snapshot, area, 0, 1);
      break;
    default:
      break;
    }
  if (index >= HEARTH_PAINT_COLOURS)
    append_stripes (self, snapshot, area, 0, 1);
}

void
hearth_cell_paint_level (HearthCellPaint *self, GtkSnapshot *snapshot, guint level,
                         const graphene_rect_t *area)
{
  graphene_rect_t filled = *area;
  GdkRGBA empty = self->foreground;
  float height;

  level = MIN (level, HEARTH_PAINT_COLOURS - 1);
  height = area->size.height * (float) (level + 1) / HEARTH_PAINT_COLOURS;
  empty.alpha *= 0.08f;
  gtk_snapshot_append_color (snapshot, &empty, area);
  filled.origin.y += area->size.height - height;
  filled.size.height = height;
  gtk_snapshot_append_color (snapshot, &self->levels[level], &filled);
}

void
hearth_cell_paint_outline (HearthCellPaint *self, GtkSnapshot *snapshot,
                           const graphene_rect_t *area)
{
  GdkRGBA colour = self->foreground;
  GskRoundedRect frame;

  colour.alpha *= 0.25f;
  gsk_rounded_rect_init_from_rect (&frame, area, 0);
  gtk_snapshot_append_border (snapshot, &frame, (float[4]) { 1, 1, 1, 1 },
                              (GdkRGBA[4]) { colour, colour, colour, colour });
}

const GdkRGBA *
hearth_cell_paint_get_type_text (HearthCellPaint *self, guint index)
{
  return &self->texts[index % HEARTH_PAINT_COLOURS];
}

const GdkRGBA *
hearth_cell_paint_get_level_text (HearthCellPaint *self, guint level)
{
  return &self->level_texts[MIN (level, HEARTH_PAINT_COLOURS - 1)];
}

const GdkRGBA *
hearth_cell_paint_get_background (HearthCellPaint *self)
{
  return &self->background;
}

/* ---- swatches --------------------------------------------------------------------------- */

#define HEARTH_TYPE_CELL_SWATCH (hearth_cell_swatch_get_type ())
G_DECLARE_FINAL_TYPE (HearthCellSwatch, hearth_cell_swatch, HEARTH, CELL_SWATCH, GtkWidget)

struct _HearthCellSwatch
{
  GtkWidget parent_instance;

  HearthCellPaint *paint;
  guint index;
  gboolean is_level;
};

G_DEFINE_FINAL_TYPE (HearthCellSwatch, hearth_cell_swatch, GTK_TYPE_WIDGET)

static void
hearth_cell_swatch_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  HearthCellSwatch *self = HEARTH_CELL_SWATCH (widget);
  graphene_rect_t area = GRAPHENE_RECT_INIT (0, 0, (float) gtk_widget_get_width (widget),
                                             (float) gtk_widget_get_height (widget));

  if (self->is_level)
    hearth_cell_paint_level (self->paint, snapshot, self->index, &area);
  else
    hearth_cell_paint_type (self->paint, snapshot, self->index, &area, TRUE);
}

static void
hearth_cell_swatch_measure (GtkWidget *widget, GtkOrientation orientation, int for_size,
                            int *minimum, int *natural, int *minimum_baseline,
                            int *natural_baseline)
{
  *minimum = *natural = 16;
  *minimum_baseline = *natural_baseline = -1;
}

static void
hearth_cell_swatch_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (hearth_cell_swatch_parent_class)->css_changed (widget, change);
  hearth_cell_paint_update (HEARTH_CELL_SWATCH (widget)->paint);
  gtk_widget_queue_draw (widget);
}

static void
hearth_cell_swatch_dispose (GObject *object)
{
  g_clear_pointer (&HEARTH_CELL_SWATCH (object)->paint, hearth_cell_paint_free);
  G_OBJECT_CLASS (hearth_cell_swatch_parent_class)->dispose (object);
}

static void
hearth_cell_swatch_class_init (HearthCellSwatchClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hearth_cell_swatch_dispose;
  widget_class->snapshot = hearth_cell_swatch_snapshot;
  widget_class->measure = hearth_cell_swatch_measure;
  widget_class->css_changed = hearth_cell_swatch_css_changed;
  gtk_widget_class_set_css_name (widget_class, "cellswatch");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_PRESENTATION);
}

static void
hearth_cell_swatch_init (HearthCellSwatch *self)
{
  self->paint = hearth_cell_paint_new (GTK_WIDGET (self));
  gtk_widget_set_valign (GTK_WIDGET (self), GTK_ALIGN_CENTER);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
}

GtkWidget *
hearth_cell_paint_swatch_new (guint index, gboolean is_level)
{
  HearthCellSwatch *self = g_object_new (HEARTH_TYPE_CELL_SWATCH, NULL);

  self->index = index;
  self->is_level = is_level;
  return GTK_WIDGET (self);
}
