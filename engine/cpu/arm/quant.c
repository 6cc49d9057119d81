/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Block types times quantised columns, and the quantiser, with NEON: with sdot, or where that is
 * missing with widening products. The sums of four groups of 16 products come together in one
 * vector, exact; there they meet the groups' scales. */
#include "cpu/arm/levels.h"
#include "cpu/arm/unpack.h"

#include <math.h>

/* ---- dot products ---- */

/* 16 products in four sums. Two of them fit 16 bits: 2 · 128 · 127 = 32512. */
INLINE int32x4_t products(int8x16_t w, int8x16_t a)
{
#if defined(__ARM_FEATURE_DOTPROD)
    return vdotq_s32(vdupq_n_s32(0), w, a);
#else
    int16x8_t pairs = vmull_s8(vget_low_s8(w), vget_low_s8(a));
    return vpaddlq_s16(vmlal_high_s8(pairs, w, a));
#endif
}

/* The sums of four groups of 16. */
INLINE int32x4_t sums_of_64(const int8x16_t w[4], const int8_t *a)
{
    int32x4_t p0 = products(w[0], vld1q_s8(a)), p1 = products(w[1], vld1q_s8(a + 16));
    int32x4_t p2 = products(w[2], vld1q_s8(a + 32)), p3 = products(w[3], vld1q_s8(a + 48));
    return vpaddq_s32(vpaddq_s32(p0, p1), vpaddq_s32(p2, p3));
}

INLINE void fetch(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i += 64)
        __builtin_prefetch(p + KERN_FETCH_NEAR + i);
}

/* Element `i` on: one block of 32 that is left over. */
INLINE void add_block(const struct block_kind kind, const uint8_t *block, size_t i,
                      const struct kern_act *x, float32x4_t *sum, float32x4_t *low)
{
    const float32x2_t nothing = vdup_n_f32(0);
    const float scale = block_scale(kind, block);
    int8x16_t q[2];

    kind.codes_32(block, q);
    int32x4_t p =
        vpaddq_s32(products(q[0], vld1q_s8(x->q + i)), products(q[1], vld1q_s8(x->q + i + 16)));
    p = vpaddq_s32(p, vdupq_n_s32(0));
    float32x4_t each = vcombine_f32(vmul_n_f32(vld1_f32(x->d + i / 16), scale), nothing);
    *sum = vfmaq_f32(*sum, vcvtq_f32_s32(p), each);
    if (kind.min) {
        float32x4_t s = vsetq_lane_f32(x->s[i / 32], vdupq_n_f32(0), 0);
        *low = vfmaq_n_f32(*low, s, block_min(kind, block));
    }
}

/* n_cols is a constant in each copy; what happens to one column is the same in all. */
INLINE void row_dot(const struct block_kind kind, const uint8_t *w, size_t k,
                    const struct kern_act *x, const size_t n_cols, float *y, size_t y_stride)
{
    const size_t length = step_length(kind), bytes = step_bytes(kind);
    float32x4_t sum[KERN_COLUMNS], low[KERN_COLUMNS];
    size_t i = 0;

    for (size_t c = 0; c < n_cols; c++)
        sum[c] = low[c] = vdupq_n_f32(0);
    for (; i + length <= k; i += length, w += bytes) {
        struct step_scales s;
        struct step step;

        fetch(w, bytes);
        begin_step(kind, w, &step);
        scales_of_step(kind, &step, &s);
        for (size_t c = 0; c < n_cols && kind.min && !kind.per_16; c++) {
#pragma GCC unroll 2
            for (size_t j = 0; j < length / 128; j++)
                low[c] = vfmaq_f32(low[c], s.min[j], vld1q_f32(x[c].s + i / 32 + 4 * j));
        }
#pragma GCC unroll 4
        for (size_t part = 0; part < length / 64; part++) {
            const size_t at = i + 64 * part;
            int8x16_t q[4];
            codes_of_part(kind, &step, (int)part, q);
#pragma GCC unroll 4
            for (size_t c = 0; c < n_cols; c++) {
                float32x4_t d = vld1q_f32(x[c].d + at / 16), each = vmulq_f32(s.scale[part], d);
                sum[c] = vfmaq_f32(sum[c], vcvtq_f32_s32(sums_of_64(q, x[c].q + at)), each);
                if (kind.min && kind.per_16) {
                    int32x4_t sum16 = vmovl_s16(vld1_s16(x[c].sum16 + at / 16));
                    low[c] = vfmaq_f32(low[c], vmulq_f32(s.min[part], d), vcvtq_f32_s32(sum16));
                }
            }
        }
    }
    for (; kind.codes_32 && i < k; i += QUANT_BLOCK, w += kind.bytes) {
        for (size_t c = 0; c < n_cols; c++)
            add_block(kind, w, i, &x[c], &sum[c], &low[c]);
    }
    for (size_t c = 0; c < n_cols; c++)
        y[c * y_stride] = vaddvq_f32(vaddq_f32(sum[c], low[c]));
}

