/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All tokens that begin at a place of a text: the texts in order, narrowed byte by byte. */
#include <stdlib.h>
#include <string.h>

#include "tokens/tokens.h"

struct named {
    const char *data;
    uint32_t size;
    int32_t id;
};

static int by_text(const void *a, const void *b)
{
    const struct named *x = a, *y = b;
    uint32_t size = x->size < y->size ? x->size : y->size;
    int order = memcmp(x->data, y->data, size);
    if (order)
        return order;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return x->id < y->id ? -1 : x->id > y->id;
}

bool tok_index_init(struct tok_index *index, struct arena *arena, const struct tok_piece *pieces,
                    const int32_t *ids, uint32_t n)
{
    struct named *sorted = malloc(((size_t)n + 1) * sizeof *sorted);

    index->pieces = pieces;
    index->ids = arena_alloc(arena, (size_t)n + 1, sizeof *index->ids);
    if (!sorted || !index->ids) {
        free(sorted);
        return false;
    }
    for (uint32_t i = 0; i < n; i++) {
        const struct tok_piece *piece = &pieces[ids[i]];
        if (piece->size)
            sorted[index->n++] =
                (struct named){ .data = piece->data, .size = piece->size, .id = ids[i] };
    }
    qsort(sorted, index->n, sizeof *sorted, by_text);
    for (uint32_t i = 0; i < index->n; i++) {
        index->ids[i] = sorted[i].id;
        index->first[(uint8_t)sorted[i].data[0] + 1]++;
    }
    for (unsigned b = 0; b < 256; b++)
        index->first[b + 1] += index->first[b];
    free(sorted);
    return true;
}

struct tok_walk tok_walk_begin(const struct tok_index *index)
{
    return (struct tok_walk){ .high = index->n };
}

/* The first of [low, high) whose byte at `depth` is at least `byte`. */
static uint32_t lower_bound(const struct tok_index *index, uint32_t low, uint32_t high,
                            uint32_t depth, unsigned byte)
{
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if ((uint8_t)index->pieces[index->ids[middle]].data[depth] < byte)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

int32_t tok_walk_step(const struct tok_index *index, struct tok_walk *walk, uint8_t byte)
{
    int32_t found = TOK_NONE;

    if (walk->depth == 0) {
        walk->low = index->first[byte];
        walk->high = index->first[byte + 1];
    } else {
        walk->low = lower_bound(index, walk->low, walk->high, walk->depth, byte);
        walk->high = lower_bound(index, walk->low, walk->high, walk->depth, byte + 1u);
    }
    walk->depth++;
    /* A text that ends here stands before all that go on; of equal texts the first counts. */
    while (walk->low < walk->high && index->pieces[index->ids[walk->low]].size == walk->depth) {
        if (found < 0)
            found = (int32_t)walk->low;
        walk->low++;
    }
    return found;
}
