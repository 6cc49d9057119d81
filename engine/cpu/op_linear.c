/* SPDX-License-Identifier: GPL-3.0-or-later */
/* op_linear.c - products of up to three matrices with one input, and all that is done around them.
 *
 * Two phases. First each input row is normed and quantised; while decoding every thread does that
 * for itself, which costs a microsecond and saves a barrier. Then the rows of the matrices are
 * handed out in chunks; a chunk is multiplied tile by tile with all columns, and each tile gets its
 * bias, activation and sum while it is in the first-level cache.
 *
 * With CPU_PANELS_FROM columns or more, they are packed in groups, split evenly, and a chunk is
 * taken apart into panels before the first tile: quantised columns for block types, floats where
 * all matrices are float. With CPU_WIDE_FROM, columns and panels of block types are in bf16 if the
 * table has that. */
#include <string.h>

#include "cpu/run.h"

/* One LINEAR or LOGITS, made alike. */
struct job {
    const struct cpu_run *r;
    struct pool_team *team;
    const float *in;
    size_t in_stride; /* floats */
    size_t n_cols;    /* tokens */
    size_t k;
    const struct graph_norm *norm;
    const struct graph_matrix *m;
    uint32_t n_matrices;
    float *out;
    size_t out_stride;
    enum graph_activation act;
    bool glu, add;
    float scale;
    float softcap;
    const struct graph_store_kv *store; /* of the one token, head by head; NULL: none */

    const struct kern_act *acts; /* [n_cols] */
    const float *floats;         /* rows for float matrices */
    size_t float_stride;

    /* By panels: block types, and then float ones beside them go by rows; or all, if all are float.
     * Neither acts nor, for the latter, floats is used then. */
    bool panels, float_panels;
    bool wide;                   /* block types in bf16 */
    size_t group_cols, n_groups; /* of columns: at most in each, and how many */
    size_t panel_bytes;          /* the largest of the matrices' */
};

/* Columns that are multiplied before the next ones: one tile wide. */
struct span {
    size_t group, end_group; /* if j->panels */
    size_t col, n_cols;
};

static bool is_float(uint32_t type)
{
    return type == QUANT_F32 || type == QUANT_F16 || type == QUANT_BF16;
}

static size_t first_of_group(const struct job *j, size_t group)
{
    if (j->wide)
        return group < j->n_groups ? group * KERN_WIDE_COLS : j->n_cols;
    return j->n_cols * group / j->n_groups;
}

/* Packed float columns of a group; each but the first may have made room for padding. */
static float *packed_floats(const struct job *j, size_t group)
{
    size_t row = first_of_group(j, group) + group * (j->r->kern->panel_step_f - 1);
    return (float *)(j->r->scratch + j->r->plan->float_rows) + row * j->r->plan->max_k;
}

static uint8_t *packed_column(const struct job *j, size_t col)
{
    return j->r->scratch + j->r->plan->act_rows + col * j->r->plan->act_bytes;
}

/* The next columns after `s`; false when all are done. s starts as zeroes. */
static bool next_span(const struct job *j, struct span *s)
{
    size_t col = s->col + s->n_cols, end = col + CPU_TILE_COLS;

    s->group = s->end_group;
    if (j->panels) {
        s->end_group += CPU_TILE_COLS / j->group_cols;
        if (s->end_group > j->n_groups)
            s->end_group = j->n_groups;
        end = first_of_group(j, s->end_group);
    }
    s->col = col;
    s->n_cols = (end < j->n_cols ? end : j->n_cols) - col;
    return s->n_cols != 0;
}

/* Input row t, normed if the job says so: into `shared` where float matrices need all rows. */
static const float *input_row(const struct job *j, size_t t, float *shared)
{
    const float *x = j->in + t * j->in_stride;
    if (j->norm->kind == GRAPH_NORM_NONE)
        return x;
    float *to =
        shared ? shared + t * j->r->plan->max_k : cpu_thread_part(j->r, j->team, j->r->plan->t_row);
    cpu_norm(j->r, j->norm, x, j->k, to);
    return to;
}

