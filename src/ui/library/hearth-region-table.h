/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-region-table.h - the regions of a file as a table, to search and sort; in pieces between
 * frames, with rows for what is on the screen alone. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-file-layout.h"
#include "hearth-residency.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_REGION_TABLE (hearth_region_table_get_type ())
G_DECLARE_FINAL_TYPE (HearthRegionTable, hearth_region_table, HEARTH, REGION_TABLE, GtkWidget)

/* Signals: "marked" (HearthFileRegion): a row was selected; "opened" (HearthFileRegion). */

/* NULL: being read. */
void hearth_region_table_set_layout (HearthRegionTable *self, HearthFileLayout *layout);
/* NULL: not known. */
void hearth_region_table_set_residency (HearthRegionTable *self, HearthResidency *residency);
/* Selects a region and scrolls to it, if it is shown. */
void hearth_region_table_select (HearthRegionTable *self, HearthFileRegion *region);
void hearth_region_table_set_search (HearthRegionTable *self, const char *text);
gboolean hearth_region_table_focus_search (HearthRegionTable *self);
/* What is shown, in its order. Returns: (transfer none) */
GListModel *hearth_region_table_get_shown (HearthRegionTable *self);

/* For tests: rows that exist at the moment. */
guint hearth_region_table_get_n_rows (HearthRegionTable *self);

G_END_DECLS
