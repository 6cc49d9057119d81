/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_split.c - cuts a model into parts, and makes one file of them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <ember/ember.h>

#include "commands.h"
#include "options.h"
#include "output.h"
#include "run.h"
#include "save.h"

enum { DEFAULT_TENSORS = 128, MOST_PARTS = 65535, PART_PADDING = 32 };

struct split_options {
    const char *out, *max_size;
    uint32_t max_tensors;
    bool no_tensors_first;
};

static const struct option split_table[] = {
    { .name = "-o",
      .kind = OPTION_TEXT,
      .at = offsetof(struct split_options, out),
      .value = "PREFIX",
      .help = "the parts are PREFIX-00001-of-0000N.gguf (default: the file's name)" },
    { .name = "--max-size",
      .kind = OPTION_TEXT,
      .at = offsetof(struct split_options, max_size),
      .value = "N[K|M|G]",
      .help = "most bytes of tensors in a part; K, M, G are powers of 1000" },
    { .name = "--max-tensors",
      .kind = OPTION_U32,
      .at = offsetof(struct split_options, max_tensors),
      .value = "N",
      .help = "most tensors in a part (default 128)",
      .min = 1,
      .max = UINT32_MAX },
    { .name = "--no-tensors-first",
      .kind = OPTION_FLAG,
      .at = offsetof(struct split_options, no_tensors_first),
      .help = "the first part holds the keys alone" },
};

static bool size_read(const char *text, uint64_t *out)
{
    static const struct {
        char unit;
        uint64_t factor;
    } units[] = { { 'K', 1000 }, { 'M', 1000000 }, { 'G', 1000000000 }, { 'T', 1000000000000 } };
    char digits[24];
    size_t size = strlen(text);
    uint64_t factor = 1;
    int64_t number;

    for (size_t i = 0; size && i < sizeof units / sizeof units[0]; i++) {
        if ((text[size - 1] & ~0x20) == units[i].unit) {
            factor = units[i].factor;
            size--;
            break;
        }
    }
    if (!size || size >= sizeof digits)
        return false;
    memcpy(digits, text, size);
    digits[size] = '\0';
    if (!integer_read(digits, 1, INT64_MAX / (int64_t)factor, &number))
        return false;
    *out = (uint64_t)number * factor;
    return true;
}

/* Which tensors go into which part: starts[i] … starts[i + 1]. NULL after a sentence. */
static uint64_t *plan(const struct ember_gguf *gguf, const struct split_options *split,
                      uint64_t max_size, uint32_t *n_parts)
{
    uint64_t n = ember_gguf_info(gguf)->n_tensors, in_part = 0, size = 0;
    uint64_t *starts = calloc(MOST_PARTS + 2, sizeof *starts);
    uint32_t parts = split->no_tensors_first ? 1 : 0;

    if (!starts) {
        complain("out of memory");
        return NULL;
    }
    for (uint64_t i = 0; i < n; i++) {
        uint64_t bytes = ember_gguf_tensor(gguf, i)->n_bytes;
        bytes = (bytes + PART_PADDING - 1) / PART_PADDING * PART_PADDING;
        bool full = max_size ? size + bytes > max_size : in_part == split->max_tensors;
        if (in_part && full) {
            parts++;
            in_part = 0;
            size = 0;
        }
        if (parts >= MOST_PARTS) {
            complain("\"%s\" would have more than %d parts", ember_gguf_path(gguf), MOST_PARTS);
            free(starts);
            return NULL;
        }
        if (!in_part)
            starts[parts] = i;
        in_part++;
        size += bytes;
    }
    *n_parts = parts + 1;
    starts[parts + 1] = n;
    return starts;
}

static enum ember_status part_make(struct ember_writer **out, const struct ember_gguf *gguf,
                                   uint32_t no, uint32_t n_parts, uint64_t from, uint64_t to,
                                   struct ember_error *err)
{
    struct ember_writer *writer = NULL;
    enum ember_status st = ember_writer_new(&writer, err);

