/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scalar decoders' arithmetic, operation by operation, for vectors: first sixteen codes in
 * their order, then one step from codes to floats. Compiled once per instruction set, and used
 * where memory is little-endian. The build turns contraction to fused operations off, so the
 * results are the same bits. */
#include "quant/fast_decode.h"

#include "quant/blocks.h"
#include "quant/decode.h"
#include "quant/grids.h"
#include "quant/vectors.h"

/* A decoder over blocks of a type: `b` is the block, `y` where its values go. */
#define DECODER(name, block, length)                                                               \
    INLINE void name##_one(const struct block *b, float *restrict y);                              \
    static void name(const void *src, size_t n, float *dst)                                        \
    {                                                                                              \
        const struct block *b = src;                                                               \
        for (size_t i = 0; i < n; i += (length), b++)                                              \
            name##_one(b, dst + i);                                                                \
    }                                                                                              \
    INLINE void name##_one(const struct block *b, float *restrict y)

/* ---- plain types ---- */

static void fast_f32(const void *src, size_t n, float *dst)
{
    memcpy(dst, src, n * sizeof *dst);
}

static void fast_f16(const void *src, size_t n, float *dst)
{
    const uint8_t *s = src;
    size_t i = 0;

    for (; i + LANES <= n; i += LANES)
        store(dst + i, widen_halves(s + 2 * i));
    for (; i < n; i++)
        dst[i] = half_at(s + 2 * i);
}

static void fast_bf16(const void *src, size_t n, float *restrict dst)
{
    const uint8_t *restrict s = src;

    for (size_t i = 0; i < n; i++) {
        uint16_t bits;
        memcpy(&bits, s + 2 * i, sizeof bits);
        uint32_t wide = (uint32_t)bits << 16;
        memcpy(dst + i, &wide, sizeof wide);
    }
}

static void fast_i8(const void *src, size_t n, float *dst)
{
    const int8_t *s = src;
    size_t i = 0;

    for (; i + 16 <= n; i += 16)
        for (unsigned k = 0; k < 16 / LANES; k++)
            store(dst + i + LANES * k, widen((codes)load(s + i), k));
    for (; i < n; i++)
        dst[i] = (float)s[i];
}

/* ---- blocks of 32: element j is the low nibble of byte j, element j + 16 the high one ---- */

DECODER(fast_q4_0, block_q4_0, 32)
{
    bytes v = load(b->qs);
    float d = half_at(b->d);
    times(y, (codes)(v & 15) - 8, d);
    times(y + 16, (codes)(v >> 4) - 8, d);
}

DECODER(fast_q4_1, block_q4_1, 32)
{
    bytes v = load(b->qs);
    float d = half_at(b->d), m = half_at(b->m);
    times_plus(y, (codes)(v & 15), d, m);
    times_plus(y + 16, (codes)(v >> 4), d, m);
}

DECODER(fast_q5_0, block_q5_0, 32)
{
    bytes v = load(b->qs);
    float d = half_at(b->d);
    times(y, (codes)((v & 15) | (spread_bits(block_u16(b->qh)) & 16)) - 16, d);
    times(y + 16, (codes)(v >> 4 | (spread_bits(block_u16(b->qh + 2)) & 16)) - 16, d);
}

DECODER(fast_q5_1, block_q5_1, 32)
{
    bytes v = load(b->qs);
    float d = half_at(b->d), m = half_at(b->m);
    times_plus(y, (codes)((v & 15) | (spread_bits(block_u16(b->qh)) & 16)), d, m);
    times_plus(y + 16, (codes)(v >> 4 | (spread_bits(block_u16(b->qh + 2)) & 16)), d, m);
}

DECODER(fast_q8_0, block_q8_0, 32)
{
    float d = half_at(b->d);
    times(y, (codes)load(b->qs), d);
    times(y + 16, (codes)load(b->qs + 16), d);
}

DECODER(fast_q8_1, block_q8_1, 32)
{
    float d = half_at(b->d);
    times(y, (codes)load(b->qs), d);
    times(y + 16, (codes)load(b->qs + 16), d);
}

