/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Merging neighbours in the order of their priority: O(n log n) whatever the text. */
#include <stdlib.h>

#include "tokens/work.h"

/* Room for one more element of `size` bytes, or false. */
static bool room(void **data, size_t n, size_t *capacity, size_t size)
{
    if (n < *capacity)
        return true;
    size_t larger = *capacity ? *capacity * 2 : 64;
    if (larger > SIZE_MAX / size)
        return false;
    void *grown = realloc(*data, larger * size);
    if (!grown)
        return false;
    *data = grown;
    *capacity = larger;
    return true;
}

bool tok_list_add(struct tok_heap *list, uint64_t key)
{
    void *keys = list->keys;
    if (!room(&keys, list->n, &list->capacity, sizeof *list->keys))
        return false;
    list->keys = keys;
    list->keys[list->n++] = key;
    return true;
}

bool tok_heap_push(struct tok_heap *heap, uint64_t key)
{
    if (!tok_list_add(heap, key))
        return false;

    size_t at = heap->n - 1;
    while (at > 0 && heap->keys[(at - 1) / 2] > key) {
        heap->keys[at] = heap->keys[(at - 1) / 2];
        at = (at - 1) / 2;
    }
    heap->keys[at] = key;
    return true;
}

uint64_t tok_heap_pop(struct tok_heap *heap)
{
    uint64_t top = heap->keys[0];
    uint64_t key = heap->keys[--heap->n];
    size_t at = 0;

    for (;;) {
        size_t child = 2 * at + 1;
        if (child >= heap->n)
            break;
        if (child + 1 < heap->n && heap->keys[child + 1] < heap->keys[child])
            child++;
        if (heap->keys[child] >= key)
            break;
        heap->keys[at] = heap->keys[child];
        at = child;
    }
    heap->keys[at] = key;
    return top;
}

bool tok_cuts_add(struct tok_cuts *cuts, uint32_t end)
{
    void *ends = cuts->ends;
    if (!room(&ends, cuts->n, &cuts->capacity, sizeof *cuts->ends))
        return false;
    cuts->ends = ends;
    cuts->ends[cuts->n++] = end;
    return true;
}

bool tok_emit(struct ember_tokens *out, int32_t id)
{
    void *ids = out->ids;
    if (!room(&ids, out->n, &out->capacity, sizeof *out->ids))
        return false;
    out->ids = ids;
    out->ids[out->n++] = id;
    return true;
}

bool tok_node_add(struct tok_work *work, uint32_t at, uint32_t size, int32_t symbol)
{
    void *nodes = work->nodes;
    if (!room(&nodes, work->n_nodes, &work->nodes_capacity, sizeof *work->nodes))
        return false;
    work->nodes = nodes;

    uint32_t i = (uint32_t)work->n_nodes++;
    work->nodes[i] = (struct tok_node){ .at = at,
                                        .size = size,
                                        .prev = i ? i - 1 : TOK_END_OF_LIST,
                                        .next = TOK_END_OF_LIST,
                                        .symbol = symbol,
                                        .priority = TOK_NO_PAIR,
                                        .merged = TOK_NONE };
    if (i)
        work->nodes[i - 1].next = i;
    return true;
}

/* Looks at node i and its right neighbour, and queues them if they merge. */
static bool queue_pair(const struct ember_tokenizer *t, struct tok_work *work, const char *text,
                       uint32_t i)
{
    struct tok_node *a = &work->nodes[i];
    a->priority = TOK_NO_PAIR;
    if (a->next == TOK_END_OF_LIST)
        return true;
    const struct tok_node *b = &work->nodes[a->next];
    bool merges = t->model == TOK_SPM ? tok_spm_pair(t, text, a, b, &a->priority, &a->merged)
                                      : tok_bpe_pair(t, a, b, &a->priority, &a->merged);
    if (merges)
        return tok_heap_push(&work->heap, (uint64_t)a->priority << 32 | i);
    a->priority = TOK_NO_PAIR;
    return true;
}

bool tok_go_on(struct tok_work *work, uint32_t done)
{
    enum { STEPS = 4096 };
    if (!work->params || !work->params->progress || ++work->n_steps < STEPS)
        return true;
    work->n_steps = 0;
    double bytes = (double)work->n_done + done;
    double fraction = work->n_all && bytes < work->n_all ? bytes / work->n_all : 1;
    work->cancelled = !work->params->progress(fraction, work->params->user_data);
    return !work->cancelled;
}

bool tok_merge_all(const struct ember_tokenizer *t, struct tok_work *work, const char *text)
{
    work->heap.n = 0;
    for (uint32_t i = 0; i + 1 < work->n_nodes; i++) {
        if (!queue_pair(t, work, text, i))
            return false;
    }
    uint32_t n_merged = 0;
    while (work->heap.n) {
        uint64_t key = tok_heap_pop(&work->heap);
        uint32_t i = (uint32_t)key;
        struct tok_node *a = &work->nodes[i];
        /* Out of date: node i is gone, or pairs otherwise by now. (Should its pair of today have
         * the same priority, that pair is queued under this very key as well.) */
        if (!a->size || a->priority != key >> 32)
            continue;
        /* Words are told of as a whole; one long text by how much has come together. */
        if (t->model == TOK_SPM && !tok_go_on(work, n_merged))
            return false;
        n_merged++;

        struct tok_node *b = &work->nodes[a->next];
        a->size += b->size;
        a->symbol = a->merged;
        a->next = b->next;
        if (b->next != TOK_END_OF_LIST)
            work->nodes[b->next].prev = i;
        b->size = 0;
        if (!queue_pair(t, work, text, i))
            return false;
        if (a->prev != TOK_END_OF_LIST && !queue_pair(t, work, text, a->prev))
            return false;
    }
    return true;
}
