/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ember/json.h>

#include <assert.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

/* What an open list is and whether it has items yet; after a name the value follows in place. */
enum level { OBJECT_EMPTY, OBJECT_FILLED, OBJECT_NAMED, ARRAY_EMPTY, ARRAY_FILLED };

struct ember_json_writer {
    struct text_buffer text;
    struct text_buffer levels; /* one enum level per byte */
    unsigned indent;
    locale_t c_locale;
};

struct ember_json_writer *ember_json_writer_new(unsigned indent)
{
    struct ember_json_writer *writer = calloc(1, sizeof *writer);
    if (!writer)
        return NULL;
    writer->indent = indent;
    writer->c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (!writer->c_locale) {
        ember_json_writer_free(writer);
        return NULL;
    }
    return writer;
}

void ember_json_writer_free(struct ember_json_writer *writer)
{
    if (!writer)
        return;
    text_finish(&writer->text);
    text_finish(&writer->levels);
    if (writer->c_locale)
        freelocale(writer->c_locale);
    free(writer);
}

static char *top(struct ember_json_writer *w)
{
    return w->levels.size && !w->levels.failed ? &w->levels.data[w->levels.size - 1] : NULL;
}

static void new_line(struct ember_json_writer *w)
{
    if (!w->indent)
        return;
    text_append_char(&w->text, '\n');
    for (size_t i = 0; i < w->levels.size * w->indent; i++)
        text_append_char(&w->text, ' ');
}

static void separate(struct ember_json_writer *w, bool first)
{
    if (!first)
        text_append_char(&w->text, ',');
    if (w->indent)
        new_line(w);
    else if (!first)
        text_append_char(&w->text, ' ');
}

/* To be called before each value: the comma, or nothing after a name. */
static void before_value(struct ember_json_writer *w)
{
    char *level = top(w);
    if (!level)
        return;
    assert(*level == OBJECT_NAMED || *level >= ARRAY_EMPTY);
    if (*level == OBJECT_NAMED) {
        *level = OBJECT_FILLED;
        return;
    }
    separate(w, *level == ARRAY_EMPTY);
    *level = ARRAY_FILLED;
}

static void begin(struct ember_json_writer *w, char bracket, enum level level)
{
    before_value(w);
    text_append_char(&w->text, bracket);
    text_append_char(&w->levels, (char)level);
}

static void end(struct ember_json_writer *w, char bracket)
{
    char *level = top(w);
    if (!level)
        return;
    bool filled = *level == OBJECT_FILLED || *level == ARRAY_FILLED;
    w->levels.size--;
    if (filled)
        new_line(w);
    text_append_char(&w->text, bracket);
}

void ember_json_begin_object(struct ember_json_writer *writer)
{
    begin(writer, '{', OBJECT_EMPTY);
}

void ember_json_end_object(struct ember_json_writer *writer)
{
    end(writer, '}');
}

void ember_json_begin_array(struct ember_json_writer *writer)
{
    begin(writer, '[', ARRAY_EMPTY);
}

void ember_json_end_array(struct ember_json_writer *writer)
{
    end(writer, ']');
}

/* How many bytes of an ill-formed sequence one U+FFFD stands for: the longest beginning of some
 * valid character, or one byte (Unicode's "maximal subpart"). */
static size_t bad_sequence(const unsigned char *s, size_t size)
{
    unsigned low = 0x80, high = 0xbf;
    size_t want, n = 1;

    if (s[0] >= 0xc2 && s[0] <= 0xdf)
        want = 2;
    else if (s[0] >= 0xe0 && s[0] <= 0xef)
        want = 3;
    else if (s[0] >= 0xf0 && s[0] <= 0xf4)
        want = 4;
    else
        return 1;
    /* the second byte is what rules out overlong forms, surrogates and > U+10FFFF */
    if (s[0] == 0xe0)
        low = 0xa0;
    else if (s[0] == 0xed)
        high = 0x9f;
    else if (s[0] == 0xf0)
        low = 0x90;
    else if (s[0] == 0xf4)
        high = 0x8f;
    while (n < want && n < size && s[n] >= low && s[n] <= high) {
        n++;
        low = 0x80;
        high = 0xbf;
    }
    return n;
}

