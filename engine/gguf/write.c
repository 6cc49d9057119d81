/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The writer's lists: keys and tensors, before anything is written. */
#include "gguf/write.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "quant/types.h"

enum { MAX_KEY_BYTES = 65535, MAX_NAME_BYTES = 64, DEFAULT_ALIGNMENT = 32 };

enum ember_status write_no_memory(struct ember_error *err)
{
    return ember_fail(err, EMBER_NO_MEMORY, "No memory left to write a file.");
}

enum ember_status ember_writer_new(struct ember_writer **out, struct ember_error *err)
{
    struct ember_writer *w = calloc(1, sizeof *w);
    if (!w)
        return write_no_memory(err);
    w->alignment = DEFAULT_ALIGNMENT;
    w->pad_empty = true;
    *out = w;
    return EMBER_OK;
}

void ember_writer_free(struct ember_writer *w)
{
    if (!w)
        return;
    free(w->keys);
    free(w->tensors);
    arena_finish(&w->arena);
    free(w);
}

static bool same(struct ember_text a, struct ember_text b)
{
    return a.size == b.size && (!a.size || !memcmp(a.data, b.data, a.size));
}

static bool is(struct ember_text text, const char *name)
{
    return same(text, (struct ember_text){ name, strlen(name) });
}

static size_t find_key(const struct ember_writer *w, struct ember_text name)
{
    size_t i = 0;
    while (i < w->n_keys && !same(w->keys[i].name, name))
        i++;
    return i;
}

static bool legal_alignment(uint64_t x)
{
    return x && (!(x & (x - 1)) || x % 8 == 0);
}

static enum ember_status check_name(struct ember_text name, struct ember_error *err)
{
    if (!name.size || name.size > MAX_KEY_BYTES)
        return ember_fail(err, EMBER_INVALID,
                          "The name of a key has %zu bytes; 1 to %d are allowed.", name.size,
                          MAX_KEY_BYTES);
    return EMBER_OK;
}

enum ember_status write_set(struct ember_writer *w, struct ember_text name,
                            enum ember_gguf_type type, const void *value, size_t size,
                            struct ember_error *err)
{
    uint32_t alignment = w->alignment;
    enum ember_status st = check_name(name, err);

    if (st)
        return st;
    if (is(name, "general.alignment")) {
        uint64_t x = type == EMBER_GGUF_U32 ? load_uint(value, 4, false) : 0;
        if (!legal_alignment(x))
            return ember_fail(
                err, EMBER_INVALID,
                "general.alignment must be a u32 that is a power of two or a multiple "
                "of 8.");
        alignment = (uint32_t)x;
    }
    size_t at = find_key(w, name);
    if (at == w->n_keys && at == w->keys_capacity) {
        size_t capacity = at ? at * 2 : 32;
        struct write_key *keys = realloc(w->keys, capacity * sizeof *keys);
        if (!keys)
            return write_no_memory(err);
        w->keys = keys;
        w->keys_capacity = capacity;
    }
    char *copy = arena_copy(&w->arena, value, size);
    char *own_name = at < w->n_keys ? NULL : arena_copy(&w->arena, name.data, name.size);
    if (!copy || (at == w->n_keys && !own_name))
        return write_no_memory(err);
    struct write_key *key = &w->keys[at];
    if (own_name)
        key->name = (struct ember_text){ own_name, name.size };
    key->type = type;
    key->value = copy;
    key->size = size;
    w->n_keys += own_name != NULL;
    w->alignment = alignment;
    return EMBER_OK;
}

enum ember_status ember_writer_copy_key(struct ember_writer *w, const struct ember_gguf *g,
                                        uint64_t index, struct ember_error *err)
{
    struct text_buffer value = { 0 };
    enum ember_status st;

    if (index >= g->info.n_keys)
        return ember_fail(err, EMBER_INVALID, "\"%s\" has no key of this number.", g->label);
    write_value_of(&value, g, &g->keys[index]);
    st = value.failed
             ? write_no_memory(err)
             : write_set(w, g->keys[index].name, g->keys[index].type, value.data, value.size, err);
    text_finish(&value);
    return st;
}

enum ember_status ember_writer_remove(struct ember_writer *w, struct ember_text name,
                                      struct ember_error *err)
{
    size_t at = find_key(w, name);

