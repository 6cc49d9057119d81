/* SPDX-License-Identifier: GPL-3.0-or-later */
/* gguf.h - reading a GGUF file: its keys and its tensor table, in file order.
 *
 * A struct ember_gguf is read-only after opening (but for ember_gguf_set(), to be called before it
 * is shared) and may then be read from any number of threads. It owns every string and array it
 * hands out; they die with ember_gguf_close(). Nothing here reads tensor data.
 *
 * Names and strings of a file are bytes, not C strings: they have a length, may hold NUL and need
 * not be valid UTF-8. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ember/error.h>

/* Value types with the numbers of the file format. */
enum ember_gguf_type {
    EMBER_GGUF_U8 = 0,
    EMBER_GGUF_I8 = 1,
    EMBER_GGUF_U16 = 2,
    EMBER_GGUF_I16 = 3,
    EMBER_GGUF_U32 = 4,
    EMBER_GGUF_I32 = 5,
    EMBER_GGUF_F32 = 6,
    EMBER_GGUF_BOOL = 7,
    EMBER_GGUF_STRING = 8,
    EMBER_GGUF_ARRAY = 9,
    EMBER_GGUF_U64 = 10,
    EMBER_GGUF_I64 = 11,
    EMBER_GGUF_F64 = 12,
    EMBER_GGUF_TYPE_COUNT = 13
};

/* A piece of somebody else's memory; not terminated. */
struct ember_text {
    const char *data;
    size_t size; /* bytes */
};

#define EMBER_MAX_DIMS 4

/* One tensor of the table. Dimension 0 is the contiguous one (row length in elements). */
struct ember_gguf_tensor {
    struct ember_text name;
    uint32_t type;               /* tensor type id 0 … 42; see ember_tensor_type_name() */
    uint16_t n_dims;             /* as stored, 0 … 4 */
    uint16_t part;               /* which part of a split model; else 0 */
    uint64_t ne[EMBER_MAX_DIMS]; /* elements per dimension; missing ones are 1 */
    uint64_t n_elements;         /* product of ne */
    uint64_t n_bytes;            /* size of the data in the file */
    uint64_t offset;             /* relative to the data section, as stored */
    uint64_t file_offset;        /* from the start of the file (of its part) */
};

struct ember_gguf_info {
    uint32_t version; /* 1, 2, 3 */
    bool big_endian;
    uint32_t alignment; /* bytes */
    uint64_t n_keys;
    uint64_t n_tensors;
    uint64_t data_offset; /* where tensor data starts, from the start of the file */
    uint64_t file_size;   /* bytes; of a split model, of all parts */
};

struct ember_gguf;

/* Maps the file read-only and reads header, keys and tensor table. The one thing that is ever
 * written: a header whose change in place was cut off is put back first (writer.h). A part of a
 * split model opens the whole set: the keys are those of the first part, the tensors those of all;
 * a part that is missing or belongs elsewhere is named (EMBER_NOT_FOUND, EMBER_FORMAT). Every count
 * and length is checked before it sizes anything. On success *out owns the object; free with
 * ember_gguf_close(). EMBER_IO: the file cannot be opened or read. EMBER_FORMAT: it is not GGUF or
 * is damaged (the sentence says how; a tensor that ends past the end of the file is such damage
 * unless `header_only`). EMBER_UNSUPPORTED: a version or byte order this build does not read. */
EMBER_API enum ember_status ember_gguf_open(struct ember_gguf **out, const char *path,
                                            bool header_only, struct ember_error *err);

/* One file alone, even if it is a part of a split model. */
EMBER_API enum ember_status ember_gguf_open_part(struct ember_gguf **out, const char *path,
                                                 bool header_only, struct ember_error *err);

/* The same from memory that the caller keeps alive and unchanged; `name` is used in sentences. */
EMBER_API enum ember_status ember_gguf_open_memory(struct ember_gguf **out, const void *data,
                                                   size_t size, const char *name, bool header_only,
                                                   struct ember_error *err);

