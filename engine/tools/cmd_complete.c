/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_complete.c - continues a text, in which special tokens are parsed; no template. */
#include <ember/ember.h>

#include "answer.h"
#include "commands.h"

static int run(struct answerer *answerer)
{
    const char *text = answerer->answering->text;
    struct bytes input = { 0 };
    struct answer answer = { 0 };
    struct ember_span span = { .parse_special = true };
    bool lost = false;
    int status = STATUS_FAILED;

    if (text)
        span.text = text_of(text);
    else if (file_read(NULL, &input))
        span.text = (struct ember_text){ input.data ? input.data : "", input.size };
    else
        goto done;
    status = answer_make(answerer, &span, 1, &answer, &lost);
    if (status == STATUS_FINE)
        status = answerer->stream ? output_end() : answer_print_json(&answer);
done:
    answer_finish(&answer);
    bytes_finish(&input);
    return status;
}

int cmd_complete(int argc, char **argv)
{
    struct answer_options answering = { 0 };
    struct option_group groups[ANSWER_GROUPS];
    struct options options = {
        .command = "complete",
        .operand = "FILE.gguf",
        .summary = "Continues a text (-p TEXT, otherwise standard input).",
        .notes = "Special tokens written in the text are parsed; there is no template around it.\n"
                 "Ctrl-C stops the answer.",
        .groups = groups,
        .n_groups = ANSWER_GROUPS,
    };
    struct answerer answerer;
    int status;

    answer_option_groups(&answering, groups);
    if (!options_read(&options, argc, argv, &status))
        return status;
    status = answerer_init(&answerer, &options, &answering, groups);
    if (status == STATUS_FINE)
        status = run(&answerer);
    answerer_finish(&answerer);
    options_finish(&options);
    return status;
}
