/* SPDX-License-Identifier: GPL-3.0-or-later */
/* arena.h - many small allocations that die together. One thread at a time. */
#pragma once

#include <stddef.h>

struct arena_chunk;

/* Zero-initialised is empty and ready. */
struct arena {
    struct arena_chunk *chunks;
    size_t total; /* bytes taken from the system */
};

/* Zeroed memory aligned for any type, or NULL. `count` × `size` is checked. */
void *arena_alloc(struct arena *arena, size_t count, size_t size);
/* A terminated copy of `size` bytes, or NULL. */
char *arena_copy(struct arena *arena, const char *data, size_t size);
void arena_finish(struct arena *arena);
