/* SPDX-License-Identifier: GPL-3.0-or-later */
/* writer.h - making and changing GGUF files.
 *
 * A writer is a list of keys and a list of tensors in the order in which they will be written; it
 * writes version 3, little-endian, tensors one after the other at the file's alignment. It copies
 * what it is given, except tensor data: those stay where they are (in the caller's memory or in an
 * open file, which must outlive the writer) until they are written. Belongs to one thread. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ember/error.h>
#include <ember/gguf.h>
#include <ember/json.h>
#include <ember/tensor.h>

struct ember_writer;

/* Nothing in it yet. */
EMBER_API enum ember_status ember_writer_new(struct ember_writer **out, struct ember_error *err);
/* All keys and tensors of a file. Of a split model the keys that say so are left out. */
EMBER_API enum ember_status ember_writer_from(struct ember_writer **out,
                                              const struct ember_gguf *gguf,
                                              struct ember_error *err);
EMBER_API void ember_writer_free(struct ember_writer *writer);

/* Keys. Setting one that is there replaces its value in place, a new one comes last. A standard key
 * general.alignment also changes how tensors are laid out; it must be a u32, a power of two or a
 * multiple of 8. EMBER_INVALID: a name or value that cannot be; then nothing changes. */

/* KEY=TYPE:VALUE as for ember_gguf_set(); TYPE may also be arr[TYPE], with a JSON array. */
EMBER_API enum ember_status ember_writer_set(struct ember_writer *writer, const char *assignment,
                                             struct ember_error *err);
/* An integer type or bool; the value must fit it. */
EMBER_API enum ember_status ember_writer_set_u64(struct ember_writer *writer,
                                                 struct ember_text name, enum ember_gguf_type type,
                                                 uint64_t value, struct ember_error *err);
EMBER_API enum ember_status ember_writer_set_i64(struct ember_writer *writer,
                                                 struct ember_text name, enum ember_gguf_type type,
                                                 int64_t value, struct ember_error *err);
/* f32 or f64. */
EMBER_API enum ember_status ember_writer_set_f64(struct ember_writer *writer,
                                                 struct ember_text name, enum ember_gguf_type type,
                                                 double value, struct ember_error *err);
EMBER_API enum ember_status ember_writer_set_text(struct ember_writer *writer,
                                                  struct ember_text name, struct ember_text value,
                                                  struct ember_error *err);
/* `data`: `n` numbers in this machine's form (a bool is one byte). */
EMBER_API enum ember_status ember_writer_set_array(struct ember_writer *writer,
                                                   struct ember_text name,
                                                   enum ember_gguf_type element_type,
                                                   const void *data, uint64_t n,
                                                   struct ember_error *err);
EMBER_API enum ember_status ember_writer_set_texts(struct ember_writer *writer,
                                                   struct ember_text name,
                                                   const struct ember_text *texts, uint64_t n,
                                                   struct ember_error *err);
/* Any key of a file as it is, nested arrays too. */
EMBER_API enum ember_status ember_writer_copy_key(struct ember_writer *writer,
                                                  const struct ember_gguf *gguf, uint64_t index,
                                                  struct ember_error *err);
/* A value as ember_writer_metadata_json() writes it: {"type": …, "value": …}. */
EMBER_API enum ember_status ember_writer_set_json(struct ember_writer *writer,
                                                  struct ember_text name,
                                                  const struct ember_json *value,
                                                  struct ember_error *err);
/* EMBER_NOT_FOUND when there is no such key. */
EMBER_API enum ember_status ember_writer_remove(struct ember_writer *writer, struct ember_text name,
                                                struct ember_error *err);
/* EMBER_INVALID when the new name is taken. */
EMBER_API enum ember_status ember_writer_rename(struct ember_writer *writer, struct ember_text old,
                                                struct ember_text name, struct ember_error *err);
EMBER_API void ember_writer_clear_keys(struct ember_writer *writer);
EMBER_API uint64_t ember_writer_n_keys(const struct ember_writer *writer);

