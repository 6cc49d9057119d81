/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What vec/ints.h promises, with NEON. */
#pragma once

#include "cpu/vec/vec.h"

#define INTS uint32x4_t

INLINE INTS ints_right(INTS x, const int n)
{
    return vshlq_u32(x, vdupq_n_s32(-n));
}
INLINE VEC floats_of_bits(INTS x)
{
    return vreinterpretq_f32_u32(x);
}
INLINE VEC floats_of_f16(INTS x)
{
    return vec_of_f16(vmovn_u32(x));
}

INLINE VEC floats_of_bf16(INTS x)
{
    return vreinterpretq_f32_u32(vshlq_n_u32(x, 16));
}

INLINE INTS ints_of_row(const uint8_t *p)
{
    return vreinterpretq_u32_u8(vld1q_u8(p));
}
INLINE INTS ints_halves(INTS a, INTS b, const int high)
{
    uint64x2_t x = vreinterpretq_u64_u32(a), y = vreinterpretq_u64_u32(b);
    return vreinterpretq_u32_u64(high ? vtrn2q_u64(x, y) : vtrn1q_u64(x, y));
}
INLINE void load_lines(const uint8_t *const *row, size_t at, INTS out[4])
{
    INTS a = ints_of_row(row[0] + at), b = ints_of_row(row[1] + at);
    INTS c = ints_of_row(row[2] + at), d = ints_of_row(row[3] + at);
    INTS ab = vtrn1q_u32(a, b), cd = vtrn1q_u32(c, d);
    INTS ab2 = vtrn2q_u32(a, b), cd2 = vtrn2q_u32(c, d);

    out[0] = ints_halves(ab, cd, 0);
    out[1] = ints_halves(ab2, cd2, 0);
    out[2] = ints_halves(ab, cd, 1);
    out[3] = ints_halves(ab2, cd2, 1);
}
