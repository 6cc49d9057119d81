/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The methods of strings. */
#include <string.h>

#include "base/text.h"
#include "chat/jinja_run.h"
#include "chat/jinja_str.h"
#include "chat/unicode.h"

/* Strings made of markup are markup. */
static bool keep_markup(bool ok, const struct value *self, struct value *out)
{
    out->flags |= self->flags & VALUE_MARKUP;
    return ok;
}

#define CASE_METHOD(name, map)                                                                     \
    static bool str_##name(struct render *r, const struct value *self, const struct value *arg,    \
                           struct value *out)                                                      \
    {                                                                                              \
        (void)arg;                                                                                 \
        return keep_markup(jinja_map_case(r, self->text, map, out), self, out);                    \
    }
CASE_METHOD(upper, CASE_UPPER)
CASE_METHOD(lower, CASE_LOWER)
CASE_METHOD(casefold, CASE_FOLD)
CASE_METHOD(capitalize, CASE_CAPITALIZE)
CASE_METHOD(swapcase, CASE_SWAP)
CASE_METHOD(title, CASE_TITLE)

/* ---- strip ---- */

static bool strip(struct render *r, const struct value *self, const struct value *arg, int sides,
                  struct value *out)
{
    struct str chars, result;
    bool given = arg[0].kind != VALUE_MISSING && arg[0].kind != VALUE_NONE;
    if (given && !jinja_want_str(r, "strip()", &arg[0], &chars))
        return false;
    if (!jinja_strip(r, self->text, given ? &chars : NULL, sides, &result))
        return false;
    *out = value_str(result);
    return keep_markup(true, self, out);
}

static bool str_strip(struct render *r, const struct value *self, const struct value *arg,
                      struct value *out)
{
    return strip(r, self, arg, 3, out);
}

static bool str_lstrip(struct render *r, const struct value *self, const struct value *arg,
                       struct value *out)
{
    return strip(r, self, arg, 1, out);
}

static bool str_rstrip(struct render *r, const struct value *self, const struct value *arg,
                       struct value *out)
{
    return strip(r, self, arg, 2, out);
}

static bool str_removeprefix(struct render *r, const struct value *self, const struct value *arg,
                             struct value *out)
{
    struct str s = self->text, prefix;
    if (!jinja_want_str(r, "removeprefix()", &arg[0], &prefix))
        return false;
    if (prefix.size <= s.size && str_equal(str_part(s, 0, prefix.size), prefix))
        s = str_part(s, prefix.size, s.size - prefix.size);
    *out = value_str(s);
    return keep_markup(true, self, out);
}

static bool str_removesuffix(struct render *r, const struct value *self, const struct value *arg,
                             struct value *out)
{
    struct str s = self->text, suffix;
    if (!jinja_want_str(r, "removesuffix()", &arg[0], &suffix))
        return false;
    if (suffix.size <= s.size && str_equal(str_part(s, s.size - suffix.size, suffix.size), suffix))
        s = str_part(s, 0, s.size - suffix.size);
    *out = value_str(s);
    return keep_markup(true, self, out);
}

/* ---- split and join ---- */

static bool push_part(struct render *r, struct list *out, struct str s, uint32_t from, uint32_t end)
{
    struct value part = value_str(str_part(s, from, end - from));
    return list_push(r, out, &part);
}

static bool is_space_at(struct str s, uint32_t at, uint32_t *n)
{
    uint32_t c;
    *n = str_char(s, at, &c);
    return c != UTF8_BAD && unicode_is_space(c);
}

static bool is_space_before(struct str s, uint32_t end, uint32_t *n)
{
    uint32_t c;
    *n = str_char_before(s, end, &c);
    return c != UTF8_BAD && unicode_is_space(c);
}

static bool split_space(struct render *r, struct str s, int64_t max, struct list *out)
{
    uint32_t at = 0, n;
    for (;;) {
        while (at < s.size && is_space_at(s, at, &n))
            at += n;
        if (at >= s.size)
            return true;
        uint32_t from = at;
        if (max-- == 0)
            return push_part(r, out, s, from, s.size);
        while (at < s.size && !is_space_at(s, at, &n))
            at += n;
        if (!push_part(r, out, s, from, at))
            return false;
    }
}

