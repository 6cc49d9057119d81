/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Panels and their products with columns, with NEON. Codes are signed and their zero is 0, so that
 * the columns' starts are needed for minima per 16 elements alone.
 *
 * With smmla a vector of weights has eight codes of each of two rows, and meets eight activations
 * of two columns; else four of each of four rows, which meet four of one column. */
#include "cpu/arm/levels.h"
#include "cpu/arm/unpack.h"

enum { COLS = 4, ROWS = KERN_PANEL_ROWS, HALF = 8 };

/* ---- rows taken apart ---- */

INLINE int32x4_t as_words(int8x16_t x)
{
    return vreinterpretq_s32_s8(x);
}

/* 16 codes of each of four rows, from row r of the panel and element i on. */
INLINE void put_codes(uint8_t *codes, size_t r, size_t i, const int8x16_t q[4])
{
#if defined(__ARM_FEATURE_MATMUL_INT8)
    int8_t *to = (int8_t *)codes + i * ROWS + 8 * r; /* [k/8][16][8] */
    for (size_t j = 0; j < 4; j += 2) {
        int64x2_t first = vzip1q_s64(vreinterpretq_s64_s8(q[j]), vreinterpretq_s64_s8(q[j + 1]));
        int64x2_t second = vzip2q_s64(vreinterpretq_s64_s8(q[j]), vreinterpretq_s64_s8(q[j + 1]));
        vst1q_s8(to + 8 * j, vreinterpretq_s8_s64(first));
        vst1q_s8(to + 8 * (j + ROWS), vreinterpretq_s8_s64(second));
    }
#else
    int8_t *to = (int8_t *)codes + i * ROWS + 4 * r; /* [k/4][16][4] */
    int64x2_t a = vreinterpretq_s64_s32(vtrn1q_s32(as_words(q[0]), as_words(q[1])));
    int64x2_t b = vreinterpretq_s64_s32(vtrn2q_s32(as_words(q[0]), as_words(q[1])));
    int64x2_t c = vreinterpretq_s64_s32(vtrn1q_s32(as_words(q[2]), as_words(q[3])));
    int64x2_t d = vreinterpretq_s64_s32(vtrn2q_s32(as_words(q[2]), as_words(q[3])));
    vst1q_s8(to, vreinterpretq_s8_s64(vtrn1q_s64(a, c)));
    vst1q_s8(to + 4 * ROWS, vreinterpretq_s8_s64(vtrn1q_s64(b, d)));
    vst1q_s8(to + 8 * ROWS, vreinterpretq_s8_s64(vtrn2q_s64(a, c)));
    vst1q_s8(to + 12 * ROWS, vreinterpretq_s8_s64(vtrn2q_s64(b, d)));
#endif
}

INLINE void put_scales(const struct block_kind kind, const struct kern_panel *p, size_t r, size_t i,
                       const struct step_scales *s)
{
    const size_t length = step_length(kind), per = kind.per_16 ? 16 : 32;
    float scale[16], min[16];

#pragma GCC unroll 4
    for (size_t j = 0; j < length / 64; j++)
        vst1q_f32(scale + 4 * j, s->scale[j]);
    for (size_t j = 0; j < length / per; j++)
        p->scale[(i / per + j) * ROWS + r] = scale[j * (per / 16)];
    if (!kind.min)
        return;
    /* Those per 16 are multiplied with the columns' starts, −128 · Σ activations. */
#pragma GCC unroll 4
    for (size_t j = 0; j < length / per / 4; j++)
        vst1q_f32(min + 4 * j, vmulq_n_f32(s->min[j], kind.per_16 ? -1.0f / 128 : 1));
    for (size_t j = 0; j < length / per; j++)
        p->min[(i / per + j) * ROWS + r] = min[j];
}

/* Fetches what is AHEAD bytes behind `at` in each row, n bytes of it; where that is past a row's
 * end, the same part of the row 16 further on, which is next. */
enum { AHEAD = 256 };

