/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A chat template, then (after a NUL) a context in JSON: refused with a sentence or rendered into
 * spans that make up the text, where nothing the user wrote is ever trusted. */
#include "fuzz.h"

#include <ember/chat.h>
#include <ember/json.h>

#include "chat/jinja_run.h"

/* Made of characters that no template of ours holds, so each one in the output is the user's. */
static const char default_context[] =
    "{\"messages\": [{\"role\": \"system\", \"content\": \"\\u2603\\u2603 \\u2603\"},"
    " {\"role\": \"user\", \"content\": \" \\u2603\\u2603\\n\\u2603 \"},"
    " {\"role\": \"assistant\", \"content\": \"\\u2603\"},"
    " {\"role\": \"user\", \"content\": \"\\u2603\"}],"
    " \"add_generation_prompt\": true, \"tools\": [{\"type\": \"function\", \"function\":"
    " {\"name\": \"f\", \"parameters\": {\"type\": \"object\", \"properties\": {}}}}]}";
/* Small enough that no input takes long under a sanitizer; the depth is the real one, for its
 * stack. */
static const struct template_limits limits = {
    .steps = 200000, .depth = 2000, .text = 1 << 20, .memory = 16 << 20
};
static const char snowman[] = "\xe2\x98\x83";

static bool holds(const char *text, size_t size, const char *what)
{
    return memmem(text, size, what, strlen(what)) != NULL;
}

/* Whether a template could make a snowman without the user: by writing it, or from its number. */
static bool makes_snow(const char *source, size_t size)
{
    return holds(source, size, snowman) || holds(source, size, "\\") ||
           holds(source, size, "format") || holds(source, size, "c'") || holds(source, size, "c\"");
}

static void check_prompt(const struct ember_prompt *prompt, bool all_snow_is_the_users)
{
    size_t at = 0;

    for (size_t i = 0; i < prompt->n_spans; i++) {
        const struct ember_span *span = &prompt->spans[i];
        FUZZ_CHECK(span->text.data == prompt->text + at);
        FUZZ_CHECK(span->text.size <= prompt->size - at);
        FUZZ_CHECK(i == 0 || span->parse_special != prompt->spans[i - 1].parse_special);
        FUZZ_CHECK(!(all_snow_is_the_users && span->parse_special &&
                     holds(span->text.data, span->text.size, snowman)));
        at += span->text.size;
    }
    FUZZ_CHECK(at == prompt->size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *end = size ? memchr(data, 0, size) : NULL;
    size_t source_size = end ? (size_t)(end - data) : size;
    const char *source = (const char *)data;
    struct ember_error error = { 0 };
    struct ember_template *tmpl = NULL;
    struct ember_json_document *context = NULL;
    enum ember_status status;

    if (end)
        status = ember_json_parse(&context, (const char *)end + 1, size - source_size - 1, &error);
    else
        status = ember_json_parse(&context, default_context, sizeof default_context - 1, &error);
    FUZZ_CHECK(end || status == EMBER_OK);
    if (status == EMBER_OK)
        status = ember_template_new(&tmpl, source, source_size, "input", &error);
    if (status == EMBER_OK) {
        struct ember_time now = { 2026, 7, 26, 12, 34, 56 };
        struct ember_text bos = { "<s>", 3 }, eos = { "</s>", 4 };
        struct ember_prompt prompt = { 0 };
        for (int changes = 0; changes < 2; changes++) {
            status = template_render_limited(tmpl, ember_json_root(context), bos, eos, now, &limits,
                                             changes, &prompt, &error);
            if (status == EMBER_OK)
                check_prompt(&prompt, !end && !makes_snow(source, source_size));
            ember_prompt_finish(&prompt);
        }
    }
    FUZZ_CHECK(status == EMBER_OK || (error.status == status && error.message[0]));
    ember_template_free(tmpl);
    ember_json_free(context);
    return 0;
}
