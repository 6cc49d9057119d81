/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-tokenizer.h - the vocabulary of a model file and what it makes of text, counted. Nothing
 * changes after making, so any thread may use it. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

struct ember_tokenizer;
typedef struct _HearthGguf HearthGguf;
typedef struct _HearthTokenText HearthTokenText;

/* Types of tokens, with the numbers of the file format. */
typedef enum
{
  HEARTH_TOKEN_UNDEFINED,
  HEARTH_TOKEN_NORMAL,
  HEARTH_TOKEN_UNKNOWN,
  HEARTH_TOKEN_CONTROL,
  HEARTH_TOKEN_USER_DEFINED,
  HEARTH_TOKEN_UNUSED,
  HEARTH_TOKEN_BYTE,
  HEARTH_TOKEN_N_KINDS
} HearthTokenKind;

typedef struct _HearthTokenizer HearthTokenizer;

/* For src/core. Takes some ten milliseconds. Returns: (transfer full) (nullable) */
HearthTokenizer *hearth_tokenizer_new (HearthGguf *gguf, GError **error);
HearthTokenizer *hearth_tokenizer_ref (HearthTokenizer *self);
void hearth_tokenizer_unref (HearthTokenizer *self);
/* For src/core. Returns: (transfer none) */
const struct ember_tokenizer *hearth_tokenizer_get (HearthTokenizer *self);

guint hearth_tokenizer_get_n_tokens (HearthTokenizer *self);
HearthTokenKind hearth_tokenizer_get_kind (HearthTokenizer *self, int id);
/* Whether it is shown as a pill: control, unknown and user-defined tokens. */
gboolean hearth_tokenizer_is_special (HearthTokenizer *self, int id);
/* Whether an answer ends with it. */
gboolean hearth_tokenizer_is_end (HearthTokenizer *self, int id);
/* FALSE when the vocabulary has no scores. */
gboolean hearth_tokenizer_get_score (HearthTokenizer *self, int id, float *score);
/* Whether a file's settings put tokens around a text, and their ids; -1: none. */
int hearth_tokenizer_get_first (HearthTokenizer *self);
int hearth_tokenizer_get_last (HearthTokenizer *self);
/* The bytes that the token stands for in a text. Returns: (transfer full) */
GBytes *hearth_tokenizer_dup_bytes (HearthTokenizer *self, int id);
/* The same, made visible. Returns: (transfer full) */
char *hearth_tokenizer_dup_piece (HearthTokenizer *self, int id);
/* The text as it is stored in the file, made visible. Returns: (transfer full) */
char *hearth_tokenizer_dup_stored (HearthTokenizer *self, int id);

/* How far a call on another thread is. */
typedef struct _HearthProgress HearthProgress;

/* Returns: (transfer full) */
HearthProgress *hearth_progress_new (void);
HearthProgress *hearth_progress_ref (HearthProgress *self);
void hearth_progress_unref (HearthProgress *self);
/* 0 … 1. */
double hearth_progress_get (HearthProgress *self);
void hearth_progress_set (HearthProgress *self, double fraction);

typedef struct
{
  gboolean add_special;   /* what the file's settings put around a text */
  gboolean parse_special; /* special tokens are looked for in the text */
} HearthTokenizeFlags;

/* `progress` may be NULL. Cancelled within some thousand tokens. */
void hearth_tokenizer_tokenize_async (HearthTokenizer *self, GBytes *text,
                                      HearthTokenizeFlags flags, HearthProgress *progress,
                                      GCancellable *cancellable, GAsyncReadyCallback callback,
                                      gpointer user_data);
/* Returns: (transfer full) (nullable) */
HearthTokenText *hearth_tokenizer_tokenize_finish (GAsyncResult *result, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HearthTokenizer, hearth_tokenizer_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HearthProgress, hearth_progress_unref)

G_END_DECLS
