/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From bytes to keys and tensors. The file is hostile: each count is compared with the bytes that
 * are left before it sizes or repeats anything, sums and products are checked, names end up in a
 * table with a secret key. Accepted beyond what the reference reader takes: tensors in any order,
 * with gaps or overlaps, version 1 (with the value types of version 2, too), arrays of arrays,
 * names of any length, empty and repeated keys (the first one counts), alignments that are a
 * multiple of 8 but no power of two, and big-endian headers.
 *
 * A lenient reading (struct gguf_scan) goes on after whatever does not hide the rest of the header,
 * and reports it instead. */
#include "gguf/private.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "base/text.h"
#include "quant/types.h"

enum {
    MAX_NESTING = 16,
    DEFAULT_ALIGNMENT = 32,
    GIVEN_UP = 64 << 10, /* bytes of the tensor table that are given up at once */
};
#define MAX_STRING_BYTES ((uint64_t)1 << 30)

/* All that differs between the versions of the format. */
struct layout {
    unsigned count_bytes;  /* header counts */
    unsigned length_bytes; /* of strings and arrays */
    unsigned dim_bytes;
};

static struct layout layout_of(uint32_t version)
{
    unsigned n_bytes = version == 1 ? 4 : 8;
    return (struct layout){ n_bytes, n_bytes, n_bytes };
}

struct parser {
    struct ember_gguf *g;
    struct reader r;
    struct layout layout;
    struct ember_error *err;
    struct gguf_scan *scan; /* NULL: every fault is a failure */
    /* What is being read, for the sentence: "key", "tensor" or NULL for the header; its number; and
     * once known the position of its name. */
    const char *item;
    uint64_t number;
    uint64_t name_at, name_size;
    bool named;
    uint64_t header_end; /* where the tensor table ends in the file */
};

/* Writes where we are: `the header`, `key 3` or `key "general.name"`. */
static void place(const struct parser *p, char *out, size_t size)
{
    enum { SHOWN = 96 };
    if (!p->item) {
        snprintf(out, size, "the header");
    } else if (!p->named) {
        snprintf(out, size, "%s %" PRIu64, p->item, p->number);
    } else {
        const char *name = (const char *)p->r.data + p->name_at;
        char shown[SHOWN + 1];
        size_t n = p->name_size < SHOWN ? (size_t)p->name_size : SHOWN;
        n -= n < p->name_size ? utf8_unfinished(name, n) : 0;
        for (size_t i = 0; i < n; i++)
            shown[i] = name[i] ? name[i] : '?'; /* a NUL would end the sentence */
        shown[n] = '\0';
        snprintf(out, size, "%s \"%s%s\"", p->item, shown, n < p->name_size ? "…" : "");
    }
}

/* Keeps what stopped a lenient reading. */
static void stop_scan(struct parser *p, const char *code)
{
    if (!p->scan)
        return;
    p->scan->code = code;
    place(p, p->scan->where, sizeof p->scan->where);
}

/* `"x.gguf": key "a" <what>` */
__attribute__((format(printf, 4, 5))) static enum ember_status
fail_at(struct parser *p, enum ember_status status, const char *code, const char *format, ...)
{
    char where[160], what[256];
    va_list args;

    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    place(p, where, sizeof where);
    stop_scan(p, code);
    return ember_fail(p->err, status, "\"%s\": %s %s", p->g->label, where, what);
}

/* A fault that a lenient reading reports and passes over; otherwise a failure. */
__attribute__((format(printf, 4, 5))) static enum ember_status
fault_at(struct parser *p, enum ember_status status, const char *code, const char *format, ...)
{
    char where[160], what[256];
    va_list args;

    va_start(args, format);
    vsnprintf(what, sizeof what, format, args);
    va_end(args);
    place(p, where, sizeof where);
    if (!p->scan)
        return ember_fail(p->err, status, "\"%s\": %s %s", p->g->label, where, what);
    p->scan->notice(p->scan->user_data, code, where, what);
    return EMBER_OK;
}

/* The sentence for whatever stopped the reader. */
static enum ember_status fail_read(struct parser *p)
{
    char where[160];

