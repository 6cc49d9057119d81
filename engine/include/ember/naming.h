/* SPDX-License-Identifier: GPL-3.0-or-later */
/* naming.h - what a file's name says of a model, and the name that a model's keys give.
 *
 * The convention is  [sidecar-]base[-size[-tune]]-version[-encoding][-type][-shard].gguf; what
 * people upload often differs, so parsing takes what it recognises and says whether the name is a
 * valid one. Pure functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ember/error.h>
#include <ember/gguf.h>

/* Parts of a name; each points into the given path and is {NULL, 0} when absent. */
struct ember_file_name {
    bool valid;                 /* follows the convention */
    struct ember_text sidecar;  /* "mmproj", "mtp" */
    struct ember_text base;     /* "Qwen2.5" */
    struct ember_text size;     /* "7B", "8x7B" */
    struct ember_text tune;     /* "Instruct" */
    struct ember_text version;  /* "v1.0" */
    struct ember_text encoding; /* "Q4_K_M" */
    struct ember_text mark;     /* "UD" or "i1": how it was quantized */
    struct ember_text type;     /* "LoRA", "vocab" */
    uint32_t part, n_parts;     /* of a split model, from 0; n_parts 0 for a whole one */
};

/* Folders are passed over. False when the name does not end in .gguf (any case). */
EMBER_API bool ember_file_name_parse(const char *path, struct ember_file_name *out);

/* Writes the name that the keys of a file give, without folder; the encoding comes from
 * general.file_type. Returns its length, 0 when there is not even a base name or it does not fit.
 */
EMBER_API size_t ember_file_name_build(const struct ember_gguf *gguf, char *out, size_t capacity);

/* Whether a word is the name of a quantization ("Q4_K_M", "IQ2_XXS", "BF16"), whatever the case. */
EMBER_API bool ember_is_encoding(struct ember_text word);
