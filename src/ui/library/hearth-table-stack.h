/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-table-stack.h - the place of a table: a spinner while its rows are read, the table, or a
 * sentence where a search found nothing. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HEARTH_TYPE_TABLE_STACK (hearth_table_stack_get_type ())
G_DECLARE_FINAL_TYPE (HearthTableStack, hearth_table_stack, HEARTH, TABLE_STACK, GtkWidget)

/* Properties, to be set alone: child (the table), reading (what the spinner says), title,
 * description and icon-name (of nothing found). */

void hearth_table_stack_show_reading (HearthTableStack *self);
/* The table, or the sentence where nothing was found. */
void hearth_table_stack_show_found (HearthTableStack *self, gboolean found);
/* The same by what is left of a list, which may still be searched. */
void hearth_table_stack_show_filtered (HearthTableStack *self, GtkFilterListModel *filtered);

G_END_DECLS
