/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Products of many columns in bf16 tiles, and the operation that uses them. The processor's own
 * tiles are checked where it has them; elsewhere tiles in plain C (tiles-c.h) stand in, behind the
 * same kernels. */
#include "cpu/run.h"
#include "kernels-test.h"
#include "quant-fill.h"

/* ---- the kernels ---- */

enum { MAX_ROWS = 32, MAX_COLS = 32 };

/* Weights, and columns of floats. */
struct problem {
    unsigned t;
    size_t k, n_rows, n_cols, row_bytes;
    uint8_t *w;
    float *x; /* [n_cols][k] */
};

static void make_problem(struct problem *p, unsigned t, size_t k, size_t n_rows, size_t n_cols,
                         enum fill fill)
{
    uint64_t row_bytes;

    CHECK(quant_row_bytes(types[t].type, k, &row_bytes));
    *p = (struct problem){ t,
                           k,
                           n_rows,
                           n_cols,
                           row_bytes,
                           guarded(row_bytes * n_rows),
                           guarded(n_cols * k * sizeof(float)) };
    fill_blocks(types[t].type, p->w, row_bytes * n_rows, fill);
    for (size_t i = 0; i < n_cols * k; i++)
        p->x[i] = random_float();
}

/* y = rows [row, row + n_rows) times columns [col, col + n_cols). */
static void multiply(const struct kern *kern, const struct problem *p, size_t row, size_t n_rows,
                     size_t col, size_t n_cols, float *y, size_t y_stride)
{
    struct kern_wide_product product = { .n_rows = n_rows, .n_cols = n_cols, .k = p->k };
    enum quant_type type = types[p->t].type;
    struct kern_panel panel = kern_panel_at(guarded(kern_panel_bytes(type, p->k)), type, p->k);

    for (size_t i = 0; i < 2 && i * 16 < n_rows; i++) {
        uint16_t *wide = guarded(cpu_wide_bytes(p->k));
        size_t n = n_rows - i * 16 < 16 ? n_rows - i * 16 : 16;
        kern->repack[type](p->w + (row + i * 16) * p->row_bytes, p->row_bytes, n, &panel);
        kern->wide.panel(&panel, wide);
        product.panels[i] = wide;
    }
    for (size_t i = 0; i < 2 && i * 16 < n_cols; i++) {
        uint16_t *group = guarded(cpu_wide_bytes(p->k));
        for (size_t c = 0; c < 16; c++)
            kern->wide.column(i * 16 + c < n_cols ? p->x + (col + i * 16 + c) * p->k : NULL, p->k,
                              c, group);
        product.groups[i] = group;
    }
    kern->wide.begin();
    kern->wide.product(&product, y, y_stride);
    kern->wide.end();
}

static float rounded(float x)
{
    return quant_bf16_to_f32(quant_f32_to_bf16(x));
}

/* A dot product in double. */
struct truth {
    double sum;
    double of_rounded;         /* of weights and activations rounded to bf16 */
    double magnitude, largest; /* of the terms: their sum and the largest */
};

static struct truth truth_of(const struct problem *p, size_t row, size_t col)
{
    const uint8_t *w = p->w + row * p->row_bytes;
    const size_t length = types[p->t].length;
    struct truth t = { 0 };

    for (size_t b = 0; b < p->k / length; b++) {
        const uint8_t *block = w + b * quant_info(types[p->t].type)->block_bytes;
        float weight[256];
        quant_decoder(types[p->t].type)(block, length, weight);
        for (size_t i = 0; i < length; i++) {
            float x = p->x[col * p->k + b * length + i];
            double term = (double)weight[i] * x;
            t.sum += term;
            t.of_rounded += (double)rounded(weight[i]) * rounded(x);
            t.magnitude += fabs(term);
            t.largest = fmax(t.largest, fabs(term));
        }
    }
    return t;
}

