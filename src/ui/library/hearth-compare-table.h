/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-compare-table.h - the keys or the tensors of two files side by side: only those that
 * differ, or all. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-comparison.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_COMPARE_TABLE (hearth_compare_table_get_type ())
G_DECLARE_FINAL_TYPE (HearthCompareTable, hearth_compare_table, HEARTH, COMPARE_TABLE, GtkWidget)

GtkWidget *hearth_compare_table_new (gboolean of_tensors);

/* NULL: nothing. */
void hearth_compare_table_set_comparison (HearthCompareTable *self, HearthComparison *comparison);
/* Which rows: all, or those that differ; and those whose name has this text in it. */
void hearth_compare_table_set_filter (HearthCompareTable *self, gboolean all, const char *text);
/* The rows that are shown, in their order. Returns: (transfer none) */
GListModel *hearth_compare_table_get_rows (HearthCompareTable *self);
/* Widgets that were made for rows: few, however many rows there are. */
guint hearth_compare_table_get_n_realised (HearthCompareTable *self);

G_END_DECLS
