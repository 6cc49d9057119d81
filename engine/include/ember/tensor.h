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
