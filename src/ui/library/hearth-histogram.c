/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-histogram.h"

#include <math.h>

#include <glib/gi18n.h>

#include "hearth-cell-paint.h"
#include "hearth-picture.h"
#include "hearth-words.h"

#define HEIGHT 140
/* Of a picture. */
#define PICTURE_WIDTH 720
#define PICTURE_HEIGHT 240
#define PICTURE_LABELS 5

struct _HearthHistogram
{
  GtkWidget parent_instance;

  HearthCellPaint *paint; /* has the colour of what is behind it */
  HearthTensorFigures figures;
  gboolean shown;
  int hover; /* a bin; -1: none */
};

G_DEFINE_FINAL_TYPE (HearthHistogram, hearth_histogram, GTK_TYPE_WIDGET)

static guint hover_signal;

char *
hearth_histogram_dup_value (double value)
{
  g_autofree char *text = g_strdup_printf ("%.4g", value);

  return hearth_words_with_sign (text);
}

static guint64
get_highest (HearthHistogram *self)
{
  guint64 highest = 1;

  for (guint i = 0; i < HEARTH_STATS_BINS; i++)
    highest = MAX (highest, self->figures.bins[i]);
  return highest;
}

static void
draw (HearthHistogram *self, GtkSnapshot *snapshot, float all, float height)
{
  float width = all / HEARTH_STATS_BINS;
  double highest = (double) get_highest (self);
  GdkRGBA colour, line;

  height -= 1;
  gtk_widget_get_color (GTK_WIDGET (self), &colour);
  line = colour;
  line.alpha *= 0.3f;
  for (guint i = 0; self->shown && i < HEARTH_STATS_BINS; i++)
    {
      float bar = height * (float) ((double) self->figures.bins[i] / highest);
      GdkRGBA fill = colour;
      graphene_rect_t area;

      /* What is there can be seen, however little it is. */
      bar = self->figures.bins[i] > 0 ? MAX (bar, 1) : 0;
      fill.alpha *= (int) i == self->hover ? 1 : 0.75f;
      graphene_rect_init (&area, (float) i * width, height - bar, MAX (width - 1, 1), bar);
      gtk_snapshot_append_color (snapshot, &fill, &area);
    }
  gtk_snapshot_append_color (snapshot, &line, &GRAPHENE_RECT_INIT (0, height, all, 1));
}

static void
hearth_histogram_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  draw (HEARTH_HISTOGRAM (widget), snapshot, (float) gtk_widget_get_width (widget),
        (float) gtk_widget_get_height (widget));
}

static void
hearth_histogram_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                          int *natural, int *minimum_baseline, int *natural_baseline)
{
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? HEARTH_STATS_BINS : HEIGHT;
  *natural = orientation == GTK_ORIENTATION_HORIZONTAL ? 480 : HEIGHT;
  *minimum_baseline = *natural_baseline = -1;
}

/* What a bar stands for. */
static char *
dup_bin (HearthHistogram *self, int bin)
{
  const HearthTensorFigures *f = &self->figures;
  double step = (f->max - f->min) / HEARTH_STATS_BINS;
  g_autofree char *from = hearth_histogram_dup_value (f->min + step * bin);
  g_autofree char *to = hearth_histogram_dup_value (f->min + step * (bin + 1));
  g_autofree char *n = hearth_words_for_number (f->bins[bin]);

  /* Translators: a bar of a histogram: "-0.01 to 0.01: 4,096 values" */
  return g_strdup_printf (
    ngettext ("%1$s to %2$s: %3$s value", "%1$s to %2$s: %3$s values", f->bins[bin]), from, to, n);
}

static void
set_hover (HearthHistogram *self, int bin)
{
  g_autofree char *text = NULL;

  if (!self->shown)
    bin = -1;
  if (bin == self->hover)
    return;
  self->hover = bin;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  text = bin >= 0 ? dup_bin (self, bin) : NULL;
  g_signal_emit (self, hover_signal, 0, text);
  if (text != NULL && gtk_widget_has_focus (GTK_WIDGET (self)))
    gtk_accessible_announce (GTK_ACCESSIBLE (self), text,
                             GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_MEDIUM);
}

static void
motion_cb (HearthHistogram *self, double x, double y)
{
  int bin = (int) floor (x * HEARTH_STATS_BINS / MAX (gtk_widget_get_width (GTK_WIDGET (self)), 1));

  set_hover (self, CLAMP (bin, 0, HEARTH_STATS_BINS - 1));
}

