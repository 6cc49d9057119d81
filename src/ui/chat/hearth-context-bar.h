/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-context-bar.h - how full the model's context is: a thin line that says more when it is
 * pointed at or has the focus. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-engine.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_CONTEXT_BAR (hearth_context_bar_get_type ())
G_DECLARE_FINAL_TYPE (HearthContextBar, hearth_context_bar, HEARTH, CONTEXT_BAR, GtkWidget)

/* NULL: nothing is known. `leave_out`: what is too much is left out without asking. */
void hearth_context_bar_show (HearthContextBar *self, const HearthCount *count, gboolean leave_out);

G_END_DECLS
