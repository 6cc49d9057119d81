/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-file-strip.h"

#include <math.h>

#include <glib/gi18n.h>

#include "hearth-cell-paint.h"
#include "hearth-picture.h"
#include "hearth-shortcuts.h"
#include "hearth-tensor-export.h"
#include "hearth-words.h"

#define STRIP_HEIGHT 40.0f
#define MEMORY_HEIGHT 12.0f
#define BETWEEN 4.0f
#define MEMORY_ALPHA 0.7f
/* What a step of zoom does. */
#define STEP 1.6
/* Fewer bytes are not looked at closer. */
#define LEAST_RANGE 64.0
/* Of a picture. */
#define PICTURE_WIDTH 1000
#define PICTURE_LABELS 5

struct _HearthFileStrip
{
  GtkWidget parent_instance;

  HearthFileLayout *layout;
  HearthResidency *residency;
  HearthCellPaint *paint;
  GskRenderNode *picture; /* all but the marks; NULL: to be drawn */
  double from, to;        /* bytes in sight */
  double grabbed;         /* `from` when a drag began */
  double pointer;         /* where it was last, in pixels */
  int marked;
  int hovered;
  guint n_drawn;
};

G_DEFINE_FINAL_TYPE (HearthFileStrip, hearth_file_strip, GTK_TYPE_WIDGET)

