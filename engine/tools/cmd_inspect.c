/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_inspect.c - what a model file holds: header, keys, tensor table, totals. */
#include <fnmatch.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ember/ember.h>

#include "commands.h"
#include "options.h"
#include "output.h"
#include "run.h"

enum {
    /* Arrays longer than this are shortened unless --all asks for them: no token list drowns the
     * rest, and every array that describes layers stays whole. */
    JSON_ARRAY_MAX = 1024,
    JSON_ARRAY_FIRST = 16,
    TEXT_ARRAY_FIRST = 8,
    TEXT_COLUMNS = 100, /* of a value */
    TENSOR_TYPES_MAX = 64
};

struct inspect_options {
    bool all, tensors;
    const char *keys;
};

static const struct option inspect_table[] = {
    { .name = "--all",
      .kind = OPTION_FLAG,
      .at = offsetof(struct inspect_options, all),
      .help = "long arrays and texts in full" },
    { .name = "--tensors",
      .kind = OPTION_FLAG,
      .at = offsetof(struct inspect_options, tensors),
      .help = "the tensors, no keys" },
    { .name = "--keys",
      .kind = OPTION_TEXT,
      .at = offsetof(struct inspect_options, keys),
      .value = "GLOB",
      .help = "the keys that match, such as '*.rope.*', no tensors" },
};

/* ---- totals ---- */

struct type_total {
    uint32_t type;
    uint64_t n_tensors;
    uint64_t n_bytes;
};

struct totals {
    uint64_t n_parameters;
    uint64_t n_bytes;
    struct type_total types[TENSOR_TYPES_MAX]; /* largest first */
    size_t n_types;
};

