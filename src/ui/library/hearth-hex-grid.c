/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-hex-grid.h"

#include <math.h>

#include <glib/gi18n.h>

struct _HearthHexGrid
{
  HearthCellGrid parent_instance;

  HearthFileBytes *bytes;
  PangoLayout *layout;
  double letter;
  double line;
};

G_DEFINE_FINAL_TYPE (HearthHexGrid, hearth_hex_grid, HEARTH_TYPE_CELL_GRID)

static int
get_digits (HearthHexGrid *self)
{
  guint64 size = self->bytes != NULL ? hearth_file_bytes_get_size (self->bytes) : 0;
  int digits = 8;

  for (; digits < 16 && size >> (4 * digits) != 0; digits++)
    ;
  return digits;
}

static void
draw_text (HearthHexGrid *self, GtkSnapshot *snapshot, const char *text, double x,
           const graphene_rect_t *area, float alpha)
{
  GdkRGBA colour;

  gtk_widget_get_color (GTK_WIDGET (self), &colour);
  colour.alpha *= alpha;
  pango_layout_set_text (self->layout, text, -1);
  gtk_snapshot_save (snapshot);
  gtk_snapshot_translate (
    snapshot, &GRAPHENE_POINT_INIT (
                (float) x, floorf (area->origin.y + (area->size.height - (float) self->line) / 2)));
  gtk_snapshot_append_layout (snapshot, self->layout, &colour);
  gtk_snapshot_restore (snapshot);
}

static void
draw_row (HearthCellGrid *grid, GtkSnapshot *snapshot, guint64 row, guint64 first, guint64 last)
{
  HearthHexGrid *self = HEARTH_HEX_GRID (grid);
  guint64 offset = row * HEARTH_HEX_COLUMNS;
  guint64 size = hearth_file_bytes_get_size (self->bytes);
  gsize wanted = (gsize) MIN (HEARTH_HEX_COLUMNS, size - MIN (offset, size));
  guint8 data[HEARTH_HEX_COLUMNS];
  gsize n = hearth_file_bytes_peek (self->bytes, offset, data, wanted);
  char hex[HEARTH_HEX_COLUMNS * 3 + 1] = "";
  char text[HEARTH_HEX_COLUMNS * 2 + 1];
  gsize used = 0;
  graphene_rect_t area, trailer;

  /* One text for all of a row: a letter is as wide as any other. */
  for (gsize i = 0; i < wanted; i++)
    {
      if (i < n)
        g_snprintf (hex + 3 * i, 4, "%02X ", data[i]);
      else
        g_strlcpy (hex + 3 * i, ".. ", 4);
      text[used++] = i < n && data[i] >= 0x20 && data[i] < 0x7F ? (char) data[i] : '.';
    }
  text[used] = '\0';
  hearth_cell_grid_get_area (grid, row, 0, &area);
  draw_text (self, snapshot, hex, (double) area.origin.x + self->letter / 2, &area,
             n > 0 ? 1 : 0.3f);
  hearth_cell_grid_get_trailer (grid, row, &trailer);
  draw_text (self, snapshot, text, (double) trailer.origin.x + self->letter, &trailer,
             n > 0 ? 0.8f : 0.3f);
}

static void
draw_row_title (HearthCellGrid *grid, GtkSnapshot *snapshot, guint64 row,
                const graphene_rect_t *area)
{
  HearthHexGrid *self = HEARTH_HEX_GRID (grid);
  char text[24];

  g_snprintf (text, sizeof text, "%0*" G_GINT64_MODIFIER "X", get_digits (self),
              row * HEARTH_HEX_COLUMNS);
  draw_text (self, snapshot, text, (double) area->origin.x + self->letter / 2, area, 0.6f);
}

static void
draw_column_title (HearthCellGrid *grid, GtkSnapshot *snapshot, guint64 column,
                   const graphene_rect_t *area)
{
  HearthHexGrid *self = HEARTH_HEX_GRID (grid);
  char text[4];

  g_snprintf (text, sizeof text, "%02X", (guint) column);
  draw_text (self, snapshot, text, (double) area->origin.x + self->letter / 2, area, 0.6f);
}

static char *
describe (HearthCellGrid *grid, guint64 row, guint64 column)
{
  HearthHexGrid *self = HEARTH_HEX_GRID (grid);
  guint64 offset = row * HEARTH_HEX_COLUMNS + column;
  g_autofree char *place = NULL;
  g_autofree char *value = NULL;
  guint8 byte;

  if (self->bytes == NULL || offset >= hearth_file_bytes_get_size (self->bytes))
    return g_strdup (_ ("Past the end of the file"));
  place = g_strdup_printf ("%" G_GINT64_MODIFIER "X", offset);
  if (hearth_file_bytes_peek (self->bytes, offset, &byte, 1) == 0)
    /* Translators: an offset in a file, in hexadecimal */
    return g_strdup_printf (_ ("Offset %s"), place);
  value = g_strdup_printf ("%02X", byte);
  /* Translators: a byte and its offset in a file, both in hexadecimal */
  return g_strdup_printf (_ ("%1$s at offset %2$s"), value, place);
}