enum
{
  MARKED,
  HOVERED,
  OPENED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

guint
hearth_file_strip_get_colour (HearthRegionKind kind)
{
  static const guint colours[HEARTH_N_REGION_KINDS] = {
    [HEARTH_REGION_HEADER] = 1, [HEARTH_REGION_KEY] = 2,     [HEARTH_REGION_INFO] = 4,
    [HEARTH_REGION_TENSOR] = 0, [HEARTH_REGION_PADDING] = 7, [HEARTH_REGION_GAP] = 5,
  };

  return colours[kind];
}

/* ---- places ----------------------------------------------------------------------------- */

static void
invalidate (HearthFileStrip *self)
{
  g_clear_pointer (&self->picture, gsk_render_node_unref);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static double
get_end (HearthFileStrip *self)
{
  return self->layout != NULL ? (double) hearth_file_layout_get_end (self->layout) : 0;
}

static void
set_range (HearthFileStrip *self, double from, double to)
{
  double end = get_end (self);
  double size;

  if (!isfinite (from) || !isfinite (to))
    return;
  size = CLAMP (to - from, MIN (LEAST_RANGE, end), MAX (end, 1));

  from = CLAMP (from, 0, MAX (end - size, 0));
  if (from == self->from && from + size == self->to)
    return;
  self->from = from;
  self->to = from + size;
  invalidate (self);
}

static double
get_x (HearthFileStrip *self, double offset, int width)
{
  return (offset - self->from) / (self->to - self->from) * width;
}

static double
get_offset (HearthFileStrip *self, double x, int width)
{
  return self->from + (self->to - self->from) * x / MAX (width, 1);
}

static double
get_pointed (HearthFileStrip *self, double x)
{
  return get_offset (self, x, gtk_widget_get_width (GTK_WIDGET (self)));
}

static int
find_region (HearthFileStrip *self, double offset)
{
  guint position;

  if (self->layout == NULL || offset < 0 ||
      !hearth_file_layout_find (self->layout, (guint64) offset, &position))
    return -1;
  return (int) position;
}

/* ---- drawing ---------------------------------------------------------------------------- */

/* Neighbours of one kind with a border too narrow to be seen are one area. */
static void
draw_regions (HearthFileStrip *self, GtkSnapshot *snapshot, int width)
{
  int x = 0;

  while (x < width)
    {
      int position = find_region (self, get_offset (self, x + 0.5, width));
      HearthFileRegion *region =
        position >= 0 ? hearth_file_layout_get (self->layout, (guint) position) : NULL;
      HearthRegionKind kind;
      double end;
      int to = x + 1;
      graphene_rect_t area;

      if (region == NULL)
        break;
      kind = hearth_file_region_get_kind (region);
      end = get_x (self,
                   (double) hearth_file_region_get_offset (region) +
                     (double) hearth_file_region_get_size (region),
                   width);
      if (end > x + 1.5)
        to = (int) MIN (lround (end), width); /* all of it, with a border at its end */
      else
        {
          for (; to < width; to++)
            {
              int next = find_region (self, get_offset (self, to + 0.5, width));
              HearthFileRegion *other =
                next >= 0 ? hearth_file_layout_get (self->layout, (guint) next) : NULL;

              if (other == NULL || hearth_file_region_get_kind (other) != kind ||
                  (double) hearth_file_region_get_size (other) >
                    1.5 * (self->to - self->from) / width)
                break;
            }
        }
      graphene_rect_init (&area, (float) x, 0, (float) (to - x), STRIP_HEIGHT);
      if (to - x >= 4 && to < width)
        area.size.width -= 1;
      hearth_cell_paint_type (self->paint, snapshot, hearth_file_strip_get_colour (kind), &area,
                              kind != HEARTH_REGION_TENSOR && to - x >= 3);
      x = to;
    }
}

static void
draw_residency (HearthFileStrip *self, GtkSnapshot *snapshot, int width)
{
  GdkRGBA colour, faint;

  gtk_widget_get_color (GTK_WIDGET (self), &colour);
  faint = colour;
  faint.alpha *= 0.1f;
  gtk_snapshot_append_color (
    snapshot, &faint,
    &GRAPHENE_RECT_INIT (0, STRIP_HEIGHT + BETWEEN, (float) width, MEMORY_HEIGHT));
  colour.alpha *= MEMORY_ALPHA;
  for (int x = 0; x < width; x++)
    {
      guint64 from = (guint64) get_offset (self, x, width);
      guint64 to = (guint64) get_offset (self, x + 1, width);
      guint64 n = hearth_residency_count (self->residency, from, MAX (to - from, 1));
      float part = (float) ((double) n / (double) MAX (to - from, 1));

      if (n > 0)
        gtk_snapshot_append_color (
          snapshot, &colour,
          &GRAPHENE_RECT_INIT ((float) x,
                               STRIP_HEIGHT + BETWEEN + MEMORY_HEIGHT * (1 - MIN (part, 1)), 1,
                               MEMORY_HEIGHT * MIN (part, 1)));
    }
}

static void
draw_mark (HearthFileStrip *self, GtkSnapshot *snapshot, int position, float thickness)
{
  HearthFileRegion *region = hearth_file_layout_get (self->layout, (guint) position);
  int width = gtk_widget_get_width (GTK_WIDGET (self));
  double begin = (double) hearth_file_region_get_offset (region);
  double from = get_x (self, begin, width);
  double to = get_x (self, begin + (double) hearth_file_region_get_size (region), width);
  GskRoundedRect frame;
  GdkRGBA colour;

  gtk_widget_get_color (GTK_WIDGET (self), &colour);
  if (to - from < 6) /* to be seen, however small it is */
    {
      double middle = (from + to) / 2;

      from = middle - 3;
      to = middle + 3;
    }
  gsk_rounded_rect_init_from_rect (
    &frame, &GRAPHENE_RECT_INIT ((float) from, 0, (float) (to - from), STRIP_HEIGHT), 2);
  gtk_snapshot_append_border (snapshot, &frame,
                              (float[4]) { thickness, thickness, thickness, thickness },
                              (GdkRGBA[4]) { colour, colour, colour, colour });
}

static void
hearth_file_strip_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  HearthFileStrip *self = HEARTH_FILE_STRIP (widget);
  int width = gtk_widget_get_width (widget);

  if (self->layout == NULL || width <= 0 || self->to <= self->from)
    return;
  if (self->picture == NULL)
    {
      GtkSnapshot *picture = gtk_snapshot_new ();

      draw_regions (self, picture, width);
      if (self->residency != NULL)
        draw_residency (self, picture, width);
      self->picture = gtk_snapshot_free_to_node (picture);
      self->n_drawn++;
    }
  if (self->picture != NULL)
    gtk_snapshot_append_node (snapshot, self->picture);
  if (self->hovered >= 0 && self->hovered != self->marked)
    draw_mark (self, snapshot, self->hovered, 1);
  if (self->marked >= 0)
    draw_mark (self, snapshot, self->marked, 2);
}

/* ---- marking ---------------------------------------------------------------------------- */

/* The marked region is in sight. */
static void
show_marked (HearthFileStrip *self)
{
  HearthFileRegion *region = hearth_file_layout_get (self->layout, (guint) self->marked);
  double begin = (double) hearth_file_region_get_offset (region);
  double end = begin + (double) hearth_file_region_get_size (region);
  double size = self->to - self->from;

  if (begin >= self->from && begin < self->to)
    return;
  set_range (self, (begin + MIN (end, begin + size)) / 2 - size / 2,
             (begin + MIN (end, begin + size)) / 2 + size / 2);
}

static char *
describe (HearthFileStrip *self, int position)
{
  HearthFileRegion *region = hearth_file_layout_get (self->layout, (guint) position);
  g_autofree char *size = hearth_words_for_size (hearth_file_region_get_size (region));

  return g_strdup_printf ("%s %s, %s",
                          _ (hearth_region_kind_get_name (hearth_file_region_get_kind (region))),
                          hearth_file_region_get_name (region), size);
}

void
hearth_file_strip_mark (HearthFileStrip *self, int position)
{
  g_autofree char *text = NULL;

  g_return_if_fail (HEARTH_IS_FILE_STRIP (self));

  if (self->layout == NULL ||
      position >= (int) g_list_model_get_n_items (G_LIST_MODEL (self->layout)))
    return;
  if (position == self->marked)
    return;
  self->marked = position;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  if (position < 0)
    return;
  show_marked (self);
  text = describe (self, position);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text,
                                  -1);
  if (gtk_widget_has_focus (GTK_WIDGET (self)))
    gtk_accessible_announce (GTK_ACCESSIBLE (self), text,
                             GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_MEDIUM);
  g_signal_emit (self, signals[MARKED], 0);
}

