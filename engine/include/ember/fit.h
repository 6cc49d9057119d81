/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fit.h - what a model needs, from its header alone: the plan that the loader then executes.
 *
 * Reads no tensor data. Any thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ember/error.h>
#include <ember/gguf.h>

enum ember_kv_type { EMBER_KV_F16 = 0, EMBER_KV_F32 = 1 };

struct ember_fit_params {
    uint32_t n_ctx;     /* tokens; 0 = the smaller of trained, 8,192 and what fits */
    uint32_t n_batch;   /* tokens per step; 0 = 512 */
    uint32_t n_threads; /* 0 = one per physical core; never more than can run at once */
    uint32_t n_logits;  /* rows of logits held at once; 0 = 1 */
    enum ember_kv_type kv_type;
};

enum ember_verdict { EMBER_FITS_CPU, EMBER_FITS_NOT };

struct ember_fit_type_bytes {
    uint32_t type; /* tensor type id */
    uint64_t n_tensors;
    uint64_t n_bytes;
};

#define EMBER_FIT_MAX_TYPES 43

/* All in bytes. weights + kv + checkpoint + compute is what running takes; weights are mapped pages
 * of the file, the rest is anonymous memory. */
struct ember_fit {
    enum ember_verdict verdict;
    char reason[240]; /* the verdict as a sentence with its figures */
    uint32_t n_ctx;   /* the context this plan is for */
    uint32_t n_ctx_trained;
    uint32_t n_batch;
    uint32_t n_threads;
    uint64_t weights;
    uint64_t kv;
    uint64_t kv_full;    /* part of kv in layers that see the whole context */
    uint64_t kv_window;  /* part of kv in sliding-window layers */
    uint64_t checkpoint; /* copy of the windows at the end of the prompt; 0 without windows */
    uint64_t compute;    /* values of the graph, scratch of the threads, logits, tables */
    uint64_t budget;     /* memory available now */
    uint64_t free;       /* budget minus all of the above, 0 if it does not fit */
    uint32_t n_types;
    struct ember_fit_type_bytes
        types[EMBER_FIT_MAX_TYPES]; /* weights by tensor type, largest first */
};

/* Whether the file names an architecture that can be run, whatever else it asks for. Any thread. */
EMBER_API bool ember_fit_knows(const struct ember_gguf *gguf);

/* Plans this file. `params` may be NULL. EMBER_UNSUPPORTED: the architecture, or something the file
 * asks for, cannot be run (named). EMBER_FORMAT: keys or tensors that cannot be right. A model that
 * does not fit is no error: the verdict says so. */
EMBER_API enum ember_status ember_fit_plan(struct ember_fit *out, const struct ember_gguf *gguf,
                                           const struct ember_fit_params *params,
                                           struct ember_error *err);
