/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ember/json.h>

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/checked.h"
#include "base/fail.h"
#include "base/text.h"

/* Deep enough for any template context, small enough for the stack of a worker thread. */
#define MAX_DEPTH 256

struct ember_json_document {
    struct arena arena;
    struct ember_json root;
};

/* Children are collected on two stacks until their list is complete and its length known; then
 * they move into the arena in one piece. */
struct parser {
    const char *start, *at, *end;
    struct arena *arena;
    struct ember_json *values;
    size_t n_values, values_capacity;
    struct ember_text *names;
    size_t n_names, names_capacity;
    struct text_buffer scratch;
    locale_t c_locale; /* numbers are read the same way whatever the program's locale */
    struct ember_error *err;
    enum ember_status status;
};

static bool parse_value(struct parser *p, struct ember_json *out, unsigned depth);

static bool fail_memory(struct parser *p)
{
    p->status = ember_fail(p->err, EMBER_NO_MEMORY, "JSON: out of memory");
    return false;
}

static bool fail_at(struct parser *p, const char *at, const char *what)
{
    size_t line = 1;
    for (const char *c = p->start; c < at; c++)
        line += *c == '\n';
    if (at >= p->end)
        p->status =
            ember_fail(p->err, EMBER_FORMAT, "JSON line %zu: %s, found the end", line, what);
    else if (*at > ' ' && *at < 0x7f)
        p->status =
            ember_fail(p->err, EMBER_FORMAT, "JSON line %zu: %s, found '%c'", line, what, *at);
    else
        p->status = ember_fail(p->err, EMBER_FORMAT, "JSON line %zu: %s, found byte 0x%02x", line,
                               what, (unsigned char)*at);
    return false;
}

/* Room for one more element; doubles, with every product checked. */
static bool reserve(struct parser *p, void **items, size_t n, size_t *capacity, size_t item_size)
{
    if (n < *capacity)
        return true;
    size_t wanted, bytes;
    if (!mul_size(*capacity ? *capacity : 16, 2, &wanted) || !mul_size(wanted, item_size, &bytes))
        return fail_memory(p);
    void *grown = realloc(*items, bytes);
    if (!grown)
        return fail_memory(p);
    *items = grown;
    *capacity = wanted;
    return true;
}

static bool push_value(struct parser *p, const struct ember_json *value)
{
    void *items = p->values;
    bool ok = reserve(p, &items, p->n_values, &p->values_capacity, sizeof *value);
    p->values = items;
    if (ok)
        p->values[p->n_values++] = *value;
    return ok;
}

static bool push_name(struct parser *p, struct ember_text name)
{
    void *items = p->names;
    bool ok = reserve(p, &items, p->n_names, &p->names_capacity, sizeof name);
    p->names = items;
    if (ok)
        p->names[p->n_names++] = name;
    return ok;
}

/* RFC 8259's four, not isspace()'s six. */
static void skip_space(struct parser *p)
{
    while (p->at < p->end && (*p->at == ' ' || *p->at == '\t' || *p->at == '\n' || *p->at == '\r'))
        p->at++;
}

static bool take(struct parser *p, char c)
{
    if (p->at >= p->end || *p->at != c)
        return false;
    p->at++;
    return true;
}

static bool is_digit(const struct parser *p, const char *at)
{
    return at < p->end && *at >= '0' && *at <= '9';
}

/* Reads the grammar first: strtod() accepts more than JSON does (hex, "inf", a leading plus). */
static bool parse_number(struct parser *p, struct ember_json *out)
{
    const char *start = p->at, *at = start;
    bool negative = *at == '-', integer = true, fits = true;
    uint64_t magnitude = 0;

    at += negative;
    if (!is_digit(p, at))
        return fail_at(p, at, "expected a digit");
    if (*at == '0' && is_digit(p, at + 1))
        return fail_at(p, at + 1, "expected no digit after a leading zero");
    for (; is_digit(p, at); at++) {
        fits = fits && mul_u64(magnitude, 10, &magnitude) &&
               add_u64(magnitude, (uint64_t)(*at - '0'), &magnitude);
    }
    if (at < p->end && *at == '.') {
        integer = false;
        at++;
        if (!is_digit(p, at))
            return fail_at(p, at, "expected a digit after the point");
        while (is_digit(p, at))
            at++;
    }
    if (at < p->end && (*at == 'e' || *at == 'E')) {
        integer = false;
        at++;
        if (at < p->end && (*at == '+' || *at == '-'))
            at++;
        if (!is_digit(p, at))
            return fail_at(p, at, "expected a digit in the exponent");
        while (is_digit(p, at))
            at++;
    }
    p->at = at;

    if (integer && fits && magnitude <= (uint64_t)INT64_MAX + negative) {
        out->kind = EMBER_JSON_INT;
        /* negated as unsigned: −2^63 has no positive counterpart */
        out->integer = (int64_t)(negative ? 0 - magnitude : magnitude);
        return true;
    }
    p->scratch.size = 0;
    text_append(&p->scratch, start, (size_t)(at - start));
    if (p->scratch.failed)
        return fail_memory(p);
    out->kind = EMBER_JSON_FLOAT;
    out->number = strtod_l(p->scratch.data, NULL, p->c_locale);
    if (!isfinite(out->number))
        return fail_at(p, start, "expected a number that a double can hold");
    return true;
}