static void
leave_cb (HearthHistogram *self)
{
  set_hover (self, -1);
}

static gboolean
move_cb (GtkWidget *widget, GVariant *args, gpointer data)
{
  HearthHistogram *self = HEARTH_HISTOGRAM (widget);
  int bin = self->hover < 0 ? HEARTH_STATS_BINS / 2 : self->hover + g_variant_get_int32 (args);

  set_hover (self, CLAMP (bin, 0, HEARTH_STATS_BINS - 1));
  return TRUE;
}

static void
hearth_histogram_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  GTK_WIDGET_CLASS (hearth_histogram_parent_class)->css_changed (widget, change);
  hearth_cell_paint_update (HEARTH_HISTOGRAM (widget)->paint);
}

static void
hearth_histogram_dispose (GObject *object)
{
  g_clear_pointer (&HEARTH_HISTOGRAM (object)->paint, hearth_cell_paint_free);
  G_OBJECT_CLASS (hearth_histogram_parent_class)->dispose (object);
}

static void
hearth_histogram_class_init (HearthHistogramClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hearth_histogram_dispose;
  widget_class->css_changed = hearth_histogram_css_changed;
  widget_class->snapshot = hearth_histogram_snapshot;
  widget_class->measure = hearth_histogram_measure;
  hover_signal = g_signal_new ("hover", HEARTH_TYPE_HISTOGRAM, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                               NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Left, 0, move_cb, "i", -1);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Right, 0, move_cb, "i", 1);
  gtk_widget_class_set_css_name (widget_class, "histogram");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_IMG);
}

static void
hearth_histogram_init (HearthHistogram *self)
{
  GtkEventController *motion = gtk_event_controller_motion_new ();

  self->hover = -1;
  self->paint = hearth_cell_paint_new (GTK_WIDGET (self));
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  /* Less is left, as on every axis of numbers. */
  gtk_widget_set_direction (GTK_WIDGET (self), GTK_TEXT_DIR_LTR);
  g_signal_connect_swapped (motion, "motion", G_CALLBACK (motion_cb), self);
  g_signal_connect_swapped (motion, "leave", G_CALLBACK (leave_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
}

void
hearth_histogram_set_figures (HearthHistogram *self, const HearthTensorFigures *figures)
{
  g_autofree char *low = NULL;
  g_autofree char *high = NULL;
  g_autofree char *text = NULL;

  g_return_if_fail (HEARTH_IS_HISTOGRAM (self));

  self->shown = figures != NULL;
  if (figures != NULL)
    {
      self->figures = *figures;
      low = hearth_histogram_dup_value (figures->quantiles[2]);
      high = hearth_histogram_dup_value (figures->quantiles[4]);
      /* Translators: said by voice output of a histogram */
      text = g_strdup_printf (_ ("Half of the values lie between %1$s and %2$s"), low, high);
      gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_DESCRIPTION,
                                      text, -1);
    }
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

GdkTexture *
hearth_histogram_draw (HearthHistogram *self, const char *title, const char *text)
{
  const HearthTensorFigures *f = &self->figures;
  g_auto (GStrv) labels = g_new0 (char *, PICTURE_LABELS + 1);
  g_autofree char *highest = NULL;
  GtkSnapshot *bars;
  HearthPicture *picture;
  float gutter;

  g_return_val_if_fail (HEARTH_IS_HISTOGRAM (self), NULL);

  if (!self->shown)
    return NULL;
  /* The bars have a colour of their own, texts that of what is around. */
  picture = hearth_picture_new (gtk_widget_get_parent (GTK_WIDGET (self)), PICTURE_WIDTH);
  highest = hearth_words_for_number (get_highest (self));
  gutter = hearth_picture_measure (picture, highest);
  hearth_picture_add_title (picture, title);
  hearth_picture_add_text (picture, text);
  bars = gtk_snapshot_new ();
  draw (self, bars, PICTURE_WIDTH - gutter, PICTURE_HEIGHT);
  hearth_picture_add_drawing (picture, gtk_snapshot_free_to_node (bars), gutter, PICTURE_HEIGHT);
  hearth_picture_add_heights (picture, highest, "0");
  for (guint i = 0; i < PICTURE_LABELS; i++)
    labels[i] = hearth_histogram_dup_value (f->min + (f->max - f->min) * i / (PICTURE_LABELS - 1));
  hearth_picture_add_labels (picture, (const char *const *) labels);
  return hearth_picture_end (picture, hearth_cell_paint_get_background (self->paint));
}
