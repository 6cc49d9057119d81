/* SPDX-License-Identifier: GPL-3.0-or-later */
/* backend.c - the processor's entry in the table of backends: memory, scratch, and the walk over a
 * graph that every thread of the pool makes together. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "base/checked.h"
#include "base/fail.h"
#include "base/tune.h"
#include "cpu/cpu.h"
#include "cpu/run.h"

struct cpu_backend {
    struct backend base;
    struct pool *pool;
    struct tune tune; /* threads for single tokens */
    struct kern kern;
    const struct graph *planned; /* whose scratch `plan` divides: a session has one graph */
    struct cpu_scratch plan;
};

static bool is_float(uint32_t type)
{
    return type == QUANT_F32 || type == QUANT_F16 || type == QUANT_BF16;
}

enum ember_status cpu_features_capped(unsigned *features, struct ember_error *err)
{
    const char *level = getenv("EMBER_CPU");

    *features = cpu_features();
    if (!level || !*level || cpu_cap(features, level))
        return EMBER_OK;
    char known[160] = "";
    for (const char *const *name = cpu_level_names(); *name; name++) {
        strncat(known, known[0] ? ", " : "", sizeof known - strlen(known) - 1);
        strncat(known, *name, sizeof known - strlen(known) - 1);
    }
    return ember_fail(err, EMBER_INVALID, "EMBER_CPU is \"%.40s\"; known levels are %s.", level,
                      known);
}

/* --- what can run ------------------------------------------------------------------------------
 */

static bool matrix_runs(const struct graph *graph, const struct graph_matrix *m)
{
    /* The C table has every kernel there is; levels only replace entries. */
    struct kern kern;
    kern_init(&kern, 0);
    uint32_t type = graph->weights[m->weight].type;
    return type < QUANT_TYPE_COUNT && (kern.gemv_q[type] || kern.gemv_f[type]);
}

bool cpu_supports_op(const struct graph *graph, const struct graph_op *op)
{
    switch (op->kind) {
    case GRAPH_OP_EMBED:
        return quant_decoder(graph->weights[op->embed.weight].type) != NULL;
    case GRAPH_OP_LINEAR:
        for (uint32_t i = 0; i < op->linear.n_matrices; i++)
            if (!matrix_runs(graph, &op->linear.m[i]))
                return false;
        return true;
    case GRAPH_OP_LOGITS:
        return matrix_runs(graph, &op->logits.m);
    case GRAPH_OP_ROPE_TABLE:
    case GRAPH_OP_STORE_KV:
    case GRAPH_OP_ATTEND:
    case GRAPH_OP_ADD:
        return true;
    case GRAPH_OP_KIND_COUNT:
        break;
    }
    return false;
}

static bool supports_op(const struct backend *backend, const struct graph *graph,
                        const struct graph_op *op)
{
    (void)backend;
    return cpu_supports_op(graph, op);
}

/* --- scratch ------------------------------------------------------------------------------------
 */

struct needs {
    size_t max_k, max_row;
    bool floats, blocks;
    size_t panels_least, panels_best, narrow;
    size_t attend, state, partials, n_kv;
};

/* `gate`: rows of two matrices, or of two halves of one, are multiplied side by side. */
static void need_matrix(struct needs *n, const struct graph *g, const struct graph_matrix *m,
                        bool gate, bool wide)
{
    const struct graph_weight *w = &g->weights[m->weight];
    if (w->n_cols > n->max_k)
        n->max_k = w->n_cols;
    *(is_float(w->type) ? &n->floats : &n->blocks) = true;
    size_t panel = is_float(w->type) ? KERN_PANEL_ROWS * w->n_cols * sizeof(float)
                                     : kern_panel_bytes(w->type, w->n_cols);
    if (!is_float(w->type) && panel > n->narrow)
        n->narrow = panel;
    if (!is_float(w->type) && wide && cpu_wide_bytes(w->n_cols) > panel)
        panel = cpu_wide_bytes(w->n_cols);
    size_t least = gate ? 2 * panel : panel;
    size_t best = CPU_TILE_ROWS / KERN_PANEL_ROWS * least;
    n->panels_least = least > n->panels_least ? least : n->panels_least;
    n->panels_best = best > n->panels_best ? best : n->panels_best;
}

