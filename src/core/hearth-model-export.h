/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-model-export.h - a list of models as text for other programs. Main thread. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* A line of names, then one for each HearthModelFile of the list, as RFC 4180 has it.
 * Returns: (transfer full) */
char *hearth_model_export_csv (GListModel *models);
/* An array with an object for each. Returns: (transfer full) */
char *hearth_model_export_json (GListModel *models);

G_END_DECLS
