/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run.h - what the operations of the CPU backend share during one run. Every thread of the pool
 * walks the same list of ops; each op function is called by all of them and ends after its last
 * phase, whose barrier the caller passes. */
#pragma once

#include <math.h>
#include <stdatomic.h>

#include "base/pool.h"
#include "cpu/kernels.h"
#include "graph/backend.h"

/* Products are computed in tiles of at most this many rows and columns, so that what is done to
 * them (bias, activation, sum) finds them in the first-level cache. */
#define CPU_TILE_ROWS 64u
#define CPU_TILE_COLS 32u
/* Rows that are multiplied by one column at a time. */
#define CPU_STREAM_ROWS (4 * CPU_TILE_ROWS)

/* From this many tokens on, attention is computed for tiles of queries, and rows of weights are
 * taken apart into panels: what that costs is by then less than what it saves. Sums have another
 * order then, so it is the same for every processor; how tokens beyond are grouped changes no bit.
 */
#define CPU_TILES_FROM 4u
#define CPU_PANELS_FROM 8u

/* From this many columns on block types are multiplied in bf16 where the table has that (`wide`):
 * fewer would not pay for rounding the weights. */
#define CPU_WIDE_FROM 32u

/* Panels of a thread, at most: small enough to stay in the second-level cache beside the columns
 * that pass by. A single panel (two with a gate) of very long rows may need more. */
#define CPU_PANEL_BYTES (256u << 10)

/* Attention over long contexts is cut here, whatever the number of threads; the parts are merged in
 * order. */
#define CPU_SPLIT 512u

/* Bytes of scratch by use; offsets are from the start of the buffer. */
struct cpu_scratch {
    size_t max_k;        /* longest row of a matrix */
    size_t act_bytes;    /* one row of max_k, quantised (packed with others or not) or in bf16 */
    size_t panel_bytes;  /* a thread's panels */
    size_t narrow_bytes; /* one that becomes a wide one; 0 if there are none */
    uint64_t acts;       /* struct kern_act [n_batch] */
    uint64_t act_rows;   /* quantised rows [n_batch], packed ones, or whole groups in bf16 */
    uint64_t float_rows; /* if some matrix is float: normed rows [n_batch][max_k], or packed ones */
    uint64_t partials;   /* attention splits of one token */
    uint64_t splits_done; /* of them, by key-value head */
    uint64_t splits_done_bytes;
    uint64_t threads; /* first thread's part */
    uint64_t per_thread;
    uint64_t t_row, t_act, t_tile, t_panels, t_narrow, t_attend,
        t_state; /* inside a thread's part */
    uint64_t total;
};

/* Of a thread, for tiles of queries; 0 if a group of heads is too large for a tile. */
size_t cpu_attend_tile_bytes(size_t group, size_t d_k, size_t d_v);

/* `wide`: the table will have that. */
bool cpu_scratch_plan(const struct graph *graph, uint32_t n_threads, bool wide,
                      struct cpu_scratch *out);

/* Bytes of 16 rows or 16 columns in bf16. */
static inline size_t cpu_wide_bytes(size_t k)
{
    return 16 * k * sizeof(uint16_t);
}

struct cpu_run {
    const struct backend_run *run;
    const struct graph *graph;
    const struct kern *kern;
    const struct cpu_scratch *plan;
    uint8_t *scratch;
};

static inline float *cpu_value(const struct cpu_run *r, uint32_t value, uint64_t row)
{
    const struct graph_value *v = &r->graph->values[value];
    return (float *)((uint8_t *)r->run->values->host + v->offset) + row * v->width;
}

static inline void *cpu_thread_part(const struct cpu_run *r, const struct pool_team *team,
                                    uint64_t offset)
{
    return r->scratch + r->plan->threads + team->index * r->plan->per_thread + offset;
}

static inline bool cpu_cancelled(const struct cpu_run *r)
{
    return r->run->cancel && atomic_load_explicit(r->run->cancel, memory_order_relaxed);
}

static inline const float *cpu_vector(const struct cpu_run *r, uint32_t weight)
{
    return weight == GRAPH_NONE ? NULL : r->graph->weights[weight].data;
}

/* y = norm(x) over n floats; y may be x. */
void cpu_norm(const struct cpu_run *r, const struct graph_norm *norm, const float *x, size_t n,
              float *y);

void cpu_op_rope_table(const struct cpu_run *r, struct pool_team *team, uint32_t rope);
void cpu_op_embed(const struct cpu_run *r, struct pool_team *team, const struct graph_embed *op);
void cpu_op_add(const struct cpu_run *r, struct pool_team *team, const struct graph_add *op);
/* If the rows of `op` are the heads of `store`, and whole heads make a piece of work. */
bool cpu_stores_with(const struct cpu_run *r, const struct graph_linear *op,
                     const struct graph_store_kv *store);
/* `store`: if not NULL, what follows for the one token of this run; each head is finished by the
 * thread that multiplied its rows, which saves a barrier. */
void cpu_op_linear(const struct cpu_run *r, struct pool_team *team, const struct graph_linear *op,
                   const struct graph_store_kv *store);
void cpu_op_logits(const struct cpu_run *r, struct pool_team *team, const struct graph_logits *op);
void cpu_op_store_kv(const struct cpu_run *r, struct pool_team *team,
                     const struct graph_store_kv *op);
/* Norm, rotation and storing of one head of token t; heads are counted q, k, v. */
void cpu_store_head(const struct cpu_run *r, const struct graph_store_kv *op, size_t t,
                    size_t head);
void cpu_op_attend(const struct cpu_run *r, struct pool_team *team, const struct graph_attend *op);