static void check_shape(const struct kern *kern, const char *level, unsigned t, size_t k,
                        size_t n_rows, size_t n_cols, enum fill fill)
{
    enum { GAP = 3 };
    const size_t y_stride = n_rows + GAP, n_y = (n_cols - 1) * y_stride + n_rows;
    const char *name = quant_info(types[t].type)->name;
    const uint32_t untouched = 0xA5A5A5A5;
    float *y = guarded(n_y * sizeof *y), gap;
    struct problem p;

    memcpy(&gap, &untouched, sizeof gap);
    make_problem(&p, t, k, n_rows, n_cols, fill);
    multiply(kern, &p, 0, n_rows, 0, n_cols, y, y_stride);
    for (size_t c = 0; c < n_cols; c++)
        for (size_t r = 0; r < y_stride && c * y_stride + r < n_y; r++) {
            float got = y[c * y_stride + r];
            if (r >= n_rows) {
                CHECK_MSG(same_bits(got, gap), "%s %s: written between columns", level, name);
                continue;
            }
            struct truth want = truth_of(&p, r, c);
            /* Two roundings to 8 bits, half a unit each; sums in float. */
            CHECK_NEAR(got, want.sum, 0x1.02p-8 * want.magnitude + 1e-30,
                       "%s %s k=%zu rows=%zu cols=%zu fill=%d [%zu][%zu]", level, name, k, n_rows,
                       n_cols, fill, c, r);
            /* Where scale · code + min is rounded otherwise than the decoder does it, a weight in
             * some ten thousand falls to the other side of a tie. */
            double sums = FLT_EPSILON * ((double)k / 32 + 16) * want.magnitude;
            CHECK_NEAR(got, want.of_rounded, sums + 3 * 0x1p-8 * want.largest + 1e-30,
                       "%s %s of rounded numbers, k=%zu rows=%zu cols=%zu fill=%d [%zu][%zu]",
                       level, name, k, n_rows, n_cols, fill, c, r);
        }
    guarded_free_all();
}

/* Where all numbers have 8 bits at most and the sums 24, nothing is lost. */
static void check_exact(const struct kern *kern, const char *level)
{
    static const enum quant_type exact[] = { QUANT_Q4_0,   QUANT_Q5_0, QUANT_Q8_0, QUANT_Q4_1,
                                             QUANT_IQ4_NL, QUANT_Q1_0, QUANT_Q2_0, QUANT_TQ2_0 };
    float *y = malloc(MAX_ROWS * MAX_COLS * sizeof *y);

    for (unsigned t = 0; t < N_TYPES; t++) {
        bool is_exact = false;
        for (size_t i = 0; i < sizeof exact / sizeof exact[0]; i++)
            is_exact = is_exact || types[t].type == exact[i];
        if (!is_exact)
            continue;
        struct problem p;
        make_problem(&p, t, 512, MAX_ROWS, MAX_COLS, FILL_RANDOM);
        size_t step = quant_info(types[t].type)->block_bytes;
        for (size_t i = 0; i < p.row_bytes * p.n_rows; i += step) {
            uint8_t *block = p.w + i, *d = block;
            if (types[t].type == QUANT_TQ2_0)
                d = ((struct block_tq2_0 *)(void *)block)->d;
            put_f16(d, 0x1p-4f);
            if (types[t].type == QUANT_Q4_1)
                put_f16(block + 2, -0x1.8p-2f);
        }
        for (size_t i = 0; i < p.n_cols * p.k; i++)
            p.x[i] = (float)(int)(random_u32() % 31) - 15;
        multiply(kern, &p, 0, MAX_ROWS, 0, MAX_COLS, y, MAX_ROWS);
        for (size_t c = 0; c < MAX_COLS; c++)
            for (size_t r = 0; r < MAX_ROWS; r++) {
                double want = truth_of(&p, r, c).sum;
                CHECK_MSG(y[c * MAX_ROWS + r] == want, "%s %s: %.9g instead of %.9g", level,
                          quant_info(types[t].type)->name, (double)y[c * MAX_ROWS + r], want);
            }
        guarded_free_all();
    }
    free(y);
}

