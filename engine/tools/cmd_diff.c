/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_diff.c - what differs between two model files. */
#include <inttypes.h>
#include <stdio.h>

#include <ember/diff.h>
#include <ember/ember.h>

#include "commands.h"
#include "options.h"
#include "output.h"
#include "run.h"
#include "save.h"

enum { SHOWN = 6 }; /* elements of an array */

struct diff_options {
    bool error;
};

static const struct option diff_table[] = {
    { .name = "--error",
      .kind = OPTION_FLAG,
      .at = offsetof(struct diff_options, error),
      .help = "compare the values of all tensors of the same shape" },
};

/* ---- JSON ---- */

static void element_write(struct ember_json_writer *json, const struct ember_gguf *gguf,
                          int64_t key, uint64_t at)
{
    enum ember_gguf_type type = ember_gguf_key_element_type(gguf, (uint64_t)key);
    struct ember_text text;
    int64_t i64;
    uint64_t u64;
    double f64;
    bool boolean;

    if (ember_gguf_text(gguf, key, at, &text))
        ember_json_write_text(json, text);
    else if (ember_gguf_bool(gguf, key, at, &boolean))
        ember_json_write_bool(json, boolean);
    else if ((type == EMBER_GGUF_F32 || type == EMBER_GGUF_F64) &&
             ember_gguf_f64(gguf, key, at, &f64))
        ember_json_write_f64(json, f64, type == EMBER_GGUF_F32);
    else if (ember_gguf_i64(gguf, key, at, &i64))
        ember_json_write_i64(json, i64);
    else if (ember_gguf_u64(gguf, key, at, &u64))
        ember_json_write_u64(json, u64);
    else
        ember_json_write_null(json);
}

static void type_write(struct ember_json_writer *json, const struct ember_gguf *gguf, int64_t key)
{
    char type[32];
    const char *name = ember_gguf_type_name(ember_gguf_key_element_type(gguf, (uint64_t)key));
    bool array = ember_gguf_key_type(gguf, (uint64_t)key) == EMBER_GGUF_ARRAY;

    snprintf(type, sizeof type, array ? "arr[%s]" : "%s", name ? name : "?");
    ember_json_write_string(json, type);
}

/* A value; of an array its length and the elements around the first that differs. */
static void value_write(struct ember_json_writer *json, const char *name,
                        const struct ember_gguf *gguf, int64_t key, uint64_t from)
{
    ember_json_name(json, name);
    if (key < 0) {
        ember_json_write_null(json);
        return;
    }
    ember_json_begin_object(json);
    ember_json_name(json, "type");
    type_write(json, gguf, key);
    if (ember_gguf_key_type(gguf, (uint64_t)key) != EMBER_GGUF_ARRAY) {
        ember_json_name(json, "value");
        element_write(json, gguf, key, 0);
    } else {
        uint64_t length = ember_gguf_key_length(gguf, (uint64_t)key);
        ember_json_name(json, "length");
        ember_json_write_u64(json, length);
        ember_json_name(json, "from");
        ember_json_write_u64(json, from);
        ember_json_name(json, "values");
        ember_json_begin_array(json);
        for (uint64_t i = from; i < length && i < from + SHOWN; i++)
            element_write(json, gguf, key, i);
        ember_json_end_array(json);
    }
    ember_json_end_object(json);
}

static void keys_write(struct ember_json_writer *json, const struct ember_diff *diff,
                       const struct ember_gguf *first, const struct ember_gguf *second)
{
    ember_json_begin_array(json);
    for (size_t i = 0; i < ember_diff_n_keys(diff); i++) {
        const struct ember_diff_key *key = ember_diff_key(diff, i);
        ember_json_begin_object(json);
        ember_json_name(json, "key");
        ember_json_write_text(json, key->name);
        ember_json_name(json, "change");
        ember_json_write_string(json, ember_change_name(key->change));
        value_write(json, "before", first, key->first, key->first_different);
        value_write(json, "after", second, key->second, key->first_different);
        ember_json_name(json, "different");
        ember_json_write_u64(json, key->n_different);
        ember_json_end_object(json);
    }
    ember_json_end_array(json);
}

