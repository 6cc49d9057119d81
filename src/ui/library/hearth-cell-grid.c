/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-cell-grid-private.h"

#include <math.h>

#include <adwaita.h>

G_DEFINE_TYPE_WITH_CODE (HearthCellGrid, hearth_cell_grid, GTK_TYPE_WIDGET,
                         G_ADD_PRIVATE (HearthCellGrid)
                           G_IMPLEMENT_INTERFACE (GTK_TYPE_SCROLLABLE, NULL))

enum
{
  PROP_0,
  PROP_HADJUSTMENT,
  PROP_VADJUSTMENT,
  PROP_HSCROLL_POLICY,
  PROP_VSCROLL_POLICY
};

static guint signals[HEARTH_GRID_N_SIGNALS];

HearthCellGridPrivate *
_hearth_cell_grid_get (HearthCellGrid *self)
{
  return hearth_cell_grid_get_instance_private (self);
}

void
_hearth_cell_grid_emit (HearthCellGrid *self, HearthCellGridSignal signal, ...)
{
  va_list args;

  va_start (args, signal);
  g_signal_emit_valist (self, signals[signal], 0, args);
  va_end (args);
}

gboolean
_hearth_cell_grid_can_zoom (HearthCellGrid *self)
{
  return g_signal_has_handler_pending (self, signals[HEARTH_GRID_ZOOM], 0, FALSE);
}

gboolean
_hearth_cell_grid_is_mirrored (HearthCellGrid *self)
{
  return gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL;
}

/* ---- places ----------------------------------------------------------------------------- */

double
_hearth_cell_grid_get_value (HearthCellGrid *self, GtkOrientation orientation)
{
  HearthCellGridPrivate *priv = _hearth_cell_grid_get (self);
  GtkAdjustment *adjustment = priv->adjustments[orientation];

  return adjustment != NULL && !priv->whole ? gtk_adjustment_get_value (adjustment) : 0;
}

double
_hearth_cell_grid_get_content (HearthCellGrid *self, GtkOrientation orientation)
{
  const HearthCellGeometry *g = &_hearth_cell_grid_get (self)->geometry;

  return orientation == GTK_ORIENTATION_HORIZONTAL
           ? (double) g->n_columns * g->cell_width + g->trailer_width
           : (double) g->n_rows * g->cell_height;
}

/* What is left for cells beside the titles. */
double
_hearth_cell_grid_get_page (HearthCellGrid *self, GtkOrientation orientation)
{
  HearthCellGridPrivate *priv = _hearth_cell_grid_get (self);

  if (priv->whole)
    return _hearth_cell_grid_get_content (self, orientation);
  return orientation == GTK_ORIENTATION_HORIZONTAL
           ? MAX (0, gtk_widget_get_width (GTK_WIDGET (self)) - priv->geometry.title_width)
           : MAX (0, gtk_widget_get_height (GTK_WIDGET (self)) - priv->geometry.title_height);
}

/* From the beginning of the first column to a place in the widget. */
static double
get_x (HearthCellGrid *self, double at, double width)
{
  HearthCellGridPrivate *priv = _hearth_cell_grid_get (self);
  double page = _hearth_cell_grid_get_page (self, GTK_ORIENTATION_HORIZONTAL);
  double content = MAX (page, _hearth_cell_grid_get_content (self, GTK_ORIENTATION_HORIZONTAL));

  if (_hearth_cell_grid_is_mirrored (self))
    return content - at - width - _hearth_cell_grid_get_value (self, GTK_ORIENTATION_HORIZONTAL);
  return priv->geometry.title_width + at -
         _hearth_cell_grid_get_value (self, GTK_ORIENTATION_HORIZONTAL);
}

static double
get_y (HearthCellGrid *self, guint64 row)
{
  const HearthCellGeometry *g = &_hearth_cell_grid_get (self)->geometry;
  double value = _hearth_cell_grid_get_value (self, GTK_ORIENTATION_VERTICAL);
  double first = floor (value / g->cell_height);

  /* Whole rows first: what is left is small, however far down this is. */
  return g->title_height + ((double) row - first) * g->cell_height +
         (first * g->cell_height - value);
}

