/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-model-list.h - the place "Models" of the sidebar: the list of model files, searched,
 * filtered, grouped and sorted. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-library.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_MODEL_LIST (hearth_model_list_get_type ())
G_DECLARE_FINAL_TYPE (HearthModelList, hearth_model_list, HEARTH, MODEL_LIST, GtkWidget)

/* Signal "model-chosen" (HearthModelFile): somebody wants to see it.
 * Properties, which are actions "library.…" as well: sort, group (ids, as the settings have them),
 * only-chat, only-embedding, only-fits. */

/* Call once. The list is as it was left. */
void hearth_model_list_set_library (HearthModelList *self, HearthLibrary *library,
                                    HearthSettings *settings);
/* Selects without a signal; NULL selects nothing. */
void hearth_model_list_select (HearthModelList *self, HearthModelFile *model);
/* Opens the search. */
void hearth_model_list_find (HearthModelList *self);
/* Keeps what is not kept at once: the search, and where it is scrolled to. */
void hearth_model_list_save (HearthModelList *self);
/* The file of the row that has the keyboard. Returns: (transfer none) (nullable) */
HearthModelFile *hearth_model_list_get_focused (HearthModelList *self);
gboolean hearth_model_list_is_grouped_by_folder (HearthModelList *self);

G_END_DECLS