INLINE void fetch_ahead(const uint8_t *const row[4], size_t row_bytes, size_t at, size_t n)
{
    size_t to = at + AHEAD < row_bytes ? at + AHEAD : at + AHEAD + (ROWS - 1) * row_bytes;
    for (size_t r = 0; r < 4; r++)
        for (size_t i = 0; i < n; i += 64)
            __builtin_prefetch(row[r] + to + i);
}

/* Four rows, the first of which is row r of the panel. */
INLINE void take_rows_apart(const struct block_kind kind, const uint8_t *const row[4],
                            size_t row_bytes, size_t r, const struct kern_panel *p)
{
    const size_t length = step_length(kind), bytes = step_bytes(kind);
    size_t i = 0, at = 0;

    for (; i + length <= p->k; i += length, at += bytes) {
        fetch_ahead(row, row_bytes, at, bytes);
        struct step step[4];
        for (size_t j = 0; j < 4; j++) {
            struct step_scales s;
            begin_step(kind, row[j] + at, &step[j]);
            scales_of_step(kind, &step[j], &s);
            put_scales(kind, p, r + j, i, &s);
        }
#pragma GCC unroll 4
        for (size_t part = 0; part < length / 64; part++) {
            int8x16_t q[4][4];
#pragma GCC unroll 4
            for (size_t j = 0; j < 4; j++)
                codes_of_part(kind, &step[j], (int)part, q[j]);
#pragma GCC unroll 4
            for (size_t v = 0; v < 4; v++) {
                const int8x16_t same[4] = { q[0][v], q[1][v], q[2][v], q[3][v] };
                put_codes(p->codes, r, i + 64 * part + 16 * v, same);
            }
        }
    }
    for (; kind.codes_32 && i < p->k; i += QUANT_BLOCK, at += kind.bytes) {
        int8x16_t q[4][2];
        for (size_t j = 0; j < 4; j++) {
            kind.codes_32(row[j] + at, q[j]);
            p->scale[i / 32 * ROWS + r + j] = block_scale(kind, row[j] + at);
            if (kind.min)
                p->min[i / 32 * ROWS + r + j] = block_min(kind, row[j] + at);
        }
        for (size_t v = 0; v < 2; v++) {
            const int8x16_t same[4] = { q[0][v], q[1][v], q[2][v], q[3][v] };
            put_codes(p->codes, r, i + 16 * v, same);
        }
    }
}

/* Rows beyond the last one repeat it: they are multiplied, and not delivered. */
#define REPACK(name, type)                                                                         \
    static void repack_##name(const void *w, size_t row_bytes, size_t n_rows,                      \
                              const struct kern_panel *panel)                                      \
    {                                                                                              \
        const struct block_kind kind = KIND_##name;                                                \
        for (size_t r = 0; r < ROWS; r += 4) {                                                     \
            const uint8_t *row[4];                                                                 \
            for (size_t j = 0; j < 4; j++)                                                         \
                row[j] = (const uint8_t *)w + (r + j < n_rows ? r + j : n_rows - 1) * row_bytes;   \
            take_rows_apart(kind, row, row_bytes, r, panel);                                       \
        }                                                                                          \
    }

KERN_BLOCK_TYPES(REPACK)

/* ---- products ---- */

#if defined(__ARM_FEATURE_MATMUL_INT8)

/* A vector of sums or floats has two rows of two columns: [r, c], [r, c + 1], [r + 1, c], … */
enum { ROW_PARTS = HALF / 2, COL_PARTS = COLS / 2 };

INLINE float32x4_t twice_each(const float *p, const int high)
{
    float32x4_t x = vld1q_f32(p);
    return high ? vzip2q_f32(x, x) : vzip1q_f32(x, x);
}

/* The numbers of two columns, for both rows, or of one that is left over. */
INLINE float32x4_t two_columns(const float *p, const bool one)
{
    float32x2_t x = one ? vld1_dup_f32(p) : vld1_f32(p);
    return vcombine_f32(x, x);
}

INLINE float32x4_t two_starts(const int32_t *p, const bool one)
{
    int32x2_t x = one ? vld1_dup_s32(p) : vld1_s32(p);
    return vcvtq_f32_s32(vcombine_s32(x, x));
}