void
hearth_cell_grid_get_area (HearthCellGrid *self, guint64 row, guint64 column, graphene_rect_t *area)
{
  HearthCellGridPrivate *priv = _hearth_cell_grid_get (self);
  const HearthCellGeometry *g = &priv->geometry;

  graphene_rect_init (area, (float) get_x (self, (double) column * g->cell_width, g->cell_width),
                      (float) get_y (self, row), (float) g->cell_width, (float) g->cell_height);
}

void
hearth_cell_grid_get_trailer (HearthCellGrid *self, guint64 row, graphene_rect_t *area)
{
  HearthCellGridPrivate *priv = _hearth_cell_grid_get (self);
  const HearthCellGeometry *g = &priv->geometry;

  graphene_rect_init (area,
                      (float) get_x (self, (double) g->n_columns * g->cell_width, g->trailer_width),
                      (float) get_y (self, row), (float) g->trailer_width, (float) g->cell_height);
}

/* Where titles of rows begin. */
static double
get_title_x (HearthCellGrid *self)
{
  return _hearth_cell_grid_is_mirrored (self)
           ? _hearth_cell_grid_get_page (self, GTK_ORIENTATION_HORIZONTAL)
           : 0;
}

/* Which cells are in sight: first … last. FALSE: none. */
static gboolean
get_visible (HearthCellGrid *self, HearthCell *first, HearthCell *last)
{
  HearthCellGridPrivate *priv = _hearth_cell_grid_get (self);
  const HearthCellGeometry *g = &priv->geometry;
  double page_x = _hearth_cell_grid_get_page (self, GTK_ORIENTATION_HORIZONTAL);
  double page_y = _hearth_cell_grid_get_page (self, GTK_ORIENTATION_VERTICAL);
  double x = _hearth_cell_grid_get_value (self, GTK_ORIENTATION_HORIZONTAL);
  double y = _hearth_cell_grid_get_value (self, GTK_ORIENTATION_VERTICAL);

  if (g->n_rows == 0 || g->n_columns == 0 || page_x <= 0 || page_y <= 0)
    return FALSE;
  if (_hearth_cell_grid_is_mirrored (self))
    x = MAX (page_x, _hearth_cell_grid_get_content (self, GTK_ORIENTATION_HORIZONTAL)) - page_x - x;
  x = MAX (0, x);
  first->row = MIN ((guint64) (y / g->cell_height), g->n_rows - 1);
  last->row = MIN ((guint64) ((y + page_y) / g->cell_height), g->n_rows - 1);
  first->column = MIN ((guint64) (x / g->cell_width), g->n_columns - 1);
  last->column = MIN ((guint64) ((x + page_x) / g->cell_width), g->n_columns - 1);
  return TRUE;
}

/* ---- scrolling -------------------------------------------------------------------------- */

