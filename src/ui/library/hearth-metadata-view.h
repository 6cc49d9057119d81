/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-metadata-view.h - the keys of a model file as a table to search; a value is opened in a
 * viewer. */
#pragma once

#include "hearth-model-view.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_METADATA_VIEW (hearth_metadata_view_get_type ())
G_DECLARE_FINAL_TYPE (HearthMetadataView, hearth_metadata_view, HEARTH, METADATA_VIEW, GtkWidget)

G_END_DECLS
