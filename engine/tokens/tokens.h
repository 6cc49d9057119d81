/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tokens.h - the inside of a tokenizer, for the files of this folder.
 *
 *   text ─▶ partition.c (special tokens and plain text)
 *        ─▶ one of bpe.c (after pretokenize.c: words), spm.c, wpm.c, ugm.c, rwkv.c ─▶ ids
 *        ─▶ detokenize.c, stream.c ─▶ text
 *
 * Everything in struct ember_tokenizer is fixed after loading; a call's scratch memory is a struct
 * tok_work of its own, so any number of threads may tokenise at once. */
#pragma once

#include <ember/tokenizer.h>

#include "base/arena.h"
#include "base/hash.h"
#include "base/text.h"

enum { TOK_NONE = -1 };

enum tok_model {
    TOK_SPM,  /* merges by score; a space is U+2581 */
    TOK_BPE,  /* merges by rank */
    TOK_WPM,  /* longest piece of a word */
    TOK_UGM,  /* the best sum of scores */
    TOK_RWKV, /* longest piece of the text */
};

enum tok_flag {
    TOK_END = 1,         /* generation stops here */
    TOK_STRIP_LEFT = 2,  /* swallows white space before it */
    TOK_STRIP_RIGHT = 4, /* swallows white space after it */
    TOK_GUARDED = 8,     /* control, unknown: from trusted spans only, never by merging */
};

/* One entry of the vocabulary; the text stays in the file. */
struct tok_piece {
    const char *data;
    uint32_t size;
    uint8_t kind; /* enum ember_token_kind */
    uint8_t flags;
};

/* Texts to ids: open addressing; id1 = 0 is an empty slot. */
struct tok_slot {
    uint32_t tag; /* upper half of the hash */
    uint32_t id1; /* id + 1 */
};

struct tok_texts {
    struct tok_slot *slots; /* owned */
    uint32_t mask;
    uint32_t n;
};

/* Two neighbours that merge. Symbols are token ids, or n_tokens + i for extra[i]. */
struct tok_merge {
    int32_t left, right; /* left < 0: an empty slot */
    uint32_t rank;
    int32_t result;
};

struct tok_charsmap;     /* ugm.c */
struct tok_pretokenizer; /* pretokenize.c */
struct tok_pre_name;     /* pre_tables.c */

/* Tokens in the order of their texts. */
struct tok_index {
    const struct tok_piece *pieces;
    int32_t *ids;
    uint32_t n;
    uint32_t first[257]; /* ids[first[b] … first[b + 1]) begin with byte b */
};

/* The tokens ids[low … high) that begin with the `depth` bytes walked, and go on after them. */
struct tok_walk {
    uint32_t low, high, depth;
};

struct ember_tokenizer {
    const struct ember_gguf *gguf;
    struct arena arena;
    struct hash_key key;
    enum tok_model model;

    uint32_t n_tokens;
    struct tok_piece *pieces;
    float *scores; /* SPM, UGM; NULL = all alike */
    struct tok_texts texts;
    uint32_t max_piece; /* bytes of the longest text */

    /* BPE: parts and results of merges that are no tokens themselves. */
    struct tok_piece *extra; /* owned */
    uint32_t n_extra, extra_capacity;
    struct tok_merge *merges; /* owned; open addressing */
    uint32_t merge_mask;
    bool has_merges;

    struct tok_pretokenizer *pre;
    bool byte_level;     /* BPE on bytes drawn as characters, else on the text itself */
    bool ignore_merges;  /* a word that is a token is taken whole */
    bool whole_newlines; /* a run of newlines that is a token is taken whole */
    bool keys_only;      /* kind gemma4: BOS always, other ids from keys alone */
    bool space_prefix;   /* SPM, UGM: a space goes before the text */
    bool lowercase;      /* WPM */
    bool strip_accents;  /* WPM */
    bool squeeze_spaces; /* UGM: runs of spaces are one, none stand at the ends */

    struct tok_index matcher;  /* UGM, RWKV: what plain text may become */
    struct tok_index verbatim; /* UGM: user-defined tokens, which normalising passes by */
    struct tok_charsmap *charsmap;
    float min_score;
    struct tok_piece *raw; /* RWKV: the texts without their escapes */

    int32_t byte_token[256];  /* the token standing for one raw byte, or TOK_NONE */
    int32_t byte_symbol[256]; /* byte-level BPE: the symbol a byte starts as, or TOK_NONE */

    /* What the partition looks for. Order 0 is looked for first: the longest text. */
    struct tok_index specials;
    int32_t *special_by_order;
    uint32_t *special_order; /* by place in `specials` */

    int32_t bos, eos, unk;
    bool add_bos, add_eos;
    int32_t *suppressed;
    size_t n_suppressed;
};

/* ---- finding: vocab.c ---- */

/* Symbol (token or extra) with exactly this text, or TOK_NONE. */
int32_t tok_find_symbol(const struct ember_tokenizer *t, const char *data, size_t size);
/* Token with exactly this text, or TOK_NONE. */
int32_t tok_find(const struct ember_tokenizer *t, const char *data, size_t size);
/* The same, but TOK_NONE for what plain text may not become: control, unknown and byte tokens. */
int32_t tok_find_plain(const struct ember_tokenizer *t, const char *data, size_t size);
/* Enters symbol `id`; false when memory is refused. Returns in *known the symbol that has the text
 * already, or TOK_NONE. */
bool tok_texts_add(struct ember_tokenizer *t, int32_t id, int32_t *known);
const struct tok_piece *tok_symbol(const struct ember_tokenizer *t, int32_t symbol);
bool tok_is_plain(const struct ember_tokenizer *t, int32_t id);

/* ---- loading ---- */

/* Ids, end-of-generation set and kinds that follow from keys and well-known texts. */
void tok_special_load(struct ember_tokenizer *t, const struct tok_pre_name *pre);
/* The sorted candidates; after the kinds are settled. */
enum ember_status tok_partition_load(struct ember_tokenizer *t, struct ember_error *err);
enum ember_status tok_merges_load(struct ember_tokenizer *t, bool optional,
                                  struct ember_error *err);
enum ember_status tok_ugm_load(struct ember_tokenizer *t, struct ember_error *err);
enum ember_status tok_rwkv_load(struct ember_tokenizer *t, struct ember_error *err);

/* ---- index.c ---- */

/* Sorts ids[0..n) by the texts in `pieces`, leaving out empty ones. False when memory is refused.
 */
bool tok_index_init(struct tok_index *index, struct arena *arena, const struct tok_piece *pieces,
                    const int32_t *ids, uint32_t n);
struct tok_walk tok_walk_begin(const struct tok_index *index);
/* Goes one byte on: the place (in index->ids) of the token that ends there, or TOK_NONE. Nothing
 * is left when low == high. */
int32_t tok_walk_step(const struct tok_index *index, struct tok_walk *walk, uint8_t byte);

/* ---- byte_level.c ---- */

/* The character that stands for a byte in byte-level vocabularies (1 or 2 bytes of UTF-8). */
size_t tok_byte_to_text(uint8_t byte, char out[2]);
/* The byte a character stands for, or -1. */
int tok_char_to_byte(uint32_t codepoint);
