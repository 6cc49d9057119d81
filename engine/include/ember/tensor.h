/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tensor.h - the data of a file's tensors: bytes, values, checks, checksums.
 *
 * Data is read in windows from wherever the file was opened (path, memory, callback, parts of a
 * split model), mapped or not; big-endian files come out little-endian. Calls may come from any
 * thread as long as a callback that the file was opened with allows it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ember/error.h>
#include <ember/gguf.h>

/* Elements and bytes of one block; 1 element for plain types. False for unknown and removed types.
 */
EMBER_API bool ember_tensor_block(uint32_t type, uint32_t *n_elements, uint32_t *n_bytes);

/* Copies bytes as they would lie in a little-endian file. In a big-endian one, offset and size must
 * be multiples of the block. EMBER_INVALID past the end; EMBER_IO, EMBER_FORMAT when the file does
 * not have them. */
EMBER_API enum ember_status ember_tensor_read(const struct ember_gguf *gguf,
                                              const struct ember_gguf_tensor *tensor,
                                              uint64_t offset, void *dst, size_t size,
                                              struct ember_error *err);

/* Elements first … first + n as floats; both must be multiples of the block length. Fails also with
 * EMBER_NO_MEMORY. */
EMBER_API enum ember_status ember_tensor_values(const struct ember_gguf *gguf,
                                                const struct ember_gguf_tensor *tensor,
                                                uint64_t first, size_t n, float *out,
                                                struct ember_error *err);

/* Whom to tell how far long work is: `report` is called on the caller's thread with the part that
 * is done, and stops the work with EMBER_CANCELLED by returning false. NULL where nobody cares. */
struct ember_progress {
    bool (*report)(double done, void *user_data);
    void *user_data;
};

/* What can be said of the values of a tensor, as floats (what models compute with). A value that is
 * NaN or infinite is counted and otherwise left out. */
enum { EMBER_STATS_BINS = 64, EMBER_STATS_QUANTILES = 7 };
struct ember_tensor_stats {
    uint64_t n; /* values that were looked at; fewer than all: a sample */
    uint64_t n_nan, n_infinite, n_zero;
    float min, max, abs_max;     /* of finite values; all that follows is 0 without any */
    double mean, rms, deviation; /* root mean square; standard deviation of a population */
    /* The smallest values that are not below a part of all: see ember_stats_quantile(). */
    float quantiles[EMBER_STATS_QUANTILES];
    uint64_t bins[EMBER_STATS_BINS]; /* how many lie in stretches of one width from min to max */
};
/* Which part quantile `index` is for: 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99. */
EMBER_API double ember_stats_quantile(unsigned index);

/* Looks at every value, or with `sample` (else 0), when the tensor has more than about so many, at
 * stretches spread evenly over it. Nothing is estimated: every figure is exact for the values that
 * were looked at. Reads them twice. Fails as ember_tensor_values() does, and with
 * EMBER_CANCELLED. */
EMBER_API enum ember_status
ember_tensor_stats(struct ember_tensor_stats *out, const struct ember_gguf *gguf,
                   const struct ember_gguf_tensor *tensor, uint64_t sample,
                   const struct ember_progress *progress, struct ember_error *err);

/* SHA-256 in lower-case hexadecimal. */
struct ember_hash_text {
    char hex[65];
};
/* Of one tensor's bytes as in a little-endian file, and of a whole file (one part of the model).
 * EMBER_IO also when the file became longer or shorter meanwhile. */
EMBER_API enum ember_status ember_tensor_hash(const struct ember_gguf *gguf,
                                              const struct ember_gguf_tensor *tensor,
                                              struct ember_hash_text *out,
                                              const struct ember_progress *progress,
                                              struct ember_error *err);
EMBER_API enum ember_status ember_file_hash(const char *path, struct ember_hash_text *out,
                                            const struct ember_progress *progress,
                                            struct ember_error *err);
