/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Panels times columns with vpdpbusd on 256 bits: a vector holds four codes of each of 8 rows, and
 * one instruction adds their products with four activations of a column, broadcast.
 *
 * As with 512 bits, codes are unsigned (code + 128) and a sum begins at −128 · Σ activations. Sums,
 * their parts and floats of 4 columns fill 12 of the 16 registers. */
#include <string.h>

#include "cpu/vec/vec.h"
#include "cpu/x86/dots.h"

enum { COLS = 4, ROWS = KERN_PANEL_ROWS, HALF = 8 };

INLINE __m256i four_codes(const int8_t *q)
{
    int32_t x;
    memcpy(&x, q, sizeof x);
    return _mm256_set1_epi32(x);
}

/* Eight rows from first_row on. n and `scales` are constants in each copy; a column's bits are the
 * same in all. */
INLINE void panel_cols(const size_t n, const struct kern_scales scales,
                       const struct kern_panel *panel, size_t first_row, const struct kern_cols *x,
                       __m256 total[COLS])
{
    const uint8_t *codes = panel->codes + 4 * first_row;
    const int8_t *q = x->q;
    const float *scale = panel->scale + first_row, *min = panel->min + first_row;
    const float *d = x->d, *s = x->s;
    const int32_t *start = x->start;
    __m256 part[COLS];

#pragma GCC unroll 4
    for (size_t c = 0; c < n; c++)
        total[c] = part[c] = _mm256_setzero_ps();
    for (size_t b = 0; b < panel->k / 32; b++) {
#pragma GCC unroll 2
        for (int half = 0; half < 2; half++) {
            __m256i sum[COLS];
#pragma GCC unroll 4
            for (size_t c = 0; c < n; c++)
                sum[c] = _mm256_set1_epi32(start[c]);
#pragma GCC unroll 4
            for (int i = 0; i < 4; i++) {
                __m256i w = _mm256_loadu_si256((const void *)codes);
#pragma GCC unroll 4
                for (size_t c = 0; c < n; c++)
                    sum[c] = add_dots(sum[c], w, four_codes(q + 4 * c));
                codes += 4 * ROWS;
                q += 4 * n;
            }
#pragma GCC unroll 4
            for (size_t c = 0; c < n; c++) {
                __m256 f = _mm256_cvtepi32_ps(sum[c]), by = _mm256_set1_ps(d[c]);
                if (scales.per_16)
                    total[c] =
                        _mm256_fmadd_ps(_mm256_mul_ps(f, by), _mm256_loadu_ps(scale), total[c]);
                else
                    part[c] = half ? _mm256_fmadd_ps(f, by, part[c]) : _mm256_mul_ps(f, by);
                if (scales.per_16 && scales.min)
                    total[c] = _mm256_fmadd_ps(_mm256_loadu_ps(min),
                                               _mm256_set1_ps(d[c] * (float)start[c]), total[c]);
            }
            if (scales.per_16) {
                scale += ROWS;
                min += ROWS;
            }
            d += n;
            start += n;
        }
        if (scales.per_16)
            continue;
#pragma GCC unroll 4
        for (size_t c = 0; c < n; c++) {
            total[c] = _mm256_fmadd_ps(part[c], _mm256_loadu_ps(scale), total[c]);
            if (scales.min)
                total[c] = _mm256_fmadd_ps(_mm256_loadu_ps(min), _mm256_set1_ps(s[c]), total[c]);
        }
        scale += ROWS;
        min += ROWS;
        s += n;
    }
}

INLINE void panel_of(const struct kern_scales scales, const struct kern_panel *panel, size_t n_rows,
                     const struct kern_cols *x, float *y, size_t y_stride)
{
    for (size_t r = 0; r < n_rows; r += HALF) {
        __m256 total[COLS];
        if (x->n == 1)
            panel_cols(1, scales, panel, r, x, total);
        else if (x->n == 2)
            panel_cols(2, scales, panel, r, x, total);
        else if (x->n == 3)
            panel_cols(3, scales, panel, r, x, total);
        else
            panel_cols(4, scales, panel, r, x, total);
        for (size_t c = 0; c < x->n; c++) {
            float *to = y + c * y_stride + r;
            if (n_rows - r >= HALF)
                vec_store(to, total[c]);
            else
                vec_store_n(to, total[c], n_rows - r);
        }
    }
}

static void panel_gemm(const struct kern_panel *panel, size_t n_rows, const struct kern_cols *x,
                       float *y, size_t y_stride)
{
    const struct kern_scales scales = kern_scales_of(panel->type);

    if (scales.per_16 && scales.min)
        panel_of((struct kern_scales){ true, true }, panel, n_rows, x, y, y_stride);
    else if (scales.per_16)
        panel_of((struct kern_scales){ true, false }, panel, n_rows, x, y, y_stride);
    else if (scales.min)
        panel_of((struct kern_scales){ false, true }, panel, n_rows, x, y, y_stride);
    else
        panel_of((struct kern_scales){ false, false }, panel, n_rows, x, y, y_stride);
}

void LEVEL(kern_init_panel)(struct kern *kern)
{
    LEVEL(kern_init_repack)(kern);
    kern->panel_gemm = panel_gemm;
    kern->panel_cols = COLS;
}
