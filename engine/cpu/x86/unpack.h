/* SPDX-License-Identifier: GPL-3.0-or-later */
/* unpack.h - one block taken apart into small signed integers with a scale per 16 of them, for the
 * types that have no kernels of their own: unpack_TYPE(block, codes, scales, minima). Weight i =
 * scale[i / 16] · q[i] − min[i / 16]; types without minima leave them alone. Layouts as in
 * cpu/unpack_c.c. */
#pragma once

#include "cpu/x86/quant_rows.h"
#include "quant/grids.h"

INLINE void put_32(int8_t *q, __m256i codes)
{
    _mm256_storeu_si256((void *)q, codes);
}

INLINE void put_16(int8_t *q, __m128i codes)
{
    _mm_storeu_si128((void *)q, codes);
}

INLINE __m256i load_32(const void *p)
{
    return _mm256_loadu_si256(p);
}

INLINE void same_scales(float *scale, size_t n, float x)
{
    for (size_t i = 0; i < n; i++)
        scale[i] = x;
}

/* Sixteen small integers times d. */
INLINE void scales_of_bytes(float *scale, __m128i bytes, float d)
{
    __m256 by = _mm256_set1_ps(d);
    __m256i first = _mm256_cvtepi8_epi32(bytes);
    __m256i second = _mm256_cvtepi8_epi32(_mm_srli_si128(bytes, 8));
    _mm256_storeu_ps(scale, _mm256_mul_ps(_mm256_cvtepi32_ps(first), by));
    _mm256_storeu_ps(scale + 8, _mm256_mul_ps(_mm256_cvtepi32_ps(second), by));
}

/* ---- two and three bits ---- */

/* Crumb `row` of each of 32 bytes. */
INLINE __m256i crumbs(__m256i bytes, const int row)
{
    return _mm256_and_si256(_mm256_srli_epi16(bytes, 2 * row), _mm256_set1_epi8(3));
}

INLINE void unpack_q2_k(const uint8_t *w, int8_t *q, float *scale, float *min)
{
    const struct block_q2_k *b = (const void *)w;
    const __m128i low = _mm_set1_epi8(15);
    __m128i packed = _mm_loadu_si128((const void *)b->scales);

    scales_of_bytes(scale, _mm_and_si128(packed, low), load_f16(b->d));
    scales_of_bytes(min, _mm_and_si128(_mm_srli_epi16(packed, 4), low), load_f16(b->dmin));
#pragma GCC unroll 2
    for (int half = 0; half < 2; half++) {
        __m256i bytes = load_32(b->qs + 32 * half);
#pragma GCC unroll 4
        for (int row = 0; row < 4; row++)
            put_32(q + 128 * half + 32 * row, crumbs(bytes, row));
    }
}

INLINE void unpack_q3_k(const uint8_t *w, int8_t *q, float *scale, float *min)
{
    const struct block_q3_k *b = (const void *)w;
    const __m256i hmask = load_32(b->hmask), four = _mm256_set1_epi8(4);

    (void)min;
    scales_of_bytes(scale, unpack_scales_q3_k(b->scales), load_f16(b->d));
#pragma GCC unroll 2
    for (int half = 0; half < 2; half++) {
        __m256i bytes = load_32(b->qs + 32 * half);
#pragma GCC unroll 4
        for (int row = 0; row < 4; row++) {
            __m256i bit = _mm256_set1_epi8((char)(1 << (4 * half + row)));
            __m256i clear = _mm256_cmpeq_epi8(_mm256_and_si256(hmask, bit), _mm256_setzero_si256());
            put_32(q + 128 * half + 32 * row,
                   _mm256_sub_epi8(crumbs(bytes, row), _mm256_and_si256(clear, four)));
        }
    }
}

INLINE void unpack_tq2_0(const uint8_t *w, int8_t *q, float *scale, float *min)
{
    const struct block_tq2_0 *b = (const void *)w;
    const __m256i one = _mm256_set1_epi8(1);

    (void)min;
    same_scales(scale, 16, load_f16(b->d));
#pragma GCC unroll 2
    for (int half = 0; half < 2; half++) {
        __m256i bytes = load_32(b->qs + 32 * half);
#pragma GCC unroll 4
        for (int row = 0; row < 4; row++)
            put_32(q + 128 * half + 32 * row, _mm256_sub_epi8(crumbs(bytes, row), one));
    }
}