/* The same bits whatever is computed together, and wherever it stands. */
static void check_grouping(const struct kern *kern, const char *level, unsigned t)
{
    const char *name = quant_info(types[t].type)->name;
    float together[MAX_COLS * MAX_ROWS], alone[MAX_ROWS], one;
    struct problem p;

    make_problem(&p, t, 512, MAX_ROWS, MAX_COLS, FILL_RANDOM);
    multiply(kern, &p, 0, MAX_ROWS, 0, MAX_COLS, together, MAX_ROWS);
    for (size_t c = 0; c < MAX_COLS; c += 5) {
        multiply(kern, &p, 0, MAX_ROWS, c, 1, alone, MAX_ROWS);
        CHECK_MSG(!memcmp(alone, together + c * MAX_ROWS, sizeof alone),
                  "%s %s: column %zu differs from itself alone", level, name, c);
        size_t r = (c * 7 + 3) % MAX_ROWS;
        multiply(kern, &p, r, 1, c, 1, &one, 1);
        CHECK_MSG(same_bits(one, together[c * MAX_ROWS + r]),
                  "%s %s: row %zu differs by its place in a panel", level, name, r);
        guarded_free_all();
        make_problem(&p, t, 512, MAX_ROWS, MAX_COLS, FILL_RANDOM);
        multiply(kern, &p, 0, MAX_ROWS, 0, MAX_COLS, together, MAX_ROWS);
    }
    guarded_free_all();
}

/* What is no number stays in its column. */
static void check_poison(const struct kern *kern, const char *level)
{
    static const float poison[] = { NAN, INFINITY, -INFINITY };
    float y[MAX_COLS * MAX_ROWS];

    for (size_t i = 0; i < 3; i++) {
        struct problem p;
        make_problem(&p, 4, 256, MAX_ROWS, MAX_COLS, FILL_MAX);
        p.x[19 * p.k + 77] = poison[i];
        multiply(kern, &p, 0, MAX_ROWS, 0, MAX_COLS, y, MAX_ROWS);
        for (size_t j = 0; j < MAX_COLS * MAX_ROWS; j++)
            CHECK_MSG(isfinite(y[j]) == (j / MAX_ROWS != 19), "%s: [%zu][%zu] is %g", level,
                      j / MAX_ROWS, j % MAX_ROWS, (double)y[j]);
        guarded_free_all();
    }
}

/* Less is lost than by the quantised activations of fewer columns. */
static void check_error(const struct kern *kern, const char *level, unsigned t)
{
    enum { K = 2048, ROWS = 16, COLS = 4 };
    double wide_error = 0, quant_error = 0;
    float wide[COLS * ROWS], quant[COLS * ROWS];
    struct problem p;

    make_problem(&p, t, K, ROWS, COLS, FILL_RANDOM);
    multiply(kern, &p, 0, ROWS, 0, COLS, wide, ROWS);
    for (size_t c = 0; c < COLS; c++) {
        struct kern_act act = kern_act_at(guarded(kern_act_bytes(K)), K);
        kern->quant_act(p.x + c * K, K, &act);
        if (kern->arrange_act)
            kern->arrange_act(K, &act);
        const struct kern_rows rows = { p.w, p.row_bytes, ROWS, NULL };
        kern->gemv_q[types[t].type](&rows, K, &act, 1, quant + c * ROWS, ROWS);
        for (size_t r = 0; r < ROWS; r++) {
            struct truth want = truth_of(&p, r, c);
            wide_error += pow((wide[c * ROWS + r] - want.sum) / want.magnitude, 2);
            quant_error += pow((quant[c * ROWS + r] - want.sum) / want.magnitude, 2);
        }
    }
    CHECK_MSG(wide_error < quant_error, "%s %s: error %.2e, of quantised activations %.2e", level,
              quant_info(types[t].type)->name, sqrt(wide_error / (COLS * ROWS)),
              sqrt(quant_error / (COLS * ROWS)));
    guarded_free_all();
}

/* ---- the operation ---- */

enum { WIDTH = 256, MOST_TOKENS = 83, N_MATRICES = 3 };

struct model {
    struct graph graph;
    struct graph_op op;
    struct backend_buffer values, scratch;
    struct kern kern;
    uint32_t n_tokens;
    uint8_t *w[N_MATRICES];
};

static uint32_t add_weight(struct model *m, size_t i, enum quant_type type, uint64_t n_rows)
{
    uint64_t row_bytes = 0;

    CHECK(quant_row_bytes(type, WIDTH, &row_bytes));
    m->w[i] = malloc(row_bytes * n_rows);
    if (type == QUANT_F16)
        for (size_t j = 0; j < WIDTH * n_rows; j++)
            put_f16(m->w[i] + 2 * j, 0.1f * random_float());
    else
        fill_blocks(type, m->w[i], row_bytes * n_rows, FILL_RANDOM);
    struct graph_weight w = { .name = "w",
                              .type = type,
                              .n_cols = WIDTH,
                              .n_rows = n_rows,
                              .row_bytes = row_bytes,
                              .n_bytes = row_bytes * n_rows,
                              .data = m->w[i] };
    return graph_add_weight(&m->graph, &w);
}