    place(p, where, sizeof where);
    stop_scan(p, p->r.failure == READER_TRUNCATED   ? "truncated"
                 : p->r.failure == READER_TOO_LARGE ? "header-too-large"
                                                    : "io");
    switch (p->r.failure) {
    case READER_TOO_LARGE:
        return ember_fail(p->err, EMBER_UNSUPPORTED,
                          "\"%s\": the header is larger than 1 GiB, which no model needs.",
                          p->g->label);
    case READER_NO_MEMORY:
        return ember_fail(p->err, EMBER_NO_MEMORY, "\"%s\": no memory left to read its header.",
                          p->g->label);
    case READER_IO:
        return ember_fail(p->err, EMBER_IO, "\"%s\" cannot be read: %s.", p->g->label,
                          strerror(p->r.io_error));
    default:
        return ember_fail(p->err, EMBER_FORMAT,
                          "\"%s\" is incomplete or damaged: the end of the file comes inside %s.",
                          p->g->label, where);
    }
}

static enum ember_status fail_memory(struct parser *p)
{
    p->r.failure = READER_NO_MEMORY;
    return fail_read(p);
}

/* Something odd that hides nothing: a lenient reading reports it. */
static void oddity_at(struct parser *p, const char *code, const char *what)
{
    char where[160];

    if (!p->scan)
        return;
    place(p, where, sizeof where);
    p->scan->notice(p->scan->user_data, code, where, what);
}

/* A length or count times `unit` bytes must still be in the file; says so if not. */
static enum ember_status check_left(struct parser *p, const char *what, uint64_t n, uint64_t unit)
{
    uint64_t left = reader_remaining(&p->r);

    if (p->r.failure)
        return fail_read(p);
    if (n <= left / unit)
        return EMBER_OK;
    return fail_at(p, EMBER_FORMAT, "beyond-file",
                   "is incomplete or damaged: its %s is %" PRIu64 ", but only %" PRIu64
                   " byte%s left in the file.",
                   what, n, left, left == 1 ? " is" : "s are");
}

/* Reads a string; its bytes are at *at. */
static enum ember_status read_string(struct parser *p, const char *what, uint64_t *at,
                                     uint64_t *size)
{
    *size = reader_uint(&p->r, p->layout.length_bytes);
    enum ember_status st = check_left(p, what, *size, 1);
    if (st)
        return st;
    if (*size > MAX_STRING_BYTES)
        return fail_at(p, EMBER_FORMAT, "too-long",
                       "is damaged: its %s is %" PRIu64 " bytes; %" PRIu64 " are allowed.", what,
                       *size, MAX_STRING_BYTES);
    *at = reader_skip(&p->r, *size);
    return p->r.failure ? fail_read(p) : EMBER_OK;
}

/* Grows an array of records for one more. `limit` is the checked number that will come, but memory
 * is only taken as records really arrive. */
static void *grow(void *records, uint64_t n, uint64_t *capacity, uint64_t limit, size_t size)
{
    if (n < *capacity)
        return records;
    uint64_t more = *capacity ? *capacity * 2 : 32;
    if (more > limit)
        more = limit;
    if (more > SIZE_MAX / size)
        return NULL;
    void *grown = realloc(records, (size_t)more * size);
    if (grown)
        *capacity = more;
    return grown;
}

static enum ember_status check_type(struct parser *p, const char *what, uint32_t type)
{
    if (p->r.failure)
        return fail_read(p);
    if (type < EMBER_GGUF_TYPE_COUNT)
        return EMBER_OK;
    return fail_at(p, EMBER_FORMAT, "value-type", "has the unknown %s %" PRIu32 "; 0 to %d exist.",
                   what, type, EMBER_GGUF_TYPE_COUNT - 1);
}

/* Reads element type and length of an array and passes over its elements. Only the outermost array
 * (depth 0) gets an index of its strings. */