static void tensor_write(struct ember_json_writer *json, const char *name,
                         const struct ember_gguf_tensor *tensor)
{
    ember_json_name(json, name);
    if (!tensor) {
        ember_json_write_null(json);
        return;
    }
    ember_json_begin_object(json);
    ember_json_name(json, "type");
    ember_json_write_string(json, ember_tensor_type_name(tensor->type));
    ember_json_name(json, "shape");
    ember_json_begin_array(json);
    for (uint32_t d = 0; d < tensor->n_dims; d++)
        ember_json_write_u64(json, tensor->ne[d]);
    ember_json_end_array(json);
    ember_json_name(json, "bytes");
    ember_json_write_u64(json, tensor->n_bytes);
    ember_json_end_object(json);
}

static void tensors_write(struct ember_json_writer *json, const struct ember_diff *diff)
{
    ember_json_begin_array(json);
    for (size_t i = 0; i < ember_diff_n_tensors(diff); i++) {
        const struct ember_diff_tensor *t = ember_diff_tensor(diff, i);
        if (t->change == EMBER_SAME && !t->compared)
            continue;
        ember_json_begin_object(json);
        ember_json_name(json, "name");
        ember_json_write_text(json, t->name);
        ember_json_name(json, "change");
        ember_json_write_string(json, ember_change_name(t->change));
        tensor_write(json, "before", t->first);
        tensor_write(json, "after", t->second);
        if (t->compared) {
            ember_json_name(json, "relative_rms");
            ember_json_write_f64(json, t->error.relative_rms, false);
            ember_json_name(json, "maximum");
            ember_json_write_f64(json, t->error.maximum, false);
            ember_json_name(json, "cosine");
            ember_json_write_f64(json, t->error.cosine, false);
            ember_json_name(json, "different");
            ember_json_write_u64(json, t->error.n_different);
        }
        ember_json_end_object(json);
    }
    ember_json_end_array(json);
}

static int json_write(const struct ember_diff *diff, const struct ember_gguf *first,
                      const struct ember_gguf *second)
{
    struct ember_json_writer *json = output_json_new();
    if (!json)
        return STATUS_FAILED;
    ember_json_begin_object(json);
    ember_json_name(json, "equal");
    ember_json_write_bool(json, ember_diff_equal(diff));
    ember_json_name(json, "keys");
    keys_write(json, diff, first, second);
    ember_json_name(json, "tensors");
    tensors_write(json, diff);
    ember_json_end_object(json);
    return output_json(json);
}

/* ---- text ---- */

static void value_print(const struct ember_gguf *gguf, int64_t key, uint64_t from)
{
    bool array = ember_gguf_key_type(gguf, (uint64_t)key) == EMBER_GGUF_ARRAY;
    uint64_t length = ember_gguf_key_length(gguf, (uint64_t)key);
    enum ember_gguf_type type = ember_gguf_key_element_type(gguf, (uint64_t)key);
    struct ember_text text;
    int64_t i64;
    uint64_t u64;
    double f64;

    if (array)
        printf("%s x %s from %s: ", count_text(length).text, ember_gguf_type_name(type),
               count_text(from).text);
    for (uint64_t i = array ? from : 0; i < length && i < (array ? from : 0) + SHOWN; i++) {
        if (array && i > from)
            printf(", ");
        if (ember_gguf_text(gguf, key, i, &text))
            text_print(stdout, text, TEXT_QUOTED, 60);
        else if ((type == EMBER_GGUF_F32 || type == EMBER_GGUF_F64) &&
                 ember_gguf_f64(gguf, key, i, &f64))
            printf("%.9g", f64);
        else if (ember_gguf_i64(gguf, key, i, &i64))
            printf("%" PRId64, i64);
        else if (ember_gguf_u64(gguf, key, i, &u64))
            printf("%" PRIu64, u64);
        else
            printf("?");
    }
    if (!array)
        printf(" (%s)", ember_gguf_type_name(type));
    putchar('\n');
}