/* One LINEAR: products side by side, or a gate with two matrices, both with a norm before. */
static void make_model(struct model *m, bool glu)
{
    static const enum quant_type plain[N_MATRICES] = { QUANT_Q4_K, QUANT_F16, QUANT_Q8_0 };
    static const enum quant_type gate[N_MATRICES] = { QUANT_Q6_K, QUANT_Q2_K };
    static const uint64_t rows[N_MATRICES] = { 80, 21, 48 };
    const size_t n = glu ? 2 : N_MATRICES;
    struct ember_error err;
    uint64_t n_out = 0;

    memset(m, 0, sizeof *m);
    graph_init(&m->graph);
    m->graph.n_batch = MOST_TOKENS;
    m->graph.n_logits = 1;
    m->op = (struct graph_op){ .kind = GRAPH_OP_LINEAR,
                               .linear = { .norm = { .kind = GRAPH_NORM_RMS,
                                                     .weight = GRAPH_NONE,
                                                     .bias = GRAPH_NONE,
                                                     .eps = 1e-5f },
                                           .n_matrices = (uint32_t)n,
                                           .act = glu ? GRAPH_ACT_SILU : GRAPH_ACT_NONE,
                                           .glu = glu,
                                           .scale = 1 } };
    for (size_t i = 0; i < n; i++) {
        m->op.linear.m[i] =
            (struct graph_matrix){ add_weight(m, i, glu ? gate[i] : plain[i], glu ? 70 : rows[i]),
                                   GRAPH_NONE, GRAPH_NONE, false };
        n_out += glu ? 0 : rows[i];
    }
    m->op.linear.in = graph_add_value(&m->graph, "in", WIDTH, GRAPH_ROWS_BATCH);
    m->op.linear.out = graph_add_value(&m->graph, "out", glu ? 70 : n_out, GRAPH_ROWS_BATCH);
    graph_add_op(&m->graph, &m->op);
    CHECK(!m->graph.failed && graph_plan_buffers(&m->graph, &err) == EMBER_OK);
    m->values.n_bytes = m->graph.value_bytes;
    m->values.host = aligned_alloc(64, (m->values.n_bytes + 63) / 64 * 64);
}

static void free_model(struct model *m)
{
    for (size_t i = 0; i < N_MATRICES; i++)
        free(m->w[i]);
    free(m->values.host);
    graph_finish(&m->graph);
}

static void run_op(struct pool_team *team, void *data)
{
    struct cpu_run *r = data;
    cpu_op_linear(r, team, &r->graph->ops[0].linear, NULL);
    pool_barrier(team);
}

/* Runs tokens [first, first + n) of x with so many threads; the output goes to `out`. */
static void run_model(struct model *m, const float *x, size_t first, size_t n, uint32_t n_threads,
                      float *out)
{
    const size_t n_out = m->graph.values[m->op.linear.out].width;
    struct pool *pool;
    struct ember_error err;
    struct cpu_scratch plan;

    CHECK(cpu_scratch_plan(&m->graph, n_threads, m->kern.wide.product != NULL, &plan));
    m->scratch.host = aligned_alloc(64, (plan.total + 63) / 64 * 64);
    memset(m->scratch.host, 0xFF, plan.total); /* NaN */
    struct backend_run run = { .graph = &m->graph,
                               .end_op = 1,
                               .n_tokens = (uint32_t)n,
                               .values = &m->values,
                               .scratch = &m->scratch };
    struct cpu_run r = { &run, &m->graph, &m->kern, &plan, m->scratch.host };
    memcpy(cpu_value(&r, m->op.linear.in, 0), x + first * WIDTH, n * WIDTH * sizeof *x);
    if (CHECK(pool_new(&pool, n_threads, &err) == EMBER_OK)) {
        pool_run(pool, run_op, &r);
        pool_free(pool);
    }
    memcpy(out, cpu_value(&r, m->op.linear.out, 0), n * n_out * sizeof *out);
    free(m->scratch.host);
}

/* Norms and root mean square of the difference, relative. */
static double relative(const float *a, const float *b, size_t n)
{
    double off = 0, size = 0;
    for (size_t i = 0; i < n; i++) {
        off += pow((double)a[i] - b[i], 2);
        size += pow((double)b[i], 2);
    }
    return sqrt(off / size);
}

