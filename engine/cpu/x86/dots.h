/* SPDX-License-Identifier: GPL-3.0-or-later */
/* dots.h - products of unsigned and signed bytes in vectors of 256 bits, summed by fours in 32
 * bits. AVX2 sums pairs in 16 bits on the way: with codes up to 128 and activations up to 127 a
 * pair is at most 32512, so nothing saturates; vpdpbusd never does. */
#pragma once

#include <immintrin.h>

#include "cpu/x86/levels.h"

#if defined(KERN_AVXVNNI)

INLINE __m256i add_dots(__m256i sum, __m256i of_unsigned, __m256i of_signed)
{
#if defined(__AVXVNNI__)
    return _mm256_dpbusd_avx_epi32(sum, of_unsigned, of_signed);
#else
    return _mm256_dpbusd_epi32(sum, of_unsigned, of_signed);
#endif
}

INLINE __m256i dots_of(__m256i of_unsigned, __m256i of_signed)
{
    return add_dots(_mm256_setzero_si256(), of_unsigned, of_signed);
}

#else

INLINE __m256i dots_of(__m256i of_unsigned, __m256i of_signed)
{
    return _mm256_madd_epi16(_mm256_maddubs_epi16(of_unsigned, of_signed), _mm256_set1_epi16(1));
}

INLINE __m256i add_dots(__m256i sum, __m256i of_unsigned, __m256i of_signed)
{
    return _mm256_add_epi32(sum, dots_of(of_unsigned, of_signed));
}

#endif
