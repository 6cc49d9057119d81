/* SPDX-License-Identifier: GPL-3.0-or-later */
/* unpack_c.c - blocks of every type taken apart, written to be read. Where codes are rows of a grid
 * or entries of a table, what they stand for are small integers, and those are the codes here. */
#include "cpu/unpack_c.h"

#include <string.h>

#include "quant/decode.h"
#include "quant/grids.h"

static float f16_at(const uint8_t b[2])
{
    return quant_f16_to_f32(block_u16(b));
}

static void set_scale(struct kern_unpacked *u, float scale, float min)
{
    u->scale[0] = u->scale[1] = scale;
    u->min[0] = u->min[1] = min;
}

/* 16 bytes of nibbles and up to 32 fifth bits, in the order of "halves". */
static void unpack_halves(const uint8_t qs[16], uint32_t high, int offset, int8_t q[32])
{
    for (unsigned j = 0; j < 16; j++) {
        q[j] = (int8_t)((qs[j] & 15) + (int)((high >> j & 1) << 4) - offset);
        q[j + 16] = (int8_t)((qs[j] >> 4) + (int)((high >> (j + 16) & 1) << 4) - offset);
    }
}

static void unpack_q4_0(const void *block, struct kern_unpacked *u)
{
    const struct block_q4_0 *b = block;
    set_scale(u, f16_at(b->d), 0);
    unpack_halves(b->qs, 0, 8, u->q);
}

static void unpack_q4_1(const void *block, struct kern_unpacked *u)
{
    const struct block_q4_1 *b = block;
    set_scale(u, f16_at(b->d), -f16_at(b->m));
    unpack_halves(b->qs, 0, 0, u->q);
}

static void unpack_q5_0(const void *block, struct kern_unpacked *u)
{
    const struct block_q5_0 *b = block;
    set_scale(u, f16_at(b->d), 0);
    unpack_halves(b->qs, block_u32(b->qh), 16, u->q);
}

static void unpack_q5_1(const void *block, struct kern_unpacked *u)
{
    const struct block_q5_1 *b = block;
    set_scale(u, f16_at(b->d), -f16_at(b->m));
    unpack_halves(b->qs, block_u32(b->qh), 0, u->q);
}

static void unpack_q8_0(const void *block, struct kern_unpacked *u)
{
    const struct block_q8_0 *b = block;
    set_scale(u, f16_at(b->d), 0);
    memcpy(u->q, b->qs, sizeof b->qs);
}

static void unpack_scale_min(const uint8_t d[2], const uint8_t dmin[2], const uint8_t packed[12],
                             struct kern_unpacked *u)
{
    for (unsigned j = 0; j < 8; j++) {
        uint8_t scale, min;
        quant_scale_min(packed, j, &scale, &min);
        u->scale[2 * j] = u->scale[2 * j + 1] = f16_at(d) * scale;
        u->min[2 * j] = u->min[2 * j + 1] = f16_at(dmin) * min;
    }
}

static void unpack_q4_k(const void *block, struct kern_unpacked *u)
{
    const struct block_q4_k *b = block;
    unpack_scale_min(b->d, b->dmin, b->scales, u);
    for (int i = 0; i < QUANT_SUPER_BLOCK; i++) {
        uint8_t byte = b->qs[i / 64 * 32 + i % 32];
        u->q[i] = (int8_t)(i / 32 % 2 ? byte >> 4 : byte & 15);
    }
}

static void unpack_q5_k(const void *block, struct kern_unpacked *u)
{
    const struct block_q5_k *b = block;
    unpack_scale_min(b->d, b->dmin, b->scales, u);
    for (int i = 0; i < QUANT_SUPER_BLOCK; i++) {
        uint8_t byte = b->qs[i / 64 * 32 + i % 32];
        int high = b->qh[i % 32] >> (i / 32) & 1;
        u->q[i] = (int8_t)((i / 32 % 2 ? byte >> 4 : byte & 15) | high << 4);
    }
}

static void unpack_q6_k(const void *block, struct kern_unpacked *u)
{
    const struct block_q6_k *b = block;
    for (int g = 0; g < 16; g++)
        u->scale[g] = f16_at(b->d) * b->scales[g];
    for (int i = 0; i < QUANT_SUPER_BLOCK; i++) {
        int half = i / 128, quarter = i / 32 % 4, l = i % 32;
        uint8_t byte = b->ql[64 * half + 32 * (quarter % 2) + l];
        int low = quarter < 2 ? byte & 15 : byte >> 4;
        int high = b->qh[32 * half + l] >> (2 * quarter) & 3;
        u->q[i] = (int8_t)((low | high << 4) - 32);
    }
}

/* ---- two and three bits ---- */

/* The 2-bit code of element i where 32 bytes hold four rows of 32. */
static int crumb(const uint8_t qs[64], int i)
{
    return qs[32 * (i / 128) + i % 32] >> 2 * (i / 32 % 4) & 3;
}