void
hearth_cell_grid_invalidate (HearthCellGrid *self)
{
  HearthCellGridPrivate *priv = _hearth_cell_grid_get (self);

  g_clear_pointer (&priv->picture, gsk_render_node_unref);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
configure (HearthCellGrid *self)
{
  HearthCellGridPrivate *priv = _hearth_cell_grid_get (self);

  for (GtkOrientation o = GTK_ORIENTATION_HORIZONTAL; o <= GTK_ORIENTATION_VERTICAL; o++)
    {
      double page = _hearth_cell_grid_get_page (self, o);
      double step =
        o == GTK_ORIENTATION_HORIZONTAL ? priv->geometry.cell_width : priv->geometry.cell_height;
      double upper = MAX (page, _hearth_cell_grid_get_content (self, o));
      double value;

      if (priv->adjustments[o] == NULL)
        continue;
      value = gtk_adjustment_get_value (priv->adjustments[o]);
      if (o == GTK_ORIENTATION_HORIZONTAL && _hearth_cell_grid_is_mirrored (self))
        {
          /* The distance from the end stays. */
          double old = gtk_adjustment_get_upper (priv->adjustments[o]) -
                       gtk_adjustment_get_page_size (priv->adjustments[o]) - value;

          value = upper - page - (priv->placed ? old : 0);
        }
      gtk_adjustment_configure (priv->adjustments[o], CLAMP (value, 0, upper - page), 0, upper,
                                step, MAX (step, page - step), page);
    }
  if (gtk_widget_get_width (GTK_WIDGET (self)) > 0)
    priv->placed = TRUE;
}

static void
set_adjustment (HearthCellGrid *self, GtkOrientation orientation, GtkAdjustment *adjustment)
{
  HearthCellGridPrivate *priv = _hearth_cell_grid_get (self);

  if (adjustment == priv->adjustments[orientation] && adjustment != NULL)
    return;
  if (priv->adjustments[orientation] != NULL)
    g_signal_handlers_disconnect_by_data (priv->adjustments[orientation], self);
  g_clear_object (&priv->adjustments[orientation]);
  if (adjustment == NULL)
    adjustment = gtk_adjustment_new (0, 0, 0, 0, 0, 0);
  priv->adjustments[orientation] = g_object_ref_sink (adjustment);
  g_signal_connect_object (adjustment, "value-changed", G_CALLBACK (hearth_cell_grid_invalidate),
                           self, G_CONNECT_SWAPPED);
  configure (self);
}

static void
scroll_to (HearthCellGrid *self, GtkOrientation orientation, double from, double size)
{
  HearthCellGridPrivate *priv = _hearth_cell_grid_get (self);
  double page = _hearth_cell_grid_get_page (self, orientation);
  double value = _hearth_cell_grid_get_value (self, orientation);

  if (priv->adjustments[orientation] == NULL || page <= 0)
    return;
  if (from + size > value + page)
    value = from + size - page;
  if (from < value)
    value = from;
  gtk_adjustment_set_value (priv->adjustments[orientation], value);
}

void
_hearth_cell_grid_scroll_to_cursor (HearthCellGrid *self)
{
  HearthCellGridPrivate *priv = _hearth_cell_grid_get (self);
  const HearthCellGeometry *g = &priv->geometry;
  double from = (double) priv->cursor.column * g->cell_width;

  priv->scroll_later = _hearth_cell_grid_get_page (self, GTK_ORIENTATION_VERTICAL) <= 0 ||
                       _hearth_cell_grid_get_page (self, GTK_ORIENTATION_HORIZONTAL) <= 0;
  if (priv->scroll_later)
    return;
  if (_hearth_cell_grid_is_mirrored (self))
    from = MAX (_hearth_cell_grid_get_page (self, GTK_ORIENTATION_HORIZONTAL),
                _hearth_cell_grid_get_content (self, GTK_ORIENTATION_HORIZONTAL)) -
           from - g->cell_width;
  scroll_to (self, GTK_ORIENTATION_HORIZONTAL, from, g->cell_width);
  scroll_to (self, GTK_ORIENTATION_VERTICAL, (double) priv->cursor.row * g->cell_height,
             g->cell_height);
  if (priv->first_later && priv->adjustments[GTK_ORIENTATION_VERTICAL] != NULL)
    gtk_adjustment_set_value (priv->adjustments[GTK_ORIENTATION_VERTICAL],
                              (double) priv->cursor.row * g->cell_height);
  priv->first_later = FALSE;
}

void
hearth_cell_grid_show_cursor_first (HearthCellGrid *self)
{
  g_return_if_fail (HEARTH_IS_CELL_GRID (self));

  _hearth_cell_grid_get (self)->first_later = TRUE;
  _hearth_cell_grid_scroll_to_cursor (self);
}

/* ---- drawing ---------------------------------------------------------------------------- */

static void
draw_titles (HearthCellGrid *self, GtkSnapshot *snapshot, const HearthCell *first,
             const HearthCell *last)
{
  HearthCellGridPrivate *priv = _hearth_cell_grid_get (self);
  HearthCellGridClass *klass = HEARTH_CELL_GRID_GET_CLASS (self);
  const HearthCellGeometry *g = &priv->geometry;
  float page_x = (float) _hearth_cell_grid_get_page (self, GTK_ORIENTATION_HORIZONTAL);
  float page_y = (float) _hearth_cell_grid_get_page (self, GTK_ORIENTATION_VERTICAL);
  float title_x = (float) get_title_x (self);
  float cells_x = _hearth_cell_grid_is_mirrored (self) ? 0 : (float) g->title_width;
  graphene_rect_t area;

  if (klass->draw_row_title != NULL && g->title_width > 0)
    {
      gtk_snapshot_push_clip (snapshot, &GRAPHENE_RECT_INIT (title_x, (float) g->title_height,
                                                             (float) g->title_width, page_y));
      for (guint64 row = first->row; row <= last->row; row++)
        {
          graphene_rect_init (&area, title_x, (float) get_y (self, row), (float) g->title_width,
                              (float) g->cell_height);
          klass->draw_row_title (self, snapshot, row, &area);
        }
      gtk_snapshot_pop (snapshot);
    }
  if (klass->draw_column_title != NULL && g->title_height > 0)
    {
      gtk_snapshot_push_clip (snapshot,
                              &GRAPHENE_RECT_INIT (cells_x, 0, page_x, (float) g->title_height));
      for (guint64 column = first->column; column <= last->column; column++)
        {
          hearth_cell_grid_get_area (self, first->row, column, &area);
          area.origin.y = 0;
          area.size.height = (float) g->title_height;
          klass->draw_column_title (self, snapshot, column, &area);
        }
      gtk_snapshot_pop (snapshot);
    }
}

static void
begin_cells (HearthCellGrid *self, GtkSnapshot *snapshot)
{
  HearthCellGridPrivate *priv = _hearth_cell_grid_get (self);
  float cells_x = _hearth_cell_grid_is_mirrored (self) ? 0 : (float) priv->geometry.title_width;

  gtk_snapshot_push_clip (
    snapshot,
    &GRAPHENE_RECT_INIT (cells_x, (float) priv->geometry.title_height,
                         (float) _hearth_cell_grid_get_page (self, GTK_ORIENTATION_HORIZONTAL),
                         (float) _hearth_cell_grid_get_page (self, GTK_ORIENTATION_VERTICAL)));
}

static void
draw_picture (HearthCellGrid *self)
{
  HearthCellGridPrivate *priv = _hearth_cell_grid_get (self);
  HearthCellGridClass *klass = HEARTH_CELL_GRID_GET_CLASS (self);
  GtkSnapshot *snapshot;
  HearthCell first, last;

  if (!get_visible (self, &first, &last))
    return;
  snapshot = gtk_snapshot_new ();
  begin_cells (self, snapshot);
  for (guint64 row = first.row; row <= last.row; row++)
    klass->draw_row (self, snapshot, row, first.column, last.column);
  gtk_snapshot_pop (snapshot);
  draw_titles (self, snapshot, &first, &last);
  priv->n_drawn++;
  priv->n_cells = (guint) ((last.row - first.row + 1) * (last.column - first.column + 1));
  priv->picture = gtk_snapshot_free_to_node (snapshot);
}

/* The cells of a row that are selected: from … to. FALSE: none. */
static gboolean
get_selected (HearthCellGrid *self, guint64 row, guint64 *from, guint64 *to)
{
  HearthCellGridPrivate *priv = _hearth_cell_grid_get (self);
  HearthCell first, last;

  hearth_cell_grid_get_selection (self, &first, &last);
  if (row < first.row || row > last.row)
    return FALSE;
  if (priv->flows)
    {
      *from = row == first.row ? first.column : 0;
      *to = row == last.row ? last.column : priv->geometry.n_columns - 1;
    }
  else
    {
      *from = first.column;
      *to = last.column;
    }
  return TRUE;
}

static void
get_accent (GtkWidget *widget, GdkRGBA *accent)
{
  AdwAccentColor colour = adw_style_manager_get_accent_color (adw_style_manager_get_default ());

  adw_accent_color_to_standalone_rgba (
    colour, adw_style_manager_get_dark (adw_style_manager_get_default ()), accent);
}

/* What stands out from a colour of text. */
static GdkRGBA
get_opposite (const GdkRGBA *text)
{
  float value = text->red + text->green + text->blue > 1.5f ? 0 : 1;

  return (GdkRGBA) { value, value, value, 1 };
}

static void
draw_frame (GtkSnapshot *snapshot, const graphene_rect_t *area, const GdkRGBA *colour, float width)
{
  GskRoundedRect frame;

  gsk_rounded_rect_init_from_rect (&frame, area, 3);
  gtk_snapshot_append_border (snapshot, &frame, (float[4]) { width, width, width, width },
                              (GdkRGBA[4]) { *colour, *colour, *colour, *colour });
}

static void
draw_marks (HearthCellGrid *self, GtkSnapshot *snapshot)
{
  HearthCellGridPrivate *priv = _hearth_cell_grid_get (self);
  GtkWidget *widget = GTK_WIDGET (self);
  HearthCell first, last;
  graphene_rect_t area;
  GdkRGBA accent, faint, text;

  if (!get_visible (self, &first, &last))
    return;
  get_accent (widget, &accent);
  gtk_widget_get_color (widget, &text);
  faint = accent;
  faint.alpha = 0.25f;
  begin_cells (self, snapshot);
  for (guint64 row = first.row; priv->selectable && row <= last.row; row++)
    {
      guint64 from, to;

      if ((priv->cursor.row == priv->anchor.row && priv->cursor.column == priv->anchor.column) ||
          !get_selected (self, row, &from, &to))
        continue;
      from = MAX (from, first.column);
      to = MIN (to, last.column);
      if (from > to)
        continue;
      hearth_cell_grid_get_area (self, row, from, &area);
      area.size.width *= (float) (to - from + 1);
      gtk_snapshot_append_color (snapshot, &faint, &area);
    }
  if (priv->hovers)
    {
      hearth_cell_grid_get_area (self, priv->hover.row, priv->hover.column, &area);
      draw_frame (snapshot, &area, &text, 1.5f);
    }
  hearth_cell_grid_get_area (self, priv->cursor.row, priv->cursor.column, &area);
  if (gtk_widget_has_visible_focus (widget) || gtk_widget_has_focus (widget))
    {
      /* Seen on any colour: dark and light, one around the other. */
      GdkRGBA light = get_opposite (&text);

      graphene_rect_inset (&area, -1, -1);
      draw_frame (snapshot, &area, &text, 2);
      graphene_rect_inset (&area, 2, 2);
      draw_frame (snapshot, &area, &light, 1);
    }
  gtk_snapshot_pop (snapshot);
}

static void
hearth_cell_grid_snapshot (GtkWidget *widget, GtkSnapshot *snapshot)
{
  HearthCellGrid *self = HEARTH_CELL_GRID (widget);
  HearthCellGridPrivate *priv = _hearth_cell_grid_get (self);

  if (priv->picture == NULL)
    draw_picture (self);
  if (priv->picture == NULL)
    return;
  gtk_snapshot_append_node (snapshot, priv->picture);
  draw_marks (self, snapshot);
}

/* ---- the widget ------------------------------------------------------------------------- */

static void
hearth_cell_grid_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  HearthCellGrid *self = HEARTH_CELL_GRID (widget);
  HearthCellGridClass *klass = HEARTH_CELL_GRID_GET_CLASS (self);

  if (klass->fit_titles != NULL)
    _hearth_cell_grid_get (self)->geometry.title_width = klass->fit_titles (self, width);
  configure (self);
  if (_hearth_cell_grid_get (self)->scroll_later)
    _hearth_cell_grid_scroll_to_cursor (self);
  hearth_cell_grid_invalidate (self);
}

