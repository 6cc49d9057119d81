/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "session/session.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "cpu/cpu.h"
#include "gguf/gguf.h"

/* The verdict counts weights, which are pages of a file and can be dropped; what cannot is refused
 * before the system has to. */
static enum ember_status check_budget(const struct ember_fit *fit, struct ember_error *err)
{
    uint64_t anonymous = fit->kv + fit->checkpoint + fit->compute;
    if (fit->budget == 0 || anonymous <= fit->budget)
        return EMBER_OK;
    return ember_fail(err, EMBER_NO_MEMORY,
                      "A context of %u tokens needs %llu bytes beside the weights, and %llu bytes "
                      "of memory are available.",
                      fit->n_ctx, (unsigned long long)anonymous, (unsigned long long)fit->budget);
}

static enum ember_status allocate(struct ember_session *s, struct ember_error *err)
{
    const struct backend_table *table = s->backend->table;
    const struct ember_fit *fit = &s->plan.fit;
    enum ember_status st;

    s->tokens = calloc(fit->n_ctx, sizeof *s->tokens);
    s->row = calloc(ember_model_n_vocab(s->model), sizeof *s->row);
    s->lowest = calloc(s->plan.graph.n_caches ? s->plan.graph.n_caches : 1, sizeof *s->lowest);
    if (!s->tokens || !s->row || !s->lowest)
        return ember_fail(err, EMBER_NO_MEMORY, "Out of memory while starting a session.");
    if ((st = table->alloc(s->backend, s->plan.graph.value_bytes, &s->values, err)) ||
        (st = table->alloc(s->backend, s->plan.scratch_bytes, &s->scratch, err)) ||
        (st = table->alloc(s->backend, fit->kv, &s->cache, err)) ||
        (st = table->alloc(s->backend, fit->checkpoint, &s->checkpoint.memory, err)))
        return st;
    return model_bind(&s->plan.graph, s->model->gguf, err);
}

enum ember_status ember_session_new(struct ember_session **out, struct ember_model *model,
                                    const struct ember_fit_params *params, struct ember_error *err)
{
    enum ember_status st;
    struct ember_session *s = calloc(1, sizeof *s);

    if (!s)
        return ember_fail(err, EMBER_NO_MEMORY, "Out of memory while starting a session.");
    s->model = ember_model_ref(model);
    atomic_init(&s->cancel, false);
    st = fit_plan_make(&s->plan, &model->shape, model->gguf, params, err);
    if (st == EMBER_OK)
        st = check_budget(&s->plan.fit, err);
    if (st == EMBER_OK)
        st = cpu_backend_new(&s->backend, s->plan.fit.n_threads, err);
    if (st == EMBER_OK)
        st = allocate(s, err);
    if (st != EMBER_OK) {
        ember_session_free(s);
        return st;
    }
    *out = s;
    return EMBER_OK;
}

void ember_session_free(struct ember_session *s)
{
    if (!s)
        return;
    if (s->backend) {
        const struct backend_table *table = s->backend->table;
        table->release(s->backend, &s->values);
        table->release(s->backend, &s->scratch);
        table->release(s->backend, &s->cache);
        table->release(s->backend, &s->checkpoint.memory);
        table->free(s->backend);
    }
    free(s->tokens);
    free(s->row);
    free(s->lowest);
    fit_plan_finish(&s->plan);
    ember_model_unref(s->model);
    free(s);
}

struct ember_model *ember_session_model(const struct ember_session *session)
{
    return session->model;
}

const struct ember_fit *ember_session_plan(const struct ember_session *session)
{
    return &session->plan.fit;
}

void ember_session_memory(const struct ember_session *s, struct ember_session_memory *out)
{
    *out = (struct ember_session_memory){
        .kv = s->cache.n_bytes,
        .checkpoint = s->checkpoint.memory.n_bytes,
        .compute = s->values.n_bytes + s->scratch.n_bytes +
                   (uint64_t)s->plan.fit.n_ctx * sizeof *s->tokens +
                   (uint64_t)ember_model_n_vocab(s->model) * sizeof *s->row,
    };
    for (uint32_t i = 0; i < s->plan.graph.n_weights; i++)
        out->weights += s->plan.graph.weights[i].n_bytes;
}

const int32_t *ember_session_tokens(const struct ember_session *session, size_t *n)
{
    *n = session->n_tokens;
    return session->tokens;
}

enum ember_phase ember_session_phase(const struct ember_session *session)
{
    return session->phase;
}

void ember_session_cancel(struct ember_session *session)
{
    atomic_store_explicit(&session->cancel, true, memory_order_relaxed);
}

size_t ember_session_keep(struct ember_session *s, size_t n)
{
    if (n >= s->n_tokens)
        return s->n_tokens;
    s->n_tokens = session_windows_keep(s, n);
    if (s->row_position > s->n_tokens)
        s->row_position = 0;
    return s->n_tokens;
}

/* --- running ------------------------------------------------------------------------------------
 */

static struct backend_run new_run(struct ember_session *s)
{
    return (struct backend_run){
        .graph = &s->plan.graph,
        .values = &s->values,
        .cache = &s->cache,
        .scratch = &s->scratch,
        .cancel = &s->cancel,
    };
}

static enum ember_status run_and_wait(struct ember_session *s, const struct backend_run *run,
                                      struct ember_error *err)
{
    const struct backend_table *table = s->backend->table;
    enum ember_status st = table->run(s->backend, run, err);
    if (st == EMBER_OK)
        st = table->wait(s->backend, err);
    if (st == EMBER_OK && gguf_is_lost(s->model->gguf))
        return ember_fail(err, EMBER_IO,
                          "%s can no longer be read: it became shorter while it was in use, or its "
                          "disk failed.",
                          ember_gguf_path(s->model->gguf));
    return st;
}

