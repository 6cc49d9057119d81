/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-overview.h - the first page about a model: who made it, what it is, what it is made of. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-model-view.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_OVERVIEW (hearth_overview_get_type ())
G_DECLARE_FINAL_TYPE (HearthOverview, hearth_overview, HEARTH, OVERVIEW, GtkWidget)

G_END_DECLS
