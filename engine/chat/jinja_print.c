/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values as text: str(), repr() and JSON, spelled as Python spells them. Digits are made and read
 * without a decimal point, which depends on the locale. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"
#include "chat/jinja_run.h"
#include "chat/unicode.h"

/* ---- numbers ---- */

/* digits × 10^exponent. The text has no point, so the locale does not matter. */
static double scaled(const char *digits, int n, long exponent)
{
    char text[900];
    snprintf(text, sizeof text, "%.*se%ld", n, digits, exponent);
    return strtod(text, NULL);
}

bool jinja_parse_float(const char *text, size_t size, double *out)
{
    char digits[820]; /* more than any double needs to be read exactly */
    int n = 0;
    long exponent = 0, written = 0;
    bool negative = false, any = false, point = false;
    size_t at = 0;

    if (at < size && (text[at] == '-' || text[at] == '+'))
        negative = text[at++] == '-';
    static const char *const words[] = { "infinity", "inf", "nan" };
    for (size_t i = 0; i < 3; i++) {
        if (size - at == strlen(words[i]) && strncasecmp(text + at, words[i], size - at) == 0) {
            *out = i == 2 ? NAN : INFINITY;
            *out = negative ? -*out : *out;
            return true;
        }
    }
    for (; at < size; at++) {
        if (text[at] >= '0' && text[at] <= '9') {
            any = true;
            exponent -= point;
            if (n < (int)sizeof digits)
                digits[n++] = text[at];
            else
                exponent++;
        } else if (text[at] == '.' && !point) {
            point = true;
        } else if (text[at] == '_' && at > 0 && at + 1 < size && text[at - 1] >= '0' &&
                   text[at - 1] <= '9' && text[at + 1] >= '0' && text[at + 1] <= '9') {
            continue;
        } else {
            break;
        }
    }
    if (!any)
        return false;
    if (at < size && (text[at] == 'e' || text[at] == 'E')) {
        bool down = false;
        at++;
        if (at < size && (text[at] == '-' || text[at] == '+'))
            down = text[at++] == '-';
        if (at == size)
            return false;
        for (; at < size && text[at] >= '0' && text[at] <= '9'; at++) {
            if (written < 100000)
                written = written * 10 + (text[at] - '0');
        }
        exponent += down ? -written : written;
    }
    if (at != size)
        return false;
    *out = scaled(digits, n, exponent);
    *out = negative ? -*out : *out;
    return true;
}

bool jinja_number_text(double d, char style, int precision, bool alternative, char *out,
                       size_t size)
{
    char text[512];
    int n;
    if (precision > 120)
        return false;
    switch (style) {
    case 'e':
        n = alternative ? snprintf(text, sizeof text, "%#.*e", precision, d)
                        : snprintf(text, sizeof text, "%.*e", precision, d);
        break;
    case 'f':
        n = alternative ? snprintf(text, sizeof text, "%#.*f", precision, d)
                        : snprintf(text, sizeof text, "%.*f", precision, d);
        break;
    default:
        n = alternative ? snprintf(text, sizeof text, "%#.*g", precision, d)
                        : snprintf(text, sizeof text, "%.*g", precision, d);
    }
    if (n < 0 || (size_t)n >= sizeof text || (size_t)n >= size)
        return false;
    size_t at = 0;
    for (int i = 0; i < n; i++) {
        if (strchr("0123456789+-einfa", text[i]))
            out[at++] = text[i];
        else if (at == 0 || out[at - 1] != '.')
            out[at++] = '.'; /* whatever the locale's point is, in one byte or several */
    }
    out[at] = '\0';
    return true;
}

unsigned jinja_float_text(double d, char out[FLOAT_TEXT_MAX])
{
    if (isnan(d))
        return (unsigned)sprintf(out, "nan");
    if (isinf(d))
        return (unsigned)sprintf(out, d < 0 ? "-inf" : "inf");

    char digits[32];
    int n = 0, exponent = 0;
    for (int precision = 0; precision < 17; precision++) {
        char text[64];
        jinja_number_text(fabs(d), 'e', precision, false, text, sizeof text);
        n = 0;
        char *at = text;
        for (; *at != 'e'; at++) {
            if (*at != '.')
                digits[n++] = *at;
        }
        exponent = atoi(at + 1);
        if (scaled(digits, n, exponent - n + 1) == fabs(d))
            break;
    }
    unsigned size = 0;
    if (signbit(d))
        out[size++] = '-';
    if (exponent < -4 || exponent >= 16) {
        out[size++] = digits[0];
        if (n > 1) {
            out[size++] = '.';
            memcpy(out + size, digits + 1, (size_t)n - 1);
            size += (unsigned)n - 1;
        }
        return size + (unsigned)sprintf(out + size, "e%+03d", exponent);
    }
    if (exponent < 0) {
        size += (unsigned)sprintf(out + size, "0.%.*s", -exponent - 1, "000");
        exponent = -1;
    } else {
        for (int i = 0; i <= exponent; i++)
            out[size++] = i < n ? digits[i] : '0';
        out[size++] = '.';
    }
    for (int i = exponent + 1; i < n; i++)
        out[size++] = digits[i];
    if (exponent + 1 >= n)
        out[size++] = '0';
    out[size] = '\0';
    return size;
}

