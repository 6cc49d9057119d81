/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-model-filters.h - what the list of models shows, as buttons, and its menu. All of it is
 * actions "library.…" of the list around it. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HEARTH_TYPE_MODEL_FILTERS (hearth_model_filters_get_type ())
G_DECLARE_FINAL_TYPE (HearthModelFilters, hearth_model_filters, HEARTH, MODEL_FILTERS, GtkWidget)

G_END_DECLS
