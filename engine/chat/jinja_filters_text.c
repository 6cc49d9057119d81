/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Filters that make text or numbers. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "chat/jinja_run.h"
#include "chat/jinja_str.h"
#include "chat/unicode.h"

static bool given(const struct value *arg)
{
    return arg->kind != VALUE_MISSING && arg->kind != VALUE_NONE;
}

static bool truth_or(const struct value *arg, bool fallback)
{
    return arg->kind == VALUE_MISSING ? fallback : jinja_truth(arg);
}

static bool int_or(struct render *r, const char *what, const struct value *arg, int64_t fallback,
                   int64_t *out)
{
    *out = fallback;
    return arg->kind == VALUE_MISSING || jinja_want_int(r, what, arg, out);
}

/* str() of the value; markup stays markup. */
static bool soft(struct render *r, const struct value *in, struct value *text)
{
    return jinja_to_str(r, in, text);
}

static bool keep_markup(bool ok, const struct value *text, struct value *out)
{
    out->flags |= text->flags & VALUE_MARKUP;
    return ok;
}

/* ---- case and space ---- */

#define CASE_FILTER(name, map)                                                                     \
    static bool filter_##name(struct render *r, const struct value *in, const struct value *arg,   \
                              struct value *out)                                                   \
    {                                                                                              \
        struct value text;                                                                         \
        (void)arg;                                                                                 \
        return soft(r, in, &text) &&                                                               \
               keep_markup(jinja_map_case(r, text.text, map, out), &text, out);                    \
    }
CASE_FILTER(upper, CASE_UPPER)
CASE_FILTER(lower, CASE_LOWER)
CASE_FILTER(capitalize, CASE_CAPITALIZE)

/* Words begin after blanks and opening brackets, unlike those of the method of the same name. */
static bool filter_title(struct render *r, const struct value *in, const struct value *arg,
                         struct value *out)
{
    struct value text, word;
    struct builder b;
    uint32_t at = 0;
    (void)arg;
    if (!soft(r, in, &text))
        return false;
    struct str s = text.text;
    builder_init(&b, r);
    jinja_spend(r, s.size >> 2);
    while (at < s.size && jinja_spend(r, 1)) {
        uint32_t from = at, c, n;
        bool gap = true;
        for (; at < s.size; at += n) {
            n = str_char(s, at, &c);
            bool is_gap = c != UTF8_BAD &&
                          (unicode_is_space(c) || (c < 0x80 && strchr("-({[<", (int)c) && c));
            if (at == from)
                gap = is_gap;
            if (is_gap != gap)
                break;
        }
        if (gap) {
            builder_str(&b, str_part(s, from, at - from));
            continue;
        }
        n = str_char(s, from, &c);
        if (!jinja_upper(r, str_part(s, from, n), &word))
            return false;
        builder_str(&b, word.text);
        if (!jinja_lower(r, str_part(s, from + n, at - from - n), &word))
            return false;
        builder_str(&b, word.text);
    }
    return builder_end(&b, out);
}

static bool filter_trim(struct render *r, const struct value *in, const struct value *arg,
                        struct value *out)
{
    struct value text;
    struct str chars, result;
    if (!soft(r, in, &text) || (given(&arg[0]) && !jinja_want_str(r, "trim", &arg[0], &chars)) ||
        !jinja_strip(r, text.text, given(&arg[0]) ? &chars : NULL, 3, &result))
        return false;
    *out = value_str(result);
    return keep_markup(true, &text, out);
}

static bool filter_center(struct render *r, const struct value *in, const struct value *arg,
                          struct value *out)
{
    struct value text;
    int64_t width;
    return soft(r, in, &text) && int_or(r, "center", &arg[0], 80, &width) &&
           keep_markup(jinja_center(r, text.text, width, ' ', PAD_BOTH, out), &text, out);
}

static bool filter_string(struct render *r, const struct value *in, const struct value *arg,
                          struct value *out)
{
    (void)arg;
    return soft(r, in, out);
}

static bool filter_replace(struct render *r, const struct value *in, const struct value *arg,
                           struct value *out)
{
    struct value text, old, new;
    int64_t count = -1;
    if (!soft(r, in, &text) || !soft(r, &arg[0], &old) || !soft(r, &arg[1], &new) ||
        (given(&arg[2]) && !jinja_want_int(r, "replace", &arg[2], &count)))
        return false;
    return jinja_replace(r, text.text, old.text, new.text, count, out);
}

