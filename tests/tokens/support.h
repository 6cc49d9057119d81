/* SPDX-License-Identifier: GPL-3.0-or-later */
/* support.h - what the tokenizer's test programs share. */
#pragma once

#include <ember/gguf.h>
#include <ember/tokenizer.h>

#include "test.h"

/* An open vocabulary; closed by vocabulary_finish(). */
struct vocabulary {
    struct ember_gguf *gguf;
    struct ember_tokenizer *tokenizer;
};

/* Reads a file's vocabulary; `set` (may be NULL) overrides one key. A failure is a failed check. */
static inline bool vocabulary_open(struct vocabulary *v, const char *path, const char *set)
{
    struct ember_error err = { 0 };
    *v = (struct vocabulary){ 0 };
    if (!CHECK_MSG(ember_gguf_open(&v->gguf, path, true, &err) == EMBER_OK, "%s", err.message))
        return false;
    if (set && !CHECK_MSG(ember_gguf_set(v->gguf, set, &err) == EMBER_OK, "%s", err.message))
        return false;
    return CHECK_MSG(ember_tokenizer_new(&v->tokenizer, v->gguf, &err) == EMBER_OK, "%s: %s",
                     set ? set : "", err.message);
}

static inline void vocabulary_finish(struct vocabulary *v)
{
    ember_tokenizer_free(v->tokenizer);
    ember_gguf_close(v->gguf);
    *v = (struct vocabulary){ 0 };
}

/* The ids of one text as words: "12 7 1"; for messages. Four rotating buffers. */
static inline const char *ids_text(const int32_t *ids, size_t n)
{
    static char buffers[4][400];
    static unsigned next;
    char *out = buffers[next++ % 4];
    size_t at = 0;

    out[0] = '\0';
    for (size_t i = 0; i < n && at < sizeof buffers[0] - 16; i++)
        at += (size_t)snprintf(out + at, sizeof buffers[0] - at, "%s%d", i ? " " : "", ids[i]);
    return out;
}

static inline bool ids_equal(const int32_t *got, size_t n_got, const int32_t *want, size_t n_want,
                             const char *what)
{
    bool same = n_got == n_want && (!n_got || memcmp(got, want, n_got * sizeof *got) == 0);
    return CHECK_MSG(same, "%s: %zu ids: %s, expected %zu: %s", what, n_got, ids_text(got, n_got),
                     n_want, ids_text(want, n_want));
}

static inline struct ember_text text_of(const char *string)
{
    return (struct ember_text){ string, strlen(string) };
}

/* The text of ids, allocated for the caller. */
static inline char *detokenize(const struct ember_tokenizer *t, const int32_t *ids, size_t n,
                               bool special, size_t *size)
{
    size_t room = 1, at = 0;
    for (size_t i = 0; i < n; i++)
        room += ember_detokenize_one(t, ids[i], special, NULL, 0);
    char *out = malloc(room);
    if (!out)
        return NULL;
    for (size_t i = 0; i < n; i++)
        at += ember_detokenize_one(t, ids[i], special, out + at, room - 1 - at);
    out[at] = '\0';
    *size = at;
    return out;
}

/* A whole file, allocated for the caller and terminated. */
static inline char *read_all(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    char *data = NULL;
    long length;

    if (file && fseek(file, 0, SEEK_END) == 0 && (length = ftell(file)) >= 0 &&
        fseek(file, 0, SEEK_SET) == 0 && (data = malloc((size_t)length + 1))) {
        *size = fread(data, 1, (size_t)length, file);
        data[*size] = '\0';
    }
    if (file)
        fclose(file);
    return data;
}
