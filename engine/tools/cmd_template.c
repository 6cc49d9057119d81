/* SPDX-License-Identifier: GPL-3.0-or-later */
/* cmd_template.c - the prompt that a chat template makes of a context. */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include <ember/ember.h>

#include "commands.h"
#include "options.h"
#include "output.h"
#include "run.h"

struct template_options {
    const char *context;
    const char *now;
};

static const struct option template_table[] = {
    { .name = "--context",
      .kind = OPTION_TEXT,
      .at = offsetof(struct template_options, context),
      .value = "CTX.json",
      .help = "the template's variables, a JSON object" },
    { .name = "--now",
      .kind = OPTION_TEXT,
      .at = offsetof(struct template_options, now),
      .value = "TIME",
      .help = "local time for strftime_now, as 2026-07-26T12:34:56" },
};

/* What is rendered: the template, and the texts of BOS and EOS if a vocabulary is at hand. */
struct source {
    struct ember_gguf *gguf;
    struct ember_tokenizer *tokenizer;
    struct bytes file;
    struct ember_template *tmpl;
    struct ember_text bos, eos;
};

static void source_finish(struct source *source)
{
    ember_template_free(source->tmpl);
    ember_tokenizer_free(source->tokenizer);
    ember_gguf_close(source->gguf);
    bytes_finish(&source->file);
}

static bool time_read(const char *text, struct ember_time *out)
{
    static const int days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    static const char pattern[] = "0000-00-00T00:00:00";
    struct ember_time t;

    for (size_t i = 0; i < sizeof pattern; i++) {
        bool digit = text[i] >= '0' && text[i] <= '9';
        if (pattern[i] == '0' ? !digit : text[i] != pattern[i])
            return false;
    }
    sscanf(text, "%d-%d-%dT%d:%d:%d", &t.year, &t.month, &t.day, &t.hour, &t.minute, &t.second);
    if (t.year < 1 || t.month < 1 || t.month > 12 || t.day < 1 || t.hour > 23 || t.minute > 59 ||
        t.second > 60)
        return false;
    bool leap = t.year % 4 == 0 && (t.year % 100 != 0 || t.year % 400 == 0);
    if (t.day > days[t.month - 1] + (t.month == 2 && leap))
        return false;
    *out = t;
    return true;
}

/* A special token's text straight from the keys, for vocabularies whose kind or pre-tokenizer this
 * build does not know: rendering needs no tokenizing. */
static struct ember_text token_from_keys(const struct ember_gguf *gguf, const char *id_key)
{
    struct ember_text text = { 0 };
    uint64_t id = ember_gguf_get_u64(gguf, id_key, UINT64_MAX);
    int64_t tokens = ember_gguf_find(gguf, "tokenizer.ggml.tokens");
    if (tokens >= 0 && id != UINT64_MAX)
        ember_gguf_text(gguf, tokens, id, &text);
    return text;
}

static int source_open_gguf(struct source *source, const struct options *options)
{
    struct ember_error err = { 0 };
    int status = run_open_header(&source->gguf, options);
    if (status != STATUS_FINE)
        return status;

    struct ember_text text = ember_gguf_get_text(source->gguf, "tokenizer.chat_template");
    if (!text.data) {
        complain("%.400s: the file has no chat template (tokenizer.chat_template)", options->file);
        return STATUS_FAILED;
    }
    if (ember_template_new(&source->tmpl, text.data, text.size, options->file, &err) != EMBER_OK)
        return fail_with(&err);
    if (ember_tokenizer_new(&source->tokenizer, source->gguf, &err) == EMBER_OK) {
        source->bos =
            ember_tokenizer_piece(source->tokenizer, ember_tokenizer_bos(source->tokenizer));
        source->eos =
            ember_tokenizer_piece(source->tokenizer, ember_tokenizer_eos(source->tokenizer));
    } else {
        source->bos = token_from_keys(source->gguf, "tokenizer.ggml.bos_token_id");
        source->eos = token_from_keys(source->gguf, "tokenizer.ggml.eos_token_id");
    }
    return STATUS_FINE;
}

/* Whether the file begins like a model file; its name proves nothing. A pipe is none, and what is
 * read from it here would be missing later. */