/* A base-3 digit is the whole part of byte · 3 / 256; what is left is byte · 3. Less one. */
INLINE __m256i trits(__m256i bytes)
{
    __m256i one = _mm256_cmpeq_epi8(_mm256_max_epu8(bytes, _mm256_set1_epi8(86)), bytes);
    __m256i two = _mm256_cmpeq_epi8(_mm256_max_epu8(bytes, _mm256_set1_epi8((char)171)), bytes);
    return _mm256_sub_epi8(_mm256_sub_epi8(_mm256_set1_epi8(-1), one), two);
}

INLINE __m256i thrice(__m256i bytes)
{
    return _mm256_add_epi8(bytes, _mm256_add_epi8(bytes, bytes));
}

INLINE void unpack_tq1_0(const uint8_t *w, int8_t *q, float *scale, float *min)
{
    const struct block_tq1_0 *b = (const void *)w;
    __m256i bytes = load_32(b->qs);
    __m256i more = _mm256_castsi128_si256(_mm_loadu_si128((const void *)(b->qs + 32)));

    (void)min;
    same_scales(scale, 16, load_f16(b->d));
#pragma GCC unroll 5
    for (int i = 0; i < 5; i++) {
        put_32(q + 32 * i, trits(bytes));
        put_16(q + 160 + 16 * i, _mm256_castsi256_si128(trits(more)));
        bytes = thrice(bytes);
        more = thrice(more);
    }
    /* Of four bytes: once, times 3, times 9, times 27. */
    __m256i first = _mm256_set1_epi32((int)load_u32(b->qh)), second = thrice(first);
    __m256i third = thrice(second), fourth = thrice(third);
    __m256i all = _mm256_blend_epi32(_mm256_blend_epi32(first, second, 2),
                                     _mm256_blend_epi32(third, fourth, 8), 12);
    put_16(q + 240, _mm256_castsi256_si128(trits(all)));
}

/* ---- one bit, and two in the order of the elements ---- */

/* Bit i of 32, alone in byte i, at its place among the byte's eight. */
INLINE __m256i bits_of(uint32_t bits)
{
    const __m256i spread = _mm256_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2,
                                            2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3);
    const __m256i each = _mm256_set1_epi64x((long long)0x8040201008040201);
    return _mm256_and_si256(_mm256_shuffle_epi8(_mm256_set1_epi32((int)bits), spread), each);
}

INLINE void unpack_q1_0(const uint8_t *w, int8_t *q, float *scale, float *min)
{
    const struct block_q1_0 *b = (const void *)w;

    (void)min;
    same_scales(scale, 8, load_f16(b->d));
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++) {
        __m256i bits = bits_of(load_u32(b->qs + 4 * i));
        __m256i clear = _mm256_cmpeq_epi8(bits, _mm256_setzero_si256());
        put_32(q + 32 * i, _mm256_or_si256(clear, _mm256_set1_epi8(1)));
    }
}

INLINE void unpack_q2_0(const uint8_t *w, int8_t *q, float *scale, float *min)
{
    const struct block_q2_0 *b = (const void *)w;
    const __m128i three = _mm_set1_epi8(3), one = _mm_set1_epi8(1);
    __m128i bytes = _mm_loadu_si128((const void *)b->qs), code[4];

    (void)min;
    same_scales(scale, 4, load_f16(b->d));
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        code[i] = _mm_sub_epi8(_mm_and_si128(_mm_srli_epi16(bytes, 2 * i), three), one);
    __m128i low01 = _mm_unpacklo_epi8(code[0], code[1]);
    __m128i low23 = _mm_unpacklo_epi8(code[2], code[3]);
    __m128i high01 = _mm_unpackhi_epi8(code[0], code[1]);
    __m128i high23 = _mm_unpackhi_epi8(code[2], code[3]);
    put_16(q, _mm_unpacklo_epi16(low01, low23));
    put_16(q + 16, _mm_unpackhi_epi16(low01, low23));
    put_16(q + 32, _mm_unpacklo_epi16(high01, high23));
    put_16(q + 48, _mm_unpackhi_epi16(high01, high23));
}