/* Norms and quantises the columns, groups of them packed together. */
static void prepare_groups(struct job *j, float *shared)
{
    const struct kern *kern = j->r->kern;
    struct kern_act row = kern_act_at(cpu_thread_part(j->r, j->team, j->r->plan->t_act), j->k);
    size_t group = SIZE_MAX, end;

    while (pool_next(j->team, j->n_groups, 1, &group, &end)) {
        size_t first = first_of_group(j, group), n = first_of_group(j, group + 1) - first;
        struct kern_cols cols = kern_cols_at(packed_column(j, first), n, j->k);
        for (size_t c = 0; c < n; c++) {
            kern->quant_act(input_row(j, first + c, shared), j->k, &row);
            kern_cols_pack(&cols, c, &row, j->k);
        }
    }
}

/* Norms and rounds the columns; the last group is filled up with zeroes. */
static void prepare_wide(struct job *j, float *shared)
{
    size_t group = SIZE_MAX, end;

    while (pool_next(j->team, j->n_groups, 1, &group, &end)) {
        size_t first = first_of_group(j, group), n = first_of_group(j, group + 1) - first;
        uint16_t *to = (uint16_t *)(void *)packed_column(j, first);
        for (size_t c = 0; c < KERN_WIDE_COLS; c++)
            j->r->kern->wide.column(c < n ? input_row(j, first + c, shared) : NULL, j->k, c, to);
    }
}

/* Norms the columns and packs groups of them, as floats. */
static void prepare_float_groups(struct job *j)
{
    size_t group = SIZE_MAX, end;

    while (pool_next(j->team, j->n_groups, 1, &group, &end)) {
        size_t first = first_of_group(j, group), n = first_of_group(j, group + 1) - first;
        size_t width = kern_floats_width(j->r->kern, n);
        for (size_t c = 0; c < width; c++)
            kern_pack_floats(packed_floats(j, group), width, c,
                             c < n ? input_row(j, first + c, NULL) : NULL, j->k);
    }
}

/* A column that is multiplied by rows. */
static void quantise(const struct kern *kern, const float *x, size_t k, const struct kern_act *out)
{
    kern->quant_act(x, k, out);
    if (kern->arrange_act)
        kern->arrange_act(k, out);
}

/* Fills what the matrices of this job need: j->floats, and j->acts or packed columns. */
static void prepare(struct job *j, struct kern_act *own)
{
    const struct cpu_run *r = j->r;
    bool floats = false, blocks = false;
    for (uint32_t i = 0; i < j->n_matrices; i++) {
        uint32_t type = r->graph->weights[j->m[i].weight].type;
        *(is_float(type) ? &floats : &blocks) = true;
        size_t panel =
            is_float(type) ? KERN_PANEL_ROWS * j->k * sizeof(float) : kern_panel_bytes(type, j->k);
        j->panel_bytes = panel > j->panel_bytes ? panel : j->panel_bytes;
    }

    bool normed = j->norm->kind != GRAPH_NORM_NONE;
    if (j->n_cols == 1) {
        float *row = cpu_thread_part(r, j->team, r->plan->t_row);
        const float *x = j->in;
        if (normed) {
            cpu_norm(r, j->norm, x, j->k, row);
            x = row;
        }
        j->floats = x;
        j->float_stride = j->k;
        if (blocks) {
            *own = kern_act_at(cpu_thread_part(r, j->team, r->plan->t_act), j->k);
            quantise(r->kern, x, j->k, own);
        }
        j->acts = own;
        return;
    }

    struct kern_act *acts = (struct kern_act *)(r->scratch + r->plan->acts);
    float *all = (float *)(r->scratch + r->plan->float_rows), *shared = floats ? all : NULL;
    j->panels = j->n_cols >= CPU_PANELS_FROM;
    j->float_panels = j->panels && !blocks;
    j->wide = blocks && r->kern->wide.product && j->n_cols >= CPU_WIDE_FROM;
    if (j->panels) {
        j->group_cols = j->wide           ? KERN_WIDE_COLS
                        : j->float_panels ? r->kern->panel_cols_f
                                          : r->kern->panel_cols;
        j->n_groups = (j->n_cols + j->group_cols - 1) / j->group_cols;
        if (j->wide)
            j->panel_bytes = cpu_wide_bytes(j->k);
        if (j->wide)
            prepare_wide(j, shared);
        else if (j->float_panels)
            prepare_float_groups(j);
        else
            prepare_groups(j, shared);
    } else {
        size_t at = SIZE_MAX, end;
        while (pool_next(j->team, j->n_cols, 4, &at, &end))
            for (size_t t = at; t < end; t++) {
                const float *x = input_row(j, t, shared);
                if (blocks) {
                    acts[t] = kern_act_at(packed_column(j, t), j->k);
                    quantise(r->kern, x, j->k, &acts[t]);
                }
            }
    }
    j->acts = acts;
    j->floats = normed ? all : j->in;
    j->float_stride = normed ? r->plan->max_k : j->in_stride;
    pool_barrier(j->team);
}

