/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-model-page.h - what a model file's header says: main figures, whether it fits, what it is
 * made of. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-error-card.h"
#include "hearth-model-file.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_MODEL_PAGE (hearth_model_page_get_type ())
G_DECLARE_FINAL_TYPE (HearthModelPage, hearth_model_page, HEARTH, MODEL_PAGE, GtkWidget)

void hearth_model_page_set_model (HearthModelPage *self, HearthModelFile *model);
/* Returns: (transfer none) (nullable) */
HearthModelFile *hearth_model_page_get_model (HearthModelPage *self);
/* Where failures of this window are shown while this page is. Returns: (transfer none) */
HearthErrorCard *hearth_model_page_get_notice (HearthModelPage *self);

G_END_DECLS
