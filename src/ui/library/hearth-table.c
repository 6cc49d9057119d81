/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-table.h"

#include <string.h>

#include "hearth-export.h"
#include "hearth-shortcuts.h"

GtkColumnViewColumn *
hearth_table_add_column (GtkColumnView *view, const char *title, GtkListItemFactory *factory,
                         gboolean expand, GtkSorter *sorter)
{
  GtkColumnViewColumn *column = gtk_column_view_column_new (title, factory);

  gtk_column_view_column_set_resizable (column, TRUE);
  gtk_column_view_column_set_expand (column, expand);
  gtk_column_view_column_set_sorter (column, sorter);
  g_clear_object (&sorter);
  gtk_column_view_append_column (view, column);
  g_object_unref (column);
  return column; /* the table has it */
}

GtkFilterListModel *
hearth_table_filter_new (GtkFilter *filter, GCallback changed, gpointer object)
{
  GtkFilterListModel *filtered = gtk_filter_list_model_new (NULL, g_object_ref (filter));

  gtk_filter_list_model_set_incremental (filtered, TRUE);
  g_signal_connect_object (filtered, "items-changed", changed, object,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  g_signal_connect_object (filtered, "notify::pending", changed, object, G_CONNECT_SWAPPED);
  return filtered;
}

GtkSortListModel *
hearth_table_sort_new (GtkColumnView *view, GListModel *list)
{
  GtkSorter *sorter = gtk_column_view_get_sorter (view);
  GtkSortListModel *sorted = gtk_sort_list_model_new (g_object_ref (list), g_object_ref (sorter));

  gtk_sort_list_model_set_incremental (sorted, TRUE);
  return sorted;
}

/* ---- rows ------------------------------------------------------------------------------- */

/* The factory has the count: it is there as long as there are rows. */
static guint
get_count (GtkListItemFactory *rows)
{
  return GPOINTER_TO_UINT (g_object_get_data (G_OBJECT (rows), "count"));
}

static void
setup_row_cb (GtkListItemFactory *rows, GtkColumnViewRow *row)
{
  g_object_set_data (G_OBJECT (rows), "count", GUINT_TO_POINTER (get_count (rows) + 1));
}

static void
teardown_row_cb (GtkListItemFactory *rows, GtkColumnViewRow *row)
{
  g_object_set_data (G_OBJECT (rows), "count", GUINT_TO_POINTER (get_count (rows) - 1));
}

GtkSingleSelection *
hearth_table_set_list (GtkColumnView *view, GListModel *list, GCallback bind_row)
{
  g_autoptr (GtkListItemFactory) rows = gtk_signal_list_item_factory_new ();
  g_autoptr (GtkSingleSelection) selection = gtk_single_selection_new (g_object_ref (list));

  g_signal_connect (rows, "setup", G_CALLBACK (setup_row_cb), NULL);
  g_signal_connect (rows, "teardown", G_CALLBACK (teardown_row_cb), NULL);
  g_signal_connect (rows, "bind", bind_row, NULL);
  gtk_column_view_set_row_factory (view, rows);
  gtk_single_selection_set_autoselect (selection, FALSE);
  gtk_single_selection_set_can_unselect (selection, TRUE);
  gtk_column_view_set_model (view, GTK_SELECTION_MODEL (selection));
  return selection; /* the table has it */
}

guint
hearth_table_get_n_rows (GtkColumnView *view)
{
  return get_count (gtk_column_view_get_row_factory (view));
}

/* ---- keys ------------------------------------------------------------------------------- */

/* One of the two functions. */
struct pressing
{
  HearthTableKeyFunc pressed;
  HearthTableTextFunc dup_text;
  gpointer object;
};

static gboolean
pressed_cb (GtkWidget *view, GVariant *arguments, gpointer data)
{
  const struct pressing *pressing = data;
  GtkSingleSelection *selection =
    GTK_SINGLE_SELECTION (gtk_column_view_get_model (GTK_COLUMN_VIEW (view)));
  GtkWidget *focus = gtk_root_get_focus (gtk_widget_get_root (view));
  gpointer item = gtk_single_selection_get_selected_item (selection);
  char *text;

  /* Tab goes to a row without selecting it; this is what the space bar does there. */
  if (item == NULL && focus != NULL &&
      gtk_widget_activate_action (focus, "listitem.select", "(bb)", FALSE, FALSE))
    item = gtk_single_selection_get_selected_item (selection);
  if (item == NULL)
    return FALSE;
  if (pressing->pressed != NULL)
    return pressing->pressed (pressing->object, item);
  text = pressing->dup_text (pressing->object, item);
  if (text == NULL)
    return FALSE;
  hearth_export_copy (view, text);
  return TRUE;
}

static void
add_key (GtkColumnView *view, const char *keys, struct pressing pressing)
{
  GtkEventController *controller = gtk_shortcut_controller_new ();

  gtk_shortcut_controller_add_shortcut (
    GTK_SHORTCUT_CONTROLLER (controller),
    gtk_shortcut_new (
      gtk_shortcut_trigger_parse_string (keys),
      gtk_callback_action_new (pressed_cb, g_memdup2 (&pressing, sizeof pressing), g_free)));
  gtk_widget_add_controller (GTK_WIDGET (view), controller);
}

void
hearth_table_add_key (GtkColumnView *view, const char *keys, HearthTableKeyFunc pressed,
                      gpointer object)
{
  add_key (view, keys, (struct pressing) { .pressed = pressed, .object = object });
}

void
hearth_table_add_copy (GtkColumnView *view, HearthTableTextFunc dup_text, gpointer object)
{
  add_key (view, hearth_shortcuts_get_keys ("table.copy"),
           (struct pressing) { .dup_text = dup_text, .object = object });
}

/* ---- order and search ------------------------------------------------------------------- */

GtkOrdering
hearth_table_compare_numbers (guint64 a, guint64 b)
{
  return a < b ? GTK_ORDERING_SMALLER : a > b ? GTK_ORDERING_LARGER : GTK_ORDERING_EQUAL;
}

gboolean
hearth_table_contains (const char *text, const char *folded)
{
  g_autofree char *folded_text = NULL;

  if (text == NULL)
    return FALSE;
  /* Names are lower case by convention: only one that is not is folded. */
  if (strstr (text, folded) != NULL)
    return TRUE;
  folded_text = g_utf8_casefold (text, -1);
  return strstr (folded_text, folded) != NULL;
}