    if (at == w->n_keys)
        return ember_fail(err, EMBER_NOT_FOUND, "There is no key \"%.*s\".",
                          name.size < 100 ? (int)name.size : 100, name.data);
    memmove(w->keys + at, w->keys + at + 1, (w->n_keys - at - 1) * sizeof *w->keys);
    w->n_keys--;
    if (is(name, "general.alignment"))
        w->alignment = DEFAULT_ALIGNMENT;
    return EMBER_OK;
}

enum ember_status ember_writer_rename(struct ember_writer *w, struct ember_text old,
                                      struct ember_text name, struct ember_error *err)
{
    size_t at = find_key(w, old);
    enum ember_status st = check_name(name, err);

    if (st)
        return st;
    if (at == w->n_keys)
        return ember_fail(err, EMBER_NOT_FOUND, "There is no key \"%.*s\".",
                          old.size < 100 ? (int)old.size : 100, old.data);
    if (same(old, name))
        return EMBER_OK;
    if (find_key(w, name) != w->n_keys || is(name, "general.alignment") ||
        is(old, "general.alignment"))
        return ember_fail(err, EMBER_INVALID, "The key cannot be renamed to \"%.*s\"%s.",
                          name.size < 100 ? (int)name.size : 100, name.data,
                          find_key(w, name) != w->n_keys ? ": that is there, too" : "");
    char *copy = arena_copy(&w->arena, name.data, name.size);
    if (!copy)
        return write_no_memory(err);
    w->keys[at].name = (struct ember_text){ copy, name.size };
    return EMBER_OK;
}

void ember_writer_clear_keys(struct ember_writer *w)
{
    w->n_keys = 0;
    w->alignment = DEFAULT_ALIGNMENT;
}

uint64_t ember_writer_n_keys(const struct ember_writer *w)
{
    return w->n_keys;
}

/* ---- tensors ---- */

static struct write_tensor *new_tensor(struct ember_writer *w)
{
    if (w->n_tensors == w->tensors_capacity) {
        size_t capacity = w->n_tensors ? w->n_tensors * 2 : 64;
        struct write_tensor *tensors = realloc(w->tensors, capacity * sizeof *tensors);
        if (!tensors)
            return NULL;
        w->tensors = tensors;
        w->tensors_capacity = capacity;
    }
    return &w->tensors[w->n_tensors];
}

static enum ember_status size_of(uint32_t type, const uint64_t ne[EMBER_MAX_DIMS], uint64_t *out,
                                 struct ember_error *err)
{
    const struct quant_info *info = quant_info(type);

    if (!info || !info->block_length)
        return ember_fail(err, EMBER_INVALID, "The tensor type %u cannot be written.",
                          (unsigned)type);
    if (!quant_row_bytes(type, ne[0], out))
        return ember_fail(err, EMBER_INVALID, "Rows of %s are multiples of %u elements, not %llu.",
                          info->name, (unsigned)info->block_length, (unsigned long long)ne[0]);
    for (unsigned i = 1; i < EMBER_MAX_DIMS; i++) {
        if (!mul_u64(*out, ne[i], out) || *out > INT64_MAX)
            return ember_fail(err, EMBER_INVALID, "A tensor of such dimensions fits no file.");
    }
    return EMBER_OK;
}

enum ember_status ember_writer_add_tensor(struct ember_writer *w,
                                          const struct ember_writer_tensor *tensor,
                                          struct ember_error *err)
{
    struct write_tensor t = { .type = tensor->type,
                              .n_dims = tensor->n_dims,
                              .data = tensor->data };

    if (!tensor->name.size || tensor->name.size > MAX_NAME_BYTES)
        return ember_fail(err, EMBER_INVALID,
                          "The name of a tensor has %zu bytes; 1 to %d are allowed.",
                          tensor->name.size, MAX_NAME_BYTES);
    if (tensor->n_dims > EMBER_MAX_DIMS)
        return ember_fail(err, EMBER_INVALID, "A tensor has %u dimensions; %d are the most.",
                          (unsigned)tensor->n_dims, EMBER_MAX_DIMS);
    for (unsigned i = 0; i < EMBER_MAX_DIMS; i++)
        t.ne[i] = i < tensor->n_dims ? tensor->ne[i] : 1;
    enum ember_status st = size_of(t.type, t.ne, &t.n_bytes, err);
    if (st)
        return st;
    struct write_tensor *place = new_tensor(w);
    char *name = arena_copy(&w->arena, tensor->name.data, tensor->name.size);
    if (!place || !name)
        return write_no_memory(err);
    t.name = (struct ember_text){ name, tensor->name.size };
    *place = t;
    w->n_tensors++;
    return EMBER_OK;
}