static void put_number(struct builder *b, const struct value *v)
{
    char text[FLOAT_TEXT_MAX];
    bool untrusted = v->flags & VALUE_UNTRUSTED;
    if (v->kind == VALUE_FLOAT)
        builder_bytes(b, text, jinja_float_text(v->number, text), untrusted);
    else
        builder_bytes(b, text, (size_t)snprintf(text, sizeof text, "%" PRId64, v->integer),
                      untrusted);
}

/* ---- repr ---- */

static void put_quoted(struct builder *b, struct str s, bool untrusted_quotes)
{
    const char *data = str_data(s);
    jinja_spend(b->r, s.size >> 1);
    bool single = memchr(data, '\'', s.size), twice = memchr(data, '"', s.size);
    char quote = single && !twice ? '"' : '\'';
    builder_char(b, (unsigned char)quote, untrusted_quotes);
    for (uint32_t at = 0, n; at < s.size && b->r->status == EMBER_OK; at += n) {
        bool untrusted = str_untrusted_at(s, at);
        uint32_t c;
        char text[16];
        n = str_char(s, at, &c);
        if (c == (unsigned char)quote || c == '\\')
            snprintf(text, sizeof text, "\\%c", (int)c);
        else if (c == '\n' || c == '\r' || c == '\t')
            snprintf(text, sizeof text, "\\%c", c == '\n' ? 'n' : c == '\r' ? 'r' : 't');
        else if (c == UTF8_BAD)
            snprintf(text, sizeof text, "\\udc%02x", (unsigned char)data[at]);
        else if (unicode_is_printable(c)) {
            builder_bytes(b, data + at, n, untrusted);
            continue;
        } else
            snprintf(text, sizeof text,
                     c < 0x100     ? "\\x%02x"
                     : c < 0x10000 ? "\\u%04x"
                                   : "\\U%08x",
                     c);
        builder_string(b, text, untrusted);
    }
    builder_char(b, (unsigned char)quote, untrusted_quotes);
}

static void put_items(struct builder *b, const struct value *v, const char *open, const char *close)
{
    bool untrusted = v->flags & VALUE_UNTRUSTED;
    struct walk walk;
    struct value item;
    bool first = true;
    builder_string(b, open, untrusted);
    jinja_walk(b->r, v, &walk);
    while (jinja_next(&walk, &item)) {
        if (!first)
            builder_string(b, ", ", untrusted);
        first = false;
        jinja_put_repr(b, &item);
    }
    builder_string(b, close, untrusted);
}

static void put_dict(struct builder *b, const struct value *v)
{
    bool untrusted = v->flags & VALUE_UNTRUSTED;
    builder_char(b, '{', untrusted);
    for (uint32_t i = 0; i < v->dict->n && jinja_spend(b->r, 1); i++) {
        if (i)
            builder_string(b, ", ", untrusted);
        jinja_put_repr(b, &v->dict->entries[i].key);
        builder_string(b, ": ", untrusted);
        jinja_put_repr(b, &v->dict->entries[i].value);
    }
    builder_char(b, '}', untrusted);
}

static void put_range(struct builder *b, const struct range *range, bool untrusted)
{
    char text[80];
    int n = snprintf(text, sizeof text, "range(%" PRId64 ", %" PRId64, range->start, range->stop);
    if (range->step != 1)
        n += snprintf(text + n, sizeof text - (size_t)n, ", %" PRId64, range->step);
    snprintf(text + n, sizeof text - (size_t)n, ")");
    builder_string(b, text, untrusted);
}