/* Four hex digits after "\u". */
static bool parse_hex4(struct parser *p, uint32_t *out)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++, p->at++) {
        char c = p->at < p->end ? *p->at : 0;
        uint32_t digit;
        if (c >= '0' && c <= '9')
            digit = (uint32_t)(c - '0');
        else if (c >= 'a' && c <= 'f')
            digit = (uint32_t)(c - 'a') + 10;
        else if (c >= 'A' && c <= 'F')
            digit = (uint32_t)(c - 'A') + 10;
        else
            return fail_at(p, p->at, "expected four hex digits after \\u");
        value = value << 4 | digit;
    }
    *out = value;
    return true;
}

static bool parse_escape(struct parser *p)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    uint32_t code = 0, low = 0;

    if (p->at < p->end && *p->at != 'u') {
        const char *found = *p->at ? strchr(from, *p->at) : NULL;
        if (!found)
            return fail_at(p, p->at, "expected an escape character after a backslash");
        p->at++;
        text_append_char(&p->scratch, to[found - from]);
        return true;
    }
    if (!take(p, 'u'))
        return fail_at(p, p->at, "expected an escape character after a backslash");
    if (!parse_hex4(p, &code))
        return false;
    if (code >= 0xd800 && code < 0xdc00 && p->end - p->at >= 2 && p->at[0] == '\\' &&
        p->at[1] == 'u') {
        const char *second = p->at;
        p->at += 2;
        if (!parse_hex4(p, &low))
            return false;
        if (low >= 0xdc00 && low < 0xe000)
            code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
        else
            p->at = second; /* a lone half; what follows is read on its own */
    }
    if (code >= 0xd800 && code < 0xe000)
        code = 0xfffd;
    text_append_codepoint(&p->scratch, code);
    return true;
}

static bool parse_string(struct parser *p, struct ember_text *out)
{
    if (!take(p, '"'))
        return fail_at(p, p->at, "expected a string");
    p->scratch.size = 0;
    for (;;) {
        const char *run = p->at;
        while (p->at < p->end && *p->at != '"' && *p->at != '\\' && (unsigned char)*p->at >= 0x20) {
            uint32_t code;
            size_t n = utf8_decode(p->at, (size_t)(p->end - p->at), &code);
            if (code == UTF8_BAD)
                return fail_at(p, p->at, "expected valid UTF-8");
            p->at += n;
        }
        if (p->at > run)
            text_append(&p->scratch, run, (size_t)(p->at - run));
        if (take(p, '"'))
            break;
        if (!take(p, '\\'))
            return fail_at(p, p->at, "expected the end of a string");
        if (!parse_escape(p))
            return false;
    }
    if (p->scratch.failed)
        return fail_memory(p);
    out->size = p->scratch.size;
    out->data = arena_copy(p->arena, out->size ? p->scratch.data : "", out->size);
    return out->data ? true : fail_memory(p);
}

/* Moves the children from the stacks into the arena. */
static bool close_list(struct parser *p, struct ember_json *out, size_t base, size_t names_base)
{
    size_t n = p->n_values - base;
    out->list.count = n;
    out->list.items = NULL;
    out->list.names = NULL;
    if (n == 0)
        return true;
    struct ember_json *items = arena_alloc(p->arena, n, sizeof *items);
    if (!items)
        return fail_memory(p);
    memcpy(items, p->values + base, n * sizeof *items);
    out->list.items = items;
    p->n_values = base;
    if (out->kind == EMBER_JSON_OBJECT) {
        struct ember_text *names = arena_alloc(p->arena, n, sizeof *names);
        if (!names)
            return fail_memory(p);
        memcpy(names, p->names + names_base, n * sizeof *names);
        out->list.names = names;
        p->n_names = names_base;
    }
    return true;
}