static void keys_print(const struct ember_diff *diff, const struct ember_gguf *first,
                       const struct ember_gguf *second)
{
    for (size_t i = 0; i < ember_diff_n_keys(diff); i++) {
        const struct ember_diff_key *key = ember_diff_key(diff, i);
        printf("%-8s key ", ember_change_name(key->change));
        text_print(stdout, key->name, TEXT_PLAIN, 80);
        if (key->n_different > 1)
            printf(" (%s elements differ)", count_text(key->n_different).text);
        putchar('\n');
        if (key->first >= 0) {
            printf("    - ");
            value_print(first, key->first, key->first_different);
        }
        if (key->second >= 0) {
            printf("    + ");
            value_print(second, key->second, key->first_different);
        }
    }
}

static void shape_print(const char *mark, const struct ember_gguf_tensor *tensor)
{
    if (!tensor)
        return;
    printf("    %s %s", mark, ember_tensor_type_name(tensor->type));
    for (uint32_t d = 0; d < tensor->n_dims; d++)
        printf("%s%" PRIu64, d ? " x " : " ", tensor->ne[d]);
    printf(", %s\n", bytes_text(tensor->n_bytes).text);
}

static void tensors_print(const struct ember_diff *diff)
{
    for (size_t i = 0; i < ember_diff_n_tensors(diff); i++) {
        const struct ember_diff_tensor *t = ember_diff_tensor(diff, i);
        if (t->change == EMBER_SAME)
            continue;
        printf("%-8s tensor ", ember_change_name(t->change));
        text_print(stdout, t->name, TEXT_PLAIN, 80);
        if (t->compared)
            printf("  relative RMS %.3g, maximum %.3g, cosine %.6f", t->error.relative_rms,
                   t->error.maximum, t->error.cosine);
        putchar('\n');
        if (t->shape || t->type || t->size || t->change != EMBER_CHANGED) {
            shape_print("-", t->first);
            shape_print("+", t->second);
        }
    }
}

int cmd_diff(int argc, char **argv)
{
    struct diff_options diff_options = { 0 };
    struct option_group groups[] = {
        { .title = "Comparing",
          .options = diff_table,
          .n = sizeof diff_table / sizeof diff_table[0],
          .base = &diff_options },
    };
    struct options options = {
        .command = "diff",
        .operand = "A.gguf",
        .second = "B.gguf",
        .summary = "Says what differs between two model files: keys, and tensors by name.",
        .notes =
            "With --error also by how much the values of B are off from those of A. --set holds "
            "for both.\nExit status: 0 whether they differ or not, 1 when they cannot be "
            "compared.",
        .groups = groups,
        .n_groups = 1,
    };
    struct ember_gguf *first = NULL, *second = NULL;
    struct ember_diff *diff = NULL;
    struct ember_error err = { 0 };
    int status;

    if (!options_read(&options, argc, argv, &status))
        return status;
    struct ember_diff_params params = { .values = diff_options.error };
    if (save_progress(&options))
        params.progress = *save_progress(&options);
    status = run_open_header_of(&first, options.file, &options);
    if (status == STATUS_FINE)
        status = run_open_header_of(&second, options.other, &options);
    if (status == STATUS_FINE && ember_diff_new(&diff, first, second, &params, &err) != EMBER_OK)
        status = fail_with(&err);
    if (!diff) {
        /* said */
    } else if (options.json) {
        status = json_write(diff, first, second);
    } else {
        keys_print(diff, first, second);
        tensors_print(diff);
        if (ember_diff_equal(diff))
            printf("No difference.\n");
        status = output_end();
    }
    ember_diff_free(diff);
    ember_gguf_close(first);
    ember_gguf_close(second);
    options_finish(&options);
    return status;
}
