/* SPDX-License-Identifier: GPL-3.0-or-later */
/* graph.h - a forward pass as a list of coarse, fused operations over values, weights and a cache.
 *
 * A graph is shapes only: it can be built from a header alone, which is how memory is planned. To
 * run it, model/ binds weights to the mapped file and gives it memory for values and cache. One
 * graph serves every batch up to n_batch tokens. It owns its lists (one arena) and belongs to one
 * session; backends only read it.
 *
 * A value is a matrix of float32 rows, one row per token of the batch (or per row of logits). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ember/error.h>

#include "base/arena.h"

#define GRAPH_NONE UINT32_MAX

/* A tensor of the file that the graph reads. */
struct graph_weight {
    const char *name;
    uint32_t type;   /* tensor type id */
    uint64_t n_cols; /* row length, ne[0] */
    uint64_t n_rows; /* ne[1] · ne[2] · ne[3] */
    uint64_t row_bytes;
    uint64_t n_bytes;
    uint64_t index;   /* in the file's tensor table */
    bool vector;      /* norms, biases, scales, divisors: bound as float32 whatever the file has */
    const void *data; /* bound by the loader; NULL while planning */
};

enum graph_rows { GRAPH_ROWS_BATCH, GRAPH_ROWS_LOGITS };

struct graph_value {
    const char *name;
    uint64_t width; /* floats per row */
    enum graph_rows rows;
    uint32_t first_op; /* lifetime, inclusive: buffers whose lifetimes do not meet share bytes */
    uint32_t last_op;
    uint64_t offset; /* in the value buffer, set by graph_plan_buffers() */
};

enum graph_norm_kind { GRAPH_NORM_NONE, GRAPH_NORM_RMS, GRAPH_NORM_LAYER };

struct graph_norm {
    enum graph_norm_kind kind;
    uint32_t weight, bias; /* weights or GRAPH_NONE */
    float eps;
};

enum graph_rope_kind {
    GRAPH_ROPE_NONE,
    GRAPH_ROPE_NORM, /* pairs (2i, 2i + 1) */
    GRAPH_ROPE_NEOX  /* pairs (i, i + n_rot/2) */
};

/* One way of turning positions into angles; layers share them. Angle of pair i at position p:
 * p · frequency[i]; cos and sin are both multiplied by magnitude. */
struct graph_rope {
    uint32_t n_rot; /* dimensions rotated; pairs = n_rot / 2 */
    double base;
    double freq_scale; /* 1 / linear factor */
    bool yarn;
    double beta_fast, beta_slow;
    double n_ctx_orig;
    double magnitude;
    uint32_t factors;  /* weight of n_rot / 2 divisors, or GRAPH_NONE */
    double *frequency; /* [n_rot / 2]; filled when weights are bound */
    uint32_t table;    /* value: [token][n_rot / 2][cos, sin] */
};

/* One layer's part of the cache: [head][slot][dim] for keys, then the same for values. Slot of
 * position p is p mod n_slots. */
struct graph_cache {
    uint32_t n_heads;
    uint32_t d_k, d_v;
    uint32_t window; /* positions seen; 0 = all */
    uint32_t n_slots;
    uint64_t k_offset, v_offset; /* bytes, in the cache buffer */
    uint64_t n_bytes;
};

enum graph_activation { GRAPH_ACT_NONE, GRAPH_ACT_SILU, GRAPH_ACT_GELU, GRAPH_ACT_RELU2 };

struct graph_matrix {
    uint32_t weight;
    uint32_t bias;   /* [n_rows], or GRAPH_NONE */
    uint32_t scale;  /* one float onto the product, or GRAPH_NONE */
    bool bias_first; /* (W x + bias) · scale instead of W x · scale + bias */
};

#define GRAPH_MAX_MATRICES 3

enum graph_op_kind {
    GRAPH_OP_ROPE_TABLE, /* angles of this batch's positions */
    GRAPH_OP_EMBED,      /* out[t] = scale · row ids[t] of the matrix */
    GRAPH_OP_LINEAR,
    GRAPH_OP_STORE_KV,
    GRAPH_OP_ATTEND,
    GRAPH_OP_ADD,
    GRAPH_OP_LOGITS,
    GRAPH_OP_KIND_COUNT
};