static void need_attend(struct needs *n, const struct graph *g, const struct graph_attend *op)
{
    const struct graph_cache *c = &g->caches[op->cache];
    size_t group = op->n_heads / c->n_heads, seen = g->n_ctx;
    size_t attend = kern_attend_scratch(group, c->d_k, c->d_v);
    size_t tile = cpu_attend_tile_bytes(group, c->d_k, c->d_v);
    size_t state = group * (c->d_v + 2) * sizeof(float);

    if (c->window && c->window < seen)
        seen = c->window;
    size_t n_splits = seen / CPU_SPLIT + 2; /* a window may touch one more at each end */
    size_t partials = state * c->n_heads * n_splits;
    if (g->n_batch >= CPU_TILES_FROM && tile > attend)
        attend = tile;
    n->attend = attend > n->attend ? attend : n->attend;
    n->state = 2 * state > n->state ? 2 * state : n->state;
    n->partials = partials > n->partials ? partials : n->partials;
    n->n_kv = c->n_heads > n->n_kv ? c->n_heads : n->n_kv;
}

static bool take(uint64_t *at, uint64_t count, uint64_t size, uint64_t *where)
{
    uint64_t bytes;
    *where = *at;
    return mul_u64(count, size, &bytes) && align_u64(bytes, GRAPH_ALIGN, &bytes) &&
           add_u64(*at, bytes, at);
}

bool cpu_scratch_plan(const struct graph *graph, uint32_t n_threads, bool wide,
                      struct cpu_scratch *out)
{
    struct needs n = { 0 };
    uint64_t at = 0, part = 0, all;
    uint64_t rows = graph->n_batch > graph->n_logits ? graph->n_batch : graph->n_logits;

    wide = wide && rows >= CPU_WIDE_FROM;

    for (uint32_t i = 0; i < graph->n_ops; i++) {
        const struct graph_op *op = &graph->ops[i];
        if (op->kind == GRAPH_OP_LINEAR)
            for (uint32_t m = 0; m < op->linear.n_matrices; m++)
                need_matrix(&n, graph, &op->linear.m[m], op->linear.glu, wide);
        else if (op->kind == GRAPH_OP_LOGITS)
            need_matrix(&n, graph, &op->logits.m, false, wide);
        else if (op->kind == GRAPH_OP_ATTEND)
            need_attend(&n, graph, &op->attend);
        else if (op->kind == GRAPH_OP_ADD && graph->values[op->add.in].width > n.max_row)
            n.max_row = graph->values[op->add.in].width;
    }
    /* Columns of matrices may be of any length; quantised rows come in blocks of 32. */
    n.max_k = (n.max_k + 63) / 64 * 64;
    if (n.max_row < n.max_k)
        n.max_row = n.max_k;

    *out = (struct cpu_scratch){
        .max_k = n.max_k,
        .splits_done_bytes = n.n_kv * sizeof(atomic_uint),
    };
    /* Groups of packed columns have up to three columns of padding in 24 (kern.panel_step_f). */
    uint64_t float_rows = rows + rows / 8 + 4;
    out->act_bytes = kern_act_bytes(n.max_k);
    if (rows >= CPU_PANELS_FROM) {
        size_t packed = kern_cols_bytes(n.max_k);
        out->act_bytes = packed > out->act_bytes ? packed : out->act_bytes;
        out->panel_bytes = n.panels_best < CPU_PANEL_BYTES ? n.panels_best : CPU_PANEL_BYTES;
        if (out->panel_bytes < n.panels_least)
            out->panel_bytes = n.panels_least;
    }
    uint64_t act_rows = rows;
    if (wide && n.blocks) {
        size_t column = n.max_k * sizeof(uint16_t);
        out->act_bytes = column > out->act_bytes ? column : out->act_bytes;
        out->narrow_bytes = n.narrow;
        act_rows += KERN_WIDE_COLS - 1; /* whole groups */
    }
    return take(&at, n.blocks ? rows : 0, sizeof(struct kern_act), &out->acts) &&
           take(&at, n.blocks ? act_rows : 0, out->act_bytes, &out->act_rows) &&
           take(&at, n.floats ? float_rows : 0, n.max_k * sizeof(float), &out->float_rows) &&
           take(&at, n.partials, 1, &out->partials) &&
           take(&at, out->splits_done_bytes, 1, &out->splits_done) &&
           take(&part, n.max_row, sizeof(float), &out->t_row) &&
           take(&part, n.blocks ? 1 : 0, out->act_bytes, &out->t_act) &&
           take(&part, 2 * CPU_TILE_ROWS * CPU_TILE_COLS, sizeof(float), &out->t_tile) &&
           take(&part, out->panel_bytes, 1, &out->t_panels) &&
           take(&part, out->narrow_bytes, 1, &out->t_narrow) &&
           take(&part, n.attend, 1, &out->t_attend) && take(&part, n.state, 1, &out->t_state) &&
           (out->per_thread = part, out->threads = at, mul_u64(part, n_threads, &all)) &&
           add_u64(at, all, &out->total);
}

