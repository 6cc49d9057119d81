/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bind.c - weights are used where the file is mapped. Only vectors that cannot be read as float32
 * in place are copied; they are some kilobytes. */
#include "base/fail.h"
#include "forward/forward.h"
#include "gguf/gguf.h"
#include "model/model.h"
#include "quant/types.h"

static enum ember_status no_memory(const struct ember_gguf *gguf, struct ember_error *err)
{
    return ember_fail(err, EMBER_NO_MEMORY, "%s: out of memory while loading.",
                      ember_gguf_path(gguf));
}

enum ember_status model_bind(struct graph *graph, const struct ember_gguf *gguf,
                             struct ember_error *err)
{
    for (uint32_t i = 0; i < graph->n_weights; i++) {
        struct graph_weight *w = &graph->weights[i];
        const struct ember_gguf_tensor *t = ember_gguf_tensor(gguf, w->index);

        w->data = gguf_tensor_data(gguf, t);
        if (!w->data)
            return ember_fail(err, EMBER_FORMAT,
                              "%s: the data of tensor \"%s\" is not in the file.",
                              ember_gguf_path(gguf), w->name);
        if (!w->vector || (w->type == QUANT_F32 && (uintptr_t)w->data % sizeof(float) == 0))
            continue;
        float *copy = arena_alloc(&graph->arena, w->n_cols, sizeof *copy);
        if (!copy)
            return no_memory(gguf, err);
        quant_decoder(w->type)(w->data, w->n_cols, copy);
        w->data = copy;
        w->type = QUANT_F32;
    }
    for (uint32_t i = 0; i < graph->n_ropes; i++) {
        struct graph_rope *rope = &graph->ropes[i];
        const float *factors =
            rope->factors == GRAPH_NONE ? NULL : graph->weights[rope->factors].data;
        forward_rope_frequencies(rope, factors, rope->frequency);
    }
    return EMBER_OK;
}
