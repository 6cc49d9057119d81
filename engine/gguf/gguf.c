/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening and closing, and access to the tensor table; parse.c reads, value.c has the keys. */
#include "gguf/gguf.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <ember/writer.h>

#include "base/fail.h"
#include "base/text.h"
#include "gguf/guard.h"
#include "gguf/parts.h"
#include "gguf/private.h"

static enum ember_status no_memory(const char *name, struct ember_error *err)
{
    return ember_fail(err, EMBER_NO_MEMORY, "\"%s\": no memory left to read its header.", name);
}

/* An object that has a name and nothing else. */
static struct ember_gguf *new_gguf(const char *path)
{
    struct ember_gguf *g = calloc(1, sizeof *g);
    if (!g)
        return NULL;
    g->map.fd = -1;
    g->path = strdup(path);
    if (!g->path) {
        free(g);
        return NULL;
    }
    const char *slash = strrchr(path, '/');
    const char *base = slash && slash[1] ? slash + 1 : path;
    size_t size = strlen(base);
    if (size > sizeof g->label - 1) {
        size = sizeof g->label - 4;
        size -= utf8_unfinished(base, size);
        memcpy(g->label, base, size);
        memcpy(g->label + size, "…", sizeof "…");
    } else {
        memcpy(g->label, base, size + 1);
    }
    return g;
}

enum ember_status gguf_open_one(struct ember_gguf **out, const char *path, bool header_only,
                                struct ember_error *err)
{
    struct ember_gguf *g = new_gguf(path);
    if (!g)
        return no_memory(path, err);

    /* A change of the header that was cut off is undone first. */
    enum ember_status st = ember_writer_recover(path, err);
    if (!st)
        st = map_open(&g->map, path, err);
    if (st)
        goto fail;
    g->source = (struct source){ .size = g->map.size, .read = map_read, .user_data = &g->map };
    st = gguf_parse(g, &g->source, header_only, NULL, err);
    if (st)
        goto fail;
    /* The header alone was asked for: then a file too big for the address space is no failure. */
    st = map_all(&g->map, path, header_only ? NULL : err);
    if (st && !header_only)
        goto fail;
    g->data = g->map.data;
    *out = g;
    return EMBER_OK;
fail:
    ember_gguf_close(g);
    return st;
}

enum ember_status ember_gguf_open(struct ember_gguf **out, const char *path, bool header_only,
                                  struct ember_error *err)
{
    struct ember_gguf *g = NULL;
    enum ember_status st = gguf_open_one(&g, path, header_only, err);

    if (!st)
        st = gguf_join_parts(&g, header_only, NULL, err);
    if (st) {
        ember_gguf_close(g);
        return st;
    }
    *out = g;
    return EMBER_OK;
}

enum ember_status ember_gguf_open_part(struct ember_gguf **out, const char *path, bool header_only,
                                       struct ember_error *err)
{
    return gguf_open_one(out, path, header_only, err);
}

enum ember_status ember_gguf_open_memory(struct ember_gguf **out, const void *data, size_t size,
                                         const char *name, bool header_only,
                                         struct ember_error *err)
{
    struct ember_gguf *g = new_gguf(name);
    if (!g)
        return no_memory(name, err);

    g->source = (struct source){ .memory = size ? data : (const uint8_t *)"", .size = size };
    enum ember_status st = gguf_parse(g, &g->source, header_only, NULL, err);
    if (st) {
        ember_gguf_close(g);
        return st;
    }
    g->data = g->source.memory;
    *out = g;
    return EMBER_OK;
}

enum ember_status ember_gguf_open_source(struct ember_gguf **out,
                                         const struct ember_gguf_source *source, const char *name,
                                         struct ember_error *err)
{
    struct ember_gguf *g = new_gguf(name);
    if (!g)
        return no_memory(name, err);

    g->source = (struct source){ .size = source->size,
                                 .read = source->read,
                                 .user_data = source->user_data,
                                 .max_chunk = source->max_chunk };
    enum ember_status st = gguf_parse(g, &g->source, true, NULL, err);
    if (st) {
        ember_gguf_close(g);
        return st;
    }
    *out = g;
    return EMBER_OK;
}

enum ember_status gguf_scan(struct ember_gguf **out, const char *path, struct gguf_scan *scan,
                            struct ember_error *err)
{
    struct ember_gguf *g = new_gguf(path);
    if (!g)
        return no_memory(path, err);

