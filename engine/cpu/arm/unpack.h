/* SPDX-License-Identifier: GPL-3.0-or-later */
/* unpack.h - block types taken apart with NEON: what rows times columns and panels have in common.
 *
 * A row is walked in steps of one block of 256 or four of 32, a step in parts of 64 elements. Codes
 * come as signed bytes in natural order, the zero of a weight being 0: weight = scale · code + min,
 * with a scale per 16 elements. Blocks of 32 that make no whole step come one at a time.
 *
 * The rarer types are taken apart by plain C, a block at a time: a step of its length. */
#pragma once

#include <arm_neon.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "cpu/unpack_c.h"
#include "cpu/vec/levels.h"

/* What a step needs besides codes: scales, a lane for each 16 elements; minima, one for each 32, or
 * 16 if the type has as many. */
struct step_scales {
    float32x4_t scale[4];
    float32x4_t min[4];
};

/* A type; constant after inlining. */
struct block_kind {
    size_t bytes; /* of a block */
    bool min;
    bool per_16;       /* scales, and minima, are; as kern_scales_of() has it */
    bool power_of_two; /* the scale of a block of 32: an exponent, not an F16 */
    /* By plain C: the type, and elements of a block, a multiple of 64. */
    enum quant_type type;
    size_t plain_length;
    /* Blocks of 32: its 32 codes. NULL: blocks of 256. */
    void (*codes_32)(const uint8_t *block, int8x16_t q[2]);
    /* Blocks of 256: codes of elements 64·part and on. */
    void (*codes_64)(const uint8_t *block, int part, int8x16_t q[4]);
    void (*scales)(const uint8_t *block, struct step_scales *s);
};