static enum ember_status read_array(struct parser *p, struct gguf_key *key, unsigned depth)
{
    struct reader *r = &p->r;
    uint32_t type = reader_u32(r);
    uint64_t length = reader_uint(r, p->layout.length_bytes);
    uint64_t start = r->at;
    uint32_t *index = NULL;

    enum ember_status st = check_type(p, "array type", type);
    if (st)
        return st;
    unsigned n_bytes = gguf_type_bytes(type);
    unsigned least = n_bytes                     ? n_bytes
                     : type == EMBER_GGUF_STRING ? p->layout.length_bytes
                                                 : 4 + p->layout.length_bytes;
    st = check_left(p, "array length", length, least);
    if (st)
        return st;

    if (depth == 0) {
        key->element_type = (enum ember_gguf_type)type;
        key->length = length;
        key->value_at = start;
    }
    if (n_bytes) {
        reader_skip(r, length * n_bytes);
        return r->failure ? fail_read(p) : EMBER_OK;
    }
    if (type == EMBER_GGUF_ARRAY && depth + 1 >= MAX_NESTING)
        return fail_at(p, EMBER_FORMAT, "nesting", "holds arrays nested deeper than %d levels.",
                       MAX_NESTING);

    if (type == EMBER_GGUF_STRING && depth == 0) {
        /* The strings must be there before memory is taken for their index: at least `least` bytes
         * each, so the index is never larger than half of what was read. */
        if (!reader_need(r, length * least))
            return fail_read(p);
        index = arena_alloc(&p->g->arena, (size_t)length, sizeof *index);
        if (!index)
            return fail_memory(p);
        key->index = index;
    }
    for (uint64_t i = 0; i < length; i++) {
        if (type == EMBER_GGUF_ARRAY) {
            st = read_array(p, key, depth + 1);
        } else {
            uint64_t at, size;
            if (index)
                index[i] = (uint32_t)(r->at - start); /* READER_MAX_BYTES fits */
            st = read_string(p, "string length", &at, &size);
        }
        if (st)
            return st;
    }
    return EMBER_OK;
}

static enum ember_status read_key(struct parser *p, struct gguf_key *key)
{
    struct reader *r = &p->r;
    uint64_t at, size;

    enum ember_status st = read_string(p, "name length", &at, &size);
    if (st)
        return st;
    if (!size)
        oddity_at(p, "key-empty", "has an empty name; 1 to 65535 bytes are expected.");
    key->name_at = p->name_at = at;
    key->name.size = p->name_size = size;
    p->named = true;

    uint32_t type = reader_u32(r);
    st = check_type(p, "value type", type);
    if (st)
        return st;
    key->type = key->element_type = (enum ember_gguf_type)type;
    key->length = 1;
    key->value_at = r->at;
    if (type == EMBER_GGUF_ARRAY)
        return read_array(p, key, 0);
    if (type == EMBER_GGUF_STRING)
        return read_string(p, "string length", &at, &size);
    reader_skip(r, gguf_type_bytes(type));
    return r->failure ? fail_read(p) : EMBER_OK;
}

static enum ember_status read_keys(struct parser *p, uint64_t n_keys)
{
    struct ember_gguf *g = p->g;

    p->item = "key";
    for (uint64_t i = 0; i < n_keys; i++) {
        g->info.n_keys = i;
        struct gguf_key *keys = grow(g->keys, i, &g->keys_capacity, n_keys, sizeof *keys);
        if (!keys)
            return fail_memory(p);
        g->keys = keys;
        keys[i] = (struct gguf_key){ 0 };
        p->number = i + 1;
        p->named = false;
        enum ember_status st = read_key(p, &keys[i]);
        if (st)
            return st;
    }
    g->info.n_keys = n_keys;
    p->item = NULL;
    return EMBER_OK;
}

/* Bytes and elements of a tensor from its type and dimensions; 0 bytes after a fault. */
static enum ember_status size_tensor(struct parser *p, struct ember_gguf_tensor *t)
{
    const struct quant_info *info = quant_info(t->type);
    const char *foreign = quant_foreign_name(t->type);

