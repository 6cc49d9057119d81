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

/* What to add to an address to fetch ahead of it: into the first-level cache, and into the second,
 * which has places for many more lines on their way. 0 is a line that is there: it costs nothing.
 */
struct fetch {
    uintptr_t near, far;
};

/* From `row` on: what is `distance` bytes further, going on with the next rows behind the end. */
INLINE uintptr_t fetch_at(const struct kern_rows *rows, uintptr_t row, size_t distance)
{
    uintptr_t end = (uintptr_t)rows->w + rows->n_rows * rows->row_bytes;
    if (end - row > distance)
        return distance;
    return rows->next ? (uintptr_t)rows->next - end + distance : 0;
}

INLINE struct fetch fetch_of_row(const struct kern_rows *rows, size_t r)
{
    uintptr_t row = (uintptr_t)rows->w + r * rows->row_bytes;
    bool stream = rows->n_rows * rows->row_bytes >= KERN_STREAM;
    return (struct fetch){ .near = fetch_at(rows, row, KERN_FETCH_NEAR),
                           .far = stream ? fetch_at(rows, row, KERN_FETCH_FAR) : 0 };
}

/* For each cache line of the n bytes at `p`. */
INLINE void fetch_ahead(const uint8_t *p, size_t n, struct fetch ahead)
{
    for (size_t i = 0; i < n; i += 64) {
        _mm_prefetch((const char *)((uintptr_t)p + ahead.far + i), _MM_HINT_T1);
        _mm_prefetch((const char *)((uintptr_t)p + ahead.near + i), _MM_HINT_T0);
    }
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

/* The sixteen 6-bit scales of a Q3_K block, as signed bytes. */
INLINE __m128i unpack_scales_q3_k(const uint8_t packed[12])
{
    const uint32_t low = 0x0F0F0F0F, high = 0x03030303;
    uint32_t a = load_u32(packed), b = load_u32(packed + 4), c = load_u32(packed + 8);
    __m128i six = _mm_setr_epi32(
        (int)((a & low) | (c & high) << 4), (int)((b & low) | (c >> 2 & high) << 4),
        (int)((a >> 4 & low) | (c >> 4 & high) << 4), (int)((b >> 4 & low) | (c >> 6 & high) << 4));
    return _mm_sub_epi8(six, _mm_set1_epi8(32));
}

/* The eight 6-bit scales of an IQ4_XS block, less 32. */
INLINE __m256i unpack_scales_iq4_xs(const struct block_iq4_xs *b)
{
    const __m256i low_at = _mm256_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28);
    const __m256i high_at = _mm256_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14);
    __m256i low = _mm256_srlv_epi32(_mm256_set1_epi32((int)load_u32(b->scales_l)), low_at);
    __m256i high = _mm256_srlv_epi32(_mm256_set1_epi32(block_u16(b->scales_h)), high_at);
    low = _mm256_and_si256(low, _mm256_set1_epi32(15));
    high = _mm256_slli_epi32(_mm256_and_si256(high, _mm256_set1_epi32(3)), 4);
    return _mm256_sub_epi32(_mm256_or_si256(low, high), _mm256_set1_epi32(32));
}

/* row_TYPE(w, k, ahead, x, n_cols, y, y_stride) is inlined for each number of columns, so that its
 * loops over columns unroll; what happens to one column is the same in each copy. The loops over
 * rows stand outside of it, but in the same function: constants stay in registers. */
#define GEMV_Q_ROWS(type, columns)                                                                 \
    for (size_t r = first; r < end; r++)                                                           \
    row_##type((const uint8_t *)rows->w + r * rows->row_bytes, k, fetch_of_row(rows, r), x,        \
               columns, y + r, y_stride)

#define GEMV_Q(type)                                                                               \
    static void few_##type(const struct kern_rows *rows, size_t first, size_t end, size_t k,       \
                           const struct kern_act *x, size_t n_cols, float *y, size_t y_stride)     \
    {                                                                                              \
        if (n_cols == 1)                                                                           \
            GEMV_Q_ROWS(type, 1);                                                                  \
        else if (n_cols == 2)                                                                      \
            GEMV_Q_ROWS(type, 2);                                                                  \
        else if (n_cols == 3)                                                                      \
            GEMV_Q_ROWS(type, 3);                                                                  \
        else                                                                                       \
            GEMV_Q_ROWS(type, 4);                                                                  \
    }                                                                                              \
                                                                                                   \
    static void gemv_##type(const struct kern_rows *rows, size_t k, const struct kern_act *x,      \
                            size_t n_cols, float *y, size_t y_stride)                              \
    {                                                                                              \
        /* With few columns nothing is read twice, so nothing need stay near. */                   \
        const size_t n_rows = rows->n_rows;                                                        \
        size_t step = n_cols <= KERN_COLUMNS ? n_rows : KERN_ROW_TILE;                             \
        for (size_t r = 0; r < n_rows; r += step) {                                                \
            size_t end = n_rows - r < step ? n_rows : r + step;                                    \
            for (size_t c = 0; c < n_cols; c += KERN_COLUMNS) {                                    \
                size_t n = n_cols - c < KERN_COLUMNS ? n_cols - c : KERN_COLUMNS;                  \
                few_##type(rows, r, end, k, x + c, n, y + c * y_stride, y_stride);                 \
            }                                                                                      \
        }                                                                                          \
    }
