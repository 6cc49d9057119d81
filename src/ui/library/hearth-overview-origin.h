/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-overview-origin.h - where a model comes from, as lists of rows: what it was made from,
 * what it learned from, its licence, its files. Links show where they lead before they are opened.
 */
#pragma once

#include <gtk/gtk.h>

#include "hearth-model-origin.h"

G_BEGIN_DECLS

/* Returns: (transfer floating) */
GtkWidget *hearth_overview_origin_new (const HearthModelOrigin *origin);

G_END_DECLS