/* out = E(W_0 f, W_1 f, …), f = norm(in). The products stand side by side in a row of `out`; with
 * `glu` the first half of all product rows is the gate: out = act(gate) · up; without it act is
 * applied to each. With `add`, out += scale · E instead. Bias and scale come before act. */
struct graph_linear {
    uint32_t in, out;
    struct graph_norm norm;
    uint32_t n_matrices;
    struct graph_matrix m[GRAPH_MAX_MATRICES];
    enum graph_activation act;
    bool glu;
    bool add;
    float scale;
};

/* In place on rows [q heads | k heads | v heads] of `qkv`: norm of each q and k head, rotation;
 * then k and v into the cache. */
struct graph_store_kv {
    uint32_t qkv;
    uint32_t cache;
    uint32_t n_heads;
    struct graph_norm q_norm, k_norm; /* over one head */
    enum graph_rope_kind rope_kind;
    uint32_t rope;
    float q_scale; /* onto q at the end; 1 = none */
};

/* out[t][h] = Σ_p softmax_p(cap(scale · q_h·k_p)) v_p over the positions that t may see. */
struct graph_attend {
    uint32_t qkv, out;
    uint32_t cache;
    uint32_t n_heads;
    float scale;
    float softcap;
};

/* out += scale · norm(in) */
struct graph_add {
    uint32_t in, out;
    struct graph_norm norm;
    float scale;
};

/* logits[i] = cap(scale · W norm(in[row_i])) for the wanted rows. */
struct graph_logits {
    uint32_t in, out;
    struct graph_norm norm;
    struct graph_matrix m;
    float scale;
    float softcap;
};

struct graph_embed {
    uint32_t weight, out;
    float scale;
};

struct graph_op {
    enum graph_op_kind kind;
    uint32_t layer; /* GRAPH_NONE outside layers */
    union {
        uint32_t rope; /* ROPE_TABLE: which */
        struct graph_embed embed;
        struct graph_linear linear;
        struct graph_store_kv store_kv;
        struct graph_attend attend;
        struct graph_add add;
        struct graph_logits logits;
    };
};

struct graph {
    struct arena arena;
    bool failed; /* sticky: an allocation was refused while building */

    struct graph_weight *weights;
    struct graph_value *values;
    struct graph_rope *ropes;
    struct graph_cache *caches; /* one per layer that has one */
    struct graph_op *ops;
    uint32_t n_weights, n_values, n_ropes, n_caches, n_ops;
    uint32_t cap_weights, cap_values, cap_ropes, cap_caches, cap_ops;

    uint32_t n_body; /* ops before the logits; the rest may run for any rows of the batch */
    uint32_t n_ctx;
    uint32_t n_batch;     /* most tokens of one run */
    uint32_t n_logits;    /* most rows of logits of one run */
    bool kv_f32;          /* cache elements: float32, else float16 */
    uint64_t value_bytes; /* set by graph_plan_buffers() */
    uint64_t cache_bytes;
    uint64_t window_bytes; /* part of cache_bytes in layers with a window */
};

void graph_init(struct graph *graph);
void graph_finish(struct graph *graph);

/* Each adds one item and returns its index; after a refused allocation GRAPH_NONE, with `failed`
 * set, so that one check at the end suffices. */
uint32_t graph_add_weight(struct graph *graph, const struct graph_weight *weight);
uint32_t graph_add_value(struct graph *graph, const char *name, uint64_t width,
                         enum graph_rows rows);
uint32_t graph_add_rope(struct graph *graph, const struct graph_rope *rope);
uint32_t graph_add_cache(struct graph *graph, const struct graph_cache *cache);
uint32_t graph_add_op(struct graph *graph, const struct graph_op *op);

/* Where values lie: lifetimes from the ops, then offsets so that values alive together do not
 * overlap (largest first, lowest place that is free). Sets value_bytes. Offsets are multiples of
 * GRAPH_ALIGN. EMBER_NO_MEMORY, EMBER_UNSUPPORTED on overflow. */
#define GRAPH_ALIGN 64u
enum ember_status graph_plan_buffers(struct graph *graph, struct ember_error *err);

/* Places the caches one after another; sets cache_bytes and window_bytes. */
enum ember_status graph_plan_caches(struct graph *graph, struct ember_error *err);
