/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-library-scan.h - looks for model files in folders, on another thread; each is told as it
 * is found. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* Main thread, once per file. */
typedef void (*HearthLibraryFound) (const char *path, gpointer user_data);

/* `object` is kept alive until the end and handed to both callbacks; nothing is told after a
 * cancel. Folders that are links, and what lies more than some levels deep, are passed over; of a
 * split model the first part alone is told. */
void hearth_library_scan_async (const char *const *folders, GCancellable *cancellable,
                                HearthLibraryFound found, GAsyncReadyCallback callback,
                                GObject *object);
/* Fails only with G_IO_ERROR_CANCELLED: folders that cannot be read are passed over. */
gboolean hearth_library_scan_finish (GAsyncResult *result, GError **error);

G_END_DECLS
