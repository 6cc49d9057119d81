/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Operations on text that methods and filters share. Each keeps the mark of every character. */
#include <string.h>

#include "base/text.h"
#include "chat/jinja_run.h"
#include "chat/jinja_str.h"
#include "chat/unicode.h"

/* ---- case ---- */

static bool cased_before(struct str s, uint32_t at)
{
    uint32_t c;
    while (at > 0) {
        at -= str_char_before(s, at, &c);
        if (c != UTF8_BAD && !unicode_is_case_ignorable(c))
            return unicode_is_cased(c);
    }
    return false;
}

static bool cased_after(struct str s, uint32_t at)
{
    uint32_t c;
    while (at < s.size) {
        at += str_char(s, at, &c);
        if (c != UTF8_BAD && !unicode_is_case_ignorable(c))
            return unicode_is_cased(c);
    }
    return false;
}

enum { SIGMA = 0x3A3, FINAL_SIGMA = 0x3C2 };

/* A capital sigma that ends a word has a small form of its own. */
static unsigned lower_at(struct str s, uint32_t at, uint32_t n, uint32_t c,
                         uint32_t out[UNICODE_MAX_MAPPED])
{
    if (c != SIGMA)
        return unicode_lower(c, out);
    /* The looks to both sides end at the next character that is not ignorable. */
    out[0] = cased_before(s, at) && !cased_after(s, at + n) ? FINAL_SIGMA : 0x3C3;
    return 1;
}

bool jinja_map_case(struct render *r, struct str s, enum case_map map, struct value *out)
{
    struct builder b;
    bool previous_cased = false;
    builder_init(&b, r);
    jinja_spend(r, s.size >> 1);
    for (uint32_t at = 0, n; at < s.size && r->status == EMBER_OK; at += n) {
        bool untrusted = str_untrusted_at(s, at);
        uint32_t c, to[UNICODE_MAX_MAPPED];
        unsigned count;
        n = str_char(s, at, &c);
        if (c == UTF8_BAD) {
            builder_bytes(&b, str_data(s) + at, n, untrusted);
            continue;
        }
        switch (map) {
        case CASE_UPPER:
            count = unicode_upper(c, to);
            break;
        case CASE_LOWER:
            count = lower_at(s, at, n, c, to);
            break;
        case CASE_FOLD:
            count = unicode_fold(c, to);
            break;
        case CASE_CAPITALIZE:
            count = at == 0 ? unicode_title(c, to) : lower_at(s, at, n, c, to);
            break;
        case CASE_SWAP:
            if (unicode_is_upper(c)) {
                count = lower_at(s, at, n, c, to);
            } else if (unicode_is_lower(c)) {
                count = unicode_upper(c, to);
            } else {
                to[0] = c;
                count = 1;
            }
            break;
        default: /* CASE_TITLE */
            count = previous_cased ? lower_at(s, at, n, c, to) : unicode_title(c, to);
            previous_cased = unicode_is_cased(c);
        }
        for (unsigned i = 0; i < count; i++)
            builder_char(&b, to[i], untrusted);
    }
    return builder_end(&b, out);
}

bool jinja_upper(struct render *r, struct str s, struct value *out)
{
    return jinja_map_case(r, s, CASE_UPPER, out);
}

bool jinja_lower(struct render *r, struct str s, struct value *out)
{
    return jinja_map_case(r, s, CASE_LOWER, out);
}

bool jinja_capitalize(struct render *r, struct str s, struct value *out)
{
    return jinja_map_case(r, s, CASE_CAPITALIZE, out);
}

/* ---- strip ---- */

static bool has_char(struct str chars, uint32_t c)
{
    uint32_t other;
    for (uint32_t at = 0; at < chars.size;) {
        at += str_char(chars, at, &other);
        if (other == c)
            return true;
    }
    return false;
}

static bool strips(const struct str *chars, uint32_t c)
{
    if (c == UTF8_BAD)
        return false;
    return chars ? has_char(*chars, c) : unicode_is_space(c);
}