static gboolean
move_cb (GtkWidget *widget, GVariant *args, gpointer data)
{
  HearthFileStrip *self = HEARTH_FILE_STRIP (widget);
  int n, by = g_variant_get_int32 (args);

  if (self->layout == NULL)
    return FALSE;
  n = (int) g_list_model_get_n_items (G_LIST_MODEL (self->layout));
  if (by == G_MAXINT || by == G_MININT)
    by = by == G_MAXINT ? n - 1 : 0;
  else
    by = self->marked < 0 ? 0 : CLAMP (self->marked + by, 0, n - 1);
  hearth_file_strip_mark (self, by);
  return TRUE;
}

static gboolean
open_cb (GtkWidget *widget, GVariant *args, gpointer data)
{
  if (HEARTH_FILE_STRIP (widget)->marked < 0)
    return FALSE;
  g_signal_emit (widget, signals[OPENED], 0);
  return TRUE;
}

/* ---- zoom ------------------------------------------------------------------------------- */

static void
zoom_around (HearthFileStrip *self, int steps, double offset)
{
  double factor = pow (STEP, -steps);

  set_range (self, offset - (offset - self->from) * factor, offset + (self->to - offset) * factor);
}

void
hearth_file_strip_zoom (HearthFileStrip *self, int steps)
{
  double middle;

  g_return_if_fail (HEARTH_IS_FILE_STRIP (self));

  if (steps == 0)
    {
      set_range (self, 0, get_end (self));
      return;
    }
  middle = (self->from + self->to) / 2;
  if (self->marked >= 0)
    {
      HearthFileRegion *region = hearth_file_layout_get (self->layout, (guint) self->marked);
      double begin = (double) hearth_file_region_get_offset (region);
      double end = begin + (double) hearth_file_region_get_size (region);

      if (end > self->from && begin < self->to)
        middle = CLAMP ((begin + end) / 2, self->from, self->to);
    }
  zoom_around (self, steps, middle);
}

