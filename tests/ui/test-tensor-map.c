/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ftruncate(), pwrite() */
#define _DEFAULT_SOURCE
/* What is drawn cell by cell, in a real window, with counters: the map with 50,000 tensors in one
 * row and in 50,000 rows, the bytes of a file of 30 GB, its strip and its table of 50,000 regions.
 * The pointer and the cursor draw no cell anew; scrolling draws what is on the screen; dragging
 * over gigabytes reads what is on the screen when it stops. */
#include <adwaita.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <unistd.h>

#include "hearth-file-layout.h"
#include "hearth-file-strip.h"
#include "hearth-hex-grid.h"
#include "hearth-region-table.h"
#include "hearth-tensor-map-view.h"
#include "window-test.h"

#define N_TENSORS 50000u
#define FILE_BYTES ((guint64) 30000000000)
/* A screen of cells, and some: far fewer than there are. */
#define MOST_CELLS 12000u
#define MOST_ROWS 300u

static GtkWindow *window;
static char *folder;

static void
show (GtkWidget *child)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();

  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), child);
  gtk_window_set_child (window, scroller);
  window_test_wait_frames (4);
}

/* Each in a layer of its own, or each with a role of its own. */
static HearthTensorMap *
create_map (gboolean many_rows)
{
  g_autoptr (GListStore) store = g_list_store_new (HEARTH_TYPE_TENSOR);
  g_autoptr (GPtrArray) all = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < N_TENSORS; i++)
    {
      HearthTensorFields fields = { .name = many_rows ? g_strdup_printf ("blk.0.part_%u", i)
                                                      : g_strdup_printf ("blk.%u.ffn_up.weight", i),
                                    .type = g_intern_string (i % 3 == 0 ? "Q4_K" : "F32"),
                                    .shape = g_strdup ("64"),
                                    .n_elements = 64,
                                    .n_bytes = i % 3 == 0 ? 36 : 256,
                                    .row_length = 64,
                                    .position = i };

      g_ptr_array_add (all, hearth_tensor_new_take (NULL, &fields));
    }
  g_list_store_splice (store, 0, 0, all->pdata, all->len);
  return hearth_tensor_map_new (G_LIST_MODEL (store));
}

static void
check_cells (HearthCellGrid *grid, const char *when)
{
  g_test_message ("%s: %u cells, drawn %u times in %u frames", when,
                  hearth_cell_grid_get_n_cells (grid), hearth_cell_grid_get_n_drawn (grid),
                  window_test_n_frames);
  g_assert_cmpuint (hearth_cell_grid_get_n_cells (grid), >, 0);
  g_assert_cmpuint (hearth_cell_grid_get_n_cells (grid), <, MOST_CELLS);
}

static void
test_map (gconstpointer many_rows)
{
  g_autoptr (HearthTensorMap) map = create_map (GPOINTER_TO_INT (many_rows));
  HearthTensorMapView *view = HEARTH_TENSOR_MAP_VIEW (hearth_tensor_map_view_new ());
  HearthCellGrid *grid = HEARTH_CELL_GRID (view);
  GtkOrientation along =
    GPOINTER_TO_INT (many_rows) ? GTK_ORIENTATION_VERTICAL : GTK_ORIENTATION_HORIZONTAL;
  GtkAdjustment *adjustment;
  HearthCell cell;
  double page, end;
  guint before;

  hearth_tensor_map_view_set_map (view, map);
  show (GTK_WIDGET (view));
  check_cells (grid, "shown");

  /* The cursor within what is in sight: not one cell is drawn anew, in any number of frames. */
  gtk_widget_grab_focus (GTK_WIDGET (view));
  window_test_settle (hearth_cell_grid_get_n_drawn (grid));
  before = hearth_cell_grid_get_n_drawn (grid);
  for (guint i = 0; i < 10; i++)
    {
      hearth_cell_grid_set_cursor (grid, along == GTK_ORIENTATION_VERTICAL ? i : 0,
                                   along == GTK_ORIENTATION_VERTICAL ? 0 : i, FALSE);
      window_test_wait_frames (2);
    }
  g_assert_cmpuint (hearth_cell_grid_get_n_drawn (grid), ==, before);
  g_assert_true (hearth_cell_grid_get_cursor (grid, &cell));
  g_assert_cmpuint (cell.row + cell.column, ==, 9);
  g_assert_true (hearth_tensor_map_view_get_tensor (view) ==
                 hearth_tensor_map_get_tensor (map, (guint) cell.row, (guint) cell.column));

  /* Scrolling: once for each place at most. */
  adjustment = along == GTK_ORIENTATION_VERTICAL
                 ? gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (view))
                 : gtk_scrollable_get_hadjustment (GTK_SCROLLABLE (view));
  page = gtk_adjustment_get_page_size (adjustment);
  end = gtk_adjustment_get_upper (adjustment) - page;
  g_assert_cmpfloat (end, >, 500 * page);
  before = hearth_cell_grid_get_n_drawn (grid);
  for (guint i = 0; i <= 40; i++)
    {
      gtk_adjustment_set_value (adjustment, end * i / 40);
      window_test_wait_frames (1);
    }
  window_test_wait_frames (3);
  g_assert_cmpuint (hearth_cell_grid_get_n_drawn (grid) - before, <=, 41);
  check_cells (grid, "scrolled");

  /* To a tensor far away: its cell is in sight; the smallest and the largest zoom. */
  hearth_tensor_map_view_go_to (
    view, hearth_tensor_map_get_tensor (map, along == GTK_ORIENTATION_VERTICAL ? 31000 : 0,
                                        along == GTK_ORIENTATION_VERTICAL ? 0 : 31000));
  for (guint zoom = 0; zoom < HEARTH_MAP_N_ZOOMS; zoom += HEARTH_MAP_N_ZOOMS - 1)
    {
      graphene_rect_t area;

      hearth_tensor_map_view_set_zoom (view, zoom);
      window_test_wait_frames (4);
      check_cells (grid, "zoomed");
      hearth_cell_grid_get_cursor (grid, &cell);
      g_assert_cmpuint (cell.row + cell.column, ==, 31000);
      hearth_cell_grid_get_area (grid, cell.row, cell.column, &area);
      g_assert_cmpfloat (area.origin.x, >=, 0);
      g_assert_cmpfloat (area.origin.x, <, gtk_widget_get_width (GTK_WIDGET (view)));
      g_assert_cmpfloat (area.origin.y, >=, 0);
      g_assert_cmpfloat (area.origin.y, <, gtk_widget_get_height (GTK_WIDGET (view)));
    }
  /* A picture of it would be too large, and is refused. */
  g_assert_null (hearth_tensor_map_view_draw (view));
}

