/* SPDX-License-Identifier: GPL-3.0-or-later */
/* quant-fill.h - block types that have kernels, weights and activations of every kind for them, and
 * what their products truly are. */
#pragma once

#include "kernels-test.h"

/* Ways to fill weights and activations. */
enum fill {
    FILL_RANDOM,
    FILL_MAX,      /* largest codes, activations all 127 */
    FILL_MIN,      /* smallest codes, activations all −127 */
    FILL_OPPOSITE, /* largest codes, activations all −127 */
    FILL_SIGNS,    /* random extremes on both sides */
    FILL_ZERO,     /* zero scales and zero activations, with codes that are not */
    FILL_HUGE,     /* scales near the top of their range */
    FILL_TINY,     /* subnormal scales */
    FILL_COUNT
};

static const struct {
    enum quant_type type;
    unsigned length;
} types[] = {
    { QUANT_Q4_0, 32 },   { QUANT_Q4_1, 32 },     { QUANT_Q5_0, 32 },     { QUANT_Q5_1, 32 },
    { QUANT_Q8_0, 32 },   { QUANT_Q4_K, 256 },    { QUANT_Q5_K, 256 },    { QUANT_Q6_K, 256 },
    { QUANT_Q2_K, 256 },  { QUANT_Q3_K, 256 },    { QUANT_IQ4_NL, 32 },   { QUANT_IQ4_XS, 256 },
    { QUANT_MXFP4, 32 },  { QUANT_NVFP4, 64 },    { QUANT_Q1_0, 128 },    { QUANT_Q2_0, 64 },
    { QUANT_TQ1_0, 256 }, { QUANT_TQ2_0, 256 },   { QUANT_IQ2_XXS, 256 }, { QUANT_IQ2_XS, 256 },
    { QUANT_IQ2_S, 256 }, { QUANT_IQ3_XXS, 256 }, { QUANT_IQ3_S, 256 },   { QUANT_IQ1_S, 256 },
    { QUANT_IQ1_M, 256 },
};
enum { N_TYPES = sizeof types / sizeof types[0] };

static inline void put_f16(uint8_t d[2], float x)
{
    uint16_t bits = quant_f32_to_f16(x);
    d[0] = (uint8_t)bits;
    d[1] = (uint8_t)(bits >> 8);
}

static inline float random_scale(enum fill fill)
{
    switch (fill) {
    case FILL_ZERO:
        return 0;
    case FILL_HUGE:
        return 60000 * random_float();
    case FILL_TINY:
        return 0x1p-16f * random_float();
    default:
        return 0.02f * random_float();
    }
}

static inline void fill_blocks(enum quant_type type, uint8_t *w, size_t n_bytes, enum fill fill)
{
    size_t step = quant_info(type)->block_bytes;

    for (size_t i = 0; i < n_bytes; i++) {
        uint32_t r = random_u32();
        if (fill == FILL_MAX || fill == FILL_OPPOSITE)
            r = type == QUANT_Q8_0 ? 0x7F : 0xFF;
        else if (fill == FILL_MIN)
            r = type == QUANT_Q8_0 ? 0x80 : 0;
        else if (fill == FILL_SIGNS)
            r = type == QUANT_Q8_0 ? (r & 1 ? 0x80 : 0x7F) : (r & 1 ? 0xFF : 0);
        w[i] = (uint8_t)r;
    }
    for (size_t i = 0; i < n_bytes; i += step) {
        uint8_t *b = w + i;
        float d = random_scale(fill), m = random_scale(fill);
        switch (type) {
        case QUANT_Q4_1:
        case QUANT_Q5_1:
        case QUANT_Q4_K:
        case QUANT_Q5_K:
            put_f16(b, d);
            put_f16(b + 2, m);
            break;
        case QUANT_Q6_K:
            put_f16(((struct block_q6_k *)(void *)b)->d, d);
            if (fill == FILL_MAX)
                memset(((struct block_q6_k *)(void *)b)->scales, -128, 16);
            break;
        case QUANT_Q2_K:
            put_f16(((struct block_q2_k *)(void *)b)->d, d);
            put_f16(((struct block_q2_k *)(void *)b)->dmin, m);
            break;
        case QUANT_Q3_K:
            put_f16(((struct block_q3_k *)(void *)b)->d, d);
            break;
        case QUANT_TQ1_0:
            put_f16(((struct block_tq1_0 *)(void *)b)->d, d);
            break;
        case QUANT_TQ2_0:
            put_f16(((struct block_tq2_0 *)(void *)b)->d, d);
            break;
        case QUANT_MXFP4: /* 2^-10 or so; near either end of what there is */
            *b = (uint8_t)(fill == FILL_HUGE                        ? 140
                           : fill == FILL_TINY || fill == FILL_ZERO ? random_u32() % 3
                                                                    : 115 + random_u32() % 8);
            break;
        case QUANT_NVFP4: /* any four bytes are scales */
            if (fill == FILL_ZERO)
                memset(b, 0, 4);
            break;
        case QUANT_IQ1_M: { /* the f16 is in the top nibbles of four words */
            uint8_t bits[2];
            put_f16(bits, d);
            for (int j = 0; j < 4; j++) {
                uint8_t *top = &((struct block_iq1_m *)(void *)b)->scales[2 * j + 1];
                *top = (uint8_t)((*top & 15) | (bits[j / 2] >> 4 * (j % 2) & 15) << 4);
            }
            break;
        }
        default:
            put_f16(b, d);
            break;
        }
    }
}

