/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Marked text: windows into stores, and the builder that makes new ones. */
#include <string.h>

#include "base/text.h"
#include "chat/jinja_run.h"

bool str_is(struct str s, const char *text)
{
    return s.size == strlen(text) && memcmp(str_data(s), text, s.size) == 0;
}

bool str_equal(struct str a, struct str b)
{
    return a.size == b.size && memcmp(str_data(a), str_data(b), a.size) == 0;
}

/* UTF-8 sorts by bytes as by characters. */
int str_compare(struct str a, struct str b)
{
    int order = memcmp(str_data(a), str_data(b), a.size < b.size ? a.size : b.size);
    if (order)
        return order < 0 ? -1 : 1;
    return a.size < b.size ? -1 : a.size > b.size;
}

/* How many flips lie at or before a position. */
static uint32_t flips_before(const struct text_store *store, uint32_t position)
{
    uint32_t low = 0, high = store->n_flips;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (store->flips[middle] <= position)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

uint32_t str_run(struct str s, uint32_t at, bool *untrusted)
{
    if (at >= s.size)
        return 0;
    uint32_t flip = flips_before(s.store, s.offset + at);
    *untrusted = s.store->untrusted ^ (flip & 1);
    uint32_t left = s.size - at;
    if (flip < s.store->n_flips) {
        uint32_t run = s.store->flips[flip] - (s.offset + at);
        if (run < left)
            left = run;
    }
    return left;
}

bool str_untrusted_at(struct str s, uint32_t at)
{
    bool untrusted = false;
    if (at < s.size)
        str_run(s, at, &untrusted);
    return untrusted;
}

bool str_any_untrusted(struct str s)
{
    bool untrusted;
    uint32_t run = str_run(s, 0, &untrusted);
    return run && (untrusted || run < s.size);
}

uint32_t str_char(struct str s, uint32_t at, uint32_t *codepoint)
{
    return (uint32_t)utf8_decode(str_data(s) + at, s.size - at, codepoint);
}

uint32_t str_char_before(struct str s, uint32_t end, uint32_t *codepoint)
{
    const char *data = str_data(s);
    uint32_t from = end - 1;
    while (from > 0 && end - from < 4 && ((unsigned char)data[from] & 0xC0) == 0x80)
        from--;
    if (utf8_decode(data + from, end - from, codepoint) == end - from)
        return end - from;
    *codepoint = UTF8_BAD;
    return 1;
}

uint32_t str_length(struct render *r, struct str s)
{
    if (str_ascii(s))
        return s.size;
    jinja_spend(r, s.size >> 5);
    uint32_t n = 0, c;
    for (uint32_t at = 0; at < s.size; n++)
        at += str_char(s, at, &c);
    return n;
}

uint32_t str_byte_of(struct render *r, struct str s, uint32_t character)
{
    if (str_ascii(s))
        return character < s.size ? character : s.size;
    uint32_t at = 0, c;
    while (at < s.size && character--)
        at += str_char(s, at, &c);
    jinja_spend(r, at >> 5);
    return at;
}

uint32_t str_find(struct render *r, struct str s, struct str needle, uint32_t from, uint32_t end)
{
    if (from > end || needle.size > end - from)
        return UINT32_MAX;
    const char *data = str_data(s);
    const char *found = memmem(data + from, end - from, str_data(needle), needle.size);
    jinja_spend(r, ((found ? (uint32_t)(found - data) : end) - from) >> 6);
    return found ? (uint32_t)(found - data) : UINT32_MAX;
}

uint32_t str_rfind(struct render *r, struct str s, struct str needle, uint32_t from, uint32_t end)
{
    if (from > end || needle.size > end - from)
        return UINT32_MAX;
    const char *data = str_data(s), *wanted = str_data(needle);
    uint32_t at = end - needle.size, looked = 0;
    for (;; at--, looked++) {
        if (memcmp(data + at, wanted, needle.size) == 0)
            return at;
        /* Each place may cost a look at all of the needle. */
        if (at == from || (looked % 32 == 31 && !jinja_spend(r, 1 + needle.size / 64)))
            return UINT32_MAX;
    }
}

static bool is_ascii(const char *data, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        if ((unsigned char)data[i] >= 0x80)
            return false;
    }
    return true;
}

struct str str_constant(struct render *r, const char *text, size_t size, bool untrusted)
{
    if (size > r->limits.text) {
        jinja_fail(r, "a text is longer than %u bytes", r->limits.text);
        size = 0;
    }
    struct text_store *store = size ? jinja_alloc(r, 1, sizeof *store) : NULL;
    if (!store)
        return (struct str){ 0 };
    jinja_spend(r, size >> 6);
    store->data = (char *)text; /* capacity 0: never written */
    store->size = (uint32_t)size;
    store->untrusted = untrusted;
    store->ascii = is_ascii(text, size);
    return (struct str){ .store = store, .size = store->size };
}

