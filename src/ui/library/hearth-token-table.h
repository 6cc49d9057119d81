/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-token-table.h - all tokens of a vocabulary as a table that can be searched, sorted,
 * filtered by type, copied from and saved. Rows exist for what is in view alone. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-tokenizer.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_TOKEN_TABLE (hearth_token_table_get_type ())
G_DECLARE_FINAL_TYPE (HearthTokenTable, hearth_token_table, HEARTH, TOKEN_TABLE, GtkWidget)

/* `name` is what files are called. NULL: forget what was shown. */
void hearth_token_table_set_tokenizer (HearthTokenTable *self, HearthTokenizer *tokenizer,
                                       const char *name);
void hearth_token_table_focus_search (HearthTokenTable *self);
/* Rows that exist now. */
guint hearth_token_table_get_n_rows (HearthTokenTable *self);

G_END_DECLS
