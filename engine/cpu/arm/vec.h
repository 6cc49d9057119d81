/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The primitives of vec/vec.h with NEON: 4 lanes. */
#pragma once

#include <arm_neon.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cpu/vec/levels.h"

#define VEC float32x4_t
enum { VEC_LANES = 4, VEC_REGISTERS = 32 };

INLINE VEC vec_zero(void)
{
    return vdupq_n_f32(0);
}
INLINE VEC vec_set1(float x)
{
    return vdupq_n_f32(x);
}
INLINE VEC vec_load(const float *p)
{
    return vld1q_f32(p);
}
INLINE void vec_store(float *p, VEC x)
{
    vst1q_f32(p, x);
}
/* The first n < VEC_LANES elements, zeros behind. */
INLINE VEC vec_load_n(const float *p, size_t n)
{
    float all[VEC_LANES] = { 0 };
    memcpy(all, p, n * sizeof *p);
    return vld1q_f32(all);
}
INLINE void vec_store_n(float *p, VEC x, size_t n)
{
    float all[VEC_LANES];
    vst1q_f32(all, x);
    memcpy(p, all, n * sizeof *p);
}
INLINE uint16x4_t vec_load_u16_n(const uint16_t *p, size_t n)
{
    uint16_t all[VEC_LANES] = { 0 };
    memcpy(all, p, n * sizeof *p);
    return vld1_u16(all);
}
INLINE VEC vec_of_f16(uint16x4_t x)
{
    return vcvt_f32_f16(vreinterpret_f16_u16(x));
}
INLINE VEC vec_load_f16(const uint16_t *p)
{
    return vec_of_f16(vld1_u16(p));
}
INLINE VEC vec_load_f16_n(const uint16_t *p, size_t n)
{
    return vec_of_f16(vec_load_u16_n(p, n));
}
INLINE VEC vec_of_bf16(uint16x4_t x)
{
    return vreinterpretq_f32_u32(vshll_n_u16(x, 16));
}
INLINE VEC vec_load_bf16(const uint16_t *p)
{
    return vec_of_bf16(vld1_u16(p));
}
INLINE VEC vec_load_bf16_n(const uint16_t *p, size_t n)
{
    return vec_of_bf16(vec_load_u16_n(p, n));
}
INLINE void vec_store_f16(uint16_t *p, VEC x)
{
    vst1_u16(p, vreinterpret_u16_f16(vcvt_f16_f32(x)));
}
INLINE void vec_store_f16_n(uint16_t *p, VEC x, size_t n)
{
    uint16_t all[VEC_LANES];
    vec_store_f16(all, x);
    memcpy(p, all, n * sizeof *p);
}
INLINE VEC vec_add(VEC a, VEC b)
{
    return vaddq_f32(a, b);
}
INLINE VEC vec_sub(VEC a, VEC b)
{
    return vsubq_f32(a, b);
}
INLINE VEC vec_mul(VEC a, VEC b)
{
    return vmulq_f32(a, b);
}
INLINE VEC vec_div(VEC a, VEC b)
{
    return vdivq_f32(a, b);
}
/* a·b + c, rounded once */
INLINE VEC vec_fma(VEC a, VEC b, VEC c)
{
    return vfmaq_f32(c, a, b);
}
/* c − a·b, rounded once */
INLINE VEC vec_fnma(VEC a, VEC b, VEC c)
{
    return vfmsq_f32(c, a, b);
}
/* The second operand if either is NaN; the instruction of that name would give NaN. */
INLINE VEC vec_max(VEC a, VEC b)
{
    return vbslq_f32(vcgtq_f32(a, b), a, b);
}
INLINE VEC vec_round(VEC x)
{
    return vrndnq_f32(x);
}
INLINE VEC vec_abs(VEC x)
{
    return vabsq_f32(x);
}
INLINE VEC vec_copy_sign(VEC magnitude, VEC sign)
{
    return vbslq_f32(vdupq_n_u32(0x80000000), sign, magnitude);
}
/* x < limit ? a : b */
INLINE VEC vec_if_less(VEC x, VEC limit, VEC a, VEC b)
{
    return vbslq_f32(vcltq_f32(x, limit), a, b);
}
/* p · 2^n for integer |n| ≤ 250: overflows to infinity, underflows gradually. Two factors, because
 * one power of two cannot reach the subnormals. */
INLINE VEC vec_scale(VEC p, VEC n)
{
    int32x4_t whole = vcvtnq_s32_f32(n), half = vshrq_n_s32(whole, 1), bias = vdupq_n_s32(127);
    int32x4_t first = vshlq_n_s32(vaddq_s32(half, bias), 23);
    int32x4_t second = vshlq_n_s32(vaddq_s32(vsubq_s32(whole, half), bias), 23);
    p = vmulq_f32(p, vreinterpretq_f32_s32(first));
    return vmulq_f32(p, vreinterpretq_f32_s32(second));
}
/* Products of complex numbers: x, table = re, im, re, im, … */
INLINE VEC vec_rotate(VEC x, VEC table)
{
    const uint32x4_t minus = vreinterpretq_u32_u64(vdupq_n_u64(0x80000000)); /* real parts */
    VEC across = vmulq_f32(vrev64q_f32(x), vtrn2q_f32(table, table));
    across = vreinterpretq_f32_u32(veorq_u32(vreinterpretq_u32_f32(across), minus));
    return vfmaq_f32(across, x, vtrn1q_f32(table, table));
}
/* The elements of even and odd places of [a, b]. */
INLINE VEC vec_even(VEC a, VEC b)
{
    return vuzp1q_f32(a, b);
}
INLINE VEC vec_odd(VEC a, VEC b)
{
    return vuzp2q_f32(a, b);
}
INLINE float vec_sum(VEC x)
{
    return vaddvq_f32(x);
}
/* p[0 … 3] = the sums of four vectors; each in the order of the others. */
INLINE void vec_store_sums(float *p, VEC a, VEC b, VEC c, VEC d)
{
    vst1q_f32(p, vpaddq_f32(vpaddq_f32(a, b), vpaddq_f32(c, d)));
}
/* No lane is NaN. */
INLINE float vec_top(VEC x)
{
    return vmaxvq_f32(x);
}
