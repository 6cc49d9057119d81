/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-residency.h - which pages of a file are in the system's memory at the moment, whoever has
 * read them. Asking reads nothing of the file. An immutable picture; any thread. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef struct _HearthResidency HearthResidency;

void hearth_residency_read_async (const char *path, GCancellable *cancellable,
                                  GAsyncReadyCallback callback, gpointer user_data);
/* G_IO_ERROR_PERMISSION_DENIED: the system tells it only who may write the file.
 * Returns: (transfer full) (nullable) */
HearthResidency *hearth_residency_read_finish (GAsyncResult *result, GError **error);

HearthResidency *hearth_residency_ref (HearthResidency *self);
void hearth_residency_unref (HearthResidency *self);

/* How many of the bytes of a stretch are in memory. */
guint64 hearth_residency_count (HearthResidency *self, guint64 offset, guint64 size);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HearthResidency, hearth_residency_unref)

G_END_DECLS
