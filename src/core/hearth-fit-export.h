/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-fit-export.h - a plan as text for other programs, the same in every language. */
#pragma once

#include "hearth-fit.h"
#include "hearth-table-text.h"

G_BEGIN_DECLS

/* Returns: (transfer full) */
GBytes *hearth_fit_plan_export (const HearthFitPlan *plan, HearthTableFormat format);

G_END_DECLS