enum ember_status ember_writer_copy_tensor(struct ember_writer *w, const struct ember_gguf *g,
                                           const struct ember_gguf_tensor *tensor,
                                           struct ember_error *err)
{
    struct write_tensor *t = new_tensor(w);
    if (!t)
        return write_no_memory(err);
    *t = (struct write_tensor){ .name = tensor->name,
                                .type = tensor->type,
                                .n_dims = tensor->n_dims,
                                .n_bytes = tensor->n_bytes,
                                .from = g,
                                .tensor = tensor };
    memcpy(t->ne, tensor->ne, sizeof t->ne);
    w->n_tensors++;
    return EMBER_OK;
}

static size_t find_tensor(const struct ember_writer *w, struct ember_text name)
{
    size_t i = 0;
    while (i < w->n_tensors && !same(w->tensors[i].name, name))
        i++;
    return i;
}

static enum ember_status no_tensor(struct ember_text name, struct ember_error *err)
{
    return ember_fail(err, EMBER_NOT_FOUND, "There is no tensor \"%.*s\".",
                      name.size < 100 ? (int)name.size : 100, name.data);
}

enum ember_status ember_writer_remove_tensor(struct ember_writer *w, struct ember_text name,
                                             struct ember_error *err)
{
    size_t at = find_tensor(w, name);

    if (at == w->n_tensors)
        return no_tensor(name, err);
    memmove(w->tensors + at, w->tensors + at + 1, (w->n_tensors - at - 1) * sizeof *w->tensors);
    w->n_tensors--;
    return EMBER_OK;
}

enum ember_status ember_writer_retype(struct ember_writer *w, struct ember_text name, uint32_t type,
                                      const void *data, struct ember_error *err)
{
    size_t at = find_tensor(w, name);
    uint64_t n_bytes;

    if (at == w->n_tensors)
        return no_tensor(name, err);
    struct write_tensor *t = &w->tensors[at];
    enum ember_status st = size_of(type, t->ne, &n_bytes, err);
    if (st)
        return st;
    t->type = type;
    t->n_bytes = n_bytes;
    t->data = data;
    t->from = NULL;
    t->tensor = NULL;
    return EMBER_OK;
}

uint64_t ember_writer_n_tensors(const struct ember_writer *w)
{
    return w->n_tensors;
}

enum ember_status ember_writer_from(struct ember_writer **out, const struct ember_gguf *g,
                                    struct ember_error *err)
{
    struct ember_writer *w = NULL;
    enum ember_status st = ember_writer_new(&w, err);

    if (st)
        return st;
    w->keys = calloc((size_t)g->info.n_keys + 1, sizeof *w->keys);
    w->keys_capacity = w->keys ? (size_t)g->info.n_keys + 1 : 0;
    if (!w->keys)
        st = write_no_memory(err);
    /* Names are unique already, so that nothing need be looked up. */
    for (uint64_t i = 0; !st && i < g->info.n_keys; i++) {
        const struct gguf_key *key = &g->keys[i];
        struct text_buffer value = { 0 };
        if (g->n_parts && (is(key->name, "split.no") || is(key->name, "split.count") ||
                           is(key->name, "split.tensors.count")))
            continue;
        write_value_of(&value, g, key);
        struct write_key *to = &w->keys[w->n_keys];
        to->name = key->name;
        to->type = key->type;
        to->size = value.size;
        to->value = value.failed ? NULL : arena_copy(&w->arena, value.data, value.size);
        to->name.data = arena_copy(&w->arena, key->name.data, key->name.size);
        text_finish(&value);
        if (!to->value || !to->name.data)
            st = write_no_memory(err);
        else
            w->n_keys++;
    }
    for (uint64_t i = 0; !st && i < g->info.n_tensors; i++)
        st = ember_writer_copy_tensor(w, g, &g->tensors[i], err);
    if (st) {
        ember_writer_free(w);
        return st;
    }
    w->alignment = g->info.alignment;
    /* Some writers pad a file without tensors, some do not. */
    w->pad_empty = g->info.n_tensors || g->info.file_size > g->header_end;
    *out = w;
    return EMBER_OK;
}