/* ---- tables of 16 values ---- */

/* 16 bytes: what the lower nibbles stand for, then the upper ones. */
INLINE void look_up(const int8_t values[16], const uint8_t qs[16], int8_t *q)
{
    const __m128i table = _mm_loadu_si128((const void *)values), low = _mm_set1_epi8(15);
    __m128i bytes = _mm_loadu_si128((const void *)qs);
    put_16(q, _mm_shuffle_epi8(table, _mm_and_si128(bytes, low)));
    put_16(q + 16, _mm_shuffle_epi8(table, _mm_and_si128(_mm_srli_epi16(bytes, 4), low)));
}

INLINE void unpack_iq4_nl(const uint8_t *w, int8_t *q, float *scale, float *min)
{
    const struct block_iq4_nl *b = (const void *)w;
    (void)min;
    same_scales(scale, 2, load_f16(b->d));
    look_up(quant_iq4_values, b->qs, q);
}

INLINE void unpack_mxfp4(const uint8_t *w, int8_t *q, float *scale, float *min)
{
    const struct block_mxfp4 *b = (const void *)w;
    uint32_t bits = quant_half_e8m0_bits(b->e);
    float d;
    memcpy(&d, &bits, sizeof d);
    (void)min;
    same_scales(scale, 2, d);
    look_up(quant_fp4_values, b->qs, q);
}

INLINE void unpack_iq4_xs(const uint8_t *w, int8_t *q, float *scale, float *min)
{
    const struct block_iq4_xs *b = (const void *)w;
    __m256 d = _mm256_set1_ps(load_f16(b->d));
    float each[8];

    (void)min;
    _mm256_storeu_ps(each, _mm256_mul_ps(_mm256_cvtepi32_ps(unpack_scales_iq4_xs(b)), d));
#pragma GCC unroll 8
    for (int c = 0; c < 8; c++) {
        same_scales(scale + 2 * c, 2, each[c]);
        look_up(quant_iq4_values, b->qs + 16 * c, q + 32 * c);
    }
}

INLINE void unpack_nvfp4(const uint8_t *w, int8_t *q, float *scale, float *min)
{
    const struct block_nvfp4 *b = (const void *)w;
    const __m128i table = _mm_loadu_si128((const void *)quant_fp4_values), low = _mm_set1_epi8(15);

    (void)min;
#pragma GCC unroll 4
    for (int s = 0; s < 4; s++) {
        __m128i bytes = _mm_loadl_epi64((const void *)(b->qs + 8 * s));
        __m128i codes = _mm_unpacklo_epi64(bytes, _mm_srli_epi16(bytes, 4));
        put_16(q + 16 * s, _mm_shuffle_epi8(table, _mm_and_si128(codes, low)));
        scale[s] = quant_half_ue4m3(b->d[s]);
    }
}

/* ---- grids ---- */

/* Two rows of 8. */
INLINE __m128i two_rows(const int8_t *first, const int8_t *second)
{
    __m128i rows = _mm_loadl_epi64((const void *)first);
    return _mm_castps_si128(_mm_loadh_pi(_mm_castsi128_ps(rows), (const void *)second));
}

/* Four rows of 4. */
INLINE __m128i four_rows(const int8_t *a, const int8_t *b, const int8_t *c, const int8_t *d)
{
    return _mm_setr_epi32((int)load_u32(a), (int)load_u32(b), (int)load_u32(c), (int)load_u32(d));
}

/* 32 elements, negated where bits of `signs` are set. */
INLINE __m256i with_signs(__m128i low, __m128i high, uint32_t signs)
{
    __m256i rows = _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
#if KERN_512
    return _mm256_mask_sub_epi8(rows, signs, _mm256_setzero_si256(), rows);
#else
    /* 0 where a bit is set, all ones elsewhere: −x = ~x + 1. */
    __m256i kept = _mm256_cmpeq_epi8(bits_of(signs), _mm256_setzero_si256());
    __m256i flip = _mm256_xor_si256(kept, _mm256_set1_epi8(-1));
    return _mm256_sub_epi8(_mm256_xor_si256(rows, flip), flip);
#endif
}

