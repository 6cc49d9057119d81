/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Products with many columns in plain C: panels of 16 rows taken apart once, and their products
 * with packed columns. Codes are kept as code + 128, as the kernels with vpdpbusd want them. */
#include "cpu/kernels.h"

#include <string.h>

#include "cpu/unpack_c.h"

enum { ROWS = KERN_PANEL_ROWS, BLOCK = 32, GROUP = 16, OFFSET = 128 };

/* ---- packed columns ---- */

size_t kern_cols_bytes(size_t k)
{
    size_t n = k + k / GROUP * (sizeof(float) + sizeof(int32_t)) + k / BLOCK * sizeof(float);
    return (n + 63) / 64 * 64;
}

struct kern_cols kern_cols_at(void *memory, size_t n, size_t k)
{
    uint8_t *at = memory;
    struct kern_cols cols = { .n = n, .q = (int8_t *)at };

    at += n * k;
    cols.d = (float *)(void *)at;
    at += n * (k / GROUP) * sizeof(float);
    cols.start = (int32_t *)(void *)at;
    at += n * (k / GROUP) * sizeof(int32_t);
    cols.s = (float *)(void *)at;
    return cols;
}

void kern_cols_pack(const struct kern_cols *cols, size_t c, const struct kern_act *x, size_t k)
{
    const size_t n = cols->n;

    for (size_t i = 0; i < k / 4; i++)
        memcpy(cols->q + (i * n + c) * 4, x->q + i * 4, 4);
    for (size_t g = 0; g < k / GROUP; g++) {
        cols->d[g * n + c] = x->d[g];
        cols->start[g * n + c] = -OFFSET * x->sum16[g];
    }
    for (size_t b = 0; b < k / BLOCK; b++)
        cols->s[b * n + c] = x->s[b];
}

/* ---- panels ---- */

struct kern_scales kern_scales_of(enum quant_type type)
{
    switch (type) {
    case QUANT_Q4_1:
    case QUANT_Q5_1:
    case QUANT_Q4_K:
    case QUANT_Q5_K:
        return (struct kern_scales){ .min = true };
    case QUANT_Q2_K:
        return (struct kern_scales){ .per_16 = true, .min = true };
    case QUANT_Q3_K:
    case QUANT_Q6_K:
    case QUANT_NVFP4:
    case QUANT_IQ2_XS:
    case QUANT_IQ2_S:
    case QUANT_IQ1_M:
        return (struct kern_scales){ .per_16 = true };
    default:
        return (struct kern_scales){ 0 };
    }
}

/* Of scales or of minima. */
static size_t group_floats(enum quant_type type, size_t k)
{
    return ROWS * k / (kern_scales_of(type).per_16 ? GROUP : BLOCK);
}

size_t kern_panel_bytes(enum quant_type type, size_t k)
{
    size_t n_arrays = kern_scales_of(type).min ? 2 : 1;
    return ROWS * k + n_arrays * group_floats(type, k) * sizeof(float);
}

struct kern_panel kern_panel_at(void *memory, enum quant_type type, size_t k)
{
    struct kern_panel panel = { .type = type, .k = k, .codes = memory };

    panel.scale = (float *)(void *)(panel.codes + ROWS * k);
    panel.min = panel.scale + group_floats(type, k);
    return panel;
}

static void repack(enum quant_type type, const uint8_t *w, size_t row_bytes, size_t n_rows,
                   const struct kern_panel *panel)
{
    const struct quant_info *info = quant_info(type);
    const struct kern_scales scales = kern_scales_of(type);
    const size_t length = info->block_length, step = scales.per_16 ? GROUP : BLOCK;

    for (size_t r = 0; r < n_rows; r++)
        for (size_t b = 0; b < panel->k / length; b++) {
            struct kern_unpacked u;
            kern_unpack_c[type](w + r * row_bytes + b * info->block_bytes, &u);
            for (size_t i = 0; i < length; i++) {
                size_t k = b * length + i;
                panel->codes[(k / 4 * ROWS + r) * 4 + k % 4] = (uint8_t)(u.q[i] + OFFSET);
            }
            for (size_t i = 0; i < length; i += step) {
                size_t at = (b * length + i) / step * ROWS + r;
                panel->scale[at] = u.scale[i / GROUP];
                if (scales.min)
                    panel->min[at] = u.min[i / GROUP] * (scales.per_16 ? 1.0f / OFFSET : -1);
            }
        }
}