/* Tensors. */
struct ember_writer_tensor {
    struct ember_text name; /* 1 … 64 bytes */
    uint32_t type;
    uint32_t n_dims; /* 0 … 4 */
    uint64_t ne[EMBER_MAX_DIMS];
    const void *data; /* borrowed; NULL: zeros, or written by the caller */
};
/* Comes last. Two tensors of one name are found when writing. */
EMBER_API enum ember_status ember_writer_add_tensor(struct ember_writer *writer,
                                                    const struct ember_writer_tensor *tensor,
                                                    struct ember_error *err);
/* One of an open file, with its data. */
EMBER_API enum ember_status ember_writer_copy_tensor(struct ember_writer *writer,
                                                     const struct ember_gguf *gguf,
                                                     const struct ember_gguf_tensor *tensor,
                                                     struct ember_error *err);
EMBER_API enum ember_status ember_writer_remove_tensor(struct ember_writer *writer,
                                                       struct ember_text name,
                                                       struct ember_error *err);
/* Gives a tensor another type, with data of that type (nothing is converted). Offsets of later ones
 * follow by themselves. */
EMBER_API enum ember_status ember_writer_retype(struct ember_writer *writer, struct ember_text name,
                                                uint32_t type, const void *data,
                                                struct ember_error *err);
EMBER_API uint64_t ember_writer_n_tensors(const struct ember_writer *writer);

/* Writing. Three ways give the same bytes:
 *   all at once        ember_writer_write() or ember_writer_save();
 *   header, then data  ember_writer_write_header(), then the caller appends each tensor, padded;
 *   data, then header  ember_writer_header_size() bytes are left free, and the header is put there
 *                      last (types and numbers may change until then, names and keys may not). */
struct ember_sink {
    /* Takes all bytes, or returns an errno value. */
    int (*write)(void *user_data, const void *data, size_t size);
    void *user_data;
};
/* The size of the header with its padding, which is where tensor data begins. */
EMBER_API enum ember_status ember_writer_header_size(const struct ember_writer *writer,
                                                     uint64_t *out, struct ember_error *err);
EMBER_API enum ember_status ember_writer_write_header(const struct ember_writer *writer,
                                                      const struct ember_sink *sink,
                                                      struct ember_error *err);
EMBER_API enum ember_status ember_writer_write(const struct ember_writer *writer,
                                               const struct ember_sink *sink,
                                               const struct ember_progress *progress,
                                               struct ember_error *err);

enum ember_save_mode {
    EMBER_SAVE_REPLACE, /* whatever is at the path is replaced when all is written */
    EMBER_SAVE_NEW      /* EMBER_INVALID when something is there */
};
/* Writes a whole file beside the path, makes sure it is on the disk, and puts it in place by one
 * rename: at any time there is the old file or the new one. Permissions of an old file are kept.
 * After a failure, a full disk too, nothing has changed. */
EMBER_API enum ember_status ember_writer_save(const struct ember_writer *writer, const char *path,
                                              enum ember_save_mode mode,
                                              const struct ember_progress *progress,
                                              struct ember_error *err);
/* Changes the header of the file that the writer was made from, if only keys changed and the header
 * keeps its padded size: tensor data are not written again. The old header is kept in a journal
 * beside the file meanwhile; ember_writer_recover() puts it back after a cut. EMBER_UNSUPPORTED
 * when it does not fit, with nothing changed. */
EMBER_API enum ember_status ember_writer_patch(const struct ember_writer *writer, const char *path,
                                               struct ember_error *err);
/* Undoes a patch that was cut off, if there is one; opening and patching do it by themselves. */
EMBER_API enum ember_status ember_writer_recover(const char *path, struct ember_error *err);

/* Writes the keys of a file as one JSON object {KEY: {"type": …, "value": …}} that loses nothing:
 * strings that are not UTF-8 and arrays of arrays come as {"type": …, "hex": …}, the bytes of the
 * file; numbers beyond JSON as strings. */
EMBER_API void ember_writer_metadata_json(const struct ember_gguf *gguf,
                                          struct ember_json_writer *json);
