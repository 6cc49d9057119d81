/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-tensor-map-view.h"

#include <math.h>

#include <glib/gi18n.h>

#include "hearth-cell-paint.h"
#include "hearth-words.h"

/* A picture larger than this in one direction is not made. */
#define MOST_PIXELS 16000.0f
#define LEAST_HEIGHT 16

struct _HearthTensorMapView
{
  HearthCellGrid parent_instance;

  HearthTensorMap *map;
  HearthMapColours colours;
  guint zoom;
  guint64 hidden[2]; /* a bit for each type or step, by HearthMapColours */
  HearthCellPaint *paint;
  PangoLayout *layout;
  double letter; /* width of a digit */
  double line;   /* height of a line */
  double title_width;
};

G_DEFINE_FINAL_TYPE (HearthTensorMapView, hearth_tensor_map_view, HEARTH_TYPE_CELL_GRID)

static const double widths[HEARTH_MAP_N_ZOOMS] = { 4, 6, 9, 13, 18, 26, 36, 52, 72 };

/* ---- words ------------------------------------------------------------------------------ */

char *
hearth_tensor_map_dup_row_title (HearthTensorMap *map, guint row)
{
  const char *title = hearth_tensor_map_get_row_title (map, row);
  const char *suffix = hearth_tensor_map_get_row_suffix (map, row);

  if (title == NULL)
    return g_strdup (hearth_tensor_map_get_row_key (map, row));
  if (suffix == NULL)
    return g_strdup (_ (title));
  /* Translators: what a tensor is for, and which part of it: "Attention Q, bias" */
  return g_strdup_printf (_ ("%1$s, %2$s"), _ (title),
                          g_str_equal (suffix, "bias") ? _ ("bias") : suffix);
}

char *
hearth_tensor_map_dup_facts (HearthTensorMap *map, HearthTensor *tensor)
{
  g_autofree char *size = hearth_words_for_size (hearth_tensor_get_n_bytes (tensor));
  g_autofree char *shape = hearth_words_in_order (hearth_tensor_get_shape (tensor));
  g_autofree char *title = NULL;
  guint row, column;

  if (!hearth_tensor_map_find (map, tensor, &row, &column))
    return g_strdup (hearth_tensor_get_name (tensor));
  title = hearth_tensor_map_dup_row_title (map, row);
  /* Translators: name, what it is for, type, shape, size, bits per weight of a tensor */
  return g_strdup_printf (_ ("%1$s · %2$s · %3$s · %4$s · %5$s · %6$.4g bits per weight"),
                          hearth_tensor_get_name (tensor), title,
                          hearth_tensor_get_type_name (tensor), shape, size,
                          hearth_tensor_get_bits_per_weight (tensor));
}

static char *
describe (HearthCellGrid *grid, guint64 row, guint64 column)
{
  HearthTensorMapView *self = HEARTH_TENSOR_MAP_VIEW (grid);
  HearthTensor *tensor = hearth_tensor_map_get_tensor (self->map, (guint) row, (guint) column);
  g_autofree char *title = NULL;
  int layer;

  if (tensor != NULL)
    return hearth_tensor_map_dup_facts (self->map, tensor);
  title = hearth_tensor_map_dup_row_title (self->map, (guint) row);
  layer = hearth_tensor_map_get_layer (self->map, (guint) column);
  if (layer < 0)
    /* Translators: a place of the map of tensors where there is none */
    return g_strdup_printf (_ ("%s, outside the layers: nothing"), title);
  return g_strdup_printf (_ ("%1$s, layer %2$d: nothing"), title, layer);
}

/* ---- drawing ---------------------------------------------------------------------------- */

static guint
get_index (HearthTensorMapView *self, HearthTensor *tensor)
{
  return self->colours == HEARTH_MAP_BY_TYPE ? hearth_tensor_map_find_type (self->map, tensor)
                                             : hearth_tensor_map_get_bits_step (tensor);
}

static void
draw_text (HearthTensorMapView *self, GtkSnapshot *snapshot, const char *text,
           const graphene_rect_t *area, double xalign, const GdkRGBA *colour, gboolean ellipsize)
{
  int width, height;

  pango_layout_set_width (self->layout, -1);
  pango_layout_set_text (self->layout, text, -1);
  pango_layout_get_pixel_size (self->layout, &width, &height);
  if (width > (int) area->size.width)
    {
      if (!ellipsize)
        return;
      pango_layout_set_width (self->layout, (int) area->size.width * PANGO_SCALE);
      width = (int) area->size.width;
    }
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (
    snapshot, &GRAPHENE_POINT_INIT (
                floorf (area->origin.x + (area->size.width - (float) width) * (float) xalign),
                floorf (area->origin.y + (area->size.height - (float) height) / 2)));
  gtk_snapshot_append_layout (snapshot, self->layout, colour);
  gtk_snapshot_restore (snapshot);
}