static bool filter_indent(struct render *r, const struct value *in, const struct value *arg,
                          struct value *out)
{
    struct str s, indentation;
    int64_t width;
    struct builder b;
    bool first = truth_or(&arg[1], false), blank = truth_or(&arg[2], false);
    if (!jinja_want_str(r, "indent", in, &s))
        return false;
    if (arg[0].kind == VALUE_STRING) {
        indentation = arg[0].text;
    } else {
        struct value spaces;
        if (!int_or(r, "indent", &arg[0], 4, &width))
            return false;
        builder_init(&b, r);
        builder_repeat(&b, ' ', width, false);
        if (!builder_end(&b, &spaces))
            return false;
        indentation = spaces.text;
    }
    /* The reference adds a newline before it splits, so that a last empty line counts. */
    struct str with_end;
    struct list *lines = list_new(r, 0);
    if (!lines || !str_concat(r, s, str_literal(r, "\n"), &with_end) ||
        !jinja_split_lines(r, with_end, false, lines))
        return false;
    builder_init(&b, r);
    for (uint32_t i = 0; i < lines->n && r->status == EMBER_OK; i++) {
        struct str line = lines->items[i].text;
        if (i)
            builder_char(&b, '\n', str_any_untrusted(line));
        if (i ? blank || line.size : first)
            builder_str(&b, indentation);
        builder_str(&b, line);
    }
    return keep_markup(builder_end(&b, out), in, out);
}

/* What is short enough passes whatever it is. */
static bool filter_truncate(struct render *r, const struct value *in, const struct value *arg,
                            struct value *out)
{
    struct str s, end = str_literal(r, "...");
    int64_t length, leeway, size;
    if (!int_or(r, "truncate", &arg[0], 255, &length) ||
        !int_or(r, "truncate", &arg[3], 5, &leeway) ||
        (arg[2].kind != VALUE_MISSING && !jinja_want_str(r, "truncate", &arg[2], &end)) ||
        !jinja_length(r, in, &size))
        return false;
    int64_t end_length = str_length(r, end);
    if (length < end_length || leeway < 0)
        return jinja_fail(r, "truncate: a length of %lld is too short", (long long)length);
    *out = *in;
    if (length >= size || size - length <= leeway)
        return r->status == EMBER_OK;
    if (!jinja_want_str(r, "truncate", in, &s))
        return false;
    struct str cut = str_part(s, 0, str_byte_of(r, s, (uint32_t)(length - end_length)));
    if (!truth_or(&arg[1], false)) {
        uint32_t space = str_rfind(r, cut, str_literal(r, " "), 0, cut.size);
        if (space != UINT32_MAX)
            cut = str_part(cut, 0, space);
    }
    return str_concat(r, cut, end, &out->text);
}

static bool filter_wordcount(struct render *r, const struct value *in, const struct value *arg,
                             struct value *out)
{
    struct value text;
    bool inside = false;
    int64_t n = 0;
    (void)arg;
    if (!soft(r, in, &text) || !jinja_spend(r, text.text.size >> 2))
        return false;
    for (uint32_t at = 0, c; at < text.text.size;) {
        at += str_char(text.text, at, &c);
        bool word = c != UTF8_BAD && unicode_is_word(c);
        n += word && !inside;
        inside = word;
    }
    *out = value_int(n);
    return true;
}

static bool filter_format(struct render *r, const struct value *in, const struct arguments *args,
                          struct value *out)
{
    struct value text, values;
    if (args->n && args->n_named)
        return jinja_fail(r, "format takes values by position or by name, not both");
    if (args->n_named) {
        struct dict *dict = dict_new(r);
        for (uint32_t i = 0; dict && i < args->n_named; i++) {
            struct value key = value_str(args->named[i].name);
            if (!dict_set(r, dict, &key, &args->named[i].value))
                return false;
        }
        if (!dict)
            return false;
        values = value_dict(dict);
    } else {
        struct list *list = list_new(r, args->n);
        if (!list)
            return false;
        for (uint32_t i = 0; i < args->n; i++)
            list->items[list->n++] = args->at[i];
        values = value_tuple(list);
    }
    return soft(r, in, &text) &&
           jinja_format_percent(r, text.text, text.flags & VALUE_MARKUP, &values, out);
}