static bool rsplit_space(struct render *r, struct str s, int64_t max, struct list *out)
{
    uint32_t end = s.size, n;
    for (;;) {
        while (end > 0 && is_space_before(s, end, &n))
            end -= n;
        if (!end)
            return true;
        uint32_t from = end;
        if (max-- == 0)
            return push_part(r, out, s, 0, end);
        while (from > 0 && !is_space_before(s, from, &n))
            from -= n;
        if (!push_part(r, out, s, from, end))
            return false;
        end = from;
    }
}

static void reverse(struct list *list)
{
    for (uint32_t i = 0; i < list->n / 2; i++) {
        struct value v = list->items[i];
        list->items[i] = list->items[list->n - 1 - i];
        list->items[list->n - 1 - i] = v;
    }
}

bool jinja_split(struct render *r, struct str s, const struct str *sep, int64_t max,
                 bool from_right, struct list *out)
{
    if (!sep) {
        if (!jinja_spend(r, s.size >> 3))
            return false;
        if (!(from_right ? rsplit_space(r, s, max, out) : split_space(r, s, max, out)))
            return false;
        if (from_right)
            reverse(out);
        return true;
    }
    if (!sep->size)
        return jinja_fail(r, "split(): the separator is empty");
    uint32_t from = 0, end = s.size;
    while (max-- != 0) {
        uint32_t found =
            from_right ? str_rfind(r, s, *sep, 0, end) : str_find(r, s, *sep, from, s.size);
        if (found == UINT32_MAX)
            break;
        if (!push_part(r, out, s, from_right ? found + sep->size : from, from_right ? end : found))
            return false;
        if (from_right)
            end = found;
        else
            from = found + sep->size;
    }
    if (!push_part(r, out, s, from, end))
        return false;
    if (from_right)
        reverse(out);
    return r->status == EMBER_OK;
}

static bool split(struct render *r, const struct value *self, const struct value *arg,
                  bool from_right, struct value *out)
{
    struct str sep;
    int64_t max = -1;
    bool given = arg[0].kind != VALUE_MISSING && arg[0].kind != VALUE_NONE;
    if ((given && !jinja_want_str(r, "split()", &arg[0], &sep)) ||
        (arg[1].kind != VALUE_MISSING && !jinja_want_int(r, "split()", &arg[1], &max)))
        return false;
    struct list *list = list_new(r, 0);
    if (!list || !jinja_split(r, self->text, given ? &sep : NULL, max, from_right, list))
        return false;
    for (uint32_t i = 0; i < list->n; i++)
        list->items[i].flags |= self->flags & VALUE_MARKUP;
    *out = value_list(list);
    return true;
}

static bool str_split(struct render *r, const struct value *self, const struct value *arg,
                      struct value *out)
{
    return split(r, self, arg, false, out);
}

static bool str_rsplit(struct render *r, const struct value *self, const struct value *arg,
                       struct value *out)
{
    return split(r, self, arg, true, out);
}

static bool str_splitlines(struct render *r, const struct value *self, const struct value *arg,
                           struct value *out)
{
    struct list *list = list_new(r, 0);
    bool keep = arg[0].kind != VALUE_MISSING && jinja_truth(&arg[0]);
    if (!list || !jinja_split_lines(r, self->text, keep, list))
        return false;
    *out = value_list(list);
    return true;
}

static bool partition(struct render *r, const struct value *self, const struct value *arg,
                      bool from_right, struct value *out)
{
    struct str s = self->text, sep;
    if (!jinja_want_str(r, "partition()", &arg[0], &sep))
        return false;
    if (!sep.size)
        return jinja_fail(r, "partition(): the separator is empty");
    struct list *list = list_new(r, 3);
    uint32_t found = from_right ? str_rfind(r, s, sep, 0, s.size) : str_find(r, s, sep, 0, s.size);
    if (!list || r->status != EMBER_OK)
        return false;
    if (found != UINT32_MAX) {
        list->items[0] = value_str(str_part(s, 0, found));
        list->items[1] = value_str(str_part(s, found, sep.size));
        list->items[2] = value_str(str_part(s, found + sep.size, s.size - found - sep.size));
    } else {
        list->items[0] = list->items[1] = list->items[2] = value_str((struct str){ 0 });
        list->items[from_right ? 2 : 0] = value_str(s);
    }
    list->n = 3;
    *out = value_tuple(list);
    return true;
}

static bool str_partition(struct render *r, const struct value *self, const struct value *arg,
                          struct value *out)
{
    return partition(r, self, arg, false, out);
}