INLINE int8x16_t zip(const int8_t *first, const int8_t *second, const int high)
{
    int32x4_t a = as_words(vld1q_s8(first)), b = as_words(vld1q_s8(second));
    return vreinterpretq_s8_s32(high ? vzip2q_s32(a, b) : vzip1q_s32(a, b));
}

/* Eight rows from first_row on, times n columns. */
INLINE void panel_cols(const size_t n, const struct kern_scales kind, const struct kern_panel *p,
                       size_t first_row, const struct kern_cols *x, float32x4_t out[COLS][2])
{
    const int8_t *codes = (const int8_t *)p->codes + 8 * first_row, *q = x->q;
    const float *scale = p->scale + first_row, *min = p->min + first_row, *d = x->d, *s = x->s;
    const int32_t *start = x->start;
    const size_t n_parts = (n + 1) / 2;
    float32x4_t total[ROW_PARTS][COL_PARTS], part[ROW_PARTS][COL_PARTS];

#pragma GCC unroll 4
    for (size_t r = 0; r < ROW_PARTS; r++) {
#pragma GCC unroll 2
        for (size_t c = 0; c < n_parts; c++)
            total[r][c] = part[r][c] = vdupq_n_f32(0);
    }
    for (size_t b = 0; b < p->k / 32; b++) {
#pragma GCC unroll 2
        for (int half = 0; half < 2; half++) {
            int8x16_t a[COL_PARTS][2];
#pragma GCC unroll 2
            for (size_t c = 0; c < n_parts; c++) {
                a[c][0] = zip(q, q + 4 * n, (int)c);
                a[c][1] = zip(q + 8 * n, q + 12 * n, (int)c);
            }
#pragma GCC unroll 4
            for (size_t r = 0; r < ROW_PARTS; r++) {
                int8x16_t w0 = vld1q_s8(codes + 16 * r), w1 = vld1q_s8(codes + 16 * r + 8 * ROWS);
#pragma GCC unroll 2
                for (size_t c = 0; c < n_parts; c++) {
                    int32x4_t sum = vmmlaq_s32(vdupq_n_s32(0), w0, a[c][0]);
                    float32x4_t f = vcvtq_f32_s32(vmmlaq_s32(sum, w1, a[c][1]));
                    float32x4_t by = two_columns(d + 2 * c, 2 * c + 1 == n);
                    if (kind.per_16)
                        total[r][c] = vfmaq_f32(total[r][c], vmulq_f32(f, by),
                                                twice_each(scale + r / 2 * 4, r % 2));
                    else
                        part[r][c] = half ? vfmaq_f32(part[r][c], f, by) : vmulq_f32(f, by);
                    if (kind.per_16 && kind.min) {
                        float32x4_t sums = two_starts(start + 2 * c, 2 * c + 1 == n);
                        total[r][c] = vfmaq_f32(total[r][c], vmulq_f32(by, sums),
                                                twice_each(min + r / 2 * 4, r % 2));
                    }
                }
            }
            codes += 16 * ROWS;
            q += 16 * n;
            d += n;
            start += n;
            scale += kind.per_16 ? ROWS : 0;
            min += kind.per_16 ? ROWS : 0;
        }
#pragma GCC unroll 4
        for (size_t r = 0; r < ROW_PARTS; r++) {
#pragma GCC unroll 2
            for (size_t c = 0; c < n_parts; c++) {
                if (!kind.per_16)
                    total[r][c] =
                        vfmaq_f32(total[r][c], part[r][c], twice_each(scale + r / 2 * 4, r % 2));
                if (kind.min && !kind.per_16)
                    total[r][c] = vfmaq_f32(total[r][c], twice_each(min + r / 2 * 4, r % 2),
                                            two_columns(s + 2 * c, 2 * c + 1 == n));
            }
        }
        scale += kind.per_16 ? 0 : ROWS;
        min += kind.per_16 ? 0 : ROWS;
        s += n;
    }
#pragma GCC unroll 4
    for (size_t c = 0; c < n; c++) {
#pragma GCC unroll 2
        for (size_t i = 0; i < 2; i++) {
            float32x4_t lo = total[2 * i][c / 2], hi = total[2 * i + 1][c / 2];
            out[c][i] = c % 2 ? vuzp2q_f32(lo, hi) : vuzp1q_f32(lo, hi);
        }
    }
}

