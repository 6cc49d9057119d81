/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Values as they lie in a file of version 3, little-endian: from another file, from this machine's
 * numbers, from text and from JSON. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "gguf/write.h"

enum { MAX_NESTING = 16 };

void write_uint(struct text_buffer *out, uint64_t x, unsigned n_bytes)
{
    char bytes[8];
    for (unsigned i = 0; i < n_bytes; i++)
        bytes[i] = (char)(x >> 8 * i);
    text_append(out, bytes, n_bytes);
}

/* `count` elements at p; returns where they end. Their lengths were checked when the file was read,
 * and an override holds one scalar. */
static const uint8_t *write_elements(struct text_buffer *out, const struct ember_gguf *g,
                                     const uint8_t *p, uint32_t type, uint64_t count)
{
    unsigned n_bytes = gguf_type_bytes(type), length = g->length_bytes;
    bool big = g->info.big_endian;

    if (n_bytes && (!big || n_bytes == 1)) {
        text_append(out, (const char *)p, (size_t)count * n_bytes);
        return p + count * n_bytes;
    }
    for (uint64_t i = 0; i < count && !out->failed; i++) {
        if (n_bytes) {
            write_uint(out, load_uint(p, n_bytes, big), n_bytes);
            p += n_bytes;
        } else if (type == EMBER_GGUF_STRING) {
            uint64_t size = load_uint(p, length, big);
            write_uint(out, size, 8);
            text_append(out, (const char *)p + length, (size_t)size);
            p += length + size;
        } else {
            uint32_t inner = (uint32_t)load_uint(p, 4, big);
            uint64_t n = load_uint(p + 4, length, big);
            write_uint(out, inner, 4);
            write_uint(out, n, 8);
            p = write_elements(out, g, p + 4 + length, inner, n);
        }
    }
    return p;
}

void write_value_of(struct text_buffer *out, const struct ember_gguf *g, const struct gguf_key *key)
{
    if (key->type == EMBER_GGUF_ARRAY) {
        write_uint(out, key->element_type, 4);
        write_uint(out, key->length, 8);
    }
    text_append(out, "", 0); /* an empty value has an address, too */
    write_elements(out, g, key->value, key->element_type, key->length);
}

bool gguf_same_value(const struct ember_gguf *a, uint64_t index_a, const struct ember_gguf *b,
                     uint64_t index_b)
{
    struct text_buffer x = { 0 }, y = { 0 };

    write_value_of(&x, a, &a->keys[index_a]);
    write_value_of(&y, b, &b->keys[index_b]);
    bool same = !x.failed && !y.failed && x.size == y.size &&
                a->keys[index_a].type == b->keys[index_b].type &&
                (!x.size || !memcmp(x.data, y.data, x.size));
    text_finish(&x);
    text_finish(&y);
    return same;
}

static bool is_integer(enum ember_gguf_type type)
{
    return type <= EMBER_GGUF_I32 || type == EMBER_GGUF_U64 || type == EMBER_GGUF_I64;
}

static bool is_signed(enum ember_gguf_type type)
{
    return type == EMBER_GGUF_I8 || type == EMBER_GGUF_I16 || type == EMBER_GGUF_I32 ||
           type == EMBER_GGUF_I64;
}

static enum ember_status misfit(enum ember_gguf_type type, struct ember_text name,
                                struct ember_error *err)
{
    const char *type_name = ember_gguf_type_name(type);
    return ember_fail(err, EMBER_INVALID, "The value of key \"%.*s\" does not fit the type %s.",
                      name.size < 100 ? (int)name.size : 100, name.data,
                      type_name ? type_name : "that was asked for");
}

/* Stores the bits of a number in the file's form. */
static enum ember_status set_bits(struct ember_writer *w, struct ember_text name,
                                  enum ember_gguf_type type, uint64_t bits, struct ember_error *err)
{
    uint8_t bytes[8];
    unsigned n = gguf_type_bytes(type);

    for (unsigned i = 0; i < n; i++)
        bytes[i] = (uint8_t)(bits >> 8 * i);
    return write_set(w, name, type, bytes, n, err);
}

