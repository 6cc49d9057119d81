/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ints.h - vectors of integers with a lane for each of VEC_LANES rows, in the manner of vec.h, with
 * which rows are taken apart; among them what vec/ints.h promises. */
#pragma once

#include "cpu/vec/vec.h"

#if KERN_512
#define INTS __m512i

INLINE INTS ints_set8(int x)
{
    return _mm512_set1_epi8((char)x);
}
INLINE INTS ints_set32(int x)
{
    return _mm512_set1_epi32(x);
}
INLINE INTS ints_and(INTS a, INTS b)
{
    return _mm512_and_si512(a, b);
}
INLINE INTS ints_or(INTS a, INTS b)
{
    return _mm512_or_si512(a, b);
}
INLINE INTS ints_add8(INTS a, INTS b)
{
    return _mm512_add_epi8(a, b);
}
INLINE INTS ints_left(INTS x, const int n)
{
    return _mm512_slli_epi32(x, (unsigned)n);
}
INLINE INTS ints_right(INTS x, const int n)
{
    return _mm512_srli_epi32(x, (unsigned)n);
}
INLINE INTS ints_right_signed(INTS x, const int n)
{
    return _mm512_srai_epi32(x, (unsigned)n);
}
INLINE void ints_store(uint8_t *p, INTS x)
{
    _mm512_storeu_si512(p, x);
}
INLINE VEC floats_of_bits(INTS x)
{
    return _mm512_castsi512_ps(x);
}
INLINE VEC floats_of(INTS x)
{
    return _mm512_cvtepi32_ps(x);
}
/* Half-precision numbers in the lower halves of the lanes. */
INLINE VEC floats_of_f16(INTS x)
{
    return _mm512_cvtph_ps(_mm512_cvtepi32_epi16(x));
}
INLINE VEC floats_of_bf16(INTS x)
{
    return _mm512_castsi512_ps(_mm512_slli_epi32(x, 16));
}
INLINE INTS ints_unpack(INTS a, INTS b, const int high, const int wide)
{
    if (wide)
        return high ? _mm512_unpackhi_epi64(a, b) : _mm512_unpacklo_epi64(a, b);
    return high ? _mm512_unpackhi_epi32(a, b) : _mm512_unpacklo_epi32(a, b);
}
/* 16 bytes of every fourth row: four rows. */
INLINE INTS ints_of_rows(const uint8_t *const *row, size_t at)
{
    INTS x = _mm512_castsi128_si512(_mm_loadu_si128((const void *)(row[0] + at)));
    x = _mm512_inserti32x4(x, _mm_loadu_si128((const void *)(row[4] + at)), 1);
    x = _mm512_inserti32x4(x, _mm_loadu_si128((const void *)(row[8] + at)), 2);
    return _mm512_inserti32x4(x, _mm_loadu_si128((const void *)(row[12] + at)), 3);
}
/* 16 in byte j of a lane where bit 4·i + j of it is set. */
INLINE INTS fifth_bits(INTS bits, const int i)
{
    /* The lower four bits of a lane choose. */
    const INTS all =
        _mm512_setr_epi32(0x00000000, 0x00000010, 0x00001000, 0x00001010, 0x00100000, 0x00100010,
                          0x00101000, 0x00101010, 0x10000000, 0x10000010, 0x10001000, 0x10001010,
                          0x10100000, 0x10100010, 0x10101000, 0x10101010);
    return _mm512_permutexvar_epi32(_mm512_srli_epi32(bits, 4 * (unsigned)i), all);
}

#else

#define INTS __m256i

INLINE INTS ints_set8(int x)
{
    return _mm256_set1_epi8((char)x);
}
INLINE INTS ints_set32(int x)
{
    return _mm256_set1_epi32(x);
}
INLINE INTS ints_and(INTS a, INTS b)
{
    return _mm256_and_si256(a, b);
}
INLINE INTS ints_or(INTS a, INTS b)
{
    return _mm256_or_si256(a, b);
}
INLINE INTS ints_add8(INTS a, INTS b)
{
    return _mm256_add_epi8(a, b);
}
INLINE INTS ints_left(INTS x, const int n)
{
    return _mm256_slli_epi32(x, n);
}
INLINE INTS ints_right(INTS x, const int n)
{
    return _mm256_srli_epi32(x, n);
}
INLINE INTS ints_right_signed(INTS x, const int n)
{
    return _mm256_srai_epi32(x, n);
}
INLINE void ints_store(uint8_t *p, INTS x)
{
    _mm256_storeu_si256((void *)p, x);
}
INLINE VEC floats_of_bits(INTS x)
{
    return _mm256_castsi256_ps(x);
}
INLINE VEC floats_of(INTS x)
{
    return _mm256_cvtepi32_ps(x);
}
/* Half-precision numbers in the lower halves of the lanes. */
INLINE VEC floats_of_f16(INTS x)
{
    x = _mm256_and_si256(x, _mm256_set1_epi32(0xFFFF));
    __m128i halves = _mm_packus_epi32(_mm256_castsi256_si128(x), _mm256_extracti128_si256(x, 1));
    return _mm256_cvtph_ps(halves);
}
INLINE VEC floats_of_bf16(INTS x)
{
    return _mm256_castsi256_ps(_mm256_slli_epi32(x, 16));
}
INLINE INTS ints_unpack(INTS a, INTS b, const int high, const int wide)
{
    if (wide)
        return high ? _mm256_unpackhi_epi64(a, b) : _mm256_unpacklo_epi64(a, b);
    return high ? _mm256_unpackhi_epi32(a, b) : _mm256_unpacklo_epi32(a, b);
}
/* 16 bytes of every fourth row: two rows. */
INLINE INTS ints_of_rows(const uint8_t *const *row, size_t at)
{
    INTS x = _mm256_castsi128_si256(_mm_loadu_si128((const void *)(row[0] + at)));
    return _mm256_inserti128_si256(x, _mm_loadu_si128((const void *)(row[4] + at)), 1);
}
/* 16 in byte j of a lane where bit 4·i + j of it is set. */
INLINE INTS fifth_bits(INTS bits, const int i)
{
    const INTS bit = _mm256_set1_epi32(i % 2 ? (int)0x80402010 : 0x08040201);
    const int byte = 0x01010101 * (i / 2);
    const INTS spread =
        _mm256_setr_epi32(byte, byte + 0x04040404, byte + 0x08080808, byte + 0x0C0C0C0C, byte,
                          byte + 0x04040404, byte + 0x08080808, byte + 0x0C0C0C0C);
    INTS bytes = _mm256_and_si256(_mm256_shuffle_epi8(bits, spread), bit);
    return _mm256_and_si256(_mm256_cmpeq_epi8(bytes, bit), _mm256_set1_epi8(16));
}
#endif

/* 16 bytes of each row: out[i] has bytes 4·i … 4·i + 3 of every row. */
INLINE void load_lines(const uint8_t *const *row, size_t at, INTS out[4])
{
    INTS a = ints_of_rows(row, at), b = ints_of_rows(row + 1, at);
    INTS c = ints_of_rows(row + 2, at), d = ints_of_rows(row + 3, at);
    INTS ab = ints_unpack(a, b, 0, 0), cd = ints_unpack(c, d, 0, 0);
    INTS ab2 = ints_unpack(a, b, 1, 0), cd2 = ints_unpack(c, d, 1, 0);

    out[0] = ints_unpack(ab, cd, 0, 1);
    out[1] = ints_unpack(ab, cd, 1, 1);
    out[2] = ints_unpack(ab2, cd2, 0, 1);
    out[3] = ints_unpack(ab2, cd2, 1, 1);
}
