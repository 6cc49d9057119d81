/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-histogram.h - how values are spread: a bar for each stretch, with a line under it that
 * says what is pointed at. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-tensor-stats.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_HISTOGRAM (hearth_histogram_get_type ())
G_DECLARE_FINAL_TYPE (HearthHistogram, hearth_histogram, HEARTH, HISTOGRAM, GtkWidget)

/* Copies them; NULL: nothing yet. */
void hearth_histogram_set_figures (HearthHistogram *self, const HearthTensorFigures *figures);

/* Bars with their axes, titled; NULL without figures. Returns: (transfer full) (nullable) */
GdkTexture *hearth_histogram_draw (HearthHistogram *self, const char *title, const char *text);

/* "-0.0123": four significant digits. Returns: (transfer full) */
char *hearth_histogram_dup_value (double value);

G_END_DECLS
