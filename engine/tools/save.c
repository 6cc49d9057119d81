/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "save.h"

#include <stdio.h>
#include <unistd.h>

#include "output.h"

const char *const split_keys[SPLIT_KEYS] = { "split.no", "split.count", "split.tensors.count" };

static const struct option save_table[] = {
    { .name = "-o",
      .kind = OPTION_TEXT,
      .at = offsetof(struct save_options, out),
      .value = "OUT",
      .help = "write a new file (an old one is replaced when all is written)" },
    { .name = "--in-place",
      .kind = OPTION_FLAG,
      .at = offsetof(struct save_options, in_place),
      .help = "change the file itself; its tensors are not written again where that works" },
};

struct option_group save_option_group(struct save_options *save)
{
    return (struct option_group){ .title = "Where to",
                                  .options = save_table,
                                  .n = sizeof save_table / sizeof save_table[0],
                                  .base = save };
}

int save_check(const struct options *options, const struct save_options *save)
{
    if (!save->out == !save->in_place)
        return options_complain(options, "either -o OUT or --in-place says where to write");
    return STATUS_FINE;
}

int save_open(struct ember_gguf **out, const struct options *options,
              const struct save_options *save)
{
    struct ember_error err = { 0 };
    struct ember_gguf *whole = NULL, *part = NULL;

    if (ember_gguf_open(&whole, options->file, true, &err) != EMBER_OK)
        return fail_with(&err);
    if (save->in_place && ember_gguf_n_parts(whole) > 1) {
        /* The keys of a split model are those of its first part. */
        enum ember_status st =
            ember_gguf_open_part(&part, ember_gguf_part_file(whole, 0), true, &err);
        ember_gguf_close(whole);
        if (st != EMBER_OK)
            return fail_with(&err);
        whole = part;
    }
    *out = whole;
    return STATUS_FINE;
}

static bool on_progress(double done, void *user_data)
{
    (void)user_data;
    fprintf(stderr, "\r%3.0f %%", 100 * done);
    if (done >= 1)
        fprintf(stderr, "\r     \r");
    return true;
}

const struct ember_progress *save_progress(const struct options *options)
{
    static const struct ember_progress progress = { .report = on_progress };
    return !options->json && isatty(STDERR_FILENO) ? &progress : NULL;
}

int save_write(const struct options *options, const struct save_options *save,
               const struct ember_gguf *gguf, const struct ember_writer *writer)
{
    const char *path = save->in_place ? ember_gguf_path(gguf) : save->out;
    struct ember_error err = { 0 };
    enum ember_status st = EMBER_UNSUPPORTED;
    bool patched = false;

    if (save->in_place) {
        st = ember_writer_patch(writer, path, &err);
        patched = st == EMBER_OK;
    }
    if (st == EMBER_UNSUPPORTED)
        st = ember_writer_save(writer, path, EMBER_SAVE_REPLACE, save_progress(options), &err);
    if (st != EMBER_OK)
        return fail_with(&err);
    if (!options->json) {
        text_print(stdout, text_of(path), TEXT_PLAIN, 0);
        printf(": %s, %s keys, %s tensors\n", patched ? "header changed in place" : "written",
               count_text(ember_writer_n_keys(writer)).text,
               count_text(ember_writer_n_tensors(writer)).text);
        return output_end();
    }
    struct ember_json_writer *json = output_json_new();
    if (!json)
        return STATUS_FAILED;
    ember_json_begin_object(json);
    ember_json_name(json, "file");
    ember_json_write_string(json, path);
    ember_json_name(json, "patched");
    ember_json_write_bool(json, patched);
    ember_json_name(json, "n_kv");
    ember_json_write_u64(json, ember_writer_n_keys(writer));
    ember_json_name(json, "n_tensors");
    ember_json_write_u64(json, ember_writer_n_tensors(writer));
    ember_json_end_object(json);
    return output_json(json);
}
