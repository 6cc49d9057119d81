/* SPDX-License-Identifier: GPL-3.0-or-later */
/* write.h - the writer's insides, for write*.c. */
#pragma once

#include <ember/writer.h>

#include "base/arena.h"
#include "base/text.h"
#include "gguf/private.h"

struct write_key {
    struct ember_text name; /* first: see struct name_list */
    enum ember_gguf_type type;
    const char *value; /* as it will lie in the file, without the type */
    size_t size;
};

struct write_tensor {
    struct ember_text name; /* first */
    uint32_t type, n_dims;
    uint64_t ne[EMBER_MAX_DIMS];
    uint64_t n_bytes;
    const void *data;
    const struct ember_gguf *from; /* or the file that has the data */
    const struct ember_gguf_tensor *tensor;
};

struct ember_writer {
    struct write_key *keys;
    size_t n_keys, keys_capacity;
    struct write_tensor *tensors;
    size_t n_tensors, tensors_capacity;
    uint32_t alignment;
    bool pad_empty; /* a file without tensors is padded, too */
    struct arena arena;
};

/* Appends a value of a file in the form of version 3, little-endian. */
void write_value_of(struct text_buffer *out, const struct ember_gguf *gguf,
                    const struct gguf_key *key);
void write_uint(struct text_buffer *out, uint64_t x, unsigned n_bytes);

/* Sets or adds a key with a finished value, which is copied. */
enum ember_status write_set(struct ember_writer *w, struct ember_text name,
                            enum ember_gguf_type type, const void *value, size_t size,
                            struct ember_error *err);
enum ember_status write_no_memory(struct ember_error *err);

/* The header with its padding; the caller finishes `out` on every outcome. `unpadded` may be NULL.
 */
enum ember_status write_header(const struct ember_writer *w, struct text_buffer *out,
                               size_t *unpadded, struct ember_error *err);

/* write_file.c, also for write_patch.c. How much is missing up to a multiple of the alignment. */
uint64_t write_pad(uint64_t size, uint32_t alignment);
/* All bytes to a file; 0 or an errno value. */
int write_all(int fd, const void *data, size_t size);
/* `"path" cannot be <what>: <errno>.` */
enum ember_status write_fail(const char *path, const char *what, struct ember_error *err);
/* So that a new name survives a cut, too; a file system that cannot is no failure. */
void write_sync_folder(const char *path);
/* FOLDER/.NAME.MORE; false when it is longer than `capacity`. A long name is cut, and a number made
 * of all of it keeps it apart from others. */
bool write_beside(char *out, size_t capacity, const char *path, const char *more);

/* set.c: reads VALUE of KEY=TYPE:VALUE as a number of this type; its bits. */
bool gguf_read_number(enum ember_gguf_type type, const char *text, uint64_t *bits);
enum ember_gguf_type gguf_type_by_name(struct ember_text name);