uint64_t cpu_scratch_bytes(const struct graph *graph, uint32_t n_threads)
{
    struct cpu_scratch plan;
    unsigned features;

    cpu_features_capped(&features, NULL);
    return cpu_scratch_plan(graph, n_threads, kern_has_wide(features), &plan) ? plan.total : 0;
}

static uint64_t scratch_bytes(const struct backend *backend, const struct graph *graph)
{
    const struct cpu_backend *b = (const struct cpu_backend *)backend;
    return cpu_scratch_bytes(graph, pool_n_threads(b->pool));
}

/* --- memory -------------------------------------------------------------------------------------
 */

static enum ember_status alloc(struct backend *backend, uint64_t n_bytes,
                               struct backend_buffer *out, struct ember_error *err)
{
    (void)backend;
    *out = (struct backend_buffer){ 0 };
    if (n_bytes == 0)
        return EMBER_OK;
    /* Mapped, so that pages cost memory only once they are touched, and go back at once. */
    void *p = n_bytes > SIZE_MAX / 2 ? MAP_FAILED
                                     : mmap(NULL, (size_t)n_bytes, PROT_READ | PROT_WRITE,
                                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        return ember_fail(err, EMBER_NO_MEMORY,
                          "The system refused %llu bytes of memory for the context.",
                          (unsigned long long)n_bytes);
    out->host = p;
    out->n_bytes = n_bytes;
    return EMBER_OK;
}

static void release(struct backend *backend, struct backend_buffer *buffer)
{
    (void)backend;
    if (buffer->host)
        munmap(buffer->host, (size_t)buffer->n_bytes);
    *buffer = (struct backend_buffer){ 0 };
}

/* --- running ------------------------------------------------------------------------------------
 */

static void walk(struct pool_team *team, void *data)
{
    const struct cpu_run *r = data;

    for (uint32_t i = r->run->first_op; i < r->run->end_op; i++) {
        const struct graph_op *op = &r->graph->ops[i];
        const struct graph_store_kv *store;
        switch (op->kind) {
        case GRAPH_OP_ROPE_TABLE:
            cpu_op_rope_table(r, team, op->rope);
            break;
        case GRAPH_OP_EMBED:
            cpu_op_embed(r, team, &op->embed);
            break;
        case GRAPH_OP_LINEAR:
            /* The op after it, if it can be done with it, costs no barrier. */
            store = i + 1 < r->run->end_op && op[1].kind == GRAPH_OP_STORE_KV &&
                            cpu_stores_with(r, &op->linear, &op[1].store_kv)
                        ? &op[1].store_kv
                        : NULL;
            cpu_op_linear(r, team, &op->linear, store);
            i += store != NULL;
            break;
        case GRAPH_OP_STORE_KV:
            cpu_op_store_kv(r, team, &op->store_kv);
            break;
        case GRAPH_OP_ATTEND:
            cpu_op_attend(r, team, &op->attend);
            break;
        case GRAPH_OP_ADD:
            cpu_op_add(r, team, &op->add);
            break;
        case GRAPH_OP_LOGITS:
            cpu_op_logits(r, team, &op->logits);
            break;
        case GRAPH_OP_KIND_COUNT:
            break;
        }
        pool_barrier(team);
    }
}

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static enum ember_status run(struct backend *backend, const struct backend_run *run_,
                             struct ember_error *err)
{
    struct cpu_backend *b = (struct cpu_backend *)backend;
    struct cpu_run r = {
        .run = run_,
        .graph = run_->graph,
        .kern = &b->kern,
        .scratch = run_->scratch->host,
    };

