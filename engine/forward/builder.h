/* SPDX-License-Identifier: GPL-3.0-or-later */
/* builder.h - what the files of forward/ share while one graph is built. */
#pragma once

#include "forward/forward.h"

struct builder {
    struct graph *graph;
    const struct arch_shape *shape;
    const struct ember_gguf *gguf;
    const struct forward_params *params;
    struct ember_error *err;
    enum ember_status status; /* sticky: the first failure */
    uint32_t *weights;        /* per tensor of the file: its weight in the graph or GRAPH_NONE */
    uint32_t layer;           /* GRAPH_NONE outside layers */

    uint32_t x;                   /* the residual stream */
    uint32_t rope_full, rope_swa; /* ropes or GRAPH_NONE */
};

/* Looks a matrix up as "blk.N.name" inside a layer, else as "name". One that is missing, or of
 * another shape than cols × rows, sets the status. */
uint32_t forward_weight(struct builder *b, const char *name, uint64_t cols, uint64_t rows);
/* The same for a vector that is read as float32, however many dimensions of 1 it is stored with.
 * Optional and absent: GRAPH_NONE. */
uint32_t forward_vector(struct builder *b, const char *name, bool required, uint64_t width);
bool forward_has(const struct builder *b, const char *name);

/* A matrix "name.weight" with its optional "name.bias" and "name.scale". */
struct graph_matrix forward_matrix(struct builder *b, const char *name, uint64_t cols,
                                   uint64_t rows);
/* The same in a feed-forward block, where the reference scales after it has added the bias. */
struct graph_matrix forward_ffn_matrix(struct builder *b, const char *name, uint64_t cols,
                                       uint64_t rows);
/* RMS norm "name.weight" (+ optional "name.bias") over `width`. */
struct graph_norm forward_norm(struct builder *b, const char *name, uint64_t width);

void forward_fail(struct builder *b, enum ember_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The blocks: each adds its operations to the graph. */
void forward_attention(struct builder *b, const struct arch_layer *layer);
void forward_ffn(struct builder *b, const struct arch_layer *layer);