/* Where bytes come from when they are neither in a file nor in memory, such as ranges over HTTP. */
struct ember_gguf_source {
    uint64_t size;    /* bytes in the whole file */
    size_t max_chunk; /* most bytes asked for at once; 0 = any */
    /* Delivers up to `size` bytes from `offset` and returns how many: fewer are asked for again,
     * none are the end of the file. A failure goes to *error as an errno value. */
    size_t (*read)(void *user_data, uint64_t offset, void *dst, size_t size, int *error);
    void *user_data; /* must live as long as the object */
};

/* The header alone, through a callback, which is called during this call and, on the same thread as
 * the caller, by whoever reads tensor values later. `source` is copied; `name` is used in
 * sentences. Fails as ember_gguf_open() does, and with EMBER_IO when the callback fails. */
EMBER_API enum ember_status ember_gguf_open_source(struct ember_gguf **out,
                                                   const struct ember_gguf_source *source,
                                                   const char *name, struct ember_error *err);

EMBER_API void ember_gguf_close(struct ember_gguf *gguf);

/* The files of a split model, in order; 1 for any other. NULL and 0 past the end. */
EMBER_API uint32_t ember_gguf_n_parts(const struct ember_gguf *gguf);
EMBER_API const char *ember_gguf_part_file(const struct ember_gguf *gguf, uint32_t part);
EMBER_API uint64_t ember_gguf_part_size(const struct ember_gguf *gguf, uint32_t part);
/* Whether a path ends in -00001-of-00003.gguf (any number of digits, any case): its beginning,
 * which part from 0, and of how many. */
EMBER_API bool ember_gguf_part_parse(const char *path, size_t *prefix_size, uint32_t *no,
                                     uint32_t *count);
/* Such a path, to be freed by the caller; NULL when out of memory. */
EMBER_API char *ember_gguf_part_path(const char *prefix, size_t prefix_size, uint32_t no,
                                     uint32_t count);

/* Overrides or adds one key in memory (the file is untouched). `assignment` is KEY=TYPE:VALUE with
 * TYPE one of u8 i8 u16 i16 u32 i32 u64 i64 f32 f64 bool str, e.g. "tokenizer.ggml.pre=str:qwen2".
 * EMBER_INVALID when it cannot be read or the value does not fit the type. */
EMBER_API enum ember_status ember_gguf_set(struct ember_gguf *gguf, const char *assignment,
                                           struct ember_error *err);

/* Takes over the process's SIGBUS, once and for good. A model file that becomes shorter while it is
 * mapped, or whose disk fails, would otherwise end the program; with this, whatever runs on it
 * fails with EMBER_IO and a sentence. Faults of other memory go to the handler that was there
 * before. Any thread. */
EMBER_API void ember_gguf_guard(void);

EMBER_API const char *ember_gguf_path(const struct ember_gguf *gguf);
EMBER_API const struct ember_gguf_info *ember_gguf_info(const struct ember_gguf *gguf);

/* Keys. Index order is file order (overridden keys keep their place, added ones follow). */
EMBER_API struct ember_text ember_gguf_key_name(const struct ember_gguf *gguf, uint64_t index);
EMBER_API enum ember_gguf_type ember_gguf_key_type(const struct ember_gguf *gguf, uint64_t index);
/* The element type and length of an array; of a scalar, its own type and 1. */
EMBER_API enum ember_gguf_type ember_gguf_key_element_type(const struct ember_gguf *gguf,
                                                           uint64_t index);
EMBER_API uint64_t ember_gguf_key_length(const struct ember_gguf *gguf, uint64_t index);

/* Index of a key by its terminated name, or -1. O(1). */
EMBER_API int64_t ember_gguf_find(const struct ember_gguf *gguf, const char *key);

/* A stretch of a file. */
struct ember_gguf_place {
    uint64_t offset, size; /* bytes */
};
/* Where a key lies in its file, from the length of its name to the end of its value, and where the
 * tensor table does (of a split model: the first part's). False for a key that is not in the file.
 */
