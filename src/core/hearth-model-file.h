/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-model-file.h - a model file on disk, as the lists and pages show it. Main thread.
 *
 *   unread ─load─▶ reading ─┬▶ ready    the header's figures are known
 *      ▲                    └▶ failed   `error` says why
 *      └──────── load again ─┘ */
#pragma once

#include <gio/gio.h>

#include "hearth-model-header.h"

G_BEGIN_DECLS

typedef enum
{
  HEARTH_MODEL_FILE_UNREAD,
  HEARTH_MODEL_FILE_READING,
  HEARTH_MODEL_FILE_READY,
  HEARTH_MODEL_FILE_FAILED,
} HearthModelFileState;

#define HEARTH_TYPE_MODEL_FILE (hearth_model_file_get_type ())
G_DECLARE_FINAL_TYPE (HearthModelFile, hearth_model_file, HEARTH, MODEL_FILE, GObject)

/* Properties: path, title, state, quantization, size, parameters, architecture, loaded. */

/* Returns: (transfer full) */
HearthModelFile *hearth_model_file_new (const char *path);

/* Reads the header on another thread. `n_ctx` and `n_threads` are what the memory plan is for;
 * 0 leaves them to the engine. */
void hearth_model_file_load_async (HearthModelFile *self, guint n_ctx, guint n_threads,
                                   GCancellable *cancellable, GAsyncReadyCallback callback,
                                   gpointer user_data);
gboolean hearth_model_file_load_finish (HearthModelFile *self, GAsyncResult *result,
                                        GError **error);

const char *hearth_model_file_get_path (HearthModelFile *self);
/* The file's name without folders, as it may be shown. */
const char *hearth_model_file_get_base_name (HearthModelFile *self);
/* The model's name from the header, or the file's until that is known. */
const char *hearth_model_file_get_title (HearthModelFile *self);
HearthModelFileState hearth_model_file_get_state (HearthModelFile *self);
/* Why reading failed. Returns: (transfer none) (nullable) */
const GError *hearth_model_file_get_error (HearthModelFile *self);
/* What a file that is no model seems to be, to be translated. Returns: (nullable) */
const char *hearth_model_file_get_kind (HearthModelFile *self);
/* The header's figures; NULL until ready. They stay until the next load has ended.
 * Returns: (transfer none) (nullable) */
const HearthModelHeader *hearth_model_file_get_header (HearthModelFile *self);
/* 0 when there are no parameters. */
double hearth_model_file_get_bits_per_weight (HearthModelFile *self);
/* The tensor types, largest first: a list of HearthTensorType. Returns: (transfer none) */
GListModel *hearth_model_file_get_types (HearthModelFile *self);
/* Whether it is the model in memory; the library says so. */
gboolean hearth_model_file_get_loaded (HearthModelFile *self);
void hearth_model_file_set_loaded (HearthModelFile *self, gboolean loaded);
/* Whether it can be talked to, whatever memory is free: the engine can run it, and it has a
 * vocabulary. */
gboolean hearth_model_file_can_chat (HearthModelFile *self);

G_END_DECLS
