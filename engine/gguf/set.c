/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Overrides: KEY=TYPE:VALUE puts a value in memory in the place of a key's own. */
#include <errno.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text.h"
#include "gguf/private.h"
#include "gguf/write.h"

/* Where the two separators are. */
struct assignment {
    struct ember_text key, type;
    const char *value;
};

static bool split(const char *text, struct assignment *a)
{
    const char *equals = strchr(text, '=');
    const char *colon = equals ? strchr(equals, ':') : NULL;
    if (!colon || equals == text || equals - text > 65535)
        return false;
    a->key = (struct ember_text){ text, (size_t)(equals - text) };
    a->type = (struct ember_text){ equals + 1, (size_t)(colon - equals - 1) };
    a->value = colon + 1;
    return true;
}

enum ember_gguf_type gguf_type_by_name(struct ember_text name)
{
    for (unsigned i = 0; i < EMBER_GGUF_TYPE_COUNT; i++) {
        const char *known = ember_gguf_type_name((enum ember_gguf_type)i);
        if (i != EMBER_GGUF_ARRAY && strlen(known) == name.size &&
            !memcmp(known, name.data, name.size))
            return (enum ember_gguf_type)i;
    }
    return EMBER_GGUF_TYPE_COUNT;
}

/* Decimal digits with an optional minus, nothing else; the result in two's complement. */
static bool read_integer(const char *text, bool is_signed, unsigned n_bytes, uint64_t *bits)
{
    bool minus = *text == '-';
    uint64_t most = UINT64_MAX >> (64 - 8 * n_bytes);
    uint64_t x = 0;

    if (is_signed)
        most = most / 2 + minus; /* one more negative than positive number */
    else if (minus)
        return false;
    text += minus;
    if (!*text)
        return false;
    for (; *text; text++) {
        unsigned digit = (unsigned char)*text - (unsigned)'0';
        if (digit > 9 || x > (most - digit) / 10)
            return false;
        x = x * 10 + digit;
    }
    *bits = minus ? 0 - x : x;
    return true;
}

/* strtod without the user's decimal comma. */
static bool read_float(const char *text, bool single, uint64_t *bits)
{
    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    char *end;

    if (!c)
        return false;
    double x = strtod_l(text, &end, c);
    float f = strtof_l(text, NULL, c);
    freelocale(c);
    bool named = strpbrk(text, "iInN") != NULL; /* an infinity that was asked for */
    if (end == text || *end || (!named && isinf(single ? (double)f : x)))
        return false;
    if (single) {
        uint32_t low;
        memcpy(&low, &f, sizeof low);
        *bits = low;
    } else {
        memcpy(bits, &x, sizeof *bits);
    }
    return true;
}

static bool read_bool(const char *text, uint64_t *bits)
{
    *bits = !strcmp(text, "true") || !strcmp(text, "1");
    return *bits || !strcmp(text, "false") || !strcmp(text, "0");
}

bool gguf_read_number(enum ember_gguf_type type, const char *text, uint64_t *bits)
{
    switch (type) {
    case EMBER_GGUF_BOOL:
        return read_bool(text, bits);
    case EMBER_GGUF_F32:
    case EMBER_GGUF_F64:
        return read_float(text, type == EMBER_GGUF_F32, bits);
    case EMBER_GGUF_I8:
    case EMBER_GGUF_I16:
    case EMBER_GGUF_I32:
    case EMBER_GGUF_I64:
        return read_integer(text, true, gguf_type_bytes(type), bits);
    default:
        return read_integer(text, false, gguf_type_bytes(type), bits);
    }
}

static void store_uint(uint8_t *p, uint64_t x, unsigned n_bytes, bool big_endian)
{
    for (unsigned i = 0; i < n_bytes; i++)
        p[i] = (uint8_t)(x >> 8 * (big_endian ? n_bytes - 1 - i : i));
}

/* Adds a key without a value at the end; its index, or -1 when out of memory. Until n_keys counts
 * it, nobody sees it. */
static int64_t add_key(struct ember_gguf *g, struct ember_text name)
{
    bool twice;

    if (g->info.n_keys >= UINT32_MAX - 1)
        return -1;
    if (g->info.n_keys >= g->keys_capacity) {
        uint64_t capacity = g->keys_capacity + 16;
        struct gguf_key *keys = realloc(g->keys, (size_t)capacity * sizeof *keys);
        if (!keys)
            return -1;
        g->keys = keys;
        g->keys_capacity = capacity;
    }
    char *copy = arena_copy(&g->arena, name.data, name.size);
    if (!copy)
        return -1;
    struct gguf_key *key = &g->keys[g->info.n_keys];
    *key = (struct gguf_key){ .name = { copy, name.size } };
    struct name_list list = gguf_key_list(g);
    list.count++;
    if (!names_build(&g->key_names, &g->hash_key, &list, &twice))
        return -1;
    return (int64_t)g->info.n_keys++;
}

enum ember_status ember_gguf_set(struct ember_gguf *g, const char *assignment,
                                 struct ember_error *err)
{
    struct assignment a;
    uint64_t bits = 0;

    if (!split(assignment, &a))
        return ember_fail(err, EMBER_INVALID,
                          "\"%.200s\" is no override: KEY=TYPE:VALUE is expected, such as "
                          "general.name=str:Test.",
                          assignment);
    enum ember_gguf_type type = gguf_type_by_name(a.type);
    if (type == EMBER_GGUF_TYPE_COUNT)
        return ember_fail(err, EMBER_INVALID,
                          "\"%.200s\": the type \"%.*s\" is unknown; u8 i8 u16 i16 u32 i32 u64 i64 "
                          "f32 f64 bool and str exist.",
                          assignment, a.type.size < 40 ? (int)a.type.size : 40, a.type.data);
    if (type != EMBER_GGUF_STRING && !gguf_read_number(type, a.value, &bits))
        return ember_fail(err, EMBER_INVALID, "\"%.200s\": \"%.60s\" is no value of type %s.",
                          assignment, a.value, ember_gguf_type_name(type));

    struct name_list list = gguf_key_list(g);
    uint32_t found = names_find(&g->key_names, &g->hash_key, &list, a.key.data, a.key.size);
    static const char alignment[] = "general.alignment";
    if (a.key.size == sizeof alignment - 1 && !memcmp(a.key.data, alignment, a.key.size))
        return ember_fail(err, EMBER_INVALID,
                          "\"%s\" cannot be overridden: it says where the file's tensors lie.",
                          alignment);

    size_t length = strlen(a.value);
    bool is_text = type == EMBER_GGUF_STRING;
    if (is_text && length > UINT32_MAX) /* version 1 could not say how long it is */
        return ember_fail(err, EMBER_INVALID, "The value of an override is longer than 4 GiB.");
    unsigned head = is_text ? g->length_bytes : gguf_type_bytes(type);
    uint8_t *value = arena_alloc(&g->arena, head + (is_text ? length : 0), 1);
    int64_t index = !value ? -1 : found == NAMES_NONE ? add_key(g, a.key) : (int64_t)found;
    if (index < 0)
        return ember_fail(err, EMBER_NO_MEMORY, "\"%s\": no memory left for an override.",
                          g->label);
    store_uint(value, is_text ? length : bits, head, g->info.big_endian);
    if (is_text)
        memcpy(value + head, a.value, length);

    struct gguf_key *key = &g->keys[index];
    key->value = value;
    key->index = NULL;
    key->length = 1;
    key->type = key->element_type = type;
    return EMBER_OK;
}
