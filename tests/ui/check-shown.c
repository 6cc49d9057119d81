/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check-shown FILE...: what the overview, the map of tensors and the table of tensors show of each
 * file in a real window, as a line of JSON, for test-shown.py to compare with the engine's tool. */
#include <adwaita.h>

#include "hearth-model-contents.h"
#include "hearth-overview.h"
#include "hearth-tensor-map-pane.h"
#include "hearth-tensor-table.h"
#include "window-test.h"

static GtkWindow *window;

static void
print_text (const char *text)
{
  fputc ('"', stdout);
  for (; *text != '\0'; text++)
    {
      if (*text == '"' || *text == '\\' || (guchar) *text < 0x20)
        fprintf (stdout, "\\u%04x", (guint) (guchar) *text);
      else
        fputc (*text, stdout);
    }
  fputc ('"', stdout);
}

/* What is written on labels, from `widget` down, of what is on the screen: a page of a stack that
 * is not shown is visible, but not mapped. */
static void
print_labels (GtkWidget *widget, gboolean *first)
{
  if (!gtk_widget_get_mapped (widget))
    return;
  if (GTK_IS_LABEL (widget))
    {
      fputs (*first ? "" : ", ", stdout);
      print_text (gtk_label_get_text (GTK_LABEL (widget)));
      *first = FALSE;
      return;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    print_labels (child, first);
}

static void
print_part (const char *name, GtkWidget *widget)
{
  gboolean first = TRUE;

  fprintf (stdout, "\"%s\": [", name);
  print_labels (widget, &first);
  fputs ("], ", stdout);
}

/* The buttons of the legend: what they are called, and how many they say there are. */
static void
print_legend (GtkWidget *widget, gboolean *first)
{
  if (gtk_widget_has_css_class (widget, "legend"))
    {
      gboolean alone = TRUE;

      fputs (*first ? "[" : ", [", stdout);
      print_labels (widget, &alone);
      fputs (", ", stdout);
      print_text (gtk_widget_get_tooltip_text (widget));
      fputs ("]", stdout);
      *first = FALSE;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    print_legend (child, first);
}

/* What the table's own list has, sorted and filtered as it is. */
static void
print_rows (GtkColumnView *table)
{
  GListModel *rows = G_LIST_MODEL (gtk_column_view_get_model (table));
  guint n = g_list_model_get_n_items (rows);
  guint64 n_elements = 0, n_bytes = 0;

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (HearthTensor) tensor = g_list_model_get_item (rows, i);

      n_elements += hearth_tensor_get_n_elements (tensor);
      n_bytes += hearth_tensor_get_n_bytes (tensor);
    }
  fprintf (stdout,
           "\"rows\": {\"n\": %u, \"values\": %" G_GUINT64_FORMAT ", \"bytes\": %" G_GUINT64_FORMAT
           ", \"first\": ",
           n, n_elements, n_bytes);
  if (n > 0)
    {
      g_autoptr (HearthTensor) tensor = g_list_model_get_item (rows, 0);

      fprintf (stdout, "%u}, ", hearth_tensor_get_position (tensor));
    }
  else
    fputs ("null}, ", stdout);
}

static void
show (HearthModelFile *model, HearthModelContents *contents)
{
  GtkWidget *overview = g_object_new (HEARTH_TYPE_OVERVIEW, NULL);
  GtkWidget *pane = g_object_new (HEARTH_TYPE_TENSOR_MAP_PANE, NULL);
  GtkWidget *table = hearth_tensor_table_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GListModel *tensors = hearth_model_contents_get_tensors (contents);
  GListModel *rows;
  g_autoptr (HearthTensorMap) map = hearth_tensor_map_new (tensors);
  gboolean first = TRUE;

  gtk_widget_set_vexpand (overview, TRUE);
  gtk_widget_set_vexpand (table, TRUE);
  gtk_box_append (GTK_BOX (box), overview);
  gtk_box_append (GTK_BOX (box), pane);
  gtk_box_append (GTK_BOX (box), table);
  gtk_window_set_child (window, box);
  hearth_model_view_show_model (HEARTH_MODEL_VIEW (overview), model);
  hearth_model_view_show_contents (HEARTH_MODEL_VIEW (overview), contents);
  hearth_tensor_map_pane_set_map (HEARTH_TENSOR_MAP_PANE (pane), map);
  hearth_tensor_table_set_tensors (HEARTH_TENSOR_TABLE (table), tensors);
  rows = G_LIST_MODEL (
    gtk_column_view_get_model (hearth_tensor_table_get_table (HEARTH_TENSOR_TABLE (table))));
  /* It sorts and filters in pieces, and once more when its search is set back. */
  do
    {
      core_test_wait (g_list_model_get_n_items (rows) == g_list_model_get_n_items (tensors));
      window_test_settle (g_list_model_get_n_items (rows));
    }
  while (g_list_model_get_n_items (rows) != g_list_model_get_n_items (tensors));
  fputs ("{", stdout);
  print_part ("overview", overview);
  print_part ("table", table);
  print_rows (hearth_tensor_table_get_table (HEARTH_TENSOR_TABLE (table)));
  fputs ("\"legend\": [", stdout);
  print_legend (pane, &first);
  fputs ("]}\n", stdout);
  gtk_window_set_child (window, NULL);
}

static void
open_file (const char *path)
{
  g_autoptr (HearthModelFile) model = hearth_model_file_new (path);
  g_autoptr (HearthModelContents) contents = NULL;
  g_autoptr (GAsyncResult) header_read = NULL;
  g_autoptr (GAsyncResult) read = NULL;
  g_autoptr (GError) error = NULL;

  hearth_model_file_load_async (model, 0, 1, NULL, core_test_result_cb, &header_read);
  core_test_wait (header_read != NULL);
  hearth_model_file_load_finish (model, header_read, &error);
  g_clear_error (&error);
  hearth_model_contents_read_async (path, NULL, core_test_result_cb, &read);
  core_test_wait (read != NULL);
  contents = hearth_model_contents_read_finish (read, &error);
  if (contents == NULL || hearth_model_file_get_header (model) == NULL)
    fputs ("{\"error\": true}\n", stdout);
  else
    show (model, contents);
}

int
main (int argc, char *argv[])
{
  if (!gtk_init_check ())
    return 77;
  adw_init ();
  window = window_test_open (NULL, 1100, 1000, NULL);
  puts ("begin"); /* the engine's log, if any, is not on these lines */
  for (int i = 1; i < argc; i++)
    open_file (argv[i]);
  gtk_window_destroy (window);
  return 0;
}
