/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of tensors with 50,000 of them, in a real window: however it is scrolled, sorted and
 * filtered, few rows exist, and the work is done in pieces between frames. */
#include <adwaita.h>

#include "hearth-tensor-table.h"
#include "hearth-tensor.h"
#include "window-test.h"

#define N_TENSORS 50000u
#define MOST_ROWS 300u

static GtkWindow *window;
static HearthTensorTable *view;
static guint most_rows;

static void
look (void)
{
  most_rows = MAX (most_rows, hearth_tensor_table_get_n_rows (view));
}

static GListModel *
create_tensors (void)
{
  GListStore *store = g_list_store_new (HEARTH_TYPE_TENSOR);
  g_autoptr (GPtrArray) rows = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < N_TENSORS; i++)
    {
      HearthTensorFields fields = { .name = g_strdup_printf ("blk.%u.ffn_%s.weight", i / 2,
                                                             i % 2 == 0 ? "up" : "down"),
                                    .type = g_intern_string (i % 2 == 0 ? "Q4_K" : "F32"),
                                    .shape = g_strdup ("64 × 64"),
                                    .n_elements = 4096,
                                    .n_bytes = (i * 7919u) % 100000u,
                                    .row_length = 64,
                                    .position = i };

      g_ptr_array_add (rows, hearth_tensor_new_take (NULL, &fields));
    }
  g_list_store_splice (store, 0, 0, rows->pdata, rows->len);
  return G_LIST_MODEL (store);
}

static GtkSortListModel *
get_sorted (void)
{
  GtkSelectionModel *selection = gtk_column_view_get_model (hearth_tensor_table_get_table (view));

  return GTK_SORT_LIST_MODEL (gtk_single_selection_get_model (GTK_SINGLE_SELECTION (selection)));
}

static GtkFilterListModel *
get_filtered (void)
{
  return GTK_FILTER_LIST_MODEL (gtk_sort_list_model_get_model (get_sorted ()));
}

static guint
get_n_shown (void)
{
  return g_list_model_get_n_items (G_LIST_MODEL (get_sorted ()));
}

static void
check_rows (const char *when)
{
  g_test_message ("%s: at most %u rows in %u frames", when, most_rows, window_test_n_frames);
  g_assert_cmpuint (most_rows, >, 0);
  g_assert_cmpuint (most_rows, <, MOST_ROWS);
}

static void
test_show (void)
{
  g_autoptr (GListModel) tensors = create_tensors ();

  hearth_tensor_table_set_tensors (view, tensors);
  core_test_wait (gtk_filter_list_model_get_pending (get_filtered ()) == 0);
  core_test_wait (get_n_shown () == N_TENSORS);
  window_test_wait_frames (10);
  check_rows ("shown");
}

static void
test_scroll (void)
{
  GtkAdjustment *adjustment =
    gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (hearth_tensor_table_get_table (view)));
  double page = gtk_adjustment_get_page_size (adjustment);
  double end = gtk_adjustment_get_upper (adjustment) - page;

  g_assert_cmpfloat (end, >, 1000 * page);
  for (guint i = 0; i < 40; i++)
    {
      gtk_adjustment_set_value (adjustment, i * page * 0.7); /* as a wheel does */
      window_test_wait_frames (1);
    }
  for (guint i = 0; i <= 40; i++)
    {
      gtk_adjustment_set_value (adjustment, end * i / 40); /* as a dragged bar does */
      window_test_wait_frames (1);
    }
  window_test_wait_frames (5);
  check_rows ("scrolled");
  gtk_adjustment_set_value (adjustment, 0);
  window_test_wait_frames (2);
}

/* By size, which is in no order: the sort takes many steps, with frames between them. */
static void
test_sort (void)
{
  GtkColumnView *table = hearth_tensor_table_get_table (view);
  GListModel *columns = gtk_column_view_get_columns (table);
  g_autoptr (GtkColumnViewColumn) size = g_list_model_get_item (columns, 4);
  guint64 before = 0;
  guint begun;

  g_assert_cmpstr (gtk_column_view_column_get_title (size), ==, "Size");
  g_assert_true (gtk_sort_list_model_get_incremental (get_sorted ()));
  gtk_column_view_sort_by_column (table, size, GTK_SORT_ASCENDING);
  begun = window_test_n_frames;
  g_assert_cmpuint (gtk_sort_list_model_get_pending (get_sorted ()), >, 0);
  core_test_wait (gtk_sort_list_model_get_pending (get_sorted ()) == 0);
  g_test_message ("sorted in %u frames", window_test_n_frames - begun);
  window_test_wait_frames (5);
  check_rows ("sorted");
  for (guint i = 0; i < N_TENSORS; i++)
    {
      g_autoptr (HearthTensor) tensor = g_list_model_get_item (G_LIST_MODEL (get_sorted ()), i);

      g_assert_cmpuint (hearth_tensor_get_n_bytes (tensor), >=, before);
      before = hearth_tensor_get_n_bytes (tensor);
    }
}

static void
test_filter (void)
{
  GtkWidget *entry = window_test_find (GTK_WIDGET (view), GTK_TYPE_SEARCH_ENTRY);
  GtkWidget *types = window_test_find (GTK_WIDGET (view), GTK_TYPE_DROP_DOWN);

  g_assert_true (gtk_filter_list_model_get_incremental (get_filtered ()));
  /* Typed in capitals; the search comes after a moment. */
  gtk_editable_set_text (GTK_EDITABLE (entry), "FFN_UP");
  core_test_wait (get_n_shown () == N_TENSORS / 2);
  core_test_wait (gtk_filter_list_model_get_pending (get_filtered ()) == 0);
  window_test_wait_frames (5);
  gtk_editable_set_text (GTK_EDITABLE (entry), "blk.24999.");
  core_test_wait (get_n_shown () == 2);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (types), 2);
  core_test_wait (get_n_shown () == 1);
  gtk_editable_set_text (GTK_EDITABLE (entry), "nothing is called so");
  core_test_wait (get_n_shown () == 0);
  window_test_wait_frames (5);
  gtk_drop_down_set_selected (GTK_DROP_DOWN (types), 0);
  gtk_editable_set_text (GTK_EDITABLE (entry), "");
  core_test_wait (get_n_shown () == N_TENSORS);
  core_test_wait (gtk_sort_list_model_get_pending (get_sorted ()) == 0);
  window_test_wait_frames (5);
  check_rows ("filtered");
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
  view = HEARTH_TENSOR_TABLE (hearth_tensor_table_new ());
  window = window_test_open (GTK_WIDGET (view), 900, 700, look);
  g_test_add_func ("/tensor-table/show", test_show);
  g_test_add_func ("/tensor-table/scroll", test_scroll);
  g_test_add_func ("/tensor-table/sort", test_sort);
  g_test_add_func ("/tensor-table/filter", test_filter);
  status = g_test_run ();
  gtk_window_destroy (window);
  return status;
}
