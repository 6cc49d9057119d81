/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-fit-controls.h - what somebody wishes of a model's memory: how long the context is, and
 * how exactly it is kept. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-fit.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_FIT_CONTROLS (hearth_fit_controls_get_type ())
G_DECLARE_FINAL_TYPE (HearthFitControls, hearth_fit_controls, HEARTH, FIT_CONTROLS, GtkWidget)

/* Signal "changed": somebody wishes something else. */

/* For a model that was made for `trained` tokens (0: not known); `n_ctx` 0 leaves the context to
 * the engine until somebody has chosen one. */
void hearth_fit_controls_begin (HearthFitControls *self, guint trained, guint n_ctx,
                                HearthKvType kv_type);
/* What the engine has planned for the wish. */
void hearth_fit_controls_show (HearthFitControls *self, const HearthFitPlan *plan);

/* 0: as the engine chooses. */
guint hearth_fit_controls_get_n_ctx (HearthFitControls *self);
HearthKvType hearth_fit_controls_get_kv_type (HearthFitControls *self);

G_END_DECLS
