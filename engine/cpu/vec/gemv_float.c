/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rows of F32, F16 and BF16 times float columns. Every product of a row and a column is summed in
 * the same places and order whatever else is computed beside it: ACCS vectors take turns, the last
 * one may be partial. There is so little to do per byte that the hardware's prefetching keeps up;
 * prefetching by hand costs 15 % here (Zen 4). */
#include "cpu/vec/read_rows.h"
#include "cpu/vec/vec.h"

/* AVX2 has 16 registers: 2 × 4 sums, weights and a spare. */
enum { L = VEC_LANES, ACCS = VEC_REGISTERS == 32 ? 4 : 2 };

INLINE VEC read_bf16(const uint8_t *p)
{
    return vec_load_bf16((const uint16_t *)(const void *)p);
}
INLINE VEC read_bf16_n(const uint8_t *p, size_t n)
{
    return vec_load_bf16_n((const uint16_t *)(const void *)p, n);
}

INLINE void row_dot(const struct reader type, const uint8_t *w, size_t k, const float *x,
                    size_t x_stride, const size_t n_cols, float *y, size_t y_stride)
{
    VEC sum[KERN_COLUMNS][ACCS];
    size_t i = 0;

#pragma GCC unroll 4
    for (size_t c = 0; c < n_cols; c++) {
#pragma GCC unroll 4
        for (size_t j = 0; j < ACCS; j++)
            sum[c][j] = vec_zero();
    }
    for (; i + ACCS * L <= k; i += ACCS * L) {
#pragma GCC unroll 4
        for (size_t j = 0; j < ACCS; j++) {
            VEC v = type.load(w + (i + j * L) * type.size);
#pragma GCC unroll 4
            for (size_t c = 0; c < n_cols; c++)
                sum[c][j] = vec_fma(v, vec_load(x + c * x_stride + i + j * L), sum[c][j]);
        }
    }
    for (; i + L <= k; i += L) {
        VEC v = type.load(w + i * type.size);
#pragma GCC unroll 4
        for (size_t c = 0; c < n_cols; c++)
            sum[c][0] = vec_fma(v, vec_load(x + c * x_stride + i), sum[c][0]);
    }
    if (i < k) {
        VEC v = type.load_n(w + i * type.size, k - i);
#pragma GCC unroll 4
        for (size_t c = 0; c < n_cols; c++)
            sum[c][1] = vec_fma(v, vec_load_n(x + c * x_stride + i, k - i), sum[c][1]);
    }
#pragma GCC unroll 4
    for (size_t c = 0; c < n_cols; c++) {
        VEC total = vec_add(sum[c][0], sum[c][1]);
        if (ACCS == 4)
            total = vec_add(total, vec_add(sum[c][ACCS - 2], sum[c][ACCS - 1]));
        y[c * y_stride] = vec_sum(total);
    }
}

#define GEMV_F(type, bytes)                                                                        \
    static void row_##type(const uint8_t *w, size_t k, const float *x, size_t x_stride,            \
                           size_t n_cols, float *y, size_t y_stride)                               \
    {                                                                                              \
        const struct reader reader = { bytes, read_##type, read_##type##_n };                      \
        switch (n_cols) {                                                                          \
        case 1:                                                                                    \
            row_dot(reader, w, k, x, x_stride, 1, y, y_stride);                                    \
            break;                                                                                 \
        case 2:                                                                                    \
            row_dot(reader, w, k, x, x_stride, 2, y, y_stride);                                    \
            break;                                                                                 \
        case 3:                                                                                    \
            row_dot(reader, w, k, x, x_stride, 3, y, y_stride);                                    \
            break;                                                                                 \
        default:                                                                                   \
            row_dot(reader, w, k, x, x_stride, 4, y, y_stride);                                    \
            break;                                                                                 \
        }                                                                                          \
    }                                                                                              \
                                                                                                   \
    static void gemv_##type(const void *w, size_t row_bytes, size_t n_rows, size_t k,              \
                            const float *x, size_t x_stride, size_t n_cols, float *y,              \
                            size_t y_stride)                                                       \
    {                                                                                              \
        for (size_t r0 = 0; r0 < n_rows; r0 += KERN_ROW_TILE) {                                    \
            size_t r1 = n_rows - r0 < KERN_ROW_TILE ? n_rows : r0 + KERN_ROW_TILE;                 \
            for (size_t c = 0; c < n_cols; c += KERN_COLUMNS) {                                    \
                size_t n = n_cols - c < KERN_COLUMNS ? n_cols - c : KERN_COLUMNS;                  \
                for (size_t r = r0; r < r1; r++)                                                   \
                    row_##type((const uint8_t *)w + r * row_bytes, k, x + c * x_stride, x_stride,  \
                               n, y + c * y_stride + r, y_stride);                                 \
            }                                                                                      \
        }                                                                                          \
    }

GEMV_F(f32, 4)
GEMV_F(f16, 2)
GEMV_F(bf16, 2)

void LEVEL(kern_init_gemv_float)(struct kern *kern)
{
    kern->gemv_f[QUANT_F32] = gemv_f32;
    kern->gemv_f[QUANT_F16] = gemv_f16;
    kern->gemv_f[QUANT_BF16] = gemv_bf16;
}
