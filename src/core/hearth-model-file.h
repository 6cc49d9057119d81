/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-model-file.h - a model file on disk, as the lists and pages show it. Main thread.
 *
 *   unread ─load─▶ reading ─┬▶ ready    the header's figures are known
 *      ▲                    └▶ failed   `error` says why
 *      └──────── load again ─┘ */
#pragma once

#include <gio/gio.h>

#include "hearth-model-facts.h"
#include "hearth-model-header.h"

G_BEGIN_DECLS

typedef enum
{
  HEARTH_MODEL_FILE_UNREAD,
  HEARTH_MODEL_FILE_READING,
  HEARTH_MODEL_FILE_READY,
  HEARTH_MODEL_FILE_FAILED,
} HearthModelFileState;

/* How the file itself is, whatever is in it. */
typedef enum
{
  HEARTH_MODEL_PRESENCE_WHOLE,
  HEARTH_MODEL_PRESENCE_WRITING, /* somebody is writing it: it grows, or was cut short just now */
  HEARTH_MODEL_PRESENCE_GONE,    /* it was there, and may come back */
} HearthModelPresence;

#define HEARTH_TYPE_MODEL_FILE (hearth_model_file_get_type ())
G_DECLARE_FINAL_TYPE (HearthModelFile, hearth_model_file, HEARTH, MODEL_FILE, GObject)

/* Properties: path, title, state, quantization, size, parameters, architecture, loaded, presence,
 * stores (names of other programs), parent (a HearthModelFile). */

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
HearthModelPresence hearth_model_file_get_presence (HearthModelFile *self);
/* What the file system says; all zero for a file that is in no library.
 * Returns: (transfer none) */
const HearthModelFacts *hearth_model_file_get_facts (HearthModelFile *self);
/* What the file is for: by its header, else by its name, or as a program says. */
HearthModelRole hearth_model_file_get_role (HearthModelFile *self);
/* Bytes: of the header when it is read, else of the file system. */
guint64 hearth_model_file_get_size (HearthModelFile *self);
/* What its kin have in common: "Qwen3"; the title when nothing says it. */
const char *hearth_model_file_get_family (HearthModelFile *self);
/* For sorting by title: bytes that compare as the language has it. */
const char *hearth_model_file_get_sort_key (HearthModelFile *self);
/* What a search goes through: lower-case words of title, names, family, kind and stores. */
const char *hearth_model_file_get_search_text (HearthModelFile *self);
/* The places that it is reached from: one file may be in the stores of several programs.
 * Returns: (transfer none) (nullable) */
const HearthModelPlace *hearth_model_file_get_place (HearthModelFile *self, guint position);
guint hearth_model_file_get_n_places (HearthModelFile *self);
/* "LM Studio, Ollama"; "" when no other program has it. */
const char *hearth_model_file_get_stores (HearthModelFile *self);
/* The place that is the person's own: in a folder they added. NULL: the file belongs to other
 * programs, or to nobody that is known. Returns: (transfer none) (nullable) */
const HearthModelPlace *hearth_model_file_get_own_place (HearthModelFile *self);
/* The model that a projector, a draft model or an adapter goes with. Returns: (transfer none)
 * (nullable) */
HearthModelFile *hearth_model_file_get_parent (HearthModelFile *self);
/* Larger than that of a file that was opened before; 0: never opened. */
guint hearth_model_file_get_used (HearthModelFile *self);
/* Whether it is in the list for no other reason: neither the person's folders nor other programs
 * have it. */
gboolean hearth_model_file_is_only_recent (HearthModelFile *self);
/* Whether it can be talked to, whatever memory is free: the engine can run it, and it has a
 * vocabulary. */
gboolean hearth_model_file_can_chat (HearthModelFile *self);

G_END_DECLS
