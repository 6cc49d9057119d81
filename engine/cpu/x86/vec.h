/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The primitives of vec/vec.h: 16 lanes with AVX-512, 8 with AVX2. */
#pragma once

#include <immintrin.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cpu/x86/levels.h"

#if KERN_512
#define VEC __m512
enum { VEC_LANES = 16, VEC_REGISTERS = 32 };

INLINE VEC vec_zero(void)
{
    return _mm512_setzero_ps();
}
INLINE VEC vec_set1(float x)
{
    return _mm512_set1_ps(x);
}
INLINE VEC vec_load(const float *p)
{
    return _mm512_loadu_ps(p);
}
INLINE void vec_store(float *p, VEC x)
{
    _mm512_storeu_ps(p, x);
}
INLINE __mmask16 vec_mask(size_t n)
{
    return (__mmask16)((1u << n) - 1);
}
/* The first n < VEC_LANES elements, zeros behind. */
INLINE VEC vec_load_n(const float *p, size_t n)
{
    return _mm512_maskz_loadu_ps(vec_mask(n), p);
}
INLINE void vec_store_n(float *p, VEC x, size_t n)
{
    _mm512_mask_storeu_ps(p, vec_mask(n), x);
}
INLINE VEC vec_load_f16(const uint16_t *p)
{
    __m256i x = _mm256_loadu_si256((const void *)p);
    /* Two instructions, whatever the compiler thinks: converting straight from memory halves the
     * rate at which Zen 4 reads from far. */
    __asm__("" : "+v"(x));
    return _mm512_cvtph_ps(x);
}
INLINE VEC vec_load_f16_n(const uint16_t *p, size_t n)
{
    return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(vec_mask(n), p));
}
INLINE VEC vec_of_bf16(__m256i x)
{
    return _mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(x), 16));
}
INLINE VEC vec_load_bf16(const uint16_t *p)
{
    return vec_of_bf16(_mm256_loadu_si256((const void *)p));
}
INLINE VEC vec_load_bf16_n(const uint16_t *p, size_t n)
{
    return vec_of_bf16(_mm256_maskz_loadu_epi16(vec_mask(n), p));
}
INLINE void vec_store_f16(uint16_t *p, VEC x)
{
    _mm256_storeu_si256((void *)p, _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
}
INLINE void vec_store_f16_n(uint16_t *p, VEC x, size_t n)
{
    _mm256_mask_storeu_epi16(p, vec_mask(n), _mm512_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
}
INLINE VEC vec_add(VEC a, VEC b)
{
    return _mm512_add_ps(a, b);
}
INLINE VEC vec_sub(VEC a, VEC b)
{
    return _mm512_sub_ps(a, b);
}
INLINE VEC vec_mul(VEC a, VEC b)
{
    return _mm512_mul_ps(a, b);
}
INLINE VEC vec_div(VEC a, VEC b)
{
    return _mm512_div_ps(a, b);
}
/* a·b + c, rounded once */
INLINE VEC vec_fma(VEC a, VEC b, VEC c)
{
    return _mm512_fmadd_ps(a, b, c);
}
/* c − a·b, rounded once */
INLINE VEC vec_fnma(VEC a, VEC b, VEC c)
{
    return _mm512_fnmadd_ps(a, b, c);
}
/* The second operand if either is NaN. */
INLINE VEC vec_max(VEC a, VEC b)
{
    return _mm512_max_ps(a, b);
}
INLINE VEC vec_round(VEC x)
{
    return _mm512_roundscale_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
INLINE VEC vec_abs(VEC x)
{
    return _mm512_abs_ps(x);
}
INLINE VEC vec_copy_sign(VEC magnitude, VEC sign)
{
    const __m512i bit = _mm512_set1_epi32(INT32_MIN);
    return _mm512_castsi512_ps(_mm512_or_si512(_mm512_castps_si512(magnitude),
                                               _mm512_and_si512(_mm512_castps_si512(sign), bit)));
}
/* x < limit ? a : b */
INLINE VEC vec_if_less(VEC x, VEC limit, VEC a, VEC b)
{
    return _mm512_mask_blend_ps(_mm512_cmp_ps_mask(x, limit, _CMP_LT_OQ), b, a);
}
/* p · 2^n for integer n in any range: overflows to infinity, underflows gradually. */
INLINE VEC vec_scale(VEC p, VEC n)
{
    return _mm512_scalef_ps(p, n);
}
/* Products of complex numbers: x, table = re, im, re, im, … */
INLINE VEC vec_rotate(VEC x, VEC table)
{
    VEC swapped = _mm512_permute_ps(x, 0xB1);
    return _mm512_fmaddsub_ps(x, _mm512_moveldup_ps(table),
                              _mm512_mul_ps(swapped, _mm512_movehdup_ps(table)));
}
/* The elements of even and odd places of [a, b]. */
INLINE VEC vec_even(VEC a, VEC b)
{
    const __m512i at = _mm512_setr_epi32(0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30);
    return _mm512_permutex2var_ps(a, at, b);
}
INLINE VEC vec_odd(VEC a, VEC b)
{
    const __m512i at = _mm512_setr_epi32(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31);
    return _mm512_permutex2var_ps(a, at, b);
}
/* Adds upper lanes to lower ones until 8 are left. */
INLINE __m256 vec_fold(VEC x)
{
    return _mm256_add_ps(_mm512_castps512_ps256(x), _mm512_extractf32x8_ps(x, 1));
}
INLINE __m256 vec_fold_max(VEC x)
{
    return _mm256_max_ps(_mm512_castps512_ps256(x), _mm512_extractf32x8_ps(x, 1));
}

#else /* AVX2, FMA, F16C */

#define VEC __m256
enum { VEC_LANES = 8, VEC_REGISTERS = 16 };

INLINE VEC vec_zero(void)
{
    return _mm256_setzero_ps();
}
INLINE VEC vec_set1(float x)
{
    return _mm256_set1_ps(x);
}
INLINE VEC vec_load(const float *p)
{
    return _mm256_loadu_ps(p);
}
INLINE void vec_store(float *p, VEC x)
{
    _mm256_storeu_ps(p, x);
}
INLINE __m256i vec_mask(size_t n)
{
    const __m256i lane = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    return _mm256_cmpgt_epi32(_mm256_set1_epi32((int)n), lane);
}
/* The first n < VEC_LANES elements, zeros behind. */
INLINE VEC vec_load_n(const float *p, size_t n)
{
    return _mm256_maskload_ps(p, vec_mask(n));
}
INLINE void vec_store_n(float *p, VEC x, size_t n)
{
    _mm256_maskstore_ps(p, vec_mask(n), x);
}
INLINE __m128i vec_load_u16_n(const uint16_t *p, size_t n)
{
    uint16_t all[8] = { 0 };
    memcpy(all, p, n * sizeof *p);
    return _mm_loadu_si128((const void *)all);
}
INLINE VEC vec_load_f16(const uint16_t *p)
{
    return _mm256_cvtph_ps(_mm_loadu_si128((const void *)p));
}
INLINE VEC vec_load_f16_n(const uint16_t *p, size_t n)
{
    return _mm256_cvtph_ps(vec_load_u16_n(p, n));
}
INLINE VEC vec_of_bf16(__m128i x)
{
    return _mm256_castsi256_ps(_mm256_slli_epi32(_mm256_cvtepu16_epi32(x), 16));
}
INLINE VEC vec_load_bf16(const uint16_t *p)
{
    return vec_of_bf16(_mm_loadu_si128((const void *)p));
}
INLINE VEC vec_load_bf16_n(const uint16_t *p, size_t n)
{
    return vec_of_bf16(vec_load_u16_n(p, n));
}
INLINE void vec_store_f16(uint16_t *p, VEC x)
{
    _mm_storeu_si128((void *)p, _mm256_cvtps_ph(x, _MM_FROUND_TO_NEAREST_INT));
}
INLINE void vec_store_f16_n(uint16_t *p, VEC x, size_t n)
{
    uint16_t all[8];
    vec_store_f16(all, x);
    memcpy(p, all, n * sizeof *p);
}
INLINE VEC vec_add(VEC a, VEC b)
{
    return _mm256_add_ps(a, b);
}
INLINE VEC vec_sub(VEC a, VEC b)
{
    return _mm256_sub_ps(a, b);
}
INLINE VEC vec_mul(VEC a, VEC b)
{
    return _mm256_mul_ps(a, b);
}
INLINE VEC vec_div(VEC a, VEC b)
{
    return _mm256_div_ps(a, b);
}
/* a·b + c, rounded once */
INLINE VEC vec_fma(VEC a, VEC b, VEC c)
{
    return _mm256_fmadd_ps(a, b, c);
}
/* c − a·b, rounded once */
INLINE VEC vec_fnma(VEC a, VEC b, VEC c)
{
    return _mm256_fnmadd_ps(a, b, c);
}
/* The second operand if either is NaN. */
INLINE VEC vec_max(VEC a, VEC b)
{
    return _mm256_max_ps(a, b);
}
INLINE VEC vec_round(VEC x)
{
    return _mm256_round_ps(x, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC);
}
INLINE VEC vec_abs(VEC x)
{
    return _mm256_andnot_ps(_mm256_set1_ps(-0.0f), x);
}
INLINE VEC vec_copy_sign(VEC magnitude, VEC sign)
{
    return _mm256_or_ps(magnitude, _mm256_and_ps(sign, _mm256_set1_ps(-0.0f)));
}
/* x < limit ? a : b */
INLINE VEC vec_if_less(VEC x, VEC limit, VEC a, VEC b)
{
    return _mm256_blendv_ps(b, a, _mm256_cmp_ps(x, limit, _CMP_LT_OQ));
}
/* p · 2^n for integer |n| ≤ 250: overflows to infinity, underflows gradually. Two factors, because
 * one power of two cannot reach the subnormals. */
INLINE VEC vec_scale(VEC p, VEC n)
{
    const __m256i bias = _mm256_set1_epi32(127);
    __m256i whole = _mm256_cvtps_epi32(n), half = _mm256_srai_epi32(whole, 1);
    __m256i first = _mm256_slli_epi32(_mm256_add_epi32(half, bias), 23);
    __m256i second = _mm256_slli_epi32(_mm256_add_epi32(_mm256_sub_epi32(whole, half), bias), 23);
    p = _mm256_mul_ps(p, _mm256_castsi256_ps(first));
    return _mm256_mul_ps(p, _mm256_castsi256_ps(second));
}
/* Products of complex numbers: x, table = re, im, re, im, … */
INLINE VEC vec_rotate(VEC x, VEC table)
{
    VEC swapped = _mm256_permute_ps(x, 0xB1);
    return _mm256_fmaddsub_ps(x, _mm256_moveldup_ps(table),
                              _mm256_mul_ps(swapped, _mm256_movehdup_ps(table)));
}
INLINE VEC vec_middle_swap(VEC x)
{
    return _mm256_castpd_ps(_mm256_permute4x64_pd(_mm256_castps_pd(x), 0xD8));
}
/* The elements of even and odd places of [a, b]. */
INLINE VEC vec_even(VEC a, VEC b)
{
    return vec_middle_swap(_mm256_shuffle_ps(a, b, 0x88));
}
INLINE VEC vec_odd(VEC a, VEC b)
{
    return vec_middle_swap(_mm256_shuffle_ps(a, b, 0xDD));
}
INLINE __m256 vec_fold(VEC x)
{
    return x;
}
INLINE __m256 vec_fold_max(VEC x)
{
    return x;
}
#endif

INLINE float vec_sum(VEC x)
{
    __m256 y = vec_fold(x);
    __m128 z = _mm_add_ps(_mm256_castps256_ps128(y), _mm256_extractf128_ps(y, 1));
    z = _mm_add_ps(z, _mm_movehl_ps(z, z));
    return _mm_cvtss_f32(_mm_add_ss(z, _mm_movehdup_ps(z)));
}

/* p[0 … 3] = the sums of four vectors; each in the order of the others. */
INLINE void vec_store_sums(float *p, VEC a, VEC b, VEC c, VEC d)
{
    __m256 a8 = vec_fold(a), b8 = vec_fold(b), c8 = vec_fold(c), d8 = vec_fold(d);
    __m256 ab = _mm256_add_ps(_mm256_unpacklo_ps(a8, b8), _mm256_unpackhi_ps(a8, b8));
    __m256 cd = _mm256_add_ps(_mm256_unpacklo_ps(c8, d8), _mm256_unpackhi_ps(c8, d8));
    __m256 all = _mm256_add_ps(_mm256_shuffle_ps(ab, cd, 0x44), _mm256_shuffle_ps(ab, cd, 0xEE));
    _mm_storeu_ps(p, _mm_add_ps(_mm256_castps256_ps128(all), _mm256_extractf128_ps(all, 1)));
}

INLINE float vec_top(VEC x)
{
    __m256 y = vec_fold_max(x);
    __m128 z = _mm_max_ps(_mm256_castps256_ps128(y), _mm256_extractf128_ps(y, 1));
    z = _mm_max_ps(z, _mm_movehl_ps(z, z));
    return _mm_cvtss_f32(_mm_max_ss(z, _mm_movehdup_ps(z)));
}