DECODER(fast_q1_0, block_q1_0, 128)
{
    float d = half_at(b->d);
    /* −1 or 1: minus what a set bit spreads to, which is −1, twice. */
    for (unsigned j = 0; j < 8; j++)
        times(y + 16 * j, -1 - 2 * (codes)spread_bits(block_u16(b->qs + 2 * j)), d);
}

DECODER(fast_q2_0, block_q2_0, 64)
{
    float d = half_at(b->d);

    for (unsigned j = 0; j < 16; j += 2) {
        uint32_t pair = block_u16(b->qs + j);
        for (unsigned k = 0; k < 8; k++)
            y[4 * j + k] = (float)((int32_t)(pair >> 2 * k & 3) - 1) * d;
    }
}

#ifdef HAS_LOOK_UP
DECODER(fast_iq4_nl, block_iq4_nl, 32)
{
    bytes v = load(b->qs);
    float d = half_at(b->d);
    times(y, look_up(v & 15, quant_iq4_values), d);
    times(y + 16, look_up(v >> 4, quant_iq4_values), d);
}

DECODER(fast_iq4_xs, block_iq4_xs, 256)
{
    float d = half_at(b->d);
    unsigned scales_h = block_u16(b->scales_h);

    for (unsigned c = 0; c < 8; c++) {
        int low = b->scales_l[c / 2] >> 4 * (c % 2) & 15;
        int high = (int)(scales_h >> 2 * c & 3);
        float scale = d * (float)((low | high << 4) - 32);
        bytes v = load(b->qs + 16 * c);
        times(y + 32 * c, look_up(v & 15, quant_iq4_values), scale);
        times(y + 32 * c + 16, look_up(v >> 4, quant_iq4_values), scale);
    }
}

DECODER(fast_mxfp4, block_mxfp4, 32)
{
    bytes v = load(b->qs);
    float d = quant_half_e8m0(b->e);
    times(y, look_up(v & 15, quant_fp4_values), d);
    times(y + 16, look_up(v >> 4, quant_fp4_values), d);
}

DECODER(fast_nvfp4, block_nvfp4, 64)
{
    for (unsigned s = 0; s < 4; s++) {
        /* Eight bytes: their low nibbles, then their high ones. */
        uint64_t eight;
        memcpy(&eight, b->qs + 8 * s, sizeof eight);
        bytes v = two_eights(eight, eight >> 4) & 15;
        times(y + 16 * s, look_up(v, quant_fp4_values), quant_half_ue4m3(b->d[s]));
    }
}
#endif

/* ---- blocks of 256 ---- */

DECODER(fast_q8_k, block_q8_k, 256)
{
    uint32_t bits = block_u32(b->d);
    float d;

    memcpy(&d, &bits, sizeof d);
    for (unsigned i = 0; i < 256; i += 16)
        times(y + i, (codes)load(b->qs + i), d);
}

DECODER(fast_q4_k, block_q4_k, 256)
{
    float d = half_at(b->d), dmin = half_at(b->dmin);

    for (unsigned j = 0; j < 8; j++) {
        bytes low = load(b->qs + 32 * (j / 2)), high = load(b->qs + 32 * (j / 2) + 16);
        uint8_t scale, min;
        quant_scale_min(b->scales, j, &scale, &min);
        float s = d * scale, m = dmin * min;
        times_minus(y + 32 * j, (codes)(j & 1 ? low >> 4 : low & 15), s, m);
        times_minus(y + 32 * j + 16, (codes)(j & 1 ? high >> 4 : high & 15), s, m);
    }
}

DECODER(fast_q5_k, block_q5_k, 256)
{
    float d = half_at(b->d), dmin = half_at(b->dmin);
    bytes fifth[2] = { load(b->qh), load(b->qh + 16) };

    for (unsigned j = 0; j < 8; j++) {
        uint8_t scale, min;
        quant_scale_min(b->scales, j, &scale, &min);
        float s = d * scale, m = dmin * min;
        for (unsigned k = 0; k < 2; k++) {
            bytes v = load(b->qs + 32 * (j / 2) + 16 * k);
            v = (j & 1 ? v >> 4 : v & 15) | (fifth[k] >> (uint8_t)j & 1) << 4;
            times_minus(y + 32 * j + 16 * k, (codes)v, s, m);
        }
    }
}

