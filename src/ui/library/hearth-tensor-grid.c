/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-tensor-grid.h"

#include <math.h>

#include <glib/gi18n.h>

#include "hearth-words.h"

/* Characters of a column: "-1.23456e-10" and a space. */
#define COLUMN_LETTERS 13

struct _HearthTensorGrid
{
  HearthCellGrid parent_instance;

  HearthTensorRows *rows;
  PangoLayout *layout;
  double letter;
  double line;
};

G_DEFINE_FINAL_TYPE (HearthTensorGrid, hearth_tensor_grid, HEARTH_TYPE_CELL_GRID)

static void
draw_text (HearthTensorGrid *self, GtkSnapshot *snapshot, const char *text,
           const graphene_rect_t *area, float alpha)
{
  GdkRGBA colour;
  int width, height;

  gtk_widget_get_color (GTK_WIDGET (self), &colour);
  colour.alpha *= alpha;
  pango_layout_set_text (self->layout, text, -1);
  pango_layout_get_pixel_size (self->layout, &width, &height);
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (
    snapshot,
    &GRAPHENE_POINT_INIT (
      floorf (area->origin.x + area->size.width - (float) width - (float) self->letter / 2),
      floorf (area->origin.y + (area->size.height - (float) height) / 2)));
  gtk_snapshot_append_layout (snapshot, self->layout, &colour);
  gtk_snapshot_restore (snapshot);
}

static void
draw_row (HearthCellGrid *grid, GtkSnapshot *snapshot, guint64 row, guint64 first, guint64 last)
{
  HearthTensorGrid *self = HEARTH_TENSOR_GRID (grid);

  for (guint64 column = first; column <= last; column++)
    {
      graphene_rect_t area;
      float value;

      hearth_cell_grid_get_area (grid, row, column, &area);
      if (hearth_tensor_rows_peek (self->rows, row, column, &value))
        {
          g_autofree char *text = hearth_words_for_value (value);

          draw_text (self, snapshot, text, &area, value == 0 ? 0.5f : 1);
        }
      else
        draw_text (self, snapshot, hearth_tensor_rows_get_error (self->rows) != NULL ? "–" : "…",
                   &area, 0.4f);
    }
}

static void
draw_number (HearthTensorGrid *self, GtkSnapshot *snapshot, guint64 number,
             const graphene_rect_t *area)
{
  g_autofree char *text = hearth_words_for_number (number);

  draw_text (self, snapshot, text, area, 0.6f);
}

static void
draw_row_title (HearthCellGrid *grid, GtkSnapshot *snapshot, guint64 row,
                const graphene_rect_t *area)
{
  draw_number (HEARTH_TENSOR_GRID (grid), snapshot, row, area);
}

static void
draw_column_title (HearthCellGrid *grid, GtkSnapshot *snapshot, guint64 column,
                   const graphene_rect_t *area)
{
  draw_number (HEARTH_TENSOR_GRID (grid), snapshot, column, area);
}

static char *
describe (HearthCellGrid *grid, guint64 row, guint64 column)
{
  HearthTensorGrid *self = HEARTH_TENSOR_GRID (grid);
  g_autofree char *row_text = hearth_words_for_number (row);
  g_autofree char *column_text = hearth_words_for_number (column);
  g_autofree char *text = NULL;
  float value;

  if (self->rows != NULL && hearth_tensor_rows_peek (self->rows, row, column, &value))
    text = hearth_words_for_value (value);
  /* Translators: a value of a tensor and its place: "0.0123, row 5, column 17" */
  return g_strdup_printf (_ ("%1$s, row %2$s, column %3$s"), text != NULL ? text : "…", row_text,
                          column_text);
}

static void
update_geometry (HearthTensorGrid *self)
{
  HearthTensor *tensor = self->rows != NULL ? hearth_tensor_rows_get_tensor (self->rows) : NULL;
  guint64 n_rows = tensor != NULL ? hearth_tensor_get_n_rows (tensor) : 0;
  g_autofree char *widest = hearth_words_for_number (n_rows);
  HearthCellGeometry g = {
    .n_rows = n_rows,
    .n_columns = tensor != NULL ? hearth_tensor_get_row_length (tensor) : 0,
    .cell_width = ceil (self->letter * COLUMN_LETTERS),
    .cell_height = self->line + 4,
    .title_width = ceil (self->letter * ((double) g_utf8_strlen (widest, -1) + 1.5)),
    .title_height = self->line + 6,
  };

  hearth_cell_grid_set_geometry (HEARTH_CELL_GRID (self), &g);
}