/* Everything but strings, whose str() and repr() differ. */
static void put_other(struct builder *b, const struct value *v)
{
    static const char *const view_names[] = { "dict_keys([", "dict_values([", "dict_items([" };
    bool untrusted = v->flags & VALUE_UNTRUSTED;
    char text[80];
    if (!jinja_enter(b->r))
        return;
    switch (v->kind) {
    case VALUE_NONE:
        builder_string(b, "None", untrusted);
        break;
    case VALUE_BOOL:
        builder_string(b, v->boolean ? "True" : "False", untrusted);
        break;
    case VALUE_INT:
    case VALUE_FLOAT:
        put_number(b, v);
        break;
    case VALUE_LIST:
        put_items(b, v, "[", "]");
        break;
    case VALUE_TUPLE:
        put_items(b, v, "(", v->list->n == 1 ? ",)" : ")");
        break;
    case VALUE_DICT:
        put_dict(b, v);
        break;
    case VALUE_NAMESPACE:
        builder_string(b, "<Namespace ", false);
        put_dict(b, v);
        builder_char(b, '>', false);
        break;
    case VALUE_VIEW:
        put_items(b, v, view_names[v->view.kind], "])");
        break;
    case VALUE_RANGE:
        put_range(b, v->range, untrusted);
        break;
    case VALUE_MACRO:
        builder_string(b, "<Macro '", false);
        builder_str(b, v->macro->definition->name);
        builder_string(b, "'>", false);
        break;
    case VALUE_LOOP:
        snprintf(text, sizeof text, "<LoopContext %u/%u>", v->loop->at + 1, v->loop->items->n);
        builder_string(b, text, false);
        break;
    default:
        snprintf(text, sizeof text, "<%s object>", jinja_kind_name(v));
        builder_string(b, text, false);
    }
    jinja_leave(b->r);
}

void jinja_put_repr(struct builder *b, const struct value *v)
{
    if (v->kind == VALUE_UNDEFINED) {
        builder_string(b, "Undefined", false);
    } else if (v->kind != VALUE_STRING) {
        put_other(b, v);
    } else if (v->flags & VALUE_MARKUP) {
        builder_string(b, "Markup(", false);
        put_quoted(b, v->text, false);
        builder_char(b, ')', false);
    } else {
        put_quoted(b, v->text, false);
    }
}

void jinja_put_str(struct builder *b, const struct value *v)
{
    if (v->kind == VALUE_STRING)
        builder_str(b, v->text);
    else if (v->kind != VALUE_UNDEFINED)
        put_other(b, v);
}

bool jinja_to_str(struct render *r, const struct value *v, struct value *out)
{
    struct builder b;
    if (v->kind == VALUE_STRING) {
        *out = *v;
        return true;
    }
    builder_init(&b, r);
    jinja_put_str(&b, v);
    return builder_end(&b, out);
}

/* ---- JSON ---- */

static void put_json_string(struct builder *b, struct str s, bool ascii, bool untrusted_quotes)
{
    static const char special[] = "\"\\\n\r\t\f\b", letters[] = "\"\\nrtfb";
    const char *data = str_data(s);
    jinja_spend(b->r, s.size >> 3);
    builder_char(b, '"', untrusted_quotes);
    bool untrusted = false;
    for (uint32_t from = 0, run; (run = str_run(s, from, &untrusted)) > 0; from += run) {
        uint32_t plain = from;
        for (uint32_t at = from, n; at < from + run; at += n) {
            unsigned char c = (unsigned char)data[at];
            n = 1;
            if (c >= 0x20 && c != '"' && c != '\\' && (c < 0x7F || !ascii))
                continue;
            char text[16];
            const char *known = c ? strchr(special, c) : NULL;
            uint32_t wide = c;
            if (c >= 0x7F)
                n = str_char(s, at, &wide);
            if (wide == UTF8_BAD)
                wide = 0xDC00 + c;
            if (known)
                snprintf(text, sizeof text, "\\%c", letters[known - special]);
            else if (wide < 0x10000)
                snprintf(text, sizeof text, "\\u%04x", wide);
            else
                snprintf(text, sizeof text, "\\u%04x\\u%04x", 0xD800 + ((wide - 0x10000) >> 10),
                         0xDC00 + ((wide - 0x10000) & 0x3FF));
            builder_bytes(b, data + plain, at - plain, untrusted);
            builder_string(b, text, untrusted);
            plain = at + n;
        }
        if (plain < from + run)
            builder_bytes(b, data + plain, from + run - plain, untrusted);
    }
    builder_char(b, '"', untrusted_quotes);
}

struct json_printer {
    struct builder *b;
    const struct json_style *style;
    uint32_t level;
};

static bool put_json(struct json_printer *p, const struct value *v);

static void new_line(struct json_printer *p)
{
    if (!p->style->indented)
        return;
    builder_char(p->b, '\n', false);
    for (uint32_t i = 0; i < p->level && p->b->r->status == EMBER_OK; i++)
        builder_str(p->b, p->style->indent);
}

