/* SPDX-License-Identifier: GPL-3.0-or-later */
/* ffn.c - the feed-forward half of a layer: down(act(gate x) · (up x)). */
#include "forward/builder.h"
#include "quant/types.h"

struct graph_matrix forward_ffn_matrix(struct builder *b, const char *name, uint64_t cols,
                                       uint64_t rows)
{
    struct graph_matrix m = forward_matrix(b, name, cols, rows);
    m.bias_first = true;
    if (m.weight != GRAPH_NONE && !b->shape->arch->ffn_scales &&
        b->graph->weights[m.weight].type != QUANT_NVFP4)
        m.scale = GRAPH_NONE;
    return m;
}

void forward_ffn(struct builder *b, const struct arch_layer *layer)
{
    const struct arch_shape *s = b->shape;
    uint32_t hidden = graph_add_value(b->graph, "hidden", layer->n_ff, GRAPH_ROWS_BATCH);

    struct graph_op up = { .kind = GRAPH_OP_LINEAR, .layer = b->layer };
    up.linear.in = b->x;
    up.linear.out = hidden;
    up.linear.norm = forward_norm(b, "ffn_norm", s->n_embd);
    up.linear.n_matrices = 2;
    up.linear.m[0] = forward_ffn_matrix(b, "ffn_gate", s->n_embd, layer->n_ff);
    up.linear.m[1] = forward_ffn_matrix(b, "ffn_up", s->n_embd, layer->n_ff);
    up.linear.act = s->arch->act == ARCH_GELU ? GRAPH_ACT_GELU : GRAPH_ACT_SILU;
    up.linear.glu = true;
    up.linear.scale = 1.0f;
    graph_add_op(b->graph, &up);

    struct graph_op down = { .kind = GRAPH_OP_LINEAR, .layer = b->layer };
    down.linear.in = hidden;
    down.linear.n_matrices = 1;
    down.linear.m[0] = forward_ffn_matrix(b, "ffn_down", layer->n_ff, s->n_embd);
    down.linear.scale = 1.0f;
    if (s->arch->place == ARCH_PRE) {
        down.linear.out = b->x;
        down.linear.add = true;
        graph_add_op(b->graph, &down);
        return;
    }
    down.linear.out = graph_add_value(b->graph, "projected", s->n_embd, GRAPH_ROWS_BATCH);
    graph_add_op(b->graph, &down);

    struct graph_op add = { .kind = GRAPH_OP_ADD, .layer = b->layer };
    add.add.in = down.linear.out;
    add.add.out = b->x;
    add.add.norm = forward_norm(b, "post_ffw_norm", s->n_embd);
    add.add.scale = 1.0f;
    graph_add_op(b->graph, &add);
}
