/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Templates as the rest of the library sees them: parse once, render with a context. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "chat/jinja_run.h"

enum { MAX_SOURCE = 4 << 20 };

/* A conversation of 2,000 messages and 2 MB takes 400,000 steps through most templates, and 15
 * million with 60 MB of memory where each message looks back at all before it. A step costs 10 to
 * 70 ns. The depth leaves a macro room to follow a tree of 100 levels and needs less than 1 MB of
 * stack. */
const struct template_limits template_default_limits = {
    .steps = 100 * 1000 * 1000,
    .depth = 2000,
    .text = 64 << 20,
    .memory = 256 << 20,
};

void ember_template_free(struct ember_template *tmpl)
{
    if (!tmpl)
        return;
    arena_finish(&tmpl->arena);
    free(tmpl->source);
    free(tmpl->name);
    free(tmpl);
}

/* Newlines become '\n', and one at the very end goes. */
static uint32_t normalise(char *out, const char *source, size_t size)
{
    size_t n = 0;
    for (size_t i = 0; i < size; i++) {
        if (source[i] == '\r') {
            out[n++] = '\n';
            i += i + 1 < size && source[i + 1] == '\n';
        } else {
            out[n++] = source[i];
        }
    }
    n -= n > 0 && out[n - 1] == '\n';
    out[n] = '\0';
    return (uint32_t)n;
}

enum ember_status ember_template_new(struct ember_template **out, const char *source, size_t size,
                                     const char *name, struct ember_error *err)
{
    enum ember_status st = EMBER_OK;
    if (size > MAX_SOURCE)
        return ember_fail(err, EMBER_FORMAT, "%s: a template of %zu bytes, at most %d are expected",
                          name, size, MAX_SOURCE);
    struct ember_template *tmpl = calloc(1, sizeof *tmpl);
    if (!tmpl)
        return ember_fail(err, EMBER_NO_MEMORY, "%s: out of memory", name);
    tmpl->name = strdup(name);
    tmpl->source = malloc(size + 1);
    if (!tmpl->name || !tmpl->source) {
        st = ember_fail(err, EMBER_NO_MEMORY, "%s: out of memory", name);
        goto fail;
    }
    tmpl->size = normalise(tmpl->source, source, size);
    tmpl->hash = hash_key_new();
    st = jinja_parse(tmpl, err);
    if (st != EMBER_OK)
        goto fail;
    *out = tmpl;
    return EMBER_OK;
fail:
    ember_template_free(tmpl);
    return st;
}

/* ---- rendering ---- */

bool jinja_render_init(struct render *r, const struct ember_template *tmpl,
                       const struct template_limits *limits, struct ember_time now,
                       struct ember_error *err)
{
    *r = (struct render){ .tmpl = tmpl, .limits = *limits, .now = now, .err = err, .line = 1 };
    r->variables = jinja_alloc(r, (size_t)tmpl->n_atoms + 1, sizeof *r->variables);
    for (const struct function *f = jinja_functions; r->variables && f->name; f++) {
        struct value v = { .kind = VALUE_FUNCTION, .function = f };
        jinja_render_set(r, f->name, &v);
    }
    return r->status == EMBER_OK;
}

void jinja_render_finish(struct render *r)
{
    arena_finish(&r->arena);
}

bool jinja_render_set(struct render *r, const char *name, const struct value *value)
{
    uint32_t atom = jinja_atom(r->tmpl, name, (uint32_t)strlen(name));
    if (atom != UINT32_MAX)
        r->variables[atom] = *value;
    return r->status == EMBER_OK;
}

/* Copies the text out of the arena, with its marks as spans. */
static bool hand_out(struct render *r, struct str text, struct ember_prompt *out)
{
    struct ember_prompt prompt = { 0 };
    size_t n_spans = 0;
    bool untrusted;
    uint32_t run;
    for (uint32_t at = 0; (run = str_run(text, at, &untrusted)) > 0; at += run)
        n_spans++;
    prompt.text = malloc((size_t)text.size + 1);
    prompt.spans = n_spans ? malloc(n_spans * sizeof *prompt.spans) : NULL;
    if (!prompt.text || (n_spans && !prompt.spans)) {
        ember_prompt_finish(&prompt);
        r->status = ember_fail(r->err, EMBER_NO_MEMORY, "%s: out of memory", r->tmpl->name);
        return false;
    }
    memcpy(prompt.text, str_data(text), text.size);
    prompt.text[text.size] = '\0';
    prompt.size = text.size;
    for (uint32_t at = 0; (run = str_run(text, at, &untrusted)) > 0; at += run) {
        struct ember_span *span = &prompt.spans[prompt.n_spans++];
        span->text = (struct ember_text){ .data = prompt.text + at, .size = run };
        span->parse_special = !untrusted;
    }
    *out = prompt;
    return true;
}

