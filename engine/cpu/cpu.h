/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cpu.h - the processor as a backend, and what it is called (features and levels, kernels.h). */
#pragma once

#include "cpu/kernels.h"
#include "graph/backend.h"

/* Starts the threads. The level is the best one found, capped by EMBER_CPU. On success *out owns
 * the backend: free with (*out)->table->free(). EMBER_INVALID: EMBER_CPU names no level. */
enum ember_status cpu_backend_new(struct backend **out, uint32_t n_threads,
                                  struct ember_error *err);

/* The same answers as the table's, without starting threads; for the plan. */
bool cpu_supports_op(const struct graph *graph, const struct graph_op *op);
/* 0 on overflow (a graph never needs nothing). */
uint64_t cpu_scratch_bytes(const struct graph *graph, uint32_t n_threads);

/* Features after the EMBER_CPU cap. EMBER_INVALID for an unknown level, with *features uncapped. */
enum ember_status cpu_features_capped(unsigned *features, struct ember_error *err);