static gboolean
zoom_cb (GtkWidget *widget, GVariant *args, gpointer data)
{
  hearth_file_strip_zoom (HEARTH_FILE_STRIP (widget), g_variant_get_int32 (args));
  return TRUE;
}

static gboolean
scroll_cb (HearthFileStrip *self, double dx, double dy, GtkEventControllerScroll *controller)
{
  GdkModifierType state =
    gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (controller));
  double size = self->to - self->from;

  if ((state & GDK_SHIFT_MASK) != 0 || dx != 0)
    {
      double by = (dx != 0 ? dx : dy) * size / 10;

      set_range (self, self->from + by, self->to + by);
      return GDK_EVENT_STOP;
    }
  /* The strip has nothing to scroll upwards: a wheel zooms. Its events do not say where. */
  zoom_around (self, dy < 0 ? 1 : -1, get_pointed (self, self->pointer));
  return GDK_EVENT_STOP;
}

/* ---- the pointer ------------------------------------------------------------------------ */

static void
set_hovered (HearthFileStrip *self, int position)
{
  if (position == self->hovered)
    return;
  self->hovered = position;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_signal_emit (self, signals[HOVERED], 0);
}

static void
motion_cb (HearthFileStrip *self, double x, double y)
{
  self->pointer = x;
  set_hovered (self, find_region (self, get_pointed (self, x)));
}

static void
leave_cb (HearthFileStrip *self)
{
  set_hovered (self, -1);
}

static void
pressed_cb (HearthFileStrip *self, int n_press, double x, double y)
{
  gtk_widget_grab_focus (GTK_WIDGET (self));
  hearth_file_strip_mark (self, find_region (self, get_pointed (self, x)));
  if (n_press == 2 && self->marked >= 0)
    g_signal_emit (self, signals[OPENED], 0);
}

static void
drag_begin_cb (HearthFileStrip *self, double x, double y)
{
  self->grabbed = self->from;
}

static void
drag_cb (HearthFileStrip *self, double dx, double dy)
{
  double size = self->to - self->from;
  double from = self->grabbed - dx / MAX (gtk_widget_get_width (GTK_WIDGET (self)), 1) * size;

  if (fabs (dx) > 4)
    set_range (self, from, from + size);
}

/* ---- the widget ------------------------------------------------------------------------- */

static void
hearth_file_strip_measure (GtkWidget *widget, GtkOrientation orientation, int for_size,
                           int *minimum, int *natural, int *minimum_baseline, int *natural_baseline)
{
  *minimum = *natural = orientation == GTK_ORIENTATION_HORIZONTAL
                          ? 100
                          : (int) (STRIP_HEIGHT + BETWEEN + MEMORY_HEIGHT);
  *minimum_baseline = *natural_baseline = -1;
}

static void
hearth_file_strip_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  invalidate (HEARTH_FILE_STRIP (widget));
}

static void
hearth_file_strip_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  HearthFileStrip *self = HEARTH_FILE_STRIP (widget);

  GTK_WIDGET_CLASS (hearth_file_strip_parent_class)->css_changed (widget, change);
  hearth_cell_paint_update (self->paint);
  invalidate (self);
}

static void
hearth_file_strip_dispose (GObject *object)
{
  HearthFileStrip *self = HEARTH_FILE_STRIP (object);

  g_clear_object (&self->layout);
  g_clear_pointer (&self->residency, hearth_residency_unref);
  g_clear_pointer (&self->picture, gsk_render_node_unref);
  g_clear_pointer (&self->paint, hearth_cell_paint_free);
  G_OBJECT_CLASS (hearth_file_strip_parent_class)->dispose (object);
}

