/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-model-contents.h - all that a model file's header holds, as lists: its keys and its
 * tensors. Read on another thread, then immutable. Main thread. */
#pragma once

#include <gio/gio.h>

#include "hearth-model-origin.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_MODEL_CONTENTS (hearth_model_contents_get_type ())
G_DECLARE_FINAL_TYPE (HearthModelContents, hearth_model_contents, HEARTH, MODEL_CONTENTS, GObject)

void hearth_model_contents_read_async (const char *path, GCancellable *cancellable,
                                       GAsyncReadyCallback callback, gpointer user_data);
/* Returns: (transfer full) (nullable) */
HearthModelContents *hearth_model_contents_read_finish (GAsyncResult *result, GError **error);

/* A list of HearthMetadataKey in file order. Returns: (transfer none) */
GListModel *hearth_model_contents_get_keys (HearthModelContents *self);
/* A list of HearthTensor in file order. Returns: (transfer none) */
GListModel *hearth_model_contents_get_tensors (HearthModelContents *self);
/* Paths of the model's files: one, or the parts of a split model. Returns: (transfer none) */
const char *const *hearth_model_contents_get_files (HearthModelContents *self);
/* Returns: (transfer none) */
const HearthModelOrigin *hearth_model_contents_get_origin (HearthModelContents *self);

G_END_DECLS
