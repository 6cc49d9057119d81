/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Keys and their values. Values stay as the file has them and are converted at each access. */
#include <math.h>
#include <string.h>

#include "gguf/gguf.h"
#include "gguf/private.h"
#include "quant/types.h"

static const struct {
    const char *name;
    unsigned n_bytes;
} types[EMBER_GGUF_TYPE_COUNT] = {
    [EMBER_GGUF_U8] = { "u8", 1 },      [EMBER_GGUF_I8] = { "i8", 1 },
    [EMBER_GGUF_U16] = { "u16", 2 },    [EMBER_GGUF_I16] = { "i16", 2 },
    [EMBER_GGUF_U32] = { "u32", 4 },    [EMBER_GGUF_I32] = { "i32", 4 },
    [EMBER_GGUF_F32] = { "f32", 4 },    [EMBER_GGUF_BOOL] = { "bool", 1 },
    [EMBER_GGUF_STRING] = { "str", 0 }, [EMBER_GGUF_ARRAY] = { "arr", 0 },
    [EMBER_GGUF_U64] = { "u64", 8 },    [EMBER_GGUF_I64] = { "i64", 8 },
    [EMBER_GGUF_F64] = { "f64", 8 },
};

const char *ember_gguf_type_name(enum ember_gguf_type type)
{
    return (unsigned)type < EMBER_GGUF_TYPE_COUNT ? types[type].name : NULL;
}

const char *ember_tensor_type_name(uint32_t type)
{
    const struct quant_info *info = quant_info(type);
    return info ? info->name : NULL;
}

unsigned gguf_type_bytes(uint32_t type)
{
    return type < EMBER_GGUF_TYPE_COUNT ? types[type].n_bytes : 0;
}

struct ember_text ember_gguf_key_name(const struct ember_gguf *g, uint64_t index)
{
    return index < g->info.n_keys ? g->keys[index].name : (struct ember_text){ 0 };
}

enum ember_gguf_type ember_gguf_key_type(const struct ember_gguf *g, uint64_t index)
{
    return index < g->info.n_keys ? g->keys[index].type : EMBER_GGUF_TYPE_COUNT;
}

enum ember_gguf_type ember_gguf_key_element_type(const struct ember_gguf *g, uint64_t index)
{
    return index < g->info.n_keys ? g->keys[index].element_type : EMBER_GGUF_TYPE_COUNT;
}

uint64_t ember_gguf_key_length(const struct ember_gguf *g, uint64_t index)
{
    return index < g->info.n_keys ? g->keys[index].length : 0;
}

bool ember_gguf_key_place(const struct ember_gguf *g, uint64_t index, struct ember_gguf_place *out)
{
    if (index >= g->n_own_keys)
        return false;
    uint64_t begin = g->keys[index].name_at - g->length_bytes;
    uint64_t end =
        index + 1 < g->n_own_keys ? g->keys[index + 1].name_at - g->length_bytes : g->keys_end;
    *out = (struct ember_gguf_place){ begin, end - begin };
    return true;
}

void ember_gguf_table_place(const struct ember_gguf *g, struct ember_gguf_place *out)
{
    *out = (struct ember_gguf_place){ g->keys_end, g->header_end - g->keys_end };
}

int64_t gguf_find_key(const struct ember_gguf *g, const void *name, size_t size)
{
    struct name_list list = gguf_key_list(g);
    uint32_t index = names_find(&g->key_names, &g->hash_key, &list, name, size);
    return index == NAMES_NONE ? -1 : (int64_t)index;
}

int64_t ember_gguf_find(const struct ember_gguf *g, const char *key)
{
    return gguf_find_key(g, key, strlen(key));
}

/* One number taken out of the file: an integer with its sign apart, or a float. */
struct number {
    enum { NUMBER_NONE, NUMBER_UNSIGNED, NUMBER_SIGNED, NUMBER_FLOAT } kind;
    uint64_t u;
    int64_t i;
    double f;
};

