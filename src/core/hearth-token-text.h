/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-token-text.h - a text cut into cells, as it is drawn: mostly one cell per token. Counted;
 * nothing changes after making, so any thread may use it.
 *
 * All cells together are one string of valid UTF-8 (hearth_visible_append()): white space is in it
 * as it is. Offsets are bytes of that string. */
#pragma once

#include <glib.h>

#include "hearth-tokenizer.h"

G_BEGIN_DECLS

typedef enum
{
  HEARTH_CELL_SPECIAL = 1 << 0, /* a special token: a pill */
  HEARTH_CELL_ESCAPED = 1 << 1, /* has escapes: bytes that are no text, hidden characters */
  HEARTH_CELL_PLAIN = 1 << 2,   /* text of no token */
} HearthCellFlags;

typedef struct
{
  guint from, to; /* offsets */
  guint first, n; /* tokens */
  HearthCellFlags flags;
} HearthTokenCell;

/* For src/core. A cell for each token. `source` is what was tokenised, for the counts.
 * Returns: (transfer full) */
HearthTokenText *hearth_token_text_new (HearthTokenizer *tokenizer, const gint32 *ids, gsize n,
                                        const char *source, gsize size);
/* For src/core. The text itself with the borders of its tokens: several tokens are one cell where
 * a character is cut into them. Where the vocabulary changes the text, or there is none (NULL),
 * cells are words and has_borders() is FALSE. Returns: (transfer full) */
HearthTokenText *hearth_token_text_new_aligned (HearthTokenizer *tokenizer, const gint32 *ids,
                                                gsize n, const char *source, gsize size);
HearthTokenText *hearth_token_text_ref (HearthTokenText *self);
void hearth_token_text_unref (HearthTokenText *self);

/* Terminated. Returns: (transfer none) */
const char *hearth_token_text_get_text (HearthTokenText *self, gsize *size);
guint hearth_token_text_get_n_cells (HearthTokenText *self);
void hearth_token_text_get_cell (HearthTokenText *self, guint cell, HearthTokenCell *out);
/* The cell with this offset; the last one for offsets behind the end. */
guint hearth_token_text_find_cell (HearthTokenText *self, guint offset);
gboolean hearth_token_text_has_borders (HearthTokenText *self);
/* Returns: (transfer none) */
const gint32 *hearth_token_text_get_ids (HearthTokenText *self, guint *n);
/* Of the text that was tokenised. */
void hearth_token_text_get_counts (HearthTokenText *self, gsize *n_bytes, gsize *n_characters,
                                   gsize *n_words);
/* NULL without a vocabulary. Returns: (transfer none) (nullable) */
HearthTokenizer *hearth_token_text_get_tokenizer (HearthTokenText *self);

/* The ids, separated by ", ". Returns: (transfer full) */
char *hearth_token_text_dup_ids (HearthTokenText *self);
/* {"text": …, "ids": […], "pieces": […]}, for src/core and exports. Returns: (transfer full) */
GBytes *hearth_token_text_to_json (HearthTokenText *self, const char *source, gsize size);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HearthTokenText, hearth_token_text_unref)

G_END_DECLS