static inline void fill_act(struct kern_act *x, size_t k, enum fill fill)
{
    for (size_t g = 0; g < k / 16; g++) {
        float d = fill == FILL_HUGE ? 1e20f : fill == FILL_TINY ? 1e-20f : 0.01f;
        d *= 1.5f + random_float();
        if (fill == FILL_ZERO)
            d = 0;
        int sum = 0;
        for (size_t i = 0; i < 16; i++) {
            int q = (int)(random_u32() % 255) - 127;
            if (fill == FILL_MAX)
                q = 127;
            else if (fill == FILL_MIN || fill == FILL_OPPOSITE)
                q = -127;
            else if (fill == FILL_SIGNS)
                q = random_u32() & 1 ? 127 : -127;
            x->q[g * 16 + i] = (int8_t)q;
            sum += q;
        }
        x->d[g] = d;
        x->sum16[g] = (int16_t)sum;
    }
    for (size_t b = 0; b < k / 32; b++)
        x->s[b] =
            x->d[2 * b] * (float)x->sum16[2 * b] + x->d[2 * b + 1] * (float)x->sum16[2 * b + 1];
}

/* What a weight is made of besides scale · code: the minimum of a block or group, or the offset
 * that makes codes unsigned. Kernels may sum it apart, so it counts as a term of its own. */
static inline void low_parts(enum quant_type type, const uint8_t *block, float *low)
{
    float d = quant_f16_to_f32(block_u16(block)), m = quant_f16_to_f32(block_u16(block + 2));

    switch (type) {
    case QUANT_Q4_0:
        *low = 8 * d;
        break;
    case QUANT_Q5_0:
        *low = 16 * d;
        break;
    case QUANT_Q4_1:
    case QUANT_Q5_1:
        *low = m;
        break;
    case QUANT_Q4_K:
    case QUANT_Q5_K:
        for (unsigned i = 0; i < 256; i++) {
            uint8_t scale, min;
            quant_scale_min(block + 4, i / 32, &scale, &min);
            low[i] = m * min;
        }
        return;
    case QUANT_Q6_K: {
        const struct block_q6_k *b = (const void *)block;
        for (unsigned i = 0; i < 256; i++)
            low[i] = 32 * quant_f16_to_f32(block_u16(b->d)) * b->scales[i / 16];
        return;
    }
    case QUANT_Q2_K: {
        const struct block_q2_k *b = (const void *)block;
        for (unsigned i = 0; i < 256; i++)
            low[i] = quant_f16_to_f32(block_u16(b->dmin)) * (b->scales[i / 16] >> 4);
        return;
    }
    default:
        memset(low, 0, 256 * sizeof *low);
        return;
    }
    for (unsigned i = 1; i < 32; i++)
        low[i] = *low;
}

/* The dot product in double, and the sum of the magnitudes of all terms. */
static inline double true_dot(enum quant_type type, unsigned length, const uint8_t *row, size_t k,
                              const struct kern_act *x, double *magnitude)
{
    double sum = 0;
    *magnitude = 0;
    for (size_t b = 0; b < k / length; b++) {
        const uint8_t *block = row + b * quant_info(type)->block_bytes;
        float w[256], low[256];
        quant_decoder(type)(block, length, w);
        low_parts(type, block, low);
        for (size_t i = 0; i < length; i++) {
            double a = (double)x->d[(b * length + i) / 16] * x->q[b * length + i];
            sum += w[i] * a;
            *magnitude += (fabs(w[i]) + 2 * fabs(low[i])) * fabs(a);
        }
    }
    return sum;
}
