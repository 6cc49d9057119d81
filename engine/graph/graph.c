/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "graph/graph.h"

#include <string.h>

#include "base/checked.h"
#include "base/fail.h"

void graph_init(struct graph *graph)
{
    *graph = (struct graph){ 0 };
}

void graph_finish(struct graph *graph)
{
    arena_finish(&graph->arena);
    *graph = (struct graph){ 0 };
}

/* Lists grow by doubling inside the arena; what they leave behind is small and dies with it. */
static void *grow(struct graph *graph, void *list, uint32_t n, uint32_t *cap, size_t size)
{
    if (n < *cap)
        return list;
    uint32_t wanted = *cap ? *cap * 2 : 32;
    void *bigger = arena_alloc(&graph->arena, wanted, size);
    if (!bigger) {
        graph->failed = true;
        return NULL;
    }
    if (n)
        memcpy(bigger, list, (size_t)n * size);
    *cap = wanted;
    return bigger;
}

uint32_t graph_add_weight(struct graph *graph, const struct graph_weight *weight)
{
    struct graph_weight *list =
        grow(graph, graph->weights, graph->n_weights, &graph->cap_weights, sizeof *list);
    if (!list)
        return GRAPH_NONE;
    graph->weights = list;
    list[graph->n_weights] = *weight;
    return graph->n_weights++;
}

uint32_t graph_add_value(struct graph *graph, const char *name, uint64_t width,
                         enum graph_rows rows)
{
    struct graph_value *list =
        grow(graph, graph->values, graph->n_values, &graph->cap_values, sizeof *list);
    if (!list)
        return GRAPH_NONE;
    graph->values = list;
    list[graph->n_values] = (struct graph_value){ .name = name, .width = width, .rows = rows };
    return graph->n_values++;
}

uint32_t graph_add_rope(struct graph *graph, const struct graph_rope *rope)
{
    struct graph_rope *list =
        grow(graph, graph->ropes, graph->n_ropes, &graph->cap_ropes, sizeof *list);
    if (!list)
        return GRAPH_NONE;
    graph->ropes = list;
    list[graph->n_ropes] = *rope;
    list[graph->n_ropes].frequency =
        arena_alloc(&graph->arena, rope->n_rot / 2 + 1, sizeof(double));
    if (!list[graph->n_ropes].frequency)
        graph->failed = true;
    return graph->n_ropes++;
}

uint32_t graph_add_cache(struct graph *graph, const struct graph_cache *cache)
{
    struct graph_cache *list =
        grow(graph, graph->caches, graph->n_caches, &graph->cap_caches, sizeof *list);
    if (!list)
        return GRAPH_NONE;
    graph->caches = list;
    list[graph->n_caches] = *cache;
    return graph->n_caches++;
}

uint32_t graph_add_op(struct graph *graph, const struct graph_op *op)
{
    struct graph_op *list = grow(graph, graph->ops, graph->n_ops, &graph->cap_ops, sizeof *list);
    if (!list)
        return GRAPH_NONE;
    graph->ops = list;
    list[graph->n_ops] = *op;
    return graph->n_ops++;
}

enum ember_status graph_plan_caches(struct graph *graph, struct ember_error *err)
{
    const uint64_t element = graph->kv_f32 ? 4 : 2;
    uint64_t at = 0, windows = 0;

    for (uint32_t i = 0; i < graph->n_caches; i++) {
        struct graph_cache *c = &graph->caches[i];
        uint64_t per_slot = 0, k = 0, v = 0;
        bool fine = mul_u64((uint64_t)c->n_heads * c->n_slots, element, &per_slot) &&
                    mul_u64(per_slot, c->d_k, &k) && mul_u64(per_slot, c->d_v, &v) &&
                    align_u64(k, GRAPH_ALIGN, &k) && align_u64(v, GRAPH_ALIGN, &v) &&
                    add_u64(k, v, &c->n_bytes);
        c->k_offset = at;
        c->v_offset = at + k;
        if (!fine || !add_u64(at, c->n_bytes, &at))
            return ember_fail(err, EMBER_UNSUPPORTED,
                              "A context of %u tokens needs more cache than can be addressed.",
                              graph->n_ctx);
        if (c->window)
            windows += c->n_bytes;
    }
    graph->cache_bytes = at;
    graph->window_bytes = windows;
    return EMBER_OK;
}