static void
hearth_cell_grid_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                          int *natural, int *minimum_baseline, int *natural_baseline)
{
  HearthCellGridPrivate *priv = _hearth_cell_grid_get (HEARTH_CELL_GRID (widget));
  double titles = orientation == GTK_ORIENTATION_HORIZONTAL ? priv->geometry.title_width
                                                            : priv->geometry.title_height;

  *minimum = 0;
  *natural = (int) MIN (
    ceil (titles + _hearth_cell_grid_get_content (HEARTH_CELL_GRID (widget), orientation)),
    1 << 20);
  *minimum_baseline = *natural_baseline = -1;
}

static void
hearth_cell_grid_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  HearthCellGrid *self = HEARTH_CELL_GRID (widget);
  HearthCellGridClass *klass = HEARTH_CELL_GRID_GET_CLASS (self);

  GTK_WIDGET_CLASS (hearth_cell_grid_parent_class)->css_changed (widget, change);
  if (klass->restyle != NULL)
    klass->restyle (self);
  hearth_cell_grid_invalidate (self);
}

static void
hearth_cell_grid_direction_changed (GtkWidget *widget, GtkTextDirection direction)
{
  _hearth_cell_grid_get (HEARTH_CELL_GRID (widget))->placed = FALSE;
  gtk_widget_queue_allocate (widget);
  GTK_WIDGET_CLASS (hearth_cell_grid_parent_class)->direction_changed (widget, direction);
}

