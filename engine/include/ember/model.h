/* SPDX-License-Identifier: GPL-3.0-or-later */
/* model.h - a model file made ready to run: weights mapped and bound, tokenizer and chat format
 * built.
 *
 * A model is read-only after opening, may serve many sessions on many threads, and is counted:
 * every session keeps its own reference. Weights are used where the file is mapped. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ember/chat.h>
#include <ember/error.h>
#include <ember/gguf.h>
#include <ember/tokenizer.h>

/* Called on the opening thread, at most some hundred times: share of the weights read from disk so
 * far, 0 … 1. Return false to cancel the load. */
typedef bool (*ember_load_cb)(double fraction, void *user_data);

struct ember_model_params {
    const char *const *overrides; /* KEY=TYPE:VALUE, as for ember_gguf_set() */
    size_t n_overrides;
    bool preload;           /* read the weights into the page cache now, with progress */
    ember_load_cb progress; /* may be NULL */
    void *user_data;
};

struct ember_model;

/* Opens `path`. On success *out holds one reference. Fails with EMBER_CANCELLED when the callback
 * said so (seen within 100 ms), EMBER_UNSUPPORTED for an architecture or feature that cannot be run
 * (before any weight is touched), EMBER_FORMAT for a damaged file, EMBER_IO, EMBER_NO_MEMORY. */
EMBER_API enum ember_status ember_model_open(struct ember_model **out, const char *path,
                                             const struct ember_model_params *params,
                                             struct ember_error *err);
EMBER_API struct ember_model *ember_model_ref(struct ember_model *model);
EMBER_API void ember_model_unref(struct ember_model *model);

EMBER_API const struct ember_gguf *ember_model_gguf(const struct ember_model *model);
/* NULL for a file without a vocabulary. */
EMBER_API const struct ember_tokenizer *ember_model_tokenizer(const struct ember_model *model);
/* NULL for a file without a vocabulary; else the template or the plain form. */
EMBER_API const struct ember_chat *ember_model_chat(const struct ember_model *model);
/* Logits per row: rows of the output matrix. */
EMBER_API uint32_t ember_model_n_vocab(const struct ember_model *model);
EMBER_API uint32_t ember_model_n_ctx_trained(const struct ember_model *model);
/* Bytes of mapped weights, as the plan says. */
EMBER_API uint64_t ember_model_weights_bytes(const struct ember_model *model);
