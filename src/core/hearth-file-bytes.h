/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-file-bytes.h - the bytes of a file of any size, read in pieces on another thread when they
 * are looked at. Main thread. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define HEARTH_TYPE_FILE_BYTES (hearth_file_bytes_get_type ())
G_DECLARE_FINAL_TYPE (HearthFileBytes, hearth_file_bytes, HEARTH, FILE_BYTES, GObject)

/* Signal "changed": more has been read, or could not be.
 * `size` is what the file is taken to have. Returns: (transfer full) */
HearthFileBytes *hearth_file_bytes_new (const char *path, guint64 size);

const char *hearth_file_bytes_get_path (HearthFileBytes *self);
guint64 hearth_file_bytes_get_size (HearthFileBytes *self);
/* Copies what is there of `n` bytes from `offset`; returns how many: fewer at the end of the file,
 * and none of what has not been read yet, which is asked for with this. */
gsize hearth_file_bytes_peek (HearthFileBytes *self, guint64 offset, guint8 *out, gsize n);
/* Returns: (transfer none) (nullable) */
const GError *hearth_file_bytes_get_error (HearthFileBytes *self);
gboolean hearth_file_bytes_is_idle (HearthFileBytes *self);
/* How many pieces have been read so far. */
guint hearth_file_bytes_get_n_read (HearthFileBytes *self);

/* Any number of bytes on another thread, for copying.  The largest is 16 MiB. */
#define HEARTH_FILE_BYTES_MOST (16u * 1024 * 1024)
void hearth_file_bytes_read_async (HearthFileBytes *self, guint64 offset, gsize n,
                                   GAsyncReadyCallback callback, gpointer user_data);
/* Returns: (transfer full) (nullable) */
GBytes *hearth_file_bytes_read_finish (GAsyncResult *result, GError **error);

G_END_DECLS
