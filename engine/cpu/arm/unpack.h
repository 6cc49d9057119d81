/* SPDX-License-Identifier: GPL-3.0-or-later */
/* unpack.h - block types taken apart with NEON: what rows times columns and panels have in common.
 *
 * A row is walked in steps of one block of 256 or four of 32, a step in parts of 64 elements. Codes
 * come as signed bytes in natural order, the zero of a weight being 0: weight = scale · code + min,
 * with a scale per 16 elements. Blocks of 32 that make no whole step come one at a time. */
#pragma once

#include <arm_neon.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cpu/vec/levels.h"
#include "quant/blocks.h"

/* What a step needs besides codes: a lane for each 16 elements, and for each 32. */
struct step_scales {
    float32x4_t scale[4];
    float32x4_t min[2];
};

/* A type; constant after inlining. */
struct block_kind {
    size_t bytes; /* of a block */
    bool has_min;
    bool per_group; /* a panel keeps the scales per 16 elements */
    /* Blocks of 32: its 32 codes. NULL: blocks of 256. */
    void (*codes_32)(const uint8_t *block, int8x16_t q[2]);
    /* Blocks of 256: codes of elements 64·part and on. */
    void (*codes_64)(const uint8_t *block, int part, int8x16_t q[4]);
    void (*scales)(const uint8_t *block, struct step_scales *s);
};

INLINE size_t step_length(const struct block_kind kind)
{
    return kind.codes_32 ? 4 * QUANT_BLOCK : QUANT_SUPER_BLOCK;
}

INLINE size_t step_bytes(const struct block_kind kind)
{
    return kind.codes_32 ? 4 * kind.bytes : kind.bytes;
}

INLINE float32x4_t floats_of_halves(uint16x4_t x)
{
    return vcvt_f32_f16(vreinterpret_f16_u16(x));
}

INLINE float half_at(const uint8_t *p)
{
    return vgetq_lane_f32(floats_of_halves(vdup_n_u16(block_u16(p))), 0);
}

INLINE int8x16_t as_signed(uint8x16_t x)
{
    return vreinterpretq_s8_u8(x);
}

/* ---- blocks of 32 ---- */

INLINE void nibbles_of(const uint8_t *qs, uint8x16_t q[2])
{
    uint8x16_t bytes = vld1q_u8(qs);
    q[0] = vandq_u8(bytes, vdupq_n_u8(15));
    q[1] = vshrq_n_u8(bytes, 4);
}

/* 16 in each byte whose bit of the 32 is set. */
INLINE void fifth_bits_of(const uint8_t *qh, uint8x16_t q[2])
{
    const uint8x16_t bit = vreinterpretq_u8_u64(vdupq_n_u64(0x8040201008040201));
    for (int i = 0; i < 2; i++) {
        uint8x16_t bytes = vcombine_u8(vdup_n_u8(qh[2 * i]), vdup_n_u8(qh[2 * i + 1]));
        q[i] = vandq_u8(vtstq_u8(bytes, bit), vdupq_n_u8(16));
    }
}

INLINE void codes_q4_0(const uint8_t *block, int8x16_t q[2])
{
    uint8x16_t low[2];
    nibbles_of(block + 2, low);
    for (int i = 0; i < 2; i++)
        q[i] = vsubq_s8(as_signed(low[i]), vdupq_n_s8(8));
}

INLINE void codes_q4_1(const uint8_t *block, int8x16_t q[2])
{
    uint8x16_t low[2];
    nibbles_of(block + 4, low);
    for (int i = 0; i < 2; i++)
        q[i] = as_signed(low[i]);
}

INLINE void codes_q5_0(const uint8_t *block, int8x16_t q[2])
{
    uint8x16_t low[2], high[2];
    nibbles_of(block + 6, low);
    fifth_bits_of(block + 2, high);
    for (int i = 0; i < 2; i++)
        q[i] = vsubq_s8(as_signed(vorrq_u8(low[i], high[i])), vdupq_n_s8(16));
}

INLINE void codes_q5_1(const uint8_t *block, int8x16_t q[2])
{
    uint8x16_t low[2], high[2];
    nibbles_of(block + 8, low);
    fifth_bits_of(block + 4, high);
    for (int i = 0; i < 2; i++)
        q[i] = as_signed(vorrq_u8(low[i], high[i]));
}