DECODER(fast_q6_k, block_q6_k, 256)
{
    float d = half_at(b->d);

    for (unsigned g = 0; g < 16; g++) {
        /* Half of the block, row of 32 in it, half of the row. */
        unsigned half = g / 8, k = g / 2 % 4, l = 16 * (g % 2);
        bytes low = load(b->ql + 64 * half + 32 * (k & 1) + l);
        bytes high = load(b->qh + 32 * half + l);
        low = k / 2 ? low >> 4 : low & 15;
        high = (high >> (uint8_t)(2 * k) & 3) << 4;
        times(y + 16 * g, (codes)(low | high) - 32, d * (float)b->scales[g]);
    }
}

/* Sixteen 2-bit codes where 32 bytes hold four rows of 32. */
INLINE bytes crumbs(const uint8_t qs[64], unsigned g)
{
    return load(qs + 32 * (g / 8) + 16 * (g % 2)) >> (uint8_t)(2 * (g / 2 % 4)) & 3;
}

DECODER(fast_q2_k, block_q2_k, 256)
{
    float d = half_at(b->d), dmin = half_at(b->dmin);

    for (unsigned g = 0; g < 16; g++)
        times_minus(y + 16 * g, (codes)crumbs(b->qs, g), d * (float)(b->scales[g] & 15),
                    dmin * (float)(b->scales[g] >> 4));
}

DECODER(fast_q3_k, block_q3_k, 256)
{
    float d = half_at(b->d);

    for (unsigned g = 0; g < 16; g++) {
        int low = b->scales[g % 8] >> 4 * (g / 8) & 15;
        int high = b->scales[8 + g % 4] >> 2 * (g / 4) & 3;
        bytes third = load(b->hmask + 16 * (g % 2)) >> (uint8_t)(g / 2) & 1;
        times(y + 16 * g, (codes)(crumbs(b->qs, g) | third << 2) - 4,
              d * (float)((low | high << 4) - 32));
    }
}

DECODER(fast_tq2_0, block_tq2_0, 256)
{
    float d = half_at(b->d);

    for (unsigned g = 0; g < 16; g++)
        times(y + 16 * g, (codes)crumbs(b->qs, g) - 1, d);
}

/* Base-3 digit of x, that is x · 3 / 256, less one. */
INLINE codes trits(bytes x)
{
    return -1 - (codes)(x > 85) - (codes)(x > 170);
}

DECODER(fast_tq1_0, block_tq1_0, 256)
{
    static const uint8_t last[16] = { 1, 1, 1, 1, 3, 3, 3, 3, 9, 9, 9, 9, 27, 27, 27, 27 };
    float d = half_at(b->d);
    bytes first[2] = { load(b->qs), load(b->qs + 16) }, second = load(b->qs + 32);

    for (unsigned k = 0; k < 5; k++) {
        times(y + 32 * k, trits(first[0]), d);
        times(y + 32 * k + 16, trits(first[1]), d);
        times(y + 160 + 16 * k, trits(second), d);
        first[0] *= 3;
        first[1] *= 3;
        second *= 3;
    }
    uint64_t four = block_u32(b->qh) * UINT64_C(0x100000001);
    times(y + 240, trits(two_eights(four, four) * load(last)), d);
}

/* ---- rows of grids, two of eight or four of four at once ---- */

INLINE bytes two_rows(const int8_t first[8], const int8_t second[8])
{
    uint64_t a, b;
    memcpy(&a, first, sizeof a);
    memcpy(&b, second, sizeof b);
    return two_eights(a, b);
}