/* Four times seven stored signs; each eighth makes their number even. */
INLINE uint32_t even_signs(uint32_t a)
{
    uint32_t signs = (a & 0x7F) | (a << 1 & 0x7F00) | (a << 2 & 0x7F0000) | (a << 3 & 0x7F000000);
    uint32_t odd = signs ^ signs >> 4;
    odd ^= odd >> 2;
    odd ^= odd >> 1;
    return signs | (odd & 0x01010101) << 7;
}

INLINE void unpack_iq2_xxs(const uint8_t *w, int8_t *q, float *scale, float *min)
{
    const struct block_iq2_xxs *b = (const void *)w;
    const float d = load_f16(b->d) * 0.25f;

    (void)min;
    for (int c = 0; c < 8; c++) {
        const uint8_t *at = b->qs + 8 * c;
        uint32_t a = load_u32(at + 4);
        same_scales(scale + 2 * c, 2, d * (0.5f + (float)(int)(a >> 28)));
        put_32(q + 32 * c, with_signs(two_rows(quant_iq2xxs_grid[at[0]], quant_iq2xxs_grid[at[1]]),
                                      two_rows(quant_iq2xxs_grid[at[2]], quant_iq2xxs_grid[at[3]]),
                                      even_signs(a)));
    }
}

/* Scales of 16 elements, a nibble each: d · (½ + s) / 4. */
INLINE void iq2_scales(float *scale, const uint8_t d[2], const uint8_t packed[8])
{
    const __m128i low = _mm_set1_epi8(15), one = _mm_set1_epi8(1);
    __m128i bytes = _mm_loadl_epi64((const void *)packed);
    __m128i s =
        _mm_unpacklo_epi8(_mm_and_si128(bytes, low), _mm_and_si128(_mm_srli_epi16(bytes, 4), low));
    /* (2·s + 1) · d / 8, the same number */
    scales_of_bytes(scale, _mm_add_epi8(_mm_add_epi8(s, s), one), load_f16(d) * 0.125f);
}

INLINE void unpack_iq2_xs(const uint8_t *w, int8_t *q, float *scale, float *min)
{
    const struct block_iq2_xs *b = (const void *)w;

    (void)min;
    iq2_scales(scale, b->d, b->scales);
    for (int c = 0; c < 8; c++) {
        const uint8_t *at = b->qs + 8 * c;
        uint32_t w0 = block_u16(at), w1 = block_u16(at + 2);
        uint32_t w2 = block_u16(at + 4), w3 = block_u16(at + 6);
        uint32_t signs = w0 >> 9 | (w1 >> 9) << 7 | (w2 >> 9) << 14 | (w3 >> 9) << 21;
        put_32(q + 32 * c,
               with_signs(two_rows(quant_iq2xs_grid[w0 & 511], quant_iq2xs_grid[w1 & 511]),
                          two_rows(quant_iq2xs_grid[w2 & 511], quant_iq2xs_grid[w3 & 511]),
                          even_signs(signs)));
    }
}

INLINE void unpack_iq2_s(const uint8_t *w, int8_t *q, float *scale, float *min)
{
    const struct block_iq2_s *b = (const void *)w;

    (void)min;
    iq2_scales(scale, b->d, b->scales);
    for (int c = 0; c < 8; c++) {
        const uint8_t *at = b->qs + 4 * c;
        unsigned h = b->qh[c];
        const int8_t *r0 = quant_iq2s_grid[at[0] | (h << 8 & 0x300)];
        const int8_t *r1 = quant_iq2s_grid[at[1] | (h << 6 & 0x300)];
        const int8_t *r2 = quant_iq2s_grid[at[2] | (h << 4 & 0x300)];
        const int8_t *r3 = quant_iq2s_grid[at[3] | (h << 2 & 0x300)];
        put_32(q + 32 * c,
               with_signs(two_rows(r0, r1), two_rows(r2, r3), load_u32(b->signs + 4 * c)));
    }
}

