/* SPDX-License-Identifier: GPL-3.0-or-later */
/* checked.h - arithmetic that notices overflow: each returns false and leaves *out undefined. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool add_u64(uint64_t a, uint64_t b, uint64_t *out)
{
    return !__builtin_add_overflow(a, b, out);
}

static inline bool mul_u64(uint64_t a, uint64_t b, uint64_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

static inline bool mul_size(size_t a, size_t b, size_t *out)
{
    return !__builtin_mul_overflow(a, b, out);
}

/* The next multiple of `align` (a power of two). */
static inline bool align_u64(uint64_t x, uint64_t align, uint64_t *out)
{
    if (!add_u64(x, align - 1, out))
        return false;
    *out &= ~(align - 1);
    return true;
}