#else

/* Four codes of four rows, in each of four vectors, times 16 activations of column c, which are
 * four in each of four vectors. Products in 16 bits: at most two of them are added. */
INLINE int32x4_t group_sums(const int8x16_t w[4], const int8x16_t a[4], const size_t c)
{
#if defined(__ARM_FEATURE_DOTPROD)
    int32x4_t sum = vdupq_n_s32(0);
#pragma GCC unroll 4
    for (int i = 0; i < 4; i++)
        sum = c == 0   ? vdotq_laneq_s32(sum, w[i], a[i], 0)
              : c == 1 ? vdotq_laneq_s32(sum, w[i], a[i], 1)
              : c == 2 ? vdotq_laneq_s32(sum, w[i], a[i], 2)
                       : vdotq_laneq_s32(sum, w[i], a[i], 3);
    return sum;
#else
    int32x4_t low = vdupq_n_s32(0), high = low;
#pragma GCC unroll 2
    for (int i = 0; i < 4; i += 2) {
        int8x16_t by[2];
#pragma GCC unroll 2
        for (int j = 0; j < 2; j++) {
            int32x4_t x = as_words(a[i + j]);
            by[j] = vreinterpretq_s8_s32(c == 0   ? vdupq_laneq_s32(x, 0)
                                         : c == 1 ? vdupq_laneq_s32(x, 1)
                                         : c == 2 ? vdupq_laneq_s32(x, 2)
                                                  : vdupq_laneq_s32(x, 3));
        }
        int16x8_t pairs = vmull_s8(vget_low_s8(w[i]), vget_low_s8(by[0]));
        pairs = vmlal_s8(pairs, vget_low_s8(w[i + 1]), vget_low_s8(by[1]));
        low = vpadalq_s16(low, pairs);
        pairs = vmull_high_s8(w[i], by[0]);
        high = vpadalq_s16(high, vmlal_high_s8(pairs, w[i + 1], by[1]));
    }
    return vpaddq_s32(low, high);
#endif
}

/* Eight rows from first_row on, times n columns. */
INLINE void panel_cols(const size_t n, const struct kern_scales kind, const struct kern_panel *p,
                       size_t first_row, const struct kern_cols *x, float32x4_t out[COLS][2])
{
    const int8_t *codes = (const int8_t *)p->codes + 4 * first_row, *q = x->q;
    const float *scale = p->scale + first_row, *min = p->min + first_row, *d = x->d, *s = x->s;
    const int32_t *start = x->start;
    float32x4_t part[COLS][2];

#pragma GCC unroll 4
    for (size_t c = 0; c < n; c++)
        out[c][0] = out[c][1] = part[c][0] = part[c][1] = vdupq_n_f32(0);
    for (size_t b = 0; b < p->k / 32; b++) {
#pragma GCC unroll 2
        for (int half = 0; half < 2; half++) {
            int8x16_t a[4];
#pragma GCC unroll 4
            for (size_t i = 0; i < 4; i++)
                a[i] = vld1q_s8(q + 4 * n * i); /* with fewer columns, the next ones' and more */
#pragma GCC unroll 2
            for (size_t r = 0; r < 2; r++) {
                const int8_t *at = codes + 16 * r;
                const int8x16_t w[4] = { vld1q_s8(at), vld1q_s8(at + 4 * ROWS),
                                         vld1q_s8(at + 8 * ROWS), vld1q_s8(at + 12 * ROWS) };
#pragma GCC unroll 4
                for (size_t c = 0; c < n; c++) {
                    float32x4_t f = vcvtq_f32_s32(group_sums(w, a, c));
                    if (kind.per_16)
                        out[c][r] =
                            vfmaq_f32(out[c][r], vmulq_n_f32(f, d[c]), vld1q_f32(scale + 4 * r));
                    else
                        part[c][r] = half ? vfmaq_n_f32(part[c][r], f, d[c]) : vmulq_n_f32(f, d[c]);
                    if (kind.per_16 && kind.min)
                        out[c][r] =
                            vfmaq_n_f32(out[c][r], vld1q_f32(min + 4 * r), d[c] * (float)start[c]);
                }
            }
            codes += 16 * ROWS;
            q += 16 * n;
            d += n;
            start += n;
            scale += kind.per_16 ? ROWS : 0;
            min += kind.per_16 ? ROWS : 0;
        }
#pragma GCC unroll 2
        for (size_t r = 0; r < 2; r++) {
#pragma GCC unroll 4
            for (size_t c = 0; c < n; c++) {
                if (!kind.per_16)
                    out[c][r] = vfmaq_f32(out[c][r], part[c][r], vld1q_f32(scale + 4 * r));
                if (kind.min && !kind.per_16)
                    out[c][r] = vfmaq_n_f32(out[c][r], vld1q_f32(min + 4 * r), s[c]);
            }
        }
        scale += kind.per_16 ? 0 : ROWS;
        min += kind.per_16 ? 0 : ROWS;
        s += n;
    }
}