/* ---- HTML and URLs ---- */

static bool filter_safe(struct render *r, const struct value *in, const struct value *arg,
                        struct value *out)
{
    (void)arg;
    if (!soft(r, in, out))
        return false;
    out->flags |= VALUE_MARKUP;
    return true;
}

static bool filter_escape(struct render *r, const struct value *in, const struct value *arg,
                          struct value *out)
{
    (void)arg;
    return jinja_escape(r, in, out);
}

static bool filter_forceescape(struct render *r, const struct value *in, const struct value *arg,
                               struct value *out)
{
    struct value text;
    (void)arg;
    if (!soft(r, in, &text))
        return false;
    text.flags &= (uint8_t)~VALUE_MARKUP;
    return jinja_escape(r, &text, out);
}

static bool put_url(struct builder *b, const struct value *v, bool query)
{
    struct value text;
    if (!jinja_to_str(b->r, v, &text) || !jinja_spend(b->r, text.text.size >> 2))
        return false;
    for (uint32_t at = 0; at < text.text.size && b->r->status == EMBER_OK; at++) {
        unsigned char c = (unsigned char)str_data(text.text)[at];
        bool untrusted = str_untrusted_at(text.text, at);
        char escape[8];
        if (c < 0x80 && (unicode_is_alnum(c) || strchr("_.-~", c) || (c == '/' && !query)) && c) {
            builder_char(b, c, untrusted);
        } else if (c == ' ' && query) {
            builder_char(b, '+', untrusted);
        } else {
            snprintf(escape, sizeof escape, "%%%02X", c);
            builder_string(b, escape, untrusted);
        }
    }
    return b->r->status == EMBER_OK;
}

static bool filter_urlencode(struct render *r, const struct value *in, const struct value *arg,
                             struct value *out)
{
    struct builder b;
    struct walk walk;
    struct value pair;
    bool first = true;
    (void)arg;
    builder_init(&b, r);
    if (in->kind == VALUE_STRING || !jinja_iterable(in))
        return put_url(&b, in, false) && builder_end(&b, out);
    struct value items = *in;
    if (in->kind == VALUE_DICT) {
        items.kind = VALUE_VIEW;
        items.view.dict = in->dict;
        items.view.kind = VIEW_ITEMS;
    }
    if (!jinja_walk(r, &items, &walk))
        return false;
    while (jinja_next(&walk, &pair)) {
        struct list *parts;
        if (!jinja_list_of(r, &pair, &parts))
            return false;
        if (parts->n != 2)
            return jinja_fail(r, "urlencode needs pairs");
        if (!first)
            builder_char(&b, '&', false);
        first = false;
        if (!put_url(&b, &parts->items[0], true))
            return false;
        builder_char(&b, '=', false);
        if (!put_url(&b, &parts->items[1], true))
            return false;
    }
    return builder_end(&b, out);
}

static bool filter_xmlattr(struct render *r, const struct value *in, const struct value *arg,
                           struct value *out)
{
    struct builder b;
    struct value text;
    if (in->kind != VALUE_DICT)
        return jinja_fail(r, "xmlattr needs a dict, not %s", jinja_kind_name(in));
    builder_init(&b, r);
    for (uint32_t i = 0; i < in->dict->n; i++) {
        const struct dict_entry *entry = &in->dict->entries[i];
        if (entry->value.kind == VALUE_NONE || entry->value.kind == VALUE_UNDEFINED)
            continue;
        if (entry->key.kind != VALUE_STRING)
            return jinja_fail(r, "xmlattr needs strings as names");
        for (uint32_t at = 0; at < entry->key.text.size; at++) {
            if (strchr(" \t\n\r\f\v/>=", str_data(entry->key.text)[at]))
                return jinja_fail(r, "xmlattr: a name has a character that names must not have");
        }
        if (builder_size(&b) || truth_or(&arg[0], true))
            builder_char(&b, ' ', false);
        if (!jinja_escape(r, &entry->key, &text))
            return false;
        builder_str(&b, text.text);
        builder_string(&b, "=\"", false);
        if (!jinja_escape(r, &entry->value, &text))
            return false;
        builder_str(&b, text.text);
        builder_char(&b, '"', false);
    }
    return builder_end(&b, out);
}

