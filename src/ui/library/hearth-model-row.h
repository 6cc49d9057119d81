/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-model-row.h - one file in the list of models: its name, and a line with how it is stored,
 * its size, whose it is and how it stands; and what can be done with it, in a menu. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-model-file.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_MODEL_ROW (hearth_model_row_get_type ())
G_DECLARE_FINAL_TYPE (HearthModelRow, hearth_model_row, HEARTH, MODEL_ROW, GtkWidget)

/* Properties: model; title, detail (read-only: what is written there). */

/* Returns: (transfer none) (nullable) */
HearthModelFile *hearth_model_row_get_model (HearthModelRow *self);
/* A store that all rows around this one share need not be named in each. */
void hearth_model_row_set_common_store (HearthModelRow *self, gboolean common);
/* What can be done with this file, in a menu that points at the row. */
void hearth_model_row_popup_menu (HearthModelRow *self);

G_END_DECLS
