/* SPDX-License-Identifier: GPL-3.0-or-later */
/* private.h - the open file's insides, for the files of this folder. */
#pragma once

#include <ember/gguf.h>

#include "base/arena.h"
#include "gguf/gguf.h"
#include "gguf/map.h"
#include "gguf/names.h"
#include "gguf/reader.h"

struct gguf_key {
    struct ember_text name; /* first: see struct name_list */
    /* The first element in the file's byte order; of a string, its length field. Points into the
     * header's copy, or for an override into the arena. */
    const uint8_t *value;
    const uint32_t *index;      /* arrays of strings: where each length field lies, from `value` */
    uint64_t length;            /* elements; 1 for a scalar */
    uint64_t name_at, value_at; /* positions in the file */
    enum ember_gguf_type type, element_type;
};

struct ember_gguf {
    struct ember_gguf_info info;
    char *path;
    char *asked; /* of a split model that was opened by another part: that one's path */
    char label[128];
    struct file_map map;
    struct source source;  /* where bytes come from, also after opening */
    const uint8_t *data;   /* the whole file: the map or the caller's memory; may be NULL */
    uint8_t *header;       /* owned copy of everything before the tensor data; NULL for memory */
    uint64_t keys_end;     /* where the tensor table begins */
    uint64_t header_end;   /* where it ends */
    uint64_t n_own_keys;   /* those of the file; overrides may follow */
    unsigned length_bytes; /* width of a string's length field: 4 in version 1, else 8 */

    struct gguf_key *keys;
    struct ember_gguf_tensor *tensors;
    uint64_t keys_capacity;
    struct hash_key hash_key;
    struct name_table key_names, tensor_names;
    /* Of a split model, in the object of its first part: all of them, this one too; owned. */
    struct ember_gguf **parts;
    uint32_t n_parts;   /* 0: a file of its own */
    uint64_t own_size;  /* of the first part, where info has the sum */
    struct arena arena; /* string indexes and overrides */
};

/* Bytes of one element; 0 for strings and arrays, whose size varies, and for unknown types. */
unsigned gguf_type_bytes(uint32_t type);

/* Reads header, keys and tensor table from `source` into an object that has its path and label.
 * With `scan` (else NULL) as gguf_scan() says. */
enum ember_status gguf_parse(struct ember_gguf *gguf, const struct source *source, bool header_only,
                             struct gguf_scan *scan, struct ember_error *err);

/* What a file without GGUF's magic is, as a phrase such as "a ZIP archive"; NULL if not known. */
const char *gguf_foreign(const uint8_t *head, size_t size);
/* What to do about such a phrase (or NULL), a sentence. */
const char *gguf_foreign_advice(const char *what);

static inline struct name_list gguf_key_list(const struct ember_gguf *gguf)
{
    return (struct name_list){ gguf->keys, sizeof *gguf->keys, (uint32_t)gguf->info.n_keys };
}

static inline struct name_list gguf_tensor_list(const struct ember_gguf *gguf)
{
    return (struct name_list){ gguf->tensors, sizeof *gguf->tensors,
                               (uint32_t)gguf->info.n_tensors };
}
