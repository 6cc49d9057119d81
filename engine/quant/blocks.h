/* SPDX-License-Identifier: GPL-3.0-or-later */
/* blocks.h - how the elements of each block type lie in memory.
 *
 * The structs are made of bytes and 16-bit pieces stored as bytes, so they have no padding and no
 * alignment: a pointer into a mapped file may be cast to them. Fields are little-endian; read them
 * with block_u16() and friends. "halves": element j is the low nibble of byte j, element j + 16 the
 * high one. The sizes are the contract with the file format. */
#pragma once

#include <assert.h>
#include <stdint.h>

enum { QUANT_BLOCK = 32, QUANT_SUPER_BLOCK = 256 };

struct block_q4_0 {
    uint8_t d[2];   /* f16 */
    uint8_t qs[16]; /* halves */
};
struct block_q4_1 {
    uint8_t d[2], m[2];
    uint8_t qs[16];
};
struct block_q5_0 {
    uint8_t d[2];
    uint8_t qh[4]; /* u32: bit i is the fifth bit of element i */
    uint8_t qs[16];
};
struct block_q5_1 {
    uint8_t d[2], m[2];
    uint8_t qh[4];
    uint8_t qs[16];
};
struct block_q8_0 {
    uint8_t d[2];
    int8_t qs[32];
};
struct block_q8_1 {
    uint8_t d[2];
    uint8_t s[2]; /* f16: d times the sum of qs */
    int8_t qs[32];
};
struct block_q1_0 {
    uint8_t d[2];
    uint8_t qs[16]; /* bit i mod 8 of byte i / 8 */
};
struct block_q2_0 {
    uint8_t d[2];
    uint8_t qs[16]; /* four consecutive elements per byte */
};
struct block_iq4_nl {
    uint8_t d[2];
    uint8_t qs[16];
};
struct block_mxfp4 {
    uint8_t e; /* E8M0 exponent */
    uint8_t qs[16];
};
struct block_nvfp4 {
    uint8_t d[4]; /* UE4M3, one per 16 elements */
    uint8_t qs[32];
};

struct block_q2_k {
    uint8_t scales[16]; /* low nibble scale, high nibble minimum, per 16 elements */
    uint8_t qs[64];     /* crumbs: 2-bit codes of 32 bytes serve four rows of 32 elements */
    uint8_t d[2], dmin[2];
};
struct block_q3_k {
    uint8_t hmask[32];
    uint8_t qs[64]; /* crumbs */
    uint8_t scales[12];
    uint8_t d[2];
};
struct block_q4_k {
    uint8_t d[2], dmin[2];
    uint8_t scales[12]; /* eight 6-bit scales and minima; quant_scale_min() unpacks them */
    uint8_t qs[128];
};
struct block_q5_k {
    uint8_t d[2], dmin[2];
    uint8_t scales[12];
    uint8_t qh[32];
    uint8_t qs[128];
};
struct block_q6_k {
    uint8_t ql[128], qh[64];
    int8_t scales[16];
    uint8_t d[2];
};
struct block_q8_k {
    uint8_t d[4]; /* f32 */
    int8_t qs[256];
    uint8_t bsums[32]; /* i16: sums of each 16 qs */
};
struct block_tq1_0 {
    uint8_t qs[48]; /* five base-3 digits per byte */
    uint8_t qh[4];  /* four */
    uint8_t d[2];
};
struct block_tq2_0 {
    uint8_t qs[64]; /* crumbs */
    uint8_t d[2];
};
struct block_iq4_xs {
    uint8_t d[2];
    uint8_t scales_h[2]; /* u16 */
    uint8_t scales_l[4];
    uint8_t qs[128];
};
struct block_iq2_xxs {
    uint8_t d[2];
    uint8_t qs[64];
};
struct block_iq2_xs {
    uint8_t d[2];
    uint8_t qs[64]; /* u16 */
    uint8_t scales[8];
};
struct block_iq2_s {
    uint8_t d[2];
    uint8_t qs[32], signs[32], qh[8], scales[8];
};
struct block_iq3_xxs {
    uint8_t d[2];
    uint8_t qs[64];
    uint8_t scales_signs[32]; /* u32 */
};
struct block_iq3_s {
    uint8_t d[2];
    uint8_t qs[64], qh[8], signs[32], scales[4];
};
struct block_iq1_s {
    uint8_t d[2];
    uint8_t qs[32];
    uint8_t qh[16]; /* u16 */
};
struct block_iq1_m {
    uint8_t qs[32], qh[16];
    uint8_t scales[8]; /* u16; their top nibbles together are the f16 scale */
};