/* ---- JSON ---- */

static bool filter_tojson(struct render *r, const struct value *in, const struct value *arg,
                          struct value *out)
{
    struct json_style style = { .ascii = truth_or(&arg[0], false),
                                .sort = truth_or(&arg[3], false) };
    struct builder b;
    struct value spaces;
    int64_t width;
    if (given(&arg[1])) {
        style.indented = true;
        if (arg[1].kind == VALUE_STRING) {
            style.indent = arg[1].text;
        } else {
            if (!jinja_want_int(r, "tojson", &arg[1], &width))
                return false;
            builder_init(&b, r);
            builder_repeat(&b, ' ', width, false);
            if (!builder_end(&b, &spaces))
                return false;
            style.indent = spaces.text;
        }
    }
    style.item = str_literal(r, style.indented ? "," : ", ");
    style.colon = str_literal(r, ": ");
    if (given(&arg[2])) {
        struct list *pair;
        if (!jinja_list_of(r, &arg[2], &pair))
            return false;
        if (pair->n != 2 || pair->items[0].kind != VALUE_STRING ||
            pair->items[1].kind != VALUE_STRING)
            return jinja_fail(r, "tojson: separators must be two strings");
        style.item = pair->items[0].text;
        style.colon = pair->items[1].text;
    }
    builder_init(&b, r);
    return jinja_put_json(&b, in, &style) && builder_end(&b, out);
}

static bool filter_from_json(struct render *r, const struct value *in, const struct value *arg,
                             struct value *out)
{
    struct str text;
    (void)arg;
    return jinja_want_str(r, "from_json", in, &text) && jinja_from_json(r, text, out);
}

/* ---- numbers ---- */

/* Text as Python's int() takes it: blanks around, a sign, digits with single underscores, and a
 * prefix where the base allows one. *fits is false for a number of more than 64 bits. */
static bool parse_int(struct str s, int64_t base, int64_t *out, bool *fits)
{
    const char *data = str_data(s);
    uint32_t at = 0;
    bool negative = false, any = false, digit_before = false;
    *fits = true;
    *out = 0;
    if (at < s.size && (data[at] == '-' || data[at] == '+'))
        negative = data[at++] == '-';
    if (s.size - at > 2 && data[at] == '0') {
        char letter = (char)(data[at + 1] | 0x20);
        int64_t prefix = letter == 'x' ? 16 : letter == 'o' ? 8 : letter == 'b' ? 2 : 0;
        if (prefix && (base == prefix || base == 0)) {
            base = prefix;
            at += 2;
            digit_before = true; /* an underscore may follow the prefix */
        }
    }
    bool zero_only = base == 0 && at < s.size && data[at] == '0';
    if (base == 0)
        base = 10;
    while (at < s.size) {
        uint32_t c, n = str_char(s, at, &c);
        if (c == '_' && digit_before && at + 1 < s.size) {
            digit_before = false;
            at++;
            continue;
        }
        int digit = c == UTF8_BAD ? -1 : unicode_digit_value(c);
        if (digit < 0 && c < 0x80 && unicode_is_alpha(c))
            digit = (int)((c | 0x20) - 'a') + 10;
        if (digit < 0 || digit >= base || (zero_only && digit))
            return false;
        if (__builtin_mul_overflow(*out, base, out) ||
            __builtin_sub_overflow(*out, (int64_t)digit, out)) /* negative: INT64_MIN fits */
            *fits = false;
        any = digit_before = true;
        at += n;
    }
    if (!negative && __builtin_sub_overflow((int64_t)0, *out, out))
        *fits = false;
    return any && digit_before;
}

static bool parse_float_text(struct render *r, struct str s, double *out)
{
    struct str trimmed;
    return jinja_strip(r, s, NULL, 3, &trimmed) &&
           jinja_parse_float(str_data(trimmed), trimmed.size, out);
}

