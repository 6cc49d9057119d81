/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-file-map.h - a model file by offset: a strip to zoom, a table of its regions with what of
 * them is in memory, and the bytes of each. Of a split model, each of its files. */
#pragma once

#include "hearth-model-view.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_FILE_MAP (hearth_file_map_get_type ())
G_DECLARE_FINAL_TYPE (HearthFileMap, hearth_file_map, HEARTH, FILE_MAP, GtkWidget)

GtkWidget *hearth_file_map_new (void);

/* Goes to the bytes of the key or tensor of this name, once the file has been read. */
void hearth_file_map_show_bytes_of (HearthFileMap *self, const char *name);

G_END_DECLS