static uint8_t *panel_memory(const struct job *j, size_t slot)
{
    uint8_t *memory = cpu_thread_part(j->r, j->team, j->r->plan->t_panels);
    return memory + slot * j->panel_bytes;
}

static bool by_panels(const struct job *j, const struct graph_weight *w)
{
    return j->panels && is_float(w->type) == j->float_panels;
}

static uint16_t *wide_panel_at(const struct job *j, size_t slot)
{
    return (uint16_t *)(void *)panel_memory(j, slot);
}

static const uint8_t *row_of(const struct job *j, const struct graph_matrix *m, size_t row)
{
    const struct graph_weight *w = &j->r->graph->weights[m->weight];
    return (const uint8_t *)w->data + row * w->row_bytes;
}

/* Rows of a matrix that one thread multiplies: their panels, if they have any, are in `slot` and
 * the following; `next` is what it multiplies afterwards, or NULL. */
struct piece {
    const struct graph_matrix *m;
    size_t first, n_rows, slot;
    const uint8_t *next;
};

/* Takes the rows apart into panels, if that is how they are multiplied. */
static void make_panels(const struct job *j, const struct piece *p)
{
    const struct graph_weight *w = &j->r->graph->weights[p->m->weight];
    const uint8_t *rows = row_of(j, p->m, p->first);

    for (size_t i = 0; i < p->n_rows && by_panels(j, w); i += KERN_PANEL_ROWS) {
        uint8_t *memory = panel_memory(j, p->slot + i / KERN_PANEL_ROWS);
        size_t n = p->n_rows - i < KERN_PANEL_ROWS ? p->n_rows - i : KERN_PANEL_ROWS;
        if (j->float_panels) {
            j->r->kern->repack_f[w->type](rows + i * w->row_bytes, w->row_bytes, n, j->k,
                                          (float *)(void *)memory);
            continue;
        }
        void *block_memory =
            j->wide ? cpu_thread_part(j->r, j->team, j->r->plan->t_narrow) : memory;
        struct kern_panel panel = kern_panel_at(block_memory, w->type, j->k);
        j->r->kern->repack[w->type](rows + i * w->row_bytes, w->row_bytes, n, &panel);
        if (j->wide)
            j->r->kern->wide.panel(&panel, wide_panel_at(j, p->slot + i / KERN_PANEL_ROWS));
    }
}

/* Two panels and two groups at a time, as far as there are two. */
static void wide_product(const struct job *j, size_t n_rows, size_t slot, const struct span *s,
                         float *tile, size_t stride)
{
    const size_t most = 2 * KERN_PANEL_ROWS, most_cols = 2 * KERN_WIDE_COLS;

    for (size_t i = 0; i < n_rows; i += most)
        for (size_t c = 0; c < s->n_cols; c += most_cols) {
            struct kern_wide_product p = {
                .n_rows = n_rows - i < most ? n_rows - i : most,
                .n_cols = s->n_cols - c < most_cols ? s->n_cols - c : most_cols,
                .k = j->k,
            };
            for (size_t at = 0; at < 2; at++) {
                size_t col = c + at * KERN_WIDE_COLS;
                if (at * KERN_PANEL_ROWS < p.n_rows)
                    p.panels[at] = wide_panel_at(j, slot + i / KERN_PANEL_ROWS + at);
                if (col < s->n_cols)
                    p.groups[at] = (const uint16_t *)(void *)packed_column(j, s->col + col);
            }
            j->r->kern->wide.product(&p, tile + c * stride + i, stride);
        }
}