static bool str_rpartition(struct render *r, const struct value *self, const struct value *arg,
                           struct value *out)
{
    return partition(r, self, arg, true, out);
}

static bool str_join(struct render *r, const struct value *self, const struct value *arg,
                     struct value *out)
{
    bool markup = self->flags & VALUE_MARKUP, first = true;
    struct walk walk;
    struct value item;
    struct builder b;
    if (!jinja_walk(r, &arg[0], &walk))
        return false;
    builder_init(&b, r);
    while (jinja_next(&walk, &item)) {
        if (markup && !jinja_escape(r, &item, &item))
            return false;
        if (item.kind != VALUE_STRING)
            return jinja_fail(r, "join() needs strings, not %s", jinja_kind_name(&item));
        if (!first)
            builder_str(&b, self->text);
        builder_str(&b, item.text);
        first = false;
    }
    return keep_markup(builder_end(&b, out), self, out);
}

/* ---- find ---- */

/* The window of characters that optional start and end arguments describe, as bytes. */
static bool window(struct render *r, struct str s, const struct value *start,
                   const struct value *end, uint32_t *from, uint32_t *to)
{
    int64_t n = str_length(r, s), a = 0, b = n;
    if (start->kind != VALUE_MISSING && start->kind != VALUE_NONE &&
        !jinja_want_int(r, "a string method", start, &a))
        return false;
    if (end->kind != VALUE_MISSING && end->kind != VALUE_NONE &&
        !jinja_want_int(r, "a string method", end, &b))
        return false;
    a += a < 0 ? n : 0;
    b += b < 0 ? n : 0;
    b = b < 0 ? 0 : b > n ? n : b;
    *to = str_byte_of(r, s, (uint32_t)b);
    /* A start behind the end finds nothing, not even the empty text. */
    *from = a > n ? UINT32_MAX : str_byte_of(r, s, a < 0 ? 0 : (uint32_t)a);
    return r->status == EMBER_OK;
}

static bool find(struct render *r, const struct value *self, const struct value *arg, bool last,
                 bool must, struct value *out)
{
    struct str s = self->text, needle;
    uint32_t from, to;
    if (!jinja_want_str(r, "find()", &arg[0], &needle) ||
        !window(r, s, &arg[1], &arg[2], &from, &to))
        return false;
    uint32_t at = last ? str_rfind(r, s, needle, from, to) : str_find(r, s, needle, from, to);
    if (r->status != EMBER_OK)
        return false;
    if (at == UINT32_MAX && must)
        return jinja_fail(r, "index(): the text is not in the string");
    *out = value_int(at == UINT32_MAX ? -1 : (int64_t)str_length(r, str_part(s, 0, at)));
    return r->status == EMBER_OK;
}

static bool str_method_find(struct render *r, const struct value *self, const struct value *arg,
                            struct value *out)
{
    return find(r, self, arg, false, false, out);
}

static bool str_method_rfind(struct render *r, const struct value *self, const struct value *arg,
                             struct value *out)
{
    return find(r, self, arg, true, false, out);
}

static bool str_index(struct render *r, const struct value *self, const struct value *arg,
                      struct value *out)
{
    return find(r, self, arg, false, true, out);
}

static bool str_rindex(struct render *r, const struct value *self, const struct value *arg,
                       struct value *out)
{
    return find(r, self, arg, true, true, out);
}

static bool str_count(struct render *r, const struct value *self, const struct value *arg,
                      struct value *out)
{
    struct str s = self->text, needle;
    uint32_t from, to;
    int64_t n = 0;
    if (!jinja_want_str(r, "count()", &arg[0], &needle) ||
        !window(r, s, &arg[1], &arg[2], &from, &to))
        return false;
    if (!needle.size) {
        n = from <= to ? (int64_t)str_length(r, str_part(s, from, to - from)) + 1 : 0;
    } else {
        for (; (from = str_find(r, s, needle, from, to)) != UINT32_MAX; from += needle.size) {
            n++;
            if (!jinja_spend(r, 1))
                return false;
        }
    }
    *out = value_int(n);
    return r->status == EMBER_OK;
}

