/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_tokenize.c - text to token ids with a file's vocabulary. */
#include <stdio.h>

#include <ember/ember.h>

#include "commands.h"
#include "options.h"
#include "output.h"
#include "run.h"

struct tokenize_options {
    bool special;
    bool bos;
    const char *text;
};

static const struct option tokenize_table[] = {
    { .name = "--special",
      .kind = OPTION_FLAG,
      .at = offsetof(struct tokenize_options, special),
      .help = "special tokens are looked for in the text" },
    { .name = "--bos",
      .kind = OPTION_FLAG,
      .at = offsetof(struct tokenize_options, bos),
      .help = "add what the file's settings add (BOS, EOS)" },
    { .name = "--text",
      .kind = OPTION_TEXT,
      .at = offsetof(struct tokenize_options, text),
      .value = "TEXT",
      .help = "the text (default: standard input, byte for byte)" },
};

static int text_write(const struct ember_tokenizer *tokenizer, const struct ember_tokens *tokens)
{
    for (size_t i = 0; i < tokens->n; i++) {
        printf("%8d  ", tokens->ids[i]);
        text_print(stdout, ember_tokenizer_piece(tokenizer, tokens->ids[i]), TEXT_QUOTED, 0);
        putchar('\n');
    }
    return output_end();
}

static int json_write(const struct ember_tokenizer *tokenizer, const struct ember_tokens *tokens)
{
    struct ember_json_writer *json = output_json_new();
    if (!json)
        return STATUS_FAILED;
    ember_json_begin_object(json);
    ember_json_name(json, "ids");
    ember_json_begin_array(json);
    for (size_t i = 0; i < tokens->n; i++)
        ember_json_write_i64(json, tokens->ids[i]);
    ember_json_end_array(json);
    ember_json_name(json, "pieces");
    ember_json_begin_array(json);
    for (size_t i = 0; i < tokens->n; i++)
        ember_json_write_text(json, ember_tokenizer_piece(tokenizer, tokens->ids[i]));
    ember_json_end_array(json);
    ember_json_end_object(json);
    return output_json(json);
}

static int run(const struct options *options, const struct tokenize_options *tokenize)
{
    struct ember_gguf *gguf = NULL;
    struct ember_tokenizer *tokenizer = NULL;
    struct ember_tokens tokens = { 0 };
    struct bytes input = { 0 };
    struct ember_error err = { 0 };
    struct ember_span span = { .parse_special = tokenize->special };
    int status = run_open_header(&gguf, options);
    if (status != STATUS_FINE)
        return status;

    status = STATUS_FAILED;
    if (ember_tokenizer_new(&tokenizer, gguf, &err) != EMBER_OK) {
        fail_with(&err);
        goto done;
    }
    if (tokenize->text)
        span.text = text_of(tokenize->text);
    else if (file_read(NULL, &input))
        span.text = (struct ember_text){ input.data ? input.data : "", input.size };
    else
        goto done;
    if (ember_tokenize(tokenizer, &span, 1, tokenize->bos, &tokens, &err) != EMBER_OK) {
        fail_with(&err);
        goto done;
    }
    status = options->json ? json_write(tokenizer, &tokens) : text_write(tokenizer, &tokens);
done:
    ember_tokens_finish(&tokens);
    ember_tokenizer_free(tokenizer);
    ember_gguf_close(gguf);
    bytes_finish(&input);
    return status;
}

int cmd_tokenize(int argc, char **argv)
{
    struct tokenize_options tokenize = { 0 };
    struct option_group groups[] = {
        { .title = "Tokenizing",
          .options = tokenize_table,
          .n = sizeof tokenize_table / sizeof tokenize_table[0],
          .base = &tokenize },
    };
    struct options options = {
        .command = "tokenize",
        .operand = "FILE.gguf",
        .summary =
            "Prints the ids of a text's tokens and their pieces as stored in the vocabulary.",
        .groups = groups,
        .n_groups = 1,
    };
    int status;

    if (!options_read(&options, argc, argv, &status))
        return status;
    status = run(&options, &tokenize);
    options_finish(&options);
    return status;
}
