/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-metadata-export.h - all keys of a file as text for other programs, made on another thread:
 * CSV with a line per key, arrays as JSON; or the JSON that loses nothing, as `ember metadata`
 * writes it. */
#pragma once

#include <gio/gio.h>

#include "hearth-gguf.h"
#include "hearth-table-text.h"

G_BEGIN_DECLS

void hearth_metadata_export_async (HearthGguf *gguf, HearthTableFormat format,
                                   GAsyncReadyCallback callback, gpointer user_data);
/* Returns: (transfer full) (nullable) */
GBytes *hearth_metadata_export_finish (GAsyncResult *result, GError **error);

G_END_DECLS