INLINE bytes four_rows(const int8_t rows[][4], unsigned a, unsigned b, unsigned c, unsigned d)
{
    uint32_t x[4];
    memcpy(&x[0], rows[a], 4);
    memcpy(&x[1], rows[b], 4);
    memcpy(&x[2], rows[c], 4);
    memcpy(&x[3], rows[d], 4);
    return two_eights(x[0] | (uint64_t)x[1] << 32, x[2] | (uint64_t)x[3] << 32);
}

/* Where a sign is set the level is turned: no grid holds a zero, whose sign would be lost. */
INLINE void times_signed(float *y, bytes row, unsigned signs, float s)
{
    codes turned = (codes)spread_bits(signs);
    times(y, ((codes)row ^ turned) - turned, s);
}

DECODER(fast_iq2_xxs, block_iq2_xxs, 256)
{
    float d = half_at(b->d);

    for (unsigned c = 0; c < 8; c++) {
        const uint8_t *q = b->qs + 8 * c;
        uint32_t a = block_u32(q + 4);
        float scale = d * (0.5f + (float)(a >> 28)) * 0.25f;
        for (unsigned l = 0; l < 4; l += 2)
            times_signed(
                y + 32 * c + 8 * l, two_rows(quant_iq2xxs_grid[q[l]], quant_iq2xxs_grid[q[l + 1]]),
                quant_even_signs(a >> 7 * l & 127) | quant_even_signs(a >> 7 * (l + 1) & 127) << 8,
                scale);
    }
}

DECODER(fast_iq2_xs, block_iq2_xs, 256)
{
    float d = half_at(b->d);

    for (unsigned g = 0; g < 32; g += 2) {
        unsigned v = block_u16(b->qs + 2 * g), w = block_u16(b->qs + 2 * g + 2);
        float scale = d * (0.5f + (float)(b->scales[g / 4] >> 4 * (g / 2 % 2) & 15)) * 0.25f;
        times_signed(y + 8 * g, two_rows(quant_iq2xs_grid[v & 511], quant_iq2xs_grid[w & 511]),
                     quant_even_signs(v >> 9) | quant_even_signs(w >> 9) << 8, scale);
    }
}

DECODER(fast_iq2_s, block_iq2_s, 256)
{
    float d = half_at(b->d);

    for (unsigned g = 0; g < 32; g += 2) {
        unsigned high = b->qh[g / 4] >> 2 * (g % 4);
        float scale = d * (0.5f + (float)(b->scales[g / 4] >> 4 * (g / 2 % 2) & 15)) * 0.25f;
        times_signed(y + 8 * g,
                     two_rows(quant_iq2s_grid[b->qs[g] | (high & 3) << 8],
                              quant_iq2s_grid[b->qs[g + 1] | (high >> 2 & 3) << 8]),
                     block_u16(b->signs + g), scale);
    }
}

DECODER(fast_iq3_xxs, block_iq3_xxs, 256)
{
    float d = half_at(b->d);

    for (unsigned c = 0; c < 8; c++) {
        uint32_t a = block_u32(b->scales_signs + 4 * c);
        float scale = d * (0.5f + (float)(a >> 28)) * 0.5f;
        for (unsigned l = 0; l < 4; l += 2) {
            const uint8_t *q = b->qs + 8 * c + 2 * l;
            times_signed(y + 32 * c + 8 * l, four_rows(quant_iq3xxs_grid, q[0], q[1], q[2], q[3]),
                         quant_even_signs(a >> 7 * l & 127) |
                             quant_even_signs(a >> 7 * (l + 1) & 127) << 8,
                         scale);
        }
    }
}

DECODER(fast_iq3_s, block_iq3_s, 256)
{
    float d = half_at(b->d);

    for (unsigned g = 0; g < 32; g += 2) {
        unsigned high = b->qh[g / 4] >> 2 * (g % 4);
        const uint8_t *q = b->qs + 2 * g;
        float scale = d * (float)(1 + 2 * (b->scales[g / 8] >> 4 * (g / 4 % 2) & 15));
        times_signed(y + 8 * g,
                     four_rows(quant_iq3s_grid, q[0] | (high & 1) << 8, q[1] | (high & 2) << 7,
                               q[2] | (high & 4) << 6, q[3] | (high & 8) << 5),
                     block_u16(b->signs + g), scale);
    }
}

