/* SPDX-License-Identifier: GPL-3.0-or-later */
/* work.h - the stages of one call of ember_tokenize() and the memory they share.
 *
 * A struct tok_work belongs to one call; zero-initialised is empty and ready. */
#pragma once

#include "tokens/tokens.h"

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
    struct tok_part *parts;
    size_t n_parts;
    struct tok_node *nodes;
    size_t n_nodes, nodes_capacity;
    struct tok_heap heap;
    struct tok_cuts cuts, spare;
    struct text_buffer text;  /* an escaped or encoded copy */
    struct text_buffer clean; /* the same bytes as valid UTF-8 */
    void *match;              /* pcre2_match_data */
    void *match_context;

    const struct ember_tokenize_params *params;
    uint32_t n_done, n_all; /* bytes: before the part at hand, and of the whole text */
    uint32_t n_steps;       /* since somebody was asked whether to go on */
    bool cancelled;
};

/* Called at each step of the work on a part, of whose bytes `done` are behind. False: it was
 * cancelled. */
bool tok_go_on(struct tok_work *work, uint32_t done);

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

/* The text of all spans. */
struct tok_input {
    const char *text;
    uint32_t size;
    struct tok_range *trusted;
    size_t n_trusted;
};

/* Cuts the text at special tokens: work->parts, in order of the text. */
enum ember_status tok_partition(const struct ember_tokenizer *t, const struct tok_input *input,
                                struct tok_work *work, struct ember_error *err);

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
enum ember_status tok_ugm(const struct ember_tokenizer *t, const char *text, uint32_t size,
                          struct tok_work *work, struct ember_tokens *out, struct ember_error *err);
enum ember_status tok_rwkv(const struct ember_tokenizer *t, const char *text, uint32_t size,
                           struct tok_work *work, struct ember_tokens *out,
                           struct ember_error *err);
