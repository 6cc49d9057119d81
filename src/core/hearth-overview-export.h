/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-overview-export.h - the facts of a model as text for other programs. Main thread. */
#pragma once

#include "hearth-model-file.h"
#include "hearth-table-text.h"

G_BEGIN_DECLS

/* A row for each fact, tensor type and role: group, name, value; sizes in bytes, all numbers exact.
 * `model` has been read. Returns: (transfer full) */
GBytes *hearth_overview_export (HearthModelFile *model, HearthTableFormat format);

G_END_DECLS