static void panel_product(const struct job *j, const struct graph_weight *w, size_t n_rows,
                          size_t slot, const struct span *s, float *tile, size_t stride)
{
    const struct kern *kern = j->r->kern;

    if (j->wide) {
        wide_product(j, n_rows, slot, s, tile, stride);
        return;
    }
    for (size_t i = 0; i < n_rows; i += KERN_PANEL_ROWS) {
        uint8_t *memory = panel_memory(j, slot + i / KERN_PANEL_ROWS);
        size_t n = n_rows - i < KERN_PANEL_ROWS ? n_rows - i : KERN_PANEL_ROWS;
        for (size_t group = s->group; group < s->end_group; group++) {
            size_t col = first_of_group(j, group), end = first_of_group(j, group + 1);
            float *to = tile + (col - s->col) * stride + i;
            if (j->float_panels) {
                kern->panel_gemm_f((const float *)(const void *)memory, n, j->k,
                                   packed_floats(j, group), end - col, to, stride);
                continue;
            }
            struct kern_panel panel = kern_panel_at(memory, w->type, j->k);
            struct kern_cols cols = kern_cols_at(packed_column(j, col), end - col, j->k);
            kern->panel_gemm(&panel, n, &cols, to, stride);
        }
    }
}

/* As much of the next piece as is fetched when one begins. */
#define FETCH_BYTES 4096u

/* tile[c · stride + i] = row (first + i) of the matrix · column (s->col + c), with scale and bias.
 */
static void product(const struct job *j, const struct piece *p, const struct span *s, float *tile,
                    size_t stride)
{
    const struct graph_matrix *m = p->m;
    const size_t first = p->first, n_rows = p->n_rows;
    const size_t col = s->col, n_cols = s->n_cols;
    const struct kern *kern = j->r->kern;
    const struct graph_weight *w = &j->r->graph->weights[m->weight];
    const struct kern_rows rows = { row_of(j, m, first), w->row_bytes, n_rows, p->next };
    const float *bias = cpu_vector(j->r, m->bias), *scale = cpu_vector(j->r, m->scale);

    /* Block kernels on x86 fetch ahead, and go on there by themselves, but for what a row's length
     * leaves out where the address jumps. */
    bool jumps = p->next && p->next != (const uint8_t *)rows.w + n_rows * w->row_bytes;
    for (size_t i = 0; jumps && i < FETCH_BYTES; i += 64)
        __builtin_prefetch(p->next + i);
    if (by_panels(j, w))
        panel_product(j, w, n_rows, p->slot, s, tile, stride);
    else if (is_float(w->type))
        kern->gemv_f[w->type](rows.w, w->row_bytes, n_rows, j->k, j->floats + col * j->float_stride,
                              j->float_stride, n_cols, tile, stride);
    else
        kern->gemv_q[w->type](&rows, j->k, j->acts + col, n_cols, tile, stride);
    for (size_t c = 0; c < n_cols && (scale || bias); c++)
        for (size_t i = 0; i < n_rows; i++) {
            float *y = &tile[c * stride + i];
            if (scale && !m->bias_first)
                *y *= *scale;
            if (bias)
                *y += bias[first + i];
            if (scale && m->bias_first)
                *y *= *scale;
        }
}

static enum kern_activation kern_act_of(enum graph_activation act)
{
    return act == GRAPH_ACT_GELU ? KERN_GELU : act == GRAPH_ACT_RELU2 ? KERN_RELU2 : KERN_SILU;
}

/* Moves a finished tile to rows [first, first + n_rows) of the output. */
static void deliver(const struct job *j, const float *tile, size_t stride, size_t first,
                    size_t n_rows, const struct span *s)
{
    for (size_t c = 0; c < s->n_cols; c++) {
        const float *from = tile + c * stride;
        float *to = j->out + (s->col + c) * j->out_stride + first;
        if (j->add) {
            j->r->kern->add_scaled(from, n_rows, j->scale, to);
            continue;
        }
        if (j->scale == 1.0f && j->softcap == 0.0f) {
            memcpy(to, from, n_rows * sizeof *to);
            continue;
        }
        for (size_t i = 0; i < n_rows; i++) {
            float y = from[i] * j->scale;
            to[i] = j->softcap != 0.0f ? j->softcap * tanhf(y / j->softcap) : y;
        }
    }
}

static size_t chunk_unit(const struct job *j)
{
    return j->store ? j->r->graph->caches[j->store->cache].d_k : KERN_PANEL_ROWS;
}