static void
test_picture (void)
{
  g_autoptr (GListStore) store = g_list_store_new (HEARTH_TYPE_TENSOR);
  g_autoptr (HearthTensorMap) map = NULL;
  HearthTensorMapView *view = HEARTH_TENSOR_MAP_VIEW (hearth_tensor_map_view_new ());
  g_autoptr (GdkTexture) picture = NULL;
  g_autoptr (GdkTexture) hidden = NULL;
  const HearthCellGeometry *g;
  graphene_rect_t area;
  g_autofree guint32 *pixels = NULL;
  g_autofree guint32 *others = NULL;
  gsize stride;
  guint n_different = 0;

  for (guint i = 0; i < 40; i++)
    {
      HearthTensorFields fields = { .name = g_strdup_printf ("blk.%u.ffn_%s.weight", i / 2,
                                                             i % 2 == 0 ? "up" : "down"),
                                    .type = g_intern_string (i % 2 == 0 ? "Q4_K" : "F32"),
                                    .shape = g_strdup ("64"),
                                    .n_elements = 64,
                                    .n_bytes = i % 2 == 0 ? 36 : 256,
                                    .row_length = 64,
                                    .position = i };
      g_autoptr (HearthTensor) tensor = hearth_tensor_new_take (NULL, &fields);

      g_list_store_append (store, tensor);
    }
  map = hearth_tensor_map_new (G_LIST_MODEL (store));
  hearth_tensor_map_view_set_map (view, map);
  hearth_tensor_map_view_set_zoom (view, HEARTH_MAP_N_ZOOMS - 1); /* wider than the window */
  show (GTK_WIDGET (view));
  g = hearth_cell_grid_get_geometry (HEARTH_CELL_GRID (view));
  picture = hearth_tensor_map_view_draw (view);
  g_assert_nonnull (picture);
  /* All of it, and a border. */
  g_assert_cmpint (gdk_texture_get_width (picture), >=,
                   (int) (g->title_width + 20 * g->cell_width));
  g_assert_cmpint (gdk_texture_get_width (picture), >, gtk_widget_get_width (GTK_WIDGET (view)));
  g_assert_cmpint (gdk_texture_get_height (picture), >=,
                   (int) (g->title_height + 2 * g->cell_height));
  /* A hidden type is drawn in another way, the other one is not. */
  hearth_tensor_map_view_set_hidden (view, 0, TRUE);
  hidden = hearth_tensor_map_view_draw (view);
  stride = (gsize) gdk_texture_get_width (picture) * 4;
  pixels = g_malloc (stride * (gsize) gdk_texture_get_height (picture));
  others = g_malloc (stride * (gsize) gdk_texture_get_height (picture));
  gdk_texture_download (picture, (guchar *) pixels, stride);
  gdk_texture_download (hidden, (guchar *) others, stride);
  for (gsize i = 0; i < stride / 4 * (gsize) gdk_texture_get_height (picture); i++)
    n_different += pixels[i] != others[i];
  hearth_cell_grid_get_area (HEARTH_CELL_GRID (view), 0, 0, &area);
  g_assert_cmpuint (n_different, >, (guint) (10 * area.size.width * area.size.height));
  g_assert_cmpuint (n_different, <, (guint) (21 * area.size.width * area.size.height));
}

