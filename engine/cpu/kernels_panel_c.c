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

size_t kern_panel_bytes(size_t k)
{
    /* Two floats per 32 elements, be they two scales, or a scale and a minimum. */
    return ROWS * (k + k / BLOCK * 2 * sizeof(float));
}

struct kern_panel kern_panel_at(void *memory, enum quant_type type, size_t k)
{
    struct kern_panel panel = { .type = type, .k = k, .codes = memory };

    panel.scale = (float *)(void *)(panel.codes + ROWS * k);
    panel.min = panel.scale + ROWS * (k / BLOCK);
    return panel;
}

static bool has_min(enum quant_type type)
{
    return type == QUANT_Q4_1 || type == QUANT_Q5_1 || type == QUANT_Q4_K || type == QUANT_Q5_K;
}

static void repack(enum quant_type type, const uint8_t *w, size_t row_bytes, size_t n_rows,
                   const struct kern_panel *panel)
{
    const struct quant_info *info = quant_info(type);
    const size_t length = info->block_length;

    for (size_t r = 0; r < n_rows; r++)
        for (size_t b = 0; b < panel->k / length; b++) {
            struct kern_unpacked u;
            kern_unpack_c[type](w + r * row_bytes + b * info->block_bytes, &u);
            for (size_t i = 0; i < length; i++) {
                size_t k = b * length + i;
                panel->codes[(k / 4 * ROWS + r) * 4 + k % 4] = (uint8_t)(u.q[i] + OFFSET);
            }
            for (size_t i = 0; i < length; i += BLOCK) {
                size_t at = (b * length + i) / BLOCK;
                if (type == QUANT_Q6_K) {
                    panel->scale[2 * at * ROWS + r] = u.scale[i / GROUP];
                    panel->scale[(2 * at + 1) * ROWS + r] = u.scale[i / GROUP + 1];
                    continue;
                }
                panel->scale[at * ROWS + r] = u.scale[i / GROUP];
                if (has_min(type))
                    panel->min[at * ROWS + r] = -u.min[i / BLOCK];
            }
        }
}

static void panel_gemm(const struct kern_panel *panel, size_t n_rows, const struct kern_cols *x,
                       float *y, size_t y_stride)
{
    const bool per_group = panel->type == QUANT_Q6_K, min = has_min(panel->type);

    for (size_t c = 0; c < x->n; c++)
        for (size_t r = 0; r < n_rows; r++) {
            double total = 0;
            for (size_t g = 0; g < panel->k / GROUP; g++) {
                int sum = x->start[g * x->n + c];
                for (size_t i = g * GROUP; i < (g + 1) * GROUP; i++)
                    sum += panel->codes[(i / 4 * ROWS + r) * 4 + i % 4] *
                           x->q[(i / 4 * x->n + c) * 4 + i % 4];
                float scale = panel->scale[(per_group ? g : g / 2) * ROWS + r];
                total += (double)scale * x->d[g * x->n + c] * sum;
            }
            for (size_t b = 0; min && b < panel->k / BLOCK; b++)
                total += (double)panel->min[b * ROWS + r] * x->s[b * x->n + c];
            y[c * y_stride + r] = (float)total;
        }
}

#define REPACK(name, type)                                                                         \
    static void repack_##name(const void *w, size_t row_bytes, size_t n_rows,                      \
                              const struct kern_panel *panel)                                      \
    {                                                                                              \
        repack(type, w, row_bytes, n_rows, panel);                                                 \
    }

REPACK(q4_0, QUANT_Q4_0)
REPACK(q4_1, QUANT_Q4_1)
REPACK(q5_0, QUANT_Q5_0)
REPACK(q5_1, QUANT_Q5_1)
REPACK(q8_0, QUANT_Q8_0)
REPACK(q4_k, QUANT_Q4_K)
REPACK(q5_k, QUANT_Q5_K)
REPACK(q6_k, QUANT_Q6_K)

void kern_init_panel_c(struct kern *kern)
{
    kern->repack[QUANT_Q4_0] = repack_q4_0;
    kern->repack[QUANT_Q4_1] = repack_q4_1;
    kern->repack[QUANT_Q5_0] = repack_q5_0;
    kern->repack[QUANT_Q5_1] = repack_q5_1;
    kern->repack[QUANT_Q8_0] = repack_q8_0;
    kern->repack[QUANT_Q4_K] = repack_q4_k;
    kern->repack[QUANT_Q5_K] = repack_q5_k;
    kern->repack[QUANT_Q6_K] = repack_q6_k;
    kern->panel_gemm = panel_gemm;
    kern->panel_cols = KERN_PANEL_MAX_COLS;
}