INLINE void codes_q8_0(const uint8_t *block, int8x16_t q[2])
{
    for (int i = 0; i < 2; i++)
        q[i] = as_signed(vld1q_u8(block + 2 + 16 * i));
}

/* Of one block: its scale, and its minimum. */
INLINE float block_scale(const uint8_t *block)
{
    return half_at(block);
}

INLINE float block_min(const struct block_kind kind, const uint8_t *block)
{
    return kind.has_min ? half_at(block + 2) : 0;
}

/* ---- blocks of 256 ---- */

/* Eight bytes as floats, times a factor. */
INLINE void floats_of_bytes(uint64_t bytes, float by, float32x4_t out[2])
{
    uint16x8_t wide = vmovl_u8(vcreate_u8(bytes));
    out[0] = vmulq_n_f32(vcvtq_f32_u32(vmovl_u16(vget_low_u16(wide))), by);
    out[1] = vmulq_n_f32(vcvtq_f32_u32(vmovl_u16(vget_high_u16(wide))), by);
}

/* A lane per 32 elements becomes two per 16. */
INLINE void scales_of_32(const float32x4_t per_32[2], float32x4_t out[4])
{
    for (int i = 0; i < 2; i++) {
        out[2 * i] = vzip1q_f32(per_32[i], per_32[i]);
        out[2 * i + 1] = vzip2q_f32(per_32[i], per_32[i]);
    }
}

/* Q4_K and Q5_K begin alike: all eight 6-bit scales and minima at once. */
INLINE void scales_of_k(const uint8_t *block, struct step_scales *s)
{
    uint32_t a = block_u32(block + 4), b = block_u32(block + 8), c = block_u32(block + 12);
    uint32_t scale_high = (c & 0x0F0F0F0F) | (a >> 6 & 0x03030303) << 4;
    uint32_t min_high = (c >> 4 & 0x0F0F0F0F) | (b >> 6 & 0x03030303) << 4;
    float32x4_t per_32[2];

    floats_of_bytes((a & 0x3F3F3F3F) | (uint64_t)scale_high << 32, half_at(block), per_32);
    floats_of_bytes((b & 0x3F3F3F3F) | (uint64_t)min_high << 32, -half_at(block + 2), s->min);
    scales_of_32(per_32, s->scale);
}

INLINE void codes_q4_k(const uint8_t *block, int part, int8x16_t q[4])
{
    const struct block_q4_k *b = (const void *)block;
    for (int i = 0; i < 2; i++) {
        uint8x16_t bytes = vld1q_u8(b->qs + 32 * part + 16 * i);
        q[i] = as_signed(vandq_u8(bytes, vdupq_n_u8(15)));
        q[i + 2] = as_signed(vshrq_n_u8(bytes, 4));
    }
}

/* Bit j of byte i of qh belongs to element 32·j + i. */
INLINE void codes_q5_k(const uint8_t *block, int part, int8x16_t q[4])
{
    const struct block_q5_k *b = (const void *)block;
    const uint8x16_t fifth = vdupq_n_u8(16);
    const int8x16_t up0 = vdupq_n_s8((int8_t)(4 - 2 * part));
    const int8x16_t up1 = vdupq_n_s8((int8_t)(3 - 2 * part));
    for (int i = 0; i < 2; i++) {
        uint8x16_t bytes = vld1q_u8(b->qs + 32 * part + 16 * i), high = vld1q_u8(b->qh + 16 * i);
        uint8x16_t low0 = vandq_u8(bytes, vdupq_n_u8(15)), low1 = vshrq_n_u8(bytes, 4);
        q[i] = as_signed(vorrq_u8(low0, vandq_u8(vshlq_u8(high, up0), fifth)));
        q[i + 2] = as_signed(vorrq_u8(low1, vandq_u8(vshlq_u8(high, up1), fifth)));
    }
}

/* 16 signed scales, one per 16 elements. */
INLINE void scales_of_16(int8x16_t scales, float d, float32x4_t out[4])
{
    int16x8_t half[2] = { vmovl_s8(vget_low_s8(scales)), vmovl_s8(vget_high_s8(scales)) };
    for (int i = 0; i < 2; i++) {
        out[2 * i] = vmulq_n_f32(vcvtq_f32_s32(vmovl_s16(vget_low_s16(half[i]))), d);
        out[2 * i + 1] = vmulq_n_f32(vcvtq_f32_s32(vmovl_s16(vget_high_s16(half[i]))), d);
    }
}