/* Sign extension without relying on how conversions to signed types behave. */
static int64_t signed_of(uint64_t x, unsigned n_bytes)
{
    uint64_t sign = (uint64_t)1 << (8 * n_bytes - 1);
    x = (x ^ sign) - sign;
    return x <= INT64_MAX ? (int64_t)x : -(int64_t)(~x) - 1;
}

static const struct gguf_key *element(const struct ember_gguf *g, int64_t index, uint64_t at)
{
    if (index < 0 || (uint64_t)index >= g->info.n_keys)
        return NULL;
    const struct gguf_key *key = &g->keys[index];
    return at < key->length ? key : NULL;
}

static struct number number_at(const struct ember_gguf *g, int64_t index, uint64_t at)
{
    const struct gguf_key *key = element(g, index, at);
    unsigned n_bytes = key ? gguf_type_bytes(key->element_type) : 0;
    struct number n = { .kind = NUMBER_NONE };
    if (!n_bytes)
        return n;

    uint64_t bits = load_uint(key->value + at * n_bytes, n_bytes, g->info.big_endian);
    switch (key->element_type) {
    case EMBER_GGUF_BOOL:
        n.kind = NUMBER_UNSIGNED;
        n.u = bits != 0;
        break;
    case EMBER_GGUF_I8:
    case EMBER_GGUF_I16:
    case EMBER_GGUF_I32:
    case EMBER_GGUF_I64:
        n.kind = NUMBER_SIGNED;
        n.i = signed_of(bits, n_bytes);
        break;
    case EMBER_GGUF_F32: {
        uint32_t low = (uint32_t)bits;
        float f;
        memcpy(&f, &low, sizeof f);
        n.kind = NUMBER_FLOAT;
        n.f = f;
        break;
    }
    case EMBER_GGUF_F64:
        n.kind = NUMBER_FLOAT;
        memcpy(&n.f, &bits, sizeof n.f);
        break;
    default:
        n.kind = NUMBER_UNSIGNED;
        n.u = bits;
        break;
    }
    return n;
}

bool ember_gguf_u64(const struct ember_gguf *g, int64_t index, uint64_t at, uint64_t *out)
{
    struct number n = number_at(g, index, at);
    if (n.kind == NUMBER_UNSIGNED)
        *out = n.u;
    else if (n.kind == NUMBER_SIGNED && n.i >= 0)
        *out = (uint64_t)n.i;
    else
        return false;
    return true;
}

bool ember_gguf_i64(const struct ember_gguf *g, int64_t index, uint64_t at, int64_t *out)
{
    struct number n = number_at(g, index, at);
    if (n.kind == NUMBER_SIGNED)
        *out = n.i;
    else if (n.kind == NUMBER_UNSIGNED && n.u <= INT64_MAX)
        *out = (int64_t)n.u;
    else
        return false;
    return true;
}

bool ember_gguf_f64(const struct ember_gguf *g, int64_t index, uint64_t at, double *out)
{
    const struct gguf_key *key = element(g, index, at);
    if (!key || key->element_type == EMBER_GGUF_BOOL)
        return false;
    struct number n = number_at(g, index, at);
    if (n.kind == NUMBER_FLOAT)
        *out = n.f;
    else if (n.kind == NUMBER_UNSIGNED)
        *out = (double)n.u;
    else if (n.kind == NUMBER_SIGNED)
        *out = (double)n.i;
    else
        return false;
    return true;
}

bool ember_gguf_bool(const struct ember_gguf *g, int64_t index, uint64_t at, bool *out)
{
    const struct gguf_key *key = element(g, index, at);
    if (!key || key->element_type != EMBER_GGUF_BOOL)
        return false;
    *out = key->value[at] != 0;
    return true;
}