    for (uint64_t i = 0; st == EMBER_OK && no == 0 && i < ember_gguf_info(gguf)->n_keys; i++)
        st = ember_writer_copy_key(writer, gguf, i, err);
    for (size_t i = 0; st == EMBER_OK && i < SPLIT_KEYS; i++)
        ember_writer_remove(writer, text_of(split_keys[i]), NULL);
    if (st == EMBER_OK)
        st = ember_writer_set_u64(writer, text_of(split_keys[0]), EMBER_GGUF_U16, no, err);
    if (st == EMBER_OK)
        st = ember_writer_set_u64(writer, text_of(split_keys[1]), EMBER_GGUF_U16, n_parts, err);
    if (st == EMBER_OK)
        st = ember_writer_set_u64(writer, text_of(split_keys[2]), EMBER_GGUF_I32,
                                  ember_gguf_info(gguf)->n_tensors, err);
    for (uint64_t i = from; st == EMBER_OK && i < to; i++)
        st = ember_writer_copy_tensor(writer, gguf, ember_gguf_tensor(gguf, i), err);
    if (st == EMBER_OK)
        *out = writer;
    else
        ember_writer_free(writer);
    return st;
}

/* Writes all parts; what was written goes away again when one fails. */
static int parts_write(const struct options *options, const struct ember_gguf *gguf,
                       const char *prefix, const uint64_t *starts, uint32_t n_parts)
{
    struct ember_error err = { 0 };
    enum ember_status st = EMBER_OK;
    uint32_t done = 0;

    for (; st == EMBER_OK && done < n_parts; done++) {
        struct ember_writer *writer = NULL;
        char *path = ember_gguf_part_path(prefix, strlen(prefix), done, n_parts);
        uint64_t to = starts[done + 1] > starts[done] ? starts[done + 1] : starts[done];
        if (!path) {
            complain("out of memory");
            return STATUS_FAILED;
        }
        st = part_make(&writer, gguf, done, n_parts, starts[done], to, &err);
        if (st == EMBER_OK)
            st = ember_writer_save(writer, path, EMBER_SAVE_NEW, save_progress(options), &err);
        ember_writer_free(writer);
        free(path);
    }
    if (st == EMBER_OK)
        return STATUS_FINE;
    fail_with(&err);
    for (uint32_t i = 0; i + 1 < done; i++) {
        char *path = ember_gguf_part_path(prefix, strlen(prefix), i, n_parts);
        if (path)
            unlink(path);
        free(path);
    }
    return STATUS_FAILED;
}

static int parts_print(const struct options *options, const char *prefix, uint32_t n_parts)
{
    struct ember_json_writer *json = options->json ? output_json_new() : NULL;

    if (options->json && !json)
        return STATUS_FAILED;
    if (json) {
        ember_json_begin_object(json);
        ember_json_name(json, "files");
        ember_json_begin_array(json);
    }
    for (uint32_t i = 0; i < n_parts; i++) {
        char *path = ember_gguf_part_path(prefix, strlen(prefix), i, n_parts);
        if (json) {
            ember_json_write_string(json, path ? path : "");
        } else {
            text_print(stdout, text_of(path ? path : ""), TEXT_PLAIN, 0);
            putchar('\n');
        }
        free(path);
    }
    if (!json)
        return output_end();
    ember_json_end_array(json);
    ember_json_end_object(json);
    return output_json(json);
}

/* The file's path without what a part's name ends with, or without .gguf. */
static char *prefix_of(const char *path)
{
    size_t size = strlen(path);
    uint32_t no, count;

    if (!ember_gguf_part_parse(path, &size, &no, &count) && size > 5 &&
        strcmp(path + size - 5, ".gguf") == 0)
        size -= 5;
    return strndup(path, size);
}