static char *
write_hole (void)
{
  char *path = g_build_filename (folder, "hole", NULL);
  int fd = g_open (path, O_CREAT | O_WRONLY, 0600);

  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (pwrite (fd, "GGUF", 4, 0), ==, 4);
  g_assert_cmpint (pwrite (fd, "end!", 4, (off_t) (FILE_BYTES - 4)), ==, 4);
  close (fd);
  return path;
}

static void
test_bytes (void)
{
  g_autofree char *path = write_hole ();
  g_autoptr (HearthFileBytes) bytes = hearth_file_bytes_new (path, FILE_BYTES);
  HearthHexGrid *view = HEARTH_HEX_GRID (hearth_hex_grid_new ());
  GtkAdjustment *adjustment;
  guint8 data[4];
  guint64 offset, size;
  double end;
  guint before;

  hearth_hex_grid_set_bytes (view, bytes);
  show (GTK_WIDGET (view));
  check_cells (HEARTH_CELL_GRID (view), "bytes");
  core_test_wait (hearth_file_bytes_is_idle (bytes));
  g_assert_cmpuint (hearth_file_bytes_get_n_read (bytes), <=, 2);

  /* Dragged from end to end: few of the 1.8 million pieces are read. */
  adjustment = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (view));
  end = gtk_adjustment_get_upper (adjustment) - gtk_adjustment_get_page_size (adjustment);
  g_assert_cmpfloat (end, >, 1e10);
  before = hearth_cell_grid_get_n_drawn (HEARTH_CELL_GRID (view));
  for (guint i = 0; i <= 200; i++)
    gtk_adjustment_set_value (adjustment, end * i / 200);
  window_test_wait_frames (3);
  core_test_wait (hearth_file_bytes_is_idle (bytes));
  window_test_wait_frames (2);
  g_test_message ("dragged over: %u pieces read, drawn %u times",
                  hearth_file_bytes_get_n_read (bytes),
                  hearth_cell_grid_get_n_drawn (HEARTH_CELL_GRID (view)) - before);
  g_assert_cmpuint (hearth_file_bytes_get_n_read (bytes), <=, 30);
  g_assert_cmpuint (hearth_file_bytes_peek (bytes, FILE_BYTES - 4, data, 4), ==, 4);
  g_assert_cmpmem (data, 4, "end!", 4);

  /* To a byte: it is in sight, and selected. */
  hearth_hex_grid_go_to (view, FILE_BYTES / 2 + 3, 100);
  window_test_wait_frames (3);
  g_assert_cmpuint (hearth_hex_grid_get_offset (view), ==, FILE_BYTES / 2 + 3);
  hearth_hex_grid_get_range (view, &offset, &size);
  g_assert_cmpuint (offset, ==, FILE_BYTES / 2 + 3);
  g_assert_cmpuint (size, ==, 100);
  /* What is selected ends with the file. */
  hearth_hex_grid_go_to (view, FILE_BYTES - 2, 100);
  hearth_hex_grid_get_range (view, &offset, &size);
  g_assert_cmpuint (offset + size, <=, FILE_BYTES);
}

static void
layout_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GError) error = NULL;

  *(HearthFileLayout **) user_data = hearth_file_layout_read_finish (result, &error);
  g_assert_no_error (error);
}

static void
put (FILE *file, guint64 value, gsize n)
{
  value = GUINT64_TO_LE (value);
  g_assert_cmpuint (fwrite (&value, 1, n, file), ==, n);
}

/* Tensors of 32 floats and a hole behind them, 30 GB in all. */
static char *
write_many (void)
{
  char *path = g_build_filename (folder, "many.gguf", NULL);
  FILE *file = g_fopen (path, "w");

  g_assert_nonnull (file);
  fwrite ("GGUF", 1, 4, file);
  put (file, 3, 4);
  put (file, N_TENSORS, 8);
  put (file, 0, 8);
  for (guint i = 0; i < N_TENSORS; i++)
    {
      g_autofree char *name = g_strdup_printf ("blk.%u.a.weight", i);

      put (file, strlen (name), 8);
      fwrite (name, 1, strlen (name), file);
      put (file, 1, 4);
      put (file, 32, 8);
      put (file, 0, 4);
      put (file, 128 * i, 8);
    }
  fflush (file);
  g_assert_cmpint (ftruncate (fileno (file), (off_t) FILE_BYTES), ==, 0);
  fclose (file);
  return path;
}