/* Rows of one chunk; a multiple of 16, so that two threads never write the same cache line. With
 * one column a chunk is a stream from memory: long, since every start of one costs a wait (64 KiB
 * reach four fifths of the speed of 256). With several it must leave room in the cache, or hold
 * what `n_parts` matrices have room for in panels. Depends on the shape alone. */
static size_t chunk_rows(const struct job *j, uint64_t row_bytes, size_t n_rows, size_t n_parts)
{
    const size_t unit = chunk_unit(j);
    const bool stream = j->n_cols == 1;
    size_t by_bytes = (stream ? 256u << 10 : 64u << 10) / (row_bytes ? row_bytes : 1);
    size_t by_share = n_rows / (stream ? 16 : 32);
    size_t most = stream ? CPU_STREAM_ROWS : CPU_TILE_ROWS;
    if (j->panels)
        by_bytes = j->r->plan->panel_bytes / (n_parts * j->panel_bytes) * KERN_PANEL_ROWS;
    size_t rows = by_bytes < by_share ? by_bytes : by_share;
    rows = (rows < most ? rows : most) / unit * unit;
    return rows < unit ? unit : rows;
}

/* Pieces of a phase: with panels each costs so much work that the order of memory does not matter,
 * but that all threads end together does. */
static bool next_piece(const struct job *j, size_t n, size_t chunk, struct pool_walk *p)
{
    if (!j->panels)
        return pool_walk(j->team, n, chunk, p);
    p->next = n;
    return pool_next_guided(j->team, n, chunk, chunk_unit(j), &p->at, &p->end);
}

/* Before the first piece. */
static struct pool_walk pieces_start(const struct job *j)
{
    return (struct pool_walk){ .at = j->panels ? SIZE_MAX : 0 };
}

/* The piece after the present one begins here, in the matrices of a LINEAR as one row space. NULL
 * where nothing is gained: there is none, or many columns are worked on for each row that is read.
 */
static const uint8_t *next_of(const struct job *j, const struct pool_walk *p, size_t n)
{
    size_t at = p->next;
    for (uint32_t i = 0; i < j->n_matrices && at < n; i++) {
        size_t rows = j->r->graph->weights[j->m[i].weight].n_rows;
        if (at < rows)
            return row_of(j, &j->m[i], at);
        at -= rows;
    }
    return NULL;
}

static void run_glu(struct job *j)
{
    const struct graph *g = j->r->graph;
    const bool fused = j->n_matrices == 1;
    const struct graph_matrix *second = &j->m[fused ? 0 : 1];
    size_t n = g->weights[j->m[0].weight].n_rows / (fused ? 2 : 1);
    size_t chunk = chunk_rows(j, g->weights[j->m[0].weight].row_bytes * 2, n, 2);
    struct pool_walk p = pieces_start(j);
    float *gate = cpu_thread_part(j->r, j->team, j->r->plan->t_tile);
    float *up = gate + CPU_TILE_ROWS * CPU_TILE_COLS;

    while (next_piece(j, n, chunk, &p)) {
        if (cpu_cancelled(j->r))
            continue;
        size_t at = p.at, n_rows = p.end - p.at, up_at = fused ? n + at : at;
        const struct piece gates = { &j->m[0], at, n_rows, 0,
                                     j->panels ? NULL : row_of(j, second, up_at) };
        const struct piece ups = { second, up_at, n_rows, chunk / KERN_PANEL_ROWS,
                                   next_of(j, &p, n) };
        make_panels(j, &gates);
        make_panels(j, &ups);
        for (struct span s = { 0 }; next_span(j, &s);) {
            product(j, &gates, &s, gate, CPU_TILE_ROWS);
            product(j, &ups, &s, up, CPU_TILE_ROWS);
            for (size_t c = 0; c < s.n_cols; c++)
                j->r->kern->act_mul(kern_act_of(j->act), gate + c * CPU_TILE_ROWS,
                                    up + c * CPU_TILE_ROWS, n_rows, gate + c * CPU_TILE_ROWS);
            deliver(j, gate, CPU_TILE_ROWS, at, n_rows, &s);
        }
    }
}

