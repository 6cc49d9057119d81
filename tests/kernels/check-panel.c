/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Panels of 16 rows times packed columns, at every level this processor has, against the definition
 * of the types in double and against the C table. */
#include "kernels-test.h"
#include "quant-fill.h"

/* Roundings a term meets: products of scales, one addition per 32 elements (two with scales per 16
 * or minima), few more. */
static double bound(size_t k, double magnitude)
{
    double n_roundings = (double)k / 16 + 8;
    return FLT_EPSILON * n_roundings * magnitude + (double)k * 20000 * 0x1p-149;
}

/* Weights of one matrix and quantised columns, at the ends of guarded memory. */
struct problem {
    unsigned t;
    size_t k, n_rows, n_cols, row_bytes;
    uint8_t *w;
    struct kern_act x[40];
};

static void make_problem(struct problem *p, unsigned t, size_t k, size_t n_rows, size_t n_cols,
                         enum fill fill)
{
    uint64_t row_bytes;

    *p = (struct problem){ .t = t, .k = k, .n_rows = n_rows, .n_cols = n_cols };
    CHECK(quant_row_bytes(types[t].type, k, &row_bytes));
    p->row_bytes = row_bytes;
    p->w = guarded(row_bytes * n_rows);
    fill_blocks(types[t].type, p->w, row_bytes * n_rows, fill);
    uint8_t *acts = guarded(n_cols * kern_act_bytes(k));
    for (size_t c = 0; c < n_cols; c++) {
        p->x[c] = kern_act_at(acts + c * kern_act_bytes(k), k);
        fill_act(&p->x[c], k, fill);
    }
}

/* y = all rows times columns [col, col + n), packed together. */
static void multiply(const struct kern *kern, const struct problem *p, size_t col, size_t n,
                     float *y, size_t y_stride)
{
    struct kern_panel panel =
        kern_panel_at(guarded(kern_panel_bytes(types[p->t].type, p->k)), types[p->t].type, p->k);
    struct kern_cols cols = kern_cols_at(guarded(n * kern_cols_bytes(p->k)), n, p->k);

    for (size_t c = 0; c < n; c++)
        kern_cols_pack(&cols, c, &p->x[col + c], p->k);
    kern->repack[panel.type](p->w, p->row_bytes, p->n_rows, &panel);
    kern->panel_gemm(&panel, p->n_rows, &cols, y, y_stride);
}

/* One shape at one level: near the truth and the C table, nothing else written. */
static void check_shape(const struct kern *ref, const struct kern *kern, const char *level,
                        unsigned t, size_t k, size_t n_rows, size_t n_cols, enum fill fill)
{
    enum { GAP = 3 };
    const char *name = quant_info(types[t].type)->name;
    size_t y_stride = n_rows + GAP, n_y = (n_cols - 1) * y_stride + n_rows;
    float *y = guarded(n_y * sizeof *y), *y_ref = guarded(n_y * sizeof *y), gap;
    const uint32_t untouched = 0xA5A5A5A5;
    struct problem p;

    memcpy(&gap, &untouched, sizeof gap);
    make_problem(&p, t, k, n_rows, n_cols, fill);
    multiply(ref, &p, 0, n_cols, y_ref, y_stride);
    multiply(kern, &p, 0, n_cols, y, y_stride);
    for (size_t c = 0; c < n_cols; c++)
        for (size_t r = 0; r < y_stride && c * y_stride + r < n_y; r++) {
            float got = y[c * y_stride + r];
            if (r >= n_rows) {
                CHECK_MSG(same_bits(got, gap), "%s %s: written between columns", level, name);
                continue;
            }
            double magnitude;
            double want = true_dot(types[t].type, types[t].length, p.w + r * p.row_bytes, k,
                                   &p.x[c], &magnitude);
            CHECK_NEAR(got, want, bound(k, magnitude),
                       "%s %s k=%zu rows=%zu cols=%zu fill=%d [%zu][%zu]", level, name, k, n_rows,
                       n_cols, fill, c, r);
            CHECK_NEAR(got, y_ref[c * y_stride + r], bound(k, magnitude),
                       "%s %s against C, k=%zu rows=%zu cols=%zu fill=%d", level, name, k, n_rows,
                       n_cols, fill);
        }
    guarded_free_all();
}

/* The same bits however columns are grouped, and wherever a row stands in its panel. */
static void check_grouping(const struct kern *kern, const char *level, unsigned t)
{
    enum { ROWS = 16, COLS = KERN_PANEL_MAX_COLS };
    const size_t k = 512, most = kern->panel_cols;
    float together[COLS * ROWS], alone[ROWS];
    struct problem p;

    for (size_t n = 2; n <= most; n++) {
        make_problem(&p, t, k, ROWS, n, FILL_RANDOM);
        multiply(kern, &p, 0, n, together, ROWS);
        for (size_t c = 0; c < n; c++) {
            multiply(kern, &p, c, 1, alone, ROWS);
            CHECK_MSG(!memcmp(alone, together + c * ROWS, sizeof alone),
                      "%s %s: column %zu of %zu differs from itself alone", level,
                      quant_info(types[t].type)->name, c, n);
        }
        struct problem tail = p;
        tail.w += 5 * p.row_bytes;
        tail.n_rows = 3;
        multiply(kern, &tail, 0, 1, alone, ROWS);
        CHECK_MSG(!memcmp(alone, together + 5, 3 * sizeof *alone),
                  "%s %s: rows differ by their place in a panel", level,
                  quant_info(types[t].type)->name);
        guarded_free_all();
    }
}

/* An activation group that was no number makes its column's products no number, and no other's. */
static void check_poison(const struct kern *kern, const char *level, unsigned t)
{
    const size_t n = kern->panel_cols, k = 256;
    float x[256], y[16 * KERN_PANEL_MAX_COLS];
    struct problem p;

    make_problem(&p, t, k, 16, n, FILL_RANDOM);
    for (size_t i = 0; i < k; i++)
        x[i] = random_float();
    x[77] = NAN;
    kern->quant_act(x, k, &p.x[n - 1]);
    multiply(kern, &p, 0, n, y, 16);
    for (size_t i = 0; i < 16 * n; i++)
        CHECK_MSG(isnan(y[i]) == (i / 16 == n - 1), "%s %s: [%zu][%zu] is %g", level,
                  quant_info(types[t].type)->name, i / 16, i % 16, (double)y[i]);
    guarded_free_all();
}

static void check_level(const struct kern *ref, const struct kern *kern, const char *level)
{
    static const size_t blocks[] = { 1, 2, 3, 5, 8, 9, 24 };
    static const size_t rows[] = { 1, 2, 7, 8, 9, 15, 16 };

    CHECK_MSG(kern->panel_cols >= 1 && kern->panel_cols <= KERN_PANEL_MAX_COLS, "%s: %zu columns",
              level, kern->panel_cols);
    for (unsigned t = 0; t < N_TYPES; t++) {
        for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
            if (types[t].length >= 128 && blocks[i] > 3)
                continue;
            for (enum fill fill = 0; fill < FILL_COUNT; fill++)
                check_shape(ref, kern, level, t, blocks[i] * types[t].length, 16, kern->panel_cols,
                            fill);
        }
        for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
            for (size_t n = 1; n <= kern->panel_cols; n++)
                check_shape(ref, kern, level, t, 256, rows[i], n, FILL_RANDOM);
        check_grouping(kern, level, t);
        check_poison(kern, level, t);
    }
}

int main(void)
{
    for_each_level(check_level);
    return test_end();
}
