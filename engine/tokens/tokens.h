/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tokens.h - the inside of a tokenizer, for the files of this folder.
 *
 *   text ─▶ partition.c (special tokens) ─▶ pretokenize.c (words, BPE only) ─▶ bpe.c | spm.c |
 * wpm.c ─▶ merge.c (pairs by priority) ─▶ ids ─▶ detokenize.c, stream.c ─▶ text
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
    TOK_SPM, /* merges by score; a space is U+2581 */
    TOK_BPE, /* merges by rank */
    TOK_WPM, /* longest piece of a word */
};

enum tok_flag {
    TOK_END = 1,         /* generation stops here */
    TOK_STRIP_LEFT = 2,  /* swallows white space before it */
    TOK_STRIP_RIGHT = 4, /* swallows white space after it */
    TOK_GUARDED =
        8, /* control and unknown tokens: made from trusted spans only, never by merging */
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
    float *scores; /* SPM; NULL = all alike */
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
    bool space_prefix;   /* SPM: a space goes before the text */
    bool lowercase;      /* WPM */
    bool strip_accents;  /* WPM */

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

/* ---- vocab.c, special.c, merges.c: loading ---- */

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

/* Ids, end-of-generation set and kinds that follow from keys and well-known texts. */
void tok_special_load(struct ember_tokenizer *t, const struct tok_pre_name *pre);
/* The sorted candidates; after the kinds are settled. */
enum ember_status tok_partition_load(struct ember_tokenizer *t, struct ember_error *err);
enum ember_status tok_merges_load(struct ember_tokenizer *t, bool optional,
                                  struct ember_error *err);

/* ---- index.c ---- */

/* Sorts ids[0..n) by the texts in `pieces`, leaving out empty ones. False when memory is refused.
 */
bool tok_index_init(struct tok_index *index, struct arena *arena, const struct tok_piece *pieces,
                    const int32_t *ids, uint32_t n);
struct tok_walk tok_walk_begin(const struct tok_index *index);
/* Goes one byte on: the place (in index->ids) of the token that ends there, or TOK_NONE. Nothing
 * is left when low == high. */
int32_t tok_walk_step(const struct tok_index *index, struct tok_walk *walk, uint8_t byte);

/* ---- pre_tables.c, pretokenize.c ---- */

enum { TOK_MAX_STAGES = 6 };

enum tok_stage_kind {
    TOK_STAGE_PATTERN,      /* matches of a regular expression and the gaps between them */
    TOK_STAGE_DIGITS_RIGHT, /* numbers cut in threes from the right */
    TOK_STAGE_ASCII_RIGHT,  /* the same for ASCII digits alone */
};

struct tok_stage {
    enum tok_stage_kind kind;
    const char *pattern;
};

/* What a family of pre-tokenizers does to a text. */
struct tok_family {
    const char *name; /* its best known member */
    bool plain_text;  /* merges run on the text with U+2581 for spaces, not on bytes */
    struct tok_stage stages[TOK_MAX_STAGES];
};

/* One value of tokenizer.ggml.pre. */
struct tok_pre_name {
    const char *name;
    const struct tok_family *family;
    bool ignore_merges;
    bool add_bos;
    bool no_bos; /* the kind's default id is none of this family's */
    bool merges_optional;
    bool whole_newlines;
};

extern const struct tok_pre_name tok_pre_names[];
extern const size_t tok_n_pre_names;
/* NULL for an unknown name. */
const struct tok_pre_name *tok_pre_find(struct ember_text name);
/* Fails with EMBER_UNSUPPORTED and the names there are. */
enum ember_status tok_pre_unknown(const char *path, struct ember_text name,
                                  struct ember_error *err);

enum ember_status tok_pretokenizer_new(struct tok_pretokenizer **out,
                                       const struct tok_family *family, struct ember_error *err);
void tok_pretokenizer_free(struct tok_pretokenizer *pre);

/* ---- scratch memory of one call ---- */

/* A part of the text while neighbours merge: a doubly linked list inside an array. */
struct tok_node {
    uint32_t at, size;   /* bytes of the text; size 0: merged into its left neighbour */
    uint32_t prev, next; /* TOK_END_OF_LIST at the ends */
    int32_t symbol;
    uint32_t priority; /* of the pair with `next`; TOK_NO_PAIR = none */
    int32_t merged;    /* what the pair becomes */
};

#define TOK_END_OF_LIST UINT32_MAX
#define TOK_NO_PAIR UINT32_MAX

/* A min-heap of 64-bit keys: priority above, position below, so that ties go to the leftmost. */
struct tok_heap {
    uint64_t *keys;
    size_t n, capacity;
};

/* Cuts of a text: ends of its pieces. */
struct tok_cuts {
    uint32_t *ends;
    size_t n, capacity;
};

/* A stretch of the text: a special token or plain text (id = TOK_NONE). */
struct tok_part {
    uint32_t at, size;
    int32_t id;
};

struct tok_work {
    struct tok_node *nodes;
    size_t n_nodes, nodes_capacity;
    struct tok_heap heap;
    struct tok_cuts cuts, spare;
    struct text_buffer text;  /* an escaped or encoded copy */
    struct text_buffer clean; /* the same bytes as valid UTF-8 */
    void *match;              /* pcre2_match_data */
    void *match_context;
};

void tok_work_finish(struct tok_work *work);

bool tok_heap_push(struct tok_heap *heap, uint64_t key);
uint64_t tok_heap_pop(struct tok_heap *heap);           /* n > 0 */
bool tok_list_add(struct tok_heap *list, uint64_t key); /* keeps no order */
bool tok_cuts_add(struct tok_cuts *cuts, uint32_t end);
/* False when memory is refused. */
bool tok_emit(struct ember_tokens *out, int32_t id);

/* ---- the stages of a call ---- */

/* Where text is trusted: [from, to) ranges, ascending, not touching. */
struct tok_range {
    uint32_t from, to;
};

/* Cuts text[0..size) at special tokens. *parts is malloc'ed, in order of the text. */
enum ember_status tok_partition(const struct ember_tokenizer *t, const char *text, uint32_t size,
                                const struct tok_range *trusted, size_t n_trusted,
                                struct tok_part **parts, size_t *n_parts, struct tok_heap *heap,
                                struct ember_error *err);

/* Cuts text[0..size) into words: work->cuts holds their ends. */
enum ember_status tok_pretokenize(const struct tok_pretokenizer *pre, const char *text,
                                  uint32_t size, struct tok_work *work, struct ember_error *err);

/* Merges work->nodes until no pair is left; the model says what nodes a and b become. False when
 * memory is refused. */
bool tok_merge_all(const struct ember_tokenizer *t, struct tok_work *work, const char *text);
/* What neighbours a and b in `text` become, and how soon; false when they do not merge. */
bool tok_bpe_pair(const struct ember_tokenizer *t, const struct tok_node *a,
                  const struct tok_node *b, uint32_t *priority, int32_t *merged);
bool tok_spm_pair(const struct ember_tokenizer *t, const char *text, const struct tok_node *a,
                  const struct tok_node *b, uint32_t *priority, int32_t *merged);
/* Appends a node to work->nodes, linked to the one before. */
bool tok_node_add(struct tok_work *work, uint32_t at, uint32_t size, int32_t symbol);

/* Writes the text with U+2581 for every space, after one more if `prefix`. */
bool tok_escape_spaces(const char *text, uint32_t size, bool prefix, struct text_buffer *out);

/* Ids of one stretch of plain text; `first`: it begins the text or follows a special token. */
enum ember_status tok_spm(const struct ember_tokenizer *t, const char *text, uint32_t size,
                          bool first, struct tok_work *work, struct ember_tokens *out,
                          struct ember_error *err);
enum ember_status tok_bpe(const struct ember_tokenizer *t, const char *text, uint32_t size,
                          struct tok_work *work, struct ember_tokens *out, struct ember_error *err);
enum ember_status tok_wpm(const struct ember_tokenizer *t, const char *text, uint32_t size,
                          struct tok_work *work, struct ember_tokens *out, struct ember_error *err);

/* ---- byte_level.c ---- */

/* The character that stands for a byte in byte-level vocabularies (1 or 2 bytes of UTF-8). */
size_t tok_byte_to_text(uint8_t byte, char out[2]);
/* The byte a character stands for, or -1. */
int tok_char_to_byte(uint32_t codepoint);
