/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_hash.c - checksums of a model's files and tensors. */
#include <stdio.h>

#include <ember/ember.h>

#include "commands.h"
#include "options.h"
#include "output.h"
#include "run.h"
#include "save.h"

struct hash_options {
    bool whole;
};

static const struct option hash_table[] = {
    { .name = "--whole",
      .kind = OPTION_FLAG,
      .at = offsetof(struct hash_options, whole),
      .help = "the files alone, not each tensor" },
};

static void member(struct ember_json_writer *json, const char *name, const char *value)
{
    ember_json_name(json, name);
    ember_json_write_string(json, value);
}

static enum ember_status files_hash(const struct options *options, const struct ember_gguf *gguf,
                                    struct ember_json_writer *json, struct ember_error *err)
{
    enum ember_status st = EMBER_OK;

    for (uint32_t i = 0; st == EMBER_OK && i < ember_gguf_n_parts(gguf); i++) {
        const char *path = ember_gguf_part_file(gguf, i);
        struct ember_hash_text hash;
        st = ember_file_hash(path, &hash, save_progress(options), err);
        if (st != EMBER_OK)
            break;
        if (json) {
            ember_json_begin_object(json);
            member(json, "file", path);
            member(json, "sha256", hash.hex);
            ember_json_end_object(json);
        } else {
            printf("%s  ", hash.hex);
            text_print(stdout, text_of(path), TEXT_PLAIN, 0);
            putchar('\n');
        }
    }
    return st;
}

static enum ember_status tensors_hash(const struct options *options, const struct ember_gguf *gguf,
                                      struct ember_json_writer *json, struct ember_error *err)
{
    enum ember_status st = EMBER_OK;

    for (uint64_t i = 0; st == EMBER_OK && i < ember_gguf_info(gguf)->n_tensors; i++) {
        const struct ember_gguf_tensor *tensor = ember_gguf_tensor(gguf, i);
        struct ember_hash_text hash;
        st = ember_tensor_hash(gguf, tensor, &hash, save_progress(options), err);
        if (st != EMBER_OK)
            break;
        if (json) {
            ember_json_begin_object(json);
            ember_json_name(json, "name");
            ember_json_write_text(json, tensor->name);
            member(json, "sha256", hash.hex);
            ember_json_end_object(json);
        } else {
            printf("%s  ", hash.hex);
            text_print(stdout, tensor->name, TEXT_PLAIN, 0);
            putchar('\n');
        }
    }
    return st;
}

int cmd_hash(int argc, char **argv)
{
    struct hash_options hash = { 0 };
    struct option_group groups[] = {
        { .title = "Checksums",
          .options = hash_table,
          .n = sizeof hash_table / sizeof hash_table[0],
          .base = &hash },
    };
    struct options options = {
        .command = "hash",
        .operand = "FILE.gguf",
        .summary = "Prints the SHA-256 of each file of a model and of each of its tensors.",
        .groups = groups,
        .n_groups = 1,
    };
    struct ember_gguf *gguf = NULL;
    struct ember_json_writer *json = NULL;
    struct ember_error err = { 0 };
    enum ember_status st = EMBER_OK;
    int status;

    if (!options_read(&options, argc, argv, &status))
        return status;
    status = run_open_header(&gguf, &options);
    if (status == STATUS_FINE && options.json && !(json = output_json_new()))
        status = STATUS_FAILED;
    if (status == STATUS_FINE && json) {
        ember_json_begin_object(json);
        ember_json_name(json, "files");
        ember_json_begin_array(json);
    }
    if (status == STATUS_FINE)
        st = files_hash(&options, gguf, json, &err);
    if (json) {
        ember_json_end_array(json);
        ember_json_name(json, "tensors");
        ember_json_begin_array(json);
    }
    if (status == STATUS_FINE && st == EMBER_OK && !hash.whole)
        st = tensors_hash(&options, gguf, json, &err);
    if (st != EMBER_OK) {
        ember_json_writer_free(json);
        status = fail_with(&err);
    } else if (json) {
        ember_json_end_array(json);
        ember_json_end_object(json);
        status = output_json(json);
    } else if (status == STATUS_FINE) {
        status = output_end();
    }
    ember_gguf_close(gguf);
    options_finish(&options);
    return status;
}