    if (!info)
        return fault_at(p, EMBER_UNSUPPORTED, "tensor-type",
                        "has the unknown type %" PRIu32 "%s%s%s; 0 to %d exist.", t->type,
                        foreign ? " (" : "", foreign ? foreign : "",
                        foreign ? " of the ik_llama.cpp fork)" : "", QUANT_TYPE_COUNT - 1);
    if (!info->block_length)
        return fault_at(p, EMBER_UNSUPPORTED, "tensor-type",
                        "has type %" PRIu32 " (%s%s%s), which was removed from the format; a newer "
                        "file of this model is needed.",
                        t->type, info->name, foreign ? ", or a fork's " : "",
                        foreign ? foreign : "");

    uint64_t rows = 1;
    t->n_elements = t->ne[0];
    for (unsigned i = 1; i < EMBER_MAX_DIMS; i++) {
        if (!mul_u64(rows, t->ne[i], &rows) || !mul_u64(t->n_elements, t->ne[i], &t->n_elements)) {
            t->n_elements = 0;
            return fault_at(p, EMBER_FORMAT, "overflow",
                            "is damaged: its dimensions overflow; their product must be "
                            "below 2^64.");
        }
    }
    if (t->ne[0] % info->block_length)
        return fault_at(p, EMBER_FORMAT, "row-length",
                        "has rows of %" PRIu64 " elements; %s needs a multiple of %u.", t->ne[0],
                        info->name, (unsigned)info->block_length);
    if (!quant_row_bytes(t->type, t->ne[0], &t->n_bytes) ||
        !mul_u64(t->n_bytes, rows, &t->n_bytes)) {
        t->n_bytes = 0;
        return fault_at(p, EMBER_FORMAT, "overflow",
                        "is damaged: its size overflows; it must be below 2^64 bytes.");
    }
    return EMBER_OK;
}

static enum ember_status read_tensor(struct parser *p, struct ember_gguf_tensor *t)
{
    struct reader *r = &p->r;
    uint64_t at, size;

    enum ember_status st = read_string(p, "name length", &at, &size);
    if (st)
        return st;
    t->file_offset = p->name_at = at; /* until all is read: where the name is */
    t->name.size = p->name_size = size;
    p->named = true;

    uint32_t n_dims = reader_u32(r);
    if (r->failure)
        return fail_read(p);
    if (n_dims > EMBER_MAX_DIMS)
        return fail_at(p, EMBER_FORMAT, "dimensions",
                       "has %" PRIu32 " dimensions; %d are the most.", n_dims, EMBER_MAX_DIMS);
    t->n_dims = (uint16_t)n_dims;
    for (unsigned i = 0; i < EMBER_MAX_DIMS; i++) {
        t->ne[i] = i < t->n_dims ? reader_uint(r, p->layout.dim_bytes) : 1;
        if (t->ne[i] > INT64_MAX)
            return fail_at(p, EMBER_FORMAT, "dimensions",
                           "is damaged: dimension %u is %" PRIu64 "; %" PRId64 " is the most.", i,
                           t->ne[i], INT64_MAX);
    }
    t->type = reader_u32(r);
    t->offset = reader_uint(r, 8);
    return r->failure ? fail_read(p) : size_tensor(p, t);
}

static enum ember_status read_tensors(struct parser *p, uint64_t n_tensors)
{
    struct ember_gguf *g = p->g;
    uint64_t capacity = 0, names_end = p->r.at;

    p->item = "tensor";
    for (uint64_t i = 0; i < n_tensors; i++) {
        g->info.n_tensors = i;
        struct ember_gguf_tensor *tensors =
            grow(g->tensors, i, &capacity, n_tensors, sizeof *tensors);
        if (!tensors)
            return fail_memory(p);
        g->tensors = tensors;
        tensors[i] = (struct ember_gguf_tensor){ 0 };
        p->number = i + 1;
        p->named = false;
        enum ember_status st = read_tensor(p, &tensors[i]);
        if (st)
            return st;
        if (!p->r.buffer)
            continue;
        /* Of the table only the names are kept: they move together behind the keys. */
        struct ember_gguf_tensor *t = &tensors[i];
        memmove(p->r.buffer + names_end, p->r.buffer + t->file_offset, (size_t)t->name.size);
        t->file_offset = names_end;
        names_end += t->name.size;
        if (p->r.at - names_end >= GIVEN_UP)
            reader_give_up(&p->r, names_end);
    }
    reader_give_up(&p->r, names_end);
    g->info.n_tensors = n_tensors;
    p->item = NULL;
    return EMBER_OK;
}