static void
draw_cell (HearthTensorMapView *self, GtkSnapshot *snapshot, HearthTensor *tensor,
           graphene_rect_t *area)
{
  guint index = get_index (self, tensor);
  gboolean hidden = (self->hidden[self->colours] >> (index % 64) & 1) != 0;

  graphene_rect_inset (area, area->size.width >= 9 ? 1 : area->size.width >= 6 ? 0.5f : 0, 1);
  if (hidden)
    {
      hearth_cell_paint_outline (self->paint, snapshot, area);
      return;
    }
  if (self->colours == HEARTH_MAP_BY_BITS)
    {
      g_autofree char *bits = NULL;

      hearth_cell_paint_level (self->paint, snapshot, index, area);
      if (area->size.width < self->letter * 4)
        return;
      bits = g_strdup_printf ("%.3g", hearth_tensor_get_bits_per_weight (tensor));
      draw_text (self, snapshot, bits, area, 0.5,
                 hearth_cell_paint_get_level_text (self->paint, index), FALSE);
      return;
    }
  if (area->size.width < self->letter * 5)
    hearth_cell_paint_type (self->paint, snapshot, index, area, area->size.width >= 7);
  else
    {
      hearth_cell_paint_type (self->paint, snapshot, index, area, FALSE);
      draw_text (self, snapshot, hearth_tensor_get_type_name (tensor), area, 0.5,
                 hearth_cell_paint_get_type_text (self->paint, index), FALSE);
    }
}

static void
draw_row (HearthCellGrid *grid, GtkSnapshot *snapshot, guint64 row, guint64 first, guint64 last)
{
  HearthTensorMapView *self = HEARTH_TENSOR_MAP_VIEW (grid);
  HearthTensor *tensor;

  for (guint column = (guint) first;
       hearth_tensor_map_next (self->map, (guint) row, &column, &tensor) && column <= last;
       column++)
    {
      graphene_rect_t area;

      hearth_cell_grid_get_area (grid, row, column, &area);
      draw_cell (self, snapshot, tensor, &area);
    }
}

static void
draw_row_title (HearthCellGrid *grid, GtkSnapshot *snapshot, guint64 row,
                const graphene_rect_t *area)
{
  HearthTensorMapView *self = HEARTH_TENSOR_MAP_VIEW (grid);
  g_autofree char *title = hearth_tensor_map_dup_row_title (self->map, (guint) row);
  graphene_rect_t inside = *area;
  GdkRGBA colour;

  gtk_widget_get_color (GTK_WIDGET (self), &colour);
  graphene_rect_inset (&inside, 6, 0);
  pango_layout_set_ellipsize (self->layout, PANGO_ELLIPSIZE_END);
  draw_text (self, snapshot, title, &inside,
             gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL ? 1 : 0, &colour,
             TRUE);
  pango_layout_set_ellipsize (self->layout, PANGO_ELLIPSIZE_NONE);
}

static void
draw_column_title (HearthCellGrid *grid, GtkSnapshot *snapshot, guint64 column,
                   const graphene_rect_t *area)
{
  HearthTensorMapView *self = HEARTH_TENSOR_MAP_VIEW (grid);
  int layer = hearth_tensor_map_get_layer (self->map, (guint) column);
  int last =
    hearth_tensor_map_get_layer (self->map, hearth_tensor_map_get_n_columns (self->map) - 1);
  double needed = self->letter * (1 + (last > 0 ? floor (log10 (last)) + 1 : 1));
  guint every = 1;
  graphene_rect_t wide = *area;
  char text[16];
  GdkRGBA colour;

  if (layer < 0)
    return;
  /* Every second, fifth, tenth … when they do not fit side by side. */
  for (guint i = 0; every * widths[self->zoom] < needed; i++)
    every = every * 2 + (i % 3 == 1 ? every / 2 : 0);
  if (layer % (int) every != 0)
    return;
  gtk_widget_get_color (GTK_WIDGET (self), &colour);
  colour.alpha *= 0.6f;
  g_snprintf (text, sizeof text, "%d", layer);
  graphene_rect_inset (&wide, -20, 0);
  draw_text (self, snapshot, text, &wide, 0.5, &colour, FALSE);
}