static bool is_gguf(const char *path)
{
    char magic[4] = { 0 };
    struct stat sb;
    if (stat(path, &sb) != 0 || !S_ISREG(sb.st_mode))
        return false;
    FILE *file = fopen(path, "rbe");
    if (!file)
        return false;
    size_t n = fread(magic, 1, sizeof magic, file);
    fclose(file);
    return n == sizeof magic && memcmp(magic, "GGUF", 4) == 0;
}

static int source_open(struct source *source, const struct options *options)
{
    struct ember_error err = { 0 };
    if (is_gguf(options->file))
        return source_open_gguf(source, options);
    if (!file_read(options->file, &source->file))
        return STATUS_FAILED;
    if (ember_template_new(&source->tmpl, source->file.data ? source->file.data : "",
                           source->file.size, options->file, &err) != EMBER_OK)
        return fail_with(&err);
    return STATUS_FINE;
}

/* {"text", "spans": [{"text", "special"}]}: with where special tokens are parsed. */
static int json_write(const struct ember_prompt *prompt)
{
    struct ember_json_writer *json = output_json_new();
    if (!json)
        return STATUS_FAILED;
    ember_json_begin_object(json);
    ember_json_name(json, "text");
    ember_json_write_text(json, (struct ember_text){ prompt->text, prompt->size });
    ember_json_name(json, "spans");
    ember_json_begin_array(json);
    for (size_t i = 0; i < prompt->n_spans; i++) {
        ember_json_begin_object(json);
        ember_json_name(json, "text");
        ember_json_write_text(json, prompt->spans[i].text);
        ember_json_name(json, "special");
        ember_json_write_bool(json, prompt->spans[i].parse_special);
        ember_json_end_object(json);
    }
    ember_json_end_array(json);
    ember_json_end_object(json);
    return output_json(json);
}

static int run(const struct options *options, const char *context_path, struct ember_time now)
{
    struct source source = { 0 };
    struct bytes text = { 0 };
    struct ember_json_document *context = NULL;
    struct ember_prompt prompt = { 0 };
    struct ember_error err = { 0 };
    int status = source_open(&source, options);
    if (status != STATUS_FINE)
        goto done;

    status = STATUS_FAILED;
    if (!file_read(context_path, &text))
        goto done;
    if (ember_json_parse(&context, text.data ? text.data : "", text.size, &err) != EMBER_OK) {
        complain("%.200s: %s", context_path, err.message);
        goto done;
    }
    if (ember_json_root(context)->kind != EMBER_JSON_OBJECT) {
        complain("%.200s: the context must be a JSON object", context_path);
        goto done;
    }
    if (ember_template_render(source.tmpl, ember_json_root(context), source.bos, source.eos, now,
                              &prompt, &err) != EMBER_OK) {
        fail_with(&err);
        goto done;
    }
    if (options->json) {
        status = json_write(&prompt);
    } else {
        fwrite(prompt.text, 1, prompt.size, stdout);
        status = output_end();
    }
done:
    ember_prompt_finish(&prompt);
    ember_json_free(context);
    bytes_finish(&text);
    source_finish(&source);
    return status;
}

int cmd_template(int argc, char **argv)
{
    struct template_options template = { 0 };
    struct option_group groups[] = {
        { .title = "Rendering",
          .options = template_table,
          .n = sizeof template_table / sizeof template_table[0],
          .base = &template },
    };
    struct options options = {
        .command = "template",
        .operand = "FILE.gguf|FILE.jinja",
        .summary = "Prints the prompt that a chat template makes, byte for byte, no newline added.",
        .notes = "The texts of BOS and EOS come from the vocabulary unless the context has them.",
        .groups = groups,
        .n_groups = 1,
    };
    struct ember_time now = ember_time_now();
    int status;

    if (!options_read(&options, argc, argv, &status))
        return status;
    if (!template.context)
        status = options_complain(&options, "--context CTX.json is missing");
    else if (template.now && !time_read(template.now, &now))
        status = options_complain(
            &options, "--now wants a time like 2026-07-26T12:34:56, not \"%.40s\"", template.now);
    else
        status = run(&options, template.context, now);
    options_finish(&options);
    return status;
}