static_assert(sizeof(struct block_q4_0) == 18, "q4_0");
static_assert(sizeof(struct block_q4_1) == 20, "q4_1");
static_assert(sizeof(struct block_q5_0) == 22, "q5_0");
static_assert(sizeof(struct block_q5_1) == 24, "q5_1");
static_assert(sizeof(struct block_q8_0) == 34, "q8_0");
static_assert(sizeof(struct block_q8_1) == 36, "q8_1");
static_assert(sizeof(struct block_q1_0) == 18, "q1_0");
static_assert(sizeof(struct block_q2_0) == 18, "q2_0");
static_assert(sizeof(struct block_iq4_nl) == 18, "iq4_nl");
static_assert(sizeof(struct block_mxfp4) == 17, "mxfp4");
static_assert(sizeof(struct block_nvfp4) == 36, "nvfp4");
static_assert(sizeof(struct block_q2_k) == 84, "q2_K");
static_assert(sizeof(struct block_q3_k) == 110, "q3_K");
static_assert(sizeof(struct block_q4_k) == 144, "q4_K");
static_assert(sizeof(struct block_q5_k) == 176, "q5_K");
static_assert(sizeof(struct block_q6_k) == 210, "q6_K");
static_assert(sizeof(struct block_q8_k) == 292, "q8_K");
static_assert(sizeof(struct block_tq1_0) == 54, "tq1_0");
static_assert(sizeof(struct block_tq2_0) == 66, "tq2_0");
static_assert(sizeof(struct block_iq4_xs) == 136, "iq4_xs");
static_assert(sizeof(struct block_iq2_xxs) == 66, "iq2_xxs");
static_assert(sizeof(struct block_iq2_xs) == 74, "iq2_xs");
static_assert(sizeof(struct block_iq2_s) == 82, "iq2_s");
static_assert(sizeof(struct block_iq3_xxs) == 98, "iq3_xxs");
static_assert(sizeof(struct block_iq3_s) == 110, "iq3_s");
static_assert(sizeof(struct block_iq1_s) == 50, "iq1_s");
static_assert(sizeof(struct block_iq1_m) == 56, "iq1_m");

/* What the 4-bit codes of IQ4_NL and IQ4_XS, and of MXFP4 and NVFP4 (twice the E2M1 value, its
 * minus zero as 0), stand for. */
extern const int8_t quant_iq4_values[16];
extern const int8_t quant_fp4_values[16];

/* Half of the E8M0 value 2^(e - 127), and of the UE4M3 value, with its two NaN patterns and bit 7
 * as the reference has them: the table of codes holds twice the E2M1 values. */
float quant_half_e8m0(uint8_t e);
float quant_half_ue4m3(uint8_t x);

/* The bits of quant_half_e8m0(); the two smallest are subnormal. */
static inline uint32_t quant_half_e8m0_bits(uint8_t e)
{
    return e < 2 ? (uint32_t)0x00200000 << e : (uint32_t)(e - 1) << 23;
}

/* Seven stored signs; the eighth makes their number even. */
static inline unsigned quant_even_signs(unsigned seven)
{
    return seven | (unsigned)__builtin_parity(seven) << 7;
}

static inline uint16_t block_u16(const uint8_t b[2])
{
    return (uint16_t)(b[0] | b[1] << 8);
}

static inline uint32_t block_u32(const uint8_t b[4])
{
    return (uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
}

/* Scale and minimum j (0 … 7) of a Q4_K or Q5_K block. */
static inline void quant_scale_min(const uint8_t s[12], unsigned j, uint8_t *scale, uint8_t *min)
{
    if (j < 4) {
        *scale = s[j] & 63;
        *min = s[j + 4] & 63;
    } else {
        *scale = (uint8_t)((s[j + 4] & 15) | (s[j - 4] >> 6) << 4);
        *min = (uint8_t)(s[j + 4] >> 4 | (s[j] >> 6) << 4);
    }
}
