/* SPDX-License-Identifier: GPL-3.0-or-later */
/* forward.h - from a model's shape to the list of operations that computes it. README.md beside
 * this file has the pass in shapes and steps.
 *
 * Shapes only: needs the header of a file, never its tensor data. Pure but for the graph. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ember/error.h>
#include <ember/gguf.h>

#include "arch/arch.h"
#include "graph/graph.h"

struct forward_params {
    uint32_t n_ctx;    /* tokens */
    uint32_t n_batch;  /* most tokens of one run, ≤ n_ctx */
    uint32_t n_logits; /* most rows of logits of one run */
    bool kv_f32;
};

/* Builds the graph into `graph`, which the caller has initialised and finishes on every outcome.
 * EMBER_FORMAT: a tensor is missing or has another shape than the keys ask for. EMBER_UNSUPPORTED:
 * the file has tensors that the pass would leave unused. EMBER_NO_MEMORY. */
enum ember_status forward_build(struct graph *graph, const struct arch_shape *shape,
                                const struct ember_gguf *gguf, const struct forward_params *params,
                                struct ember_error *err);

/* Fills the frequency table of one RoPE; `factors` are its n_rot / 2 divisors or NULL. */
void forward_rope_frequencies(const struct graph_rope *rope, const float *factors, double *out);

/* Factor onto cos and sin under YaRN: 1 + 0.1 ln s, or with a log multiplier z ≠ 0
 * (1 + 0.1 ln s) / (1 + 0.1 z ln s); 1 for s ≤ 1. */
double forward_yarn_magnitude(double scale, double log_multiplier);
