/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-library.h - the model files that are listed: those that were opened, last used first, then
 * those of the person's folders and those of other programs as they are found. A list of
 * HearthModelFile. Main thread; what touches the disk is done by threads.
 *
 * A file that is reached from several places is in the list once, and names them all. The folders
 * are watched: what comes, changes or goes is seen. */
#pragma once

#include "hearth-model-file.h"
#include "hearth-settings.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_LIBRARY (hearth_library_get_type ())
G_DECLARE_FINAL_TYPE (HearthLibrary, hearth_library, HEARTH, LIBRARY, GObject)

/* Property: scanning.
 * Signal "updated": files of the list have other titles, sizes or states than before; at most a few
 * times a second, however many. */

/* Starts reading the headers of the remembered files, those that are gone drop out, and looking
 * through the model folders; it looks again when the settings name others.
 * Returns: (transfer full) */
HearthLibrary *hearth_library_new (HearthSettings *settings);
/* The same for another environment, which says where other programs have their files and where
 * headers are kept. Returns: (transfer full) */
HearthLibrary *hearth_library_new_for_environment (HearthSettings *settings, char **environment);

/* The file object of this path: the one in the list, or a new one that is not in it yet.
 * Returns: (transfer full) */
HearthModelFile *hearth_library_ref_file (HearthLibrary *self, const char *path);

/* Puts a file whose header could be read at the top of the list. */
void hearth_library_remember (HearthLibrary *self, HearthModelFile *file);
/* Takes a file that was opened from the list; it stays where it is in a folder. */
void hearth_library_forget (HearthLibrary *self, HearthModelFile *file);
/* Takes that back: `used` is what hearth_model_file_get_used() was. One that has been opened again
 * since stays as it is. */
void hearth_library_recall (HearthLibrary *self, HearthModelFile *file, guint used);

/* Adds a model folder to the settings, if it is not one yet. */
void hearth_library_add_folder (HearthLibrary *self, const char *path);
/* Looks through the model folders again; files that are gone leave the list. */
void hearth_library_scan (HearthLibrary *self);
/* Whether that is going on. */
gboolean hearth_library_get_scanning (HearthLibrary *self);
/* Looks whether this file is there, and how: somebody has moved it. */
void hearth_library_check (HearthLibrary *self, const char *path);

/* Which model is in memory; NULL: none. */
void hearth_library_set_loaded (HearthLibrary *self, const char *path);

G_END_DECLS
