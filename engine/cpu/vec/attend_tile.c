/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attention of many query rows over a stretch of cached positions. Tile by tile of 64 positions:
 *
 *   K tile → floats, turned into columns; V tile → floats     once for all query rows
 *   score = Q · K                                              rows in lanes of positions
 *   m' = max(m, max score); p = e^(score − m'); shrink = e^(m − m')
 *   s = s·shrink + Σ p;  o = o·shrink + p · V                  rows in lanes of o
 *
 * Both products are the same loop over registers; each of their elements is summed in order of its
 * own, so that the rows computed together change no bit. */
#include "cpu/kernels.h"

#include <math.h>

#include "cpu/vec/ints.h"
#include "cpu/vec/read_rows.h"
#include "cpu/vec/soften.h"

/* Rows and vectors of a product whose sums stay in registers together. */
enum { L = VEC_LANES, TILE = 64, R = VEC_REGISTERS == 32 ? 6 : 3, V = 4 };

/* c[r][…] = c[r][…] · shrink[r] + Σ_i a[r][i] · b[i][…], n_v vectors wide; shrink NULL: c is not
 * read. n_r and n_v are constants in each copy. */
INLINE void product(const size_t n_r, const size_t n_v, const float *a, size_t a_stride, size_t n,
                    const float *b, size_t b_stride, const float *shrink, float *c, size_t c_stride)
{
    VEC sum[R][V];

#pragma GCC unroll 6
    for (size_t r = 0; r < n_r; r++) {
#pragma GCC unroll 4
        for (size_t v = 0; v < n_v; v++)
            sum[r][v] = shrink ? vec_mul(vec_load(c + r * c_stride + v * L), vec_set1(shrink[r]))
                               : vec_zero();
    }
    for (size_t i = 0; i < n; i++, b += b_stride) {
        VEC x[V];
#pragma GCC unroll 4
        for (size_t v = 0; v < n_v; v++)
            x[v] = vec_load(b + v * L);
#pragma GCC unroll 6
        for (size_t r = 0; r < n_r; r++) {
            VEC w = vec_set1(a[r * a_stride + i]);
#pragma GCC unroll 4
            for (size_t v = 0; v < n_v; v++)
                sum[r][v] = vec_fma(w, x[v], sum[r][v]);
        }
    }
#pragma GCC unroll 6
    for (size_t r = 0; r < n_r; r++) {
#pragma GCC unroll 4
        for (size_t v = 0; v < n_v; v++)
            vec_store(c + r * c_stride + v * L, sum[r][v]);
    }
}

#define PRODUCT(name, n_v)                                                                         \
    static void name(size_t n_r, const float *a, size_t a_stride, size_t n, const float *b,        \
                     size_t b_stride, const float *shrink, float *c, size_t c_stride)              \
    {                                                                                              \
        if (n_r == 1)                                                                              \
            product(1, n_v, a, a_stride, n, b, b_stride, shrink, c, c_stride);                     \
        else if (n_r == 2)                                                                         \
            product(2, n_v, a, a_stride, n, b, b_stride, shrink, c, c_stride);                     \
        else if (n_r == 3)                                                                         \
            product(3, n_v, a, a_stride, n, b, b_stride, shrink, c, c_stride);                     \
        else if (n_r == 4 && R > 3)                                                                \
            product(4, n_v, a, a_stride, n, b, b_stride, shrink, c, c_stride);                     \
        else if (n_r == 5 && R > 3)                                                                \
            product(5, n_v, a, a_stride, n, b, b_stride, shrink, c, c_stride);                     \
        else                                                                                       \
            product(R, n_v, a, a_stride, n, b, b_stride, shrink, c, c_stride);                     \
    }

PRODUCT(product_wide, V)
PRODUCT(product_narrow, 1)

/* All of n_r ≤ R rows, `width` floats (a multiple of L). */
static void rows_times(size_t n_r, const float *a, size_t a_stride, size_t n, const float *b,
                       size_t width, const float *shrink, float *c, size_t c_stride)
{
    size_t at = 0;
    for (; at + V * L <= width; at += V * L)
        product_wide(n_r, a, a_stride, n, b + at, width, shrink, c + at, c_stride);
    for (; at < width; at += L)
        product_narrow(n_r, a, a_stride, n, b + at, width, shrink, c + at, c_stride);
}

/* Rows first … first + n − 1 of K become columns: out[dim][TILE]; columns past n repeat the last.
 */
INLINE void turn_keys(const struct reader type, const uint8_t *k, size_t d, size_t n, float *out)
{
    const size_t row_bytes = d * type.size, step = 16 / type.size;

    for (size_t t = 0; t < TILE; t += L) {
        const uint8_t *row[L];
        size_t i = 0;
        for (size_t j = 0; j < L; j++)
            row[j] = k + (t + j < n ? t + j : n - 1) * row_bytes;
        for (; i + step <= d; i += step) {
            INTS x[4];
            load_lines(row, i * type.size, x);
#pragma GCC unroll 4
            for (size_t j = 0; j < 4; j++) {
                if (type.size == 4) {
                    vec_store(out + (i + j) * TILE + t, floats_of_bits(x[j]));
                    continue;
                }
                vec_store(out + (i + 2 * j) * TILE + t, floats_of_f16(x[j]));
                vec_store(out + (i + 2 * j + 1) * TILE + t, floats_of_f16(ints_right(x[j], 16)));
            }
        }
        for (; i < d; i++) {
            for (size_t j = 0; j < L; j++)
                vec_store_n(out + i * TILE + t + j, type.load_n(row[j] + i * type.size, 1), 1);
        }
    }
}

/* V rows as floats, zeros up to the stride; false if one of them is no finite number. */
INLINE bool widen_values(const struct reader type, const uint8_t *v, size_t d, size_t n,
                         size_t stride, float *out)
{
    VEC check = vec_zero();

    for (size_t t = 0; t < n; t++, v += d * type.size, out += stride) {
        for (size_t i = 0; i < stride; i += L) {
            VEC x = vec_zero();
            if (i + L <= d)
                x = type.load(v + i * type.size);
            else if (i < d)
                x = type.load_n(v + i * type.size, d - i);
            check = vec_fma(x, vec_zero(), check);
            vec_store(out + i, x);
        }
    }
    return vec_sum(check) == 0;
}

/* Scores of a row that it sees, [from, to) of the tile, become weights, the others 0; returns what
 * the old output is multiplied by. A row that sees no finite score stays as it was. */
static float soften(const struct kern_attend_tile *a, size_t row, float *score, size_t from,
                    size_t to)
{
    for (int i = 0; i < TILE && a->softcap > 0; i += L) {
        VEC x = vec_tanh(vec_div(vec_load(score + i), vec_set1(a->softcap)));
        vec_store(score + i, vec_mul(x, vec_set1(a->softcap)));
    }
    for (size_t t = 0; t < from && t < TILE; t++)
        score[t] = -INFINITY;
    for (size_t t = to; t < TILE; t++)
        score[t] = -INFINITY;
    return soften_scores(score, TILE, &a->m[row], &a->s[row]);
}

static size_t clamp(size_t x, size_t first, size_t n)
{
    return x <= first ? 0 : x - first < n ? x - first : n;
}

INLINE void attend_tile(const struct reader type, const struct kern_attend_tile *a)
{
    const size_t stride = kern_tile_stride(a->d_v);
    float *keys = a->scratch, *values = keys + TILE * a->d_k, *score = values + TILE * stride;
    float *shrink = score + TILE * TILE;

    for (size_t first = 0; first < a->n_pos; first += TILE) {
        const size_t n = a->n_pos - first < TILE ? a->n_pos - first : TILE;
        bool seen = false;
        for (size_t j = 0; j < a->n_q; j++)
            seen = seen || clamp(a->from[j], first, n) < clamp(a->to[j], first, n);
        if (!seen)
            continue;
        turn_keys(type, (const uint8_t *)a->k + first * a->d_k * type.size, a->d_k, n, keys);
        bool finite = widen_values(type, (const uint8_t *)a->v + first * a->d_v * type.size, a->d_v,
                                   n, stride, values);
        for (size_t j = 0; j < a->n_q; j += R) {
            size_t rows = a->n_q - j < R ? a->n_q - j : R;
            rows_times(rows, a->q + j * a->d_k, a->d_k, a->d_k, keys, TILE, NULL, score + j * TILE,
                       TILE);
            for (size_t r = j; r < j + rows; r++)
                shrink[r] = soften(a, r, score + r * TILE, clamp(a->from[r], first, n),
                                   clamp(a->to[r], first, n));
            if (finite) {
                rows_times(rows, score + j * TILE, TILE, n, values, stride, shrink + j,
                           a->o + j * stride, stride);
                continue;
            }
            /* Zero times infinity: each row must keep to what it sees. */
            for (size_t r = j; r < j + rows; r++) {
                size_t from = clamp(a->from[r], first, n), to = clamp(a->to[r], first, n);
                if (from < to)
                    rows_times(1, score + r * TILE + from, TILE, to - from, values + from * stride,
                               stride, shrink + r, a->o + r * stride, stride);
            }
        }
    }
}

static void attend_tile_f16(const struct kern_attend_tile *a)
{
    const struct reader type = { 2, read_f16, read_f16_n };
    attend_tile(type, a);
}

static void attend_tile_f32(const struct kern_attend_tile *a)
{
    const struct reader type = { 4, read_f32, read_f32_n };
    attend_tile(type, a);
}

void LEVEL(kern_init_attend_tile)(struct kern *kern)
{
    kern->attend_tile_f16 = attend_tile_f16;
    kern->attend_tile_f32 = attend_tile_f32;
}
