/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Panels of 16 rows times packed columns, at every level this processor has, against the definition
 * of the types in double and against the C table. With --bench [THREADS] it times them instead. */
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

/* ---- timing ---- */

/* A panel of the type that needs the most: two floats per 16 elements. */
enum { BENCH_K = 2048, BENCH_COLS = 480, BENCH_PANELS = 4, BENCH_PANEL_BYTES = 24 * BENCH_K };

struct bench {
    const struct kern *kern;
    enum quant_type type;
    size_t row_bytes, n_cols, width, n_times;
    const uint8_t *w;
    bool repack_only;
    uint8_t *packed; /* all columns, in groups of `width` */
    uint8_t *panels; /* one per thread */
    uint64_t ops;    /* of int8_loop */
};

static void bench_int8(struct pool_team *team, void *data)
{
    const struct bench *b = data;
    (void)team;
    b->kern->int8_loop(b->ops);
}

/* Every thread multiplies panels of its own with all columns. */
static void bench_panel(struct pool_team *team, void *data)
{
    const struct bench *b = data;
    float y[KERN_PANEL_MAX_COLS * 16];
    struct kern_panel panel =
        kern_panel_at(b->panels + team->index * BENCH_PANEL_BYTES, b->type, BENCH_K);
    const uint8_t *w = b->w + team->index * BENCH_PANELS * 16 * b->row_bytes;

    for (size_t i = 0; i < BENCH_PANELS * b->n_times; i++) {
        b->kern->repack[b->type](w + i % BENCH_PANELS * 16 * b->row_bytes, b->row_bytes, 16,
                                 &panel);
        for (size_t c = 0; c + b->width <= b->n_cols && !b->repack_only; c += b->width) {
            struct kern_cols cols =
                kern_cols_at(b->packed + c * kern_cols_bytes(BENCH_K), b->width, BENCH_K);
            b->kern->panel_gemm(&panel, 16, &cols, y, 16);
        }
    }
}

static struct pool *bench_pool;

static void bench_level(const struct kern *ref, const struct kern *kern, const char *level)
{
    static const size_t counts[] = { 1, 2, 3, 4, 8, 16, BENCH_COLS };
    const uint32_t n_threads = pool_n_threads(bench_pool);
    struct bench b = { .kern = kern, .ops = 12000000 };
    (void)ref;

    b.packed = aligned_alloc(64, BENCH_COLS * kern_cols_bytes(BENCH_K));
    b.panels = aligned_alloc(64, n_threads * BENCH_PANEL_BYTES);
    struct kern_act act = kern_act_at(aligned_alloc(64, kern_act_bytes(BENCH_K)), BENCH_K);
    double peak =
        (double)kern->int8_loop(12000000) * n_threads / best_time(bench_pool, bench_int8, &b, 20);
    printf("%s: %u threads, int8 loop %.0f Gops; percent of it by columns, k = %d\n", level,
           n_threads, peak / 1e9, BENCH_K);
    printf("  %-6s %9s", "type", "repack");
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++)
        printf(" %5zu", counts[i]);
    printf("  (repack: ns per weight)\n");
    for (unsigned t = 0; t < N_TYPES; t++) {
        uint64_t row_bytes;
        b.type = types[t].type;
        quant_row_bytes(b.type, BENCH_K, &row_bytes);
        b.row_bytes = row_bytes;
        size_t n_bytes = row_bytes * 16 * BENCH_PANELS * n_threads;
        uint8_t *w = bench_memory(n_bytes);
        fill_blocks(b.type, w, n_bytes, FILL_RANDOM);
        b.w = w;
        b.repack_only = true;
        b.n_times = 4;
        double weights = (double)BENCH_PANELS * 16 * BENCH_K;
        printf("  %-6s %9.4f", quant_info(b.type)->name,
               best_time(bench_pool, bench_panel, &b, 200) / (weights * 4) * 1e9);
        b.repack_only = false;
        for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
            b.n_cols = counts[i];
            b.width = b.n_cols < kern->panel_cols ? b.n_cols : kern->panel_cols;
            b.n_times = b.n_cols > 100 ? 1 : 4;
            for (size_t c = 0; c < b.n_cols; c++) {
                fill_act(&act, BENCH_K, FILL_RANDOM);
                struct kern_cols cols = kern_cols_at(
                    b.packed + c / b.width * b.width * kern_cols_bytes(BENCH_K), b.width, BENCH_K);
                kern_cols_pack(&cols, c % b.width, &act, BENCH_K);
            }
            double time = best_time(bench_pool, bench_panel, &b, b.n_cols > 100 ? 30 : 100);
            double ops = 2 * weights * (double)(b.n_cols * b.n_times) * n_threads;
            printf(" %4.0f%%", 100 * ops / time / peak);
            fflush(stdout);
        }
        printf("\n");
        munmap(w, n_bytes);
    }
    free(act.q);
    free(b.packed);
    free(b.panels);
}

int main(int argc, char **argv)
{
    if (argc > 1 && !strcmp(argv[1], "--bench")) {
        struct ember_error err;
        if (pool_new(&bench_pool, argc > 2 ? (uint32_t)atoi(argv[2]) : 1, &err) != EMBER_OK) {
            printf("%s\n", err.message);
            return 1;
        }
        for_each_level(bench_level);
        pool_free(bench_pool);
        return 0;
    }
    for_each_level(check_level);
    return test_end();
}
