/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-model-button.h - "SmolLM2 135M ▾": which model this chat is with, and the others. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-model-file.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_MODEL_BUTTON (hearth_model_button_get_type ())
G_DECLARE_FINAL_TYPE (HearthModelButton, hearth_model_button, HEARTH, MODEL_BUTTON, GtkWidget)

/* Choosing a row activates win.use-model (s: the file's path). */

/* `list` holds HearthModelFile. */
void hearth_model_button_set_list (HearthModelButton *self, GListModel *list);
/* Opens the list. */
void hearth_model_button_open (HearthModelButton *self);
/* Opens the list; signal "chosen" (const char *path) then tells which it was, after the chat has
 * it, unless it is closed before. */
void hearth_model_button_choose (HearthModelButton *self);
/* NULL: none chosen yet. */
void hearth_model_button_set_model (HearthModelButton *self, HearthModelFile *model);

G_END_DECLS