static void
add_keys (GtkWidgetClass *klass)
{
  static const guint enters[] = { GDK_KEY_Return, GDK_KEY_ISO_Enter, GDK_KEY_KP_Enter };

  gtk_widget_class_add_binding (klass, GDK_KEY_Left, 0, move_cb, "i", -1);
  gtk_widget_class_add_binding (klass, GDK_KEY_Right, 0, move_cb, "i", 1);
  gtk_widget_class_add_binding (klass, GDK_KEY_Page_Up, 0, move_cb, "i", -20);
  gtk_widget_class_add_binding (klass, GDK_KEY_Page_Down, 0, move_cb, "i", 20);
  gtk_widget_class_add_binding (klass, GDK_KEY_Home, 0, move_cb, "i", G_MININT);
  gtk_widget_class_add_binding (klass, GDK_KEY_End, 0, move_cb, "i", G_MAXINT);
  for (guint i = 0; i < G_N_ELEMENTS (enters); i++)
    gtk_widget_class_add_binding (klass, enters[i], 0, open_cb, NULL);
  hearth_shortcuts_add_zoom (klass, zoom_cb);
}

static void
hearth_file_strip_class_init (HearthFileStripClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hearth_file_strip_dispose;
  widget_class->snapshot = hearth_file_strip_snapshot;
  widget_class->measure = hearth_file_strip_measure;
  widget_class->size_allocate = hearth_file_strip_size_allocate;
  widget_class->css_changed = hearth_file_strip_css_changed;
  signals[MARKED] = g_signal_new ("marked", HEARTH_TYPE_FILE_STRIP, G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 0);
  signals[HOVERED] = g_signal_new ("hovered", HEARTH_TYPE_FILE_STRIP, G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);
  signals[OPENED] = g_signal_new ("opened", HEARTH_TYPE_FILE_STRIP, G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 0);
  add_keys (widget_class);
  gtk_widget_class_set_css_name (widget_class, "filestrip");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GRID);
}

