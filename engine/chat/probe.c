/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a template knows: small conversations are rendered, and looked for in what comes out. That
 * its source mentions a word proves nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "chat/jinja_run.h"

/* Somebody waits meanwhile. */
static const struct template_limits probe_limits = {
    .steps = 1000 * 1000, .depth = 2000, .text = 1 << 20, .memory = 32 << 20
};

#define USER_TEXT "a probing question"
#define SYSTEM_TEXT "a probing instruction"
#define TOOL_NAME "probe_the_weather"

#define PLAIN "\"" USER_TEXT "\""
#define TYPED "[{\"type\": \"text\", \"text\": \"" USER_TEXT "\"}]"
#define USER(content) "{\"role\": \"user\", \"content\": " content "}"
#define SYSTEM "{\"role\": \"system\", \"content\": \"" SYSTEM_TEXT "\"}, "
#define SYSTEM_TYPED                                                                               \
    "{\"role\": \"system\", \"content\": [{\"type\": \"text\", \"text\": \"" SYSTEM_TEXT "\"}]}, "
#define GENERATE ", \"add_generation_prompt\": true"
#define TOOLS                                                                                      \
    ", \"tools\": [{\"type\": \"function\", \"function\": {\"name\": \"" TOOL_NAME                 \
    "\", \"description\": \"Tells the weather.\", \"parameters\": {\"type\": \"object\", "         \
    "\"properties\": {\"place\": {\"type\": \"string\", \"description\": \"Where.\"}}, "           \
    "\"required\": [\"place\"]}}}]"

struct probe {
    const struct ember_template *tmpl;
    struct ember_text bos, eos;
};

/* The prompt of {"messages": [MESSAGES] MORE}; false when there is none. */
static bool render(const struct probe *probe, const char *messages, const char *more,
                   struct ember_prompt *out, enum ember_status *status)
{
    static const struct ember_time now = { .year = 2024, .month = 1, .day = 1 };
    struct ember_json_document *context = NULL;
    char text[1200];
    int n = snprintf(text, sizeof text, "{\"messages\": [%s]%s}", messages, more);

    *status = EMBER_NO_MEMORY;
    if (n > 0 && (size_t)n < sizeof text &&
        ember_json_parse(&context, text, (size_t)n, NULL) == EMBER_OK)
        *status = template_render_limited(probe->tmpl, ember_json_root(context), probe->bos,
                                          probe->eos, now, &probe_limits, false, out, NULL);
    ember_json_free(context);
    return *status == EMBER_OK;
}

/* Whether `wanted` comes out. */
static bool shows(const struct probe *probe, const char *messages, const char *more,
                  const char *wanted, bool *refused)
{
    struct ember_prompt prompt = { 0 };
    enum ember_status status;
    bool shown = render(probe, messages, more, &prompt, &status) &&
                 memmem(prompt.text, prompt.size, wanted, strlen(wanted)) != NULL;
    if (refused)
        *refused = status == EMBER_FORMAT;
    ember_prompt_finish(&prompt);
    return shown;
}

/* Whether two sets of variables make different prompts. */
static bool differ(const struct probe *probe, const char *messages, const char *a, const char *b)
{
    struct ember_prompt first = { 0 }, second = { 0 };
    enum ember_status status;
    bool both =
        render(probe, messages, a, &first, &status) && render(probe, messages, b, &second, &status);
    bool different = both && (first.size != second.size ||
                              (first.size && memcmp(first.text, second.text, first.size) != 0));
    ember_prompt_finish(&first);
    ember_prompt_finish(&second);
    return different;
}

static bool switches_thinking(const struct probe *probe, const char *messages, const char *name)
{
    char on[120], off[120];
    snprintf(on, sizeof on, GENERATE ", \"%s\": true", name);
    snprintf(off, sizeof off, GENERATE ", \"%s\": false", name);
    return differ(probe, messages, on, off);
}

void ember_template_probe(const struct ember_template *tmpl, struct ember_text bos,
                          struct ember_text eos, struct ember_template_features *out)
{
    static const char *const thinking[] = { "enable_thinking", "thinking" };
    const struct probe probe = { tmpl, bos, eos };
    const char *user = USER(PLAIN), *system = SYSTEM USER(PLAIN);

    *out = (struct ember_template_features){ 0 };
    if (!shows(&probe, user, GENERATE, USER_TEXT, NULL) &&
        shows(&probe, USER(TYPED), GENERATE, USER_TEXT, NULL)) {
        out->typed_content = true;
        user = USER(TYPED);
        system = SYSTEM_TYPED USER(TYPED);
    }
    out->system = shows(&probe, system, GENERATE, SYSTEM_TEXT, &out->refuses_system);
    out->tools = shows(&probe, user, GENERATE TOOLS, TOOL_NAME, NULL) ||
                 shows(&probe, system, GENERATE TOOLS, TOOL_NAME, NULL);
    out->generation_prompt = differ(&probe, user, GENERATE, ", \"add_generation_prompt\": false");
    for (size_t i = 0; i < sizeof thinking / sizeof thinking[0] && !out->thinking; i++) {
        if (switches_thinking(&probe, user, thinking[i]) ||
            (out->system && switches_thinking(&probe, system, thinking[i])))
            out->thinking = thinking[i];
    }
}
