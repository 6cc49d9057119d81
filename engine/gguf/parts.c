/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Split models: which files are parts of one, and the one object made of them.
 *
 * A part says in its header which one it is. Its name is the first place to look for its siblings;
 * if one is not there or is another, every GGUF file of the folder is asked. */
#include "gguf/parts.h"

#include <ctype.h>
#include <dirent.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/fail.h"
#include "gguf/private.h"

enum { MOST_PARTS = 65535, MOST_FILES = 10000 };

bool ember_gguf_part_parse(const char *path, size_t *prefix_size, uint32_t *no, uint32_t *count)
{
    size_t size = strlen(path), end;
    uint32_t numbers[2];

    if (size < 5 || strcasecmp(path + size - 5, ".gguf"))
        return false;
    end = size - 5;
    for (int i = 1; i >= 0; i--) {
        size_t start = end;
        while (start > 0 && end - start < 6 && isdigit((unsigned char)path[start - 1]))
            start--;
        if (start == end)
            return false;
        numbers[i] = (uint32_t)strtoul(path + start, NULL, 10);
        size_t link = i ? 4 : 1;
        if (start < link || strncasecmp(path + start - link, i ? "-of-" : "-", link))
            return false;
        end = start - link;
    }
    if (!numbers[0] || numbers[0] > numbers[1])
        return false;
    *prefix_size = end;
    *no = numbers[0] - 1;
    *count = numbers[1];
    return true;
}

char *ember_gguf_part_path(const char *prefix, size_t prefix_size, uint32_t no, uint32_t count)
{
    size_t size = prefix_size + 32;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%.*s-%05u-of-%05u.gguf", (int)prefix_size, prefix, (unsigned)no + 1,
                 (unsigned)count);
    return path;
}

/* The set while it is looked for. `files` has one place per part; found ones are owned. */
struct search {
    struct ember_gguf *given;
    bool header_only;
    uint32_t n;
    uint64_t n_tensors; /* that all parts together must have; UINT64_MAX = not said */
    struct ember_gguf **files;
    const char **code; /* out */
    struct ember_error *err;
};

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Whether the header says that this is part `no` of such a set. */
static bool belongs(const struct search *s, const struct ember_gguf *part, uint32_t no)
{
    return ember_gguf_get_u64(part, "split.no", UINT64_MAX) == no &&
           ember_gguf_get_u64(part, "split.count", 0) == s->n &&
           ember_gguf_get_u64(part, "split.tensors.count", UINT64_MAX) == s->n_tensors;
}

/* Looks where the name says that the part is. A sentence in `why` if something else is there. */
static enum ember_status look_by_name(struct search *s, uint32_t no, struct ember_error *why)
{
    const char *given = s->given->path;
    size_t prefix;
    uint32_t own, count;
    struct ember_gguf *part = NULL;

    if (!ember_gguf_part_parse(given, &prefix, &own, &count) || count != s->n)
        return EMBER_NOT_FOUND;
    char *path = ember_gguf_part_path(given, prefix, no, count);
    if (!path)
        return EMBER_NO_MEMORY;
    enum ember_status st = gguf_open_one(&part, path, s->header_only, why);
    if (!st && !belongs(s, part, no)) {
        st = ember_fail(
            why, EMBER_INVALID,
            "Part %u of %u is foreign: \"%.100s\" says it is part %" PRIu64 " of %" PRIu64
            " with %" PRIu64 " tensors, but %" PRIu64 " tensors are expected.",
            (unsigned)no + 1, (unsigned)s->n, base_name(path),
            ember_gguf_get_u64(part, "split.no", 0) + 1, ember_gguf_get_u64(part, "split.count", 0),
            ember_gguf_get_u64(part, "split.tensors.count", 0), s->n_tensors);
        ember_gguf_close(part);
        part = NULL;
    }
    free(path);
    s->files[no] = part;
    return st;
}

/* A name that says it is a part of another set. */
static bool of_another_set(const struct search *s, const char *name)
{
    const char *given = base_name(s->given->path);
    size_t prefix, own;
    uint32_t no, count;

    if (!ember_gguf_part_parse(name, &prefix, &no, &count))
        return false;
    return ember_gguf_part_parse(given, &own, &no, &count) &&
           (own != prefix || memcmp(given, name, own) != 0);
}

/* Takes a file of the folder if it is a part that is still missing. */
static enum ember_status try_file(struct search *s, const char *path)
{
    struct ember_gguf *part = NULL;
    enum ember_status st = gguf_open_one(&part, path, s->header_only, NULL);

