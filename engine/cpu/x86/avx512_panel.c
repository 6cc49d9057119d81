/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Panels times columns with AVX-512 VNNI: a vector holds four codes of each of the 16 rows, and one
 * vpdpbusd adds their products with four activations of a column, broadcast.
 *
 * Four such steps make the 16 elements that share an activation scale. Codes are unsigned (code +
 * 128), so a sum begins at −128 · Σ activations and ends exact; it stays below 2^24, so its float
 * is exact too. Per 32 elements and column that is 8 products and 3 float operations on the same
 * ports, which is 73 % of the peak; sums of 8 columns, their parts and 8 floats fill 24 registers.
 * Scales per 16 elements or minima make it 4 operations. */
#include "cpu/x86/levels.h"

#include <string.h>

#include "cpu/vec/vec.h"

enum { COLS = KERN_PANEL_MAX_COLS, ROWS = KERN_PANEL_ROWS };

INLINE __m512i four_codes(const int8_t *q)
{
    int32_t x;
    memcpy(&x, q, sizeof x);
    return _mm512_set1_epi32(x);
}

/* n, per_group and has_min are constants in each copy; a column's bits are the same in all. */
INLINE void panel_cols(const size_t n, const bool per_group, const bool has_min,
                       const struct kern_panel *panel, __mmask16 rows, const struct kern_cols *x,
                       float *y, size_t y_stride)
{
    const uint8_t *codes = panel->codes;
    const int8_t *q = x->q;
    const float *scale = panel->scale, *min = panel->min, *d = x->d, *s = x->s;
    const int32_t *start = x->start;
    __m512 total[COLS], part[COLS];

#pragma GCC unroll 8
    for (size_t c = 0; c < n; c++)
        total[c] = part[c] = _mm512_setzero_ps();
    for (size_t b = 0; b < panel->k / 32; b++) {
#pragma GCC unroll 2
        for (int half = 0; half < 2; half++) {
            __m512i sum[COLS];
#pragma GCC unroll 8
            for (size_t c = 0; c < n; c++)
                sum[c] = _mm512_set1_epi32(start[c]);
#pragma GCC unroll 4
            for (int i = 0; i < 4; i++) {
                __m512i w = _mm512_loadu_si512(codes);
#pragma GCC unroll 8
                for (size_t c = 0; c < n; c++)
                    sum[c] = _mm512_dpbusd_epi32(sum[c], w, four_codes(q + 4 * c));
                codes += 4 * ROWS;
                q += 4 * n;
            }
            if (per_group) {
                __m512 each = _mm512_loadu_ps(scale);
#pragma GCC unroll 8
                for (size_t c = 0; c < n; c++) {
                    part[c] = _mm512_mul_ps(_mm512_cvtepi32_ps(sum[c]), _mm512_set1_ps(d[c]));
                    total[c] = _mm512_fmadd_ps(part[c], each, total[c]);
                }
                scale += ROWS;
                if (has_min) {
                    __m512 low = _mm512_loadu_ps(min);
#pragma GCC unroll 8
                    for (size_t c = 0; c < n; c++)
                        total[c] =
                            _mm512_fmadd_ps(low, _mm512_set1_ps(d[c] * (float)start[c]), total[c]);
                    min += ROWS;
                }
            } else {
#pragma GCC unroll 8
                for (size_t c = 0; c < n; c++) {
                    __m512 f = _mm512_cvtepi32_ps(sum[c]), each = _mm512_set1_ps(d[c]);
                    part[c] = half ? _mm512_fmadd_ps(f, each, part[c]) : _mm512_mul_ps(f, each);
                }
            }
            d += n;
            start += n;
        }
        if (!per_group) {
            __m512 each = _mm512_loadu_ps(scale);
#pragma GCC unroll 8
            for (size_t c = 0; c < n; c++)
                total[c] = _mm512_fmadd_ps(part[c], each, total[c]);
            scale += ROWS;
        }
        if (has_min && !per_group) {
            __m512 each = _mm512_loadu_ps(min);
#pragma GCC unroll 8
            for (size_t c = 0; c < n; c++)
                total[c] = _mm512_fmadd_ps(each, _mm512_set1_ps(s[c]), total[c]);
            min += ROWS;
            s += n;
        }
    }
#pragma GCC unroll 8
    for (size_t c = 0; c < n; c++)
        _mm512_mask_storeu_ps(y + c * y_stride, rows, total[c]);
}

#define BY_COLUMNS(name, per_group, has_min)                                                       \
    static void name(const struct kern_panel *panel, __mmask16 rows, const struct kern_cols *x,    \
                     float *y, size_t y_stride)                                                    \
    {                                                                                              \
        switch (x->n) {                                                                            \
        case 1:                                                                                    \
            panel_cols(1, per_group, has_min, panel, rows, x, y, y_stride);                        \
            break;                                                                                 \
        case 2:                                                                                    \
            panel_cols(2, per_group, has_min, panel, rows, x, y, y_stride);                        \
            break;                                                                                 \
        case 3:                                                                                    \
            panel_cols(3, per_group, has_min, panel, rows, x, y, y_stride);                        \
            break;                                                                                 \
        case 4:                                                                                    \
            panel_cols(4, per_group, has_min, panel, rows, x, y, y_stride);                        \
            break;                                                                                 \
        case 5:                                                                                    \
            panel_cols(5, per_group, has_min, panel, rows, x, y, y_stride);                        \
            break;                                                                                 \
        case 6:                                                                                    \
            panel_cols(6, per_group, has_min, panel, rows, x, y, y_stride);                        \
            break;                                                                                 \
        case 7:                                                                                    \
            panel_cols(7, per_group, has_min, panel, rows, x, y, y_stride);                        \
            break;                                                                                 \
        default:                                                                                   \
            panel_cols(8, per_group, has_min, panel, rows, x, y, y_stride);                        \
            break;                                                                                 \
        }                                                                                          \
    }

BY_COLUMNS(scales_of_32, false, false)
BY_COLUMNS(scales_and_minima, false, true)
BY_COLUMNS(scales_of_16, true, false)
BY_COLUMNS(scales_and_minima_of_16, true, true)

static void panel_gemm(const struct kern_panel *panel, size_t n_rows, const struct kern_cols *x,
                       float *y, size_t y_stride)
{
    const struct kern_scales scales = kern_scales_of(panel->type);
    __mmask16 rows = vec_mask(n_rows);

    if (scales.per_16)
        (scales.min ? scales_and_minima_of_16 : scales_of_16)(panel, rows, x, y, y_stride);
    else
        (scales.min ? scales_and_minima : scales_of_32)(panel, rows, x, y, y_stride);
}

void kern_init_panel_avx512(struct kern *kern)
{
    kern_init_repack_avx512(kern);
    kern->panel_gemm = panel_gemm;
    kern->panel_cols = COLS;
}
