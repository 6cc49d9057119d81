/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "forward/builder.h"
#include "quant/types.h"

void forward_fail(struct builder *b, enum ember_status status, const char *format, ...)
{
    char sentence[400];
    va_list args;

    if (b->status != EMBER_OK)
        return;
    va_start(args, format);
    vsnprintf(sentence, sizeof sentence, format, args);
    va_end(args);
    b->status = ember_fail(b->err, status, "%s: %s", ember_gguf_path(b->gguf), sentence);
}

static void full_name(const struct builder *b, const char *name, char *out, size_t size)
{
    if (b->layer == GRAPH_NONE)
        snprintf(out, size, "%s", name);
    else
        snprintf(out, size, "blk.%u.%s", b->layer, name);
}

bool forward_has(const struct builder *b, const char *name)
{
    char full[128];
    full_name(b, name, full, sizeof full);
    return ember_gguf_find_tensor(b->gguf, full) != NULL;
}

static uint32_t find_weight(struct builder *b, const char *name, bool required, bool vector,
                            uint64_t cols, uint64_t rows)
{
    char full[128];
    full_name(b, name, full, sizeof full);
    const struct ember_gguf_tensor *t = ember_gguf_find_tensor(b->gguf, full);

    if (!t) {
        if (required)
            forward_fail(b, EMBER_FORMAT, "tensor \"%s\" is missing, and this model needs it.",
                         full);
        return GRAPH_NONE;
    }
    if (t->ne[0] != cols || t->ne[1] != rows || t->ne[2] != 1 || t->ne[3] != 1) {
        forward_fail(
            b, EMBER_FORMAT,
            "tensor \"%s\" has the shape %llu × %llu × %llu; the keys ask for %llu × %llu.", full,
            (unsigned long long)t->ne[0], (unsigned long long)t->ne[1],
            (unsigned long long)t->ne[2], (unsigned long long)cols, (unsigned long long)rows);
        return GRAPH_NONE;
    }
    /* Tensors lie in one array, so the distance from the first is the index. */
    uint64_t index = (uint64_t)(t - ember_gguf_tensor(b->gguf, 0));
    uint64_t row_bytes = 0;
    if (!quant_row_bytes(t->type, cols, &row_bytes)) {
        forward_fail(b, EMBER_FORMAT, "tensor \"%s\" has a row length that its type cannot have.",
                     full);
        return GRAPH_NONE;
    }
    if (b->weights[index] != GRAPH_NONE) /* a tied output shares the embedding */
        return b->weights[index];
    struct graph_weight weight = {
        .name = arena_copy(&b->graph->arena, full, strlen(full)),
        .type = t->type,
        .n_cols = cols,
        .n_rows = rows,
        .row_bytes = row_bytes,
        .n_bytes = t->n_bytes,
        .index = index,
        .vector = vector,
    };
    if (!weight.name)
        b->graph->failed = true;
    return b->weights[index] = graph_add_weight(b->graph, &weight);
}

uint32_t forward_weight(struct builder *b, const char *name, uint64_t cols, uint64_t rows)
{
    return find_weight(b, name, true, false, cols, rows);
}

uint32_t forward_vector(struct builder *b, const char *name, bool required, uint64_t width)
{
    return find_weight(b, name, required, true, width, 1);
}

struct graph_matrix forward_matrix(struct builder *b, const char *name, uint64_t cols,
                                   uint64_t rows)
{
    char part[96];
    struct graph_matrix m = { .bias_first = false };

    snprintf(part, sizeof part, "%s.weight", name);
    m.weight = forward_weight(b, part, cols, rows);
    snprintf(part, sizeof part, "%s.bias", name);
    m.bias = forward_vector(b, part, false, rows);
    snprintf(part, sizeof part, "%s.scale", name);
    m.scale = forward_vector(b, part, false, 1);
    return m;
}

struct graph_norm forward_norm(struct builder *b, const char *name, uint64_t width)
{
    char part[96];
    struct graph_norm norm = { .kind = GRAPH_NORM_RMS, .eps = b->shape->norm_eps };

    snprintf(part, sizeof part, "%s.weight", name);
    norm.weight = forward_vector(b, part, true, width);
    snprintf(part, sizeof part, "%s.bias", name);
    norm.bias = forward_vector(b, part, false, width);
    return norm;
}

static void add_rope(struct builder *b, bool sliding, uint32_t *out)
{
    const struct arch_shape *s = b->shape;
    bool plain = sliding && s->arch->swa_unscaled;
    struct graph_rope rope = {
        .n_rot = sliding ? s->n_rot_swa : s->n_rot,
        .base = sliding ? s->base_swa : s->base,
        .freq_scale = plain ? 1.0 : s->freq_scale,
        .beta_fast = s->beta_fast,
        .beta_slow = s->beta_slow,
        .n_ctx_orig = s->n_ctx_orig,
        .magnitude = 1.0,
        .factors = GRAPH_NONE,
    };
    if (!plain) {
        if (s->scaling == ARCH_SCALING_YARN) {
            rope.yarn = true;
            rope.magnitude =
                s->attn_factor * forward_yarn_magnitude(1.0 / s->freq_scale, s->log_multiplier);
        } else if (s->scaling == ARCH_SCALING_LONG) {
            rope.magnitude = s->attn_factor;
        }
        /* Longrope picks by the configured context, once, not token by token. */
        bool longer = b->params->n_ctx > s->n_ctx_orig;
        uint32_t freqs = forward_vector(b, "rope_freqs.weight", false, rope.n_rot / 2);
        uint32_t far = forward_vector(b, "rope_factors_long.weight", false, rope.n_rot / 2);
        uint32_t near = forward_vector(b, "rope_factors_short.weight", false, rope.n_rot / 2);
        rope.factors = freqs != GRAPH_NONE ? freqs : longer ? far : near;
    }
    rope.table = graph_add_value(b->graph, "rope", rope.n_rot ? rope.n_rot : 1, GRAPH_ROWS_BATCH);
    *out = graph_add_rope(b->graph, &rope);
    struct graph_op op = { .kind = GRAPH_OP_ROPE_TABLE, .layer = GRAPH_NONE, .rope = *out };
    graph_add_op(b->graph, &op);
}

