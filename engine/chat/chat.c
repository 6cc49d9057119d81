/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From messages to a prompt: the file's own template with what templates expect around it, and the
 * ways round what some templates refuse. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "chat/jinja_run.h"

struct ember_chat {
    struct ember_template *tmpl; /* NULL: plain */
    struct ember_text bos, eos;  /* texts of the vocabulary, may be empty */
    bool adds_bos, adds_eos;
    bool typed; /* content must be a list of {type, text}: a plain string is not shown */
    struct ember_error broken; /* why the template cannot be read; status EMBER_OK: it can */
};

/* ---- the template's variables ---- */

static struct value text_value(struct render *r, const char *text, bool untrusted)
{
    return value_str(str_constant(r, text, strlen(text), untrusted));
}

static bool set_item(struct render *r, struct dict *dict, const char *name,
                     const struct value *value)
{
    struct value key = text_value(r, name, false);
    return dict_set(r, dict, &key, value);
}

/* [{"type": "text", "text": …}] */
static bool typed_content(struct render *r, struct value *content)
{
    struct dict *part = dict_new(r);
    struct list *parts = list_new(r, 1);
    struct value type = text_value(r, "text", false);
    if (!part || !parts || !set_item(r, part, "type", &type) || !set_item(r, part, "text", content))
        return false;
    struct value item = value_dict(part);
    *content = value_list(parts);
    return list_push(r, parts, &item);
}

static bool set_messages(struct render *r, const struct ember_chat *chat,
                         const struct ember_message *messages, size_t n)
{
    struct list *list = list_new(r, 0);
    for (size_t i = 0; list && i < n; i++) {
        struct ember_text word = { messages[i].role, strlen(messages[i].role) };
        struct value role = text_value(r, messages[i].role, !template_known_role(word));
        struct value content = text_value(r, messages[i].content, true);
        struct dict *dict = dict_new(r);
        if (!dict || (chat->typed && !typed_content(r, &content)) ||
            !set_item(r, dict, "role", &role) || !set_item(r, dict, "content", &content))
            return false;
        struct value message = value_dict(dict);
        if (!list_push(r, list, &message))
            return false;
    }
    if (!list)
        return false;
    struct value v = value_list(list);
    return jinja_render_set(r, "messages", &v);
}

static bool set_date(struct render *r, const char *name, const char *format)
{
    struct builder b;
    struct value v;
    builder_init(&b, r);
    return jinja_put_time(&b, str_literal(r, format), &r->now) && builder_end(&b, &v) &&
           jinja_render_set(r, name, &v);
}

static bool set_variables(struct render *r, const struct ember_chat *chat,
                          const struct ember_chat_params *params)
{
    struct value bos = value_str(str_constant(r, chat->bos.data, chat->bos.size, false));
    struct value eos = value_str(str_constant(r, chat->eos.data, chat->eos.size, false));
    struct value generate = value_bool(params->add_generation_prompt);
    struct value thinking = value_bool(!params->no_thinking);
    return jinja_render_set(r, "bos_token", &bos) && jinja_render_set(r, "eos_token", &eos) &&
           jinja_render_set(r, "add_generation_prompt", &generate) &&
           jinja_render_set(r, "enable_thinking", &thinking) &&
           set_date(r, "date_string", "%d %b %Y") && set_date(r, "datetime", "%b %d %Y");
}

static enum ember_status render_limited(const struct ember_chat *chat,
                                        const struct ember_message *messages, size_t n,
                                        const struct ember_chat_params *params,
                                        const struct template_limits *limits,
                                        struct ember_prompt *out, struct ember_error *err)
{
    struct render r;
    if (jinja_render_init(&r, chat->tmpl, limits, params->now, err)) {
        r.may_change_lists = true; /* some templates cannot show tool calls without */
        if (set_variables(&r, chat, params) && set_messages(&r, chat, messages, n))
            jinja_render_run(&r, out);
    }
    jinja_render_finish(&r);
    return r.status;
}

static enum ember_status render(const struct ember_chat *chat, const struct ember_message *messages,
                                size_t n, const struct ember_chat_params *params,
                                struct ember_prompt *out, struct ember_error *err)
{
    return render_limited(chat, messages, n, params, &template_default_limits, out, err);
}

/* ---- what templates refuse ---- */

static bool is_role(const struct ember_message *message, const char *role)
{
    return strcmp(message->role, role) == 0;
}

