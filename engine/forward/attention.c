/* SPDX-License-Identifier: GPL-3.0-or-later */
/* attention.c - the attention half of a layer. */
#include "forward/builder.h"

/* q, k and v side by side in one row, whether the file keeps them apart or fused. */
static void add_qkv(struct builder *b, const struct arch_layer *layer, uint32_t out)
{
    const struct arch_shape *s = b->shape;
    uint64_t q = (uint64_t)layer->n_heads * s->d_k, k = (uint64_t)layer->n_kv_heads * s->d_k,
             v = (uint64_t)layer->n_kv_heads * s->d_v;
    struct graph_op op = { .kind = GRAPH_OP_LINEAR, .layer = b->layer };

    op.linear.in = b->x;
    op.linear.out = out;
    op.linear.norm = forward_norm(b, "attn_norm", s->n_embd);
    op.linear.scale = 1.0f;
    if (forward_has(b, "attn_qkv.weight")) {
        op.linear.n_matrices = 1;
        op.linear.m[0] = forward_matrix(b, "attn_qkv", s->n_embd, q + k + v);
    } else {
        op.linear.n_matrices = 3;
        op.linear.m[0] = forward_matrix(b, "attn_q", s->n_embd, q);
        op.linear.m[1] = forward_matrix(b, "attn_k", s->n_embd, k);
        op.linear.m[2] = forward_matrix(b, "attn_v", s->n_embd, v);
    }
    graph_add_op(b->graph, &op);
}

static uint32_t add_cache(struct builder *b, const struct arch_layer *layer)
{
    /* A window needs its own length and the batch that is being written behind it. */
    uint64_t slots = b->params->n_ctx;
    if (layer->window && (uint64_t)layer->window + b->params->n_batch < slots)
        slots = (uint64_t)layer->window + b->params->n_batch;
    struct graph_cache cache = {
        .n_heads = layer->n_kv_heads,
        .d_k = b->shape->d_k,
        .d_v = b->shape->d_v,
        .window = layer->window,
        .n_slots = (uint32_t)slots,
    };
    return graph_add_cache(b->graph, &cache);
}

void forward_attention(struct builder *b, const struct arch_layer *layer)
{
    const struct arch_shape *s = b->shape;
    uint64_t heads = (uint64_t)layer->n_heads, kv = layer->n_kv_heads;
    uint32_t qkv =
        graph_add_value(b->graph, "qkv", heads * s->d_k + kv * (s->d_k + s->d_v), GRAPH_ROWS_BATCH);
    uint32_t mixed = graph_add_value(b->graph, "attention", heads * s->d_v, GRAPH_ROWS_BATCH);
    uint32_t cache = add_cache(b, layer);

    add_qkv(b, layer, qkv);

    struct graph_op store = { .kind = GRAPH_OP_STORE_KV, .layer = b->layer };
    store.store_kv.qkv = qkv;
    store.store_kv.cache = cache;
    store.store_kv.n_heads = layer->n_heads;
    store.store_kv.rope = layer->window ? b->rope_swa : b->rope_full;
    store.store_kv.rope_kind = s->arch->rope == ARCH_ROPE_NEOX ? GRAPH_ROPE_NEOX : GRAPH_ROPE_NORM;
    store.store_kv.q_scale = 1.0f;
    if (s->arch->qk_norm) {
        store.store_kv.q_norm = forward_norm(b, "attn_q_norm", s->d_k);
        store.store_kv.k_norm = forward_norm(b, "attn_k_norm", s->d_k);
    }
    graph_add_op(b->graph, &store);

    struct graph_op attend = { .kind = GRAPH_OP_ATTEND, .layer = b->layer };
    attend.attend.qkv = qkv;
    attend.attend.out = mixed;
    attend.attend.cache = cache;
    attend.attend.n_heads = layer->n_heads;
    attend.attend.scale = s->score_scale;
    attend.attend.softcap = s->score_softcap;
    graph_add_op(b->graph, &attend);

    struct graph_op out = { .kind = GRAPH_OP_LINEAR, .layer = b->layer };
    out.linear.in = mixed;
    out.linear.n_matrices = 1;
    out.linear.m[0] = forward_matrix(b, "attn_output", heads * s->d_v, s->n_embd);
    out.linear.scale = 1.0f;
    if (s->arch->place == ARCH_PRE) {
        out.linear.out = b->x;
        out.linear.add = true;
        graph_add_op(b->graph, &out);
        return;
    }
    out.linear.out = graph_add_value(b->graph, "projected", s->n_embd, GRAPH_ROWS_BATCH);
    graph_add_op(b->graph, &out);

    struct graph_op add = { .kind = GRAPH_OP_ADD, .layer = b->layer };
    add.add.in = out.linear.out;
    add.add.out = b->x;
    add.add.norm = forward_norm(b, "post_attention_norm", s->n_embd);
    add.add.scale = 1.0f;
    graph_add_op(b->graph, &add);
}
