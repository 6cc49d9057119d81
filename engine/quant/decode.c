/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scalar decoders: what each type means. Every product and sum is rounded to float once, in the
 * order written (the build turns contraction to fused operations off), so the results are the same
 * bits everywhere. Faster decoders are tested against these. */
#include "quant/types.h"

#include <string.h>

#include "quant/blocks.h"
#include "quant/decode.h"

static float float_of(uint32_t bits)
{
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

float quant_f16_to_f32(uint16_t bits)
{
    uint32_t sign = (uint32_t)(bits & 0x8000) << 16;
    uint32_t exponent = bits >> 10 & 31;
    uint32_t mantissa = bits & 0x3FF;

    if (exponent == 31) /* infinity, or NaN with its payload; quiet, as hardware conversion gives */
        return float_of(sign | 0x7F800000 | mantissa << 13 | (mantissa ? 0x400000 : 0));
    if (exponent)
        return float_of(sign | (exponent + 112) << 23 | mantissa << 13);
    /* Zero and subnormals: mantissa × 2^-24, exact in float. */
    float x = (float)mantissa * 0x1p-24f;
    return float_of(sign | bits_of(x));
}

uint16_t quant_f32_to_f16(float x)
{
    uint32_t bits = bits_of(x);
    uint16_t sign = (uint16_t)(bits >> 16 & 0x8000);
    uint32_t magnitude = bits & 0x7FFFFFFF;

    if (magnitude > 0x7F800000)
        return sign | 0x7E00;
    if (magnitude >= 0x477FF000) /* 65520 and above round to infinity */
        return sign | 0x7C00;
    if (magnitude < 0x38800000) {
        /* Below 2^-14: adding 0.5 puts the unit of the last place at 2^-24, so the addition itself
         * rounds to nearest even, and the low bits of the sum are the subnormal's. */
        float sum = float_of(magnitude) + 0.5f;
        return (uint16_t)(sign | (bits_of(sum) - 0x3F000000));
    }
    uint32_t odd = magnitude >> 13 & 1;
    return (uint16_t)(sign | (magnitude - 0x38000000 + 0xFFF + odd) >> 13);
}

float quant_bf16_to_f32(uint16_t bits)
{
    return float_of((uint32_t)bits << 16);
}

uint16_t quant_f32_to_bf16(float x)
{
    uint32_t bits = bits_of(x);

    if ((bits & 0x7FFFFFFF) > 0x7F800000)
        return (uint16_t)(bits >> 16 | 64);
    return (uint16_t)((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

const int8_t quant_iq4_values[16] = { -127, -104, -83, -65, -49, -35, -22, -10,
                                      1,    13,   25,  38,  53,  69,  89,  113 };
const int8_t quant_fp4_values[16] = { 0, 1, 2, 3, 4, 6, 8, 12, 0, -1, -2, -3, -4, -6, -8, -12 };

static float f16_at(const uint8_t b[2])
{
    return quant_f16_to_f32(block_u16(b));
}

static void decode_f32(const void *src, size_t n, float *dst)
{
    const uint8_t *s = src;
    for (size_t i = 0; i < n; i++)
        dst[i] = float_of(block_u32(s + 4 * i));
}

static void decode_f16(const void *src, size_t n, float *dst)
{
    const uint8_t *s = src;
    for (size_t i = 0; i < n; i++)
        dst[i] = f16_at(s + 2 * i);
}

static void decode_bf16(const void *src, size_t n, float *dst)
{
    const uint8_t *s = src;
    for (size_t i = 0; i < n; i++)
        dst[i] = quant_bf16_to_f32(block_u16(s + 2 * i));
}

static void decode_q4_0(const void *src, size_t n, float *dst)
{
    const struct block_q4_0 *b = src;
    for (const float *end = dst + n; dst < end; dst += 32, b++) {
        float d = f16_at(b->d);
        for (int j = 0; j < 16; j++) {
            dst[j] = (float)((b->qs[j] & 15) - 8) * d;
            dst[j + 16] = (float)((b->qs[j] >> 4) - 8) * d;
        }
    }
}

static void decode_q4_1(const void *src, size_t n, float *dst)
{
    const struct block_q4_1 *b = src;
    for (const float *end = dst + n; dst < end; dst += 32, b++) {
        float d = f16_at(b->d), m = f16_at(b->m);
        for (int j = 0; j < 16; j++) {
            dst[j] = (float)(b->qs[j] & 15) * d + m;
            dst[j + 16] = (float)(b->qs[j] >> 4) * d + m;
        }
    }
}

static void decode_q5_0(const void *src, size_t n, float *dst)
{
    const struct block_q5_0 *b = src;
    for (const float *end = dst + n; dst < end; dst += 32, b++) {
        float d = f16_at(b->d);
        uint32_t qh = block_u32(b->qh);
        for (int j = 0; j < 16; j++) {
            int low = (b->qs[j] & 15) | (int)(qh >> j & 1) << 4;
            int high = b->qs[j] >> 4 | (int)(qh >> (j + 16) & 1) << 4;
            dst[j] = (float)(low - 16) * d;
            dst[j + 16] = (float)(high - 16) * d;
        }
    }
}

static void decode_q5_1(const void *src, size_t n, float *dst)
{
    const struct block_q5_1 *b = src;
    for (const float *end = dst + n; dst < end; dst += 32, b++) {
        float d = f16_at(b->d), m = f16_at(b->m);
        uint32_t qh = block_u32(b->qh);
        for (int j = 0; j < 16; j++) {
            int low = (b->qs[j] & 15) | (int)(qh >> j & 1) << 4;
            int high = b->qs[j] >> 4 | (int)(qh >> (j + 16) & 1) << 4;
            dst[j] = (float)low * d + m;
            dst[j + 16] = (float)high * d + m;
        }
    }
}

static void decode_q8_0(const void *src, size_t n, float *dst)
{
    const struct block_q8_0 *b = src;
    for (const float *end = dst + n; dst < end; dst += 32, b++) {
        float d = f16_at(b->d);
        for (int j = 0; j < 32; j++)
            dst[j] = (float)b->qs[j] * d;
    }
}

static void decode_q4_k(const void *src, size_t n, float *dst)
{
    const struct block_q4_k *b = src;
    for (const float *end = dst + n; dst < end; dst += 256, b++) {
        float d = f16_at(b->d), dmin = f16_at(b->dmin);
        for (unsigned j = 0; j < 8; j++) {
            const uint8_t *q = b->qs + 32 * (j / 2);
            unsigned shift = 4 * (j & 1);
            uint8_t scale, min;
            quant_scale_min(b->scales, j, &scale, &min);
            float s = d * scale, m = dmin * min;
            for (unsigned i = 0; i < 32; i++)
                dst[32 * j + i] = s * (float)(q[i] >> shift & 15) - m;
        }
    }
}

static void decode_q5_k(const void *src, size_t n, float *dst)
{
    const struct block_q5_k *b = src;
    for (const float *end = dst + n; dst < end; dst += 256, b++) {
        float d = f16_at(b->d), dmin = f16_at(b->dmin);
        for (unsigned j = 0; j < 8; j++) {
            const uint8_t *q = b->qs + 32 * (j / 2);
            unsigned shift = 4 * (j & 1);
            uint8_t scale, min;
            quant_scale_min(b->scales, j, &scale, &min);
            float s = d * scale, m = dmin * min;
            for (unsigned i = 0; i < 32; i++) {
                int code = (q[i] >> shift & 15) | (b->qh[i] >> j & 1) << 4;
                dst[32 * j + i] = s * (float)code - m;
            }
        }
    }
}

static void decode_q6_k(const void *src, size_t n, float *dst)
{
    const struct block_q6_k *b = src;
    for (const float *end = dst + n; dst < end; dst += 256, b++) {
        float d = f16_at(b->d);
        for (unsigned i = 0; i < 256; i++) {
            unsigned half = i / 128, k = i / 32 % 4, l = i % 32;
            int low = b->ql[64 * half + 32 * (k & 1) + l] >> 4 * (k / 2) & 15;
            int high = b->qh[32 * half + l] >> 2 * k & 3;
            dst[i] = d * (float)b->scales[i / 16] * (float)((low | high << 4) - 32);
        }
    }
}

/* The 2-bit code of element i where 32 bytes hold four rows of 32. */
static int crumb(const uint8_t qs[64], unsigned i)
{
    return qs[32 * (i / 128) + i % 32] >> 2 * (i / 32 % 4) & 3;
}

static void decode_q2_k(const void *src, size_t n, float *dst)
{
    const struct block_q2_k *b = src;
    for (const float *end = dst + n; dst < end; dst += 256, b++) {
        float d = f16_at(b->d), dmin = f16_at(b->dmin);
        for (unsigned i = 0; i < 256; i++) {
            int scale = b->scales[i / 16];
            dst[i] = d * (float)(scale & 15) * (float)crumb(b->qs, i) - dmin * (float)(scale >> 4);
        }
    }
}

static void decode_q3_k(const void *src, size_t n, float *dst)
{
    const struct block_q3_k *b = src;
    for (const float *end = dst + n; dst < end; dst += 256, b++) {
        float d = f16_at(b->d);
        for (unsigned g = 0; g < 16; g++) {
            int low = b->scales[g % 8] >> 4 * (g / 8) & 15;
            int high = b->scales[8 + g % 4] >> 2 * (g / 4) & 3;
            float scale = d * (float)((low | high << 4) - 32);
            for (unsigned i = 16 * g; i < 16 * g + 16; i++) {
                int q = crumb(b->qs, i) - (b->hmask[i % 32] >> i / 32 & 1 ? 0 : 4);
                dst[i] = scale * (float)q;
            }
        }
    }
}

static void decode_q8_k(const void *src, size_t n, float *dst)
{
    const struct block_q8_k *b = src;
    for (const float *end = dst + n; dst < end; dst += 256, b++) {
        float d = float_of(block_u32(b->d));
        for (unsigned i = 0; i < 256; i++)
            dst[i] = d * (float)b->qs[i];
    }
}

static void decode_q1_0(const void *src, size_t n, float *dst)
{
    const struct block_q1_0 *b = src;
    for (const float *end = dst + n; dst < end; dst += 128, b++) {
        float d = f16_at(b->d);
        for (unsigned i = 0; i < 128; i++)
            dst[i] = b->qs[i / 8] >> i % 8 & 1 ? d : -d;
    }
}

static void decode_q2_0(const void *src, size_t n, float *dst)
{
    const struct block_q2_0 *b = src;
    for (const float *end = dst + n; dst < end; dst += 64, b++) {
        float d = f16_at(b->d);
        for (unsigned i = 0; i < 64; i++)
            dst[i] = (float)((b->qs[i / 4] >> 2 * (i % 4) & 3) - 1) * d;
    }
}

static void decode_iq4_nl(const void *src, size_t n, float *dst)
{
    const struct block_iq4_nl *b = src;
    for (const float *end = dst + n; dst < end; dst += 32, b++) {
        float d = f16_at(b->d);
        for (int j = 0; j < 16; j++) {
            dst[j] = d * (float)quant_iq4_values[b->qs[j] & 15];
            dst[j + 16] = d * (float)quant_iq4_values[b->qs[j] >> 4];
        }
    }
}

static void decode_iq4_xs(const void *src, size_t n, float *dst)
{
    const struct block_iq4_xs *b = src;
    for (const float *end = dst + n; dst < end; dst += 256, b++) {
        float d = f16_at(b->d);
        unsigned scales_h = block_u16(b->scales_h);
        for (unsigned c = 0; c < 8; c++) {
            int low = b->scales_l[c / 2] >> 4 * (c % 2) & 15;
            int high = (int)(scales_h >> 2 * c & 3);
            float scale = d * (float)((low | high << 4) - 32);
            const uint8_t *q = b->qs + 16 * c;
            for (unsigned j = 0; j < 16; j++) {
                dst[32 * c + j] = scale * (float)quant_iq4_values[q[j] & 15];
                dst[32 * c + j + 16] = scale * (float)quant_iq4_values[q[j] >> 4];
            }
        }
    }
}

float quant_half_e8m0(uint8_t e)
{
    return float_of(quant_half_e8m0_bits(e));
}

float quant_half_ue4m3(uint8_t x)
{
    int e = x >> 3 & 15, m = x & 7;
    if (x == 0x7F)
        return 0;
    if (!e)
        return (float)m * 0x1p-10f;
    return (float)(8 + m) * float_of((uint32_t)(e - 11 + 127) << 23);
}

static void decode_mxfp4(const void *src, size_t n, float *dst)
{
    const struct block_mxfp4 *b = src;
    for (const float *end = dst + n; dst < end; dst += 32, b++) {
        float d = quant_half_e8m0(b->e);
        for (int j = 0; j < 16; j++) {
            dst[j] = (float)quant_fp4_values[b->qs[j] & 15] * d;
            dst[j + 16] = (float)quant_fp4_values[b->qs[j] >> 4] * d;
        }
    }
}

static void decode_nvfp4(const void *src, size_t n, float *dst)
{
    const struct block_nvfp4 *b = src;
    for (const float *end = dst + n; dst < end; dst += 64, b++) {
        for (unsigned s = 0; s < 4; s++) {
            float d = quant_half_ue4m3(b->d[s]);
            const uint8_t *q = b->qs + 8 * s;
            for (unsigned j = 0; j < 8; j++) {
                dst[16 * s + j] = (float)quant_fp4_values[q[j] & 15] * d;
                dst[16 * s + j + 8] = (float)quant_fp4_values[q[j] >> 4] * d;
            }
        }
    }
}

/* Base-3 digit n of a byte, the most significant first. */
static int trit(uint8_t byte, unsigned n)
{
    static const uint8_t powers[] = { 1, 3, 9, 27, 81 };
    return (uint8_t)(byte * powers[n]) * 3 >> 8;
}

static void decode_tq1_0(const void *src, size_t n, float *dst)
{
    const struct block_tq1_0 *b = src;
    for (const float *end = dst + n; dst < end; dst += 256, b++) {
        float d = f16_at(b->d);
        for (unsigned i = 0; i < 160; i++)
            dst[i] = (float)(trit(b->qs[i % 32], i / 32) - 1) * d;
        for (unsigned i = 0; i < 80; i++)
            dst[160 + i] = (float)(trit(b->qs[32 + i % 16], i / 16) - 1) * d;
        for (unsigned i = 0; i < 16; i++)
            dst[240 + i] = (float)(trit(b->qh[i % 4], i / 4) - 1) * d;
    }
}

static void decode_tq2_0(const void *src, size_t n, float *dst)
{
    const struct block_tq2_0 *b = src;
    for (const float *end = dst + n; dst < end; dst += 256, b++) {
        float d = f16_at(b->d);
        for (unsigned i = 0; i < 256; i++)
            dst[i] = (float)(crumb(b->qs, i) - 1) * d;
    }
}

static void decode_q8_1(const void *src, size_t n, float *dst)
{
    const struct block_q8_1 *b = src;
    for (const float *end = dst + n; dst < end; dst += 32, b++) {
        float d = f16_at(b->d);
        for (int i = 0; i < 32; i++)
            dst[i] = (float)b->qs[i] * d;
    }
}

/* Integers and doubles become the nearest float. */
static void decode_i8(const void *src, size_t n, float *dst)
{
    const int8_t *s = src;
    for (size_t i = 0; i < n; i++)
        dst[i] = (float)s[i];
}

static void decode_i16(const void *src, size_t n, float *dst)
{
    const uint8_t *s = src;
    for (size_t i = 0; i < n; i++)
        dst[i] = (float)(int16_t)block_u16(s + 2 * i);
}

static void decode_i32(const void *src, size_t n, float *dst)
{
    const uint8_t *s = src;
    for (size_t i = 0; i < n; i++)
        dst[i] = (float)(int32_t)block_u32(s + 4 * i);
}

static uint64_t u64_at(const uint8_t *s)
{
    return block_u32(s) | (uint64_t)block_u32(s + 4) << 32;
}

static void decode_i64(const void *src, size_t n, float *dst)
{
    const uint8_t *s = src;
    for (size_t i = 0; i < n; i++)
        dst[i] = (float)(int64_t)u64_at(s + 8 * i);
}

static void decode_f64(const void *src, size_t n, float *dst)
{
    const uint8_t *s = src;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = u64_at(s + 8 * i);
        double x;
        memcpy(&x, &bits, sizeof x);
        dst[i] = (float)x;
    }
}

static const quant_decode_fn decoders[QUANT_TYPE_COUNT] = {
    [QUANT_F32] = decode_f32,
    [QUANT_F16] = decode_f16,
    [QUANT_BF16] = decode_bf16,
    [QUANT_Q4_0] = decode_q4_0,
    [QUANT_Q4_1] = decode_q4_1,
    [QUANT_Q5_0] = decode_q5_0,
    [QUANT_Q5_1] = decode_q5_1,
    [QUANT_Q8_0] = decode_q8_0,
    [QUANT_Q4_K] = decode_q4_k,
    [QUANT_Q5_K] = decode_q5_k,
    [QUANT_Q6_K] = decode_q6_k,
    [QUANT_Q2_K] = decode_q2_k,
    [QUANT_Q3_K] = decode_q3_k,
    [QUANT_Q8_K] = decode_q8_k,
    [QUANT_Q1_0] = decode_q1_0,
    [QUANT_Q2_0] = decode_q2_0,
    [QUANT_IQ4_NL] = decode_iq4_nl,
    [QUANT_IQ4_XS] = decode_iq4_xs,
    [QUANT_MXFP4] = decode_mxfp4,
    [QUANT_NVFP4] = decode_nvfp4,
    [QUANT_TQ1_0] = decode_tq1_0,
    [QUANT_TQ2_0] = decode_tq2_0,
    [QUANT_Q8_1] = decode_q8_1,
    [QUANT_I8] = decode_i8,
    [QUANT_I16] = decode_i16,
    [QUANT_I32] = decode_i32,
    [QUANT_I64] = decode_i64,
    [QUANT_F64] = decode_f64,
    [QUANT_IQ2_XXS] = quant_decode_iq2_xxs,
    [QUANT_IQ2_XS] = quant_decode_iq2_xs,
    [QUANT_IQ2_S] = quant_decode_iq2_s,
    [QUANT_IQ3_XXS] = quant_decode_iq3_xxs,
    [QUANT_IQ3_S] = quant_decode_iq3_s,
    [QUANT_IQ1_S] = quant_decode_iq1_s,
    [QUANT_IQ1_M] = quant_decode_iq1_m,
};

quant_decode_fn quant_decoder(uint32_t type)
{
    return type < QUANT_TYPE_COUNT ? decoders[type] : NULL;
}