/* a + between + b */
static const char *joined(struct arena *arena, const char *a, const char *between, const char *b)
{
    size_t na = strlen(a), nb = strlen(b), nc = strlen(between);
    char *text = arena_alloc(arena, na + nb + nc + 1, 1);
    if (text) {
        memcpy(text, a, na);
        memcpy(text + na, between, nc);
        memcpy(text + na + nc, b, nb + 1);
    }
    return text;
}

/* Puts system texts before the next user text. Returns how many messages there are now, or SIZE_MAX
 * without memory; `to` has room for n. */
static size_t fold_system(struct arena *arena, const struct ember_message *from, size_t n,
                          struct ember_message *to)
{
    const char *waiting = NULL;
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        struct ember_message message = from[i];
        if (is_role(&message, "system")) {
            waiting = waiting ? joined(arena, waiting, "\n", message.content) : message.content;
            if (!waiting)
                return SIZE_MAX;
            continue;
        }
        if (waiting && is_role(&message, "user")) {
            message.content = joined(arena, waiting, "\n", message.content);
            if (!message.content)
                return SIZE_MAX;
            waiting = NULL;
        }
        to[count++] = message;
    }
    if (waiting)
        to[count++] = (struct ember_message){ .role = "user", .content = waiting };
    return count;
}

/* Makes one message of neighbours of the same role. */
static size_t merge_neighbours(struct arena *arena, struct ember_message *messages, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        struct ember_message *last = count ? &messages[count - 1] : NULL;
        if (!last || !is_role(last, messages[i].role)) {
            messages[count++] = messages[i];
            continue;
        }
        last->content = joined(arena, last->content, "\n\n", messages[i].content);
        if (!last->content)
            return SIZE_MAX;
    }
    return count;
}

/* Renders as asked; if the template refuses, with system texts folded; if it refuses that too, with
 * neighbours merged. The sentence is that of the first refusal. */
static enum ember_status render_somehow(const struct ember_chat *chat,
                                        const struct ember_message *messages, size_t n,
                                        const struct ember_chat_params *params,
                                        struct ember_prompt *out, struct ember_error *err)
{
    enum ember_status first = render(chat, messages, n, params, out, err);
    if (first != EMBER_FORMAT || !n)
        return first;

    struct arena arena = { 0 };
    enum ember_status st = first;
    struct ember_message *changed = arena_alloc(&arena, n, sizeof *changed);
    size_t count = changed ? fold_system(&arena, messages, n, changed) : SIZE_MAX;
    bool folded = false;
    for (size_t i = 0; i < n; i++)
        folded |= is_role(&messages[i], "system");
    if (folded && count != SIZE_MAX)
        st = render(chat, changed, count, params, out, NULL);
    if (st == EMBER_FORMAT && count != SIZE_MAX) {
        size_t before = count;
        count = merge_neighbours(&arena, changed, count);
        if (count < before)
            st = render(chat, changed, count, params, out, NULL);
    }
    if (count == SIZE_MAX)
        st = ember_fail(err, EMBER_NO_MEMORY, "chat template: out of memory");
    arena_finish(&arena);
    return st;
}

/* ---- the finished text ---- */

/* Removes text[from, from + size), which lies inside one span. */
static void cut(struct ember_prompt *prompt, size_t from, size_t size)
{
    char *begin = prompt->text + from;
    size_t kept = 0;
    for (size_t i = 0; i < prompt->n_spans; i++) {
        struct ember_span span = prompt->spans[i];
        if (span.text.data > begin)
            span.text.data -= size;
        else if (span.text.data + span.text.size > begin)
            span.text.size -= size;
        if (span.text.size)
            prompt->spans[kept++] = span;
    }
    prompt->n_spans = kept;
    memmove(begin, begin + size, prompt->size - from - size + 1);
    prompt->size -= size;
}

static bool has_bytes(const char *data, struct ember_text wanted)
{
    return memcmp(data, wanted.data, wanted.size) == 0;
}