struct str str_literal(struct render *r, const char *text)
{
    return str_constant(r, text, strlen(text), false);
}

/* ---- builder ---- */

void builder_init(struct builder *b, struct render *r)
{
    *b = (struct builder){ .r = r };
}

uint32_t builder_size(const struct builder *b)
{
    return b->store ? b->store->size - b->from : 0;
}

/* Room for `more` bytes at the end of the store. Old memory stays as it is: other texts may have
 * windows into it. */
static bool reserve(struct builder *b, size_t more)
{
    struct text_store *store = b->store;
    if (b->r->status != EMBER_OK)
        return false;
    if (!store) {
        store = jinja_alloc(b->r, 1, sizeof *store);
        if (!store)
            return false;
        store->ascii = true;
        b->store = store;
    }
    if (more > b->r->limits.text - builder_size(b) || more > INT32_MAX - store->size)
        return jinja_fail(b->r, "a text grows beyond %u bytes", b->r->limits.text);
    if (store->size + more <= store->capacity)
        return true;
    uint32_t capacity = store->capacity ? store->capacity : 24;
    while (capacity < store->size + more)
        capacity *= 2;
    char *data = jinja_alloc(b->r, capacity, 1);
    if (!data)
        return false;
    if (store->size)
        memcpy(data, store->data, store->size);
    store->data = data;
    store->capacity = capacity;
    return true;
}

/* Notes the trust of bytes that are about to be appended. */
static bool mark(struct builder *b, bool untrusted)
{
    struct text_store *store = b->store;
    if (store->size == 0) {
        store->untrusted = untrusted;
        store->n_flips = 0;
        return true;
    }
    if ((store->untrusted ^ (store->n_flips & 1)) == untrusted)
        return true;
    if (store->n_flips == store->flips_capacity) {
        uint32_t capacity = store->flips_capacity ? store->flips_capacity * 2 : 4;
        uint32_t *flips = jinja_alloc(b->r, capacity, sizeof *flips);
        if (!flips)
            return false;
        if (store->n_flips)
            memcpy(flips, store->flips, store->n_flips * sizeof *flips);
        store->flips = flips;
        store->flips_capacity = capacity;
    }
    store->flips[store->n_flips++] = store->size;
    return true;
}

static void append(struct builder *b, const char *data, size_t size, bool untrusted, bool ascii)
{
    if (!size || !reserve(b, size) || !mark(b, untrusted))
        return;
    struct text_store *store = b->store;
    memcpy(store->data + store->size, data, size);
    store->size += (uint32_t)size;
    if (store->ascii && !ascii)
        store->ascii = is_ascii(data, size);
    jinja_spend(b->r, size >> 6);
}

void builder_bytes(struct builder *b, const char *data, size_t size, bool untrusted)
{
    append(b, data, size, untrusted, false);
}

void builder_string(struct builder *b, const char *text, bool untrusted)
{
    append(b, text, strlen(text), untrusted, false);
}

void builder_char(struct builder *b, uint32_t codepoint, bool untrusted)
{
    char bytes[4];
    if (codepoint < 0x80) {
        bytes[0] = (char)codepoint;
        append(b, bytes, 1, untrusted, true);
    } else {
        append(b, bytes, utf8_encode(codepoint, bytes), untrusted, false);
    }
}

void builder_repeat(struct builder *b, uint32_t codepoint, int64_t times, bool untrusted)
{
    while (times-- > 0 && b->r->status == EMBER_OK)
        builder_char(b, codepoint, untrusted);
}

void builder_str(struct builder *b, struct str s)
{
    bool untrusted = false;
    uint32_t run;
    for (uint32_t at = 0; (run = str_run(s, at, &untrusted)) > 0; at += run)
        append(b, str_data(s) + at, run, untrusted, str_ascii(s));
}

bool builder_end(struct builder *b, struct value *out)
{
    if (b->r->status != EMBER_OK)
        return false;
    *out = value_str((struct str){ 0 });
    if (builder_size(b))
        out->text = (struct str){ .store = b->store, .offset = b->from, .size = builder_size(b) };
    return true;
}

/* A text that ends where its store ends is appended to in place; only its own window knows of the
 * new bytes. So a template that adds to one text over and over does linear work. */
bool str_concat(struct render *r, struct str a, struct str b, struct str *out)
{
    if (!a.size || !b.size) {
        *out = a.size ? a : b;
        return true;
    }
    struct builder builder;
    builder_init(&builder, r);
    if (a.store->capacity && a.offset + a.size == a.store->size) {
        builder.store = a.store;
        builder.from = a.offset;
    } else {
        builder_str(&builder, a);
    }
    builder_str(&builder, b);
    struct value text;
    if (!builder_end(&builder, &text))
        return false;
    *out = text.text;
    return true;
}
