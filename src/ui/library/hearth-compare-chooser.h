/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-compare-chooser.h - which file a model is compared with: those of the library that are
 * most like it, or any other. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-library.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_COMPARE_CHOOSER (hearth_compare_chooser_get_type ())
G_DECLARE_FINAL_TYPE (HearthCompareChooser, hearth_compare_chooser, HEARTH, COMPARE_CHOOSER,
                      GtkWidget)

/* Signal: chosen (path). */

void hearth_compare_chooser_set_library (HearthCompareChooser *self, HearthLibrary *library);
/* The file that others are offered for. */
void hearth_compare_chooser_set_model (HearthCompareChooser *self, HearthModelFile *model);

G_END_DECLS
