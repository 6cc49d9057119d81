/* SPDX-License-Identifier: GPL-3.0-or-later */
/* quant_rows.h - from a function for one row to the table's entry for many: what the block kernels
 * of all levels share. */
#pragma once

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cpu/x86/levels.h"
#include "quant/blocks.h"

#define INLINE static inline __attribute__((always_inline))

/* One prefetch per cache line of the n bytes at `p`, KERN_PREFETCH further on. */
INLINE void prefetch_ahead(const void *p, size_t n)
{
    for (size_t i = 0; i < n; i += 64)
        _mm_prefetch((const char *)p + KERN_PREFETCH + i, _MM_HINT_T0);
}

INLINE uint32_t load_u32(const void *p)
{
    uint32_t x;
    memcpy(&x, p, sizeof x);
    return x;
}

INLINE float load_f16(const uint8_t d[2])
{
    return _cvtsh_ss(block_u16(d));
}

/* The eight 6-bit scales and minima of a Q4_K or Q5_K block, as bytes, all at once. */
INLINE void unpack_scale_min(const uint8_t packed[12], uint64_t *scales, uint64_t *minima)
{
    uint32_t a = load_u32(packed), b = load_u32(packed + 4), c = load_u32(packed + 8);
    uint32_t scale_high = (c & 0x0F0F0F0F) | (a >> 6 & 0x03030303) << 4;
    uint32_t min_high = (c >> 4 & 0x0F0F0F0F) | (b >> 6 & 0x03030303) << 4;
    *scales = (a & 0x3F3F3F3F) | (uint64_t)scale_high << 32;
    *minima = (b & 0x3F3F3F3F) | (uint64_t)min_high << 32;
}

/* row_TYPE(w, k, x, n_cols, y, y_stride) is inlined for each number of columns, so that its loops
 * over columns unroll; what happens to one column is the same in each copy. */
#define GEMV_Q(type)                                                                               \
    static void few_##type(const uint8_t *w, size_t k, const struct kern_act *x, size_t n_cols,    \
                           float *y, size_t y_stride)                                              \
    {                                                                                              \
        switch (n_cols) {                                                                          \
        case 1:                                                                                    \
            row_##type(w, k, x, 1, y, y_stride);                                                   \
            break;                                                                                 \
        case 2:                                                                                    \
            row_##type(w, k, x, 2, y, y_stride);                                                   \
            break;                                                                                 \
        case 3:                                                                                    \
            row_##type(w, k, x, 3, y, y_stride);                                                   \
            break;                                                                                 \
        default:                                                                                   \
            row_##type(w, k, x, 4, y, y_stride);                                                   \
            break;                                                                                 \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void gemv_##type(const void *w, size_t row_bytes, size_t n_rows, size_t k,              \
                            const struct kern_act *x, size_t n_cols, float *y, size_t y_stride)    \
    {                                                                                              \
        for (size_t r0 = 0; r0 < n_rows; r0 += KERN_ROW_TILE) {                                    \
            size_t r1 = n_rows - r0 < KERN_ROW_TILE ? n_rows : r0 + KERN_ROW_TILE;                 \
            for (size_t c = 0; c < n_cols; c += KERN_COLUMNS) {                                    \
                size_t n = n_cols - c < KERN_COLUMNS ? n_cols - c : KERN_COLUMNS;                  \
                for (size_t r = r0; r < r1; r++)                                                   \
                    few_##type((const uint8_t *)w + r * row_bytes, k, x + c, n,                    \
                               y + c * y_stride + r, y_stride);                                    \
            }                                                                                      \
        }                                                                                          \
    }