INLINE void rows_dot(const struct block_kind kind, const uint8_t *w, size_t row_bytes,
                     size_t n_rows, size_t k, const struct kern_act *x, const size_t n_cols,
                     float *y, size_t y_stride)
{
    for (size_t r = 0; r < n_rows; r++)
        row_dot(kind, w + r * row_bytes, k, x, n_cols, y + r, y_stride);
}

INLINE void few_columns(const struct block_kind kind, const uint8_t *w, size_t row_bytes,
                        size_t n_rows, size_t k, const struct kern_act *x, size_t n_cols, float *y,
                        size_t y_stride)
{
    if (n_cols == 1)
        rows_dot(kind, w, row_bytes, n_rows, k, x, 1, y, y_stride);
    else if (n_cols == 2)
        rows_dot(kind, w, row_bytes, n_rows, k, x, 2, y, y_stride);
    else if (n_cols == 3)
        rows_dot(kind, w, row_bytes, n_rows, k, x, 3, y, y_stride);
    else
        rows_dot(kind, w, row_bytes, n_rows, k, x, 4, y, y_stride);
}

INLINE void all_columns(const struct block_kind kind, const struct kern_rows *all, size_t k,
                        const struct kern_act *x, size_t n_cols, float *y, size_t y_stride)
{
    const uint8_t *w = all->w;
    const size_t n_rows = all->n_rows, row_bytes = all->row_bytes;
    /* With few columns nothing is read twice, so nothing need stay near. */
    const size_t step = n_cols <= KERN_COLUMNS ? n_rows : KERN_ROW_TILE;
    for (size_t r = 0; r < n_rows; r += step) {
        size_t rows = n_rows - r < step ? n_rows - r : step;
        for (size_t c = 0; c < n_cols; c += KERN_COLUMNS) {
            size_t n = n_cols - c < KERN_COLUMNS ? n_cols - c : KERN_COLUMNS;
            few_columns(kind, w + r * row_bytes, row_bytes, rows, k, x + c, n, y + c * y_stride + r,
                        y_stride);
        }
    }
}

#define GEMV_Q(name, type)                                                                         \
    static void gemv_##name(const struct kern_rows *rows, size_t k, const struct kern_act *x,      \
                            size_t n_cols, float *y, size_t y_stride)                              \
    {                                                                                              \
        const struct block_kind kind = KIND_##name;                                                \
        all_columns(kind, rows, k, x, n_cols, y, y_stride);                                        \
    }

KERN_BLOCK_TYPES(GEMV_Q)

/* ---- activations ---- */

