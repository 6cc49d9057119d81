/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-fit-view.h - whether a model fits into memory: for a context that is chosen here, with
 * every byte accounted for. All figures are one plan of the engine's. */
#pragma once

#include "hearth-model-view.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_FIT_VIEW (hearth_fit_view_get_type ())
G_DECLARE_FINAL_TYPE (HearthFitView, hearth_fit_view, HEARTH, FIT_VIEW, GtkWidget)

G_END_DECLS