enum ember_status jinja_render_run(struct render *r, struct ember_prompt *out)
{
    struct builder text;
    struct value result;
    enum flow flow = FLOW_NEXT;
    builder_init(&text, r);
    if (jinja_run_body(r, NULL, r->tmpl->body, &text, &flow) && builder_end(&text, &result))
        hand_out(r, result.text, out);
    return r->status;
}

void ember_prompt_finish(struct ember_prompt *prompt)
{
    if (!prompt)
        return;
    free(prompt->text);
    free(prompt->spans);
    *prompt = (struct ember_prompt){ 0 };
}

/* ---- a JSON context ---- */

static bool text_is(struct ember_text text, const char *word)
{
    return text.size == strlen(word) && memcmp(text.data, word, text.size) == 0;
}

static bool set_text(struct render *r, const char *name, struct ember_text text)
{
    struct value v = value_str(str_constant(r, text.data, text.size, false));
    return jinja_render_set(r, name, &v);
}

/* A role that every program knows is no text of the user, and some templates build a special token
 * from it ("<|" + role + "|>"). Any other word stays untrusted. */
bool template_known_role(struct ember_text role)
{
    static const char *const known[] = { "system", "user",      "assistant", "tool",
                                         "model",  "developer", "function",  "ipython" };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (text_is(role, known[i]))
            return true;
    }
    return false;
}

static bool trust_roles(struct render *r, struct value *messages)
{
    struct str name = str_literal(r, "role");
    for (uint32_t i = 0; messages->kind == VALUE_LIST && i < messages->list->n; i++) {
        struct value *message = &messages->list->items[i];
        struct value *role =
            message->kind == VALUE_DICT ? dict_get_str(r, message->dict, name) : NULL;
        if (!role || role->kind != VALUE_STRING)
            continue;
        struct ember_text text = { .data = str_data(role->text), .size = role->text.size };
        if (template_known_role(text))
            role->text = str_constant(r, text.data, text.size, false);
    }
    return r->status == EMBER_OK;
}

static bool set_context(struct render *r, const struct ember_json *context)
{
    for (size_t i = 0; i < context->list.count; i++) {
        struct ember_text name = context->list.names[i];
        bool messages = text_is(name, "messages");
        bool untrusted = messages || text_is(name, "tools") || text_is(name, "documents");
        uint32_t atom = name.size <= UINT32_MAX
                            ? jinja_atom(r->tmpl, name.data, (uint32_t)name.size)
                            : UINT32_MAX;
        if (atom == UINT32_MAX)
            continue;
        struct value *variable = &r->variables[atom];
        if (!jinja_json_value(r, &context->list.items[i], untrusted, variable) ||
            (messages && !trust_roles(r, variable)))
            return false;
    }
    return true;
}

enum ember_status template_render_limited(const struct ember_template *tmpl,
                                          const struct ember_json *context, struct ember_text bos,
                                          struct ember_text eos, struct ember_time now,
                                          const struct template_limits *limits,
                                          bool may_change_lists, struct ember_prompt *out,
                                          struct ember_error *err)
{
    struct render r;
    if (!context || context->kind != EMBER_JSON_OBJECT)
        return ember_fail(err, EMBER_INVALID, "%s: the context must be a JSON object", tmpl->name);
    if (jinja_render_init(&r, tmpl, limits, now, err)) {
        r.may_change_lists = may_change_lists;
        if ((!bos.data || set_text(&r, "bos_token", bos)) &&
            (!eos.data || set_text(&r, "eos_token", eos)) && set_context(&r, context))
            jinja_render_run(&r, out);
    }
    jinja_render_finish(&r);
    return r.status;
}

enum ember_status ember_template_render(const struct ember_template *tmpl,
                                        const struct ember_json *context, struct ember_text bos,
                                        struct ember_text eos, struct ember_time now,
                                        struct ember_prompt *out, struct ember_error *err)
{
    return template_render_limited(tmpl, context, bos, eos, now, &template_default_limits, false,
                                   out, err);
}
