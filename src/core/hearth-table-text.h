/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-table-text.h - a table as text for other programs: CSV with a line of names, or a JSON
 * array of objects. Any thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  HEARTH_TABLE_CSV,
  HEARTH_TABLE_JSON,
} HearthTableFormat;

typedef struct _HearthTableText HearthTableText;

/* `names` of columns end with NULL and live as long as this. Returns: (transfer full) */
HearthTableText *hearth_table_text_new (HearthTableFormat format, const char *const *names);
/* Cells of the rows in their order; the next row begins by itself. */
void hearth_table_text_add (HearthTableText *self, const char *text);
void hearth_table_text_add_number (HearthTableText *self, guint64 number);
void hearth_table_text_add_real (HearthTableText *self, double number);
/* Takes `self`. Returns: (transfer full) */
GBytes *hearth_table_text_end (HearthTableText *self);

G_END_DECLS