static bool filter_int(struct render *r, const struct value *in, const struct value *arg,
                       struct value *out)
{
    double d;
    int64_t i, base;
    bool fits, untrusted;
    struct str trimmed;
    if (in->kind == VALUE_UNDEFINED)
        return jinja_fail_undefined(r, in);
    if (!int_or(r, "int", &arg[1], 10, &base))
        return false;
    untrusted =
        in->kind == VALUE_STRING ? str_any_untrusted(in->text) : in->flags & VALUE_UNTRUSTED;
    if (value_is_integral(in)) {
        *out = value_int(value_integral(in));
    } else if (in->kind == VALUE_STRING && jinja_strip(r, in->text, NULL, 3, &trimmed) &&
               (base == 0 || (base >= 2 && base <= 36)) && parse_int(trimmed, base, &i, &fits)) {
        if (!fits)
            return jinja_fail(r, "an integer leaves the range of 64 bits");
        *out = value_int(i);
    } else if (in->kind == VALUE_FLOAT ||
               (in->kind == VALUE_STRING && parse_float_text(r, in->text, &d))) {
        if (in->kind == VALUE_FLOAT)
            d = in->number;
        if (isfinite(d) && fabs(d) >= 9.2e18)
            return jinja_fail(r, "an integer leaves the range of 64 bits");
        if (in->kind == VALUE_FLOAT && isinf(d))
            goto fallback;
        if (!isfinite(d))
            goto fallback;
        *out = value_int((int64_t)d);
    } else {
    fallback:
        *out = arg[0].kind == VALUE_MISSING ? value_int(0) : arg[0];
        return r->status == EMBER_OK;
    }
    out->flags |= untrusted ? VALUE_UNTRUSTED : 0;
    return r->status == EMBER_OK;
}

static bool filter_float(struct render *r, const struct value *in, const struct value *arg,
                         struct value *out)
{
    double d;
    bool untrusted = in->flags & VALUE_UNTRUSTED;
    if (in->kind == VALUE_UNDEFINED)
        return jinja_fail_undefined(r, in);
    if (value_is_number(in)) {
        *out = value_float(value_number(in));
    } else if (in->kind == VALUE_STRING && parse_float_text(r, in->text, &d)) {
        *out = value_float(d);
        untrusted = str_any_untrusted(in->text);
    } else {
        *out = arg[0].kind == VALUE_MISSING ? value_float(0) : arg[0];
        return r->status == EMBER_OK;
    }
    out->flags |= untrusted ? VALUE_UNTRUSTED : 0;
    return r->status == EMBER_OK;
}

static bool filter_abs(struct render *r, const struct value *in, const struct value *arg,
                       struct value *out)
{
    (void)arg;
    if (in->kind == VALUE_UNDEFINED)
        return jinja_fail_undefined(r, in);
    if (!value_is_number(in))
        return jinja_fail(r, "abs needs a number, not %s", jinja_kind_name(in));
    if (in->kind == VALUE_FLOAT) {
        *out = value_float(fabs(in->number));
    } else {
        int64_t i = value_integral(in);
        if (i < 0 && __builtin_sub_overflow((int64_t)0, i, &i))
            return jinja_fail(r, "an integer leaves the range of 64 bits");
        *out = value_int(i);
    }
    out->flags |= in->flags & VALUE_UNTRUSTED;
    return true;
}

/* Rounds to the nearest decimal, ties to even, by way of its digits. */
static bool round_decimal(double d, int64_t places, double *out)
{
    char text[512];
    *out = d;
    if (!isfinite(d) || places > 22 + 300)
        return true;
    if (places > 100)
        places = 100;
    if (places >= 0) {
        return jinja_number_text(d, 'f', (int)places, false, text, sizeof text) &&
               jinja_parse_float(text, strlen(text), out);
    }
    if (places < -308) {
        *out = copysign(0, d);
        return true;
    }
    double scale = pow(10, (double)-places), scaled = d / scale, whole = round(scaled);
    if (fabs(scaled - whole) == 0.5)
        whole = 2 * round(scaled / 2);
    *out = whole * scale;
    return true;
}