#endif

static void put_rows(float *y, const float32x4_t x[2], size_t n)
{
    float all[HALF];

    vst1q_f32(all, x[0]);
    vst1q_f32(all + 4, x[1]);
    memcpy(y, all, (n < HALF ? n : HALF) * sizeof *y);
}

INLINE void panel_of(const struct kern_scales kind, const struct kern_panel *panel, size_t n_rows,
                     const struct kern_cols *x, float *y, size_t y_stride)
{
    for (size_t r = 0; r < n_rows; r += HALF) {
        float32x4_t out[COLS][2];
        if (x->n == 1)
            panel_cols(1, kind, panel, r, x, out);
        else if (x->n == 2)
            panel_cols(2, kind, panel, r, x, out);
        else if (x->n == 3)
            panel_cols(3, kind, panel, r, x, out);
        else
            panel_cols(4, kind, panel, r, x, out);
        for (size_t c = 0; c < x->n; c++)
            put_rows(y + c * y_stride + r, out[c], n_rows - r);
    }
}

static void panel_gemm(const struct kern_panel *panel, size_t n_rows, const struct kern_cols *x,
                       float *y, size_t y_stride)
{
    const struct kern_scales scales = kern_scales_of(panel->type);

    if (scales.per_16 && scales.min)
        panel_of((struct kern_scales){ true, true }, panel, n_rows, x, y, y_stride);
    else if (scales.per_16)
        panel_of((struct kern_scales){ true, false }, panel, n_rows, x, y, y_stride);
    else if (scales.min)
        panel_of((struct kern_scales){ false, true }, panel, n_rows, x, y, y_stride);
    else
        panel_of((struct kern_scales){ false, false }, panel, n_rows, x, y, y_stride);
}

#if defined(__ARM_FEATURE_MATMUL_INT8)
static uint64_t int8_loop(uint64_t n)
{
    /* As that of the levels below, with the instruction of this one. */
    int8x16_t a = vdupq_n_s8(3), b = vdupq_n_s8(5);
    int32x4_t sum[8];

    for (int i = 0; i < 8; i++)
        sum[i] = vdupq_n_s32(i);
    for (uint64_t i = 0; i < n; i += 8) {
#pragma GCC unroll 8
        for (int j = 0; j < 8; j++) {
            sum[j] = vmmlaq_s32(sum[j], a, b);
            __asm__ volatile("" : "+w"(a), "+w"(b));
        }
    }
    for (int i = 1; i < 8; i++)
        sum[0] = veorq_s32(sum[0], sum[i]);
    __asm__ volatile("" : : "w"(sum[0]));
    return (n + 7) / 8 * 8 * 64;
}
#endif

void LEVEL(kern_init_panel)(struct kern *kern)
{
#define ENTRY(name, type) kern->repack[type] = repack_##name;
    KERN_BLOCK_TYPES(ENTRY)
#undef ENTRY
    kern->panel_gemm = panel_gemm;
    kern->panel_cols = COLS;
#if defined(__ARM_FEATURE_MATMUL_INT8)
    kern->int8_loop = int8_loop;
#endif
}
