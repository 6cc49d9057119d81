/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-compare-summary.h - the figures of two model files in two columns. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-comparison.h"

G_BEGIN_DECLS

/* Returns: (transfer floating) */
GtkWidget *hearth_compare_summary_new (HearthComparison *comparison);

G_END_DECLS
