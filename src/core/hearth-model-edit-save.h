/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-model-edit-save.h - writes a copy of a model file with other keys, on another thread. For
 * hearth-model-edit.c only. */
#pragma once

#include <gio/gio.h>

#include "hearth-gguf.h"

G_BEGIN_DECLS

/* What the writing thread has: plain data. */
typedef struct _HearthEditSave HearthEditSave;

/* `keys` is a list of HearthEditKey. Returns what progress is asked of, which lives until the
 * callback has been called. Returns: (transfer none) */
HearthEditSave *hearth_edit_save_begin (const char *source, const char *path, GListModel *keys,
                                        GCancellable *cancellable, GAsyncReadyCallback callback,
                                        gpointer user_data);
/* 0 … 1 */
double hearth_edit_save_get_progress (HearthEditSave *self);

/* Whether both are one file of the disk. */
gboolean hearth_edit_save_same_file (const char *a, const char *b);
gboolean hearth_edit_save_is_part (HearthGguf *gguf, const char *path);

G_END_DECLS
