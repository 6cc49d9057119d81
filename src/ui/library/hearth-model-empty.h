/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-model-empty.h - what is shown in place of the list while there is no model: the ways to
 * some. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HEARTH_TYPE_MODEL_EMPTY (hearth_model_empty_get_type ())
G_DECLARE_FINAL_TYPE (HearthModelEmpty, hearth_model_empty, HEARTH, MODEL_EMPTY, GtkWidget)

G_END_DECLS
