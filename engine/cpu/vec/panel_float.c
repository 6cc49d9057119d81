/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Panels of 16 rows of F32, F16 or BF16, turned into columns of floats, times a few columns of
 * activations: all sums stay in registers, a step adds one element's products to each of them, and
 * nothing is summed across lanes. An element is summed in order, in stretches that are added up, so
 * that neither the number of columns nor their company changes a bit. */
#include <assert.h>

#include "cpu/vec/ints.h"
#include "cpu/vec/read_rows.h"
#include "cpu/vec/vec.h"

/* Columns at most, whose sums leave registers for a column of weights; and by how many widths
 * differ. */
enum {
    L = VEC_LANES,
    ROWS = KERN_PANEL_ROWS,
    PARTS = ROWS / L,
    COLS = VEC_REGISTERS == 32 ? 24 / PARTS : 6,
    STEP = COLS / 6,
    STRETCH = 256
};
static_assert(8 * (STEP - 1) <= COLS, "an eighth more is planned for padding (cpu/backend.c)");

/* ---- rows into columns ---- */

INLINE VEC first_f16(INTS x)
{
    return floats_of_f16(x);
}
INLINE VEC second_f16(INTS x)
{
    return floats_of_f16(ints_right(x, 16));
}
INLINE VEC first_bf16(INTS x)
{
    return floats_of_bf16(x);
}
INLINE VEC second_bf16(INTS x)
{
    return floats_of_bf16(ints_right(x, 16));
}

/* 32 bits of each row are a float, or two halves, of which the second stands further up. */
INLINE void repack(VEC (*first)(INTS x), VEC (*second)(INTS x),
                   VEC (*load_n)(const uint8_t *p, size_t n), const uint8_t *w, size_t row_bytes,
                   size_t n_rows, size_t k, float *panel)
{
    const size_t size = second ? 2 : 4, line = 16 / size;
    const uint8_t *row[ROWS];
    size_t i = 0;

    /* Rows beyond the last one repeat it: they are multiplied, and not delivered. */
    for (size_t r = 0; r < ROWS; r++)
        row[r] = w + (r < n_rows ? r : n_rows - 1) * row_bytes;
    for (; i + line <= k; i += line)
        for (size_t r = 0; r < ROWS; r += L) {
            float *to = panel + i * ROWS + r;
            INTS x[4];
            load_lines(row + r, i * size, x);
#pragma GCC unroll 4
            for (size_t j = 0; j < 4; j++, to += line / 4 * ROWS) {
                vec_store(to, first(x[j]));
                if (second)
                    vec_store(to + ROWS, second(x[j]));
            }
        }
    for (; i < k; i++)
        for (size_t r = 0; r < ROWS; r++)
            vec_store_n(panel + i * ROWS + r, load_n(row[r] + i * size, 1), 1);
}

INLINE VEC read_bf16_n(const uint8_t *p, size_t n)
{
    return vec_load_bf16_n((const uint16_t *)(const void *)p, n);
}

#define REPACK(type, first, second)                                                                \
    static void repack_##type(const void *w, size_t row_bytes, size_t n_rows, size_t k,            \
                              float *panel)                                                        \
    {                                                                                              \
        repack(first, second, read_##type##_n, w, row_bytes, n_rows, k, panel);                    \
    }

REPACK(f32, floats_of_bits, NULL)
REPACK(f16, first_f16, second_f16)
REPACK(bf16, first_bf16, second_bf16)

/* ---- products ---- */

/* width, a multiple of STEP, is a constant in each copy. */
INLINE void multiply(const size_t width, const float *panel, size_t k, const float *x,
                     VEC total[COLS][PARTS])
{
#pragma GCC unroll 24
    for (size_t c = 0; c < width; c++) {
#pragma GCC unroll 4
        for (size_t p = 0; p < PARTS; p++)
            total[c][p] = vec_zero();
    }
    for (size_t at = 0; at < k; at += STRETCH) {
        const size_t n = k - at < STRETCH ? k - at : STRETCH;
        VEC sum[COLS][PARTS];

#pragma GCC unroll 24
        for (size_t c = 0; c < width; c++) {
#pragma GCC unroll 4
            for (size_t p = 0; p < PARTS; p++)
                sum[c][p] = vec_zero();
        }
        for (size_t i = 0; i < n; i++, panel += ROWS, x += width) {
            VEC w[PARTS];
#pragma GCC unroll 4
            for (size_t p = 0; p < PARTS; p++)
                w[p] = vec_load(panel + p * L);
#pragma GCC unroll 24
            for (size_t c = 0; c < width; c++) {
                VEC by = vec_set1(x[c]);
#pragma GCC unroll 4
                for (size_t p = 0; p < PARTS; p++)
                    sum[c][p] = vec_fma(w[p], by, sum[c][p]);
            }
        }
#pragma GCC unroll 24
        for (size_t c = 0; c < width; c++) {
#pragma GCC unroll 4
            for (size_t p = 0; p < PARTS; p++)
                total[c][p] = vec_add(total[c][p], sum[c][p]);
        }
    }
}

static void panel_gemm(const float *panel, size_t n_rows, size_t k, const float *x, size_t n_cols,
                       float *y, size_t y_stride)
{
    VEC total[COLS][PARTS];

    switch ((n_cols + STEP - 1) / STEP) {
    case 1:
        multiply(STEP, panel, k, x, total);
        break;
    case 2:
        multiply(2 * STEP, panel, k, x, total);
        break;
    case 3:
        multiply(3 * STEP, panel, k, x, total);
        break;
    case 4:
        multiply(4 * STEP, panel, k, x, total);
        break;
    case 5:
        multiply(5 * STEP, panel, k, x, total);
        break;
    default:
        multiply(6 * STEP, panel, k, x, total);
        break;
    }
    for (size_t c = 0; c < n_cols; c++)
        for (size_t p = 0; p < PARTS && p * L < n_rows; p++) {
            float *to = y + c * y_stride + p * L;
            if (n_rows - p * L >= L)
                vec_store(to, total[c][p]);
            else
                vec_store_n(to, total[c][p], n_rows - p * L);
        }
}

void LEVEL(kern_init_panel_float)(struct kern *kern)
{
    kern->repack_f[QUANT_F32] = repack_f32;
    kern->repack_f[QUANT_F16] = repack_f16;
    kern->repack_f[QUANT_BF16] = repack_bf16;
    kern->panel_gemm_f = panel_gemm;
    kern->panel_cols_f = COLS;
    kern->panel_step_f = STEP;
}