static void
hearth_cell_grid_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  HearthCellGrid *self = HEARTH_CELL_GRID (object);
  HearthCellGridPrivate *priv = _hearth_cell_grid_get (self);

  switch (id)
    {
    case PROP_HADJUSTMENT:
      set_adjustment (self, GTK_ORIENTATION_HORIZONTAL, g_value_get_object (value));
      break;
    case PROP_VADJUSTMENT:
      set_adjustment (self, GTK_ORIENTATION_VERTICAL, g_value_get_object (value));
      break;
    case PROP_HSCROLL_POLICY:
      priv->policies[GTK_ORIENTATION_HORIZONTAL] = g_value_get_enum (value);
      break;
    case PROP_VSCROLL_POLICY:
      priv->policies[GTK_ORIENTATION_VERTICAL] = g_value_get_enum (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
hearth_cell_grid_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  HearthCellGridPrivate *priv = _hearth_cell_grid_get (HEARTH_CELL_GRID (object));

  switch (id)
    {
    case PROP_HADJUSTMENT:
      g_value_set_object (value, priv->adjustments[GTK_ORIENTATION_HORIZONTAL]);
      break;
    case PROP_VADJUSTMENT:
      g_value_set_object (value, priv->adjustments[GTK_ORIENTATION_VERTICAL]);
      break;
    case PROP_HSCROLL_POLICY:
      g_value_set_enum (value, priv->policies[GTK_ORIENTATION_HORIZONTAL]);
      break;
    case PROP_VSCROLL_POLICY:
      g_value_set_enum (value, priv->policies[GTK_ORIENTATION_VERTICAL]);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
hearth_cell_grid_dispose (GObject *object)
{
  HearthCellGridPrivate *priv = _hearth_cell_grid_get (HEARTH_CELL_GRID (object));

  for (guint i = 0; i < 2; i++)
    {
      if (priv->adjustments[i] != NULL)
        g_signal_handlers_disconnect_by_data (priv->adjustments[i], object);
      g_clear_object (&priv->adjustments[i]);
    }
  g_clear_pointer (&priv->picture, gsk_render_node_unref);
  G_OBJECT_CLASS (hearth_cell_grid_parent_class)->dispose (object);
}

static void
hearth_cell_grid_class_init (HearthCellGridClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = hearth_cell_grid_dispose;
  object_class->set_property = hearth_cell_grid_set_property;
  object_class->get_property = hearth_cell_grid_get_property;
  widget_class->snapshot = hearth_cell_grid_snapshot;
  widget_class->measure = hearth_cell_grid_measure;
  widget_class->size_allocate = hearth_cell_grid_size_allocate;
  widget_class->css_changed = hearth_cell_grid_css_changed;
  widget_class->direction_changed = hearth_cell_grid_direction_changed;
  g_object_class_override_property (object_class, PROP_HADJUSTMENT, "hadjustment");
  g_object_class_override_property (object_class, PROP_VADJUSTMENT, "vadjustment");
  g_object_class_override_property (object_class, PROP_HSCROLL_POLICY, "hscroll-policy");
  g_object_class_override_property (object_class, PROP_VSCROLL_POLICY, "vscroll-policy");
  signals[HEARTH_GRID_CURSOR_MOVED] = g_signal_new (
    "cursor-moved", HEARTH_TYPE_CELL_GRID, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[HEARTH_GRID_HOVER_CHANGED] = g_signal_new (
    "hover-changed", HEARTH_TYPE_CELL_GRID, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[HEARTH_GRID_CELL_ACTIVATED] =
    g_signal_new ("cell-activated", HEARTH_TYPE_CELL_GRID, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                  G_TYPE_NONE, 0);
  signals[HEARTH_GRID_CELL_CLICKED] = g_signal_new (
    "cell-clicked", HEARTH_TYPE_CELL_GRID, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[HEARTH_GRID_TITLE_CLICKED] =
    g_signal_new ("title-clicked", HEARTH_TYPE_CELL_GRID, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                  G_TYPE_NONE, 2, G_TYPE_BOOLEAN, G_TYPE_UINT64);
  signals[HEARTH_GRID_ZOOM] = g_signal_new ("zoom", HEARTH_TYPE_CELL_GRID, G_SIGNAL_RUN_LAST, 0,
                                            NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_INT);
  _hearth_cell_grid_add_keys (widget_class);
  gtk_widget_class_set_css_name (widget_class, "cellgrid");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GRID);
}

static void
hearth_cell_grid_init (HearthCellGrid *self)
{
  HearthCellGridPrivate *priv = _hearth_cell_grid_get (self);

  priv->geometry = (HearthCellGeometry) { .cell_width = 16, .cell_height = 16 };
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  _hearth_cell_grid_add_controllers (self);
  g_signal_connect_object (self, "notify::has-focus", G_CALLBACK (gtk_widget_queue_draw), self,
                           G_CONNECT_DEFAULT);
}

void
hearth_cell_grid_set_geometry (HearthCellGrid *self, const HearthCellGeometry *geometry)
{
  HearthCellGridPrivate *priv;

  g_return_if_fail (HEARTH_IS_CELL_GRID (self));
  g_return_if_fail (geometry->cell_width > 0 && geometry->cell_height > 0);

  priv = _hearth_cell_grid_get (self);
  priv->geometry = *geometry;
  if (priv->cursor.row >= geometry->n_rows || priv->cursor.column >= geometry->n_columns)
    {
      priv->cursor.row = MIN (priv->cursor.row, MAX (geometry->n_rows, 1) - 1);
      priv->cursor.column = MIN (priv->cursor.column, MAX (geometry->n_columns, 1) - 1);
      priv->anchor = priv->cursor;
    }
  priv->hovers = FALSE;
  configure (self);
  hearth_cell_grid_invalidate (self);
  gtk_widget_queue_resize (GTK_WIDGET (self));
  _hearth_cell_grid_announce (self, FALSE);
}

const HearthCellGeometry *
hearth_cell_grid_get_geometry (HearthCellGrid *self)
{
  g_return_val_if_fail (HEARTH_IS_CELL_GRID (self), NULL);

  return &_hearth_cell_grid_get (self)->geometry;
}

void
hearth_cell_grid_set_flows (HearthCellGrid *self, gboolean flows)
{
  g_return_if_fail (HEARTH_IS_CELL_GRID (self));

  _hearth_cell_grid_get (self)->flows = flows;
}

void
hearth_cell_grid_set_selectable (HearthCellGrid *self, gboolean selectable)
{
  g_return_if_fail (HEARTH_IS_CELL_GRID (self));

  _hearth_cell_grid_get (self)->selectable = selectable;
}

guint
hearth_cell_grid_get_n_drawn (HearthCellGrid *self)
{
  g_return_val_if_fail (HEARTH_IS_CELL_GRID (self), 0);

  return _hearth_cell_grid_get (self)->n_drawn;
}

guint
hearth_cell_grid_get_n_cells (HearthCellGrid *self)
{
  g_return_val_if_fail (HEARTH_IS_CELL_GRID (self), 0);

  return _hearth_cell_grid_get (self)->n_cells;
}

GskRenderNode *
hearth_cell_grid_draw_all (HearthCellGrid *self, graphene_rect_t *bounds)
{
  HearthCellGridPrivate *priv;
  GskRenderNode *shown, *all;

  g_return_val_if_fail (HEARTH_IS_CELL_GRID (self), NULL);

  priv = _hearth_cell_grid_get (self);
  shown = g_steal_pointer (&priv->picture);
  priv->whole = TRUE;
  graphene_rect_init (bounds, 0, 0,
                      (float) (priv->geometry.title_width +
                               _hearth_cell_grid_get_content (self, GTK_ORIENTATION_HORIZONTAL)),
                      (float) (priv->geometry.title_height +
                               _hearth_cell_grid_get_content (self, GTK_ORIENTATION_VERTICAL)));
  draw_picture (self);
  all = g_steal_pointer (&priv->picture);
  priv->whole = FALSE;
  priv->picture = shown;
  return all;
}
