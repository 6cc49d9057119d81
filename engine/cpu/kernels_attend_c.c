/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attention of many query rows in plain C: a row, a position at a time. */
#include "cpu/kernels.h"

#include <math.h>
#include <string.h>

static float load_f32(const uint8_t *at)
{
    float x;
    memcpy(&x, at, sizeof x);
    return x;
}

static float load_f16(const uint8_t *at)
{
    uint16_t bits;
    memcpy(&bits, at, sizeof bits);
    return quant_f16_to_f32(bits);
}

size_t kern_tile_stride(size_t d_v)
{
    return (d_v + 15) / 16 * 16;
}

/* A tile of keys turned into columns, one of values, both as floats; weights; a factor per row. */
size_t kern_attend_tile_scratch(size_t d_k, size_t d_v)
{
    size_t keys = KERN_TILE_QUERIES * d_k, values = KERN_TILE_QUERIES * kern_tile_stride(d_v);
    size_t weights = KERN_TILE_QUERIES * (KERN_TILE_QUERIES + 1);
    return (keys + values + weights) * sizeof(float);
}

/* One score at a time moves the running maximum; what is summed so far shrinks with it. */
#define ATTEND_TILE(type, size)                                                                    \
    static void attend_tile_##type(const struct kern_attend_tile *a)                               \
    {                                                                                              \
        for (size_t row = 0; row < a->n_q; row++) {                                                \
            const float *q = a->q + row * a->d_k;                                                  \
            float *o = a->o + row * kern_tile_stride(a->d_v);                                      \
                                                                                                   \
            for (size_t t = a->from[row]; t < a->to[row]; t++) {                                   \
                const uint8_t *k = (const uint8_t *)a->k + t * a->d_k * (size);                    \
                const uint8_t *v = (const uint8_t *)a->v + t * a->d_v * (size);                    \
                double sum = 0;                                                                    \
                for (size_t i = 0; i < a->d_k; i++)                                                \
                    sum += (double)q[i] * load_##type(k + i * (size));                             \
                float score = (float)sum;                                                          \
                if (a->softcap > 0)                                                                \
                    score = a->softcap * tanhf(score / a->softcap);                                \
                if (score == -INFINITY)                                                            \
                    continue;                                                                      \
                if (score > a->m[row]) {                                                           \
                    float shrink = expf(a->m[row] - score);                                        \
                    a->m[row] = score;                                                             \
                    a->s[row] *= shrink;                                                           \
                    for (size_t i = 0; i < a->d_v; i++)                                            \
                        o[i] *= shrink;                                                            \
                }                                                                                  \
                float p = expf(score - a->m[row]);                                                 \
                a->s[row] += p;                                                                    \
                for (size_t i = 0; i < a->d_v; i++)                                                \
                    o[i] += p * load_##type(v + i * (size));                                       \
            }                                                                                      \
        }                                                                                          \
    }

ATTEND_TILE(f32, 4)
ATTEND_TILE(f16, 2)

void kern_init_attend_tile_c(struct kern *kern)
{
    kern->attend_tile_f16 = attend_tile_f16;
    kern->attend_tile_f32 = attend_tile_f32;
}