static bool put_json_list(struct json_printer *p, const struct value *v)
{
    bool untrusted = v->flags & VALUE_UNTRUSTED;
    if (!v->list->n) {
        builder_string(p->b, "[]", untrusted);
        return true;
    }
    builder_char(p->b, '[', untrusted);
    p->level++;
    for (uint32_t i = 0; i < v->list->n; i++) {
        if (i)
            builder_str(p->b, p->style->item);
        new_line(p);
        if (!put_json(p, &v->list->items[i]))
            return false;
    }
    p->level--;
    new_line(p);
    builder_char(p->b, ']', untrusted);
    return true;
}

static bool put_json_key(struct json_printer *p, const struct value *key)
{
    struct builder text;
    struct value v = *key;
    if (key->kind == VALUE_NONE || key->kind == VALUE_BOOL) {
        const char *word = key->kind == VALUE_NONE ? "null" : key->boolean ? "true" : "false";
        v = value_str(str_constant(p->b->r, word, strlen(word), key->flags & VALUE_UNTRUSTED));
    } else if (value_is_number(key)) {
        builder_init(&text, p->b->r);
        put_number(&text, key);
        if (!builder_end(&text, &v))
            return false;
    } else if (key->kind != VALUE_STRING) {
        return jinja_fail(p->b->r, "tojson: a %s cannot be a key in JSON", jinja_kind_name(key));
    }
    put_json_string(p->b, v.text, p->style->ascii, str_any_untrusted(v.text));
    return true;
}

static bool put_json_dict(struct json_printer *p, const struct value *v)
{
    struct render *r = p->b->r;
    bool untrusted = v->flags & VALUE_UNTRUSTED;
    uint32_t n = v->dict->n;
    if (!n) {
        builder_string(p->b, "{}", untrusted);
        return true;
    }
    struct sort_entry *sorted = NULL;
    if (p->style->sort) {
        sorted = jinja_alloc(r, n, sizeof *sorted);
        if (!sorted)
            return false;
        for (uint32_t i = 0; i < n; i++)
            sorted[i] = (struct sort_entry){ v->dict->entries[i].key, v->dict->entries[i].value };
        if (!jinja_sort(r, sorted, n, false))
            return false;
    }
    builder_char(p->b, '{', untrusted);
    p->level++;
    for (uint32_t i = 0; i < n; i++) {
        if (i)
            builder_str(p->b, p->style->item);
        new_line(p);
        if (!put_json_key(p, sorted ? &sorted[i].key : &v->dict->entries[i].key))
            return false;
        builder_str(p->b, p->style->colon);
        if (!put_json(p, sorted ? &sorted[i].item : &v->dict->entries[i].value))
            return false;
    }
    p->level--;
    new_line(p);
    builder_char(p->b, '}', untrusted);
    return true;
}

static bool put_json(struct json_printer *p, const struct value *v)
{
    struct render *r = p->b->r;
    bool untrusted = v->flags & VALUE_UNTRUSTED, ok = true;
    if (!jinja_enter(r) || !jinja_spend(r, 1))
        return false;
    switch (v->kind) {
    case VALUE_NONE:
        builder_string(p->b, "null", untrusted);
        break;
    case VALUE_BOOL:
        builder_string(p->b, v->boolean ? "true" : "false", untrusted);
        break;
    case VALUE_INT:
        put_number(p->b, v);
        break;
    case VALUE_FLOAT:
        if (isfinite(v->number))
            put_number(p->b, v);
        else
            builder_string(p->b,
                           isnan(v->number)  ? "NaN"
                           : v->number > 0.0 ? "Infinity"
                                             : "-Infinity",
                           untrusted);
        break;
    case VALUE_STRING:
        /* The quotes belong to the text: what is inside must not be able to end it. */
        put_json_string(p->b, v->text, p->style->ascii, str_any_untrusted(v->text));
        break;
    case VALUE_LIST:
    case VALUE_TUPLE:
        ok = put_json_list(p, v);
        break;
    case VALUE_DICT:
        ok = put_json_dict(p, v);
        break;
    default:
        ok = jinja_fail(r, "tojson: a value of kind %s cannot be written as JSON",
                        jinja_kind_name(v));
    }
    jinja_leave(r);
    return ok && r->status == EMBER_OK;
}

bool jinja_put_json(struct builder *b, const struct value *v, const struct json_style *style)
{
    struct json_printer p = { .b = b, .style = style };
    return put_json(&p, v);
}
