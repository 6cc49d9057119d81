/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-value-dialog.h - one value of a model file's metadata in full; of a long array a page at a
 * time. */
#pragma once

#include <adwaita.h>

#include "hearth-metadata-key.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_VALUE_DIALOG (hearth_value_dialog_get_type ())
G_DECLARE_FINAL_TYPE (HearthValueDialog, hearth_value_dialog, HEARTH, VALUE_DIALOG, AdwDialog)

/* Returns: (transfer floating) */
AdwDialog *hearth_value_dialog_new (HearthMetadataKey *key);

G_END_DECLS
