/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-model-list.h - the place "Models" of the sidebar: the list of model files. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-library.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_MODEL_LIST (hearth_model_list_get_type ())
G_DECLARE_FINAL_TYPE (HearthModelList, hearth_model_list, HEARTH, MODEL_LIST, GtkWidget)

/* Signal "model-chosen" (HearthModelFile): somebody wants to see it. */

/* Call once. */
void hearth_model_list_set_library (HearthModelList *self, HearthLibrary *library);
/* Selects without a signal; NULL selects nothing. */
void hearth_model_list_select (HearthModelList *self, HearthModelFile *model);

G_END_DECLS
