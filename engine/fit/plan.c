/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan.c - memory of a model for a context, from its header and the operations of its pass. */
#include "fit/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ember/hardware.h>

#include "base/checked.h"
#include "base/fail.h"
#include "cpu/cpu.h"
#include "forward/forward.h"
#include "quant/types.h"

#define DEFAULT_CTX 8192u
#define DEFAULT_BATCH 512u
#define LEAST_CTX 256u
#define MAX_BATCH 65536u
#define MAX_THREADS 1024u

uint64_t fit_checkpoint_bytes(const struct graph *graph, const struct graph_cache *cache)
{
    if (!cache->window || cache->n_slots >= graph->n_ctx)
        return 0;
    return (uint64_t)cache->window * cache->n_heads * (cache->d_k + cache->d_v) *
           (graph->kv_f32 ? 4 : 2);
}

static int larger_first(const void *a, const void *b)
{
    const struct ember_fit_type_bytes *x = a, *y = b;
    if (x->n_bytes != y->n_bytes)
        return x->n_bytes < y->n_bytes ? 1 : -1;
    return (x->type > y->type) - (x->type < y->type);
}

static void sum_weights(struct ember_fit *fit, const struct graph *graph)
{
    struct ember_fit_type_bytes by_type[QUANT_TYPE_COUNT] = { { 0 } };

    for (uint32_t i = 0; i < graph->n_weights; i++) {
        const struct graph_weight *w = &graph->weights[i];
        by_type[w->type].type = w->type;
        by_type[w->type].n_tensors++;
        by_type[w->type].n_bytes += w->n_bytes;
        fit->weights += w->n_bytes;
    }
    qsort(by_type, QUANT_TYPE_COUNT, sizeof *by_type, larger_first);
    for (uint32_t i = 0; i < QUANT_TYPE_COUNT && by_type[i].n_tensors; i++)
        fit->types[fit->n_types++] = by_type[i];
}

/* Names the first thing the backend cannot do. */
static enum ember_status check_ops(const struct graph *graph, const struct ember_gguf *gguf,
                                   struct ember_error *err)
{
    for (uint32_t i = 0; i < graph->n_ops; i++) {
        const struct graph_op *op = &graph->ops[i];
        if (cpu_supports_op(graph, op))
            continue;
        uint32_t weight = op->kind == GRAPH_OP_EMBED    ? op->embed.weight
                          : op->kind == GRAPH_OP_LOGITS ? op->logits.m.weight
                                                        : op->linear.m[0].weight;
        for (uint32_t m = 0; op->kind == GRAPH_OP_LINEAR && m < op->linear.n_matrices; m++) {
            struct graph_op one = *op;
            one.linear.n_matrices = 1;
            one.linear.m[0] = op->linear.m[m];
            if (!cpu_supports_op(graph, &one))
                weight = op->linear.m[m].weight;
        }
        const struct graph_weight *w = &graph->weights[weight];
        const char *type = ember_tensor_type_name(w->type);
        return ember_fail(err, EMBER_UNSUPPORTED,
                          "%s: tensor \"%s\" has the type %s, which cannot be run yet.",
                          ember_gguf_path(gguf), w->name, type ? type : "unknown");
    }
    return EMBER_OK;
}

/* Vectors are used as float32; the scalar tensors too. */
static enum ember_status check_vectors(const struct graph *graph, const struct ember_gguf *gguf,
                                       struct ember_error *err)
{
    for (uint32_t i = 0; i < graph->n_weights; i++) {
        const struct graph_weight *w = &graph->weights[i];
        if (w->vector && w->type != QUANT_F32 && w->type != QUANT_F16 && w->type != QUANT_BF16)
            return ember_fail(err, EMBER_UNSUPPORTED,
                              "%s: tensor \"%s\" is a vector of type %s; f32, f16 and bf16 can be "
                              "run.",
                              ember_gguf_path(gguf), w->name, ember_tensor_type_name(w->type));
    }
    return EMBER_OK;
}

static void judge(struct ember_fit *fit)
{
    char need[32], have[32];
    uint64_t total = fit->weights + fit->kv + fit->checkpoint + fit->compute;

    snprintf(need, sizeof need, "%.2f GiB", (double)total / 1073741824.0);
    snprintf(have, sizeof have, "%.2f GiB", (double)fit->budget / 1073741824.0);
    fit->verdict = total <= fit->budget ? EMBER_FITS_CPU : EMBER_FITS_NOT;
    fit->free = total <= fit->budget ? fit->budget - total : 0;
    snprintf(fit->reason, sizeof fit->reason,
             fit->verdict == EMBER_FITS_CPU
                 ? "Fits: needs %s of %s available memory at a context of %u tokens."
                 : "Does not fit: needs %s, and %s of memory are available, at a context of %u "
                   "tokens.",
             need, have, fit->n_ctx);
}

