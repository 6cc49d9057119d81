/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_metadata.c - the keys of a model file to JSON and back. */
#include <stdio.h>
#include <string.h>

#include <ember/ember.h>

#include "commands.h"
#include "options.h"
#include "output.h"
#include "run.h"
#include "save.h"

struct export_options {
    const char *out;
};

static const struct option export_table[] = {
    { .name = "-o",
      .kind = OPTION_TEXT,
      .at = offsetof(struct export_options, out),
      .value = "OUT.json",
      .help = "write to a file instead of standard output" },
};

static int export_to(const char *path, struct ember_json_writer *json)
{
    size_t size;
    const char *text = ember_json_writer_finish(json, &size);
    FILE *file = text ? fopen(path, "wbe") : NULL;
    bool ok = file && fwrite(text, 1, size, file) == size && fputc('\n', file) != EOF;

    if (file && fclose(file))
        ok = false;
    if (!text)
        complain("out of memory");
    else if (!ok)
        complain("\"%s\" cannot be written", path);
    ember_json_writer_free(json);
    return ok ? STATUS_FINE : STATUS_FAILED;
}

int cmd_export_metadata(int argc, char **argv)
{
    struct export_options export = { 0 };
    struct option_group groups[] = {
        { .title = "Exporting",
          .options = export_table,
          .n = sizeof export_table / sizeof export_table[0],
          .base = &export },
    };
    struct options options = {
        .command = "export-metadata",
        .operand = "FILE.gguf",
        .summary = "Prints all keys of a model file as JSON, in full: what import-metadata reads.",
        .groups = groups,
        .n_groups = 1,
    };
    struct ember_gguf *gguf = NULL;
    int status;

    if (!options_read(&options, argc, argv, &status))
        return status;
    status = run_open_header(&gguf, &options);
    struct ember_json_writer *json = status == STATUS_FINE ? ember_json_writer_new(1) : NULL;
    if (json) {
        ember_writer_metadata_json(gguf, json);
        status = export.out ? export_to(export.out, json) : output_json(json);
    } else if (status == STATUS_FINE) {
        complain("out of memory");
        status = STATUS_FAILED;
    }
    ember_gguf_close(gguf);
    options_finish(&options);
    return status;
}

struct import_options {
    bool merge;
};

static const struct option import_table[] = {
    { .name = "--merge",
      .kind = OPTION_FLAG,
      .at = offsetof(struct import_options, merge),
      .help = "keep keys that the JSON does not have" },
};

/* Which part of a model a file is does not come from elsewhere: the file's own keys stay, in the
 * place that the JSON has for them. Of a whole model there are none. */
static const char *split_key(struct ember_text name)
{
    for (size_t i = 0; i < SPLIT_KEYS; i++) {
        if (name.size == strlen(split_keys[i]) && !memcmp(name.data, split_keys[i], name.size))
            return split_keys[i];
    }
    return NULL;
}

static enum ember_status split_key_keep(const struct ember_gguf *gguf, struct ember_writer *writer,
                                        const char *name, struct ember_error *err)
{
    int64_t index = ember_gguf_n_parts(gguf) == 1 ? ember_gguf_find(gguf, name) : -1;
    return index < 0 ? EMBER_OK : ember_writer_copy_key(writer, gguf, (uint64_t)index, err);
}

static enum ember_status keys_import(const struct ember_json *root, const struct ember_gguf *gguf,
                                     struct ember_writer *writer, struct ember_error *err)
{
    enum ember_status st = EMBER_OK;

    for (size_t i = 0; st == EMBER_OK && i < root->list.count; i++) {
        struct ember_text name = root->list.names[i];
        const char *own = split_key(name);
        st = own ? split_key_keep(gguf, writer, own, err)
                 : ember_writer_set_json(writer, name, &root->list.items[i], err);
    }
    for (size_t i = 0; st == EMBER_OK && i < SPLIT_KEYS; i++)
        st = split_key_keep(gguf, writer, split_keys[i], err);
    return st;
}

static int import_from(const char *path, bool merge, const struct ember_gguf *gguf,
                       struct ember_writer *writer)
{
    struct bytes text = { 0 };
    struct ember_json_document *doc = NULL;
    struct ember_error err = { 0 };
    enum ember_status st;

    if (!file_read(path, &text))
        return STATUS_FAILED;
    st = ember_json_parse(&doc, text.data ? text.data : "", text.size, &err);
    const struct ember_json *root = st == EMBER_OK ? ember_json_root(doc) : NULL;
    /* What inspect --json --all prints has them one level down. */
    const struct ember_json *inner = ember_json_member(root, "metadata");
    if (inner && inner->kind == EMBER_JSON_OBJECT && ember_json_member(root, "tensors"))
        root = inner;
    if (root && root->kind != EMBER_JSON_OBJECT) {
        complain("\"%s\": an object of keys is expected", path);
        st = EMBER_INVALID;
    } else if (root) {
        if (!merge)
            ember_writer_clear_keys(writer);
        st = keys_import(root, gguf, writer, &err);
        if (st != EMBER_OK)
            fail_with(&err);
    } else {
        fail_with(&err);
    }
    ember_json_free(doc);
    bytes_finish(&text);
    return st == EMBER_OK ? STATUS_FINE : STATUS_FAILED;
}

int cmd_import_metadata(int argc, char **argv)
{
    struct import_options import = { 0 };
    struct save_options save = { 0 };
    struct option_group groups[] = {
        { .title = "Importing",
          .options = import_table,
          .n = sizeof import_table / sizeof import_table[0],
          .base = &import },
        save_option_group(&save),
    };
    struct options options = {
        .command = "import-metadata",
        .operand = "FILE.gguf",
        .second = "KEYS.json",
        .summary = "Gives a model file the keys of a JSON file, as export-metadata writes it.",
        .groups = groups,
        .n_groups = sizeof groups / sizeof groups[0],
    };
    struct ember_gguf *gguf = NULL;
    struct ember_writer *writer = NULL;
    struct ember_error err = { 0 };
    int status;

    if (!options_read(&options, argc, argv, &status))
        return status;
    status = save_check(&options, &save);
    if (status == STATUS_FINE)
        status = save_open(&gguf, &options, &save);
    if (status == STATUS_FINE && ember_writer_from(&writer, gguf, &err) != EMBER_OK)
        status = fail_with(&err);
    if (status == STATUS_FINE)
        status = import_from(options.other, import.merge, gguf, writer);
    for (size_t i = 0; status == STATUS_FINE && i < options.set.n; i++) {
        if (ember_writer_set(writer, options.set.items[i], &err) != EMBER_OK)
            status = fail_with_values(&err);
    }
    if (status == STATUS_FINE)
        status = save_write(&options, &save, gguf, writer);
    ember_writer_free(writer);
    ember_gguf_close(gguf);
    options_finish(&options);
    return status;
}
