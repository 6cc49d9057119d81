/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-table.h - what the tables of a model's parts have in common: their columns and rows, and
 * the lists behind them, which are searched and put in order bit by bit. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Takes over `factory` and `sorter`, which may be NULL. Returns: (transfer none) */
GtkColumnViewColumn *hearth_table_add_column (GtkColumnView *view, const char *title,
                                              GtkListItemFactory *factory, gboolean expand,
                                              GtkSorter *sorter);
/* What is left of a list by `filter`, which may still be searching; `changed` is called with
 * `object` first when there is more or less of it, or nothing left to search. */
GtkFilterListModel *hearth_table_filter_new (GtkFilter *filter, GCallback changed, gpointer object);
/* `list` in the order that the titles of `view` say. */
GtkSortListModel *hearth_table_sort_new (GtkColumnView *view, GListModel *list);
/* Shows `list`, of which one row or none is selected. `bind_row` is a "bind" handler that says what
 * voice output tells of a row. Returns: (transfer none) */
GtkSingleSelection *hearth_table_set_list (GtkColumnView *view, GListModel *list,
                                           GCallback bind_row);
/* Returns: whether something came of it. */
typedef gboolean (*HearthTableKeyFunc) (gpointer object, gpointer item);
/* What is copied of a row. Returns: (transfer full) (nullable) */
typedef char *(*HearthTableTextFunc) (gpointer object, gpointer item);
/* These keys call `pressed` with the item of the selected row; with that of the row that has the
 * focus where none is selected. `object` outlives the table. After hearth_table_set_list() alone.
 */
void hearth_table_add_key (GtkColumnView *view, const char *keys, HearthTableKeyFunc pressed,
                           gpointer object);
/* Ctrl+C copies what `dup_text` makes of that row. */
void hearth_table_add_copy (GtkColumnView *view, HearthTableTextFunc dup_text, gpointer object);
/* How many rows have widgets; after hearth_table_set_list() alone. */
guint hearth_table_get_n_rows (GtkColumnView *view);

GtkOrdering hearth_table_compare_numbers (guint64 a, guint64 b);
/* `folded` is case folded; `text` may be NULL, which contains nothing. */
gboolean hearth_table_contains (const char *text, const char *folded);

G_END_DECLS