/* Takes the header's bytes over and turns positions into pointers. */
static void settle(struct parser *p)
{
    struct ember_gguf *g = p->g;

    p->header_end = reader_offset(&p->r);
    g->header = reader_take_buffer(&p->r);
    const uint8_t *base = p->r.data;
    for (uint64_t i = 0; i < g->info.n_keys; i++) {
        g->keys[i].name.data = (const char *)base + g->keys[i].name_at;
        g->keys[i].value = base + g->keys[i].value_at;
    }
    for (uint64_t i = 0; i < g->info.n_tensors; i++)
        g->tensors[i].name.data = (const char *)base + g->tensors[i].file_offset;
}

/* Points the sentence at the second of two equal names. */
static void name_twice(struct parser *p, const char *item, uint64_t name_at, uint64_t name_size)
{
    p->item = item;
    p->named = true;
    p->name_at = name_at;
    p->name_size = name_size;
}

static enum ember_status report_twice(struct parser *p)
{
    static const char twice[] = "is there twice; a name may not have a duplicate.";
    struct ember_gguf *g = p->g;
    struct name_list keys = gguf_key_list(g), tensors = gguf_tensor_list(g);
    enum ember_status st = EMBER_OK;

    for (uint32_t i = 0; p->scan && i < keys.count; i++) {
        const struct gguf_key *key = &g->keys[i];
        /* Empty names were reported one by one. */
        if (!key->name.size ||
            names_find(&g->key_names, &g->hash_key, &keys, key->name.data, key->name.size) == i)
            continue;
        name_twice(p, "key", key->name_at, key->name.size);
        oddity_at(p, "key-duplicate", twice);
    }
    for (uint32_t i = 0; !st && i < tensors.count; i++) {
        const struct ember_gguf_tensor *t = &g->tensors[i];
        if (names_find(&g->tensor_names, &g->hash_key, &tensors, t->name.data, t->name.size) == i)
            continue;
        name_twice(p, "tensor", t->file_offset, t->name.size);
        st = fault_at(p, EMBER_FORMAT, "tensor-duplicate", "%s", twice);
    }
    p->item = NULL;
    return st;
}

static enum ember_status build_tables(struct parser *p)
{
    struct ember_gguf *g = p->g;
    struct name_list keys = gguf_key_list(g), tensors = gguf_tensor_list(g);
    bool twice_keys = false, twice_tensors = false;

    g->hash_key = hash_key_new();
    if (!names_build(&g->key_names, &g->hash_key, &keys, &twice_keys) ||
        !names_build(&g->tensor_names, &g->hash_key, &tensors, &twice_tensors))
        return fail_memory(p);
    return twice_keys || twice_tensors ? report_twice(p) : EMBER_OK;
}

static enum ember_status read_alignment(struct parser *p)
{
    struct ember_gguf *g = p->g;
    int64_t index = ember_gguf_find(g, "general.alignment");
    uint64_t alignment = DEFAULT_ALIGNMENT;
    enum ember_status st = EMBER_OK;

    if (index >= 0) {
        p->item = "key";
        p->named = true;
        p->name_at = g->keys[index].name_at;
        p->name_size = g->keys[index].name.size;
        if (g->keys[index].type != EMBER_GGUF_U32)
            st = fault_at(p, EMBER_FORMAT, "alignment-type", "has type %s; it must be u32.",
                          ember_gguf_type_name(g->keys[index].type));
        if (st)
            return st;
        ember_gguf_u64(g, index, 0, &alignment);
        if (!alignment || (alignment & (alignment - 1) && alignment % 8)) {
            st = fault_at(p, EMBER_FORMAT, "alignment",
                          "is %" PRIu64 "; it must be a power of two or a multiple of 8.",
                          alignment);
            alignment = DEFAULT_ALIGNMENT;
        }
        p->item = NULL;
    }
    g->info.alignment = (uint32_t)alignment;
    return st;
}

