/* SPDX-License-Identifier: GPL-3.0-or-later */
/* work.c - how much is read and multiplied, by the shapes of the pass; the denominators of a
 * benchmark's shares. */
#include "session/session.h"

/* Positions that the token at `position` may see, itself included. */
static uint64_t seen(const struct graph_cache *cache, uint64_t position)
{
    return cache->window && cache->window <= position ? cache->window : position + 1;
}

/* Σ seen() over n tokens from `position` on. */
static uint64_t seen_by_all(const struct graph_cache *cache, uint64_t position, uint64_t n)
{
    uint64_t sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += seen(cache, position + i);
    return sum;
}

static void add_matrix(const struct graph *g, const struct graph_matrix *m, uint64_t n,
                       struct ember_work *out)
{
    const struct graph_weight *w = &g->weights[m->weight];
    out->weight_bytes += w->n_bytes;
    out->multiply_adds += w->n_rows * w->n_cols * n;
}

static void add_attention(const struct graph *g, const struct graph_attend *op, uint64_t position,
                          uint64_t n, struct ember_work *out)
{
    const struct graph_cache *c = &g->caches[op->cache];
    uint64_t width = (uint64_t)c->d_k + c->d_v;
    /* From what the first token sees to the last token itself. */
    uint64_t n_positions = seen(c, position) + n - 1;

    out->kv_bytes += n_positions * c->n_heads * width * (g->kv_f32 ? 4 : 2);
    out->multiply_adds += seen_by_all(c, position, n) * op->n_heads * width;
}

void ember_session_work(const struct ember_session *s, size_t position, size_t n, size_t n_rows,
                        struct ember_work *out)
{
    const struct graph *g = &s->plan.graph;
    const size_t n_batch = s->plan.fit.n_batch, first_row = n_rows < n ? n - n_rows : 0;

    *out = (struct ember_work){ 0 };
    for (size_t at = 0; at < n; at += n_batch) {
        size_t step = n - at < n_batch ? n - at : n_batch, end = at + step;
        size_t n_logits = end > first_row ? end - (first_row > at ? first_row : at) : 0;
        for (uint32_t i = 0; i < g->n_ops; i++) {
            const struct graph_op *op = &g->ops[i];
            if (op->kind == GRAPH_OP_LINEAR)
                for (uint32_t m = 0; m < op->linear.n_matrices; m++)
                    add_matrix(g, &op->linear.m[m], step, out);
            else if (op->kind == GRAPH_OP_ATTEND)
                add_attention(g, &op->attend, position + at, step, out);
            else if (op->kind == GRAPH_OP_LOGITS && n_logits)
                add_matrix(g, &op->logits.m, n_logits, out);
        }
    }
}
