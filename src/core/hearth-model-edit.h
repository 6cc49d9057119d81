/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-model-edit.h - a copy of a model file with other keys: what is wished is checked by the
 * engine as it is wished, and written by the engine's writer to another file. The file itself is
 * never changed. A list of HearthEditKey. Main thread. */
#pragma once

#include <gio/gio.h>

#include "hearth-edit-key.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_MODEL_EDIT (hearth_model_edit_get_type ())
G_DECLARE_FINAL_TYPE (HearthModelEdit, hearth_model_edit, HEARTH, MODEL_EDIT, GObject)

/* Properties: n-changes; progress (0 … 1, while saving). */

/* `keys` is a list of HearthMetadataKey of the file at `path`. Returns: (transfer full) */
HearthModelEdit *hearth_model_edit_new (const char *path, GListModel *keys);
const char *hearth_model_edit_get_path (HearthModelEdit *self);
guint hearth_model_edit_get_n_changes (HearthModelEdit *self);
double hearth_model_edit_get_progress (HearthModelEdit *self);

/* Whether `key` (NULL: a new one) may be called so and have this value; `text` NULL leaves the
 * value of the file. The error's message is for people to read under "Details". */
gboolean hearth_model_edit_check (HearthModelEdit *self, HearthEditKey *key, const char *name,
                                  const char *type, const char *text, GError **error);
/* Whether another key has this name. */
gboolean hearth_model_edit_is_taken (HearthModelEdit *self, HearthEditKey *key, const char *name);
/* The same, and makes it so. */
gboolean hearth_model_edit_apply (HearthModelEdit *self, HearthEditKey *key, const char *name,
                                  const char *type, const char *text, GError **error);
/* One that was added leaves the list. */
void hearth_model_edit_remove (HearthModelEdit *self, HearthEditKey *key);
/* As in the file again. Fails when its name is another key's by now. */
gboolean hearth_model_edit_reset (HearthModelEdit *self, HearthEditKey *key);
/* The type that a standard key of this name has, and what it means; NULL for others.
 * Returns: (transfer full) (nullable) */
char *hearth_model_edit_dup_standard_type (HearthModelEdit *self, const char *name);
char *hearth_model_edit_dup_meaning (HearthModelEdit *self, const char *name);

/* All types that a key may be given, ending with NULL. Static storage. */
const char *const *hearth_model_edit_get_types (void);

/* Whether `path` is this file or one of its parts, by whatever name. */
gboolean hearth_model_edit_is_source (HearthModelEdit *self, const char *path);
/* Writes the copy; what is at `path` is replaced when all is written. G_IO_ERROR_EXISTS when that
 * is the file itself. A cancelled or failed copy leaves nothing. */
void hearth_model_edit_save_async (HearthModelEdit *self, const char *path,
                                   GCancellable *cancellable, GAsyncReadyCallback callback,
                                   gpointer user_data);
gboolean hearth_model_edit_save_finish (HearthModelEdit *self, GAsyncResult *result,
                                        GError **error);

G_END_DECLS
