/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model.h - an open model inside the engine, and binding its weights to a graph. */
#pragma once

#include <stdatomic.h>

#include <ember/model.h>

#include "arch/arch.h"
#include "graph/graph.h"

struct ember_model {
    atomic_uint references;
    struct ember_gguf *gguf;
    struct arch_shape shape;
    struct ember_tokenizer *tokenizer; /* NULL without a vocabulary */
    struct ember_chat *chat;           /* NULL without a vocabulary */
    uint64_t weights_bytes;
};

/* Points every weight of the graph at its bytes in the mapped file and fills the RoPE frequencies.
 * Vectors that are not aligned float32 are converted into the graph's arena. EMBER_FORMAT when a
 * tensor is not wholly in the file, EMBER_NO_MEMORY. */
enum ember_status model_bind(struct graph *graph, const struct ember_gguf *gguf,
                             struct ember_error *err);
