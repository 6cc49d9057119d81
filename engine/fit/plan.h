/* SPDX-License-Identifier: GPL-3.0-or-later */
/* plan.h - the one formula for memory: what ember_fit_plan() shows and what a session executes. */
#pragma once

#include <ember/fit.h>

#include "arch/arch.h"
#include "graph/graph.h"

struct fit_plan {
    struct ember_fit fit;
    struct graph graph;     /* of exactly this context and batch */
    uint64_t scratch_bytes; /* parts of fit.compute */
    uint64_t token_bytes;   /* the timeline's ids */
    uint64_t row_bytes;     /* the kept row of logits */
};

/* Plans; errors as ember_fit_plan(). Release with fit_plan_finish() after EMBER_OK. */
enum ember_status fit_plan_make(struct fit_plan *out, const struct arch_shape *shape,
                                const struct ember_gguf *gguf,
                                const struct ember_fit_params *params, struct ember_error *err);
void fit_plan_finish(struct fit_plan *plan);

/* Bytes of one window kept aside for this cache, 0 if its slots are never overwritten. */
uint64_t fit_checkpoint_bytes(const struct graph *graph, const struct graph_cache *cache);
