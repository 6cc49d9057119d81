/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-library.h - the model files this computer's user has opened, last used first: a list of
 * HearthModelFile, remembered in the settings. Main thread. */
#pragma once

#include "hearth-model-file.h"
#include "hearth-settings.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_LIBRARY (hearth_library_get_type ())
G_DECLARE_FINAL_TYPE (HearthLibrary, hearth_library, HEARTH, LIBRARY, GObject)

/* Starts reading the headers of the remembered files; those that are gone drop out.
 * Returns: (transfer full) */
HearthLibrary *hearth_library_new (HearthSettings *settings);

/* The file object of this path: the one in the list, or a new one that is not in it yet.
 * Returns: (transfer full) */
HearthModelFile *hearth_library_ref_file (HearthLibrary *self, const char *path);

/* Puts a file whose header could be read at the top of the list. */
void hearth_library_remember (HearthLibrary *self, HearthModelFile *file);

G_END_DECLS