INLINE size_t step_length(const struct block_kind kind)
{
    return kind.plain_length ? kind.plain_length
           : kind.codes_32   ? 4 * QUANT_BLOCK
                             : QUANT_SUPER_BLOCK;
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

/* 16 bytes: what the lower nibbles stand for, then the upper ones. */
INLINE void look_up(const int8_t values[16], const uint8_t *qs, int8x16_t q[2])
{
    const int8x16_t table = vld1q_s8(values);
    uint8x16_t low[2];
    nibbles_of(qs, low);
    for (int i = 0; i < 2; i++)
        q[i] = vqtbl1q_s8(table, low[i]);
}

INLINE void codes_iq4_nl(const uint8_t *block, int8x16_t q[2])
{
    look_up(quant_iq4_values, block + 2, q);
}

INLINE void codes_mxfp4(const uint8_t *block, int8x16_t q[2])
{
    look_up(quant_fp4_values, block + 1, q);
}

/* Of one block: its scale, and its minimum. */
INLINE float block_scale(const struct block_kind kind, const uint8_t *block)
{
    if (kind.power_of_two)
        return vgetq_lane_f32(vreinterpretq_f32_u32(vdupq_n_u32(quant_half_e8m0_bits(*block))), 0);
    return half_at(block);
}

INLINE float block_min(const struct block_kind kind, const uint8_t *block)
{
    return kind.min ? half_at(block + 2) : 0;
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

/* Two bits of each of 32 bytes; a byte serves four elements that are 32 apart. */
INLINE void crumbs_of(const uint8_t *qs, int part, uint8x16_t q[4])
{
    const int8x16_t down[2] = { vdupq_n_s8(part % 2 ? -4 : 0), vdupq_n_s8(part % 2 ? -6 : -2) };
    for (int i = 0; i < 4; i++) {
        uint8x16_t bytes = vld1q_u8(qs + 32 * (part / 2) + 16 * (i % 2));
        q[i] = vandq_u8(vshlq_u8(bytes, down[i / 2]), vdupq_n_u8(3));
    }
}

INLINE void scales_q2_k(const uint8_t *block, struct step_scales *s)
{
    const struct block_q2_k *b = (const void *)block;
    uint8x16_t both = vld1q_u8(b->scales);
    scales_of_16(as_signed(vandq_u8(both, vdupq_n_u8(15))), half_at(b->d), s->scale);
    scales_of_16(as_signed(vshrq_n_u8(both, 4)), -half_at(b->dmin), s->min);
}

INLINE void codes_q2_k(const uint8_t *block, int part, int8x16_t q[4])
{
    uint8x16_t low[4];
    crumbs_of(((const struct block_q2_k *)(const void *)block)->qs, part, low);
    for (int i = 0; i < 4; i++)
        q[i] = as_signed(low[i]);
}

/* Scales of four bits in eight bytes, and two more for each in four. */
INLINE void scales_q3_k(const uint8_t *block, struct step_scales *s)
{
    const struct block_q3_k *b = (const void *)block;
    const uint32_t low = 0x0F0F0F0F, high = 0x03030303;
    const uint32_t s0 = block_u32(b->scales), s1 = block_u32(b->scales + 4);
    const uint32_t s2 = block_u32(b->scales + 8);
    const uint32_t six[4] = { (s0 & low) | (s2 & high) << 4, (s1 & low) | (s2 >> 2 & high) << 4,
                              (s0 >> 4 & low) | (s2 >> 4 & high) << 4,
                              (s1 >> 4 & low) | (s2 >> 6 & high) << 4 };
    int8x16_t scales = vreinterpretq_s8_u32(vld1q_u32(six));
    scales_of_16(vsubq_s8(scales, vdupq_n_s8(32)), half_at(b->d), s->scale);
}

/* Bit j of byte i of hmask belongs to element 32·j + i: 4 less where it is clear. */
INLINE void codes_q3_k(const uint8_t *block, int part, int8x16_t q[4])
{
    const struct block_q3_k *b = (const void *)block;
    uint8x16_t low[4];
    crumbs_of(b->qs, part, low);
    for (int i = 0; i < 4; i++) {
        uint8x16_t bit = vdupq_n_u8((uint8_t)(1 << (2 * part + i / 2)));
        uint8x16_t set = vtstq_u8(vld1q_u8(b->hmask + 16 * (i % 2)), bit);
        q[i] = vsubq_s8(as_signed(low[i]), as_signed(vbicq_u8(vdupq_n_u8(4), set)));
    }
}

INLINE void scales_iq4_xs(const uint8_t *block, struct step_scales *s)
{
    const struct block_iq4_xs *b = (const void *)block;
    const uint32_t high = block_u16(b->scales_h);
    float32x4_t per_32[2];
    int32_t all[8];

    for (unsigned c = 0; c < 8; c++) {
        uint32_t low = b->scales_l[c / 2] >> 4 * (c % 2) & 15u;
        all[c] = (int32_t)(low | (high >> 2 * c & 3) << 4) - 32;
    }
    for (int i = 0; i < 2; i++)
        per_32[i] = vmulq_n_f32(vcvtq_f32_s32(vld1q_s32(all + 4 * i)), half_at(b->d));
    scales_of_32(per_32, s->scale);
}

INLINE void codes_iq4_xs(const uint8_t *block, int part, int8x16_t q[4])
{
    const struct block_iq4_xs *b = (const void *)block;
    look_up(quant_iq4_values, b->qs + 32 * part, q);
    look_up(quant_iq4_values, b->qs + 32 * part + 16, q + 2);
}

/* ---- steps ---- */

/* Where a step's codes and scales come from. */
struct step {
    const uint8_t *at;
    struct kern_unpacked plain; /* if the kind is taken apart by plain C */
};

INLINE void begin_step(const struct block_kind kind, const uint8_t *w, struct step *step)
{
    step->at = w;
    if (kind.plain_length)
        kern_unpack_c[kind.type](w, &step->plain);
}

/* Four blocks of 32. */
INLINE void scales_of_blocks(const struct block_kind kind, const uint8_t *w, struct step_scales *s)
{
    uint32_t all[4];
    for (size_t i = 0; i < 4; i++) {
        const uint8_t *block = w + i * kind.bytes;
        all[i] = kind.power_of_two ? quant_half_e8m0_bits(*block)
                 : kind.min        ? block_u32(block)
                                   : block_u16(block);
    }
    uint32x4_t heads = vld1q_u32(all);
    float32x4_t d =
        kind.power_of_two ? vreinterpretq_f32_u32(heads) : floats_of_halves(vmovn_u32(heads));
    s->scale[0] = vzip1q_f32(d, d);
    s->scale[1] = vzip2q_f32(d, d);
    if (kind.min)
        s->min[0] = floats_of_halves(vshrn_n_u32(heads, 16));
}

INLINE void scales_of_step(const struct block_kind kind, const struct step *step,
                           struct step_scales *s)
{
    if (kind.plain_length) {
#pragma GCC unroll 4
        for (size_t i = 0; i < kind.plain_length / 64; i++)
            s->scale[i] = vld1q_f32(step->plain.scale + 4 * i);
    } else if (kind.codes_32) {
        scales_of_blocks(kind, step->at, s);
    } else {
        kind.scales(step->at, s);
    }
}

INLINE void codes_of_part(const struct block_kind kind, const struct step *step, int part,
                          int8x16_t q[4])
{
    if (kind.plain_length) {
        for (int i = 0; i < 4; i++)
            q[i] = vld1q_s8(step->plain.q + 64 * part + 16 * i);
    } else if (kind.codes_32) {
        kind.codes_32(step->at + 2 * (size_t)part * kind.bytes, q);
        kind.codes_32(step->at + (2 * (size_t)part + 1) * kind.bytes, q + 2);
    } else {
        kind.codes_64(step->at, part, q);
    }
}

#define KIND_32(name, ...)                                                                         \
    { .bytes = sizeof(struct block_##name), .codes_32 = codes_##name, __VA_ARGS__ }
#define KIND_256(name, from, ...)                                                                  \
    { .bytes = sizeof(struct block_##name), .codes_64 = codes_##name, .scales = from, __VA_ARGS__ }
#define KIND_PLAIN(name, type_, length, ...)                                                       \
    { .bytes = sizeof(struct block_##name), .type = type_, .plain_length = length, __VA_ARGS__ }

#define KIND_q4_0 KIND_32(q4_0, .min = false)
#define KIND_q4_1 KIND_32(q4_1, .min = true)
#define KIND_q5_0 KIND_32(q5_0, .min = false)
#define KIND_q5_1 KIND_32(q5_1, .min = true)
#define KIND_q8_0 KIND_32(q8_0, .min = false)
#define KIND_iq4_nl KIND_32(iq4_nl, .min = false)
#define KIND_mxfp4 KIND_32(mxfp4, .power_of_two = true)
#define KIND_q4_k KIND_256(q4_k, scales_of_k, .min = true)
#define KIND_q5_k KIND_256(q5_k, scales_of_k, .min = true)
#define KIND_q6_k KIND_256(q6_k, scales_q6_k, .per_16 = true)
#define KIND_q2_k KIND_256(q2_k, scales_q2_k, .min = true, .per_16 = true)
#define KIND_q3_k KIND_256(q3_k, scales_q3_k, .per_16 = true)
#define KIND_iq4_xs KIND_256(iq4_xs, scales_iq4_xs, .min = false)
#define KIND_nvfp4 KIND_PLAIN(nvfp4, QUANT_NVFP4, 64, .per_16 = true)
#define KIND_q1_0 KIND_PLAIN(q1_0, QUANT_Q1_0, 128, .min = false)
#define KIND_q2_0 KIND_PLAIN(q2_0, QUANT_Q2_0, 64, .min = false)
#define KIND_tq1_0 KIND_PLAIN(tq1_0, QUANT_TQ1_0, 256, .min = false)
#define KIND_tq2_0 KIND_PLAIN(tq2_0, QUANT_TQ2_0, 256, .min = false)
#define KIND_iq2_xxs KIND_PLAIN(iq2_xxs, QUANT_IQ2_XXS, 256, .min = false)
#define KIND_iq2_xs KIND_PLAIN(iq2_xs, QUANT_IQ2_XS, 256, .per_16 = true)
#define KIND_iq2_s KIND_PLAIN(iq2_s, QUANT_IQ2_S, 256, .per_16 = true)
#define KIND_iq3_xxs KIND_PLAIN(iq3_xxs, QUANT_IQ3_XXS, 256, .min = false)
#define KIND_iq3_s KIND_PLAIN(iq3_s, QUANT_IQ3_S, 256, .min = false)
#define KIND_iq1_s KIND_PLAIN(iq1_s, QUANT_IQ1_S, 256, .min = false)
#define KIND_iq1_m KIND_PLAIN(iq1_m, QUANT_IQ1_M, 256, .per_16 = true)