static guint n_marked;

static void
marked_cb (void)
{
  n_marked++;
}

static void
test_regions (void)
{
  g_autofree char *path = write_many ();
  g_autoptr (HearthFileLayout) layout = NULL;
  HearthFileStrip *strip = HEARTH_FILE_STRIP (g_object_new (HEARTH_TYPE_FILE_STRIP, NULL));
  HearthRegionTable *table = g_object_new (HEARTH_TYPE_REGION_TABLE, NULL);
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  guint before, n;
  guint64 from, to;

  hearth_file_layout_read_async (path, NULL, layout_cb, &layout);
  core_test_wait (layout != NULL);
  /* Header, table, padding, tensors, what is behind them. */
  n = g_list_model_get_n_items (G_LIST_MODEL (layout));
  g_assert_cmpuint (n, >=, N_TENSORS + 3);
  g_assert_cmpuint (n, <=, N_TENSORS + 4);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (strip));
  gtk_widget_set_vexpand (GTK_WIDGET (table), TRUE);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (table));
  gtk_window_set_child (window, box);
  g_signal_connect (strip, "marked", G_CALLBACK (marked_cb), NULL);
  hearth_file_strip_set_layout (strip, layout);
  hearth_region_table_set_layout (table, layout);
  window_test_wait_frames (10);
  g_test_message ("%u rows of %u regions; the strip drawn %u times",
                  hearth_region_table_get_n_rows (table), n, hearth_file_strip_get_n_drawn (strip));
  g_assert_cmpuint (hearth_region_table_get_n_rows (table), >, 0);
  g_assert_cmpuint (hearth_region_table_get_n_rows (table), <, MOST_ROWS);

  /* Marks within what is in sight draw nothing anew. */
  window_test_settle (hearth_file_strip_get_n_drawn (strip));
  before = hearth_file_strip_get_n_drawn (strip);
  for (guint i = 0; i < 20; i++)
    {
      hearth_file_strip_mark (strip, (int) i);
      window_test_wait_frames (1);
    }
  g_assert_cmpuint (n_marked, ==, 20);
  g_assert_cmpuint (hearth_file_strip_get_n_drawn (strip), ==, before);
  /* Closer, up to single bytes, around a tensor in the middle: it stays in sight. */
  hearth_file_strip_mark (strip, (int) (N_TENSORS / 2));
  for (guint i = 0; i < 60; i++)
    hearth_file_strip_zoom (strip, 1);
  window_test_wait_frames (3);
  hearth_file_strip_get_range (strip, &from, &to);
  g_assert_cmpuint (to - from, <=, 65);
  g_assert_cmpuint (
    from, <=, hearth_file_region_get_offset (hearth_file_layout_get (layout, N_TENSORS / 2)) + 128);
  g_assert_cmpuint (to, >=,
                    hearth_file_region_get_offset (hearth_file_layout_get (layout, N_TENSORS / 2)));
  hearth_file_strip_zoom (strip, 0);
  hearth_file_strip_get_range (strip, &from, &to);
  g_assert_cmpuint (from, ==, 0);
  g_assert_cmpuint (to, ==, FILE_BYTES);
  /* Selected in the table, far down: few rows still. */
  hearth_region_table_select (table, hearth_file_layout_get (layout, 40000));
  window_test_wait_frames (5);
  g_assert_cmpuint (hearth_region_table_get_n_rows (table), <, MOST_ROWS);
  hearth_region_table_set_search (table, "blk.49999.");
  core_test_wait (g_list_model_get_n_items (hearth_region_table_get_shown (table)) == 1);
}

int
main (int argc, char *argv[])
{
  int status;

  g_test_init (&argc, &argv, NULL);
  if (!gtk_init_check ())
    {
      g_print ("1..0 # SKIP no display\n");
      return 77;
    }
  adw_init ();
  folder = g_dir_make_tmp ("hearth-test-XXXXXX", NULL);
  window = window_test_open (NULL, 900, 700, NULL);
  g_test_add_data_func ("/tensor-map/one-row", GINT_TO_POINTER (FALSE), test_map);
  g_test_add_data_func ("/tensor-map/many-rows", GINT_TO_POINTER (TRUE), test_map);
  g_test_add_func ("/tensor-map/picture", test_picture);
  g_test_add_func ("/tensor-map/bytes", test_bytes);
  g_test_add_func ("/tensor-map/regions", test_regions);
  status = g_test_run ();
  gtk_window_destroy (window);
  core_test_remove (folder);
  g_free (folder);
  return status;
}