    if (st)
        return st == EMBER_NO_MEMORY ? st : EMBER_OK;
    uint64_t no = ember_gguf_get_u64(part, "split.no", UINT64_MAX);
    if (no < s->n && !s->files[no] && belongs(s, part, (uint32_t)no)) {
        s->files[no] = part;
        part = NULL;
    }
    ember_gguf_close(part);
    return EMBER_OK;
}

/* Asks every GGUF file of the folder; fills in whatever belongs and is still missing. */
static enum ember_status look_in_folder(struct search *s)
{
    const char *given = s->given->path;
    size_t folder = (size_t)(base_name(given) - given);
    enum ember_status st = EMBER_OK;
    char *name = malloc(folder + 2);
    unsigned n_files = 0;

    if (!name)
        return EMBER_NO_MEMORY;
    memcpy(name, given, folder);
    strcpy(name + folder, ".");
    DIR *dir = opendir(name);
    for (struct dirent *entry; dir && !st && n_files < MOST_FILES && (entry = readdir(dir));) {
        size_t size = strlen(entry->d_name);
        if (size < 5 || strcasecmp(entry->d_name + size - 5, ".gguf") ||
            of_another_set(s, entry->d_name))
            continue;
        n_files++;
        char *path = malloc(folder + size + 1);
        if (!path) {
            st = EMBER_NO_MEMORY;
            break;
        }
        memcpy(path, given, folder);
        memcpy(path + folder, entry->d_name, size + 1);
        st = try_file(s, path);
        free(path);
    }
    if (dir)
        closedir(dir);
    free(name);
    return st;
}

static enum ember_status no_memory(const struct search *s)
{
    return ember_fail(s->err, EMBER_NO_MEMORY, "\"%s\": no memory left to read its parts.",
                      s->given->label);
}

static enum ember_status find_all(struct search *s)
{
    struct ember_error why = { 0 }, first = { 0 };
    enum ember_status st, first_st = EMBER_OK;
    uint32_t missing = UINT32_MAX;

    for (uint32_t no = 0; no < s->n; no++) {
        if (s->files[no])
            continue;
        st = look_by_name(s, no, &why);
        if (st == EMBER_NO_MEMORY)
            return no_memory(s);
        if (st && missing == UINT32_MAX) {
            missing = no;
            first = why;
            first_st = st;
        }
    }
    if (missing == UINT32_MAX)
        return EMBER_OK;
    if (look_in_folder(s) == EMBER_NO_MEMORY)
        return no_memory(s);
    uint32_t still = 0;
    while (still < s->n && s->files[still])
        still++;
    if (still == s->n)
        return EMBER_OK;
    if (still == missing && first_st == EMBER_INVALID) {
        *s->code = "part-foreign";
        return ember_fail(s->err, EMBER_FORMAT, "%s", first.message);
    }
    if (still == missing && (first_st == EMBER_FORMAT || first_st == EMBER_UNSUPPORTED)) {
        *s->code = "part-damaged";
        return ember_fail(s->err, first_st, "Part %u of %u is damaged: %s", (unsigned)still + 1,
                          (unsigned)s->n, first.message);
    }
    *s->code = "part-missing";
    size_t prefix;
    uint32_t no, count;
    bool named = ember_gguf_part_parse(s->given->path, &prefix, &no, &count) && count == s->n;
    char *path = named ? ember_gguf_part_path(s->given->path, prefix, still, count) : NULL;
    st = ember_fail(s->err, EMBER_NOT_FOUND,
                    "Part %u of %u of the model is missing: %s%.100s%s is not beside \"%s\".",
                    (unsigned)still + 1, (unsigned)s->n, path ? "\"" : "",
                    path ? base_name(path) : "such a file", path ? "\"" : "", s->given->label);
    free(path);
    return st;
}

/* Puts all tensors into one table of the first part. */
static enum ember_status join(struct search *s)
{
    struct ember_gguf *g = s->files[0];
    uint64_t total = 0, size = 0, at = 0;
    bool twice = false;