EMBER_API bool ember_gguf_key_place(const struct ember_gguf *gguf, uint64_t index,
                                    struct ember_gguf_place *out);
EMBER_API void ember_gguf_table_place(const struct ember_gguf *gguf, struct ember_gguf_place *out);

/* Element `at` of the key (0 for a scalar). Each returns false when the value has another kind or
 * `at` is past the end, and then leaves *out untouched. Integers of any width and bools convert to
 * u64/i64 when they fit; integers and floats convert to f64. */
EMBER_API bool ember_gguf_u64(const struct ember_gguf *gguf, int64_t index, uint64_t at,
                              uint64_t *out);
EMBER_API bool ember_gguf_i64(const struct ember_gguf *gguf, int64_t index, uint64_t at,
                              int64_t *out);
EMBER_API bool ember_gguf_f64(const struct ember_gguf *gguf, int64_t index, uint64_t at,
                              double *out);
EMBER_API bool ember_gguf_bool(const struct ember_gguf *gguf, int64_t index, uint64_t at,
                               bool *out);
EMBER_API bool ember_gguf_text(const struct ember_gguf *gguf, int64_t index, uint64_t at,
                               struct ember_text *out);

/* Copies elements first … first + n (of a scalar its only one) as numbers of the key's element type
 * in this machine's form; a boolean is one byte, 0 or 1. False for strings and arrays of arrays,
 * and past the end. */
EMBER_API bool ember_gguf_numbers(const struct ember_gguf *gguf, int64_t index, uint64_t first,
                                  uint64_t n, void *dst);

/* The same by name for scalars; `fallback` when the key is absent or of another kind. */
EMBER_API uint64_t ember_gguf_get_u64(const struct ember_gguf *gguf, const char *key,
                                      uint64_t fallback);
EMBER_API double ember_gguf_get_f64(const struct ember_gguf *gguf, const char *key,
                                    double fallback);
EMBER_API bool ember_gguf_get_bool(const struct ember_gguf *gguf, const char *key, bool fallback);
/* {NULL, 0} when absent or not a string. */
EMBER_API struct ember_text ember_gguf_get_text(const struct ember_gguf *gguf, const char *key);

/* Tensors, in file order. The pointer lives as long as `gguf`; NULL past the end or if absent. */
EMBER_API const struct ember_gguf_tensor *ember_gguf_tensor(const struct ember_gguf *gguf,
                                                            uint64_t index);
EMBER_API const struct ember_gguf_tensor *ember_gguf_find_tensor(const struct ember_gguf *gguf,
                                                                 const char *name);

/* "u32", "str", "arr" … for a value type; "f32", "q4_K" … for a tensor type (as the reference
 * prints them). NULL for an unknown id. Static storage. */
EMBER_API const char *ember_gguf_type_name(enum ember_gguf_type type);
EMBER_API const char *ember_tensor_type_name(uint32_t type);

/* What a standard key holds. Readers accept any width of integer; writers use the type given. */
enum ember_key_form {
    EMBER_KEY_ONE,     /* one value */
    EMBER_KEY_ARRAY,   /* an array */
    EMBER_KEY_LAYERS,  /* one value, or an array with one per layer */
    EMBER_KEY_PATTERN, /* one number, or an array of booleans with one per layer */
    EMBER_KEY_EITHER   /* one value or an array */
};
struct ember_gguf_standard_key {
    const char *name; /* A stands for the architecture, {i} for a number */
    enum ember_gguf_type type;
    enum ember_key_form form;
    const char *unit; /* "tokens"; NULL for none */
    const char *meaning;
};
/* The standard key that a name is in a file of this architecture ({NULL, 0} if unknown), or NULL.
 * Static storage. */
EMBER_API const struct ember_gguf_standard_key *
ember_gguf_standard_key(struct ember_text name, struct ember_text architecture);
/* All of them, in the order of their names; NULL past the end. */
EMBER_API const struct ember_gguf_standard_key *ember_gguf_standard_key_at(size_t index);