/* The next multiple of the alignment, which need not be a power of two. */
static bool align_up(uint64_t x, uint32_t alignment, uint64_t *out)
{
    uint64_t over = x % alignment;
    return add_u64(x, over ? alignment - over : 0, out);
}

/* "1.2 GB", or with `exact` "1234567890 bytes". */
static void show_size(char *out, size_t size, uint64_t n_bytes, bool exact)
{
    static const char units[] = "kMGTPE";
    double x = (double)n_bytes / 1000;
    unsigned unit = 0;

    if (exact || n_bytes < 1000) {
        snprintf(out, size, "%" PRIu64 " bytes", n_bytes);
        return;
    }
    for (; x >= 999.95 && unit < 5; unit++)
        x /= 1000;
    snprintf(out, size, "%.1f %cB", x, units[unit]);
}

static enum ember_status fail_incomplete(struct parser *p, const struct ember_gguf_tensor *last)
{
    char there[32], needed[32];
    uint64_t file_size = p->g->info.file_size, end = last->file_offset + last->n_bytes;

    stop_scan(p, "data-truncated");
    show_size(there, sizeof there, file_size, false);
    show_size(needed, sizeof needed, end, false);
    if (!strcmp(there, needed)) {
        show_size(there, sizeof there, file_size, true);
        show_size(needed, sizeof needed, end, true);
    }
    return ember_fail(p->err, EMBER_FORMAT,
                      "\"%s\" is incomplete: %s of %s are there, %" PRIu64
                      " bytes are missing (tensor \"%.*s\" ends past the end of the file).",
                      p->g->label, there, needed, end - file_size,
                      (int)(last->name.size < 64 ? last->name.size : 64), last->name.data);
}

/* Where the data section starts and where each tensor lies in the file. */
static enum ember_status place_tensors(struct parser *p, bool header_only)
{
    struct ember_gguf *g = p->g;
    const struct ember_gguf_tensor *last = NULL;
    uint64_t last_end = 0;

    /* A file without tensors has no data section to align. */
    g->header_end = g->info.data_offset = p->header_end;
    if (g->info.n_tensors && !align_up(p->header_end, g->info.alignment, &g->info.data_offset))
        return ember_fail(p->err, EMBER_FORMAT, "\"%s\": its data section starts past any file.",
                          g->label);

    for (uint64_t i = 0; i < g->info.n_tensors; i++) {
        struct ember_gguf_tensor *t = &g->tensors[i];
        uint64_t end;

        p->item = "tensor";
        p->name_at = t->file_offset;
        p->name_size = t->name.size;
        p->named = true;
        if (t->offset % g->info.alignment) {
            enum ember_status st = fault_at(p, EMBER_FORMAT, "offset",
                                            "has offset %" PRIu64
                                            ", which is no multiple of the alignment %" PRIu32 ".",
                                            t->offset, g->info.alignment);
            if (st)
                return st;
        }
        if (!add_u64(g->info.data_offset, t->offset, &t->file_offset) ||
            !add_u64(t->file_offset, t->n_bytes, &end) || end > INT64_MAX) {
            enum ember_status st = fault_at(p, EMBER_FORMAT, "beyond-file",
                                            "is damaged: offset %" PRIu64 " and size %" PRIu64
                                            " bytes lie past the end of any file.",
                                            t->offset, t->n_bytes);
            if (st)
                return st;
            t->file_offset = UINT64_MAX;
            t->n_bytes = 0;
            continue;
        }
        if (end > last_end || !last) {
            last = t;
            last_end = end;
        }
    }
    p->item = NULL;
    if (last && last_end > g->info.file_size && !header_only)
        return fail_incomplete(p, last);
    return EMBER_OK;
}

/* Magic, version and byte order. */
static enum ember_status read_magic(struct parser *p)
{
    struct reader *r = &p->r;
    const char *label = p->g->label;