static bool parse_list(struct parser *p, struct ember_json *out, unsigned depth)
{
    bool object = *p->at == '{';
    char close = object ? '}' : ']';
    size_t base = p->n_values, names_base = p->n_names;

    if (depth >= MAX_DEPTH)
        return fail_at(p, p->at, "expected at most 256 levels");
    out->kind = object ? EMBER_JSON_OBJECT : EMBER_JSON_ARRAY;
    p->at++;
    skip_space(p);
    if (take(p, close))
        return close_list(p, out, base, names_base);
    for (;;) {
        struct ember_json item = { 0 };
        if (object) {
            struct ember_text name;
            skip_space(p);
            if (!parse_string(p, &name) || !push_name(p, name))
                return false;
            skip_space(p);
            if (!take(p, ':'))
                return fail_at(p, p->at, "expected ':'");
        }
        if (!parse_value(p, &item, depth + 1) || !push_value(p, &item))
            return false;
        skip_space(p);
        if (take(p, close))
            return close_list(p, out, base, names_base);
        if (!take(p, ','))
            return fail_at(p, p->at, object ? "expected ',' or '}'" : "expected ',' or ']'");
    }
}

static bool take_word(struct parser *p, const char *word)
{
    size_t n = strlen(word);
    if ((size_t)(p->end - p->at) < n || memcmp(p->at, word, n) != 0)
        return false;
    p->at += n;
    return true;
}

static bool parse_value(struct parser *p, struct ember_json *out, unsigned depth)
{
    skip_space(p);
    if (p->at >= p->end)
        return fail_at(p, p->at, "expected a value");
    switch (*p->at) {
    case '{':
    case '[':
        return parse_list(p, out, depth);
    case '"':
        out->kind = EMBER_JSON_STRING;
        return parse_string(p, &out->text);
    case '-':
        return parse_number(p, out);
    default:
        if (is_digit(p, p->at))
            return parse_number(p, out);
    }
    if (take_word(p, "null")) {
        out->kind = EMBER_JSON_NULL;
    } else if (take_word(p, "true")) {
        out->kind = EMBER_JSON_BOOL;
        out->boolean = true;
    } else if (take_word(p, "false")) {
        out->kind = EMBER_JSON_BOOL;
        out->boolean = false;
    } else {
        return fail_at(p, p->at, "expected a value");
    }
    return true;
}

enum ember_status ember_json_parse(struct ember_json_document **out, const char *text, size_t size,
                                   struct ember_error *err)
{
    struct ember_json_document *document = calloc(1, sizeof *document);
    struct parser p = { .start = text, .at = text, .end = text + size, .err = err };

    p.c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!document || !p.c_locale) {
        fail_memory(&p);
        goto fail;
    }
    p.arena = &document->arena;
    take_word(&p, "\xef\xbb\xbf"); /* a byte order mark, which the RFC lets a reader ignore */
    if (!parse_value(&p, &document->root, 0))
        goto fail;
    skip_space(&p);
    if (p.at < p.end) {
        fail_at(&p, p.at, "expected nothing after the value");
        goto fail;
    }
    *out = document;
    document = NULL;
fail:
    free(p.values);
    free(p.names);
    text_finish(&p.scratch);
    if (p.c_locale)
        freelocale(p.c_locale);
    ember_json_free(document);
    return p.status;
}

void ember_json_free(struct ember_json_document *document)
{
    if (!document)
        return;
    arena_finish(&document->arena);
    free(document);
}

const struct ember_json *ember_json_root(const struct ember_json_document *document)
{
    return &document->root;
}

const struct ember_json *ember_json_member(const struct ember_json *object, const char *name)
{
    if (!object || object->kind != EMBER_JSON_OBJECT)
        return NULL;
    size_t size = strlen(name);
    for (size_t i = object->list.count; i-- > 0;) {
        const struct ember_text *member = &object->list.names[i];
        if (member->size == size && memcmp(member->data, name, size) == 0)
            return &object->list.items[i];
    }
    return NULL;
}

double ember_json_number(const struct ember_json *value, double fallback)
{
    if (value && value->kind == EMBER_JSON_INT)
        return (double)value->integer;
    if (value && value->kind == EMBER_JSON_FLOAT)
        return value->number;
    return fallback;
}
