/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Formatting: "%s" % values, "{}".format(values), and the specifications of one field. What is
 * inserted keeps its own marks. */
#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "chat/jinja_run.h"

enum { MAX_WIDTH = 100000, MAX_PRECISION = 100, NUMBER_TEXT = 1024 };

struct spec {
    uint32_t fill;
    char align; /* '<', '>', '^', '=' or 0 */
    char sign;  /* '+', ' ' or 0 */
    bool alternative, zero;
    char grouping;        /* ',', '_' or 0 */
    int width, precision; /* -1: not given */
    char type;            /* 0: not given */
};

/* ---- one number ---- */

/* Digits of an integer without its sign. */
static const char *integer_digits(uint64_t magnitude, char type, char buffer[72])
{
    unsigned base = type == 'b' ? 2 : type == 'o' ? 8 : type == 'x' || type == 'X' ? 16 : 10;
    const char *letters = type == 'X' ? "0123456789ABCDEF" : "0123456789abcdef";
    char *at = buffer + 71;
    *at = '\0';
    do {
        *--at = letters[magnitude % base];
        magnitude /= base;
    } while (magnitude);
    return at;
}

/* Whether %g of this number would need an exponent: its decimal exponent after rounding. */
static int decimal_exponent(double d, int precision)
{
    char text[NUMBER_TEXT];
    if (d == 0 ||
        !jinja_number_text(d, 'e', precision > 0 ? precision - 1 : 0, false, text, sizeof text))
        return 0;
    return atoi(strchr(text, 'e') + 1);
}

/* Digits of |d| for a type of format(), without sign. */
static bool float_digits(double d, const struct spec *spec, char *out, size_t size)
{
    char type = spec->type;
    int precision = spec->precision;
    d = fabs(d);
    if (!isfinite(d)) {
        snprintf(out, size, "%s", isnan(d) ? "nan" : "inf");
    } else if (type == 0 && precision < 0) {
        char text[FLOAT_TEXT_MAX];
        unsigned n = jinja_float_text(d, text);
        snprintf(out, size, "%.*s", (int)n, text);
    } else if (type == 0) {
        if (precision == 0)
            precision = 1;
        int exponent = decimal_exponent(d, precision);
        if (exponent >= precision - 1 && exponent < precision) {
            /* A whole number of just as many digits would look like an integer. */
            if (!jinja_number_text(d, 'e', precision - 1, spec->alternative, out, size))
                return false;
            char *e = strchr(out, 'e'), *at = e;
            if (memchr(out, '.', (size_t)(e - out))) {
                while (at[-1] == '0')
                    at--;
                at -= at[-1] == '.';
                memmove(at, e, strlen(e) + 1);
            }
            return true;
        }
        if (!jinja_number_text(d, 'g', precision, spec->alternative, out, size))
            return false;
        if (!strpbrk(out, ".e") && strlen(out) + 3 < size)
            strcat(out, ".0");
    } else {
        char style = (char)tolower((unsigned char)type);
        bool percent = type == '%';
        if (percent)
            d *= 100;
        if (!jinja_number_text(d,
                               percent || style == 'f' ? 'f'
                               : style == 'e'          ? 'e'
                                                       : 'g',
                               precision < 0 ? 6 : precision, spec->alternative, out, size))
            return false;
        if (percent && strlen(out) + 2 < size)
            strcat(out, "%");
    }
    if (type && isupper((unsigned char)type)) {
        for (char *at = out; *at; at++)
            *at = (char)toupper((unsigned char)*at);
    }
    return true;
}