static void write_quoted(struct ember_json_writer *w, struct ember_text text)
{
    static const char hex[] = "0123456789abcdef";
    const char *at = text.data, *stop = text.size ? at + text.size : at;

    text_append_char(&w->text, '"');
    while (at < stop) {
        const char *run = at;
        uint32_t code = 0;
        while (at < stop) {
            size_t n = utf8_decode(at, (size_t)(stop - at), &code);
            if (code == UTF8_BAD || code < 0x20 || code == '"' || code == '\\')
                break;
            at += n;
        }
        if (at > run)
            text_append(&w->text, run, (size_t)(at - run));
        if (at == stop)
            break;
        if (code == UTF8_BAD) {
            text_append_string(&w->text, "\xef\xbf\xbd");
            at += bad_sequence((const unsigned char *)at, (size_t)(stop - at));
            continue;
        }
        at++;
        text_append_char(&w->text, '\\');
        switch (code) {
        case '\b':
            text_append_char(&w->text, 'b');
            break;
        case '\f':
            text_append_char(&w->text, 'f');
            break;
        case '\n':
            text_append_char(&w->text, 'n');
            break;
        case '\r':
            text_append_char(&w->text, 'r');
            break;
        case '\t':
            text_append_char(&w->text, 't');
            break;
        case '"':
        case '\\':
            text_append_char(&w->text, (char)code);
            break;
        default:
            text_append_string(&w->text, "u00");
            text_append_char(&w->text, hex[code >> 4]);
            text_append_char(&w->text, hex[code & 15]);
        }
    }
    text_append_char(&w->text, '"');
}

void ember_json_name_text(struct ember_json_writer *writer, struct ember_text name)
{
    char *level = top(writer);
    assert(!level || *level == OBJECT_EMPTY || *level == OBJECT_FILLED);
    if (level) {
        separate(writer, *level == OBJECT_EMPTY);
        *level = OBJECT_NAMED;
    }
    write_quoted(writer, name);
    text_append_string(&writer->text, ": ");
}

void ember_json_name(struct ember_json_writer *writer, const char *name)
{
    ember_json_name_text(writer, (struct ember_text){ name, strlen(name) });
}

void ember_json_write_null(struct ember_json_writer *writer)
{
    before_value(writer);
    text_append_string(&writer->text, "null");
}

void ember_json_write_bool(struct ember_json_writer *writer, bool value)
{
    before_value(writer);
    text_append_string(&writer->text, value ? "true" : "false");
}

void ember_json_write_i64(struct ember_json_writer *writer, int64_t value)
{
    before_value(writer);
    text_printf(&writer->text, "%" PRId64, value);
}

void ember_json_write_u64(struct ember_json_writer *writer, uint64_t value)
{
    before_value(writer);
    text_printf(&writer->text, "%" PRIu64, value);
}

void ember_json_write_text(struct ember_json_writer *writer, struct ember_text text)
{
    before_value(writer);
    write_quoted(writer, text);
}

void ember_json_write_string(struct ember_json_writer *writer, const char *text)
{
    ember_json_write_text(writer, (struct ember_text){ text, strlen(text) });
}

/* A decimal number 0.d1 d2 d3 … × 10^exponent; digits without leading or trailing zeros. */
struct decimal {
    char digits[20];
    int n, exponent;
};

static void strip_zeros(struct decimal *d)
{
    while (d->n > 1 && d->digits[d->n - 1] == '0')
        d->n--;
}

/* `value` > 0 rounded to n digits. Reads printf's digits and skips its decimal separator, which
 * depends on the locale. */
