/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-words.h - figures and failures in words, as people read them. Main thread. */
#pragma once

#include "hearth-message.h"
#include "hearth-model-file.h"

G_BEGIN_DECLS

/* One sentence, without the engine's detail. `model` may be NULL. Returns: (transfer full) */
char *hearth_words_for_error (const GError *error, HearthModelFile *model);
/* What a person can do about a file that is not whole; NULL: nothing is known. */
const char *hearth_words_for_way_out (const GError *error, HearthModelFile *model);

/* "135 million". Returns: (transfer full) */
char *hearth_words_for_count (guint64 count);
/* "134,515,008" by locale; as in English where the locale is C. Returns: (transfer full) */
char *hearth_words_for_number (guint64 number);
/* "12.5 %"; `n_decimals` below 0: three digits. Returns: (transfer full) */
char *hearth_words_for_percent (double percent, int n_decimals);
/* "−0.0123" by locale, with as many digits as tell a value from the next one.
 * Returns: (transfer full) */
char *hearth_words_for_value (float value);
/* A shape, a name, or any text that keeps its own order, and that of what is around it, in a window
 * that runs from right to left. Sizes and the figures here are so already. For what is shown; what
 * is copied is as_plain(). Returns: (transfer full) */
char *hearth_words_in_order (const char *text);
/* Without the marks of that. Returns: (transfer full) */
char *hearth_words_as_plain (const char *text);
/* "−0.5" of "-0.5": a minus as wide as a plus. Returns: (transfer full) */
char *hearth_words_with_sign (const char *number);
/* "98.4 MB": all sizes are in decimal units, also those of memory. Returns: (transfer full) */
char *hearth_words_for_size (guint64 n_bytes);
/* "98.4 MB (98,362,432 bytes)". Returns: (transfer full) */
char *hearth_words_for_exact_size (guint64 n_bytes);
/* "Weights: 98.4 MB (98,362,432 bytes)". Returns: (transfer full) */
char *hearth_words_for_term (const char *title, guint64 n_bytes);
/* Whether that much fits, with the two figures that decide, and what to do where it does not.
 * `longest`: the longest context that fits, 0 when that is not known; `hopeless`: none does.
 * Returns: (transfer full) */
char *hearth_words_for_room (const char *title, guint64 need, guint64 budget, guint longest,
                             gboolean hopeless);
/* Which model files suit a computer with that much memory, in one sentence. Returns: (transfer
 * full)
 */
char *hearth_words_for_suiting (guint64 memory);
/* What memory is for: "Weights 98.4 MB · KV cache 180 MB · working memory 15 MB".
 * Returns: (transfer full) */
char *hearth_words_for_memory (guint64 weights, guint64 kv, guint64 compute);

/* "42.0 tokens/s · first after 0.3 s". Returns: (transfer full) */
char *hearth_words_for_figures (const HearthFigures *figures);
/* All of them, one per line, for the tooltip. Returns: (transfer full) */
char *hearth_words_for_all_figures (const HearthFigures *figures);

/* "135 million parameters · Q4_1 · 98.4 MB"; "" until the header is read.
 * Returns: (transfer full) */
char *hearth_words_for_model (HearthModelFile *model);
/* "A chat model of 135 million parameters, …" Returns: (transfer full) */
char *hearth_words_for_model_kind (HearthModelFile *model);
/* What to expect of a model that is not made for chats; "" for others. Returns: (transfer full) */
char *hearth_words_for_model_advice (HearthModelFile *model);
/* Whether it fits, with the two figures that decide. Returns: (transfer full) */
char *hearth_words_for_fit (HearthModelFile *model);
/* What that is the sum of, exact to the byte, one per line. Returns: (transfer full) */
char *hearth_words_for_needs (HearthModelFile *model);

/* A closure of the list rows' templates. */
gboolean hearth_words_row_has_detail (gpointer item, const char *detail);

G_END_DECLS