enum ember_status session_run(struct ember_session *s, const int32_t *ids, uint32_t n,
                              struct ember_error *err)
{
    struct backend_run run = new_run(s);

    run.end_op = s->plan.graph.n_body;
    run.ids = ids;
    run.n_tokens = n;
    run.position = (uint32_t)s->n_tokens;
    session_windows_advance(s, n); /* also when it fails: slots may have been written */
    enum ember_status st = run_and_wait(s, &run, err);
    if (st != EMBER_OK)
        return st;
    memcpy(s->tokens + s->n_tokens, ids, n * sizeof *ids);
    s->n_tokens += n;
    return EMBER_OK;
}

enum ember_status session_logits(struct ember_session *s, uint32_t first, uint32_t n,
                                 const float **out, struct ember_error *err)
{
    const struct graph *g = &s->plan.graph;
    struct backend_run run = new_run(s);

    run.first_op = g->n_body;
    run.end_op = g->n_ops;
    run.n_tokens = n;
    run.first_logit = first;
    run.n_logits = n;
    enum ember_status st = run_and_wait(s, &run, err);
    const struct graph_op *op = &g->ops[g->n_ops - 1];
    *out = (const float *)(const void *)((const uint8_t *)s->values.host +
                                         g->values[op->logits.out].offset);
    return st;
}

static enum ember_status check_ids(const struct ember_session *s, const int32_t *ids, size_t n,
                                   struct ember_error *err)
{
    const struct graph *g = &s->plan.graph;
    uint64_t rows = 0;
    for (uint32_t i = 0; i < g->n_ops; i++)
        if (g->ops[i].kind == GRAPH_OP_EMBED)
            rows = g->weights[g->ops[i].embed.weight].n_rows;
    for (size_t i = 0; i < n; i++)
        if (ids[i] < 0 || (uint64_t)ids[i] >= rows)
            return ember_fail(err, EMBER_INVALID,
                              "Token %zu has the id %d; this model knows ids 0 to %llu.", i, ids[i],
                              (unsigned long long)rows - 1);
    return EMBER_OK;
}

enum ember_status ember_session_read(struct ember_session *s, const int32_t *ids, size_t n,
                                     size_t n_rows, ember_logits_cb cb, void *user_data,
                                     struct ember_error *err)
{
    const struct ember_fit *fit = &s->plan.fit;
    enum ember_status st = check_ids(s, ids, n, err);

    if (st != EMBER_OK)
        return st;
    if (n > fit->n_ctx - s->n_tokens)
        return ember_fail(err, EMBER_CONTEXT_FULL,
                          "%zu tokens do not fit behind the %zu that fill a context of %u.", n,
                          s->n_tokens, fit->n_ctx);
    atomic_store_explicit(&s->cancel, false, memory_order_relaxed);
    size_t first_row = n_rows < n ? n - n_rows : 0;
    for (size_t at = 0; at < n;) {
        uint32_t batch = n - at < fit->n_batch ? (uint32_t)(n - at) : fit->n_batch;
        if ((st = session_run(s, ids + at, batch, err)) != EMBER_OK)
            return st;
        size_t row = first_row > at ? first_row : at;
        while (cb && n_rows && row < at + batch) {
            const float *logits;
            uint32_t rows = (uint32_t)(at + batch - row);
            rows = rows < s->plan.graph.n_logits ? rows : s->plan.graph.n_logits;
            if ((st = session_logits(s, (uint32_t)(row - at), rows, &logits, err)) != EMBER_OK)
                return st;
            if (!cb(row, rows, logits, user_data))
                return ember_fail(err, EMBER_CANCELLED, "Stopped.");
            row += rows;
        }
        at += batch;
    }
    return EMBER_OK;
}

struct stretch {
    const uint8_t *data;
    uint64_t n_bytes;
};

/* A matrix may be too small for a stream, so the mapped data section is read from end to end; of a
 * split model that of one part, since nothing need be mapped between two. */
static struct stretch longest_stretch(const struct ember_gguf *gguf)
{
    struct stretch longest = { 0 };

    for (uint32_t part = 0; part < ember_gguf_n_parts(gguf); part++) {
        const uint8_t *low = NULL, *high = NULL;
        for (uint64_t i = 0; i < ember_gguf_info(gguf)->n_tensors; i++) {
            const struct ember_gguf_tensor *t = ember_gguf_tensor(gguf, i);
            const uint8_t *data = t->part == part ? gguf_tensor_data(gguf, t) : NULL;
            if (!data || !t->n_bytes)
                continue;
            low = !low || data < low ? data : low;
            high = !high || data + t->n_bytes > high ? data + t->n_bytes : high;
        }
        if (low && (uint64_t)(high - low) > longest.n_bytes)
            longest = (struct stretch){ low, (uint64_t)(high - low) };
    }
    return longest;
}

enum ember_status ember_session_ceilings(struct ember_session *s, double *read_gbps,
                                         double *int8_gops, struct ember_error *err)
{
    struct stretch all = longest_stretch(s->model->gguf);

    if (!s->backend->table->ceilings || !all.n_bytes)
        return ember_fail(err, EMBER_UNSUPPORTED, "This device's limits cannot be measured.");
    return s->backend->table->ceilings(s->backend, all.data, all.n_bytes, read_gbps, int8_gops,
                                       err);
}