static void unpack_q2_k(const void *block, struct kern_unpacked *u)
{
    const struct block_q2_k *b = block;
    for (int g = 0; g < 16; g++) {
        u->scale[g] = f16_at(b->d) * (b->scales[g] & 15);
        u->min[g] = f16_at(b->dmin) * (b->scales[g] >> 4);
    }
    for (int i = 0; i < QUANT_SUPER_BLOCK; i++)
        u->q[i] = (int8_t)crumb(b->qs, i);
}

static void unpack_q3_k(const void *block, struct kern_unpacked *u)
{
    const struct block_q3_k *b = block;
    for (int g = 0; g < 16; g++) {
        int low = b->scales[g % 8] >> 4 * (g / 8) & 15;
        int high = b->scales[8 + g % 4] >> 2 * (g / 4) & 3;
        u->scale[g] = f16_at(b->d) * (float)((low | high << 4) - 32);
    }
    for (int i = 0; i < QUANT_SUPER_BLOCK; i++)
        u->q[i] = (int8_t)(crumb(b->qs, i) - (b->hmask[i % 32] >> i / 32 & 1 ? 0 : 4));
}

static void same_scale(struct kern_unpacked *u, int n, float scale)
{
    for (int g = 0; g < n / 16; g++)
        u->scale[g] = scale;
}

static void unpack_q1_0(const void *block, struct kern_unpacked *u)
{
    const struct block_q1_0 *b = block;
    same_scale(u, 128, f16_at(b->d));
    for (int i = 0; i < 128; i++)
        u->q[i] = b->qs[i / 8] >> i % 8 & 1 ? 1 : -1;
}

static void unpack_q2_0(const void *block, struct kern_unpacked *u)
{
    const struct block_q2_0 *b = block;
    same_scale(u, 64, f16_at(b->d));
    for (int i = 0; i < 64; i++)
        u->q[i] = (int8_t)((b->qs[i / 4] >> 2 * (i % 4) & 3) - 1);
}

/* Base-3 digit n of a byte, the most significant first, less one. */
static int8_t trit(uint8_t byte, int n)
{
    static const uint8_t powers[] = { 1, 3, 9, 27, 81 };
    return (int8_t)(((uint8_t)(byte * powers[n]) * 3 >> 8) - 1);
}

static void unpack_tq1_0(const void *block, struct kern_unpacked *u)
{
    const struct block_tq1_0 *b = block;
    same_scale(u, 256, f16_at(b->d));
    for (int i = 0; i < 160; i++)
        u->q[i] = trit(b->qs[i % 32], i / 32);
    for (int i = 0; i < 80; i++)
        u->q[160 + i] = trit(b->qs[32 + i % 16], i / 16);
    for (int i = 0; i < 16; i++)
        u->q[240 + i] = trit(b->qh[i % 4], i / 4);
}

static void unpack_tq2_0(const void *block, struct kern_unpacked *u)
{
    const struct block_tq2_0 *b = block;
    same_scale(u, 256, f16_at(b->d));
    for (int i = 0; i < QUANT_SUPER_BLOCK; i++)
        u->q[i] = (int8_t)(crumb(b->qs, i) - 1);
}

/* ---- tables of 16 values ---- */

/* n bytes: the lower nibbles first, then the upper ones. */
static void look_up(const int8_t values[16], const uint8_t *qs, int n, int8_t *q)
{
    for (int j = 0; j < n; j++) {
        q[j] = values[qs[j] & 15];
        q[j + n] = values[qs[j] >> 4];
    }
}

static void unpack_iq4_nl(const void *block, struct kern_unpacked *u)
{
    const struct block_iq4_nl *b = block;
    same_scale(u, 32, f16_at(b->d));
    look_up(quant_iq4_values, b->qs, 16, u->q);
}

static void unpack_iq4_xs(const void *block, struct kern_unpacked *u)
{
    const struct block_iq4_xs *b = block;
    for (int c = 0; c < 8; c++) {
        int low = b->scales_l[c / 2] >> 4 * (c % 2) & 15;
        int high = block_u16(b->scales_h) >> 2 * c & 3;
        u->scale[2 * c] = u->scale[2 * c + 1] = f16_at(b->d) * (float)((low | high << 4) - 32);
        look_up(quant_iq4_values, b->qs + 16 * c, 16, u->q + 32 * c);
    }
}

static void unpack_mxfp4(const void *block, struct kern_unpacked *u)
{
    const struct block_mxfp4 *b = block;
    same_scale(u, 32, quant_half_e8m0(b->e));
    look_up(quant_fp4_values, b->qs, 16, u->q);
}

static void unpack_nvfp4(const void *block, struct kern_unpacked *u)
{
    const struct block_nvfp4 *b = block;
    for (int s = 0; s < 4; s++) {
        u->scale[s] = quant_half_ue4m3(b->d[s]);
        look_up(quant_fp4_values, b->qs + 8 * s, 8, u->q + 16 * s);
    }
}

/* ---- grids ---- */

/* n elements of a row of a grid. */
static void signed_row(const int8_t *row, int n, unsigned signs, int8_t *q)
{
    for (int i = 0; i < n; i++)
        q[i] = (int8_t)(signs >> i & 1 ? -row[i] : row[i]);
}

