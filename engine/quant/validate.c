/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether blocks hold scales and values that can be meant, and their bytes in the other order. */
#include <stdlib.h>

#include "quant/blocks.h"
#include "quant/decode.h"
#include "quant/types.h"

static bool bad_f16(const uint8_t *p)
{
    return (block_u16(p) & 0x7C00) == 0x7C00;
}

static bool bad_f32(const uint8_t *p)
{
    return (block_u32(p) & 0x7F800000) == 0x7F800000;
}

enum { MAX_FIELDS = 4 };

/* Numbers of more than one byte inside a block: where, how many side by side, how wide. A scale is
 * a float that must be finite. The number of them ends with width 0. */
struct field {
    uint16_t at, count;
    uint8_t width;
    bool scale;
};

#define F16(at) { at, 1, 2, true }
static const struct field fields[QUANT_TYPE_COUNT][MAX_FIELDS] = {
    [QUANT_F32] = { { 0, 1, 4, true } },
    [QUANT_F16] = { F16(0) },
    [QUANT_BF16] = { { 0, 1, 2, false } },
    [QUANT_I16] = { { 0, 1, 2, false } },
    [QUANT_I32] = { { 0, 1, 4, false } },
    [QUANT_I64] = { { 0, 1, 8, false } },
    [QUANT_F64] = { { 0, 1, 8, false } },
    [QUANT_Q4_0] = { F16(0) },
    [QUANT_Q4_1] = { F16(0), F16(2) },
    [QUANT_Q5_0] = { F16(0) },
    [QUANT_Q5_1] = { F16(0), F16(2) },
    [QUANT_Q8_0] = { F16(0) },
    [QUANT_Q8_1] = { F16(0), F16(2) },
    [QUANT_Q2_K] = { F16(80), F16(82) },
    [QUANT_Q3_K] = { F16(108) },
    [QUANT_Q4_K] = { F16(0), F16(2) },
    [QUANT_Q5_K] = { F16(0), F16(2) },
    [QUANT_Q6_K] = { F16(208) },
    [QUANT_Q8_K] = { { 0, 1, 4, true }, { 260, 16, 2, false } },
    [QUANT_IQ2_XXS] = { F16(0), { 2, 32, 2, false } },
    [QUANT_IQ2_XS] = { F16(0), { 2, 32, 2, false } },
    [QUANT_IQ2_S] = { F16(0) },
    [QUANT_IQ3_XXS] = { F16(0) },
    [QUANT_IQ3_S] = { F16(0) },
    [QUANT_IQ1_S] = { F16(0), { 34, 8, 2, false } },
    [QUANT_IQ4_NL] = { F16(0) },
    [QUANT_IQ4_XS] = { F16(0), { 2, 1, 2, false } },
    [QUANT_TQ1_0] = { F16(52) },
    [QUANT_TQ2_0] = { F16(64) },
    [QUANT_Q1_0] = { F16(0) },
    [QUANT_Q2_0] = { F16(0) },
};

static bool block_is_bad(uint32_t type, const uint8_t *b)
{
    switch (type) {
    case QUANT_BF16:
        return (block_u16(b) & 0x7F80) == 0x7F80;
    case QUANT_F64:
        return ((b[7] & 0x7F) << 4 | b[6] >> 4) == 0x7FF;
    case QUANT_MXFP4:
        return b[0] == 255;
    case QUANT_IQ1_M:
        return (quant_iq1_m_scale((const struct block_iq1_m *)b) & 0x7C00) == 0x7C00;
    default:
        for (const struct field *f = fields[type]; f < fields[type] + MAX_FIELDS && f->width; f++) {
            if (f->scale && (f->width == 2 ? bad_f16(b + f->at) : bad_f32(b + f->at)))
                return true;
        }
        return false;
    }
}

bool quant_validate(uint32_t type, const void *data, size_t n_bytes, size_t *first_bad)
{
    const struct quant_info *info = quant_info(type);
    const uint8_t *bytes = data;

    *first_bad = 0;
    if (!info || !info->block_length || type == QUANT_Q8_1 || n_bytes % info->block_bytes)
        return false;
    for (size_t i = 0; i < n_bytes / info->block_bytes; i++) {
        if (block_is_bad(type, bytes + i * info->block_bytes)) {
            *first_bad = i;
            return false;
        }
    }
    return true;
}

static void reverse(uint8_t *p, unsigned width)
{
    for (unsigned i = 0; i < width / 2; i++) {
        uint8_t byte = p[i];
        p[i] = p[width - 1 - i];
        p[width - 1 - i] = byte;
    }
}

void quant_swap_bytes(uint32_t type, void *data, size_t n_bytes)
{
    const struct quant_info *info = quant_info(type);
    uint8_t *b = data;

    if (!info || !info->block_length)
        return;
    for (size_t left = n_bytes / info->block_bytes; left; left--, b += info->block_bytes) {
        for (const struct field *f = fields[type]; f < fields[type] + MAX_FIELDS && f->width; f++) {
            for (unsigned i = 0; i < f->count; i++)
                reverse(b + f->at + i * f->width, f->width);
        }
    }
}