static void round_to(struct decimal *d, double value, int n)
{
    char buffer[64];
    const char *at = buffer;
    snprintf(buffer, sizeof buffer, "%.*e", n - 1, value);
    for (d->n = 0; *at && *at != 'e'; at++) {
        if (*at >= '0' && *at <= '9' && d->n < n)
            d->digits[d->n++] = *at;
    }
    d->exponent = *at ? atoi(at + 1) + 1 : 1;
    strip_zeros(d);
}

/* The next larger decimal with n digits. */
static void step_up(struct decimal *d, int n)
{
    while (d->n < n)
        d->digits[d->n++] = '0';
    int i = n - 1;
    while (i >= 0 && d->digits[i] == '9')
        d->digits[i--] = '0';
    if (i >= 0) {
        d->digits[i]++;
    } else {
        d->digits[0] = '1';
        d->exponent++;
    }
    strip_zeros(d);
}

static bool reads_back(const struct decimal *d, double value, bool is_f32, locale_t c_locale)
{
    char buffer[64];
    snprintf(buffer, sizeof buffer, "%.*se%d", d->n, d->digits, d->exponent - d->n);
    return is_f32 ? strtof_l(buffer, NULL, c_locale) == (float)value
                  : strtod_l(buffer, NULL, c_locale) == value;
}

/* The decimal with fewest digits that reads back as `value` (> 0, finite).
 *
 * Any decimal of up to FLT_DIG = 6 (DBL_DIG = 15) digits survives the way through a normal float
 * (double), so if one that short exists, rounding to 6 (15) digits finds it, padded with zeros; the
 * search starts there. Subnormal numbers lack that promise and start at one digit. At a power of
 * two the gap above is twice the gap below, so the next decimal up may read back when the nearest
 * one does not. */
static void shortest(struct decimal *d, double value, bool is_f32, locale_t c_locale)
{
    int most = is_f32 ? 9 : 17, exponent;
    bool normal = value >= (is_f32 ? 0x1p-126 : 0x1p-1022);
    bool power_of_two = frexp(value, &exponent) == 0.5;

    for (int n = normal ? (is_f32 ? 6 : 15) : 1; n <= most; n++) {
        round_to(d, value, n);
        if (reads_back(d, value, is_f32, c_locale))
            return;
        if (power_of_two) {
            step_up(d, n);
            if (reads_back(d, value, is_f32, c_locale))
                return;
        }
    }
}

void ember_json_write_f64(struct ember_json_writer *writer, double value, bool is_f32)
{
    struct text_buffer *text = &writer->text;
    struct decimal d;

    if (is_f32)
        value = (double)(float)value;
    if (isnan(value)) {
        ember_json_write_string(writer, "nan");
        return;
    }
    if (isinf(value)) {
        ember_json_write_string(writer, value > 0 ? "inf" : "-inf");
        return;
    }
    before_value(writer);
    if (signbit(value))
        text_append_char(text, '-');
    if (value == 0) {
        text_append_string(text, "0.0");
        return;
    }
    shortest(&d, fabs(value), is_f32, writer->c_locale);
    if (d.exponent < -3 || d.exponent > 16) {
        text_append_char(text, d.digits[0]);
        if (d.n > 1) {
            text_append_char(text, '.');
            text_append(text, d.digits + 1, (size_t)d.n - 1);
        }
        text_printf(text, "e%d", d.exponent - 1);
        return;
    }
    if (d.exponent <= 0)
        text_append_string(text, "0.");
    for (int i = d.exponent; i < 0; i++)
        text_append_char(text, '0');
    for (int i = 0; i < d.n || i < d.exponent; i++) {
        if (i == d.exponent && i > 0)
            text_append_char(text, '.');
        text_append_char(text, i < d.n ? d.digits[i] : '0');
    }
    if (d.exponent >= d.n)
        text_append_string(text, ".0");
}

const char *ember_json_writer_finish(struct ember_json_writer *writer, size_t *size)
{
    if (writer->text.failed || writer->levels.failed)
        return NULL;
    assert(writer->levels.size == 0);
    if (size)
        *size = writer->text.size;
    return writer->text.data;
}