static void
restyle (HearthCellGrid *grid)
{
  HearthTensorGrid *self = HEARTH_TENSOR_GRID (grid);
  int width, height;

  g_clear_object (&self->layout);
  self->layout = gtk_widget_create_pango_layout (GTK_WIDGET (self), "0000000000");
  pango_layout_get_pixel_size (self->layout, &width, &height);
  self->letter = MAX (width / 10.0, 1);
  self->line = height;
  update_geometry (self);
}

/* ---- copying ---------------------------------------------------------------------------- */

static void
copied_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HearthTensorGrid) self = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = hearth_tensor_rows_export_finish (result, &error);
  g_autofree char *text = NULL;

  if (bytes == NULL)
    {
      gtk_widget_activate_action (GTK_WIDGET (self), "win.toast", "s", error->message);
      return;
    }
  text = g_strndup (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes));
  g_strchomp (text);
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), text);
}

static void
copy_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthTensorGrid *self = HEARTH_TENSOR_GRID (widget);
  HearthCell first, last;
  HearthTensorRange range;

  if (self->rows == NULL)
    return;
  hearth_cell_grid_get_selection (HEARTH_CELL_GRID (self), &first, &last);
  range = (HearthTensorRange) { .first_row = first.row,
                                .n_rows = last.row - first.row + 1,
                                .first_column = first.column,
                                .n_columns = last.column - first.column + 1,
                                .separator = '\t' };
  hearth_tensor_rows_export_async (self->rows, &range, NULL, copied_cb, g_object_ref (self));
}

/* ---- the widget ------------------------------------------------------------------------- */

static void
hearth_tensor_grid_dispose (GObject *object)
{
  HearthTensorGrid *self = HEARTH_TENSOR_GRID (object);

  if (self->rows != NULL)
    g_signal_handlers_disconnect_by_data (self->rows, self);
  g_clear_object (&self->rows);
  g_clear_object (&self->layout);
  G_OBJECT_CLASS (hearth_tensor_grid_parent_class)->dispose (object);
}

static void
hearth_tensor_grid_class_init (HearthTensorGridClass *klass)
{
  HearthCellGridClass *grid_class = HEARTH_CELL_GRID_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hearth_tensor_grid_dispose;
  grid_class->draw_row = draw_row;
  grid_class->draw_row_title = draw_row_title;
  grid_class->draw_column_title = draw_column_title;
  grid_class->describe = describe;
  grid_class->restyle = restyle;
  gtk_widget_class_install_action (widget_class, "grid.copy", NULL, copy_action);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_c, GDK_CONTROL_MASK, "grid.copy",
                                       NULL);
}

static void
hearth_tensor_grid_init (HearthTensorGrid *self)
{
  /* Until the font is known: there are cells to go to before there is a style. */
  self->letter = 8;
  self->line = 16;
  /* Numbers stand as in mathematics, whatever the language. */
  gtk_widget_set_direction (GTK_WIDGET (self), GTK_TEXT_DIR_LTR);
  gtk_widget_add_css_class (GTK_WIDGET (self), "numeric");
  hearth_cell_grid_set_selectable (HEARTH_CELL_GRID (self), TRUE);
}

GtkWidget *
hearth_tensor_grid_new (void)
{
  return g_object_new (HEARTH_TYPE_TENSOR_GRID, NULL);
}

void
hearth_tensor_grid_set_rows (HearthTensorGrid *self, HearthTensorRows *rows)
{
  g_return_if_fail (HEARTH_IS_TENSOR_GRID (self));

  if (self->rows != NULL)
    g_signal_handlers_disconnect_by_data (self->rows, self);
  g_set_object (&self->rows, rows);
  if (rows != NULL)
    g_signal_connect_object (rows, "changed", G_CALLBACK (hearth_cell_grid_invalidate), self,
                             G_CONNECT_SWAPPED);
  update_geometry (self);
}