static bool affix(struct render *r, const struct value *self, const struct value *arg, bool at_end,
                  struct value *out)
{
    struct str s = self->text, wanted;
    struct list one = { .items = (struct value *)&arg[0], .n = 1 };
    const struct list *list = arg[0].kind == VALUE_TUPLE ? arg[0].list : &one;
    uint32_t from, to;
    bool found = false;
    if (!window(r, s, &arg[1], &arg[2], &from, &to))
        return false;
    for (uint32_t i = 0; i < list->n && !found; i++) {
        const char *what = at_end ? "endswith()" : "startswith()";
        if (!jinja_want_str(r, what, &list->items[i], &wanted))
            return false;
        if (from <= to && wanted.size <= to - from)
            found = str_equal(str_part(s, at_end ? to - wanted.size : from, wanted.size), wanted);
    }
    *out = value_bool(found);
    return true;
}

static bool str_startswith(struct render *r, const struct value *self, const struct value *arg,
                           struct value *out)
{
    return affix(r, self, arg, false, out);
}

static bool str_endswith(struct render *r, const struct value *self, const struct value *arg,
                         struct value *out)
{
    return affix(r, self, arg, true, out);
}

/* ---- replace, pad, format ---- */

static bool str_replace(struct render *r, const struct value *self, const struct value *arg,
                        struct value *out)
{
    struct str old, new;
    int64_t count = -1;
    if (!jinja_want_str(r, "replace()", &arg[0], &old) ||
        !jinja_want_str(r, "replace()", &arg[1], &new) ||
        (arg[2].kind != VALUE_MISSING && !jinja_want_int(r, "replace()", &arg[2], &count)))
        return false;
    return keep_markup(jinja_replace(r, self->text, old, new, count, out), self, out);
}

static bool pad(struct render *r, const struct value *self, const struct value *arg, int side,
                struct value *out)
{
    int64_t width;
    struct str fill;
    uint32_t c = ' ';
    if (!jinja_want_int(r, "a padding method", &arg[0], &width))
        return false;
    if (arg[1].kind != VALUE_MISSING) {
        if (!jinja_want_str(r, "a padding method", &arg[1], &fill))
            return false;
        if (!fill.size || str_char(fill, 0, &c) != fill.size)
            return jinja_fail(r, "the fill of a padding method must be one character");
    }
    return keep_markup(jinja_center(r, self->text, width, c, side, out), self, out);
}

static bool str_center(struct render *r, const struct value *self, const struct value *arg,
                       struct value *out)
{
    return pad(r, self, arg, PAD_BOTH, out);
}

static bool str_ljust(struct render *r, const struct value *self, const struct value *arg,
                      struct value *out)
{
    return pad(r, self, arg, PAD_RIGHT, out);
}

static bool str_rjust(struct render *r, const struct value *self, const struct value *arg,
                      struct value *out)
{
    return pad(r, self, arg, PAD_LEFT, out);
}

static bool str_zfill(struct render *r, const struct value *self, const struct value *arg,
                      struct value *out)
{
    struct str s = self->text;
    int64_t width, fill;
    struct builder b;
    if (!jinja_want_int(r, "zfill()", &arg[0], &width))
        return false;
    fill = width - str_length(r, s);
    uint32_t sign = s.size && (str_data(s)[0] == '-' || str_data(s)[0] == '+');
    builder_init(&b, r);
    builder_str(&b, str_part(s, 0, sign));
    builder_repeat(&b, '0', fill, false);
    builder_str(&b, str_part(s, sign, s.size - sign));
    return keep_markup(builder_end(&b, out), self, out);
}

static bool str_expandtabs(struct render *r, const struct value *self, const struct value *arg,
                           struct value *out)
{
    struct str s = self->text;
    int64_t size = 8, column = 0;
    struct builder b;
    if (arg[0].kind != VALUE_MISSING && !jinja_want_int(r, "expandtabs()", &arg[0], &size))
        return false;
    builder_init(&b, r);
    jinja_spend(r, s.size >> 2);
    for (uint32_t at = 0, n; at < s.size && r->status == EMBER_OK; at += n) {
        uint32_t c;
        n = str_char(s, at, &c);
        if (c == '\t') {
            int64_t spaces = size > 0 ? size - column % size : 0;
            builder_repeat(&b, ' ', spaces, str_untrusted_at(s, at));
            column += spaces;
        } else {
            builder_str(&b, str_part(s, at, n));
            column = c == '\n' || c == '\r' ? 0 : column + 1;
        }
    }
    return keep_markup(builder_end(&b, out), self, out);
}

