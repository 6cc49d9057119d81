/* SPDX-License-Identifier: GPL-3.0-or-later */
/* backend.h - what a device does for a graph: one small table.
 *
 * A backend instance belongs to one session and is called from its thread. The front end validates
 * shapes and limits, so backends do not. Work may be asynchronous: run() may return as soon as the
 * work is queued, wait() returns when all of it is done. Memory is opaque: `host` is NULL for a
 * device that owns its memory, whose weights are then uploaded instead of used where the file is
 * mapped. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ember/error.h>

#include "graph/graph.h"

struct backend_buffer {
    void *host;       /* where the CPU sees it, or NULL */
    void *device;     /* the backend's own handle */
    uint64_t n_bytes; /* as asked for */
};

/* One run of ops [first_op, end_op) over a batch. */
struct backend_run {
    const struct graph *graph;
    uint32_t first_op, end_op;
    const int32_t *ids; /* [n_tokens] */
    uint32_t n_tokens;
    uint32_t position;    /* of the first token; the others follow */
    uint32_t first_logit; /* rows of the batch whose logits are wanted */
    uint32_t n_logits;
    struct backend_buffer *values, *cache, *scratch;
    const atomic_bool *cancel; /* looked at between pieces of work of some milliseconds */
};

struct backend;

struct backend_table {
    const char *name;

    /* Whether this op can run here. */
    bool (*supports_op)(const struct backend *backend, const struct graph *graph,
                        const struct graph_op *op);
    /* Bytes of scratch that running any op of the graph takes; for the plan. */
    uint64_t (*scratch_bytes)(const struct backend *backend, const struct graph *graph);
    /* Zeroed memory aligned to GRAPH_ALIGN. EMBER_NO_MEMORY. */
    enum ember_status (*alloc)(struct backend *backend, uint64_t n_bytes,
                               struct backend_buffer *out, struct ember_error *err);
    void (*release)(struct backend *backend, struct backend_buffer *buffer);
    /* Copies weights into device memory; NULL where they are used in place. */
    enum ember_status (*upload)(struct backend *backend, struct backend_buffer *to, uint64_t offset,
                                const void *from, uint64_t n_bytes, struct ember_error *err);
    /* Copies rows of a buffer to the host; NULL where buffers have a host address. */
    enum ember_status (*download)(struct backend *backend, const struct backend_buffer *from,
                                  uint64_t offset, void *to, uint64_t n_bytes,
                                  struct ember_error *err);
    /* EMBER_CANCELLED when the flag was seen: values and the rows being stored are then undefined.
     */
    enum ember_status (*run)(struct backend *backend, const struct backend_run *run,
                             struct ember_error *err);
    enum ember_status (*wait)(struct backend *backend, struct ember_error *err);
    /* This device's limits over the given memory, see session.h. NULL: not measured. */
    enum ember_status (*ceilings)(struct backend *backend, const void *data, uint64_t n_bytes,
                                  double *read_gbps, double *int8_gops, struct ember_error *err);
    void (*free)(struct backend *backend);
};

/* First member of every backend's own struct. */
struct backend {
    const struct backend_table *table;
};
