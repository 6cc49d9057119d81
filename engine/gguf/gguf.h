/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gguf.h - what the engine may do with an open file beyond <ember/gguf.h>. */
#pragma once

#include <ember/gguf.h>

/* The bytes of a tensor where the file is mapped (or lies in the caller's memory); valid until
 * ember_gguf_close(). `tensor` must come from `gguf`. NULL when they are not all inside the file,
 * which only a file opened with header_only can have, or when such a file could not be mapped.
 * The address is a multiple of the file's alignment, which may be as small as 1. */
const void *gguf_tensor_data(const struct ember_gguf *gguf, const struct ember_gguf_tensor *tensor);

/* Whether a part of it could not be read any more since it was opened, so that what was computed
 * from its tensors is worth nothing. Only known after ember_gguf_guard(). Any thread. */
bool gguf_is_lost(const struct ember_gguf *gguf);

/* Asks the system to read a tensor's data ahead; returns at once. */
void gguf_will_need(const struct ember_gguf *gguf, const struct ember_gguf_tensor *tensor);
/* Copies bytes of the file, whatever it was opened from, mapped or not. EMBER_FORMAT past the end,
 * EMBER_IO when reading fails. Any thread, if the callback it was opened with allows it. */
enum ember_status gguf_read(const struct ember_gguf *gguf, uint64_t offset, void *dst, size_t size,
                            struct ember_error *err);

/* Copies bytes of a tensor, from whichever part it lies in. */
enum ember_status gguf_tensor_read(const struct ember_gguf *gguf,
                                   const struct ember_gguf_tensor *tensor, uint64_t offset,
                                   void *dst, size_t size, struct ember_error *err);

/* A lenient reading for those who want to know all that is wrong. */
struct gguf_scan {
    /* Called for each fault that does not end the reading. `where` is such as `key "a"`, and
     * `where` and `what` together are a sentence. */
    void (*notice)(void *user_data, const char *code, const char *where, const char *what);
    void *user_data;
    /* Results: what ended the reading, and the numbers that the header claims. */
    const char *code;
    const char *advice; /* of code "not-gguf": what to do about it */
    char where[160];
    uint64_t n_keys, n_tensors;
};

/* Reads a file's header without mapping it. Faults are reported and passed over: empty or repeated
 * names, unknown tensor types, sizes and offsets that cannot be right (then 0 bytes long), a wrong
 * alignment (then 32). When the reading ends early a status and sentence come back, and still *out,
 * with what was read until then, unless the file could not be opened. */
enum ember_status gguf_scan(struct ember_gguf **out, const char *path, struct gguf_scan *scan,
                            struct ember_error *err);

/* The open file, for reading it into the page cache with progress; -1 for memory. Owned by gguf. */
int gguf_fd(const struct ember_gguf *gguf);

/* A value that may be one number for all layers or an array with one per layer. False when the key
 * is absent, of another kind, does not fit the type, or is an array that ends before `layer`. */
bool gguf_layer_u64(const struct ember_gguf *gguf, const char *key, uint32_t layer, uint64_t *out);
bool gguf_layer_f64(const struct ember_gguf *gguf, const char *key, uint32_t layer, double *out);
bool gguf_layer_bool(const struct ember_gguf *gguf, const char *key, uint32_t layer, bool *out);
bool gguf_is_array(const struct ember_gguf *gguf, const char *key);

/* Where the tensor table ends; padding follows up to info's data_offset. */
uint64_t gguf_header_end(const struct ember_gguf *gguf);
/* Whether a boolean of a key is stored as another byte than 0 or 1, which one first and as what;
 * false for keys of another kind. */
bool gguf_odd_bool(const struct ember_gguf *gguf, uint64_t index, uint64_t *at, uint8_t *byte);

/* Look-up by names that may hold NUL. */
int64_t gguf_find_key(const struct ember_gguf *gguf, const void *name, size_t size);
const struct ember_gguf_tensor *gguf_find_tensor(const struct ember_gguf *gguf, const void *name,
                                                 size_t size);
/* Whether two keys hold the same value, types and all; false when out of memory. */
bool gguf_same_value(const struct ember_gguf *a, uint64_t index_a, const struct ember_gguf *b,
                     uint64_t index_b);

/* The file's name without folders, short enough for a sentence. */
const char *gguf_label(const struct ember_gguf *gguf);