/* Puts separators into the whole part, counted from its end. */
static void group(char *text, size_t size, const struct spec *spec)
{
    size_t each = spec->grouping == '_' && spec->type && strchr("boxX", spec->type) ? 4 : 3;
    size_t whole = strspn(text, "0123456789abcdefABCDEF");
    if (spec->type && strchr("eEgG", spec->type))
        whole = strspn(text, "0123456789");
    size_t extra = whole ? (whole - 1) / each : 0, n = strlen(text);
    if (!whole || n + extra + 1 > size)
        return;
    memmove(text + whole + extra, text + whole, n - whole + 1);
    for (size_t i = 0; i < whole && extra; i++) {
        size_t from = whole - 1 - i, to = from + extra;
        text[to] = text[from];
        if ((i + 1) % each == 0) {
            text[to - 1] = spec->grouping;
            extra--;
        }
    }
}

/* sign, prefix, digits, with padding around or between. */
static void put_padded(struct builder *b, const char *sign, const char *prefix, const char *digits,
                       const struct spec *spec, char align, uint32_t fill, bool untrusted)
{
    int64_t size = (int64_t)(strlen(sign) + strlen(prefix) + strlen(digits));
    int64_t pad = spec->width > size ? spec->width - size : 0;
    int64_t left = align == '<' || align == '=' ? 0 : align == '^' ? pad / 2 : pad;
    builder_repeat(b, fill, left, untrusted);
    builder_string(b, sign, untrusted);
    builder_string(b, prefix, untrusted);
    if (align == '=')
        builder_repeat(b, fill, pad, untrusted);
    builder_string(b, digits, untrusted);
    if (align != '=')
        builder_repeat(b, fill, pad - left, untrusted);
}

static bool put_number(struct builder *b, const struct value *v, const struct spec *spec)
{
    char text[NUMBER_TEXT], digits[72];
    const char *prefix = "";
    bool negative, untrusted = v->flags & VALUE_UNTRUSTED;
    bool whole = value_is_integral(v) && (!spec->type || strchr("dbioxXnu", spec->type));
    if (whole) {
        int64_t i = value_integral(v);
        negative = i < 0;
        if (spec->precision > MAX_PRECISION)
            return jinja_fail(b->r, "a precision is too large");
        const char *at =
            integer_digits(negative ? 0 - (uint64_t)i : (uint64_t)i, spec->type, digits);
        int zeros = spec->precision > (int)strlen(at) ? spec->precision - (int)strlen(at) : 0;
        snprintf(text, sizeof text, "%.*s%s", zeros,
                 "00000000000000000000000000000000000000000000000000"
                 "00000000000000000000000000000000000000000000000000",
                 at);
        if (spec->alternative)
            prefix = spec->type == 'x'   ? "0x"
                     : spec->type == 'X' ? "0X"
                     : spec->type == 'o' ? "0o"
                     : spec->type == 'b' ? "0b"
                                         : "";
    } else {
        double d = value_number(v);
        negative = signbit(d) && !isnan(d);
        if (spec->precision > MAX_PRECISION || !float_digits(d, spec, text, sizeof text))
            return jinja_fail(b->r, "a number is too long to format");
    }
    if (spec->grouping)
        group(text, sizeof text, spec);
    const char *sign = negative ? "-" : spec->sign == '+' ? "+" : spec->sign == ' ' ? " " : "";
    char align = spec->align ? spec->align : spec->zero ? '=' : '>';
    uint32_t fill = spec->fill ? spec->fill : spec->zero ? '0' : ' ';
    put_padded(b, sign, prefix, text, spec, align, fill, untrusted);
    return b->r->status == EMBER_OK;
}

static bool put_text(struct builder *b, struct str s, const struct spec *spec)
{
    struct render *r = b->r;
    if (spec->precision >= 0)
        s = str_part(s, 0, str_byte_of(r, s, (uint32_t)spec->precision));
    int64_t pad = spec->width - (int64_t)str_length(r, s);
    if (pad < 0)
        pad = 0;
    int64_t left = spec->align == '>' ? pad : spec->align == '^' ? pad / 2 : 0;
    uint32_t fill = spec->fill ? spec->fill : spec->zero ? '0' : ' ';
    builder_repeat(b, fill, left, false);
    builder_str(b, s);
    builder_repeat(b, fill, pad - left, false);
    return r->status == EMBER_OK;
}