    scan->code = "cannot-open";
    enum ember_status st = map_open(&g->map, path, err);
    if (st) {
        ember_gguf_close(g);
        return st;
    }
    g->source = (struct source){ .size = g->map.size, .read = map_read, .user_data = &g->map };
    st = gguf_parse(g, &g->source, true, scan, err);
    *out = g;
    return st;
}

enum ember_status gguf_read(const struct ember_gguf *g, uint64_t offset, void *dst, size_t size,
                            struct ember_error *err)
{
    int error;
    size_t got = source_read(&g->source, offset, dst, size, &error);

    if (got == size)
        return EMBER_OK;
    if (error)
        return ember_fail(err, EMBER_IO, "\"%s\" cannot be read: %s.", g->label, strerror(error));
    return ember_fail(err, EMBER_FORMAT, "\"%s\" ends at byte %" PRIu64 ", inside its tensor data.",
                      g->label, offset + got);
}

void ember_gguf_close(struct ember_gguf *g)
{
    if (!g)
        return;
    for (uint32_t i = 1; i < g->n_parts; i++)
        ember_gguf_close(g->parts[i]);
    free(g->parts);
    map_close(&g->map);
    names_finish(&g->key_names);
    names_finish(&g->tensor_names);
    arena_finish(&g->arena);
    free(g->keys);
    free(g->tensors);
    free(g->header);
    free(g->asked);
    free(g->path);
    free(g);
}

const char *ember_gguf_path(const struct ember_gguf *g)
{
    return g->asked ? g->asked : g->path;
}

const char *gguf_label(const struct ember_gguf *g)
{
    return g->label;
}

const struct ember_gguf_info *ember_gguf_info(const struct ember_gguf *g)
{
    return &g->info;
}

const struct ember_gguf_tensor *ember_gguf_tensor(const struct ember_gguf *g, uint64_t index)
{
    return index < g->info.n_tensors ? &g->tensors[index] : NULL;
}

const struct ember_gguf_tensor *gguf_find_tensor(const struct ember_gguf *g, const void *name,
                                                 size_t size)
{
    struct name_list list = gguf_tensor_list(g);
    uint32_t index = names_find(&g->tensor_names, &g->hash_key, &list, name, size);
    return index == NAMES_NONE ? NULL : &g->tensors[index];
}

const struct ember_gguf_tensor *ember_gguf_find_tensor(const struct ember_gguf *g, const char *name)
{
    return gguf_find_tensor(g, name, strlen(name));
}

/* The file that a tensor lies in. */
static const struct ember_gguf *file_of(const struct ember_gguf *g,
                                        const struct ember_gguf_tensor *tensor)
{
    return tensor->part < g->n_parts ? g->parts[tensor->part] : g;
}

const void *gguf_tensor_data(const struct ember_gguf *g, const struct ember_gguf_tensor *tensor)
{
    const struct ember_gguf *file = file_of(g, tensor);
    uint64_t size = file->source.size;

    if (!file->data || tensor->file_offset > size || tensor->n_bytes > size - tensor->file_offset)
        return NULL;
    return file->data + tensor->file_offset;
}

bool gguf_is_lost(const struct ember_gguf *g)
{
    for (uint32_t i = 1; i < g->n_parts; i++)
        if (guard_is_lost(g->parts[i]->map.guard))
            return true;
    return guard_is_lost(g->map.guard);
}

enum ember_status gguf_tensor_read(const struct ember_gguf *g,
                                   const struct ember_gguf_tensor *tensor, uint64_t offset,
                                   void *dst, size_t size, struct ember_error *err)
{
    if (offset > tensor->n_bytes || size > tensor->n_bytes - offset)
        return ember_fail(err, EMBER_INVALID, "\"%s\": a read past the end of a tensor.", g->label);
    return gguf_read(file_of(g, tensor), tensor->file_offset + offset, dst, size, err);
}

void gguf_will_need(const struct ember_gguf *g, const struct ember_gguf_tensor *tensor)
{
    const struct file_map *map = &file_of(g, tensor)->map;
    uint64_t offset = tensor->file_offset, n_bytes = tensor->n_bytes;

    if (!map->data || offset >= map->size)
        return;
    if (n_bytes > map->size - offset)
        n_bytes = map->size - offset;
    uint64_t start = offset & ~((uint64_t)sysconf(_SC_PAGESIZE) - 1);
    /* Advice only: if it is refused, pages are read when they are touched. */
    madvise((void *)(uintptr_t)(map->data + start), (size_t)(offset + n_bytes - start),
            MADV_WILLNEED);
}

uint64_t gguf_header_end(const struct ember_gguf *g)
{
    return g->header_end;
}

int gguf_fd(const struct ember_gguf *g)
{
    return g->map.fd;
}
