/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-fit-view.h - whether a model fits into memory: for a context that is chosen here, with
 * every byte accounted for. All figures are one plan of the engine's. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-engine.h"
#include "hearth-model-file.h"
#include "hearth-settings.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_FIT_VIEW (hearth_fit_view_get_type ())
G_DECLARE_FINAL_TYPE (HearthFitView, hearth_fit_view, HEARTH, FIT_VIEW, GtkWidget)

/* Call once. */
void hearth_fit_view_set_sources (HearthFitView *self, HearthEngine *engine,
                                  HearthSettings *settings);
/* NULL, or a file that cannot run, shows nothing. */
void hearth_fit_view_show (HearthFitView *self, HearthModelFile *model);

G_END_DECLS
