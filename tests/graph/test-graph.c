/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-graph.c - buffer lifetimes: values alive together never share bytes, others do; caches lie
 * one after another; overflow and refused memory are statuses. */
#include "graph/graph.h"

#include "test.h"

static uint64_t next(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static uint64_t bytes_of(const struct graph *g, const struct graph_value *v)
{
    uint64_t rows = v->rows == GRAPH_ROWS_BATCH ? g->n_batch : g->n_logits;
    return v->width * rows * sizeof(float);
}

/* A random chain of ADD ops over random values. */
static void test_random(void)
{
    uint64_t random = 3, saved = 0;

    for (int round = 0; round < 200; round++) {
        struct graph g;
        graph_init(&g);
        g.n_batch = 1 + (uint32_t)(next(&random) % 600);
        g.n_logits = 1 + (uint32_t)(next(&random) % 5);
        uint32_t n_values = 2 + (uint32_t)(next(&random) % 40);
        uint32_t n_ops = 1 + (uint32_t)(next(&random) % 120);
        for (uint32_t i = 0; i < n_values; i++)
            graph_add_value(&g, "v", 1 + next(&random) % 5000,
                            next(&random) % 5 ? GRAPH_ROWS_BATCH : GRAPH_ROWS_LOGITS);
        for (uint32_t i = 0; i < n_ops; i++) {
            /* Mostly near neighbours, so that lifetimes end. */
            uint32_t at = i * n_values / n_ops;
            struct graph_op op = { .kind = GRAPH_OP_ADD };
            op.add.in = (at + (uint32_t)(next(&random) % 3)) % n_values;
            op.add.out = (at + (uint32_t)(next(&random) % 3)) % n_values;
            graph_add_op(&g, &op);
        }
        if (!CHECK(graph_plan_buffers(&g, NULL) == EMBER_OK && !g.failed))
            return;
        uint64_t sum = 0;
        for (uint32_t i = 0; i < n_values; i++) {
            const struct graph_value *a = &g.values[i];
            if (a->first_op == GRAPH_NONE)
                continue;
            sum += bytes_of(&g, a);
            CHECK(a->offset % GRAPH_ALIGN == 0);
            CHECK(a->offset + bytes_of(&g, a) <= g.value_bytes);
            for (uint32_t k = 0; k < i; k++) {
                const struct graph_value *b = &g.values[k];
                bool meet = b->first_op != GRAPH_NONE && a->first_op <= b->last_op &&
                            b->first_op <= a->last_op;
                bool overlap = a->offset < b->offset + bytes_of(&g, b) &&
                               b->offset < a->offset + bytes_of(&g, a);
                if (!CHECK_MSG(!meet || !overlap, "round %d: values %u and %u overlap", round, k,
                               i))
                    return;
            }
        }
        saved += sum > g.value_bytes;
        graph_finish(&g);
    }
    CHECK_MSG(saved > 100, "bytes were shared in %llu of 200 graphs", (unsigned long long)saved);
}

static void test_caches(void)
{
    struct graph g;
    struct ember_error err = { 0 };

    graph_init(&g);
    g.n_ctx = 1000;
    graph_add_cache(&g,
                    &(struct graph_cache){ .n_heads = 2, .d_k = 64, .d_v = 32, .n_slots = 1000 });
    graph_add_cache(&g, &(struct graph_cache){
                            .n_heads = 3, .d_k = 16, .d_v = 16, .n_slots = 48, .window = 32 });
    CHECK(graph_plan_caches(&g, &err) == EMBER_OK);
    CHECK_UINT(g.caches[0].n_bytes, 2 * 1000 * (64 + 32) * 2);
    CHECK_UINT(g.caches[0].v_offset, 2 * 1000 * 64 * 2);
    CHECK_UINT(g.caches[1].k_offset, g.caches[0].n_bytes);
    CHECK_UINT(g.window_bytes, 3 * 48 * 32 * 2);
    CHECK_UINT(g.cache_bytes, g.caches[0].n_bytes + g.window_bytes);
    g.kv_f32 = true;
    CHECK(graph_plan_caches(&g, &err) == EMBER_OK);
    CHECK_UINT(g.caches[0].n_bytes, 2 * 1000 * (64 + 32) * 4);
    graph_finish(&g);
}

static void test_overflow(void)
{
    struct graph g;
    struct ember_error err = { 0 };

    graph_init(&g);
    g.n_batch = 512;
    uint32_t v = graph_add_value(&g, "v", UINT64_MAX / 512, GRAPH_ROWS_BATCH);
    struct graph_op op = { .kind = GRAPH_OP_ADD };
    op.add.in = op.add.out = v;
    graph_add_op(&g, &op);
    CHECK(graph_plan_buffers(&g, &err) == EMBER_UNSUPPORTED);
    CHECK_MSG(strstr(err.message, "512"), "\"%s\"", err.message);
    graph_add_cache(
        &g, &(struct graph_cache){
                .n_heads = 1u << 31, .d_k = 1u << 31, .d_v = 1u << 31, .n_slots = 1u << 31 });
    CHECK(graph_plan_caches(&g, &err) == EMBER_UNSUPPORTED);
    graph_finish(&g);
}

int main(void)
{
    test_random();
    test_caches();
    test_overflow();
    return test_end();
}