static void unpack_iq2_xxs(const void *block, struct kern_unpacked *u)
{
    const struct block_iq2_xxs *b = block;
    for (int c = 0; c < 8; c++) {
        const uint8_t *at = b->qs + 8 * c;
        uint32_t a = block_u32(at + 4);
        u->scale[2 * c] = u->scale[2 * c + 1] = f16_at(b->d) * (0.5f + (float)(a >> 28)) * 0.25f;
        for (int l = 0; l < 4; l++)
            signed_row(quant_iq2xxs_grid[at[l]], 8, quant_even_signs(a >> 7 * l & 127),
                       u->q + 32 * c + 8 * l);
    }
}

/* Scales of 16 elements, a nibble each. */
static void iq2_scales(const uint8_t d[2], const uint8_t scales[8], struct kern_unpacked *u)
{
    for (int g = 0; g < 16; g++)
        u->scale[g] = f16_at(d) * (0.5f + (float)(scales[g / 2] >> 4 * (g % 2) & 15)) * 0.25f;
}

static void unpack_iq2_xs(const void *block, struct kern_unpacked *u)
{
    const struct block_iq2_xs *b = block;
    iq2_scales(b->d, b->scales, u);
    for (int g = 0; g < 32; g++) {
        unsigned w = block_u16(b->qs + 2 * g);
        signed_row(quant_iq2xs_grid[w & 511], 8, quant_even_signs(w >> 9), u->q + 8 * g);
    }
}

static void unpack_iq2_s(const void *block, struct kern_unpacked *u)
{
    const struct block_iq2_s *b = block;
    iq2_scales(b->d, b->scales, u);
    for (int g = 0; g < 32; g++) {
        int row = b->qs[g] | (b->qh[g / 4] >> 2 * (g % 4) & 3) << 8;
        signed_row(quant_iq2s_grid[row], 8, b->signs[g], u->q + 8 * g);
    }
}

static void unpack_iq3_xxs(const void *block, struct kern_unpacked *u)
{
    const struct block_iq3_xxs *b = block;
    for (int c = 0; c < 8; c++) {
        uint32_t a = block_u32(b->scales_signs + 4 * c);
        u->scale[2 * c] = u->scale[2 * c + 1] = f16_at(b->d) * (0.5f + (float)(a >> 28)) * 0.5f;
        for (int l = 0; l < 8; l++)
            signed_row(quant_iq3xxs_grid[b->qs[8 * c + l]], 4,
                       quant_even_signs(a >> 7 * (l / 2) & 127) >> 4 * (l % 2),
                       u->q + 32 * c + 4 * l);
    }
}

static void unpack_iq3_s(const void *block, struct kern_unpacked *u)
{
    const struct block_iq3_s *b = block;
    for (int c = 0; c < 8; c++) {
        int s = b->scales[c / 2] >> 4 * (c % 2) & 15;
        u->scale[2 * c] = u->scale[2 * c + 1] = f16_at(b->d) * (float)(1 + 2 * s);
        for (int l = 0; l < 8; l++) {
            int row = b->qs[8 * c + l] | (b->qh[c] >> l & 1) << 8;
            signed_row(quant_iq3s_grid[row], 4, (unsigned)b->signs[4 * c + l / 2] >> 4 * (l % 2),
                       u->q + 32 * c + 4 * l);
        }
    }
}

/* −1, 0 and 1, shifted by an eighth: eight times that is −9 … 9. */
static void shifted(const int8_t row[8], bool down, int8_t *q)
{
    for (int i = 0; i < 8; i++)
        q[i] = (int8_t)(8 * row[i] + (down ? -1 : 1));
}

static void unpack_iq1_s(const void *block, struct kern_unpacked *u)
{
    const struct block_iq1_s *b = block;
    for (int g = 0; g < 32; g++) {
        unsigned h = block_u16(b->qh + 2 * (g / 4));
        u->scale[g / 2] = f16_at(b->d) * (float)(2 * (h >> 12 & 7) + 1) * 0.125f;
        shifted(quant_iq1s_grid[b->qs[g] | (h >> 3 * (g % 4) & 7) << 8], h & 0x8000, u->q + 8 * g);
    }
}

static void unpack_iq1_m(const void *block, struct kern_unpacked *u)
{
    const struct block_iq1_m *b = block;
    float d = quant_f16_to_f32(quant_iq1_m_scale(b));
    for (int g = 0; g < 32; g++) {
        int nibble = b->qh[g / 2] >> 4 * (g % 2) & 15, k = g / 2;
        int s = block_u16(b->scales + 2 * (k / 4)) >> 3 * (k % 4) & 7;
        u->scale[k] = d * (float)(2 * s + 1) * 0.125f;
        shifted(quant_iq1s_grid[b->qs[g] | (nibble & 7) << 8], nibble & 8, u->q + 8 * g);
    }
}

#define UNPACK_ENTRY(name, type) [type] = unpack_##name,

void (*const kern_unpack_c[QUANT_TYPE_COUNT])(const void *block, struct kern_unpacked *u) = {
    KERN_BLOCK_TYPES(UNPACK_ENTRY)
};