/* A header alone may claim anything; sums stop at the top instead of wrapping. */
static uint64_t add_saturated(uint64_t a, uint64_t b)
{
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static int larger_first(const void *a, const void *b)
{
    const struct type_total *x = a, *y = b;
    if (x->n_bytes != y->n_bytes)
        return x->n_bytes < y->n_bytes ? 1 : -1;
    return x->type < y->type ? -1 : x->type > y->type;
}

static void totals_count(struct totals *totals, const struct ember_gguf *gguf)
{
    uint64_t n_tensors = ember_gguf_info(gguf)->n_tensors;
    *totals = (struct totals){ 0 };
    for (uint64_t i = 0; i < n_tensors; i++) {
        const struct ember_gguf_tensor *tensor = ember_gguf_tensor(gguf, i);
        size_t at = 0;
        totals->n_parameters = add_saturated(totals->n_parameters, tensor->n_elements);
        totals->n_bytes = add_saturated(totals->n_bytes, tensor->n_bytes);
        while (at < totals->n_types && totals->types[at].type != tensor->type)
            at++;
        if (at == TENSOR_TYPES_MAX)
            continue;
        if (at == totals->n_types)
            totals->types[totals->n_types++].type = tensor->type;
        totals->types[at].n_tensors++;
        totals->types[at].n_bytes = add_saturated(totals->types[at].n_bytes, tensor->n_bytes);
    }
    qsort(totals->types, totals->n_types, sizeof totals->types[0], larger_first);
}

static double bits_per_weight(const struct totals *totals)
{
    return 8.0 * (double)totals->n_bytes / (double)totals->n_parameters;
}

/* ---- shared by both forms ---- */

static const char *tensor_type(uint32_t type)
{
    const char *name = ember_tensor_type_name(type);
    return name ? name : "?";
}

/* "u32", "arr[str]" */
static void key_type_name(const struct ember_gguf *gguf, uint64_t index, char out[32])
{
    enum ember_gguf_type type = ember_gguf_key_type(gguf, index);
    const char *name = ember_gguf_type_name(type);
    const char *inner = ember_gguf_type_name(ember_gguf_key_element_type(gguf, index));
    if (type == EMBER_GGUF_ARRAY)
        snprintf(out, 32, "arr[%s]", inner ? inner : "?");
    else
        snprintf(out, 32, "%s", name ? name : "?");
}

/* What kind of file it says it is; files from before that key are models. */
static struct ember_text file_type(const struct ember_gguf *gguf)
{
    struct ember_text type = ember_gguf_get_text(gguf, "general.type");
    return type.data ? type : text_of("model");
}

/* ---- JSON ---- */

static void element_write(struct ember_json_writer *json, const struct ember_gguf *gguf,
                          uint64_t index, uint64_t at)
{
    int64_t key = (int64_t)index;
    enum ember_gguf_type type = ember_gguf_key_element_type(gguf, index);
    struct ember_text text;
    uint64_t u64;
    int64_t i64;
    double f64;
    bool boolean;

    if (type == EMBER_GGUF_STRING && ember_gguf_text(gguf, key, at, &text))
        ember_json_write_text(json, text);
    else if (type == EMBER_GGUF_BOOL && ember_gguf_bool(gguf, key, at, &boolean))
        ember_json_write_bool(json, boolean);
    else if ((type == EMBER_GGUF_F32 || type == EMBER_GGUF_F64) &&
             ember_gguf_f64(gguf, key, at, &f64))
        ember_json_write_f64(json, f64, type == EMBER_GGUF_F32);
    else if (ember_gguf_i64(gguf, key, at, &i64))
        ember_json_write_i64(json, i64);
    else if (ember_gguf_u64(gguf, key, at, &u64))
        ember_json_write_u64(json, u64);
    else
        ember_json_write_null(json); /* an array within an array */
}

static void elements_write(struct ember_json_writer *json, const struct ember_gguf *gguf,
                           uint64_t index, uint64_t n)
{
    ember_json_begin_array(json);
    for (uint64_t i = 0; i < n; i++)
        element_write(json, gguf, index, i);
    ember_json_end_array(json);
}

static void value_write(struct ember_json_writer *json, const struct ember_gguf *gguf,
                        uint64_t index, bool all)
{
    uint64_t length = ember_gguf_key_length(gguf, index);
    if (ember_gguf_key_type(gguf, index) != EMBER_GGUF_ARRAY) {
        element_write(json, gguf, index, 0);
    } else if (all || length <= JSON_ARRAY_MAX) {
        elements_write(json, gguf, index, length);
    } else {
        ember_json_begin_object(json);
        ember_json_name(json, "length");
        ember_json_write_u64(json, length);
        ember_json_name(json, "first");
        elements_write(json, gguf, index, JSON_ARRAY_FIRST);
        ember_json_end_object(json);
    }
}

static void member_u64(struct ember_json_writer *json, const char *name, uint64_t value)
{
    ember_json_name(json, name);
    ember_json_write_u64(json, value);
}

static void file_write(struct ember_json_writer *json, const struct ember_gguf *gguf)
{
    const struct ember_gguf_info *info = ember_gguf_info(gguf);
    struct ember_text architecture = ember_gguf_get_text(gguf, "general.architecture");

    ember_json_begin_object(json);
    member_u64(json, "version", info->version);
    ember_json_name(json, "endian");
    ember_json_write_string(json, info->big_endian ? "big" : "little");
    member_u64(json, "n_kv", info->n_keys);
    member_u64(json, "n_tensors", info->n_tensors);
    ember_json_name(json, "architecture");
    if (architecture.data)
        ember_json_write_text(json, architecture);
    else
        ember_json_write_null(json);
    member_u64(json, "alignment", info->alignment);
    member_u64(json, "data_offset", info->data_offset);
    member_u64(json, "size", info->file_size);
    ember_json_name(json, "type");
    ember_json_write_text(json, file_type(gguf));
    ember_json_end_object(json);
}

/* Whether a key was asked for. */
static bool key_wanted(const struct ember_gguf *gguf, uint64_t index,
                       const struct inspect_options *inspect)
{
    struct ember_text name = ember_gguf_key_name(gguf, index);
    char text[256];

    if (!inspect->keys)
        return !inspect->tensors;
    if (name.size >= sizeof text || memchr(name.data, '\0', name.size))
        return false;
    memcpy(text, name.data, name.size);
    text[name.size] = '\0';
    return fnmatch(inspect->keys, text, 0) == 0;
}

static bool tensors_wanted(const struct inspect_options *inspect)
{
    return inspect->tensors || !inspect->keys;
}

static void metadata_write(struct ember_json_writer *json, const struct ember_gguf *gguf,
                           const struct inspect_options *inspect)
{
    uint64_t n_keys = ember_gguf_info(gguf)->n_keys;
    ember_json_begin_object(json);
    for (uint64_t i = 0; i < n_keys; i++) {
        char type[32];
        if (!key_wanted(gguf, i, inspect))
            continue;
        key_type_name(gguf, i, type);
        ember_json_name_text(json, ember_gguf_key_name(gguf, i));
        ember_json_begin_object(json);
        ember_json_name(json, "type");
        ember_json_write_string(json, type);
        ember_json_name(json, "value");
        value_write(json, gguf, i, inspect->all);
        ember_json_end_object(json);
    }
    ember_json_end_object(json);
}

static void tensors_write(struct ember_json_writer *json, const struct ember_gguf *gguf,
                          bool wanted)
{
    uint64_t n_tensors = ember_gguf_info(gguf)->n_tensors;
    ember_json_begin_array(json);
    for (uint64_t i = 0; wanted && i < n_tensors; i++) {
        const struct ember_gguf_tensor *tensor = ember_gguf_tensor(gguf, i);
        ember_json_begin_object(json);
        ember_json_name(json, "name");
        ember_json_write_text(json, tensor->name);
        ember_json_name(json, "type");
        ember_json_write_string(json, tensor_type(tensor->type));
        ember_json_name(json, "shape");
        ember_json_begin_array(json);
        for (uint32_t d = 0; d < tensor->n_dims; d++)
            ember_json_write_u64(json, tensor->ne[d]);
        ember_json_end_array(json);
        member_u64(json, "offset", tensor->offset);
        member_u64(json, "bytes", tensor->n_bytes);
        ember_json_end_object(json);
    }
    ember_json_end_array(json);
}

static void totals_write(struct ember_json_writer *json, const struct totals *totals)
{
    ember_json_begin_object(json);
    member_u64(json, "parameters", totals->n_parameters);
    member_u64(json, "bytes", totals->n_bytes);
    ember_json_name(json, "bits_per_weight");
    if (totals->n_parameters)
        ember_json_write_f64(json, bits_per_weight(totals), false);
    else
        ember_json_write_null(json);
    ember_json_name(json, "by_type");
    ember_json_begin_array(json);
    for (size_t i = 0; i < totals->n_types; i++) {
        ember_json_begin_object(json);
        ember_json_name(json, "type");
        ember_json_write_string(json, tensor_type(totals->types[i].type));
        member_u64(json, "tensors", totals->types[i].n_tensors);
        member_u64(json, "bytes", totals->types[i].n_bytes);
        ember_json_end_object(json);
    }
    ember_json_end_array(json);
    ember_json_end_object(json);
}

static int json_write(const struct ember_gguf *gguf, const struct inspect_options *inspect)
{
    struct totals totals;
    struct ember_json_writer *json = output_json_new();
    if (!json)
        return STATUS_FAILED;
    totals_count(&totals, gguf);
    ember_json_begin_object(json);
    ember_json_name(json, "file");
    file_write(json, gguf);
    ember_json_name(json, "metadata");
    metadata_write(json, gguf, inspect);
    ember_json_name(json, "tensors");
    tensors_write(json, gguf, tensors_wanted(inspect));
    ember_json_name(json, "totals");
    totals_write(json, &totals);
    ember_json_end_object(json);
    return output_json(json);
}

/* ---- text ---- */

static void spaces(size_t n)
{
    printf("%*s", (int)n, "");
}

/* How many columns text_print() takes for a name, at most `limit`. */
static size_t text_columns(struct ember_text text, size_t limit)
{
    /* Escapes make it longer; rows that need them may stick out. */
    size_t n = 0;
    for (size_t i = 0; i < text.size; i++)
        n += ((unsigned char)text.data[i] & 0xC0) != 0x80;
    return n < limit ? n : limit;
}

static size_t element_print(const struct ember_gguf *gguf, uint64_t index, uint64_t at, bool all)
{
    int64_t key = (int64_t)index;
    enum ember_gguf_type type = ember_gguf_key_element_type(gguf, index);
    bool in_array = ember_gguf_key_type(gguf, index) == EMBER_GGUF_ARRAY;
    struct ember_text text;
    uint64_t u64;
    int64_t i64;
    double f64;
    bool boolean;

    if (type == EMBER_GGUF_STRING && ember_gguf_text(gguf, key, at, &text))
        return text_print(stdout, text, in_array ? TEXT_QUOTED : TEXT_PLAIN,
                          all        ? 0
                          : in_array ? 24
                                     : TEXT_COLUMNS);
    if (type == EMBER_GGUF_BOOL && ember_gguf_bool(gguf, key, at, &boolean))
        return (size_t)printf("%s", boolean ? "true" : "false");
    if ((type == EMBER_GGUF_F32 || type == EMBER_GGUF_F64) && ember_gguf_f64(gguf, key, at, &f64))
        return (size_t)printf("%.*g", type == EMBER_GGUF_F32 ? 7 : 15, f64);
    if (ember_gguf_i64(gguf, key, at, &i64))
        return (size_t)printf("%" PRId64, i64);
    if (ember_gguf_u64(gguf, key, at, &u64))
        return (size_t)printf("%" PRIu64, u64);
    return (size_t)printf("?");
}

static void value_print(const struct ember_gguf *gguf, uint64_t index, bool all)
{
    uint64_t length = ember_gguf_key_length(gguf, index);
    uint64_t shown = all || length <= TEXT_ARRAY_FIRST ? length : TEXT_ARRAY_FIRST;
    size_t used = 0;

    if (ember_gguf_key_type(gguf, index) != EMBER_GGUF_ARRAY) {
        element_print(gguf, index, 0, all);
        return;
    }
    printf("%s: ", count_text(length).text);
    for (uint64_t i = 0; i < shown && (all || used < TEXT_COLUMNS); i++) {
        if (i)
            used += (size_t)printf(", ");
        used += element_print(gguf, index, i, all);
    }
    if (shown < length)
        printf(", …");
}

static void metadata_print(const struct ember_gguf *gguf, const struct inspect_options *inspect)
{
    uint64_t n_keys = ember_gguf_info(gguf)->n_keys;
    size_t widest = 0;
    for (uint64_t i = 0; i < n_keys; i++) {
        if (!key_wanted(gguf, i, inspect))
            continue;
        size_t width = text_columns(ember_gguf_key_name(gguf, i), 48);
        widest = width > widest ? width : widest;
    }
    printf("\nKeys (%s)\n", count_text(n_keys).text);
    for (uint64_t i = 0; i < n_keys; i++) {
        char type[32];
        if (!key_wanted(gguf, i, inspect))
            continue;
        key_type_name(gguf, i, type);
        printf("  ");
        size_t width =
            text_print(stdout, ember_gguf_key_name(gguf, i), TEXT_PLAIN, inspect->all ? 0 : 72);
        spaces(width < widest ? widest - width : 0);
        printf("  %-9s ", type);
        value_print(gguf, i, inspect->all);
        putchar('\n');
    }
}

static void tensors_print(const struct ember_gguf *gguf)
{
    uint64_t n_tensors = ember_gguf_info(gguf)->n_tensors;
    size_t widest = 0;
    for (uint64_t i = 0; i < n_tensors; i++) {
        size_t width = text_columns(ember_gguf_tensor(gguf, i)->name, 64);
        widest = width > widest ? width : widest;
    }
    printf("\nTensors (%s)\n", count_text(n_tensors).text);
    for (uint64_t i = 0; i < n_tensors; i++) {
        const struct ember_gguf_tensor *tensor = ember_gguf_tensor(gguf, i);
        char shape[4 * 24] = "scalar";
        size_t at = 0;
        for (uint32_t d = 0; d < tensor->n_dims; d++)
            at += (size_t)snprintf(shape + at, sizeof shape - at, "%s%" PRIu64, d ? " x " : "",
                                   tensor->ne[d]);
        printf("  ");
        size_t width = text_print(stdout, tensor->name, TEXT_PLAIN, 80);
        spaces(width < widest ? widest - width : 0);
        printf("  %-7s %-20s %12s\n", tensor_type(tensor->type), shape,
               bytes_text(tensor->n_bytes).text);
    }
}

static int text_write(const struct ember_gguf *gguf, const char *path,
                      const struct inspect_options *inspect)
{
    const struct ember_gguf_info *info = ember_gguf_info(gguf);
    struct ember_text architecture = ember_gguf_get_text(gguf, "general.architecture");
    struct totals totals;

    totals_count(&totals, gguf);
    text_print(stdout, text_of(path), TEXT_PLAIN, 0);
    printf("\n  GGUF version %u, %s-endian, %s (%s bytes)\n  architecture ", info->version,
           info->big_endian ? "big" : "little", bytes_text(info->file_size).text,
           count_text(info->file_size).text);
    text_print(stdout, architecture.data ? architecture : text_of("not named"), TEXT_PLAIN, 64);
    printf(", type ");
    text_print(stdout, file_type(gguf), TEXT_PLAIN, 64);
    printf(", alignment %u, tensor data at %s\n", info->alignment,
           count_text(info->data_offset).text);
    if (inspect->keys || !inspect->tensors)
        metadata_print(gguf, inspect);
    if (tensors_wanted(inspect))
        tensors_print(gguf);
    printf("\nTotals\n");
    for (size_t i = 0; i < totals.n_types; i++)
        printf("  %-7s %10s tensor%-3s %12s\n", tensor_type(totals.types[i].type),
               count_text(totals.types[i].n_tensors).text,
               totals.types[i].n_tensors == 1 ? "" : "s", bytes_text(totals.types[i].n_bytes).text);
    printf("  %s parameters in %s", count_text(totals.n_parameters).text,
           bytes_text(totals.n_bytes).text);
    if (totals.n_parameters)
        printf(", %.2f bits per weight", bits_per_weight(&totals));
    putchar('\n');
    return output_end();
}

int cmd_inspect(int argc, char **argv)
{
    struct inspect_options inspect = { 0 };
    struct option_group groups[] = {
        { .title = "Inspecting",
          .options = inspect_table,
          .n = sizeof inspect_table / sizeof inspect_table[0],
          .base = &inspect },
    };
    struct options options = {
        .command = "inspect",
        .operand = "FILE.gguf",
        .summary = "Prints the header of a model file, its keys, its tensors and their totals.",
        .groups = groups,
        .n_groups = 1,
    };
    struct ember_gguf *gguf = NULL;
    int status;

    if (!options_read(&options, argc, argv, &status))
        return status;
    status = run_open_header(&gguf, &options);
    if (status == STATUS_FINE)
        status =
            options.json ? json_write(gguf, &inspect) : text_write(gguf, options.file, &inspect);
    ember_gguf_close(gguf);
    options_finish(&options);
    return status;
}