/* One group: its codes; d and their sum through pointers. */
INLINE int8x16_t quantise_group(const float *x, float *d, int *sum)
{
    float32x4_t in[4] = { vld1q_f32(x), vld1q_f32(x + 4), vld1q_f32(x + 8), vld1q_f32(x + 12) };
    uint32x4_t bits[4];
    int32x4_t q[4];

    /* As integers, magnitudes sort like the numbers, with NaN on top: it survives into d. */
    for (int i = 0; i < 4; i++)
        bits[i] = vreinterpretq_u32_f32(vabsq_f32(in[i]));
    uint32_t top = vmaxvq_u32(vmaxq_u32(vmaxq_u32(bits[0], bits[1]), vmaxq_u32(bits[2], bits[3])));
    float amax;
    memcpy(&amax, &top, sizeof amax);
    *d = amax < KERN_ACT_TINY ? 0 : amax / 127;
    float inverse = amax >= KERN_ACT_TINY ? 127 / amax : 0;
    /* With an infinity or a NaN all codes are 0. */
    const int32x4_t usable = vdupq_n_s32(inverse > 0 ? -1 : 0);
    for (int i = 0; i < 4; i++)
        q[i] = vandq_s32(vcvtnq_s32_f32(vmulq_n_f32(in[i], inverse)), usable);
    int16x8_t first = vcombine_s16(vmovn_s32(q[0]), vmovn_s32(q[1]));
    int16x8_t second = vcombine_s16(vmovn_s32(q[2]), vmovn_s32(q[3]));
    *sum = vaddvq_s16(vaddq_s16(first, second));
    return vcombine_s8(vmovn_s16(first), vmovn_s16(second));
}

static void quant_act(const float *x, size_t k, const struct kern_act *out)
{
    for (size_t b = 0; b < k / 32; b++, x += 32) {
        int sum0, sum1;
        vst1q_s8(out->q + b * 32, quantise_group(x, &out->d[2 * b], &sum0));
        vst1q_s8(out->q + b * 32 + 16, quantise_group(x + 16, &out->d[2 * b + 1], &sum1));
        out->sum16[2 * b] = (int16_t)sum0;
        out->sum16[2 * b + 1] = (int16_t)sum1;
        out->s[b] = out->d[2 * b] * (float)sum0 + out->d[2 * b + 1] * (float)sum1;
    }
}

/* ---- ceilings ---- */

static uint64_t read_loop(const void *data, size_t n_bytes)
{
    const uint8_t *at = data;
    uint8x16_t all[4] = { vdupq_n_u8(0), vdupq_n_u8(0), vdupq_n_u8(0), vdupq_n_u8(0) };

    for (size_t i = 0; i + 64 <= n_bytes; i += 64) {
#pragma GCC unroll 4
        for (size_t j = 0; j < 4; j++)
            all[j] = veorq_u8(all[j], vld1q_u8(at + i + 16 * j));
    }
    uint64x2_t both =
        vreinterpretq_u64_u8(veorq_u8(veorq_u8(all[0], all[1]), veorq_u8(all[2], all[3])));
    return vgetq_lane_u64(both, 0) ^ vgetq_lane_u64(both, 1);
}

static uint64_t int8_loop(uint64_t n)
{
    /* Eight independent sums hide the latency; the assembler text says that factors may have
     * changed, so that no product is moved out of the loop. */
    int8x16_t a = vdupq_n_s8(3), b = vdupq_n_s8(5);
    int32x4_t sum[8];

    for (int i = 0; i < 8; i++)
        sum[i] = vdupq_n_s32(i);
    for (uint64_t i = 0; i < n; i += 8) {
#pragma GCC unroll 8
        for (int j = 0; j < 8; j++) {
#if defined(__ARM_FEATURE_DOTPROD)
            sum[j] = vdotq_s32(sum[j], a, b);
#else
            sum[j] = vaddq_s32(sum[j], products(a, b));
#endif
            __asm__ volatile("" : "+w"(a), "+w"(b));
        }
    }
    for (int i = 1; i < 8; i++)
        sum[0] = veorq_s32(sum[0], sum[i]);
    __asm__ volatile("" : : "w"(sum[0]));
    return (n + 7) / 8 * 8 * 32;
}

void LEVEL(kern_init_quant)(struct kern *kern)
{
    kern->quant_act = quant_act;
#define ENTRY(name, type) kern->gemv_q[type] = gemv_##name;
    KERN_BLOCK_TYPES(ENTRY)
#undef ENTRY
    kern->read_loop = read_loop;
    kern->int8_loop = int8_loop;
}
