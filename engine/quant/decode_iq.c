/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The types whose codes are rows of a grid: IQ2 and IQ3 are magnitudes with signs apart, IQ1 are
 * -1, 0, 1 shifted by an eighth. Rounding as in decode.c. */
#include "quant/blocks.h"
#include "quant/decode.h"
#include "quant/grids.h"
#include "quant/types.h"

static float f16_at(const uint8_t b[2])
{
    return quant_f16_to_f32(block_u16(b));
}

/* n elements of a row of a grid. */
static void signed_row(float *dst, float scale, const int8_t *row, unsigned n, unsigned signs)
{
    for (unsigned i = 0; i < n; i++)
        dst[i] = scale * (float)row[i] * (signs >> i & 1 ? -1.0f : 1.0f);
}

void quant_decode_iq2_xxs(const void *src, size_t n, float *dst)
{
    const struct block_iq2_xxs *b = src;
    for (const float *end = dst + n; dst < end; dst += 256, b++) {
        float d = f16_at(b->d);
        for (unsigned c = 0; c < 8; c++) {
            const uint8_t *q = b->qs + 8 * c;
            uint32_t a = block_u32(q + 4);
            float scale = d * (0.5f + (float)(a >> 28)) * 0.25f;
            for (unsigned l = 0; l < 4; l++)
                signed_row(dst + 32 * c + 8 * l, scale, quant_iq2xxs_grid[q[l]], 8,
                           quant_even_signs(a >> 7 * l & 127));
        }
    }
}

void quant_decode_iq2_xs(const void *src, size_t n, float *dst)
{
    const struct block_iq2_xs *b = src;
    for (const float *end = dst + n; dst < end; dst += 256, b++) {
        float d = f16_at(b->d);
        for (unsigned g = 0; g < 32; g++) {
            unsigned w = block_u16(b->qs + 2 * g);
            unsigned s = b->scales[g / 4] >> 4 * (g / 2 % 2) & 15;
            float scale = d * (0.5f + (float)s) * 0.25f;
            signed_row(dst + 8 * g, scale, quant_iq2xs_grid[w & 511], 8, quant_even_signs(w >> 9));
        }
    }
}

void quant_decode_iq2_s(const void *src, size_t n, float *dst)
{
    const struct block_iq2_s *b = src;
    for (const float *end = dst + n; dst < end; dst += 256, b++) {
        float d = f16_at(b->d);
        for (unsigned g = 0; g < 32; g++) {
            unsigned row = b->qs[g] | (b->qh[g / 4] >> 2 * (g % 4) & 3u) << 8;
            unsigned s = b->scales[g / 4] >> 4 * (g / 2 % 2) & 15;
            float scale = d * (0.5f + (float)s) * 0.25f;
            signed_row(dst + 8 * g, scale, quant_iq2s_grid[row], 8, b->signs[g]);
        }
    }
}

void quant_decode_iq3_xxs(const void *src, size_t n, float *dst)
{
    const struct block_iq3_xxs *b = src;
    for (const float *end = dst + n; dst < end; dst += 256, b++) {
        float d = f16_at(b->d);
        for (unsigned c = 0; c < 8; c++) {
            uint32_t a = block_u32(b->scales_signs + 4 * c);
            float scale = d * (0.5f + (float)(a >> 28)) * 0.5f;
            for (unsigned l = 0; l < 4; l++) {
                unsigned signs = quant_even_signs(a >> 7 * l & 127);
                const uint8_t *q = b->qs + 8 * c + 2 * l;
                float *y = dst + 32 * c + 8 * l;
                signed_row(y, scale, quant_iq3xxs_grid[q[0]], 4, signs);
                signed_row(y + 4, scale, quant_iq3xxs_grid[q[1]], 4, signs >> 4);
            }
        }
    }
}

void quant_decode_iq3_s(const void *src, size_t n, float *dst)
{
    const struct block_iq3_s *b = src;
    for (const float *end = dst + n; dst < end; dst += 256, b++) {
        float d = f16_at(b->d);
        for (unsigned g = 0; g < 32; g++) {
            unsigned c = g / 4, l = g % 4;
            unsigned s = b->scales[c / 2] >> 4 * (c % 2) & 15;
            float scale = d * (float)(1 + 2 * s);
            const uint8_t *q = b->qs + 2 * g;
            unsigned high = b->qh[c] >> 2 * l;
            signed_row(dst + 8 * g, scale, quant_iq3s_grid[q[0] | (high & 1) << 8], 4, b->signs[g]);
            signed_row(dst + 8 * g + 4, scale, quant_iq3s_grid[q[1] | (high & 2) << 7], 4,
                       b->signs[g] >> 4u);
        }
    }
}

static void shifted(float *dst, float scale, const int8_t row[8], float delta)
{
    for (unsigned i = 0; i < 8; i++)
        dst[i] = scale * ((float)row[i] + delta);
}

void quant_decode_iq1_s(const void *src, size_t n, float *dst)
{
    const struct block_iq1_s *b = src;
    for (const float *end = dst + n; dst < end; dst += 256, b++) {
        float d = f16_at(b->d);
        for (unsigned g = 0; g < 32; g++) {
            unsigned h = block_u16(b->qh + 2 * (g / 4));
            float scale = d * (float)(2 * (h >> 12 & 7) + 1);
            unsigned row = b->qs[g] | (h >> 3 * (g % 4) & 7) << 8;
            shifted(dst + 8 * g, scale, quant_iq1s_grid[row], h & 0x8000 ? -0.125f : 0.125f);
        }
    }
}

uint16_t quant_iq1_m_scale(const struct block_iq1_m *b)
{
    unsigned bits = 0;
    for (unsigned t = 0; t < 4; t++)
        bits |= (unsigned)(block_u16(b->scales + 2 * t) >> 12) << 4 * t;
    return (uint16_t)bits;
}

void quant_decode_iq1_m(const void *src, size_t n, float *dst)
{
    const struct block_iq1_m *b = src;
    for (const float *end = dst + n; dst < end; dst += 256, b++) {
        float d = quant_f16_to_f32(quant_iq1_m_scale(b));
        for (unsigned g = 0; g < 32; g++) {
            unsigned nibble = b->qh[g / 2] >> 4 * (g % 2) & 15, k = g / 2;
            unsigned s = block_u16(b->scales + 2 * (k / 4)) >> 3 * (k % 4) & 7;
            unsigned row = b->qs[g] | (nibble & 7) << 8;
            shifted(dst + 8 * g, d * (float)(2 * s + 1), quant_iq1s_grid[row],
                    nibble & 8 ? -0.125f : 0.125f);
        }
    }
}
