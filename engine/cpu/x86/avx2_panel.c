/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Panels times columns with AVX2: a vector holds four codes of each of 8 rows; they are multiplied
 * with four activations of a column, broadcast, and summed in pairs of 16 bits.
 *
 * Codes up to 31 allow four such pair sums to be added in 16 bits (8 · 31 · 127 = 31496), up to 63
 * two of them (32004), Q8_0 none; its signs go to the activations. Then they are widened, and the
 * offset of the codes comes back through the columns' starts (−128 · Σ activations), shifted. */
#include "cpu/x86/levels.h"

#include <string.h>

#include "cpu/vec/vec.h"

enum { COLS = 4, ROWS = KERN_PANEL_ROWS, HALF = 8 };

/* What a type needs; constant after inlining. */
struct kind {
    int code_bits;  /* 5, 6, or 8 for signed ones */
    int zero_shift; /* starts shifted right by this are −(zero code) · Σ activations; 0: no offset
                     */
    bool per_group, has_min;
};

INLINE __m256i four_codes(const int8_t *q)
{
    int32_t x;
    memcpy(&x, q, sizeof x);
    return _mm256_set1_epi32(x);
}

/* Adds the products of one step of four to the 16-bit sums, or widens them at once. */
INLINE void panel_cols(const size_t n, const struct kind kind, const struct kern_panel *panel,
                       size_t first_row, const struct kern_cols *x, __m256 total[COLS])
{
    const __m256i ones = _mm256_set1_epi16(1);
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
            __m256i sum[COLS], wide[COLS];
#pragma GCC unroll 4
            for (int i = 0; i < 4; i++) {
                __m256i w = _mm256_loadu_si256((const void *)codes);
                __m256i magnitude = kind.code_bits == 8 ? _mm256_abs_epi8(w) : w;
#pragma GCC unroll 4
                for (size_t c = 0; c < n; c++) {
                    __m256i a = four_codes(q + 4 * c);
                    if (kind.code_bits == 8)
                        a = _mm256_sign_epi8(a, w);
                    __m256i pairs = _mm256_maddubs_epi16(magnitude, a);
                    if (kind.code_bits == 8) {
                        pairs = _mm256_madd_epi16(pairs, ones);
                        wide[c] = i ? _mm256_add_epi32(wide[c], pairs) : pairs;
                    } else if (kind.code_bits == 6 && i == 2) {
                        wide[c] = _mm256_madd_epi16(sum[c], ones);
                        sum[c] = pairs;
                    } else {
                        sum[c] = i ? _mm256_add_epi16(sum[c], pairs) : pairs;
                    }
                }
                codes += 4 * ROWS;
                q += 4 * n;
            }
            __m256 each = _mm256_loadu_ps(scale);
#pragma GCC unroll 4
            for (size_t c = 0; c < n; c++) {
                if (kind.code_bits == 5)
                    wide[c] = _mm256_madd_epi16(sum[c], ones);
                else if (kind.code_bits == 6)
                    wide[c] = _mm256_add_epi32(wide[c], _mm256_madd_epi16(sum[c], ones));
                if (kind.zero_shift)
                    wide[c] =
                        _mm256_add_epi32(wide[c], _mm256_set1_epi32(start[c] >> kind.zero_shift));
                __m256 f = _mm256_cvtepi32_ps(wide[c]), by = _mm256_set1_ps(d[c]);
                if (kind.per_group)
                    total[c] = _mm256_fmadd_ps(_mm256_mul_ps(f, by), each, total[c]);
                else
                    part[c] = half ? _mm256_fmadd_ps(f, by, part[c]) : _mm256_mul_ps(f, by);
            }
            if (kind.per_group && kind.has_min) {
                __m256 low = _mm256_loadu_ps(min);
#pragma GCC unroll 4
                for (size_t c = 0; c < n; c++)
                    total[c] =
                        _mm256_fmadd_ps(low, _mm256_set1_ps(d[c] * (float)start[c]), total[c]);
                min += ROWS;
            }
            if (kind.per_group)
                scale += ROWS;
            d += n;
            start += n;
        }
        if (!kind.per_group) {
            __m256 each = _mm256_loadu_ps(scale);
#pragma GCC unroll 4
            for (size_t c = 0; c < n; c++)
                total[c] = _mm256_fmadd_ps(part[c], each, total[c]);
            scale += ROWS;
        }
        if (kind.has_min && !kind.per_group) {
            __m256 each = _mm256_loadu_ps(min);
#pragma GCC unroll 4
            for (size_t c = 0; c < n; c++)
                total[c] = _mm256_fmadd_ps(each, _mm256_set1_ps(s[c]), total[c]);
            min += ROWS;
            s += n;
        }
    }
}

INLINE void panel_of(const struct kind kind, const struct kern_panel *panel, size_t n_rows,
                     const struct kern_cols *x, float *y, size_t y_stride)
{
    for (size_t r = 0; r < n_rows; r += HALF) {
        __m256 total[COLS];
        if (x->n == 1)
            panel_cols(1, kind, panel, r, x, total);
        else if (x->n == 2)
            panel_cols(2, kind, panel, r, x, total);
        else if (x->n == 3)
            panel_cols(3, kind, panel, r, x, total);
        else
            panel_cols(4, kind, panel, r, x, total);
        for (size_t c = 0; c < x->n; c++) {
            float *to = y + c * y_stride + r;
            if (n_rows - r >= HALF)
                vec_store(to, total[c]);
            else
                vec_store_n(to, total[c], n_rows - r);
        }
    }
}

#define KIND(name, ...)                                                                            \
    static void name(const struct kern_panel *panel, size_t n_rows, const struct kern_cols *x,     \
                     float *y, size_t y_stride)                                                    \
    {                                                                                              \
        const struct kind kind = { __VA_ARGS__ };                                                  \
        panel_of(kind, panel, n_rows, x, y, y_stride);                                             \
    }

KIND(panel_q4_0, .code_bits = 5, .zero_shift = 4)
KIND(panel_q5_0, .code_bits = 5, .zero_shift = 3)
KIND(panel_minima, .code_bits = 5, .has_min = true)
KIND(panel_signed, .code_bits = 8)
KIND(panel_signed_16, .code_bits = 8, .per_group = true)
KIND(panel_q2_k, .code_bits = 5, .per_group = true, .has_min = true)
KIND(panel_q6_k, .code_bits = 6, .zero_shift = 2, .per_group = true)

static void panel_gemm(const struct kern_panel *panel, size_t n_rows, const struct kern_cols *x,
                       float *y, size_t y_stride)
{
    const struct kern_scales scales = kern_scales_of(panel->type);

    switch (panel->type) {
    case QUANT_Q4_0:
        panel_q4_0(panel, n_rows, x, y, y_stride);
        break;
    case QUANT_Q5_0:
        panel_q5_0(panel, n_rows, x, y, y_stride);
        break;
    case QUANT_Q6_K:
        panel_q6_k(panel, n_rows, x, y, y_stride);
        break;
    case QUANT_Q2_K:
        panel_q2_k(panel, n_rows, x, y, y_stride);
        break;
    default:
        (scales.min      ? panel_minima
         : scales.per_16 ? panel_signed_16
                         : panel_signed)(panel, n_rows, x, y, y_stride);
        break;
    }
}

void kern_init_panel_avx2(struct kern *kern)
{
    kern_init_repack_avx2(kern);
    kern->panel_gemm = panel_gemm;
    kern->panel_cols = COLS;
}
