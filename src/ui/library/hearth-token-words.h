/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-token-words.h - tokens in words, as people read them. */
#pragma once

#include "hearth-token-text.h"

G_BEGIN_DECLS

/* "Normal", translated. */
const char *hearth_token_words_for_kind (HearthTokenKind kind);
/* "20 74 68 65"; of many bytes the first. Returns: (transfer full) */
char *hearth_token_words_for_bytes (GBytes *bytes);
/* "−12.3"; "" when there is none. Returns: (transfer full) */
char *hearth_token_words_for_score (HearthTokenizer *tokenizer, int id);

/* Of a cell: "“·the”". Returns: (transfer full) */
char *hearth_token_words_for_piece (HearthTokenText *text, guint cell);
/* "ID 665 · Normal", or "4 tokens: 171, 253, …". Returns: (transfer full) */
char *hearth_token_words_for_ids (HearthTokenText *text, guint cell);
/* "Bytes 20 74 68 65 · Score −12.3". Returns: (transfer full) */
char *hearth_token_words_for_details (HearthTokenText *text, guint cell);

G_END_DECLS