/* ---- format specifications ---- */

static bool read_number(struct str s, uint32_t *at, int limit, int *out)
{
    uint32_t from = *at;
    int64_t n = 0;
    for (; *at < s.size && isdigit((unsigned char)str_data(s)[*at]); ++*at) {
        n = n * 10 + (str_data(s)[*at] - '0');
        if (n > limit)
            return false;
    }
    if (*at > from)
        *out = (int)n;
    return true;
}

static bool read_spec(struct str s, struct spec *spec)
{
    const char *data = str_data(s);
    uint32_t at = 0, c = 0, n = s.size ? str_char(s, 0, &c) : 0;
    *spec = (struct spec){ .width = -1, .precision = -1 };
    if (n && n < s.size && strchr("<>=^", data[n]) && data[n]) {
        spec->fill = c;
        spec->align = data[n];
        at = n + 1;
    } else if (s.size && strchr("<>=^", data[0])) {
        spec->align = data[0];
        at = 1;
    }
    if (at < s.size && strchr("+- ", data[at]))
        spec->sign = data[at++];
    if (at < s.size && data[at] == '#') {
        spec->alternative = true;
        at++;
    }
    if (at < s.size && data[at] == '0') {
        spec->zero = true;
        at++;
    }
    if (!read_number(s, &at, MAX_WIDTH, &spec->width))
        return false;
    if (at < s.size && (data[at] == ',' || data[at] == '_'))
        spec->grouping = data[at++];
    if (at < s.size && data[at] == '.') {
        at++;
        if (!read_number(s, &at, MAX_WIDTH, &spec->precision) || spec->precision < 0)
            return false;
    }
    if (at < s.size)
        spec->type = data[at++];
    return at == s.size;
}

bool jinja_format_field(struct builder *b, const struct value *v, struct str text)
{
    struct render *r = b->r;
    struct spec spec;
    if (!text.size) {
        jinja_put_str(b, v);
        return r->status == EMBER_OK;
    }
    if (!read_spec(text, &spec))
        return jinja_fail(r, "the format '%.*s' cannot be read", (int)text.size, str_data(text));
    if (v->kind == VALUE_STRING && (!spec.type || spec.type == 's') && spec.align != '=' &&
        !spec.sign && !spec.alternative && !spec.grouping)
        return put_text(b, v->text, &spec);
    if (value_is_number(v)) {
        bool whole = value_is_integral(v);
        if (whole && spec.type == 'c') {
            struct builder one;
            struct value c;
            builder_init(&one, r);
            builder_char(&one, (uint32_t)value_integral(v), v->flags & VALUE_UNTRUSTED);
            return builder_end(&one, &c) && put_text(b, c.text, &spec);
        }
        if ((!spec.type || strchr(whole ? "dboxXneEfFgG%" : "eEfFgGn%", spec.type)) &&
            !(whole && spec.precision >= 0 && (!spec.type || strchr("dboxXn", spec.type))))
            return put_number(b, v, &spec);
    }
    return jinja_fail(r, "the format '%.*s' does not suit a %s", (int)text.size, str_data(text),
                      jinja_kind_name(v));
}

/* ---- "…".format() ---- */

struct braces {
    struct builder *b;
    const struct arguments *args;
    uint32_t next; /* number of the next {} */
    bool automatic, manual;
};

static bool named_field(struct render *r, const struct arguments *args, struct str name,
                        struct value *out)
{
    for (uint32_t i = 0; i < args->n_named; i++) {
        if (str_equal(args->named[i].name, name)) {
            *out = args->named[i].value;
            return true;
        }
    }
    return jinja_fail(r, "format(): there is no argument named '%.*s'", (int)name.size,
                      str_data(name));
}

