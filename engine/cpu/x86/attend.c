/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attention of a group of query rows over cached positions, tile by tile with an online softmax:
 *
 *   score[q][t] = softcap(scale · q·k[t])            each key row is read once for the group
 *   m' = max(m, max score); p = e^(score − m'); shrink = e^(m − m')
 *   s = s·shrink + Σ p;  o = o·shrink + Σ p[t]·v[t]  each value row likewise
 *
 * Each score and each element of o is summed in an order of its own, so that the size of the group
 * and the way it is cut into pieces change no bit. */
#include "cpu/x86/levels.h"

#include <math.h>

#include "cpu/x86/vec.h"

/* Query rows and positions (or vectors of o) whose sums stay in registers together. */
enum { L = VEC_LANES, TILE = 64, Q_STEP = VEC_LANES == 16 ? 4 : 2, T_STEP = 4, V_STEP = 4 };

/* How cached rows are read; constants after inlining. */
struct reader {
    size_t size;
    VEC (*load)(const uint8_t *p);
    VEC (*load_n)(const uint8_t *p, size_t n);
};

INLINE VEC read_f32(const uint8_t *p)
{
    return vec_load((const float *)(const void *)p);
}
INLINE VEC read_f32_n(const uint8_t *p, size_t n)
{
    return vec_load_n((const float *)(const void *)p, n);
}
INLINE VEC read_f16(const uint8_t *p)
{
    return vec_load_f16((const uint16_t *)(const void *)p);
}
INLINE VEC read_f16_n(const uint8_t *p, size_t n)
{
    return vec_load_f16_n((const uint16_t *)(const void *)p, n);
}

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
        _mm_storeu_ps(score + j * TILE, vec_sum4(sum[j][0], sum[j][1], sum[j][2], sum[j][3]));
}

/* o += Σ_t p[t]·v[t] for n_q query rows and n_v vectors (the last one of `rest` lanes if rest). */
INLINE void weighted_sum(const struct reader type, const float *p, const size_t n_q,
                         const uint8_t *v, size_t row_bytes, size_t n_pos, const size_t n_v,
                         size_t rest, const float *shrink, float *o, size_t o_stride)
{
    VEC sum[Q_STEP][V_STEP];

#pragma GCC unroll 4
    for (size_t j = 0; j < n_q; j++) {
#pragma GCC unroll 4
        for (size_t i = 0; i < n_v; i++) {
            float *at = o + j * o_stride + i * L;
            VEC old = rest ? vec_load_n(at, rest) : vec_load(at);
            sum[j][i] = vec_mul(old, vec_set1(shrink[j]));
        }
    }
    for (size_t t = 0; t < n_pos; t++) {
        const uint8_t *row = v + t * row_bytes;
        VEC value[V_STEP];
#pragma GCC unroll 4
        for (size_t i = 0; i < n_v; i++) {
            const uint8_t *at = row + i * L * type.size;
            value[i] = rest ? type.load_n(at, rest) : type.load(at);
        }
        _mm_prefetch((const char *)row + KERN_PREFETCH, _MM_HINT_T0);
        if (n_v * L * type.size > 64)
            _mm_prefetch((const char *)row + KERN_PREFETCH + 64, _MM_HINT_T0);
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
    VEC scale = vec_set1(a->scale), top = vec_set1(-INFINITY);

    for (int i = 0; i < TILE; i += L) {
        VEC x = vec_mul(vec_load(score + i), scale);
        if (a->softcap > 0)
            x = vec_mul(vec_tanh(vec_div(x, vec_set1(a->softcap))), vec_set1(a->softcap));
        vec_store(score + i, x);
    }
    for (size_t t = n; t < TILE; t++)
        score[t] = -INFINITY;
    for (int i = 0; i < TILE; i += L)
        top = vec_max(vec_load(score + i), top); /* passes over a NaN, which shows in the sum */
    float old = a->m[row], new = vec_top(top);
    new = new > old ? new : old;
    if (new == -INFINITY) {
        memset(score, 0, TILE * sizeof *score);
        return 1;
    }
    VEC shift = vec_set1(new), sum = vec_zero();
    for (int i = 0; i < TILE; i += L) {
        VEC p = vec_exp(vec_sub(vec_load(score + i), shift));
        vec_store(score + i, p);
        sum = vec_add(sum, p);
    }
    float shrink = old == new ? 1 : expf(old - new);
    a->m[row] = new;
    a->s[row] = a->s[row] * shrink + vec_sum(sum);
    return shrink;
}

INLINE void attend_tile(const struct reader type, const struct kern_attend *a, size_t first,
                        size_t n)
{
    const size_t k_bytes = a->d_k * type.size, v_bytes = a->d_v * type.size;
    const uint8_t *keys = (const uint8_t *)a->k + first * k_bytes;
    const uint8_t *values = (const uint8_t *)a->v + first * v_bytes;
    float *score = a->scratch, *shrink = a->scratch + a->n_q * TILE;

    for (size_t t = 0; t < n; t += T_STEP) {
        /* Positions past the end repeat the last one; what comes out is overwritten below. */
        const uint8_t *k[T_STEP];
        for (size_t j = 0; j < T_STEP; j++)
            k[j] = keys + (t + j < n ? t + j : n - 1) * k_bytes;
        for (size_t ahead = 0; ahead < T_STEP * k_bytes; ahead += 64)
            _mm_prefetch((const char *)k[0] + KERN_PREFETCH + ahead, _MM_HINT_T0);
        size_t j = 0;
        for (; j + Q_STEP <= a->n_q; j += Q_STEP)
            dots(type, a->q + j * a->q_stride, a->q_stride, Q_STEP, k, a->d_k,
                 score + j * TILE + t);
        for (; j < a->n_q; j++)
            dots(type, a->q + j * a->q_stride, a->q_stride, 1, k, a->d_k, score + j * TILE + t);
    }
    for (size_t j = 0; j < a->n_q; j++)
        shrink[j] = soften(a, j, score + j * TILE, n);
    for (size_t i = 0; i < a->d_v;) {
        size_t left = a->d_v - i, step = left >= V_STEP * L ? V_STEP * L : left < L ? left : L;
        const uint8_t *v = values + i * type.size;
        size_t j = 0;
        for (; j < a->n_q;) {
            const float *p = score + j * TILE;
            float *o = a->o + j * a->d_v + i;
            bool many = j + Q_STEP <= a->n_q;
            if (step == V_STEP * L && many)
                weighted_sum(type, p, Q_STEP, v, v_bytes, n, V_STEP, 0, shrink + j, o, a->d_v);
            else if (step == V_STEP * L)
                weighted_sum(type, p, 1, v, v_bytes, n, V_STEP, 0, shrink + j, o, a->d_v);
            else if (step == L && many)
                weighted_sum(type, p, Q_STEP, v, v_bytes, n, 1, 0, shrink + j, o, a->d_v);
            else if (step == L)
                weighted_sum(type, p, 1, v, v_bytes, n, 1, 0, shrink + j, o, a->d_v);
            else
                weighted_sum(type, p, 1, v, v_bytes, n, 1, left, shrink + j, o, a->d_v);
            j += step >= L && many ? Q_STEP : 1;
        }
        i += step;
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
