/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_sample.c - runs sampler chains on given logits: `ember sample --json CASES.json`. */
#include <ember/ember.h>

#include "commands.h"
#include "options.h"
#include "output.h"

static int run(const struct options *options)
{
    struct ember_json_document *document = NULL;
    struct ember_json_writer *json = NULL;
    struct ember_error err = { 0 };
    struct bytes text = { 0 };
    int status = STATUS_FAILED;

    if (!file_read(options->file, &text))
        return STATUS_FAILED;
    if (ember_json_parse(&document, text.data ? text.data : "", text.size, &err) != EMBER_OK) {
        complain("%.200s: %s", options->file, err.message);
        goto done;
    }
    /* For people the same on several lines. */
    json = ember_json_writer_new(options->json ? 0 : 2);
    if (!json) {
        complain("out of memory");
        goto done;
    }
    if (ember_sampler_run_cases(ember_json_root(document), json, &err) != EMBER_OK) {
        complain("%.200s: %s", options->file, err.message);
        goto done;
    }
    status = output_json(json);
    json = NULL;
done:
    ember_json_writer_free(json);
    ember_json_free(document);
    bytes_finish(&text);
    return status;
}

int cmd_sample(int argc, char **argv)
{
    struct options options = {
        .command = "sample",
        .operand = "CASES.json",
        .summary = "Runs each case's sampler chain on its logits and prints what survives.",
        .notes = "A case is {\"name\", \"vocab\", \"logits\", \"history\", \"chain\"}; the answer "
                 "is a list of\n"
                 "{\"name\", \"result\": [[id, p], …]} or {\"name\", \"error\"}.",
    };
    int status;

    if (!options_read(&options, argc, argv, &status))
        return status;
    status = run(&options);
    options_finish(&options);
    return status;
}