/* What the tokenizer adds by itself must not come from the template as well. */
static void drop_doubles(const struct ember_chat *chat, struct ember_prompt *prompt)
{
    if (prompt->n_spans && chat->adds_bos && chat->bos.size) {
        const struct ember_span *first = &prompt->spans[0];
        if (first->parse_special && first->text.size >= chat->bos.size &&
            has_bytes(first->text.data, chat->bos))
            cut(prompt, 0, chat->bos.size);
    }
    if (prompt->n_spans && chat->adds_eos && chat->eos.size) {
        const struct ember_span *last = &prompt->spans[prompt->n_spans - 1];
        if (last->parse_special && last->text.size >= chat->eos.size &&
            has_bytes(last->text.data + last->text.size - chat->eos.size, chat->eos))
            cut(prompt, prompt->size - chat->eos.size, chat->eos.size);
    }
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

/* Cuts what follows the last message's text, so that the answer can go on there. False when that
 * text is not the last from outside, as when the template changed it. */
static bool leave_open(struct ember_prompt *prompt, const char *content)
{
    size_t size = strlen(content);
    while (size && is_blank(content[size - 1]))
        size--;
    while (size && is_blank(*content)) {
        content++;
        size--;
    }
    for (size_t i = prompt->n_spans; size && i-- > 0;) {
        struct ember_text text = prompt->spans[i].text;
        if (prompt->spans[i].parse_special)
            continue;
        size_t end = text.size;
        while (end && is_blank(text.data[end - 1]))
            end--;
        if (end < size || memcmp(text.data + end - size, content, size) != 0)
            return false;
        prompt->n_spans = i + 1;
        prompt->size = (size_t)(text.data + text.size - prompt->text);
        prompt->text[prompt->size] = '\0';
        return true;
    }
    return false;
}

/* Appends text from outside. */
static enum ember_status append(struct ember_prompt *prompt, const char *content,
                                struct ember_error *err)
{
    size_t more = strlen(content);
    if (!more)
        return EMBER_OK;
    char *text = malloc(prompt->size + more + 1);
    struct ember_span *spans = malloc((prompt->n_spans + 1) * sizeof *spans);
    if (!text || !spans) {
        free(text);
        free(spans);
        return ember_fail(err, EMBER_NO_MEMORY, "chat template: out of memory");
    }
    if (prompt->size)
        memcpy(text, prompt->text, prompt->size);
    memcpy(text + prompt->size, content, more + 1);
    size_t n = 0;
    for (; n < prompt->n_spans; n++) {
        spans[n] = prompt->spans[n];
        spans[n].text.data = text + (spans[n].text.data - prompt->text);
    }
    if (n && !spans[n - 1].parse_special)
        spans[n - 1].text.size += more;
    else
        spans[n++] = (struct ember_span){ .text = { text + prompt->size, more } };
    size_t size = prompt->size + more;
    ember_prompt_finish(prompt);
    *prompt = (struct ember_prompt){ .text = text, .size = size, .spans = spans, .n_spans = n };
    return EMBER_OK;
}

/* A last assistant message that the next answer continues. */
static enum ember_status render_open(const struct ember_chat *chat,
                                     const struct ember_message *messages, size_t n,
                                     const struct ember_chat_params *params,
                                     struct ember_prompt *out, struct ember_error *err)
{
    struct ember_chat_params opened = *params;
    const char *content = messages[n - 1].content;
    enum ember_status st = render_somehow(chat, messages, n, params, out, err);
    if (st == EMBER_OK && leave_open(out, content))
        return EMBER_OK;
    /* The turn opened by the template, and its beginning by hand. */
    if (st == EMBER_OK)
        ember_prompt_finish(out);
    opened.add_generation_prompt = true;
    st = render_somehow(chat, messages, n - 1, &opened, out, err);
    if (st != EMBER_OK)
        return st;
    st = append(out, content, err);
    if (st != EMBER_OK)
        ember_prompt_finish(out);
    return st;
}

/* ---- public ---- */

/* Texts of the messages, separated by empty lines. */
static enum ember_status plain(const struct ember_message *messages, size_t n,
                               struct ember_prompt *out, struct ember_error *err)
{
    struct text_buffer text = { 0 };
    for (size_t i = 0; i < n; i++) {
        if (i)
            text_append_string(&text, "\n\n");
        text_append_string(&text, messages[i].content);
    }
    text_append(&text, "", 0);
    struct ember_span *span = malloc(sizeof *span);
    char *data = text.data ? text.data : strdup("");
    if (text.failed || !span || !data) {
        free(span);
        if (!text.data)
            free(data);
        text_finish(&text);
        return ember_fail(err, EMBER_NO_MEMORY, "chat: out of memory");
    }
    *span = (struct ember_span){ .text = { .data = data, .size = text.size } };
    *out = (struct ember_prompt){
        .text = data, .size = text.size, .spans = span, .n_spans = text.size > 0
    };
    return EMBER_OK;
}

enum ember_status ember_chat_render(const struct ember_chat *chat,
                                    const struct ember_message *messages, size_t n,
                                    const struct ember_chat_params *params,
                                    struct ember_prompt *out, struct ember_error *err)
{
    enum ember_status st;
    if (chat->broken.status != EMBER_OK)
        return ember_fail(err, chat->broken.status, "%s", chat->broken.message);
    if (!chat->tmpl)
        return plain(messages, n, out, err);
    if (!params->add_generation_prompt && n && is_role(&messages[n - 1], "assistant"))
        st = render_open(chat, messages, n, params, out, err);
    else
        st = render_somehow(chat, messages, n, params, out, err);
    if (st == EMBER_OK)
        drop_doubles(chat, out);
    return st;
}

enum ember_status ember_chat_prompt(const struct ember_chat *chat,
                                    const struct ember_message *messages, size_t n,
                                    bool add_generation_prompt, struct ember_time now,
                                    struct ember_prompt *out, struct ember_error *err)
{
    const struct ember_chat_params params = { .add_generation_prompt = add_generation_prompt,
                                              .now = now };
    return ember_chat_render(chat, messages, n, &params, out, err);
}

/* Whether a rendering of one user message shows its text. A model is being opened meanwhile, which
 * cannot be cancelled here: a template that asks for more than one message needs is left alone. */
static bool shows_text(const struct ember_chat *chat)
{
    static const struct template_limits limits = {
        .steps = 200 * 1000, .depth = 2000, .text = 1 << 20, .memory = 32 << 20
    };
    static const struct ember_message probe = { .role = "user", .content = "a probing question" };
    const struct ember_chat_params params = { .add_generation_prompt = true,
                                              .now = { .year = 2024, .month = 1, .day = 1 } };
    struct ember_prompt prompt;
    if (render_limited(chat, &probe, 1, &params, &limits, &prompt, NULL) != EMBER_OK)
        return false;
    bool shown = memmem(prompt.text, prompt.size, probe.content, strlen(probe.content));
    ember_prompt_finish(&prompt);
    return shown;
}

enum ember_status ember_chat_new(struct ember_chat **out, const struct ember_gguf *gguf,
                                 const struct ember_tokenizer *tokenizer, struct ember_error *err)
{
    struct ember_text source = ember_gguf_get_text(gguf, "tokenizer.chat_template");
    struct ember_chat *chat = calloc(1, sizeof *chat);
    if (!chat)
        return ember_fail(err, EMBER_NO_MEMORY, "chat: out of memory");
    if (tokenizer) {
        chat->bos = ember_tokenizer_piece(tokenizer, ember_tokenizer_bos(tokenizer));
        chat->eos = ember_tokenizer_piece(tokenizer, ember_tokenizer_eos(tokenizer));
        chat->adds_bos = ember_tokenizer_adds_bos(tokenizer);
        chat->adds_eos = ember_tokenizer_adds_eos(tokenizer);
    }
    if (source.size && ember_template_new(&chat->tmpl, source.data, source.size, "chat template",
                                          &chat->broken) == EMBER_NO_MEMORY) {
        ember_chat_free(chat);
        return ember_fail(err, EMBER_NO_MEMORY, "chat template: out of memory");
    }
    if (chat->tmpl) {
        chat->typed = !shows_text(chat);
        if (chat->typed && !shows_text(chat))
            chat->typed = false; /* neither works: the real messages will say why */
        if (chat->typed)
            ember_log_debug("chat: the template wants content as a list of parts");
    }
    *out = chat;
    return EMBER_OK;
}

void ember_chat_free(struct ember_chat *chat)
{
    if (!chat)
        return;
    ember_template_free(chat->tmpl);
    free(chat);
}

bool ember_chat_is_plain(const struct ember_chat *chat)
{
    return !chat->tmpl && chat->broken.status == EMBER_OK;
}

bool ember_chat_can_think(const struct ember_gguf *gguf)
{
    static const char name[] = "enable_thinking";
    struct ember_text source = ember_gguf_get_text(gguf, "tokenizer.chat_template");
    return source.size && memmem(source.data, source.size, name, sizeof name - 1);
}