    if (b->planned != run_->graph) {
        cpu_scratch_plan(run_->graph, pool_n_threads(b->pool), b->kern.wide.product != NULL,
                         &b->plan);
        b->planned = run_->graph;
    }
    r.plan = &b->plan;
    memset(r.scratch + r.plan->splits_done, 0, r.plan->splits_done_bytes); /* after a cancel */
    /* A prompt is read by all threads; for one token fewer may be faster. */
    bool one = run_->n_tokens == 1;
    double start = now_s();
    pool_run_on(b->pool, one ? tune_threads(&b->tune) : pool_n_threads(b->pool), walk, &r);
    if (cpu_cancelled(&r))
        return ember_fail(err, EMBER_CANCELLED, "Stopped.");
    if (one && run_->first_op == 0)
        tune_note(&b->tune, now_s() - start);
    return EMBER_OK;
}

static enum ember_status wait_done(struct backend *backend, struct ember_error *err)
{
    (void)backend;
    (void)err;
    return EMBER_OK; /* run() returns when the work is done */
}

/* --- ceilings -----------------------------------------------------------------------------------
 */

struct ceiling {
    const struct kern *kern;
    const uint8_t *data;
    uint64_t n_bytes, n_rounds, n_int8;
    atomic_uint_fast64_t sink, ops;
};

static void read_job(struct pool_team *team, void *data)
{
    struct ceiling *c = data;
    uint64_t share = c->n_bytes / team->n_threads / 64 * 64, sum = 0;
    for (uint64_t i = 0; i < c->n_rounds; i++)
        sum ^= c->kern->read_loop(c->data + share * team->index, share);
    atomic_fetch_xor(&c->sink, sum);
}

static void int8_job(struct pool_team *team, void *data)
{
    struct ceiling *c = data;
    (void)team;
    atomic_fetch_add(&c->ops, c->kern->int8_loop(c->n_int8));
}

static enum ember_status ceilings(struct backend *backend, const void *data, uint64_t n_bytes,
                                  double *read_gbps, double *int8_gops, struct ember_error *err)
{
    struct cpu_backend *b = (struct cpu_backend *)backend;
    struct ceiling c = { .kern = &b->kern, .data = data, .n_bytes = n_bytes };
    (void)err;

    *read_gbps = 0.0;
    c.n_rounds = n_bytes ? ((512ull << 20) + n_bytes - 1) / n_bytes : 0;
    double start = now_s();
    if (n_bytes) {
        pool_run(b->pool, read_job, &c);
        *read_gbps = (double)(n_bytes / pool_n_threads(b->pool) / 64 * 64) *
                     pool_n_threads(b->pool) * (double)c.n_rounds / (now_s() - start) * 1e-9;
    }
    c.n_int8 = 50u << 20;
    start = now_s();
    pool_run(b->pool, int8_job, &c);
    *int8_gops = (double)atomic_load(&c.ops) / (now_s() - start) * 1e-9;
    return EMBER_OK;
}

/* --- life ---------------------------------------------------------------------------------------
 */

static void free_backend(struct backend *backend)
{
    struct cpu_backend *b = (struct cpu_backend *)backend;
    if (!b)
        return;
    pool_free(b->pool);
    free(b);
}

static const struct backend_table cpu_table = {
    .name = "cpu",
    .supports_op = supports_op,
    .scratch_bytes = scratch_bytes,
    .alloc = alloc,
    .release = release,
    .run = run,
    .wait = wait_done,
    .ceilings = ceilings,
    .free = free_backend,
};

enum ember_status cpu_backend_new(struct backend **out, uint32_t n_threads, struct ember_error *err)
{
    unsigned features;
    enum ember_status st = cpu_features_capped(&features, err);
    if (st != EMBER_OK)
        return st;
    struct cpu_backend *b = calloc(1, sizeof *b);
    if (!b)
        return ember_fail(err, EMBER_NO_MEMORY, "Out of memory while starting threads.");
    b->base.table = &cpu_table;
    kern_init(&b->kern, features);
    tune_init(&b->tune, n_threads);
    st = pool_new(&b->pool, n_threads, err);
    if (st != EMBER_OK) {
        free_backend(&b->base);
        return st;
    }
    *out = &b->base;
    return EMBER_OK;
}