static bool str_format(struct render *r, const struct value *self, const struct arguments *args,
                       struct value *out)
{
    return keep_markup(jinja_format_braces(r, self->text, args, out), self, out);
}

static bool str_format_map(struct render *r, const struct value *self, const struct arguments *args,
                           struct value *out)
{
    struct value arg[MAX_PARAMETERS];
    struct arguments fields = { 0 };
    if (!jinja_bind(r, "format_map()", args, "mapping", 1, false, arg))
        return false;
    if (arg[0].kind != VALUE_DICT)
        return jinja_fail(r, "format_map() needs a dict, not %s", jinja_kind_name(&arg[0]));
    const struct dict *dict = arg[0].dict;
    struct named_value *named = jinja_alloc(r, dict->n ? dict->n : 1, sizeof *named);
    if (!named)
        return false;
    for (uint32_t i = 0; i < dict->n; i++) {
        if (dict->entries[i].key.kind == VALUE_STRING)
            named[fields.n_named++] = (struct named_value){ .name = dict->entries[i].key.text,
                                                            .value = dict->entries[i].value };
    }
    fields.named = named;
    return keep_markup(jinja_format_braces(r, self->text, &fields, out), self, out);
}

/* Methods that Python has and chat templates have no use for are here without a function: they hide
 * an item of the same name, as in the reference, and say so when called. */
const struct method jinja_str_methods[] = {
    { "capitalize", "", 0, false, false, str_capitalize, NULL },
    { "casefold", "", 0, false, false, str_casefold, NULL },
    { "center", "width fill", 1, false, false, str_center, NULL },
    { "count", "sub start end", 1, false, false, str_count, NULL },
    { "encode", NULL, 0, false, false, NULL, NULL },
    { "endswith", "suffix start end", 1, false, false, str_endswith, NULL },
    { "expandtabs", "tabsize", 0, true, false, str_expandtabs, NULL },
    { "find", "sub start end", 1, false, false, str_method_find, NULL },
    { "format", NULL, 0, false, false, NULL, str_format },
    { "format_map", NULL, 0, false, false, NULL, str_format_map },
    { "index", "sub start end", 1, false, false, str_index, NULL },
    { "join", "iterable", 1, false, false, str_join, NULL },
    { "ljust", "width fill", 1, false, false, str_ljust, NULL },
    { "lower", "", 0, false, false, str_lower, NULL },
    { "lstrip", "chars", 0, false, false, str_lstrip, NULL },
    { "maketrans", NULL, 0, false, false, NULL, NULL },
    { "partition", "sep", 1, false, false, str_partition, NULL },
    { "removeprefix", "prefix", 1, false, false, str_removeprefix, NULL },
    { "removesuffix", "suffix", 1, false, false, str_removesuffix, NULL },
    { "replace", "old new count", 2, false, false, str_replace, NULL },
    { "rfind", "sub start end", 1, false, false, str_method_rfind, NULL },
    { "rindex", "sub start end", 1, false, false, str_rindex, NULL },
    { "rjust", "width fill", 1, false, false, str_rjust, NULL },
    { "rpartition", "sep", 1, false, false, str_rpartition, NULL },
    { "rsplit", "sep maxsplit", 0, true, false, str_rsplit, NULL },
    { "rstrip", "chars", 0, false, false, str_rstrip, NULL },
    { "split", "sep maxsplit", 0, true, false, str_split, NULL },
    { "splitlines", "keepends", 0, true, false, str_splitlines, NULL },
    { "startswith", "prefix start end", 1, false, false, str_startswith, NULL },
    { "strip", "chars", 0, false, false, str_strip, NULL },
    { "swapcase", "", 0, false, false, str_swapcase, NULL },
    { "title", "", 0, false, false, str_title, NULL },
    { "translate", NULL, 0, false, false, NULL, NULL },
    { "upper", "", 0, false, false, str_upper, NULL },
    { "zfill", "width", 1, false, false, str_zfill, NULL },
    { 0 },
};

/* ---- questions ---- */

/* Whether all characters are of a kind, and there is one at least. */
static bool all(struct render *r, const struct value *self, bool (*test)(uint32_t), bool empty,
                struct value *out)
{
    struct str s = self->text;
    bool holds = s.size > 0 || empty;
    if (!jinja_spend(r, s.size >> 2))
        return false;
    for (uint32_t at = 0; at < s.size && holds;) {
        uint32_t c;
        at += str_char(s, at, &c);
        holds = c != UTF8_BAD && test(c);
    }
    *out = value_bool(holds);
    return true;
}