static void
update_geometry (HearthHexGrid *self)
{
  guint64 size = self->bytes != NULL ? hearth_file_bytes_get_size (self->bytes) : 0;
  HearthCellGeometry g = {
    .n_rows = size / HEARTH_HEX_COLUMNS + (size % HEARTH_HEX_COLUMNS != 0),
    .n_columns = HEARTH_HEX_COLUMNS,
    .cell_width = self->letter * 3,
    .cell_height = self->line + 2,
    .title_width = ceil (self->letter * (get_digits (self) + 1.5)),
    .title_height = self->line + 6,
    .trailer_width = self->letter * (HEARTH_HEX_COLUMNS + 2),
  };

  hearth_cell_grid_set_geometry (HEARTH_CELL_GRID (self), &g);
}

static void
restyle (HearthCellGrid *grid)
{
  HearthHexGrid *self = HEARTH_HEX_GRID (grid);
  PangoRectangle extents;

  g_clear_object (&self->layout);
  self->layout = gtk_widget_create_pango_layout (
    GTK_WIDGET (self), "0000000000000000000000000000000000000000000000000000000000000000");
  pango_layout_get_extents (self->layout, NULL, &extents);
  self->letter = MAX ((double) extents.width / PANGO_SCALE / 64, 1);
  self->line = (double) extents.height / PANGO_SCALE;
  update_geometry (self);
}

static void
hearth_hex_grid_dispose (GObject *object)
{
  HearthHexGrid *self = HEARTH_HEX_GRID (object);

  if (self->bytes != NULL)
    g_signal_handlers_disconnect_by_data (self->bytes, self);
  g_clear_object (&self->bytes);
  g_clear_object (&self->layout);
  G_OBJECT_CLASS (hearth_hex_grid_parent_class)->dispose (object);
}

static void
hearth_hex_grid_class_init (HearthHexGridClass *klass)
{
  HearthCellGridClass *grid_class = HEARTH_CELL_GRID_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hearth_hex_grid_dispose;
  grid_class->draw_row = draw_row;
  grid_class->draw_row_title = draw_row_title;
  grid_class->draw_column_title = draw_column_title;
  grid_class->describe = describe;
  grid_class->restyle = restyle;
}

static void
hearth_hex_grid_init (HearthHexGrid *self)
{
  /* Until the font is known: there are cells to go to before there is a style. */
  self->letter = 8;
  self->line = 16;
  /* Bytes go from left to right, whatever the language. */
  gtk_widget_set_direction (GTK_WIDGET (self), GTK_TEXT_DIR_LTR);
  gtk_widget_add_css_class (GTK_WIDGET (self), "monospace");
  hearth_cell_grid_set_selectable (HEARTH_CELL_GRID (self), TRUE);
  hearth_cell_grid_set_flows (HEARTH_CELL_GRID (self), TRUE);
}

GtkWidget *
hearth_hex_grid_new (void)
{
  return g_object_new (HEARTH_TYPE_HEX_GRID, NULL);
}

void
hearth_hex_grid_set_bytes (HearthHexGrid *self, HearthFileBytes *bytes)
{
  g_return_if_fail (HEARTH_IS_HEX_GRID (self));

  if (self->bytes != NULL)
    g_signal_handlers_disconnect_by_data (self->bytes, self);
  g_set_object (&self->bytes, bytes);
  if (bytes != NULL)
    g_signal_connect_object (bytes, "changed", G_CALLBACK (hearth_cell_grid_invalidate), self,
                             G_CONNECT_SWAPPED);
  update_geometry (self);
}

void
hearth_hex_grid_go_to (HearthHexGrid *self, guint64 offset, guint64 n_selected)
{
  guint64 last = offset + MAX (n_selected, 1) - 1;

  g_return_if_fail (HEARTH_IS_HEX_GRID (self));

  hearth_cell_grid_set_cursor (HEARTH_CELL_GRID (self), last / HEARTH_HEX_COLUMNS,
                               last % HEARTH_HEX_COLUMNS, FALSE);
  if (last != offset)
    hearth_cell_grid_set_cursor (HEARTH_CELL_GRID (self), offset / HEARTH_HEX_COLUMNS,
                                 offset % HEARTH_HEX_COLUMNS, TRUE);
  hearth_cell_grid_show_cursor_first (HEARTH_CELL_GRID (self));
}

guint64
hearth_hex_grid_get_offset (HearthHexGrid *self)
{
  HearthCell cell = { 0 };

  g_return_val_if_fail (HEARTH_IS_HEX_GRID (self), 0);

  hearth_cell_grid_get_cursor (HEARTH_CELL_GRID (self), &cell);
  return cell.row * HEARTH_HEX_COLUMNS + cell.column;
}

void
hearth_hex_grid_get_range (HearthHexGrid *self, guint64 *offset, guint64 *size)
{
  HearthCell first, last;
  guint64 all;

  g_return_if_fail (HEARTH_IS_HEX_GRID (self));

  hearth_cell_grid_get_selection (HEARTH_CELL_GRID (self), &first, &last);
  all = self->bytes != NULL ? hearth_file_bytes_get_size (self->bytes) : 0;
  *offset = MIN (first.row * HEARTH_HEX_COLUMNS + first.column, all);
  *size = MIN (last.row * HEARTH_HEX_COLUMNS + last.column + 1, all) - *offset;
}