static void add_embedding(struct builder *b)
{
    const struct arch_shape *s = b->shape;
    const struct ember_gguf_tensor *t = ember_gguf_find_tensor(b->gguf, "token_embd.weight");
    uint64_t rows = t ? t->ne[1] : s->n_vocab;
    struct graph_op op = { .kind = GRAPH_OP_EMBED, .layer = GRAPH_NONE };

    /* Any id that has a logit may be chosen, and is then read. */
    if (rows < s->n_vocab)
        forward_fail(b, EMBER_FORMAT,
                     "tensor \"token_embd.weight\" has %llu rows; the output matrix has %u, and "
                     "each needs one.",
                     (unsigned long long)rows, s->n_vocab);
    op.embed.weight = forward_weight(b, "token_embd.weight", s->n_embd, rows);
    b->x = graph_add_value(b->graph, "x", s->n_embd, GRAPH_ROWS_BATCH);
    op.embed.out = b->x;
    op.embed.scale = s->embed_scale;
    graph_add_op(b->graph, &op);
}

static void add_logits(struct builder *b)
{
    const struct arch_shape *s = b->shape;
    bool tied = !forward_has(b, "output.weight");
    struct graph_op op = { .kind = GRAPH_OP_LOGITS, .layer = GRAPH_NONE };

    op.logits.norm = forward_norm(b, "output_norm", s->n_embd);
    op.logits.m = forward_matrix(b, tied ? "token_embd" : "output", s->n_embd, s->n_vocab);
    op.logits.in = b->x;
    op.logits.out = graph_add_value(b->graph, "logits", s->n_vocab, GRAPH_ROWS_LOGITS);
    op.logits.scale = 1.0f;
    op.logits.softcap = s->logit_softcap;
    b->graph->n_body = b->graph->n_ops;
    graph_add_op(b->graph, &op);
}

/* Tensors that a pass may leave alone: draft heads, sparse-attention indexers, calibration figures,
 * and angles that very old converters stored beside the weights. */
static bool may_be_unused(const char *name)
{
    static const char *const parts[] = { ".nextn.",       "indexer.",      ".input_scale",
                                         "attn_rot_embd", "rope_factors_", "rope_freqs.",
                                         "cls." };
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (strstr(name, parts[i]))
            return true;
    return false;
}

static void check_unused(struct builder *b, uint64_t n_tensors)
{
    char name[72];
    for (uint64_t i = 0; i < n_tensors && b->status == EMBER_OK; i++) {
        const struct ember_gguf_tensor *t = ember_gguf_tensor(b->gguf, i);
        snprintf(name, sizeof name, "%.*s", (int)(t->name.size < 64 ? t->name.size : 64),
                 t->name.data);
        if (b->weights[i] == GRAPH_NONE && !may_be_unused(name))
            forward_fail(b, EMBER_UNSUPPORTED,
                         "tensor \"%s\" belongs to a feature that cannot be run yet.", name);
    }
}

enum ember_status forward_build(struct graph *graph, const struct arch_shape *shape,
                                const struct ember_gguf *gguf, const struct forward_params *params,
                                struct ember_error *err)
{
    uint64_t n_tensors = ember_gguf_info(gguf)->n_tensors;
    struct builder b = {
        .graph = graph,
        .shape = shape,
        .gguf = gguf,
        .params = params,
        .err = err,
        .layer = GRAPH_NONE,
        .rope_full = GRAPH_NONE,
        .rope_swa = GRAPH_NONE,
    };

    b.weights = calloc(n_tensors ? n_tensors : 1, sizeof *b.weights);
    if (!b.weights)
        return ember_fail(err, EMBER_NO_MEMORY, "Out of memory while planning the model.");
    for (uint64_t i = 0; i < n_tensors; i++)
        b.weights[i] = GRAPH_NONE;
    graph->n_ctx = params->n_ctx;
    graph->n_batch = params->n_batch;
    graph->n_logits = params->n_logits;
    graph->kv_f32 = params->kv_f32;

    bool full = false, sliding = false;
    for (uint32_t i = 0; i < shape->n_layers; i++)
        *(shape->layers[i].window ? &sliding : &full) = true;
    if (full)
        add_rope(&b, false, &b.rope_full);
    if (sliding)
        add_rope(&b, true, &b.rope_swa);
    add_embedding(&b);
    for (uint32_t i = 0; i < shape->n_layers && b.status == EMBER_OK && !graph->failed; i++) {
        b.layer = i;
        forward_attention(&b, &shape->layers[i]);
        forward_ffn(&b, &shape->layers[i]);
    }
    b.layer = GRAPH_NONE;
    if (b.status == EMBER_OK)
        add_logits(&b);
    if (b.status == EMBER_OK && !graph->failed)
        check_unused(&b, n_tensors);
    free(b.weights);
    if (b.status == EMBER_OK && graph->failed)
        b.status = ember_fail(err, EMBER_NO_MEMORY, "Out of memory while planning the model.");
    if (b.status != EMBER_OK)
        return b.status;
    enum ember_status st = graph_plan_caches(graph, err);
    return st == EMBER_OK ? graph_plan_buffers(graph, err) : st;
}