/* y = s · (q + δ), with a δ for each half */
INLINE void times_shifted(float *y, bytes row, float s, float first, float second)
{
    for (unsigned k = 0; k < 16 / LANES; k++)
        store(y + LANES * k, (widen((codes)row, k) + (k < 8 / LANES ? first : second)) * s);
}

DECODER(fast_iq1_s, block_iq1_s, 256)
{
    float d = half_at(b->d);

    for (unsigned g = 0; g < 32; g += 2) {
        unsigned h = block_u16(b->qh + 2 * (g / 4)), high = h >> 3 * (g % 4);
        float delta = h & 0x8000 ? -0.125f : 0.125f;
        times_shifted(y + 8 * g,
                      two_rows(quant_iq1s_grid[b->qs[g] | (high & 7) << 8],
                               quant_iq1s_grid[b->qs[g + 1] | (high >> 3 & 7) << 8]),
                      d * (float)(2 * (h >> 12 & 7) + 1), delta, delta);
    }
}

DECODER(fast_iq1_m, block_iq1_m, 256)
{
    float d = quant_f16_to_f32(quant_iq1_m_scale(b));

    for (unsigned k = 0; k < 16; k++) {
        unsigned n = b->qh[k];
        unsigned s = block_u16(b->scales + 2 * (k / 4)) >> 3 * (k % 4) & 7;
        times_shifted(y + 16 * k,
                      two_rows(quant_iq1s_grid[b->qs[2 * k] | (n & 7) << 8],
                               quant_iq1s_grid[b->qs[2 * k + 1] | (n >> 4 & 7) << 8]),
                      d * (float)(2 * s + 1), n & 8 ? -0.125f : 0.125f,
                      n & 0x80 ? -0.125f : 0.125f);
    }
}

#if defined(QUANT_FAST_AVX2)
#define TABLE quant_fast_avx2
#else
#define TABLE quant_fast_plain
#endif

/* Integers of more than a byte and doubles are rare in files, and left to the scalar decoders. */
const quant_decode_fn TABLE[QUANT_TYPE_COUNT] = {
    [QUANT_F32] = fast_f32,         [QUANT_F16] = fast_f16,       [QUANT_BF16] = fast_bf16,
    [QUANT_I8] = fast_i8,           [QUANT_Q4_0] = fast_q4_0,     [QUANT_Q4_1] = fast_q4_1,
    [QUANT_Q5_0] = fast_q5_0,       [QUANT_Q5_1] = fast_q5_1,     [QUANT_Q8_0] = fast_q8_0,
    [QUANT_Q8_1] = fast_q8_1,       [QUANT_Q2_K] = fast_q2_k,     [QUANT_Q3_K] = fast_q3_k,
    [QUANT_Q4_K] = fast_q4_k,       [QUANT_Q5_K] = fast_q5_k,     [QUANT_Q6_K] = fast_q6_k,
    [QUANT_Q8_K] = fast_q8_k,       [QUANT_Q1_0] = fast_q1_0,     [QUANT_Q2_0] = fast_q2_0,
    [QUANT_TQ1_0] = fast_tq1_0,     [QUANT_TQ2_0] = fast_tq2_0,
#ifdef HAS_LOOK_UP
    [QUANT_IQ4_NL] = fast_iq4_nl,   [QUANT_IQ4_XS] = fast_iq4_xs, [QUANT_MXFP4] = fast_mxfp4,
    [QUANT_NVFP4] = fast_nvfp4,
#endif
    [QUANT_IQ2_XXS] = fast_iq2_xxs, [QUANT_IQ2_XS] = fast_iq2_xs, [QUANT_IQ2_S] = fast_iq2_s,
    [QUANT_IQ3_XXS] = fast_iq3_xxs, [QUANT_IQ3_S] = fast_iq3_s,   [QUANT_IQ1_S] = fast_iq1_s,
    [QUANT_IQ1_M] = fast_iq1_m,
};
