/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gguf.h - what the engine may do with an open file beyond <ember/gguf.h>. */
#pragma once

#include <ember/gguf.h>

/* The bytes of a tensor where the file is mapped (or lies in the caller's memory); valid until
 * ember_gguf_close(). `tensor` must come from `gguf`. NULL when they are not all inside the file,
 * which only a file opened with header_only can have, or when such a file could not be mapped.
 * The address is a multiple of the file's alignment, which may be as small as 1. */
const void *gguf_tensor_data(const struct ember_gguf *gguf, const struct ember_gguf_tensor *tensor);

/* Asks the system to read a range of the file ahead (file offsets); returns at once. */
void gguf_will_need(const struct ember_gguf *gguf, uint64_t offset, uint64_t n_bytes);
/* The open file, for reading it into the page cache with progress; -1 for memory. Owned by gguf. */
int gguf_fd(const struct ember_gguf *gguf);

/* A value that may be one number for all layers or an array with one per layer. False when the key
 * is absent, of another kind, does not fit the type, or is an array that ends before `layer`. */
bool gguf_layer_u64(const struct ember_gguf *gguf, const char *key, uint32_t layer, uint64_t *out);
bool gguf_layer_f64(const struct ember_gguf *gguf, const char *key, uint32_t layer, double *out);
bool gguf_layer_bool(const struct ember_gguf *gguf, const char *key, uint32_t layer, bool *out);
bool gguf_is_array(const struct ember_gguf *gguf, const char *key);

/* The file's name without folders, short enough for a sentence. */
const char *gguf_label(const struct ember_gguf *gguf);
