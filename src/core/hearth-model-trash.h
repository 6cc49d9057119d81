/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-model-trash.h - moves files to the desktop's trash, and back. Main thread; the work is
 * done by another. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* What was moved, and to where. */
typedef struct _HearthTrashed HearthTrashed;

HearthTrashed *hearth_trashed_ref (HearthTrashed *self);
void hearth_trashed_unref (HearthTrashed *self);
/* The paths that the files had. Returns: (transfer none) */
const char *const *hearth_trashed_get_paths (HearthTrashed *self);

/* All of them or none: what was moved before one that cannot be is moved back. */
void hearth_model_trash_async (const char *const *paths, GAsyncReadyCallback callback,
                               gpointer user_data);
/* Returns: (transfer full) (nullable) */
HearthTrashed *hearth_model_trash_finish (GAsyncResult *result, GError **error);

/* Where they were. Fails, and leaves in the trash what cannot be moved, when something else is at
 * the place, or when the trash is out of reach. */
void hearth_model_restore_async (HearthTrashed *trashed, GAsyncReadyCallback callback,
                                 gpointer user_data);
gboolean hearth_model_restore_finish (GAsyncResult *result, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HearthTrashed, hearth_trashed_unref)

G_END_DECLS
