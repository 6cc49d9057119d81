/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chat templates are programs: each is parsed, and run on small conversations. */
#include <stdio.h>
#include <string.h>

#include <ember/chat.h>
#include <ember/json.h>

#include "chat/jinja_run.h"
#include "doctor/doctor.h"

/* Any text that no template has of itself. */
#define PROBE "Zebra-4711"

static const char one_turn[] = "{\"messages\": [{\"role\": \"user\", \"content\": \"" PROBE "\"}], "
                               "\"add_generation_prompt\": true}";
static const char three_turns[] =
    "{\"messages\": [{\"role\": \"user\", \"content\": \"Hello.\"}, "
    "{\"role\": \"assistant\", \"content\": \"Good day.\"}, "
    "{\"role\": \"user\", \"content\": \"" PROBE "\"}], \"add_generation_prompt\": true}";
static const char with_system[] =
    "{\"messages\": [{\"role\": \"system\", \"content\": \"Be brief.\"}, "
    "{\"role\": \"user\", \"content\": \"" PROBE "\"}], \"add_generation_prompt\": true}";

/* The text of a special token, for templates that print it. */
static struct ember_text token_text(const struct doctor *d, const char *key)
{
    struct ember_text text = { "", 0 };
    uint64_t id = ember_gguf_get_u64(d->gguf, key, UINT64_MAX);

    if (id != UINT64_MAX)
        ember_gguf_text(d->gguf, ember_gguf_find(d->gguf, "tokenizer.ggml.tokens"), id, &text);
    return text;
}

enum outcome { FAILED, EMPTY, WITHOUT_USER, FINE };

/* Runs the template on one conversation; `err` has the reason of FAILED. */
static enum outcome render(struct doctor *d, const struct ember_template *tmpl, const char *context,
                           struct ember_error *err)
{
    /* A fixed moment, so that a report does not depend on when it was made. */
    static const struct ember_time moment = { 2026, 7, 26, 12, 0, 0 };
    /* Far more than three messages need, and over in a moment. */
    static const struct template_limits limits = {
        .steps = 2 * 1000 * 1000, .depth = 2000, .text = 8 << 20, .memory = 64 << 20
    };
    struct ember_json_document *doc = NULL;
    struct ember_prompt prompt = { 0 };
    enum outcome outcome = FINE;

    enum ember_status st = ember_json_parse(&doc, context, strlen(context), err);
    if (!st)
        st = template_render_limited(
            tmpl, ember_json_root(doc), token_text(d, "tokenizer.ggml.bos_token_id"),
            token_text(d, "tokenizer.ggml.eos_token_id"), moment, &limits, false, &prompt, err);
    if (st) {
        d->report->failed |= st == EMBER_NO_MEMORY;
        ember_json_free(doc);
        return FAILED;
    }
    size_t blank = 0;
    while (blank < prompt.size && strchr(" \t\r\n", prompt.text[blank]))
        blank++;
    if (blank == prompt.size)
        outcome = EMPTY;
    else if (!memmem(prompt.text, prompt.size, PROBE, strlen(PROBE)))
        outcome = WITHOUT_USER;
    ember_prompt_finish(&prompt);
    ember_json_free(doc);
    return outcome;
}

/* Parts of Python that no chat needs: they are how templates break out of other programs. */
static const char *suspicious(struct ember_text source)
{
    static const char *const names[] = { "__class__",    "__globals__", "__init__", "__import__",
                                         "__subclasses", "__builtins",  "__base",   "__mro",
                                         "__dict__",     "__getattr",   "|attr(",   "| attr(",
                                         "|attr (",      "func_globals" };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (memmem(source.data, source.size, names[i], strlen(names[i])))
            return names[i];
    }
    return NULL;
}

