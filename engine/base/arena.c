/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"

enum { FIRST_CHUNK = 4 << 10, LARGEST_CHUNK = 256 << 10 };

/* Chunks come from calloc, so what was never handed out is zero; nothing is handed out twice. */
struct arena_chunk {
    struct arena_chunk *next;
    size_t used, size; /* bytes of data */
    alignas(max_align_t) unsigned char data[];
};

static struct arena_chunk *new_chunk(struct arena *arena, size_t size)
{
    struct arena_chunk *chunk = calloc(1, sizeof *chunk + size);
    if (!chunk)
        return NULL;
    chunk->size = size;
    arena->total += sizeof *chunk + size;
    return chunk;
}

void *arena_alloc(struct arena *arena, size_t count, size_t size)
{
    const size_t align = alignof(max_align_t);
    struct arena_chunk *top = arena->chunks;
    size_t bytes;

    /* No allocator gives more than half the address space; refusing here keeps sums from wrapping.
     */
    if (!mul_size(count, size, &bytes) || bytes > SIZE_MAX / 2 - sizeof *top - align)
        return NULL;
    bytes = (bytes + align - 1) & ~(align - 1);

    if (!top || bytes > top->size - top->used) {
        size_t next_size = top ? top->size * 2 : FIRST_CHUNK;
        if (next_size > LARGEST_CHUNK)
            next_size = LARGEST_CHUNK;
        if (bytes > next_size / 2) {
            /* Big pieces get a chunk of their own behind the top one, whose rest stays usable. */
            struct arena_chunk *own = new_chunk(arena, bytes);
            if (!own)
                return NULL;
            own->used = bytes;
            if (top) {
                own->next = top->next;
                top->next = own;
            } else {
                arena->chunks = own;
            }
            return own->data;
        }
        struct arena_chunk *chunk = new_chunk(arena, next_size);
        if (!chunk)
            return NULL;
        chunk->next = top;
        arena->chunks = top = chunk;
    }
    void *piece = top->data + top->used;
    top->used += bytes;
    return piece;
}

char *arena_copy(struct arena *arena, const char *data, size_t size)
{
    if (size == SIZE_MAX)
        return NULL;
    char *copy = arena_alloc(arena, size + 1, 1);
    if (copy && size)
        memcpy(copy, data, size);
    return copy;
}

void arena_finish(struct arena *arena)
{
    if (!arena)
        return;
    for (struct arena_chunk *chunk = arena->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        free(chunk);
    }
    *arena = (struct arena){ 0 };
}