/* The first part of a field: a number, a name, or nothing for the next argument. */
static bool first_part(struct braces *f, struct str name, struct value *out)
{
    struct render *r = f->b->r;
    uint32_t at = 0;
    int number = -1;
    if (!read_number(name, &at, 1000000, &number) || (number >= 0 && at < name.size))
        number = -1;
    if (number < 0 && name.size)
        return named_field(r, f->args, name, out);
    f->automatic |= !name.size;
    f->manual |= name.size > 0;
    if (f->automatic && f->manual)
        return jinja_fail(r, "format(): numbered and unnumbered fields are mixed");
    uint32_t index = name.size ? (uint32_t)number : f->next++;
    if (index >= f->args->n)
        return jinja_fail(r, "format(): there is no argument %u", index);
    *out = f->args->at[index];
    return true;
}

/* name, name.attribute, name[key] … */
static bool field_value(struct braces *f, struct str name, struct value *out)
{
    struct render *r = f->b->r;
    const char *data = str_data(name);
    uint32_t at = 0;
    while (at < name.size && data[at] != '.' && data[at] != '[')
        at++;
    if (!first_part(f, str_part(name, 0, at), out))
        return false;
    while (at < name.size) {
        struct value object = *out;
        bool item = data[at] == '[';
        uint32_t from = ++at;
        while (at < name.size && (item ? data[at] != ']' : data[at] != '.' && data[at] != '['))
            at++;
        struct str part = str_part(name, from, at - from);
        if (!part.size || (item && at == name.size))
            return jinja_fail(r, "format(): a field has an empty part");
        if (item) {
            struct value key = value_str(part);
            uint32_t end = 0;
            int number = -1;
            at++;
            if (read_number(part, &end, 1000000, &number) && end == part.size)
                key = value_int(number);
            if (!jinja_item(r, &object, &key, out))
                return false;
        } else if (!jinja_attribute(r, &object, part, out)) {
            return false;
        }
    }
    return true;
}

static bool put_fields(struct braces *f, struct str s, unsigned depth);

static bool put_field(struct braces *f, struct str field, unsigned depth)
{
    struct render *r = f->b->r;
    const char *data = str_data(field);
    uint32_t name = 0, colon, brackets = 0;
    while (name < field.size && (brackets || (data[name] != '!' && data[name] != ':'))) {
        brackets += data[name] == '[';
        brackets -= brackets && data[name] == ']';
        name++;
    }
    struct value v, text;
    char conversion = 0;
    if (!field_value(f, str_part(field, 0, name), &v))
        return false;
    colon = name;
    if (colon < field.size && data[colon] == '!') {
        conversion = colon + 1 < field.size ? data[colon + 1] : '?';
        colon += 2;
        if ((conversion != 'r' && conversion != 's') || (colon < field.size && data[colon] != ':'))
            return jinja_fail(r, "format(): a conversion other than !r and !s");
    }
    if (conversion) {
        struct builder whole;
        builder_init(&whole, r);
        if (conversion == 'r')
            jinja_put_repr(&whole, &v);
        else
            jinja_put_str(&whole, &v);
        if (!builder_end(&whole, &v))
            return false;
    }
    if (colon >= field.size)
        return jinja_format_field(f->b, &v, (struct str){ 0 });
    /* The specification may have fields of its own. */
    struct builder spec, *outer = f->b;
    builder_init(&spec, r);
    f->b = &spec;
    bool ok = put_fields(f, str_part(field, colon + 1, field.size - colon - 1), depth + 1) &&
              builder_end(&spec, &text);
    f->b = outer;
    return ok && jinja_format_field(f->b, &v, text.text);
}

