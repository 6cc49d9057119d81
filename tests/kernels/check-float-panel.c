/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Panels of float rows times packed columns, at every level this processor has, against double
 * precision. Bounds count roundings: a stretch of 256 elements is summed in order, then stretches.
 */
#include "kernels-test.h"

enum { MAX_COLS = 32 };

struct problem {
    enum quant_type type;
    size_t k, n_rows, n_cols, row_bytes;
    uint8_t *w;
    float *x; /* [n_cols][k] */
};

static struct problem make_problem(enum quant_type type, size_t k, size_t n_rows, size_t n_cols)
{
    struct problem p = { .type = type, .k = k, .n_rows = n_rows, .n_cols = n_cols };

    p.row_bytes = k * quant_info(type)->block_bytes;
    p.w = guarded(p.row_bytes * n_rows);
    p.x = guarded(n_cols * k * sizeof *p.x);
    for (size_t i = 0; i < n_rows * k; i++)
        put_float(type, p.w, i, random_float());
    for (size_t i = 0; i < n_cols * k; i++)
        p.x[i] = random_float();
    return p;
}

/* y = all rows times columns [col, col + n). */
static void multiply(const struct kern *kern, const struct problem *p, size_t col, size_t n,
                     float *y, size_t y_stride)
{
    size_t width = kern_floats_width(kern, n);
    float *panel = guarded(KERN_PANEL_ROWS * p->k * sizeof *panel);
    float *cols = guarded(width * p->k * sizeof *cols);

    for (size_t c = 0; c < width; c++)
        kern_pack_floats(cols, width, c, c < n ? p->x + (col + c) * p->k : NULL, p->k);
    kern->repack_f[p->type](p->w, p->row_bytes, p->n_rows, p->k, panel);
    kern->panel_gemm_f(panel, p->n_rows, p->k, cols, n, y, y_stride);
}

/* Near the truth, and nothing written between columns. */
static void check_shape(const struct kern *kern, const char *level, enum quant_type type, size_t k,
                        size_t n_rows, size_t n_cols)
{
    enum { GAP = 3 };
    struct problem p = make_problem(type, k, n_rows, n_cols);
    size_t y_stride = n_rows + GAP, n_y = (n_cols - 1) * y_stride + n_rows;
    float *y = guarded(n_y * sizeof *y), *row = guarded(k * sizeof *row), gap;
    const uint32_t untouched = 0xA5A5A5A5;

    memcpy(&gap, &untouched, sizeof gap);
    multiply(kern, &p, 0, n_cols, y, y_stride);
    for (size_t r = 0; r < y_stride; r++) {
        if (r < n_rows)
            quant_decoder(type)(p.w + r * p.row_bytes, k, row);
        for (size_t c = 0; c < n_cols && c * y_stride + r < n_y; c++) {
            float got = y[c * y_stride + r];
            if (r >= n_rows) {
                CHECK_MSG(same_bits(got, gap), "%s %s: written between columns", level,
                          quant_info(type)->name);
                continue;
            }
            double want = 0, magnitude = 0;
            for (size_t i = 0; i < k; i++) {
                want += (double)row[i] * p.x[c * k + i];
                magnitude += fabs((double)row[i] * p.x[c * k + i]);
            }
            CHECK_NEAR(got, want, FLT_EPSILON * (256 + (double)k / 256) * magnitude,
                       "%s panel %s k=%zu rows=%zu cols=%zu", level, quant_info(type)->name, k,
                       n_rows, n_cols);
        }
    }
    guarded_free_all();
}

/* The same bits however columns are grouped, and wherever a row stands in its panel. */
static void check_grouping(const struct kern *kern, const char *level, enum quant_type type)
{
    const size_t k = 600;
    float together[MAX_COLS * 16], alone[16];

    for (size_t n = 2; n <= kern->panel_cols_f; n++) {
        struct problem p = make_problem(type, k, 16, n), tail = p;
        multiply(kern, &p, 0, n, together, 16);
        for (size_t c = 0; c < n; c++) {
            multiply(kern, &p, c, 1, alone, 16);
            CHECK_MSG(!memcmp(alone, together + c * 16, sizeof alone),
                      "%s %s: column %zu of %zu differs from itself alone", level,
                      quant_info(type)->name, c, n);
        }
        tail.w += 5 * p.row_bytes;
        tail.n_rows = 3;
        multiply(kern, &tail, 0, 1, alone, 16);
        CHECK_MSG(!memcmp(alone, together + 5, 3 * sizeof *alone),
                  "%s %s: rows differ by their place in a panel", level, quant_info(type)->name);
        guarded_free_all();
    }
}

/* A column that is no number spoils no other. */
static void check_poison(const struct kern *kern, const char *level, enum quant_type type)
{
    const size_t n = kern->panel_cols_f;
    struct problem p = make_problem(type, 300, 16, n);
    float y[MAX_COLS * 16];

    p.x[(n - 1) * p.k + 77] = NAN;
    multiply(kern, &p, 0, n, y, 16);
    for (size_t i = 0; i < 16 * n; i++)
        CHECK_MSG(isnan(y[i]) == (i / 16 == n - 1), "%s %s: [%zu][%zu] is %g", level,
                  quant_info(type)->name, i / 16, i % 16, (double)y[i]);
    guarded_free_all();
}

static void check_level(const struct kern *ref, const struct kern *kern, const char *level)
{
    static const enum quant_type types[] = { QUANT_F32, QUANT_F16, QUANT_BF16 };
    static const size_t lengths[] = { 1, 2, 3, 7, 8, 9, 15, 16, 17, 255, 256, 257, 1000, 2048 };
    const size_t most = kern->panel_cols_f;
    (void)ref;

    CHECK_MSG(most >= 1 && most <= MAX_COLS && most % kern->panel_step_f == 0,
              "%s: %zu columns in steps of %zu", level, most, kern->panel_step_f);
    for (size_t t = 0; t < 3; t++) {
        for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++)
            check_shape(kern, level, types[t], lengths[i], 16, most);
        for (size_t rows = 1; rows <= 16; rows++)
            check_shape(kern, level, types[t], 100, rows, most);
        for (size_t n = 1; n <= most; n++)
            check_shape(kern, level, types[t], 100, 16, n);
        check_grouping(kern, level, types[t]);
        check_poison(kern, level, types[t]);
    }
}

int main(void)
{
    for_each_level(check_level);
    return test_end();
}