/* One plan for a fixed context. */
static enum ember_status plan_once(struct fit_plan *out, const struct arch_shape *shape,
                                   const struct ember_gguf *gguf, const struct ember_fit_params *p,
                                   uint64_t budget, struct ember_error *err)
{
    struct ember_fit *fit = &out->fit;
    struct forward_params forward = {
        .n_ctx = p->n_ctx,
        .n_batch = p->n_batch < p->n_ctx ? p->n_batch : p->n_ctx,
        .n_logits = p->n_logits,
        .kv_f32 = p->kv_type == EMBER_KV_F32,
    };

    *out = (struct fit_plan){ 0 };
    graph_init(&out->graph);
    enum ember_status st = forward_build(&out->graph, shape, gguf, &forward, err);
    if (st == EMBER_OK)
        st = check_ops(&out->graph, gguf, err);
    if (st == EMBER_OK)
        st = check_vectors(&out->graph, gguf, err);
    if (st != EMBER_OK)
        goto fail;

    fit->n_ctx = p->n_ctx;
    fit->n_ctx_trained = shape->n_ctx_trained;
    fit->n_batch = forward.n_batch;
    fit->n_threads = p->n_threads;
    fit->budget = budget;
    sum_weights(fit, &out->graph);
    fit->kv = out->graph.cache_bytes;
    fit->kv_window = out->graph.window_bytes;
    fit->kv_full = fit->kv - fit->kv_window;
    for (uint32_t i = 0; i < out->graph.n_caches; i++)
        fit->checkpoint += fit_checkpoint_bytes(&out->graph, &out->graph.caches[i]);
    out->scratch_bytes = cpu_scratch_bytes(&out->graph, p->n_threads);
    out->token_bytes = (uint64_t)p->n_ctx * sizeof(int32_t);
    out->row_bytes = (uint64_t)shape->n_vocab * sizeof(float);
    if (!out->scratch_bytes ||
        !add_u64(out->graph.value_bytes, out->scratch_bytes, &fit->compute) ||
        !add_u64(fit->compute, out->token_bytes + out->row_bytes, &fit->compute) ||
        fit->compute > UINT64_MAX / 8 || fit->kv > UINT64_MAX / 8) {
        st = ember_fail(err, EMBER_UNSUPPORTED,
                        "%s: a context of %u tokens needs more memory than can be addressed.",
                        ember_gguf_path(gguf), p->n_ctx);
        goto fail;
    }
    judge(fit);
    return EMBER_OK;
fail:
    fit_plan_finish(out);
    return st;
}

static enum ember_status check_params(const struct ember_fit_params *p, struct ember_error *err)
{
    if (p->n_batch > MAX_BATCH)
        return ember_fail(err, EMBER_INVALID,
                          "A batch of %u tokens was asked for; at most %u can be.", p->n_batch,
                          MAX_BATCH);
    if (p->n_threads > MAX_THREADS)
        return ember_fail(err, EMBER_INVALID, "%u threads were asked for; at most %u can be.",
                          p->n_threads, MAX_THREADS);
    if (p->n_ctx > 1u << 28)
        return ember_fail(err, EMBER_INVALID,
                          "A context of %u tokens was asked for; at most %u can be.", p->n_ctx,
                          1u << 28);
    if (p->kv_type != EMBER_KV_F16 && p->kv_type != EMBER_KV_F32)
        return ember_fail(err, EMBER_INVALID, "The cache type must be f16 or f32.");
    return EMBER_OK;
}

enum ember_status fit_plan_make(struct fit_plan *out, const struct arch_shape *shape,
                                const struct ember_gguf *gguf,
                                const struct ember_fit_params *params, struct ember_error *err)
{
    struct ember_fit_params p = params ? *params : (struct ember_fit_params){ 0 };
    struct ember_hardware hardware;
    enum ember_status st = check_params(&p, err);

    if (st == EMBER_OK)
        st = ember_hardware_read(&hardware, err);
    if (st != EMBER_OK)
        return st;
    if (!p.n_threads)
        p.n_threads = hardware.n_cores < MAX_THREADS ? hardware.n_cores : MAX_THREADS;
    /* More threads than can run would only wait for each other. */
    if (p.n_threads > hardware.n_threads)
        p.n_threads = hardware.n_threads;
    if (!p.n_batch)
        p.n_batch = DEFAULT_BATCH;
    if (!p.n_logits)
        p.n_logits = 1;
    if (p.n_ctx)
        return plan_once(out, shape, gguf, &p, hardware.memory_available, err);

    uint32_t most = shape->n_ctx_trained < DEFAULT_CTX ? shape->n_ctx_trained : DEFAULT_CTX;
    for (p.n_ctx = most;;) {
        st = plan_once(out, shape, gguf, &p, hardware.memory_available, err);
        if (st != EMBER_OK || out->fit.verdict == EMBER_FITS_CPU || p.n_ctx <= LEAST_CTX)
            return st;
        fit_plan_finish(out);
        p.n_ctx = p.n_ctx - p.n_ctx / 8;
        if (p.n_ctx < LEAST_CTX)
            p.n_ctx = LEAST_CTX;
    }
}

void fit_plan_finish(struct fit_plan *plan)
{
    graph_finish(&plan->graph);
}

enum ember_status ember_fit_plan(struct ember_fit *out, const struct ember_gguf *gguf,
                                 const struct ember_fit_params *params, struct ember_error *err)
{
    struct arch_shape shape;
    struct fit_plan plan;
    enum ember_status st = arch_shape_read(&shape, gguf, err);

    if (st != EMBER_OK)
        return st;
    st = fit_plan_make(&plan, &shape, gguf, params, err);
    if (st == EMBER_OK) {
        *out = plan.fit;
        fit_plan_finish(&plan);
    }
    arch_shape_finish(&shape);
    return st;
}

bool ember_fit_knows(const struct ember_gguf *gguf)
{
    struct ember_text name = ember_gguf_get_text(gguf, "general.architecture");
    return name.data && arch_find(name);
}
