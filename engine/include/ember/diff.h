/* SPDX-License-Identifier: GPL-3.0-or-later */
/* diff.h - what differs between two model files.
 *
 * A diff is made at once and then only read, from any thread. It keeps pointers to both files,
 * which must outlive it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ember/error.h>
#include <ember/gguf.h>
#include <ember/tensor.h>

enum ember_change {
    EMBER_SAME,
    EMBER_ADDED,   /* only in the second file */
    EMBER_REMOVED, /* only in the first file */
    EMBER_CHANGED
};

struct ember_diff_key {
    enum ember_change change; /* never EMBER_SAME: those are not listed */
    struct ember_text name;
    int64_t first, second; /* index in each file, -1 where it is absent */
    /* Of two arrays with elements of one type: how many differ (those that only the longer one has
     * count), and the first of them. */
    uint64_t n_different, first_different;
};

/* How far the values of the second tensor are from those of the first. */
struct ember_diff_error {
    double relative_rms;  /* sqrt(Σ(b − a)² / Σa²); 0 when both are zero */
    double maximum;       /* max |b − a| */
    double cosine;        /* a·b / (|a| |b|); 1 when both are zero */
    uint64_t n_different; /* values that are not the same float */
};

struct ember_diff_tensor {
    enum ember_change change; /* EMBER_SAME: name, shape and type; with values, these too */
    struct ember_text name;
    const struct ember_gguf_tensor *first, *second; /* NULL where it is absent */
    bool shape, type, size;                         /* what differs */
    bool compared; /* the values were compared; needs the same shape */
    struct ember_diff_error error;
};

struct ember_diff_params {
    bool values; /* decode and compare all tensors of the same shape */
    struct ember_progress progress;
};

struct ember_diff;

/* `params` may be NULL. Keys and tensors are in the order of the first file, then what only the
 * second one has. Fails with EMBER_NO_MEMORY, EMBER_CANCELLED, or as ember_tensor_values(). */
EMBER_API enum ember_status ember_diff_new(struct ember_diff **out, const struct ember_gguf *first,
                                           const struct ember_gguf *second,
                                           const struct ember_diff_params *params,
                                           struct ember_error *err);
EMBER_API void ember_diff_free(struct ember_diff *diff);

/* Whether nothing differs (that was looked at). */
EMBER_API bool ember_diff_equal(const struct ember_diff *diff);
/* Keys that differ; NULL past the end. */
EMBER_API size_t ember_diff_n_keys(const struct ember_diff *diff);
EMBER_API const struct ember_diff_key *ember_diff_key(const struct ember_diff *diff, size_t index);
/* All tensors of both files; NULL past the end. */
EMBER_API size_t ember_diff_n_tensors(const struct ember_diff *diff);
EMBER_API const struct ember_diff_tensor *ember_diff_tensor(const struct ember_diff *diff,
                                                            size_t index);

/* How far the values of `b` are from those of `a`, which has the same shape (else EMBER_INVALID):
 * what ember_diff_new() does for each tensor, for who wants them one by one. Any thread; takes half
 * a megabyte meanwhile. */
EMBER_API enum ember_status
ember_diff_measure(struct ember_diff_error *out, const struct ember_gguf *first,
                   const struct ember_gguf_tensor *a, const struct ember_gguf *second,
                   const struct ember_gguf_tensor *b, const struct ember_progress *progress,
                   struct ember_error *err);
EMBER_API const char *ember_change_name(enum ember_change change); /* "added" … */