/* All matrices as one row space; a chunk that crosses a border is cut there. */
static void run_plain(struct job *j)
{
    const struct graph *g = j->r->graph;
    size_t n = 0;
    uint64_t row_bytes = 0;
    const size_t d_head = j->store ? g->caches[j->store->cache].d_k : 1;
    float *tile = cpu_thread_part(j->r, j->team, j->r->plan->t_tile);

    for (uint32_t i = 0; i < j->n_matrices; i++) {
        n += g->weights[j->m[i].weight].n_rows;
        if (g->weights[j->m[i].weight].row_bytes > row_bytes)
            row_bytes = g->weights[j->m[i].weight].row_bytes;
    }
    const size_t chunk = chunk_rows(j, row_bytes, n, 1);
    struct pool_walk p = pieces_start(j);
    while (next_piece(j, n, chunk, &p)) {
        size_t base = 0, at = p.at, end = p.end;
        for (uint32_t i = 0; i < j->n_matrices && !cpu_cancelled(j->r); i++) {
            size_t rows = g->weights[j->m[i].weight].n_rows;
            size_t from = at > base ? at - base : 0, to = end > base ? end - base : 0;
            if (to > rows)
                to = rows;
            if (from >= to) {
                base += rows;
                continue;
            }
            const struct piece piece = { &j->m[i], from, to - from, 0,
                                         base + to == end ? next_of(j, &p, n) : NULL };
            make_panels(j, &piece);
            for (struct span s = { 0 }; next_span(j, &s);) {
                product(j, &piece, &s, tile, CPU_TILE_ROWS);
                if (j->act != GRAPH_ACT_NONE)
                    for (size_t c = 0; c < s.n_cols; c++)
                        j->r->kern->act_mul(kern_act_of(j->act), tile + c * CPU_TILE_ROWS, NULL,
                                            to - from, tile + c * CPU_TILE_ROWS);
                deliver(j, tile, CPU_TILE_ROWS, base + from, to - from, &s);
            }
            base += rows;
        }
        for (size_t row = at; j->store && row < end; row += d_head)
            cpu_store_head(j->r, j->store, 0, row / d_head);
    }
}

bool cpu_stores_with(const struct cpu_run *r, const struct graph_linear *op,
                     const struct graph_store_kv *store)
{
    const struct graph_cache *c = &r->graph->caches[store->cache];

    return r->run->n_tokens == 1 && op->out == store->qkv && !op->glu && c->d_k == c->d_v &&
           c->d_k % 16 == 0 && c->d_k <= CPU_STREAM_ROWS;
}

/* The phase after prepare(). Tiles are held during it alone: a thread that waits should have little
 * to save. */
static void multiply(struct job *j)
{
    if (j->wide)
        j->r->kern->wide.begin();
    if (j->glu)
        run_glu(j);
    else
        run_plain(j);
    if (j->wide)
        j->r->kern->wide.end();
}

void cpu_op_linear(const struct cpu_run *r, struct pool_team *team, const struct graph_linear *op,
                   const struct graph_store_kv *store)
{
    struct kern_act own;
    struct job j = {
        .r = r,
        .team = team,
        .in = cpu_value(r, op->in, 0),
        .in_stride = r->graph->values[op->in].width,
        .n_cols = r->run->n_tokens,
        .k = r->graph->weights[op->m[0].weight].n_cols,
        .norm = &op->norm,
        .m = op->m,
        .n_matrices = op->n_matrices,
        .out = cpu_value(r, op->out, 0),
        .out_stride = r->graph->values[op->out].width,
        .act = op->act,
        .glu = op->glu,
        .add = op->add,
        .scale = op->scale,
        .store = store,
    };

    prepare(&j, &own);
    multiply(&j);
}

void cpu_op_logits(const struct cpu_run *r, struct pool_team *team, const struct graph_logits *op)
{
    struct kern_act own;
    struct job j = {
        .r = r,
        .team = team,
        .in = cpu_value(r, op->in, r->run->first_logit),
        .in_stride = r->graph->values[op->in].width,
        .n_cols = r->run->n_logits,
        .k = r->graph->weights[op->m.weight].n_cols,
        .norm = &op->norm,
        .m = &op->m,
        .n_matrices = 1,
        .out = cpu_value(r, op->out, 0),
        .out_stride = r->graph->values[op->out].width,
        .scale = op->scale,
        .softcap = op->softcap,
    };

    if (!j.n_cols)
        return;
    prepare(&j, &own);
    multiply(&j);
}
