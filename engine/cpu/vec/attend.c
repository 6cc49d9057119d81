/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attention of a group of query rows over cached positions, tile by tile with an online softmax:
 *
 *   score[q][t] = softcap(scale · q·k[t])            each key row is read once for the group
 *   m' = max(m, max score); p = e^(score − m'); shrink = e^(m − m')
 *   s = s·shrink + Σ p;  o = o·shrink + Σ p[t]·v[t]  each value row likewise
 *
 * Each score and each element of o is summed in an order of its own, so that the size of the group
 * and the way it is cut into pieces change no bit. */
#include <math.h>

#include "cpu/vec/read_rows.h"
#include "cpu/vec/soften.h"
#include "cpu/vec/vec.h"

/* Query rows and positions (or vectors of o) whose sums stay in registers together. */
enum {
    L = VEC_LANES,
    TILE = 64,
    AHEAD = 32,
    Q_STEP = VEC_REGISTERS == 32 ? 4 : 2,
    T_STEP = 4,
    V_STEP = 4
};

/* Dot products of n_q query rows with T_STEP key rows. */
INLINE void dots(const struct reader type, const float *q, size_t q_stride, const size_t n_q,
                 const uint8_t *const k[T_STEP], size_t d, float *score)
{
    VEC sum[Q_STEP][T_STEP];
    size_t i = 0;

#pragma GCC unroll 4
    for (size_t j = 0; j < n_q; j++) {
#pragma GCC unroll 4
        for (size_t t = 0; t < T_STEP; t++)
            sum[j][t] = vec_zero();
    }
    for (; i + L <= d; i += L) {
        VEC key[T_STEP];
#pragma GCC unroll 4
        for (size_t t = 0; t < T_STEP; t++)
            key[t] = type.load(k[t] + i * type.size);
#pragma GCC unroll 4
        for (size_t j = 0; j < n_q; j++) {
            VEC query = vec_load(q + j * q_stride + i);
#pragma GCC unroll 4
            for (size_t t = 0; t < T_STEP; t++)
                sum[j][t] = vec_fma(query, key[t], sum[j][t]);
        }
    }
    if (i < d) {
        VEC key[T_STEP];
#pragma GCC unroll 4
        for (size_t t = 0; t < T_STEP; t++)
            key[t] = type.load_n(k[t] + i * type.size, d - i);
#pragma GCC unroll 4
        for (size_t j = 0; j < n_q; j++) {
            VEC query = vec_load_n(q + j * q_stride + i, d - i);
#pragma GCC unroll 4
            for (size_t t = 0; t < T_STEP; t++)
                sum[j][t] = vec_fma(query, key[t], sum[j][t]);
        }
    }
#pragma GCC unroll 4
    for (size_t j = 0; j < n_q; j++)
        vec_store_sums(score + j * TILE, sum[j][0], sum[j][1], sum[j][2], sum[j][3]);
}

/* Into the second cache level: two streams that far ahead crowd the first one's misses. With four
 * query rows of 128 that makes 21 GB/s instead of 11 (Zen 4, one core). */
INLINE void prefetch_row(const uint8_t *row, size_t n_bytes)
{
    for (size_t i = 0; i < n_bytes; i += 64)
        __builtin_prefetch(row + i, 0, 2);
}

/* Some positions of a tile, for n_v vectors of the output (the last one of `rest` lanes if rest).
 * `ahead` is where the same part of the value that is AHEAD positions further lies, or NULL. */
struct part {
    const uint8_t *v, *ahead;
    size_t row_bytes;
    size_t first, n; /* positions of the tile */
    size_t at, rest; /* elements */
};

/* o = o·shrink + Σ_t p[t]·v[t] for n_q query rows from the j-th on. */
INLINE void weighted_sum(const struct reader type, const struct kern_attend *a,
                         const struct part *part, size_t j0, const size_t n_q, const size_t n_v)
{
    const float *p = a->scratch + j0 * TILE + part->first;
    const float *shrink = a->scratch + a->n_q * TILE + j0;
    float *o = a->o + j0 * a->d_v + part->at;
    const size_t o_stride = a->d_v, rest = part->rest;
    VEC sum[Q_STEP][V_STEP];

#pragma GCC unroll 4
    for (size_t j = 0; j < n_q; j++) {
#pragma GCC unroll 4
        for (size_t i = 0; i < n_v; i++) {
            float *at = o + j * o_stride + i * L;
            VEC old = rest ? vec_load_n(at, rest) : vec_load(at);
            sum[j][i] = part->first ? old : vec_mul(old, vec_set1(shrink[j]));
        }
    }
    for (size_t t = 0; t < part->n; t++) {
        const uint8_t *row = part->v + t * part->row_bytes;
        VEC value[V_STEP];
#pragma GCC unroll 4
        for (size_t i = 0; i < n_v; i++) {
            const uint8_t *at = row + i * L * type.size;
            value[i] = rest ? type.load_n(at, rest) : type.load(at);
        }
        if (part->ahead)
            prefetch_row(part->ahead + t * part->row_bytes, n_v * L * type.size);
#pragma GCC unroll 4
        for (size_t j = 0; j < n_q; j++) {
            VEC weight = vec_set1(p[j * TILE + t]);
#pragma GCC unroll 4
            for (size_t i = 0; i < n_v; i++)
                sum[j][i] = vec_fma(weight, value[i], sum[j][i]);
        }
    }
#pragma GCC unroll 4
    for (size_t j = 0; j < n_q; j++) {
#pragma GCC unroll 4
        for (size_t i = 0; i < n_v; i++) {
            float *at = o + j * o_stride + i * L;
            if (rest)
                vec_store_n(at, sum[j][i], rest);
            else
                vec_store(at, sum[j][i]);
        }
    }
}

/* The first n scores become weights, in place, the rest of the tile 0; returns what the old sum and
 * output are multiplied by. A tile without a finite score changes nothing. */
static float soften(const struct kern_attend *a, size_t row, float *score, size_t n)
{
    VEC scale = vec_set1(a->scale);

    for (int i = 0; i < TILE; i += L) {
        VEC x = vec_mul(vec_load(score + i), scale);
        if (a->softcap > 0)
            x = vec_mul(vec_tanh(vec_div(x, vec_set1(a->softcap))), vec_set1(a->softcap));
        vec_store(score + i, x);
    }
    for (size_t t = n; t < TILE; t++)
        score[t] = -INFINITY;
    return soften_scores(score, TILE, &a->m[row], &a->s[row]);
}

/* n_q is 1 … Q_STEP, or more: a constant in each copy. */
INLINE void dots_of_group(const struct reader type, const struct kern_attend *a, size_t j,
                          size_t n_q, const uint8_t *const k[T_STEP], float *score)
{
    const float *q = a->q + j * a->q_stride;
    if (n_q == 1)
        dots(type, q, a->q_stride, 1, k, a->d_k, score);
    else if (n_q == 2)
        dots(type, q, a->q_stride, 2, k, a->d_k, score);
    else if (n_q == 3 && Q_STEP > 3)
        dots(type, q, a->q_stride, 3, k, a->d_k, score);
    else
        dots(type, q, a->q_stride, Q_STEP, k, a->d_k, score);
}

INLINE void sums_of_group(const struct reader type, const struct kern_attend *a,
                          const struct part *part, size_t j, size_t n_q, const size_t n_v)
{
    if (n_q == 1)
        weighted_sum(type, a, part, j, 1, n_v);
    else if (n_q == 2)
        weighted_sum(type, a, part, j, 2, n_v);
    else if (n_q == 3 && Q_STEP > 3)
        weighted_sum(type, a, part, j, 3, n_v);
    else
        weighted_sum(type, a, part, j, Q_STEP, n_v);
}

/* Values are taken AHEAD positions at a time, so that both they and the keys are read in order and
 * each line is fetched that far ahead, by hand: with several query rows there is too much to do
 * between two lines for the hardware to keep up. */
INLINE void attend_tile(const struct reader type, const struct kern_attend *a, size_t first,
                        size_t n)
{
    const size_t k_bytes = a->d_k * type.size, v_bytes = a->d_v * type.size;
    const uint8_t *keys = (const uint8_t *)a->k + first * k_bytes;
    const uint8_t *values = (const uint8_t *)a->v + first * v_bytes;
    const size_t left = a->n_pos - first; /* the tile and what follows it */
    float *score = a->scratch, *shrink = a->scratch + a->n_q * TILE;

    for (size_t t = 0; t < n; t += T_STEP) {
        /* Positions past the end repeat the last one; what comes out is overwritten below. */
        const uint8_t *k[T_STEP];
        for (size_t j = 0; j < T_STEP; j++)
            k[j] = keys + (t + j < n ? t + j : n - 1) * k_bytes;
        if (t + T_STEP + AHEAD <= left)
            prefetch_row(k[0] + AHEAD * k_bytes, T_STEP * k_bytes);
        for (size_t j = 0; j < a->n_q; j += Q_STEP)
            dots_of_group(type, a, j, a->n_q - j, k, score + j * TILE + t);
    }
    for (size_t j = 0; j < a->n_q; j++)
        shrink[j] = soften(a, j, score + j * TILE, n);

    struct part part = { .row_bytes = v_bytes };
    for (; part.first < n; part.first += AHEAD) {
        part.n = n - part.first < AHEAD ? n - part.first : AHEAD;
        for (part.at = 0; part.at < a->d_v;) {
            size_t more = a->d_v - part.at;
            size_t step = more >= V_STEP * L ? V_STEP * L : more < L ? more : L;
            part.rest = step < L ? more : 0;
            part.v = values + part.first * v_bytes + part.at * type.size;
            part.ahead = part.first + 2 * AHEAD <= left ? part.v + AHEAD * v_bytes : NULL;
            for (size_t j = 0; j < a->n_q; j += part.rest ? 1 : Q_STEP) {
                if (part.rest)
                    weighted_sum(type, a, &part, j, 1, 1);
                else if (step == L)
                    sums_of_group(type, a, &part, j, a->n_q - j, 1);
                else
                    sums_of_group(type, a, &part, j, a->n_q - j, V_STEP);
                part.ahead = NULL; /* once is enough */
            }
            part.at += step;
        }
    }
}

static void attend_f16(const struct kern_attend *a)
{
    const struct reader type = { 2, read_f16, read_f16_n };
    for (size_t t = 0; t < a->n_pos; t += TILE)
        attend_tile(type, a, t, a->n_pos - t < TILE ? a->n_pos - t : TILE);
}

static void attend_f32(const struct kern_attend *a)
{
    const struct reader type = { 4, read_f32, read_f32_n };
    for (size_t t = 0; t < a->n_pos; t += TILE)
        attend_tile(type, a, t, a->n_pos - t < TILE ? a->n_pos - t : TILE);
}

void LEVEL(kern_init_attend)(struct kern *kern)
{
    kern->attend_f16 = attend_f16;
    kern->attend_f32 = attend_f32;
}
