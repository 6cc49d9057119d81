/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gguf/reader.h"

#include <stdlib.h>
#include <string.h>

enum { FIRST_BYTES = 64 << 10, AHEAD = 256 << 10 };

void reader_init(struct reader *r, const struct source *source)
{
    *r = (struct reader){ .source = *source };
    if (source->memory) {
        r->data = source->memory;
        r->filled = source->size < READER_MAX_BYTES ? source->size : READER_MAX_BYTES;
    }
}

void reader_finish(struct reader *r)
{
    if (!r)
        return;
    free(r->buffer);
    *r = (struct reader){ 0 };
}

uint8_t *reader_take_buffer(struct reader *r)
{
    uint8_t *buffer = r->buffer;

    if (buffer && r->at) {
        uint8_t *smaller = realloc(buffer, (size_t)r->at);
        if (smaller)
            buffer = smaller;
        r->data = buffer;
        r->filled = r->at;
    }
    r->buffer = NULL;
    return buffer;
}

void reader_give_up(struct reader *r, uint64_t from)
{
    if (!r->buffer || from >= r->at)
        return;
    memmove(r->buffer + from, r->buffer + r->at, (size_t)(r->filled - r->at));
    r->given_up += r->at - from;
    r->filled -= r->at - from;
    r->at = from;
}

/* Leaves nothing between `at` and `filled`, so that every later read comes back here. */
static bool give_up(struct reader *r, enum reader_failure failure)
{
    r->failure = failure;
    r->filled = r->at;
    return false;
}

static bool grow(struct reader *r, uint64_t needed)
{
    uint64_t capacity = r->capacity ? r->capacity + r->capacity / 2 : FIRST_BYTES;
    if (capacity < needed)
        capacity = needed;
    if (capacity > r->source.size - r->given_up)
        capacity = r->source.size - r->given_up;
    if (capacity > READER_MAX_BYTES)
        capacity = READER_MAX_BYTES;

    uint8_t *buffer = realloc(r->buffer, (size_t)capacity);
    if (!buffer)
        return false;
    r->buffer = buffer;
    r->data = buffer;
    r->capacity = capacity;
    return true;
}

size_t source_read(const struct source *source, uint64_t offset, void *dst, size_t size, int *error)
{
    size_t done = 0;

    *error = 0;
    if (source->memory) {
        if (offset >= source->size)
            return 0;
        done = size < source->size - offset ? size : (size_t)(source->size - offset);
        memcpy(dst, source->memory + offset, done);
        return done;
    }
    while (done < size) {
        size_t want = size - done;
        if (source->max_chunk && want > source->max_chunk)
            want = source->max_chunk;
        size_t got =
            source->read(source->user_data, offset + done, (char *)dst + done, want, error);
        if (*error || !got || got > want) /* a callback that overran is not believed */
            break;
        done += got;
    }
    return done;
}

bool reader_fill(struct reader *r, uint64_t n)
{
    if (r->failure)
        return false;
    if (n > reader_remaining(r))
        return give_up(r, READER_TRUNCATED);
    if (n > READER_MAX_BYTES || reader_offset(r) > READER_MAX_BYTES - n)
        return give_up(r, READER_TOO_LARGE);

    uint64_t needed = r->at + n;
    if (needed > r->capacity && !grow(r, needed))
        return give_up(r, READER_NO_MEMORY);

    while (r->filled < needed) {
        /* A window ahead where that is cheap; with a bound no more than what is needed and one
         * piece of that size. */
        size_t want = (size_t)(r->capacity - r->filled);
        size_t least = (size_t)(needed - r->filled), chunk = r->source.max_chunk;
        int error = 0;
        if (!chunk || chunk > AHEAD)
            chunk = AHEAD;
        if (want > chunk)
            want = least < chunk ? chunk : least;
        size_t got =
            source_read(&r->source, r->given_up + r->filled, r->buffer + r->filled, want, &error);
        if (error) {
            r->io_error = error;
            return give_up(r, READER_IO);
        }
        if (!got) /* shorter than its size says */
            return give_up(r, READER_TRUNCATED);
        r->filled += got;
    }
    return true;
}
