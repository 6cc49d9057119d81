/* SPDX-License-Identifier: GPL-3.0-or-later */
/* buffers.c - where the values of a graph lie, computed once and used for every batch. */
#include <stdlib.h>

#include "base/checked.h"
#include "base/fail.h"
#include "graph/graph.h"

static void use(struct graph *graph, uint32_t value, uint32_t op)
{
    if (value == GRAPH_NONE)
        return;
    struct graph_value *v = &graph->values[value];
    if (v->first_op == GRAPH_NONE)
        v->first_op = op;
    v->last_op = op;
}

static void find_lifetimes(struct graph *graph)
{
    for (uint32_t i = 0; i < graph->n_values; i++)
        graph->values[i].first_op = graph->values[i].last_op = GRAPH_NONE;
    for (uint32_t i = 0; i < graph->n_ops; i++) {
        const struct graph_op *op = &graph->ops[i];
        switch (op->kind) {
        case GRAPH_OP_ROPE_TABLE:
            use(graph, graph->ropes[op->rope].table, i);
            break;
        case GRAPH_OP_EMBED:
            use(graph, op->embed.out, i);
            break;
        case GRAPH_OP_LINEAR:
            use(graph, op->linear.in, i);
            use(graph, op->linear.out, i);
            break;
        case GRAPH_OP_STORE_KV:
            use(graph, op->store_kv.qkv, i);
            if (op->store_kv.rope_kind != GRAPH_ROPE_NONE)
                use(graph, graph->ropes[op->store_kv.rope].table, i);
            break;
        case GRAPH_OP_ATTEND:
            use(graph, op->attend.qkv, i);
            use(graph, op->attend.out, i);
            break;
        case GRAPH_OP_ADD:
            use(graph, op->add.in, i);
            use(graph, op->add.out, i);
            break;
        case GRAPH_OP_LOGITS:
            use(graph, op->logits.in, i);
            use(graph, op->logits.out, i);
            break;
        case GRAPH_OP_KIND_COUNT:
            break;
        }
    }
}

struct placement {
    uint32_t value;
    uint64_t n_bytes;
};

static int larger_first(const void *a, const void *b)
{
    const struct placement *x = a, *y = b;
    if (x->n_bytes != y->n_bytes)
        return x->n_bytes < y->n_bytes ? 1 : -1;
    return (x->value > y->value) - (x->value < y->value);
}

static bool meet(const struct graph_value *a, const struct graph_value *b)
{
    return a->first_op <= b->last_op && b->first_op <= a->last_op;
}

/* The lowest offset at which `n_bytes` collide with no placed value alive at the same time. */
static uint64_t lowest_gap(const struct graph *graph, const struct placement *placed, uint32_t n,
                           const struct graph_value *value, uint64_t n_bytes)
{
    uint64_t at = 0;
    for (;;) {
        uint64_t next = at;
        for (uint32_t i = 0; i < n; i++) {
            const struct graph_value *other = &graph->values[placed[i].value];
            uint64_t end = other->offset + placed[i].n_bytes;
            if (meet(value, other) && at < end && other->offset < at + n_bytes && end > next)
                next = end;
        }
        if (next == at)
            return at;
        at = next;
    }
}

enum ember_status graph_plan_buffers(struct graph *graph, struct ember_error *err)
{
    uint64_t total = 0;
    struct placement *list = calloc(graph->n_values ? graph->n_values : 1, sizeof *list);
    if (!list)
        return ember_fail(err, EMBER_NO_MEMORY, "Out of memory while planning buffers.");

    find_lifetimes(graph);
    uint32_t n = 0;
    for (uint32_t i = 0; i < graph->n_values; i++) {
        const struct graph_value *v = &graph->values[i];
        uint64_t rows = v->rows == GRAPH_ROWS_BATCH ? graph->n_batch : graph->n_logits, bytes;
        if (v->first_op == GRAPH_NONE)
            continue;
        if (!mul_u64(v->width, rows * sizeof(float), &bytes) ||
            !align_u64(bytes, GRAPH_ALIGN, &bytes) || bytes > UINT64_MAX / 1024) {
            free(list);
            return ember_fail(err, EMBER_UNSUPPORTED,
                              "A batch of %u tokens needs more memory than can be addressed.",
                              graph->n_batch);
        }
        list[n++] = (struct placement){ i, bytes };
    }
    qsort(list, n, sizeof *list, larger_first);
    for (uint32_t i = 0; i < n; i++) {
        struct graph_value *v = &graph->values[list[i].value];
        v->offset = lowest_gap(graph, list, i, v, list[i].n_bytes);
        if (v->offset + list[i].n_bytes > total)
            total = v->offset + list[i].n_bytes;
    }
    graph->value_bytes = total;
    free(list);
    return EMBER_OK;
}
