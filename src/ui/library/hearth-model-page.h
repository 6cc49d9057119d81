/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-model-page.h - all about one model file: overview, whether it fits, its metadata and its
 * tensors. Shown from the header at once, whatever the weights' size. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-engine.h"
#include "hearth-error-card.h"
#include "hearth-library.h"
#include "hearth-settings.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_MODEL_PAGE (hearth_model_page_get_type ())
G_DECLARE_FINAL_TYPE (HearthModelPage, hearth_model_page, HEARTH, MODEL_PAGE, GtkWidget)

/* Call once. */
void hearth_model_page_set_sources (HearthModelPage *self, HearthEngine *engine,
                                    HearthLibrary *library, HearthSettings *settings);
void hearth_model_page_set_model (HearthModelPage *self, HearthModelFile *model);
/* Returns: (transfer none) (nullable) */
HearthModelFile *hearth_model_page_get_model (HearthModelPage *self);
/* Where failures of this window are shown while this page is. Returns: (transfer none) */
HearthErrorCard *hearth_model_page_get_notice (HearthModelPage *self);

G_END_DECLS