/* A sentence about a template without the name that it begins with. */
static const char *reason(const struct ember_error *why, struct doctor_name name)
{
    size_t n = strlen(name.text);
    bool named = !strncmp(why->message, name.text, n) && !strncmp(why->message + n, ", ", 2);
    return named ? why->message + n + 2 : why->message;
}

/* Whether a template is tried on conversations, too, or only parsed. */
static void check_template(struct doctor *d, struct ember_text key, struct ember_text source,
                           bool tried)
{
    struct doctor_place place = doctor_place("key", key);
    struct doctor_name shown = doctor_name(key);
    struct ember_template *tmpl = NULL;
    struct ember_error why = { 0 };
    const char *advice = "Get a corrected template, or the file from another source.";
    const char *odd = suspicious(source);

    if (odd)
        doctor_say(d, EMBER_SEVERITY_WARNING, "template-attribute", place.text,
                   "Ember does not run it; do not load this file with other programs.",
                   "The chat template in %s is unsafe: it reaches for the attribute \"%s\".",
                   shown.text, odd);
    enum ember_status st = ember_template_new(&tmpl, source.data, source.size, shown.text, &why);
    if (st == EMBER_NO_MEMORY) {
        d->report->failed = true;
        return;
    }
    if (st) {
        doctor_say(d, EMBER_SEVERITY_WARNING, "template-syntax", place.text, advice,
                   "The chat template in %s has a syntax error and does not parse: %s", shown.text,
                   reason(&why, shown));
        return;
    }
    enum outcome outcome = tried ? render(d, tmpl, one_turn, &why) : FINE;
    if (outcome == FINE && tried)
        outcome = render(d, tmpl, three_turns, &why);
    if (outcome == FAILED)
        doctor_say(d, EMBER_SEVERITY_WARNING, "template-fails", place.text, advice,
                   "The chat template in %s cannot be rendered; it fails on a plain conversation: "
                   "%s",
                   shown.text, reason(&why, shown));
    else if (outcome == EMPTY)
        doctor_say(d, EMBER_SEVERITY_WARNING, "template-empty", place.text, advice,
                   "The chat template in %s renders nothing (an empty prompt) for a plain "
                   "conversation.",
                   shown.text);
    else if (outcome == WITHOUT_USER)
        doctor_say(d, EMBER_SEVERITY_WARNING, "template-user", place.text, advice,
                   "The chat template in %s leaves out what the user says.", shown.text);
    else if (tried && render(d, tmpl, with_system, &why) == FAILED)
        doctor_say(d, EMBER_SEVERITY_INFO, "template-system", place.text,
                   "A system message is put before the first user message.",
                   "The chat template in %s refuses a system message, as some do.", shown.text);
    ember_template_free(tmpl);
}

void doctor_check_templates(struct doctor *d)
{
    /* Each may take its time to fail; a file has a handful, not hundreds. */
    enum { TRIED = 12 };
    unsigned n = 0;

    for (uint64_t i = 0; i < d->info->n_keys; i++) {
        struct ember_text name = ember_gguf_key_name(d->gguf, i), source;

        if (!doctor_is(name, "tokenizer.chat_template") &&
            !doctor_begins_with(name, "tokenizer.chat_template."))
            continue;
        if (ember_gguf_key_type(d->gguf, i) != EMBER_GGUF_STRING ||
            !ember_gguf_text(d->gguf, (int64_t)i, 0, &source))
            continue;
        if (!source.size) {
            doctor_say(d, EMBER_SEVERITY_WARNING, "template-empty", doctor_place("key", name).text,
                       "Remove the key with \"ember edit\".",
                       "The chat template in %s is empty and renders nothing.",
                       doctor_name(name).text);
            continue;
        }
        check_template(d, name, source, n++ < TRIED);
    }
    if (n > TRIED)
        doctor_say(
            d, EMBER_SEVERITY_INFO, "template-many", "the keys", "Look whether all are needed.",
            "The file has %u chat templates; the first %d were tried, the others only parsed.", n,
            (int)TRIED);
}