static void panel_gemm(const struct kern_panel *panel, size_t n_rows, const struct kern_cols *x,
                       float *y, size_t y_stride)
{
    const struct kern_scales scales = kern_scales_of(panel->type);

    for (size_t c = 0; c < x->n; c++)
        for (size_t r = 0; r < n_rows; r++) {
            double total = 0;
            for (size_t g = 0; g < panel->k / GROUP; g++) {
                int start = x->start[g * x->n + c], sum = start;
                double d = x->d[g * x->n + c];
                for (size_t i = g * GROUP; i < (g + 1) * GROUP; i++)
                    sum += panel->codes[(i / 4 * ROWS + r) * 4 + i % 4] *
                           x->q[(i / 4 * x->n + c) * 4 + i % 4];
                total += panel->scale[(scales.per_16 ? g : g / 2) * ROWS + r] * d * sum;
                if (scales.per_16 && scales.min)
                    total += panel->min[g * ROWS + r] * d * start;
            }
            for (size_t b = 0; !scales.per_16 && scales.min && b < panel->k / BLOCK; b++)
                total += (double)panel->min[b * ROWS + r] * x->s[b * x->n + c];
            y[c * y_stride + r] = (float)total;
        }
}

/* ---- floats ---- */

size_t kern_floats_width(const struct kern *kern, size_t n)
{
    return (n + kern->panel_step_f - 1) / kern->panel_step_f * kern->panel_step_f;
}

void kern_pack_floats(float *cols, size_t width, size_t c, const float *x, size_t k)
{
    for (size_t i = 0; i < k; i++)
        cols[i * width + c] = x ? x[i] : 0;
}

static void repack_floats(enum quant_type type, const uint8_t *w, size_t row_bytes, size_t n_rows,
                          size_t k, float *panel)
{
    const size_t size = quant_info(type)->block_bytes;

    for (size_t r = 0; r < n_rows; r++)
        for (size_t i = 0; i < k; i++)
            quant_decoder(type)(w + r * row_bytes + i * size, 1, &panel[i * ROWS + r]);
}

static void repack_f32(const void *w, size_t row_bytes, size_t n_rows, size_t k, float *panel)
{
    repack_floats(QUANT_F32, w, row_bytes, n_rows, k, panel);
}

static void repack_f16(const void *w, size_t row_bytes, size_t n_rows, size_t k, float *panel)
{
    repack_floats(QUANT_F16, w, row_bytes, n_rows, k, panel);
}

static void repack_bf16(const void *w, size_t row_bytes, size_t n_rows, size_t k, float *panel)
{
    repack_floats(QUANT_BF16, w, row_bytes, n_rows, k, panel);
}

static void panel_gemm_f(const float *panel, size_t n_rows, size_t k, const float *x, size_t n_cols,
                         float *y, size_t y_stride)
{
    for (size_t c = 0; c < n_cols; c++)
        for (size_t r = 0; r < n_rows; r++) {
            double sum = 0;
            for (size_t i = 0; i < k; i++)
                sum += (double)panel[i * ROWS + r] * x[i * n_cols + c];
            y[c * y_stride + r] = (float)sum;
        }
}

/* ---- the table ---- */

#define REPACK(name, type)                                                                         \
    static void repack_##name(const void *w, size_t row_bytes, size_t n_rows,                      \
                              const struct kern_panel *panel)                                      \
    {                                                                                              \
        repack(type, w, row_bytes, n_rows, panel);                                                 \
    }

KERN_BLOCK_TYPES(REPACK)

#define REPACK_ENTRY(name, type) kern->repack[type] = repack_##name;

void kern_init_panel_c(struct kern *kern)
{
    KERN_BLOCK_TYPES(REPACK_ENTRY)
    kern->panel_gemm = panel_gemm;
    kern->panel_cols = KERN_PANEL_MAX_COLS;
    kern->repack_f[QUANT_F32] = repack_f32;
    kern->repack_f[QUANT_F16] = repack_f16;
    kern->repack_f[QUANT_BF16] = repack_bf16;
    kern->panel_gemm_f = panel_gemm_f;
    kern->panel_cols_f = KERN_PANEL_MAX_COLS;
    kern->panel_step_f = 1;
}