static void
hearth_file_strip_init (HearthFileStrip *self)
{
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkEventController *scroll = gtk_event_controller_scroll_new (
    GTK_EVENT_CONTROLLER_SCROLL_BOTH_AXES | GTK_EVENT_CONTROLLER_SCROLL_DISCRETE);
  GtkGesture *click = gtk_gesture_click_new ();
  GtkGesture *drag = gtk_gesture_drag_new ();

  self->marked = self->hovered = -1;
  self->paint = hearth_cell_paint_new (GTK_WIDGET (self));
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  /* Offsets grow to the right, whatever the language. */
  gtk_widget_set_direction (GTK_WIDGET (self), GTK_TEXT_DIR_LTR);
  g_signal_connect_swapped (motion, "enter", G_CALLBACK (motion_cb), self);
  g_signal_connect_swapped (motion, "motion", G_CALLBACK (motion_cb), self);
  g_signal_connect_swapped (motion, "leave", G_CALLBACK (leave_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
  g_signal_connect_swapped (scroll, "scroll", G_CALLBACK (scroll_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), scroll);
  g_signal_connect_swapped (click, "pressed", G_CALLBACK (pressed_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
  g_signal_connect_swapped (drag, "drag-begin", G_CALLBACK (drag_begin_cb), self);
  g_signal_connect_swapped (drag, "drag-update", G_CALLBACK (drag_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
}

void
hearth_file_strip_set_layout (HearthFileStrip *self, HearthFileLayout *layout)
{
  g_return_if_fail (HEARTH_IS_FILE_STRIP (self));

  g_set_object (&self->layout, layout);
  g_clear_pointer (&self->residency, hearth_residency_unref);
  self->marked = self->hovered = -1;
  self->from = 0;
  self->to = MAX (get_end (self), 1);
  invalidate (self);
}

void
hearth_file_strip_set_residency (HearthFileStrip *self, HearthResidency *residency)
{
  g_return_if_fail (HEARTH_IS_FILE_STRIP (self));

  g_clear_pointer (&self->residency, hearth_residency_unref);
  self->residency = residency != NULL ? hearth_residency_ref (residency) : NULL;
  invalidate (self);
}

int
hearth_file_strip_get_marked (HearthFileStrip *self)
{
  g_return_val_if_fail (HEARTH_IS_FILE_STRIP (self), -1);

  return self->marked;
}

int
hearth_file_strip_get_hovered (HearthFileStrip *self)
{
  g_return_val_if_fail (HEARTH_IS_FILE_STRIP (self), -1);

  return self->hovered;
}

void
hearth_file_strip_get_range (HearthFileStrip *self, guint64 *from, guint64 *to)
{
  g_return_if_fail (HEARTH_IS_FILE_STRIP (self));

  *from = (guint64) self->from;
  *to = (guint64) self->to;
}

guint
hearth_file_strip_get_n_drawn (HearthFileStrip *self)
{
  g_return_val_if_fail (HEARTH_IS_FILE_STRIP (self), 0);

  return self->n_drawn;
}

/* ---- pictures --------------------------------------------------------------------------- */

static void
add_legend (HearthFileStrip *self, HearthPicture *picture, int kind)
{
  graphene_rect_t area = GRAPHENE_RECT_INIT (0, 0, HEARTH_PICTURE_SWATCH, HEARTH_PICTURE_SWATCH);
  GtkSnapshot *swatch = gtk_snapshot_new ();
  g_autofree char *size = NULL;
  g_autofree char *text = NULL;
  const char *name;

  if (kind >= 0)
    {
      name = _ (hearth_region_kind_get_name ((HearthRegionKind) kind));
      size = hearth_words_for_size (
        hearth_file_layout_get_n_bytes (self->layout, (HearthRegionKind) kind));
      hearth_cell_paint_type (self->paint, swatch,
                              hearth_file_strip_get_colour ((HearthRegionKind) kind), &area, TRUE);
    }
  else
    {
      GdkRGBA colour;

      name = _ ("Cached by the system");
      size = hearth_words_for_size (hearth_residency_count (self->residency, 0, G_MAXUINT64));
      gtk_widget_get_color (GTK_WIDGET (self), &colour);
      colour.alpha *= MEMORY_ALPHA;
      area.origin.y = (HEARTH_PICTURE_SWATCH - MEMORY_HEIGHT) / 2;
      area.size.height = MEMORY_HEIGHT;
      gtk_snapshot_append_color (swatch, &colour, &area);
    }
  text = g_strdup_printf ("%s · %s", name, size);
  hearth_picture_add_legend (picture, gtk_snapshot_free_to_node (swatch), text);
}

GdkTexture *
hearth_file_strip_draw (HearthFileStrip *self, const char *title)
{
  g_auto (GStrv) labels = g_new0 (char *, PICTURE_LABELS + 1);
  g_autofree char *size = NULL;
  GtkSnapshot *strip;
  HearthPicture *picture;

  g_return_val_if_fail (HEARTH_IS_FILE_STRIP (self), NULL);

  if (self->layout == NULL || self->to <= self->from)
    return NULL;
  picture = hearth_picture_new (GTK_WIDGET (self), PICTURE_WIDTH);
  size = hearth_words_for_exact_size (hearth_file_layout_get_file_size (self->layout));
  hearth_picture_add_title (picture, title);
  hearth_picture_add_text (picture, size);
  strip = gtk_snapshot_new ();
  draw_regions (self, strip, PICTURE_WIDTH);
  if (self->residency != NULL)
    draw_residency (self, strip, PICTURE_WIDTH);
  hearth_picture_add_drawing (picture, gtk_snapshot_free_to_node (strip), 0,
                              STRIP_HEIGHT +
                                (self->residency != NULL ? BETWEEN + MEMORY_HEIGHT : 0));
  for (guint i = 0; i < PICTURE_LABELS; i++)
    labels[i] = hearth_words_for_number (
      (guint64) (self->from + (self->to - self->from) * i / (PICTURE_LABELS - 1)));
  hearth_picture_add_labels (picture, (const char *const *) labels);
  hearth_picture_add_text (picture, _ ("Offset in the file"));
  for (HearthRegionKind kind = 0; kind < HEARTH_N_REGION_KINDS; kind++)
    {
      if (hearth_file_layout_get_n_regions (self->layout, kind) > 0)
        add_legend (self, picture, (int) kind);
    }
  if (self->residency != NULL)
    add_legend (self, picture, -1);
  return hearth_picture_end (picture, hearth_cell_paint_get_background (self->paint));
}