int cmd_split(int argc, char **argv)
{
    struct split_options split = { .max_tensors = DEFAULT_TENSORS };
    struct option_group groups[] = {
        { .title = "Splitting",
          .options = split_table,
          .n = sizeof split_table / sizeof split_table[0],
          .base = &split },
    };
    struct options options = {
        .command = "split",
        .operand = "FILE.gguf",
        .summary = "Cuts a model file into parts of so many bytes or tensors.",
        .groups = groups,
        .n_groups = 1,
    };
    struct ember_gguf *gguf = NULL;
    uint64_t max_size = 0, *starts = NULL;
    uint32_t n_parts = 0;
    char *prefix = NULL;
    int status;

    if (!options_read(&options, argc, argv, &status))
        return status;
    if (split.max_size && !size_read(split.max_size, &max_size))
        status = options_complain(&options,
                                  "--max-size wants a number of bytes such as 2G, not "
                                  "\"%.60s\"",
                                  split.max_size);
    else if (split.max_size &&
             options_given(&groups[0], offsetof(struct split_options, max_tensors)))
        status = options_complain(&options, "either --max-size or --max-tensors, not both");
    else
        status = STATUS_FINE;
    if (status == STATUS_FINE)
        status = run_open_header(&gguf, &options);
    if (status == STATUS_FINE) {
        prefix = split.out ? strdup(split.out) : prefix_of(options.file);
        starts = plan(gguf, &split, max_size, &n_parts);
        status = starts && prefix ? STATUS_FINE : STATUS_FAILED;
    }
    if (status == STATUS_FINE)
        status = parts_write(&options, gguf, prefix, starts, n_parts);
    if (status == STATUS_FINE)
        status = parts_print(&options, prefix, n_parts);
    free(starts);
    free(prefix);
    ember_gguf_close(gguf);
    options_finish(&options);
    return status;
}

struct merge_options {
    const char *out;
};

static const struct option merge_table[] = {
    { .name = "-o",
      .kind = OPTION_TEXT,
      .at = offsetof(struct merge_options, out),
      .value = "OUT.gguf",
      .help = "the new file; nothing may be there yet" },
};

int cmd_merge(int argc, char **argv)
{
    struct merge_options merge = { 0 };
    struct option_group groups[] = {
        { .title = "Merging",
          .options = merge_table,
          .n = sizeof merge_table / sizeof merge_table[0],
          .base = &merge },
    };
    struct options options = {
        .command = "merge",
        .operand = "PART.gguf",
        .summary = "Makes one file of the parts of a model; any of them may be given.",
        .groups = groups,
        .n_groups = 1,
    };
    struct ember_gguf *gguf = NULL;
    struct ember_writer *writer = NULL;
    struct ember_error err = { 0 };
    int status;

    if (!options_read(&options, argc, argv, &status))
        return status;
    status = merge.out ? STATUS_FINE : options_complain(&options, "-o OUT.gguf is missing");
    if (status == STATUS_FINE)
        status = run_open_header(&gguf, &options);
    if (status == STATUS_FINE && ember_writer_from(&writer, gguf, &err) != EMBER_OK)
        status = fail_with(&err);
    for (size_t i = 0; status == STATUS_FINE && i < SPLIT_KEYS; i++)
        ember_writer_remove(writer, text_of(split_keys[i]), NULL); /* a set of one still has them */
    if (status == STATUS_FINE && ember_writer_save(writer, merge.out, EMBER_SAVE_NEW,
                                                   save_progress(&options), &err) != EMBER_OK)
        status = fail_with(&err);
    if (status == STATUS_FINE && !options.json) {
        text_print(stdout, text_of(merge.out), TEXT_PLAIN, 0);
        printf(": %u part%s\n", ember_gguf_n_parts(gguf), ember_gguf_n_parts(gguf) == 1 ? "" : "s");
        status = output_end();
    } else if (status == STATUS_FINE) {
        struct ember_json_writer *json = output_json_new();
        status = STATUS_FAILED;
        if (json) {
            ember_json_begin_object(json);
            ember_json_name(json, "file");
            ember_json_write_string(json, merge.out);
            ember_json_name(json, "parts");
            ember_json_write_u64(json, ember_gguf_n_parts(gguf));
            ember_json_name(json, "n_tensors");
            ember_json_write_u64(json, ember_gguf_info(gguf)->n_tensors);
            ember_json_end_object(json);
            status = output_json(json);
        }
    }
    ember_writer_free(writer);
    ember_gguf_close(gguf);
    options_finish(&options);
    return status;
}