    /* Enough to recognise other formats by, if the file has that much. */
    uint64_t head = reader_remaining(r) < 64 ? reader_remaining(r) : 64;
    if (!reader_need(r, head))
        return fail_read(p);
    if (head < 4 || memcmp(r->data, "GGUF", 4)) {
        const char *what = gguf_foreign(r->data, (size_t)head);
        stop_scan(p, "not-gguf");
        if (p->scan)
            p->scan->advice = gguf_foreign_advice(what);
        if (!what)
            return ember_fail(
                p->err, EMBER_FORMAT,
                "\"%s\" is not a GGUF file: it does not begin with the magic \"GGUF\".", label);
        return ember_fail(p->err, EMBER_FORMAT, "\"%s\" is %s, not a GGUF model file.", label,
                          what);
    }
    r->at = 4;
    uint32_t version = reader_u32(r);
    if (r->failure)
        return fail_read(p);
    /* The format's own rule, "low 16 bits are zero", also matches versions that do not exist. */
    uint32_t swapped = (uint32_t)load_uint(r->data + 4, 4, true);
    if (swapped >= 1 && swapped <= 3) {
        r->big_endian = true;
        version = swapped;
    }
    stop_scan(p, "version");
    if (version < 1 || version > 3)
        return ember_fail(p->err, EMBER_UNSUPPORTED,
                          "\"%s\" has GGUF version %" PRIu32 "; versions 1 to 3 can be read.",
                          label, version);
    p->g->info.version = version;
    p->g->info.big_endian = r->big_endian;
    p->layout = layout_of(version);
    p->g->length_bytes = p->layout.length_bytes;
    return EMBER_OK;
}

static enum ember_status parse(struct parser *p, bool header_only)
{
    struct ember_gguf_info *info = &p->g->info;

    enum ember_status st = read_magic(p);
    if (st)
        return st;
    /* Swapping tensor data in place is not possible in a read-only map. */
    if (info->big_endian && !header_only)
        return ember_fail(p->err, EMBER_UNSUPPORTED,
                          "\"%s\" is a big-endian file: it can be inspected, but not run.",
                          p->g->label);

    uint64_t n_tensors = reader_uint(&p->r, p->layout.count_bytes);
    uint64_t n_keys = reader_uint(&p->r, p->layout.count_bytes);
    /* The smallest key: no name, its type, a value of one byte. The smallest tensor: no name, no
     * dimension. */
    st = check_left(p, "number of tensors", n_tensors, p->layout.length_bytes + 4 + 4 + 8);
    if (!st)
        st = check_left(p, "number of keys", n_keys, p->layout.length_bytes + 4 + 1);
    if (st)
        return st;
    if (p->scan) {
        p->scan->n_tensors = n_tensors;
        p->scan->n_keys = n_keys;
    }
    if (n_tensors >= UINT32_MAX || n_keys >= UINT32_MAX)
        return fail_at(p, EMBER_UNSUPPORTED, "beyond-file",
                       "has %" PRIu64 " keys and %" PRIu64 " tensors; 2^32 - 2 are the most.",
                       n_keys, n_tensors);

    st = read_keys(p, n_keys);
    p->g->n_own_keys = p->g->info.n_keys;
    p->g->keys_end = reader_offset(&p->r);
    if (!st)
        st = read_tensors(p, n_tensors);
    if (st && !p->scan)
        return st;
    settle(p);
    enum ember_status found = build_tables(p);
    if (st || found) /* what stopped a lenient reading first is what it says */
        return st ? st : found;
    st = read_alignment(p);
    return st ? st : place_tensors(p, header_only);
}

enum ember_status gguf_parse(struct ember_gguf *g, const struct source *source, bool header_only,
                             struct gguf_scan *scan, struct ember_error *err)
{
    struct parser p = { .g = g, .err = err, .scan = scan };

    g->info.file_size = source->size;
    reader_init(&p.r, source);
    enum ember_status st = parse(&p, header_only);
    reader_finish(&p.r);
    return st;
}