bool ember_gguf_numbers(const struct ember_gguf *g, int64_t index, uint64_t first, uint64_t n,
                        void *dst)
{
    if (index < 0 || (uint64_t)index >= g->info.n_keys)
        return false;
    const struct gguf_key *key = &g->keys[index];
    unsigned n_bytes = gguf_type_bytes(key->element_type);
    bool big_here = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;

    if (!n_bytes || first > key->length || n > key->length - first)
        return false;
    const uint8_t *from = key->value + first * n_bytes;
    uint8_t *to = dst;
    if (n && g->info.big_endian == big_here)
        memcpy(to, from, (size_t)n * n_bytes);
    else
        for (uint64_t i = 0; i < n; i++)
            for (unsigned k = 0; k < n_bytes; k++)
                to[i * n_bytes + k] = from[i * n_bytes + n_bytes - 1 - k];
    for (uint64_t i = 0; key->element_type == EMBER_GGUF_BOOL && i < n; i++)
        to[i] = to[i] != 0;
    return true;
}

bool gguf_odd_bool(const struct ember_gguf *g, uint64_t index, uint64_t *at, uint8_t *byte)
{
    const struct gguf_key *key = element(g, (int64_t)index, 0);

    if (!key || key->element_type != EMBER_GGUF_BOOL)
        return false;
    for (uint64_t i = 0; i < key->length; i++) {
        if (key->value[i] > 1) {
            *at = i;
            *byte = key->value[i];
            return true;
        }
    }
    return false;
}

bool ember_gguf_text(const struct ember_gguf *g, int64_t index, uint64_t at, struct ember_text *out)
{
    const struct gguf_key *key = element(g, index, at);
    if (!key || key->element_type != EMBER_GGUF_STRING)
        return false;
    /* That the length is inside the header was checked when the file was read. */
    const uint8_t *p = key->value + (key->index ? key->index[at] : 0);
    out->size = (size_t)load_uint(p, g->length_bytes, g->info.big_endian);
    out->data = (const char *)p + g->length_bytes;
    return true;
}

/* Index of a key that is a scalar, or -1. */
static int64_t find_scalar(const struct ember_gguf *g, const char *key)
{
    int64_t index = ember_gguf_find(g, key);
    return index >= 0 && g->keys[index].type != EMBER_GGUF_ARRAY ? index : -1;
}

uint64_t ember_gguf_get_u64(const struct ember_gguf *g, const char *key, uint64_t fallback)
{
    ember_gguf_u64(g, find_scalar(g, key), 0, &fallback);
    return fallback;
}

double ember_gguf_get_f64(const struct ember_gguf *g, const char *key, double fallback)
{
    ember_gguf_f64(g, find_scalar(g, key), 0, &fallback);
    return fallback;
}

bool ember_gguf_get_bool(const struct ember_gguf *g, const char *key, bool fallback)
{
    ember_gguf_bool(g, find_scalar(g, key), 0, &fallback);
    return fallback;
}

struct ember_text ember_gguf_get_text(const struct ember_gguf *g, const char *key)
{
    struct ember_text text = { 0 };
    ember_gguf_text(g, find_scalar(g, key), 0, &text);
    return text;
}

bool gguf_is_array(const struct ember_gguf *g, const char *key)
{
    int64_t index = ember_gguf_find(g, key);
    return index >= 0 && g->keys[index].type == EMBER_GGUF_ARRAY;
}

bool gguf_layer_u64(const struct ember_gguf *g, const char *key, uint32_t layer, uint64_t *out)
{
    return ember_gguf_u64(g, ember_gguf_find(g, key), gguf_is_array(g, key) ? layer : 0, out);
}

bool gguf_layer_f64(const struct ember_gguf *g, const char *key, uint32_t layer, double *out)
{
    return ember_gguf_f64(g, ember_gguf_find(g, key), gguf_is_array(g, key) ? layer : 0, out);
}

bool gguf_layer_bool(const struct ember_gguf *g, const char *key, uint32_t layer, bool *out)
{
    return ember_gguf_bool(g, ember_gguf_find(g, key), gguf_is_array(g, key) ? layer : 0, out);
}