static bool is_ascii(uint32_t c)
{
    return c < 0x80;
}

#define ALL_METHOD(name, test, empty)                                                              \
    static bool str_##name(struct render *r, const struct value *self, const struct value *arg,    \
                           struct value *out)                                                      \
    {                                                                                              \
        (void)arg;                                                                                 \
        return all(r, self, test, empty, out);                                                     \
    }
ALL_METHOD(isalnum, unicode_is_alnum, false)
ALL_METHOD(isalpha, unicode_is_alpha, false)
ALL_METHOD(isascii, is_ascii, true)
ALL_METHOD(isdecimal, unicode_is_decimal, false)
ALL_METHOD(isdigit, unicode_is_digit, false)
ALL_METHOD(isnumeric, unicode_is_numeric, false)
ALL_METHOD(isprintable, unicode_is_printable, true)
ALL_METHOD(isspace, unicode_is_space, false)

static bool is_name_part(uint32_t c)
{
    enum unicode_category g = unicode_category(c);
    return unicode_is_name_start(c) || g == UNICODE_ND || g == UNICODE_MN || g == UNICODE_MC ||
           g == UNICODE_PC;
}

static bool str_isidentifier(struct render *r, const struct value *self, const struct value *arg,
                             struct value *out)
{
    uint32_t c = 0;
    (void)arg;
    if (self->text.size)
        str_char(self->text, 0, &c);
    if (!all(r, self, is_name_part, false, out))
        return false;
    out->boolean &= c != UTF8_BAD && unicode_is_name_start(c);
    return true;
}

/* One cased character at least, and none of the other case. */
static bool one_case(struct render *r, const struct value *self, bool upper, struct value *out)
{
    bool any = false, other = false;
    if (!jinja_spend(r, self->text.size >> 1))
        return false;
    for (uint32_t at = 0; at < self->text.size && !other;) {
        uint32_t c;
        at += str_char(self->text, at, &c);
        if (c == UTF8_BAD)
            continue;
        any |= upper ? unicode_is_upper(c) : unicode_is_lower(c);
        other = (upper ? unicode_is_lower(c) : unicode_is_upper(c)) || unicode_is_title(c);
    }
    *out = value_bool(any && !other);
    return true;
}

static bool str_islower(struct render *r, const struct value *self, const struct value *arg,
                        struct value *out)
{
    (void)arg;
    return one_case(r, self, false, out);
}

static bool str_isupper(struct render *r, const struct value *self, const struct value *arg,
                        struct value *out)
{
    (void)arg;
    return one_case(r, self, true, out);
}

static bool str_istitle(struct render *r, const struct value *self, const struct value *arg,
                        struct value *out)
{
    bool any = false, previous = false, wrong = false;
    (void)arg;
    if (!jinja_spend(r, self->text.size >> 1))
        return false;
    for (uint32_t at = 0; at < self->text.size && !wrong;) {
        uint32_t c;
        at += str_char(self->text, at, &c);
        bool starts = c != UTF8_BAD && (unicode_is_upper(c) || unicode_is_title(c));
        bool goes_on = c != UTF8_BAD && unicode_is_lower(c);
        wrong = (starts && previous) || (goes_on && !previous);
        previous = starts || goes_on;
        any |= previous;
    }
    *out = value_bool(any && !wrong);
    return true;
}

const struct method jinja_str_test_methods[] = {
    { "isalnum", "", 0, false, false, str_isalnum, NULL },
    { "isalpha", "", 0, false, false, str_isalpha, NULL },
    { "isascii", "", 0, false, false, str_isascii, NULL },
    { "isdecimal", "", 0, false, false, str_isdecimal, NULL },
    { "isdigit", "", 0, false, false, str_isdigit, NULL },
    { "isidentifier", "", 0, false, false, str_isidentifier, NULL },
    { "islower", "", 0, false, false, str_islower, NULL },
    { "isnumeric", "", 0, false, false, str_isnumeric, NULL },
    { "isprintable", "", 0, false, false, str_isprintable, NULL },
    { "isspace", "", 0, false, false, str_isspace, NULL },
    { "istitle", "", 0, false, false, str_istitle, NULL },
    { "isupper", "", 0, false, false, str_isupper, NULL },
    { 0 },
};
