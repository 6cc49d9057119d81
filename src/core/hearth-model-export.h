/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-model-export.h - a list of models as text for other programs. Main thread. */
#pragma once

#include <gio/gio.h>

#include "hearth-table-text.h"

G_BEGIN_DECLS

/* A row for each HearthModelFile of the list. Returns: (transfer full) */
GBytes *hearth_model_export (GListModel *models, HearthTableFormat format);

G_END_DECLS