    for (uint32_t i = 0; i < s->n; i++) {
        total += s->files[i]->info.n_tensors;
        size += s->files[i]->info.file_size;
    }
    if (s->n_tensors != UINT64_MAX && total != s->n_tensors) {
        *s->code = "part-tensors";
        return ember_fail(s->err, EMBER_FORMAT,
                          "\"%s\": its %u parts hold %" PRIu64 " tensors, but split.tensors.count "
                          "says %" PRIu64 ".",
                          s->given->label, (unsigned)s->n, total, s->n_tensors);
    }
    if (total >= UINT32_MAX)
        return ember_fail(s->err, EMBER_UNSUPPORTED,
                          "\"%s\" has %" PRIu64 " tensors; 2^32 - 2 are the most.", s->given->label,
                          total);
    struct ember_gguf_tensor *tensors = malloc((size_t)(total ? total : 1) * sizeof *tensors);
    if (!tensors)
        return no_memory(s);
    for (uint32_t i = 0; i < s->n; i++) {
        for (uint64_t k = 0; k < s->files[i]->info.n_tensors; k++) {
            tensors[at] = s->files[i]->tensors[k];
            tensors[at++].part = (uint16_t)i;
        }
    }
    struct name_table names = { 0 };
    struct name_list list = { tensors, sizeof *tensors, (uint32_t)total };
    if (!names_build(&names, &g->hash_key, &list, &twice)) {
        free(tensors);
        return no_memory(s);
    }
    for (uint32_t i = 0; twice && i < list.count; i++) {
        struct ember_text name = tensors[i].name;
        uint32_t found = names_find(&names, &g->hash_key, &list, name.data, name.size);
        if (found == i)
            continue;
        *s->code = "part-duplicate";
        ember_fail(s->err, EMBER_FORMAT, "Tensor \"%.*s\" is in part %u and again in part %u.",
                   (int)(name.size < 64 ? name.size : 64), name.data,
                   (unsigned)tensors[found].part + 1, (unsigned)tensors[i].part + 1);
        names_finish(&names);
        free(tensors);
        return EMBER_FORMAT;
    }
    names_finish(&g->tensor_names);
    free(g->tensors);
    g->tensors = tensors;
    g->tensor_names = names;
    g->info.n_tensors = total;
    g->own_size = g->info.file_size;
    g->info.file_size = size;
    return EMBER_OK;
}

enum ember_status gguf_join_parts(struct ember_gguf **gguf, bool header_only, const char **code,
                                  struct ember_error *err)
{
    struct ember_gguf *given = *gguf;
    uint64_t count = ember_gguf_get_u64(given, "split.count", 0);
    uint64_t no = ember_gguf_get_u64(given, "split.no", 0);
    const char *unused;
    struct search s = {
        .given = given,
        .header_only = header_only,
        .n = (uint32_t)count,
        .n_tensors = ember_gguf_get_u64(given, "split.tensors.count", UINT64_MAX),
        .code = code ? code : &unused,
        .err = err,
    };

    if (count < 2)
        return EMBER_OK;
    *s.code = "part-number";
    if (count > MOST_PARTS || no >= count)
        return ember_fail(err, EMBER_FORMAT,
                          "\"%s\": it is part %" PRIu64 " (split.no) of %" PRIu64
                          " parts (split.count), which cannot be.",
                          given->label, no, count);
    s.files = calloc((size_t)count, sizeof *s.files);
    if (!s.files)
        return ember_fail(err, EMBER_NO_MEMORY, "\"%s\": no memory left to read its parts.",
                          given->label);
    s.files[no] = given;
    enum ember_status st = find_all(&s);
    /* The object goes by the name that it was asked for. */
    char *asked = !st && s.files[0] != given ? strdup(given->path) : NULL;
    if (!st && s.files[0] != given && !asked)
        st = no_memory(&s);
    if (!st)
        st = join(&s);
    if (st) {
        for (uint32_t i = 0; i < s.n; i++)
            if (s.files[i] != given)
                ember_gguf_close(s.files[i]);
        free(s.files);
        free(asked);
        return st;
    }
    struct ember_gguf *main = s.files[0];
    main->asked = asked;
    main->parts = s.files;
    main->n_parts = s.n;
    *gguf = main;
    return EMBER_OK;
}

uint32_t ember_gguf_n_parts(const struct ember_gguf *g)
{
    return g->n_parts ? g->n_parts : 1;
}

const char *ember_gguf_part_file(const struct ember_gguf *g, uint32_t part)
{
    if (part >= ember_gguf_n_parts(g))
        return NULL;
    return g->n_parts ? g->parts[part]->path : g->path;
}

uint64_t ember_gguf_part_size(const struct ember_gguf *g, uint32_t part)
{
    if (part >= ember_gguf_n_parts(g))
        return 0;
    if (!g->n_parts)
        return g->info.file_size;
    return part ? g->parts[part]->info.file_size : g->own_size;
}