INLINE void scales_q6_k(const uint8_t *block, struct step_scales *s)
{
    const struct block_q6_k *b = (const void *)block;
    scales_of_16(vld1q_s8(b->scales), half_at(b->d), s->scale);
}

/* Low bits: nibbles of 64 bytes; high bits: two of each of 32 bytes. */
INLINE void codes_q6_k(const uint8_t *block, int part, int8x16_t q[4])
{
    const struct block_q6_k *b = (const void *)block;
    const int8x16_t up[2] = { vdupq_n_s8(part % 2 ? 0 : 4), vdupq_n_s8(part % 2 ? -2 : 2) };
    for (int i = 0; i < 4; i++) {
        uint8x16_t low = vld1q_u8(b->ql + 64 * (part / 2) + 16 * i);
        uint8x16_t high = vld1q_u8(b->qh + 32 * (part / 2) + 16 * (i % 2));
        low = part % 2 ? vshrq_n_u8(low, 4) : vandq_u8(low, vdupq_n_u8(15));
        high = vandq_u8(vshlq_u8(high, up[i / 2]), vdupq_n_u8(0x30));
        q[i] = vsubq_s8(as_signed(vorrq_u8(low, high)), vdupq_n_s8(32));
    }
}

/* ---- steps ---- */

/* Four blocks of 32: first 16 bits, and second ones if the type has them. */
INLINE void scales_of_blocks(const struct block_kind kind, const uint8_t *w, struct step_scales *s)
{
    uint32_t all[4];
    for (size_t i = 0; i < 4; i++)
        all[i] = kind.has_min ? block_u32(w + i * kind.bytes) : block_u16(w + i * kind.bytes);
    uint32x4_t heads = vld1q_u32(all);
    float32x4_t d = floats_of_halves(vmovn_u32(heads));
    s->scale[0] = vzip1q_f32(d, d);
    s->scale[1] = vzip2q_f32(d, d);
    if (kind.has_min)
        s->min[0] = floats_of_halves(vshrn_n_u32(heads, 16));
}

INLINE void scales_of_step(const struct block_kind kind, const uint8_t *w, struct step_scales *s)
{
    if (kind.codes_32)
        scales_of_blocks(kind, w, s);
    else
        kind.scales(w, s);
}

INLINE void codes_of_part(const struct block_kind kind, const uint8_t *w, int part, int8x16_t q[4])
{
    if (kind.codes_32) {
        kind.codes_32(w + 2 * (size_t)part * kind.bytes, q);
        kind.codes_32(w + (2 * (size_t)part + 1) * kind.bytes, q + 2);
    } else {
        kind.codes_64(w, part, q);
    }
}

#define KIND_32(name, ...)                                                                         \
    { .bytes = sizeof(struct block_##name), .codes_32 = codes_##name, __VA_ARGS__ }
#define KIND_256(name, from, ...)                                                                  \
    { .bytes = sizeof(struct block_##name), .codes_64 = codes_##name, .scales = from, __VA_ARGS__ }

/* Calls EACH(name, TYPE, kind) for every type that has kernels. */
#define FOR_EACH_KIND(EACH)                                                                        \
    EACH(q4_0, QUANT_Q4_0, KIND_32(q4_0, .has_min = false))                                        \
    EACH(q4_1, QUANT_Q4_1, KIND_32(q4_1, .has_min = true))                                         \
    EACH(q5_0, QUANT_Q5_0, KIND_32(q5_0, .has_min = false))                                        \
    EACH(q5_1, QUANT_Q5_1, KIND_32(q5_1, .has_min = true))                                         \
    EACH(q8_0, QUANT_Q8_0, KIND_32(q8_0, .has_min = false))                                        \
    EACH(q4_k, QUANT_Q4_K, KIND_256(q4_k, scales_of_k, .has_min = true))                           \
    EACH(q5_k, QUANT_Q5_K, KIND_256(q5_k, scales_of_k, .has_min = true))                           \
    EACH(q6_k, QUANT_Q6_K, KIND_256(q6_k, scales_q6_k, .per_group = true))