static bool put_fields(struct braces *f, struct str s, unsigned depth)
{
    struct render *r = f->b->r;
    const char *data = str_data(s);
    if (depth > 2)
        return jinja_fail(r, "format(): fields are nested too deep");
    for (uint32_t at = 0, from = 0;; at++) {
        bool end = at >= s.size;
        if (!end && data[at] != '{' && data[at] != '}')
            continue;
        builder_str(f->b, str_part(s, from, (end ? s.size : at) - from));
        if (end)
            return r->status == EMBER_OK;
        if (at + 1 < s.size && data[at + 1] == data[at]) {
            builder_str(f->b, str_part(s, at, 1));
            from = ++at + 1;
            continue;
        }
        if (data[at] == '}')
            return jinja_fail(r, "format(): a '}' stands alone");
        uint32_t open = 1, close = at + 1;
        for (; close < s.size; close++) {
            open += data[close] == '{';
            open -= data[close] == '}';
            if (!open)
                break;
        }
        if (close >= s.size)
            return jinja_fail(r, "format(): a '{' is never closed");
        if (!jinja_spend(r, 1) || !put_field(f, str_part(s, at + 1, close - at - 1), depth))
            return false;
        at = close;
        from = close + 1;
    }
}

bool jinja_format_braces(struct render *r, struct str format, const struct arguments *args,
                         struct value *out)
{
    struct builder b;
    struct braces fields = { .b = &b, .args = args };
    builder_init(&b, r);
    return put_fields(&fields, format, 0) && builder_end(&b, out);
}

/* ---- "…" % values ---- */

struct percent {
    struct builder *b;
    struct str format;
    uint32_t at;
    const struct value *values;
    uint32_t next; /* of a tuple, or whether the one value is used */
    bool markup;
};

static bool next_value(struct percent *p, struct value *out)
{
    bool tuple = p->values->kind == VALUE_TUPLE;
    uint32_t n = tuple ? p->values->list->n : 1;
    if (p->next >= n)
        return jinja_fail(p->b->r, "a format has more fields than there are values");
    *out = tuple ? p->values->list->items[p->next] : *p->values;
    p->next++;
    return true;
}

/* A width or precision: digits, or '*' for the next value. */
static bool percent_number(struct percent *p, int *out)
{
    struct value v;
    int64_t n;
    if (p->at < p->format.size && str_data(p->format)[p->at] == '*') {
        p->at++;
        if (!next_value(p, &v) || !jinja_want_int(p->b->r, "a width", &v, &n))
            return false;
        *out = n < 0 ? 0 : n > MAX_WIDTH ? MAX_WIDTH : (int)n;
        return true;
    }
    return read_number(p->format, &p->at, MAX_WIDTH, out) ||
           jinja_fail(p->b->r, "a width is too large");
}

static bool put_converted(struct percent *p, const struct value *v, struct spec *spec, bool left)
{
    struct render *r = p->b->r;
    struct value text, whole = *v;
    struct builder b;
    builder_init(&b, r);
    spec->align = left ? '<' : 0;
    switch (spec->type) {
    case 's':
    case 'r':
        if (spec->type == 'r')
            jinja_put_repr(&b, v);
        else
            jinja_put_str(&b, v);
        if (!builder_end(&b, &text))
            return false;
        if (p->markup) {
            text.flags |= v->kind == VALUE_STRING ? v->flags & VALUE_MARKUP : 0;
            if (!jinja_escape(r, &text, &text))
                return false;
        }
        break;
    case 'c':
        if (v->kind == VALUE_STRING && str_length(r, v->text) == 1) {
            text = *v;
            break;
        }
        if (!value_is_integral(v))
            return jinja_fail(r, "%%c needs one character");
        builder_char(&b, (uint32_t)value_integral(v), v->flags & VALUE_UNTRUSTED);
        if (!builder_end(&b, &text))
            return false;
        break;
    case 'd':
    case 'i':
    case 'u':
        if (v->kind == VALUE_FLOAT) {
            if (!(fabs(v->number) < 9e18))
                return jinja_fail(r, "a number is too large for %%%c", spec->type);
            whole = value_int((int64_t)v->number);
            whole.flags = v->flags;
        }
        /* fall through */
    case 'o':
    case 'x':
    case 'X':
        if (!value_is_integral(&whole))
            return jinja_fail(r, "%%%c needs a number, not %s", spec->type, jinja_kind_name(v));
        spec->zero &= !left;
        return put_number(p->b, &whole, spec);
    case 'e':
    case 'E':
    case 'f':
    case 'F':
    case 'g':
    case 'G':
        if (!value_is_number(v))
            return jinja_fail(r, "%%%c needs a number, not %s", spec->type, jinja_kind_name(v));
        spec->zero &= !left;
        return put_number(p->b, v, spec);
    default:
        return jinja_fail(r, "the format %%%c is not supported",
                          isprint((unsigned char)spec->type) ? spec->type : '?');
    }
    spec->zero = false;
    spec->align = left ? '<' : '>';
    return put_text(p->b, text.text, spec);
}

