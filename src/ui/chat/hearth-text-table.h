/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-text-table.h - a table in a message. Columns share the width by what is in them; what does
 * not fit scrolls sideways inside the table's own frame. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-markdown-block.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_TEXT_TABLE (hearth_text_table_get_type ())
G_DECLARE_FINAL_TYPE (HearthTextTable, hearth_text_table, HEARTH, TEXT_TABLE, GtkWidget)

GtkWidget *hearth_text_table_new (void);
/* Rows and cells that are the same stay. */
void hearth_text_table_set_block (HearthTextTable *self, const HearthMarkdownBlock *block);

G_END_DECLS