static void check_operation(const struct kern *kern, const char *level, bool glu)
{
    struct model m;
    static float x[MOST_TOKENS * WIDTH];

    make_model(&m, glu);
    const size_t n_out = m.graph.values[m.op.linear.out].width;
    float *whole = malloc(MOST_TOKENS * n_out * sizeof *whole);
    float *other = malloc(MOST_TOKENS * n_out * sizeof *other);
    for (size_t i = 0; i < MOST_TOKENS * WIDTH; i++)
        x[i] = 3 * random_float();

    m.kern = *kern;
    run_model(&m, x, 0, MOST_TOKENS, 1, whole);
    for (uint32_t n_threads = 2; n_threads <= 7; n_threads += n_threads == 3 ? 4 : 1) {
        run_model(&m, x, 0, MOST_TOKENS, n_threads, other);
        CHECK_MSG(!memcmp(other, whole, MOST_TOKENS * n_out * sizeof *whole),
                  "%s glu=%d: other bits with %u threads", level, glu, (unsigned)n_threads);
    }
    for (size_t n = CPU_WIDE_FROM; n < MOST_TOKENS; n += 17) {
        size_t first = MOST_TOKENS - n;
        run_model(&m, x, first, n, 2, other);
        CHECK_MSG(!memcmp(other, whole + first * n_out, n * n_out * sizeof *whole),
                  "%s glu=%d: %zu tokens differ from themselves among %d", level, glu, n,
                  MOST_TOKENS);
    }
    m.kern.wide = (struct kern_wide){ 0 };
    run_model(&m, x, 0, MOST_TOKENS, 1, other);
    double off = relative(whole, other, MOST_TOKENS * n_out);
    CHECK_MSG(off > 1e-4 && off < 0.01, "%s glu=%d: %.2e away from quantised activations", level,
              glu, off);
    m.kern = *kern;
    size_t few = CPU_WIDE_FROM - 1;
    float *again = malloc(MOST_TOKENS * n_out * sizeof *again);
    run_model(&m, x, 0, few, 1, again);
    CHECK_MSG(!memcmp(again, other, few * n_out * sizeof *again),
              "%s glu=%d: %zu tokens are multiplied in bf16", level, glu, few);
    free(again);
    free(whole);
    free(other);
    free_model(&m);
}

static void check_level(const struct kern *ref, const struct kern *kern, const char *level)
{
    static const size_t rows[] = { 1, 7, 15, 16, 17, 31, 32 };
    static const size_t cols[] = { 1, 9, 16, 17, 30, 32 };
    static const enum fill fills[] = { FILL_RANDOM, FILL_MAX, FILL_MIN, FILL_SIGNS, FILL_ZERO };
    (void)ref;

    if (!kern->wide.product)
        return;
    for (unsigned t = 0; t < N_TYPES; t++) {
        for (size_t i = 0; i < sizeof fills / sizeof fills[0]; i++)
            check_shape(kern, level, t, 512, 32, 32, fills[i]);
        check_shape(kern, level, t, types[t].length, 16, 16, FILL_RANDOM);
        check_grouping(kern, level, t);
        check_error(kern, level, t);
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        for (size_t j = 0; j < sizeof cols / sizeof cols[0]; j++)
            check_shape(kern, level, 5, 256, rows[i], cols[j], FILL_RANDOM);
    check_exact(kern, level);
    check_poison(kern, level);
    check_operation(kern, level, false);
    check_operation(kern, level, true);
}

int main(void)
{
    for_each_level(check_level);
#if defined(__x86_64__)
    /* What the kernels need besides tiles. */
    const unsigned needs = CPU_AVX2 | CPU_AVX512 | CPU_AVX512VNNI | CPU_AVX512BF16;
    if ((cpu_features() & needs) == needs) {
        struct kern ref, kern;
        kern_init(&ref, 0);
        kern_init(&kern, needs);
        CHECK_MSG(!kern.wide.product, "tiles without their feature");
        kern_init_amx_in_c(&kern);
        check_level(&ref, &kern, "amx (tiles in C)");
    } else {
        test_skip("amx (tiles in C)", "this processor has no AVX-512 with VNNI and BF16");
    }
#endif
    return test_end();
}
