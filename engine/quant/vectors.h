/* SPDX-License-Identifier: GPL-3.0-or-later */
/* vectors.h - sixteen codes and the floats made of them, for fast_decode.c, by whatever instruction
 * set it is compiled for. Bytes are the compiler's own vectors; what those lack is written out per
 * processor. */
#pragma once

#include <stdint.h>
#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#include "quant/blocks.h"
#include "quant/types.h"

#define INLINE static inline __attribute__((always_inline))

typedef uint8_t bytes __attribute__((vector_size(16)));
typedef int8_t codes __attribute__((vector_size(16)));

#if defined(__AVX2__)
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif
typedef float floats __attribute__((vector_size(4 * LANES)));

INLINE bytes load(const void *p)
{
    bytes v;
    memcpy(&v, p, sizeof v);
    return v;
}

INLINE void store(float *y, floats v)
{
    memcpy(y, &v, sizeof v);
}

/* Part k of the sixteen codes as floats. */
INLINE floats widen(codes q, unsigned k)
{
#if defined(__AVX2__)
    __m128i x = (__m128i)q;
    return (floats)_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(k ? _mm_unpackhi_epi64(x, x) : x));
#elif defined(__x86_64__)
    /* Each byte in the top of its 32 bits, then down with its sign. */
    __m128i x = (__m128i)q;
    __m128i w = k < 2 ? _mm_unpacklo_epi8(x, x) : _mm_unpackhi_epi8(x, x);
    w = k & 1 ? _mm_unpackhi_epi16(w, w) : _mm_unpacklo_epi16(w, w);
    return (floats)_mm_cvtepi32_ps(_mm_srai_epi32(w, 24));
#elif defined(__aarch64__)
    int8x16_t x = (int8x16_t)q;
    int16x8_t w = vmovl_s8(k < 2 ? vget_low_s8(x) : vget_high_s8(x));
    return (floats)vcvtq_f32_s32(vmovl_s16(k & 1 ? vget_high_s16(w) : vget_low_s16(w)));
#else
    floats f;
    for (unsigned i = 0; i < LANES; i++)
        f[i] = (float)q[LANES * k + i];
    return f;
#endif
}

/* y = s · q, sixteen of them */
INLINE void times(float *y, codes q, float s)
{
    for (unsigned k = 0; k < 16 / LANES; k++)
        store(y + LANES * k, widen(q, k) * s);
}

/* y = q · d + m */
INLINE void times_plus(float *y, codes q, float d, float m)
{
    for (unsigned k = 0; k < 16 / LANES; k++)
        store(y + LANES * k, widen(q, k) * d + m);
}

/* y = s · q − m */
INLINE void times_minus(float *y, codes q, float s, float m)
{
    for (unsigned k = 0; k < 16 / LANES; k++)
        store(y + LANES * k, widen(q, k) * s - m);
}

/* Sixteen bytes in the order of memory from two numbers; not through memory, which would wait for
 * the stores. */
INLINE bytes two_eights(uint64_t first, uint64_t second)
{
    typedef uint64_t numbers __attribute__((vector_size(16)));
    return (bytes)(numbers){ first, second };
}

/* 255 where a bit of sixteen is set, the lowest first; else 0. */
INLINE bytes spread_bits(unsigned bits)
{
    static const uint8_t masks[16] = { 1, 2, 4, 8, 16, 32, 64, 128, 1, 2, 4, 8, 16, 32, 64, 128 };
    bytes mask = load(masks);
    bytes all = two_eights((bits & 255) * UINT64_C(0x0101010101010101),
                           (bits >> 8 & 255) * UINT64_C(0x0101010101010101));
    return (bytes)((all & mask) == mask);
}

/* Nibbles replaced by what they stand for; needs HAS_LOOK_UP. */
#if defined(__SSSE3__)
#define HAS_LOOK_UP
INLINE codes look_up(bytes q, const int8_t table[16])
{
    return (codes)_mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)table), (__m128i)q);
}
#elif defined(__aarch64__)
#define HAS_LOOK_UP
INLINE codes look_up(bytes q, const int8_t table[16])
{
    return (codes)vqtbl1q_s8(vld1q_s8(table), (uint8x16_t)q);
}
#endif

/* Four or eight halves as floats, NaNs quiet, as quant_f16_to_f32() gives them. */
INLINE floats widen_halves(const uint8_t *s)
{
#if defined(__AVX2__)
    return (floats)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)s));
#elif defined(__x86_64__)
    __m128i h = _mm_unpacklo_epi16(_mm_loadl_epi64((const __m128i *)s), _mm_setzero_si128());
    __m128i sign = _mm_slli_epi32(_mm_and_si128(h, _mm_set1_epi32(0x8000)), 16);
    __m128i m = _mm_and_si128(h, _mm_set1_epi32(0x7FFF)), up = _mm_slli_epi32(m, 13);
    __m128i normal = _mm_add_epi32(up, _mm_set1_epi32(112 << 23));
    __m128i quiet =
        _mm_and_si128(_mm_cmpgt_epi32(m, _mm_set1_epi32(0x7C00)), _mm_set1_epi32(0x400000));
    __m128i special = _mm_or_si128(_mm_or_si128(up, quiet), _mm_set1_epi32(0x7F800000));
    /* Zero and subnormals: mantissa × 2^-24, exact in float. */
    __m128i tiny = _mm_castps_si128(_mm_mul_ps(_mm_cvtepi32_ps(m), _mm_set1_ps(0x1p-24f)));
    __m128i is_tiny = _mm_cmplt_epi32(m, _mm_set1_epi32(0x400));
    __m128i is_special = _mm_cmpgt_epi32(m, _mm_set1_epi32(0x7BFF));
    __m128i x = _mm_or_si128(_mm_and_si128(is_tiny, tiny), _mm_andnot_si128(is_tiny, normal));
    x = _mm_or_si128(_mm_and_si128(is_special, special), _mm_andnot_si128(is_special, x));
    return (floats)_mm_or_si128(x, sign);
#elif defined(__aarch64__)
    uint16x4_t h;
    memcpy(&h, s, sizeof h);
    return (floats)vcvt_f32_f16(vreinterpret_f16_u16(h));
#else
    floats f;
    for (unsigned i = 0; i < LANES; i++)
        f[i] = quant_f16_to_f32(block_u16(s + 2 * i));
    return f;
#endif
}

INLINE float half_at(const uint8_t b[2])
{
#if defined(__F16C__)
    return _cvtsh_ss(block_u16(b));
#elif defined(__aarch64__)
    return vgetq_lane_f32(vcvt_f32_f16(vreinterpret_f16_u16(vdup_n_u16(block_u16(b)))), 0);
#else
    /* As quant_f16_to_f32(), without branches. */
    uint32_t sign = (uint32_t)(b[1] & 0x80) << 24, m = block_u16(b) & 0x7FFF, tiny;
    float x = (float)(int32_t)m * 0x1p-24f;
    memcpy(&tiny, &x, sizeof tiny);
    uint32_t special = 0x7F800000 | m << 13 | (m > 0x7C00 ? 0x400000 : 0);
    uint32_t bits = m < 0x400 ? tiny : m >= 0x7C00 ? special : (m << 13) + ((uint32_t)112 << 23);
    bits |= sign;
    memcpy(&x, &bits, sizeof x);
    return x;
#endif
}
