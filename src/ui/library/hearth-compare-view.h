/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-compare-view.h - a model file beside another one: sizes, keys, tensors, and how far the
 * values of the other are from those of this one. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-library.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_COMPARE_VIEW (hearth_compare_view_get_type ())
G_DECLARE_FINAL_TYPE (HearthCompareView, hearth_compare_view, HEARTH, COMPARE_VIEW, GtkWidget)

/* Where other files are offered from. */
void hearth_compare_view_set_library (HearthCompareView *self, HearthLibrary *library);
/* Asks for another file, whatever is compared now. */
void hearth_compare_view_choose (HearthCompareView *self);

G_END_DECLS
