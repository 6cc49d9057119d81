/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-compare-result.h - how two files differ: a sentence, then a summary, the keys and the
 * tensors; how far their values are from each other is measured on demand. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-comparison.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_COMPARE_RESULT (hearth_compare_result_get_type ())
G_DECLARE_FINAL_TYPE (HearthCompareResult, hearth_compare_result, HEARTH, COMPARE_RESULT, GtkWidget)

/* Actions: compare.measure, .stop, .copy, .export-csv, .export-json. */

/* A comparison that is ready, or NULL. `path` of the first file names what is saved. */
void hearth_compare_result_set_comparison (HearthCompareResult *self, HearthComparison *comparison,
                                           const char *path);
/* Puts the keyboard into the search of names. */
gboolean hearth_compare_result_find (HearthCompareResult *self);

G_END_DECLS