static bool put_conversion(struct percent *p)
{
    struct render *r = p->b->r;
    const char *data = str_data(p->format);
    struct spec spec = { .width = -1, .precision = -1 };
    struct value v = { 0 };
    bool left = false, named = false;
    uint32_t size = p->format.size, first = p->at;

    if (p->at < size && data[p->at] == '(') {
        uint32_t from = ++p->at, open = 1;
        for (; p->at < size; p->at++) {
            open += data[p->at] == '(';
            open -= data[p->at] == ')';
            if (!open)
                break;
        }
        if (p->at == size)
            return jinja_fail(r, "a format has a name that is never closed");
        if (p->values->kind != VALUE_DICT)
            return jinja_fail(r, "a format with names needs a dict");
        const struct value *found =
            dict_get_str(r, p->values->dict, str_part(p->format, from, p->at - from));
        if (!found)
            return jinja_fail(r, "a format names what its dict does not have");
        v = *found;
        named = true;
        p->at++;
    }
    for (; p->at < size && data[p->at] && strchr("-+ #0", data[p->at]); p->at++) {
        left |= data[p->at] == '-';
        spec.alternative |= data[p->at] == '#';
        spec.zero |= data[p->at] == '0';
        if (data[p->at] == '+' || (data[p->at] == ' ' && !spec.sign))
            spec.sign = data[p->at];
    }
    if (!percent_number(p, &spec.width))
        return false;
    if (p->at < size && data[p->at] == '.') {
        p->at++;
        spec.precision = 0;
        if (!percent_number(p, &spec.precision))
            return false;
    }
    while (p->at < size && data[p->at] && strchr("hlL", data[p->at]))
        p->at++;
    if (p->at == size)
        return jinja_fail(r, "a format ends too early");
    spec.type = data[p->at++];
    if (spec.type == '%' && p->at == first + 1) {
        builder_char(p->b, '%', false);
        return true;
    }
    return (named || next_value(p, &v)) && put_converted(p, &v, &spec, left);
}

bool jinja_format_percent(struct render *r, struct str format, bool markup,
                          const struct value *values, struct value *out)
{
    struct builder b;
    struct percent p = { .b = &b, .format = format, .values = values, .markup = markup };
    builder_init(&b, r);
    while (p.at < format.size) {
        const char *data = str_data(format) + p.at;
        const char *found = memchr(data, '%', format.size - p.at);
        uint32_t n = found ? (uint32_t)(found - data) : format.size - p.at;
        builder_str(&b, str_part(format, p.at, n));
        p.at += n;
        if (!found)
            break;
        p.at++;
        if (!jinja_spend(r, 1) || !put_conversion(&p))
            return false;
    }
    /* Values that nobody asked for are an error, unless they come as a container. */
    uint32_t n = values->kind == VALUE_TUPLE ? values->list->n : 1;
    bool container = values->kind == VALUE_DICT || values->kind == VALUE_LIST ||
                     values->kind == VALUE_RANGE || values->kind == VALUE_UNDEFINED;
    if (p.next < n && !container)
        return jinja_fail(r, "a format has fewer fields than there are values");
    if (!builder_end(&b, out))
        return false;
    if (markup)
        out->flags |= VALUE_MARKUP;
    return true;
}