/* ---- sizes ------------------------------------------------------------------------------ */

static void
update_geometry (HearthTensorMapView *self)
{
  HearthCellGeometry g = { .cell_width = widths[self->zoom] };
  guint n_rows = self->map != NULL ? hearth_tensor_map_get_n_rows (self->map) : 0;
  double widest = 0;

  g.cell_height = MAX (self->line + 2, LEAST_HEIGHT);
  g.title_height = self->line + 4;
  g.n_rows = n_rows;
  g.n_columns = self->map != NULL ? hearth_tensor_map_get_n_columns (self->map) : 0;
  /* A model of this many roles has names that nobody reads in a column anyway. */
  for (guint row = 0; self->layout != NULL && row < MIN (n_rows, 300); row++)
    {
      g_autofree char *title = hearth_tensor_map_dup_row_title (self->map, row);
      int width;

      pango_layout_set_width (self->layout, -1);
      pango_layout_set_text (self->layout, title, -1);
      pango_layout_get_pixel_size (self->layout, &width, NULL);
      widest = MAX (widest, width);
    }
  self->title_width = g.title_width = ceil (MIN (widest + 14, self->letter * 26));
  hearth_cell_grid_set_geometry (HEARTH_CELL_GRID (self), &g);
}

static void
restyle (HearthCellGrid *grid)
{
  HearthTensorMapView *self = HEARTH_TENSOR_MAP_VIEW (grid);
  int width, height;

  g_clear_object (&self->layout);
  self->layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), "0");
  pango_layout_get_pixel_size (self->layout, &width, &height);
  self->letter = MAX (width, 1);
  self->line = height;
  hearth_cell_paint_update (self->paint);
  update_geometry (self);
}

/* ---- the widget ------------------------------------------------------------------------- */

/* Titles give way in a narrow window. */
static double
fit_titles (HearthCellGrid *grid, int width)
{
  return ceil (MIN (HEARTH_TENSOR_MAP_VIEW (grid)->title_width, width * 0.45));
}

static void
hearth_tensor_map_view_dispose (GObject *object)
{
  HearthTensorMapView *self = HEARTH_TENSOR_MAP_VIEW (object);

  g_clear_object (&self->map);
  g_clear_object (&self->layout);
  g_clear_pointer (&self->paint, hearth_cell_paint_free);
  G_OBJECT_CLASS (hearth_tensor_map_view_parent_class)->dispose (object);
}

static void
hearth_tensor_map_view_class_init (HearthTensorMapViewClass *klass)
{
  HearthCellGridClass *grid_class = HEARTH_CELL_GRID_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hearth_tensor_map_view_dispose;
  grid_class->draw_row = draw_row;
  grid_class->draw_row_title = draw_row_title;
  grid_class->draw_column_title = draw_column_title;
  grid_class->describe = describe;
  grid_class->fit_titles = fit_titles;
  grid_class->restyle = restyle;
  gtk_widget_class_set_css_name (GTK_WIDGET_CLASS (klass), "tensormap");
}

static void
hearth_tensor_map_view_init (HearthTensorMapView *self)
{
  self->zoom = HEARTH_MAP_FIRST_ZOOM;
  /* Until the font is known. */
  self->letter = 8;
  self->line = 16;
  self->paint = hearth_cell_paint_new (GTK_WIDGET (self));
}

GtkWidget *
hearth_tensor_map_view_new (void)
{
  return g_object_new (HEARTH_TYPE_TENSOR_MAP_VIEW, NULL);
}

void
hearth_tensor_map_view_set_map (HearthTensorMapView *self, HearthTensorMap *map)
{
  g_return_if_fail (HEARTH_IS_TENSOR_MAP_VIEW (self));

  if (!g_set_object (&self->map, map))
    return;
  self->hidden[0] = self->hidden[1] = 0;
  update_geometry (self);
  hearth_cell_grid_set_cursor (HEARTH_CELL_GRID (self), 0, 0, FALSE);
}

void
hearth_tensor_map_view_set_colours (HearthTensorMapView *self, HearthMapColours colours)
{
  g_return_if_fail (HEARTH_IS_TENSOR_MAP_VIEW (self));

  if (self->colours == colours)
    return;
  self->colours = colours;
  hearth_cell_grid_invalidate (HEARTH_CELL_GRID (self));
}

