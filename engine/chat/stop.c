/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stop strings in a stream. One automaton per string (Knuth, Morris and Pratt), stepped byte by
 * byte, so that how the text was cut into pieces never matters. The text ends at the string that is
 * complete first; of several complete at the same byte, at the longest. */
#include <stdlib.h>
#include <string.h>

#include <ember/chat.h>

#include "base/checked.h"
#include "base/fail.h"

enum { FIRST_CAPACITY = 4096 };

struct stop_string {
    const char *text;
    uint32_t size;
    uint32_t matched;     /* bytes of it that the stream ends with */
    const uint32_t *next; /* next[k]: the longest proper border of its first k + 1 bytes */
};

/* buffer: | shown by the last push | held back | free |. What a push returns lies at the beginning
 * and stays valid until the next one, which first moves the held part there. */
struct ember_stop {
    struct stop_string *strings;
    size_t n;
    char *buffer;
    size_t shown, size, capacity;
    bool stopped;
    void *memory; /* strings, their texts and tables in one piece */
};

static void fill_borders(const char *text, uint32_t size, uint32_t *next)
{
    uint32_t border = 0;
    next[0] = 0;
    for (uint32_t i = 1; i < size; i++) {
        while (border && text[i] != text[border])
            border = next[border - 1];
        border += text[i] == text[border];
        next[i] = border;
    }
}

enum ember_status ember_stop_new(struct ember_stop **out, const char *const *strings, size_t n,
                                 struct ember_error *err)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < n; i++) {
        size_t size = strlen(strings[i]);
        if (size > INT32_MAX / 8)
            return ember_fail(err, EMBER_INVALID, "a stop string has %zu bytes", size);
        bytes += size;
    }
    struct ember_stop *stop = calloc(1, sizeof *stop);
    if (!stop)
        return ember_fail(err, EMBER_NO_MEMORY, "stop strings: out of memory");
    stop->memory = calloc(1, n * sizeof *stop->strings + bytes * (sizeof(uint32_t) + 1) + 1);
    stop->capacity = FIRST_CAPACITY + bytes;
    stop->buffer = malloc(stop->capacity);
    if (!stop->memory || !stop->buffer) {
        ember_stop_free(stop);
        return ember_fail(err, EMBER_NO_MEMORY, "stop strings: out of memory");
    }
    stop->strings = stop->memory;
    uint32_t *next = (uint32_t *)(void *)(stop->strings + n);
    char *text = (char *)(next + bytes);
    for (size_t i = 0; i < n; i++) {
        uint32_t size = (uint32_t)strlen(strings[i]);
        if (!size)
            continue; /* would stop everything at once */
        memcpy(text, strings[i], size);
        fill_borders(text, size, next);
        stop->strings[stop->n++] = (struct stop_string){ .text = text, .size = size, .next = next };
        text += size;
        next += size;
    }
    *out = stop;
    return EMBER_OK;
}

void ember_stop_free(struct ember_stop *stop)
{
    if (!stop)
        return;
    free(stop->memory);
    free(stop->buffer);
    free(stop);
}

void ember_stop_reset(struct ember_stop *stop)
{
    stop->shown = stop->size = 0;
    stop->stopped = false;
    for (size_t i = 0; i < stop->n; i++)
        stop->strings[i].matched = 0;
}

/* Steps every automaton; returns the length of the longest string that is complete now, or 0. */
static uint32_t step(struct ember_stop *stop, char c)
{
    uint32_t complete = 0;
    for (size_t i = 0; i < stop->n; i++) {
        struct stop_string *s = &stop->strings[i];
        while (s->matched && s->text[s->matched] != c)
            s->matched = s->next[s->matched - 1];
        s->matched += s->text[s->matched] == c;
        if (s->matched == s->size && s->size > complete)
            complete = s->size;
    }
    return complete;
}

static size_t held_back(const struct ember_stop *stop)
{
    uint32_t longest = 0;
    for (size_t i = 0; i < stop->n; i++) {
        if (stop->strings[i].matched > longest)
            longest = stop->strings[i].matched;
    }
    return longest;
}

/* Forgets what was shown and makes room for a piece. Grows by doubling, so that pieces of ordinary
 * size never allocate after the first few. */
static bool make_room(struct ember_stop *stop, size_t size)
{
    memmove(stop->buffer, stop->buffer + stop->shown, stop->size - stop->shown);
    stop->size -= stop->shown;
    stop->shown = 0;
    if (size <= stop->capacity - stop->size)
        return true;
    size_t capacity = stop->capacity;
    while (capacity - stop->size < size) {
        if (!mul_size(capacity, 2, &capacity))
            return false;
    }
    char *grown = realloc(stop->buffer, capacity);
    if (!grown)
        return false;
    stop->buffer = grown;
    stop->capacity = capacity;
    return true;
}

struct ember_text ember_stop_push(struct ember_stop *stop, struct ember_text piece, bool *stopped)
{
    *stopped = stop->stopped;
    if (stop->stopped || !make_room(stop, piece.size)) {
        /* Without room for the piece the text cannot go on: what is held back is all there is. */
        stop->shown = stop->stopped ? stop->size : 0;
        *stopped = stop->stopped = true;
        return (struct ember_text){ .data = stop->buffer, .size = 0 };
    }
    for (size_t i = 0; i < piece.size; i++) {
        stop->buffer[stop->size++] = piece.data[i];
        uint32_t complete = step(stop, piece.data[i]);
        if (complete) {
            stop->size -= complete;
            stop->shown = stop->size;
            *stopped = stop->stopped = true;
            return (struct ember_text){ .data = stop->buffer, .size = stop->shown };
        }
    }
    stop->shown = stop->size - held_back(stop);
    return (struct ember_text){ .data = stop->buffer, .size = stop->shown };
}

struct ember_text ember_stop_flush(struct ember_stop *stop)
{
    struct ember_text rest = { .data = stop->buffer + stop->shown,
                               .size = stop->size - stop->shown };
    stop->shown = stop->size;
    for (size_t i = 0; i < stop->n; i++)
        stop->strings[i].matched = 0;
    return rest;
}