INLINE void unpack_iq3_xxs(const uint8_t *w, int8_t *q, float *scale, float *min)
{
    const struct block_iq3_xxs *b = (const void *)w;
    const float d = load_f16(b->d) * 0.5f;

    (void)min;
    for (int c = 0; c < 8; c++) {
        const uint8_t *at = b->qs + 8 * c;
        const int8_t(*grid)[4] = quant_iq3xxs_grid;
        uint32_t a = load_u32(b->scales_signs + 4 * c);
        same_scales(scale + 2 * c, 2, d * (0.5f + (float)(int)(a >> 28)));
        put_32(q + 32 * c, with_signs(four_rows(grid[at[0]], grid[at[1]], grid[at[2]], grid[at[3]]),
                                      four_rows(grid[at[4]], grid[at[5]], grid[at[6]], grid[at[7]]),
                                      even_signs(a)));
    }
}

INLINE void unpack_iq3_s(const uint8_t *w, int8_t *q, float *scale, float *min)
{
    const struct block_iq3_s *b = (const void *)w;
    const float d = load_f16(b->d);

    (void)min;
    for (int c = 0; c < 8; c++) {
        const uint8_t *at = b->qs + 8 * c;
        unsigned h = b->qh[c], s = b->scales[c / 2] >> 4 * (c % 2) & 15u;
#define ROW(l) quant_iq3s_grid[at[l] | (h << (8 - (l)) & 0x100)]
        same_scales(scale + 2 * c, 2, d * (float)(int)(1 + 2 * s));
        put_32(q + 32 * c,
               with_signs(four_rows(ROW(0), ROW(1), ROW(2), ROW(3)),
                          four_rows(ROW(4), ROW(5), ROW(6), ROW(7)), load_u32(b->signs + 4 * c)));
#undef ROW
    }
}

/* −1, 0 and 1, shifted by an eighth up or, where `down` has all bits, down: eight times that. */
INLINE void put_shifted(int8_t *q, __m128i rows, __m128i down)
{
    __m128i eight = _mm_and_si128(_mm_slli_epi16(rows, 3), _mm_set1_epi8((char)0xF8));
    put_16(q, _mm_add_epi8(eight, _mm_or_si128(down, _mm_set1_epi8(1))));
}

INLINE void unpack_iq1_s(const uint8_t *w, int8_t *q, float *scale, float *min)
{
    const struct block_iq1_s *b = (const void *)w;
    const float d = load_f16(b->d) * 0.125f;

    (void)min;
    for (int c = 0; c < 8; c++) {
        const uint8_t *at = b->qs + 4 * c;
        unsigned h = block_u16(b->qh + 2 * c);
        __m128i down = _mm_set1_epi8(h & 0x8000 ? -1 : 0);
        const int8_t *r0 = quant_iq1s_grid[at[0] | (h << 8 & 0x700)];
        const int8_t *r1 = quant_iq1s_grid[at[1] | (h << 5 & 0x700)];
        const int8_t *r2 = quant_iq1s_grid[at[2] | (h << 2 & 0x700)];
        const int8_t *r3 = quant_iq1s_grid[at[3] | (h >> 1 & 0x700)];
        same_scales(scale + 2 * c, 2, d * (float)(int)(2 * (h >> 12 & 7) + 1));
        put_shifted(q + 32 * c, two_rows(r0, r1), down);
        put_shifted(q + 32 * c + 16, two_rows(r2, r3), down);
    }
}

INLINE void unpack_iq1_m(const uint8_t *w, int8_t *q, float *scale, float *min)
{
    const struct block_iq1_m *b = (const void *)w;
    /* The top nibbles of four words. */
    uint16_t bits = (uint16_t)(b->scales[1] >> 4 | (b->scales[3] & 0xF0) |
                               (b->scales[5] & 0xF0) << 4 | (b->scales[7] & 0xF0) << 8);
    const float d = _cvtsh_ss(bits) * 0.125f;

    (void)min;
    for (int g = 0; g < 16; g++) {
        unsigned s = block_u16(b->scales + 2 * (g / 4)) >> 3 * (g % 4) & 7u, h = b->qh[g];
        const int8_t *r0 = quant_iq1s_grid[b->qs[2 * g] | (h << 8 & 0x700)];
        const int8_t *r1 = quant_iq1s_grid[b->qs[2 * g + 1] | (h << 4 & 0x700)];
        __m128i down = _mm_set_epi64x(h & 0x80 ? -1 : 0, h & 8 ? -1 : 0);
        scale[g] = d * (float)(int)(2 * s + 1);
        put_shifted(q + 16 * g, two_rows(r0, r1), down);
    }
}
