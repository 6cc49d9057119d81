/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finding special tokens in a text.
 *
 * The rule: of all occurrences the longest token goes first, of equal ones the one first in order,
 * then the leftmost; each takes its bytes if they are all free. Every position therefore keeps in a
 * queue the longest token that begins there and, when another has taken some of its bytes, offers
 * the next shorter one. That is the same as searching the text for every token in turn, but costs
 * O(n log n) however many tokens there are. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "tokens/work.h"

/* ---- loading ---- */

struct candidate {
    uint32_t size;
    int32_t id;
};

static int by_size(const void *a, const void *b)
{
    const struct candidate *x = a, *y = b;
    if (x->size != y->size)
        return x->size > y->size ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

static bool is_candidate(const struct tok_piece *piece)
{
    return piece->flags & TOK_GUARDED || piece->kind == EMBER_TOKEN_USER_DEFINED;
}

enum ember_status tok_partition_load(struct ember_tokenizer *t, struct ember_error *err)
{
    struct candidate *found = NULL;
    uint32_t n = 0;
    bool fine;

    for (uint32_t id = 0; id < t->n_tokens; id++)
        n += is_candidate(&t->pieces[id]);
    t->special_by_order = arena_alloc(&t->arena, (size_t)n + 1, sizeof *t->special_by_order);
    t->special_order = arena_alloc(&t->arena, (size_t)n + 1, sizeof *t->special_order);
    found = calloc((size_t)n + 1, sizeof *found);
    fine = t->special_by_order && t->special_order && found;
    for (uint32_t id = 0, i = 0; fine && id < t->n_tokens; id++) {
        const struct tok_piece *piece = &t->pieces[id];
        if (is_candidate(piece))
            found[i++] = (struct candidate){ .size = piece->size, .id = (int32_t)id };
    }
    if (fine) {
        qsort(found, n, sizeof *found, by_size);
        for (uint32_t i = 0; i < n; i++)
            t->special_by_order[i] = found[i].id;
        fine = tok_index_init(&t->specials, &t->arena, t->pieces, t->special_by_order, n);
    }
    /* From places in the order of texts to places in the order of sizes. */
    for (uint32_t i = 0; fine && i < n; i++) {
        const struct candidate key = { .size = t->pieces[t->specials.ids[i]].size,
                                       .id = t->specials.ids[i] };
        const struct candidate *at = bsearch(&key, found, n, sizeof *found, by_size);
        t->special_order[i] = (uint32_t)(at - found);
    }
    free(found);
    return fine ? EMBER_OK
                : ember_fail(err, EMBER_NO_MEMORY, "%s: no memory for %u special tokens",
                             ember_gguf_path(t->gguf), n);
}

/* ---- one text ---- */

struct search {
    const struct ember_tokenizer *t;
    const struct tok_input *in;
    uint8_t *taken; /* per byte: 0 free, 1 part of a token, 2 swallowed white space */
    struct tok_heap *queue;
};

/* Where trust ends that holds at `at`; `at` itself when the text there is not trusted. */
static uint32_t trust_end(const struct search *s, uint32_t at)
{
    size_t low = 0, high = s->in->n_trusted;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (s->in->trusted[middle].to <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < s->in->n_trusted && s->in->trusted[low].from <= at ? s->in->trusted[low].to : at;
}

/* Queues the longest token shorter than `limit` bytes that begins at `at`. */
static bool offer(struct search *s, uint32_t at, uint32_t limit)
{
    const struct ember_tokenizer *t = s->t;
    const struct tok_index *index = &t->specials;
    struct tok_walk walk = tok_walk_begin(index);
    uint8_t first = (uint8_t)s->in->text[at];
    int32_t best = TOK_NONE;

    if (index->first[first] == index->first[first + 1])
        return true;
    uint32_t trusted = trust_end(s, at) - at;
    while (walk.low < walk.high && at + walk.depth < s->in->size && walk.depth + 1 < limit) {
        int32_t place = tok_walk_step(index, &walk, (uint8_t)s->in->text[at + walk.depth]);
        if (place >= 0 &&
            (walk.depth <= trusted || !(t->pieces[index->ids[place]].flags & TOK_GUARDED)))
            best = place;
    }
    return best < 0 || tok_heap_push(s->queue, (uint64_t)t->special_order[best] << 32 | at);
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static void take(struct search *s, uint32_t at, const struct tok_piece *piece)
{
    memset(s->taken + at, 1, piece->size);
    if (piece->flags & TOK_STRIP_RIGHT) {
        for (uint32_t i = at + piece->size;
             i < s->in->size && !s->taken[i] && is_blank(s->in->text[i]); i++)
            s->taken[i] = 2;
    }
    if (piece->flags & TOK_STRIP_LEFT) {
        for (uint32_t i = at; i > 0 && !s->taken[i - 1] && is_blank(s->in->text[i - 1]); i--)
            s->taken[i - 1] = 2;
    }
}

/* Position and id of each taken token, in the order of the text. */
static int by_position(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* What lies between and after the tokens, and the tokens. */
static bool list_parts(const struct search *s, const struct tok_heap *tokens, struct tok_work *work)
{
    uint32_t size = s->in->size;
    size_t n = 0, token = 0;
    struct tok_part *parts = malloc((2 * tokens->n + 1) * sizeof *parts);

    if (!parts)
        return false;
    for (uint32_t at = 0; at < size;) {
        if (token < tokens->n && at == (uint32_t)(tokens->keys[token] >> 32)) {
            int32_t id = (int32_t)(uint32_t)tokens->keys[token++];
            parts[n++] = (struct tok_part){ .at = at, .size = s->t->pieces[id].size, .id = id };
            at += s->t->pieces[id].size;
        } else if (s->taken[at]) {
            at++; /* swallowed */
        } else {
            uint32_t end = at;
            while (end < size && !s->taken[end])
                end++;
            parts[n++] = (struct tok_part){ .at = at, .size = end - at, .id = TOK_NONE };
            at = end;
        }
    }
    free(work->parts);
    work->parts = parts;
    work->n_parts = n;
    return true;
}

enum ember_status tok_partition(const struct ember_tokenizer *t, const struct tok_input *input,
                                struct tok_work *work, struct ember_error *err)
{
    struct tok_heap tokens = { 0 }; /* a plain list: position above, id below */
    struct search s = {
        .t = t, .in = input, .taken = calloc((size_t)input->size + 1, 1), .queue = &work->heap
    };
    bool fine = s.taken != NULL;

    s.queue->n = 0;
    for (uint32_t at = 0; fine && t->specials.n && at < input->size; at++)
        fine = offer(&s, at, UINT32_MAX);
    while (fine && s.queue->n) {
        uint64_t key = tok_heap_pop(s.queue);
        uint32_t at = (uint32_t)key;
        int32_t id = t->special_by_order[key >> 32];
        const struct tok_piece *piece = &t->pieces[id];
        if (s.taken[at])
            continue;
        /* Whatever took a byte in the middle is at least as long and so took an end as well. */
        if (s.taken[at + piece->size - 1]) {
            fine = offer(&s, at, piece->size);
            continue;
        }
        take(&s, at, piece);
        fine = tok_list_add(&tokens, (uint64_t)at << 32 | (uint32_t)id);
    }
    if (fine) {
        if (tokens.n)
            qsort(tokens.keys, tokens.n, sizeof *tokens.keys, by_position);
        fine = list_parts(&s, &tokens, work);
    }
    free(tokens.keys);
    free(s.taken);
    return fine ? EMBER_OK
                : ember_fail(err, EMBER_NO_MEMORY, "no memory to tokenise %u bytes", input->size);
}