bool jinja_strip(struct render *r, struct str s, const struct str *chars, int sides,
                 struct str *out)
{
    uint32_t from = 0, end = s.size, c, cost = chars ? chars->size >> 4 : 0;
    while ((sides & 1) && from < end) {
        uint32_t n = str_char(s, from, &c);
        if (!strips(chars, c) || (cost && !jinja_spend(r, cost)))
            break;
        from += n;
    }
    while ((sides & 2) && end > from) {
        uint32_t n = str_char_before(s, end, &c);
        if (!strips(chars, c) || (cost && !jinja_spend(r, cost)))
            break;
        end -= n;
    }
    *out = str_part(s, from, end - from);
    return jinja_spend(r, (s.size - out->size) >> 3);
}

/* ---- replace, pad ---- */

bool jinja_replace(struct render *r, struct str s, struct str old, struct str new, int64_t count,
                   struct value *out)
{
    struct builder b;
    uint32_t at = 0, c;
    builder_init(&b, r);
    if (!old.size) {
        /* Between all characters and at both ends. */
        while (count != 0 && r->status == EMBER_OK) {
            builder_str(&b, new);
            count -= count > 0;
            if (at >= s.size)
                return builder_end(&b, out);
            uint32_t n = str_char(s, at, &c);
            builder_str(&b, str_part(s, at, n));
            at += n;
            jinja_spend(r, 1);
        }
    }
    while (old.size && count != 0 && jinja_spend(r, 1)) {
        uint32_t found = str_find(r, s, old, at, s.size);
        if (found == UINT32_MAX)
            break;
        builder_str(&b, str_part(s, at, found - at));
        builder_str(&b, new);
        at = found + old.size;
        count -= count > 0;
    }
    if (!at && !builder_size(&b)) {
        *out = value_str(s); /* nothing to replace: no copy */
        return r->status == EMBER_OK;
    }
    builder_str(&b, str_part(s, at, s.size - at));
    return builder_end(&b, out);
}

bool jinja_center(struct render *r, struct str s, int64_t width, uint32_t fill, int side,
                  struct value *out)
{
    int64_t pad = width - str_length(r, s);
    struct builder b;
    if (pad <= 0) {
        *out = value_str(s);
        return r->status == EMBER_OK;
    }
    int64_t left = side == PAD_RIGHT ? 0 : side == PAD_LEFT ? pad : pad / 2 + (pad & width & 1);
    builder_init(&b, r);
    builder_repeat(&b, fill, left, false);
    builder_str(&b, s);
    builder_repeat(&b, fill, pad - left, false);
    return builder_end(&b, out);
}

/* ---- lines ---- */

bool jinja_split_lines(struct render *r, struct str s, bool keep_ends, struct list *out)
{
    uint32_t from = 0, c;
    jinja_spend(r, s.size >> 3);
    for (uint32_t at = 0; at < s.size && r->status == EMBER_OK;) {
        uint32_t n = str_char(s, at, &c), end = at;
        at += n;
        if (c == UTF8_BAD || !unicode_is_line_end(c))
            continue;
        if (c == '\r' && at < s.size && str_data(s)[at] == '\n')
            at++;
        struct value line = value_str(str_part(s, from, (keep_ends ? at : end) - from));
        if (!list_push(r, out, &line))
            return false;
        from = at;
    }
    struct value rest = value_str(str_part(s, from, s.size - from));
    return from == s.size || list_push(r, out, &rest);
}

/* ---- HTML ---- */

bool jinja_escape(struct render *r, const struct value *v, struct value *out)
{
    struct value text;
    if (!jinja_to_str(r, v, &text))
        return false;
    if (v->kind == VALUE_STRING && (v->flags & VALUE_MARKUP)) {
        *out = *v;
        return true;
    }
    struct str s = text.text;
    struct builder b;
    uint32_t plain = 0;
    builder_init(&b, r);
    jinja_spend(r, s.size >> 3);
    for (uint32_t at = 0; at < s.size && r->status == EMBER_OK; at++) {
        const char *entity = NULL;
        switch (str_data(s)[at]) {
        case '&':
            entity = "&amp;";
            break;
        case '<':
            entity = "&lt;";
            break;
        case '>':
            entity = "&gt;";
            break;
        case '\'':
            entity = "&#39;";
            break;
        case '"':
            entity = "&#34;";
            break;
        default:
            continue;
        }
        builder_str(&b, str_part(s, plain, at - plain));
        builder_string(&b, entity, str_untrusted_at(s, at));
        plain = at + 1;
    }
    builder_str(&b, str_part(s, plain, s.size - plain));
    if (!builder_end(&b, out))
        return false;
    out->flags |= VALUE_MARKUP;
    return true;
}
