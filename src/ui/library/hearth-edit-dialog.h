/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-edit-dialog.h - a copy of a model file with other keys: the keys, a page for one of them,
 * what has changed, and saving it to another file. The file itself is never changed. */
#pragma once

#include <adwaita.h>

#include "hearth-metadata-key.h"
#include "hearth-model-contents.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_EDIT_DIALOG (hearth_edit_dialog_get_type ())
G_DECLARE_FINAL_TYPE (HearthEditDialog, hearth_edit_dialog, HEARTH, EDIT_DIALOG, AdwDialog)

/* Of the file at `path`. Returns: (transfer floating) */
AdwDialog *hearth_edit_dialog_new (const char *path, HearthModelContents *contents);
/* Begins with this key. */
void hearth_edit_dialog_show_key (HearthEditDialog *self, HearthMetadataKey *key);

G_END_DECLS