void
hearth_tensor_map_view_set_zoom (HearthTensorMapView *self, guint zoom)
{
  HearthCell cursor;

  g_return_if_fail (HEARTH_IS_TENSOR_MAP_VIEW (self));

  zoom = MIN (zoom, HEARTH_MAP_N_ZOOMS - 1);
  if (self->zoom == zoom)
    return;
  self->zoom = zoom;
  update_geometry (self);
  if (hearth_cell_grid_get_cursor (HEARTH_CELL_GRID (self), &cursor))
    hearth_cell_grid_set_cursor (HEARTH_CELL_GRID (self), cursor.row, cursor.column, FALSE);
}

guint
hearth_tensor_map_view_get_zoom (HearthTensorMapView *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR_MAP_VIEW (self), 0);

  return self->zoom;
}

void
hearth_tensor_map_view_set_hidden (HearthTensorMapView *self, guint index, gboolean hidden)
{
  guint64 bit = (guint64) 1 << (index % 64);

  g_return_if_fail (HEARTH_IS_TENSOR_MAP_VIEW (self));

  if (hidden)
    self->hidden[self->colours] |= bit;
  else
    self->hidden[self->colours] &= ~bit;
  hearth_cell_grid_invalidate (HEARTH_CELL_GRID (self));
}

gboolean
hearth_tensor_map_view_get_hidden (HearthTensorMapView *self, guint index)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR_MAP_VIEW (self), FALSE);

  return (self->hidden[self->colours] >> (index % 64) & 1) != 0;
}

static HearthTensor *
tensor_at (HearthTensorMapView *self, const HearthCell *cell)
{
  return self->map != NULL
           ? hearth_tensor_map_get_tensor (self->map, (guint) cell->row, (guint) cell->column)
           : NULL;
}

HearthTensor *
hearth_tensor_map_view_get_tensor (HearthTensorMapView *self)
{
  HearthCell cell;

  g_return_val_if_fail (HEARTH_IS_TENSOR_MAP_VIEW (self), NULL);

  return hearth_cell_grid_get_cursor (HEARTH_CELL_GRID (self), &cell) ? tensor_at (self, &cell)
                                                                      : NULL;
}

HearthTensor *
hearth_tensor_map_view_get_pointed (HearthTensorMapView *self)
{
  HearthCell cell;
  HearthTensor *tensor = NULL;

  g_return_val_if_fail (HEARTH_IS_TENSOR_MAP_VIEW (self), NULL);

  if (hearth_cell_grid_get_hover (HEARTH_CELL_GRID (self), &cell))
    tensor = tensor_at (self, &cell);
  return tensor != NULL ? tensor : hearth_tensor_map_view_get_tensor (self);
}

void
hearth_tensor_map_view_go_to (HearthTensorMapView *self, HearthTensor *tensor)
{
  guint row, column;

  g_return_if_fail (HEARTH_IS_TENSOR_MAP_VIEW (self));

  if (self->map != NULL && hearth_tensor_map_find (self->map, tensor, &row, &column))
    hearth_cell_grid_set_cursor (HEARTH_CELL_GRID (self), row, column, FALSE);
}

GdkTexture *
hearth_tensor_map_view_draw (HearthTensorMapView *self)
{
  const HearthCellGeometry *g = hearth_cell_grid_get_geometry (HEARTH_CELL_GRID (self));
  GtkNative *native = gtk_widget_get_native (GTK_WIDGET (self));
  GtkSnapshot *snapshot;
  g_autoptr (GskRenderNode) cells = NULL;
  g_autoptr (GskRenderNode) all = NULL;
  graphene_rect_t bounds;

  if (native == NULL || self->map == NULL || g->n_rows == 0 || g->n_columns == 0 ||
      g->title_width + (double) g->n_columns * g->cell_width > MOST_PIXELS ||
      g->title_height + (double) g->n_rows * g->cell_height > MOST_PIXELS)
    return NULL;
  cells = hearth_cell_grid_draw_all (HEARTH_CELL_GRID (self), &bounds);
  if (cells == NULL)
    return NULL;
  snapshot = gtk_snapshot_new ();
  graphene_rect_inset (&bounds, -12, -12);
  gtk_snapshot_append_color (snapshot, hearth_cell_paint_get_background (self->paint), &bounds);
  gtk_snapshot_append_node (snapshot, cells);
  all = gtk_snapshot_free_to_node (snapshot);
  return gsk_renderer_render_texture (gtk_native_get_renderer (native), all, &bounds);
}