static bool fits_u64(enum ember_gguf_type type, uint64_t value)
{
    if (type == EMBER_GGUF_BOOL)
        return value <= 1;
    if (!is_integer(type))
        return false;
    return value <= UINT64_MAX >> (64 - 8 * gguf_type_bytes(type)) >> is_signed(type);
}

static bool fits_i64(enum ember_gguf_type type, int64_t value)
{
    if (value >= 0)
        return fits_u64(type, (uint64_t)value);
    return is_integer(type) && is_signed(type) &&
           value >= -(INT64_MAX >> (64 - 8 * gguf_type_bytes(type))) - 1;
}

enum ember_status ember_writer_set_u64(struct ember_writer *w, struct ember_text name,
                                       enum ember_gguf_type type, uint64_t value,
                                       struct ember_error *err)
{
    return fits_u64(type, value) ? set_bits(w, name, type, value, err) : misfit(type, name, err);
}

enum ember_status ember_writer_set_i64(struct ember_writer *w, struct ember_text name,
                                       enum ember_gguf_type type, int64_t value,
                                       struct ember_error *err)
{
    return fits_i64(type, value) ? set_bits(w, name, type, (uint64_t)value, err)
                                 : misfit(type, name, err);
}

static uint64_t float_bits(enum ember_gguf_type type, double value)
{
    uint64_t bits;
    if (type == EMBER_GGUF_F32) {
        float f = (float)value;
        uint32_t low;
        memcpy(&low, &f, sizeof low);
        return low;
    }
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

enum ember_status ember_writer_set_f64(struct ember_writer *w, struct ember_text name,
                                       enum ember_gguf_type type, double value,
                                       struct ember_error *err)
{
    if (type != EMBER_GGUF_F32 && type != EMBER_GGUF_F64)
        return misfit(type, name, err);
    return set_bits(w, name, type, float_bits(type, value), err);
}

enum ember_status ember_writer_set_text(struct ember_writer *w, struct ember_text name,
                                        struct ember_text value, struct ember_error *err)
{
    return ember_writer_set_texts(w, name, &value, UINT64_MAX, err);
}

enum ember_status ember_writer_set_array(struct ember_writer *w, struct ember_text name,
                                         enum ember_gguf_type type, const void *data, uint64_t n,
                                         struct ember_error *err)
{
    struct text_buffer value = { 0 };
    unsigned n_bytes = gguf_type_bytes(type);
    const uint8_t *p = data;

    if (!n_bytes || n > SIZE_MAX / 16)
        return misfit(type, name, err);
    write_uint(&value, type, 4);
    write_uint(&value, n, 8);
    for (uint64_t i = 0; i < n && !value.failed; i++, p += n_bytes) {
        uint64_t bits = 0;
        uint16_t u16;
        uint32_t u32;
        switch (n_bytes) {
        case 1:
            bits = type == EMBER_GGUF_BOOL ? *p != 0 : *p;
            break;
        case 2:
            memcpy(&u16, p, sizeof u16);
            bits = u16;
            break;
        case 4:
            memcpy(&u32, p, sizeof u32);
            bits = u32;
            break;
        default:
            memcpy(&bits, p, sizeof bits);
            break;
        }
        write_uint(&value, bits, n_bytes);
    }
    enum ember_status st = value.failed
                               ? write_no_memory(err)
                               : write_set(w, name, EMBER_GGUF_ARRAY, value.data, value.size, err);
    text_finish(&value);
    return st;
}

/* n = UINT64_MAX: one text that is no array. */
enum ember_status ember_writer_set_texts(struct ember_writer *w, struct ember_text name,
                                         const struct ember_text *texts, uint64_t n,
                                         struct ember_error *err)
{
    bool scalar = n == UINT64_MAX;
    struct text_buffer value = { 0 };

    if (!scalar) {
        write_uint(&value, EMBER_GGUF_STRING, 4);
        write_uint(&value, n, 8);
    }
    for (uint64_t i = 0; i < (scalar ? 1 : n) && !value.failed; i++) {
        write_uint(&value, texts[i].size, 8);
        text_append(&value, texts[i].data, texts[i].size);
    }
    enum ember_status st = value.failed
                               ? write_no_memory(err)
                               : write_set(w, name, scalar ? EMBER_GGUF_STRING : EMBER_GGUF_ARRAY,
                                           value.data, value.size, err);
    text_finish(&value);
    return st;
}

/* ---- JSON ---- */

/* One number, boolean or string of a JSON text as an element. */
static bool json_element(struct text_buffer *out, enum ember_gguf_type type,
                         const struct ember_json *json)
{
    char digits[64];
    uint64_t bits;

    if (type == EMBER_GGUF_STRING) {
        if (json->kind != EMBER_JSON_STRING)
            return false;
        write_uint(out, json->text.size, 8);
        text_append(out, json->text.data, json->text.size);
        return true;
    }
    switch (json->kind) {
    case EMBER_JSON_BOOL:
        if (type != EMBER_GGUF_BOOL)
            return false;
        bits = json->boolean;
        break;
    case EMBER_JSON_INT:
        if (type == EMBER_GGUF_F32 || type == EMBER_GGUF_F64)
            bits = float_bits(type, (double)json->integer);
        else if (fits_i64(type, json->integer) && type != EMBER_GGUF_BOOL)
            bits = (uint64_t)json->integer;
        else
            return false;
        break;
    case EMBER_JSON_FLOAT:
        if (type != EMBER_GGUF_F32 && type != EMBER_GGUF_F64)
            return false;
        bits = float_bits(type, json->number);
        break;
    case EMBER_JSON_STRING: /* numbers that JSON lacks */
        if (json->text.size >= sizeof digits || type == EMBER_GGUF_BOOL)
            return false;
        memcpy(digits, json->text.data, json->text.size);
        digits[json->text.size] = '\0';
        if (!gguf_read_number(type, digits, &bits))
            return false;
        break;
    default:
        return false;
    }
    write_uint(out, bits, gguf_type_bytes(type));
    return true;
}

/* "u32", "arr[str]": the type, and the element's. */
static bool json_type(struct ember_text text, enum ember_gguf_type *type,
                      enum ember_gguf_type *element)
{
    bool array = text.size > 5 && !memcmp(text.data, "arr[", 4) && text.data[text.size - 1] == ']';
    struct ember_text inner = array ? (struct ember_text){ text.data + 4, text.size - 5 } : text;

    *element = array && inner.size == 3 && !memcmp(inner.data, "arr", 3) ? EMBER_GGUF_ARRAY
                                                                         : gguf_type_by_name(inner);
    *type = array ? EMBER_GGUF_ARRAY : *element;
    return *element != EMBER_GGUF_TYPE_COUNT;
}

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* Whether the bytes from *at on are `count` elements of this type; moves *at behind them. */
static bool well_formed(const struct text_buffer *b, size_t *at, uint32_t type, uint64_t count,
                        unsigned depth)
{
    const uint8_t *p = (const uint8_t *)b->data;
    unsigned n_bytes = gguf_type_bytes(type);

    if (type >= EMBER_GGUF_TYPE_COUNT || depth >= MAX_NESTING)
        return false;
    if (n_bytes) {
        if (count > (b->size - *at) / n_bytes)
            return false;
        *at += (size_t)count * n_bytes;
        return true;
    }
    for (uint64_t i = 0; i < count; i++) {
        size_t head = type == EMBER_GGUF_STRING ? 8 : 12;
        if (b->size - *at < head)
            return false;
        uint64_t n = load_uint(p + *at + head - 8, 8, false);
        uint32_t inner = (uint32_t)load_uint(p + *at, 4, false);
        *at += head;
        if (type == EMBER_GGUF_STRING) {
            if (n > b->size - *at)
                return false;
            *at += (size_t)n;
        } else if (!well_formed(b, at, inner, n, depth + 1)) {
            return false;
        }
    }
    return true;
}

/* The bytes of a value, as the file has them. */
static bool json_hex(struct text_buffer *out, enum ember_gguf_type type, struct ember_text hex)
{
    size_t at = 0;

    if (hex.size % 2)
        return false;
    for (size_t i = 0; i < hex.size; i += 2) {
        int high = hex_digit(hex.data[i]), low = hex_digit(hex.data[i + 1]);
        if (high < 0 || low < 0)
            return false;
        text_append_char(out, (char)(high << 4 | low));
    }
    if (out->failed)
        return true;
    return well_formed(out, &at, type, 1, 0) && at == out->size;
}

enum ember_status ember_writer_set_json(struct ember_writer *w, struct ember_text name,
                                        const struct ember_json *json, struct ember_error *err)
{
    const struct ember_json *type_json = ember_json_member(json, "type");
    const struct ember_json *value = ember_json_member(json, "value");
    const struct ember_json *hex = ember_json_member(json, "hex");
    enum ember_gguf_type type, element;
    struct text_buffer out = { 0 };
    bool ok = true;

    if (!type_json || type_json->kind != EMBER_JSON_STRING ||
        !json_type(type_json->text, &type, &element))
        return ember_fail(err, EMBER_INVALID,
                          "Key \"%.*s\" has no known \"type\" such as \"u32\" or \"arr[str]\".",
                          name.size < 100 ? (int)name.size : 100, name.data);
    if (hex && hex->kind == EMBER_JSON_STRING) {
        ok = json_hex(&out, type, hex->text);
    } else if (!value || element == EMBER_GGUF_ARRAY) {
        ok = false;
    } else if (type == EMBER_GGUF_ARRAY) {
        ok = value->kind == EMBER_JSON_ARRAY;
        if (ok) {
            write_uint(&out, element, 4);
            write_uint(&out, value->list.count, 8);
        }
        for (size_t i = 0; ok && i < value->list.count; i++)
            ok = json_element(&out, element, &value->list.items[i]);
    } else {
        ok = json_element(&out, type, value);
    }
    enum ember_status st = out.failed ? write_no_memory(err)
                           : !ok      ? misfit(type, name, err)
                                      : write_set(w, name, type, out.data, out.size, err);
    text_finish(&out);
    return st;
}

enum ember_status ember_writer_set(struct ember_writer *w, const char *assignment,
                                   struct ember_error *err)
{
    const char *equals = strchr(assignment, '=');
    const char *colon = equals ? strchr(equals, ':') : NULL;
    uint64_t bits;

    if (!colon || equals == assignment)
        return ember_fail(err, EMBER_INVALID,
                          "\"%.200s\" sets nothing: KEY=TYPE:VALUE is expected, such as "
                          "general.name=str:Test.",
                          assignment);
    struct ember_text name = { assignment, (size_t)(equals - assignment) };
    struct ember_text type_name = { equals + 1, (size_t)(colon - equals - 1) };
    enum ember_gguf_type type, element;
    if (!json_type(type_name, &type, &element) || element == EMBER_GGUF_ARRAY)
        return ember_fail(err, EMBER_INVALID,
                          "\"%.200s\": the type \"%.*s\" is unknown; u8 i8 u16 i16 u32 i32 u64 i64 "
                          "f32 f64 bool str and arr[TYPE] exist.",
                          assignment, type_name.size < 40 ? (int)type_name.size : 40,
                          type_name.data);
    if (type == EMBER_GGUF_STRING)
        return ember_writer_set_text(w, name, (struct ember_text){ colon + 1, strlen(colon + 1) },
                                     err);
    if (type != EMBER_GGUF_ARRAY) {
        if (!gguf_read_number(type, colon + 1, &bits))
            return ember_fail(err, EMBER_INVALID, "\"%.200s\": \"%.60s\" is no value of type %s.",
                              assignment, colon + 1, ember_gguf_type_name(type));
        return set_bits(w, name, type, bits, err);
    }
    struct ember_json_document *doc = NULL;
    enum ember_status st = ember_json_parse(&doc, colon + 1, strlen(colon + 1), err);
    if (st)
        return st == EMBER_FORMAT ? ember_fail(err, EMBER_INVALID,
                                               "\"%.100s\": an array is written as JSON, such as "
                                               "general.tags=arr[str]:[\"a\", \"b\"].",
                                               assignment)
                                  : st;
    const struct ember_json items[] = {
        { .kind = EMBER_JSON_STRING, .text = type_name },
        *ember_json_root(doc),
    };
    const struct ember_text names[] = { { "type", 4 }, { "value", 5 } };
    const struct ember_json object = { .kind = EMBER_JSON_OBJECT, .list = { 2, items, names } };
    st = ember_writer_set_json(w, name, &object, err);
    ember_json_free(doc);
    return st;
}

static bool all_text(const struct ember_gguf *g, uint64_t index)
{
    struct ember_text text;
    for (uint64_t i = 0; ember_gguf_text(g, (int64_t)index, i, &text); i++) {
        if (!utf8_valid(text.data, text.size))
            return false;
    }
    return true;
}

/* Whether JSON's digits give every float back: not the sign of zero, nor what a NaN carries. */
static bool all_plain(const struct ember_gguf *g, const struct gguf_key *key)
{
    bool f32 = key->element_type == EMBER_GGUF_F32;

    if (!f32 && key->element_type != EMBER_GGUF_F64)
        return true;
    for (uint64_t i = 0; i < key->length; i++) {
        uint64_t bits = f32 ? load_uint(key->value + 4 * i, 4, g->info.big_endian) << 32
                            : load_uint(key->value + 8 * i, 8, g->info.big_endian);
        uint64_t infinity = f32 ? (uint64_t)0x7F800000 << 32 : (uint64_t)0x7FF << 52;
        uint64_t nan = f32 ? (uint64_t)0x7FC00000 << 32 : (uint64_t)0x7FF8 << 48;
        uint64_t magnitude = bits & INT64_MAX;
        if ((magnitude == 0 && bits) || (magnitude > infinity && bits != nan))
            return false;
    }
    return true;
}

static void json_value(const struct ember_gguf *g, uint64_t index, uint64_t at,
                       struct ember_json_writer *json)
{
    enum ember_gguf_type type = ember_gguf_key_element_type(g, index);
    int64_t key = (int64_t)index, i64;
    struct ember_text text;
    uint64_t u64;
    double f64;
    bool boolean;

    if (ember_gguf_text(g, key, at, &text)) {
        ember_json_write_text(json, text);
    } else if (ember_gguf_bool(g, key, at, &boolean)) {
        ember_json_write_bool(json, boolean);
    } else if (type == EMBER_GGUF_F32 || type == EMBER_GGUF_F64) {
        ember_gguf_f64(g, key, at, &f64);
        ember_json_write_f64(json, f64, type == EMBER_GGUF_F32);
    } else if (ember_gguf_i64(g, key, at, &i64)) {
        ember_json_write_i64(json, i64);
    } else if (ember_gguf_u64(g, key, at, &u64)) {
        char digits[32];
        snprintf(digits, sizeof digits, "%" PRIu64, u64); /* beyond what readers keep exactly */
        ember_json_write_string(json, digits);
    }
}

void ember_writer_metadata_json(const struct ember_gguf *g, struct ember_json_writer *json)
{
    ember_json_begin_object(json);
    for (uint64_t i = 0; i < g->info.n_keys; i++) {
        const struct gguf_key *key = &g->keys[i];
        bool array = key->type == EMBER_GGUF_ARRAY;
        char type[32];
        uint64_t unused_at;
        uint8_t unused;
        bool exact = key->element_type != EMBER_GGUF_ARRAY && all_text(g, i) &&
                     !gguf_odd_bool(g, i, &unused_at, &unused) && all_plain(g, key);

        snprintf(type, sizeof type, array ? "arr[%s]" : "%s",
                 ember_gguf_type_name(key->element_type));
        ember_json_name_text(json, key->name);
        ember_json_begin_object(json);
        ember_json_name(json, "type");
        ember_json_write_string(json, type);
        if (exact) {
            ember_json_name(json, "value");
            if (array)
                ember_json_begin_array(json);
            for (uint64_t at = 0; at < key->length; at++)
                json_value(g, i, at, json);
            if (array)
                ember_json_end_array(json);
        } else {
            struct text_buffer bytes = { 0 }, hex = { 0 };
            write_value_of(&bytes, g, key);
            for (size_t k = 0; k < bytes.size; k++) {
                static const char digits[] = "0123456789abcdef";
                text_append_char(&hex, digits[(uint8_t)bytes.data[k] >> 4]);
                text_append_char(&hex, digits[(uint8_t)bytes.data[k] & 15]);
            }
            ember_json_name(json, "hex");
            ember_json_write_text(json, (struct ember_text){ hex.data, hex.size });
            text_finish(&bytes);
            text_finish(&hex);
        }
        ember_json_end_object(json);
    }
    ember_json_end_object(json);
}
