/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-loaded-row.h - the model in memory, at the bottom of the sidebar, with a button that drops
 * it; not there when there is none. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-engine.h"
#include "hearth-library.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_LOADED_ROW (hearth_loaded_row_get_type ())
G_DECLARE_FINAL_TYPE (HearthLoadedRow, hearth_loaded_row, HEARTH, LOADED_ROW, GtkWidget)

/* Call once. */
void hearth_loaded_row_set_sources (HearthLoadedRow *self, HearthEngine *engine,
                                    HearthLibrary *library);

G_END_DECLS