static bool filter_round(struct render *r, const struct value *in, const struct value *arg,
                         struct value *out)
{
    int64_t places;
    double d;
    const char *common = "common";
    struct str method = str_literal(r, common);
    if (in->kind == VALUE_UNDEFINED)
        return jinja_fail_undefined(r, in);
    if (!int_or(r, "round", &arg[0], 0, &places) ||
        (arg[1].kind != VALUE_MISSING && !jinja_want_str(r, "round", &arg[1], &method)))
        return false;
    if (!value_is_number(in))
        return jinja_fail(r, "round needs a number, not %s", jinja_kind_name(in));
    if (str_is(method, common)) {
        if (value_is_integral(in) && places >= 0) {
            *out = value_int(value_integral(in));
        } else if (!round_decimal(value_number(in), places, &d)) {
            return jinja_fail(r, "round: the number cannot be rounded");
        } else {
            *out = value_is_integral(in) ? value_int((int64_t)d) : value_float(d);
        }
    } else if (str_is(method, "ceil") || str_is(method, "floor")) {
        double scale = pow(10, (double)places);
        d = value_number(in) * scale;
        if (!isfinite(d) || scale == 0)
            return jinja_fail(r, "round: the number is too large");
        *out = value_float((str_is(method, "ceil") ? ceil(d) : floor(d)) / scale);
    } else {
        return jinja_fail(r, "round: the method must be common, ceil or floor");
    }
    out->flags |= in->flags & VALUE_UNTRUSTED;
    return true;
}

static bool filter_filesizeformat(struct render *r, const struct value *in, const struct value *arg,
                                  struct value *out)
{
    static const char *const units[2][8] = {
        { "kB", "MB", "GB", "TB", "PB", "EB", "ZB", "YB" },
        { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB", "ZiB", "YiB" },
    };
    bool binary = truth_or(&arg[0], false);
    double base = binary ? 1024 : 1000, unit = base, bytes;
    char text[128], number[96];
    struct builder b;
    if (in->kind == VALUE_UNDEFINED)
        return jinja_fail_undefined(r, in);
    if (value_is_number(in))
        bytes = value_number(in);
    else if (in->kind != VALUE_STRING || !parse_float_text(r, in->text, &bytes))
        return jinja_fail(r, "filesizeformat needs a number, not %s", jinja_kind_name(in));
    if (bytes == 1) {
        snprintf(text, sizeof text, "1 Byte");
    } else if (bytes < base) {
        snprintf(text, sizeof text, "%" PRId64 " Bytes", (int64_t)bytes);
    } else {
        int i = 0;
        for (; i < 7 && bytes >= unit * base; i++)
            unit *= base;
        if (!jinja_number_text(bytes / unit, 'f', 1, false, number, sizeof number))
            return jinja_fail(r, "filesizeformat: the number is too large");
        snprintf(text, sizeof text, "%s %s", number, units[binary][i]);
    }
    builder_init(&b, r);
    builder_string(&b, text,
                   in->kind == VALUE_STRING ? str_any_untrusted(in->text)
                                            : in->flags & VALUE_UNTRUSTED);
    return builder_end(&b, out);
}

const struct filter jinja_text_filters[] = {
    { "abs", "", 0, filter_abs, NULL },
    { "capitalize", "", 0, filter_capitalize, NULL },
    { "center", "width", 0, filter_center, NULL },
    { "e", "", 0, filter_escape, NULL },
    { "escape", "", 0, filter_escape, NULL },
    { "filesizeformat", "binary", 0, filter_filesizeformat, NULL },
    { "float", "default", 0, filter_float, NULL },
    { "forceescape", "", 0, filter_forceescape, NULL },
    { "format", NULL, 0, NULL, filter_format },
    { "from_json", "", 0, filter_from_json, NULL },
    { "indent", "width first blank", 0, filter_indent, NULL },
    { "int", "default base", 0, filter_int, NULL },
    { "lower", "", 0, filter_lower, NULL },
    { "replace", "old new count", 2, filter_replace, NULL },
    { "round", "precision method", 0, filter_round, NULL },
    { "safe", "", 0, filter_safe, NULL },
    { "string", "", 0, filter_string, NULL },
    { "title", "", 0, filter_title, NULL },
    { "tojson", "ensure_ascii indent separators sort_keys", 0, filter_tojson, NULL },
    { "trim", "chars", 0, filter_trim, NULL },
    { "truncate", "length killwords end leeway", 0, filter_truncate, NULL },
    { "upper", "", 0, filter_upper, NULL },
    { "urlencode", "", 0, filter_urlencode, NULL },
    { "wordcount", "", 0, filter_wordcount, NULL },
    { "xmlattr", "autospace", 0, filter_xmlattr, NULL },
    { 0 },
};
