/* SPDX-License-Identifier: GPL-3.0-or-later */
/* reader.h - a bounded cursor over the beginning of a file. One thread.
 *
 * Bytes come from a source: a piece of memory, or a callback that delivers any range. What was read
 * is kept in one private buffer, so a file that shrinks or changes while it is open can make a
 * parse fail but never fault. The buffer moves as it grows: positions in it, not pointers, are
 * remembered until the end. What is no longer needed may be given up on the way. The first failure
 * is sticky; from then on every read yields zeros. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A header larger than this is refused; it also keeps positions inside it within 32 bits. */
#define READER_MAX_BYTES ((uint64_t)1 << 30)

struct source {
    const uint8_t *memory; /* the whole file, or NULL: then `read` is asked */
    uint64_t size;         /* bytes in the whole file */
    /* Delivers up to `size` bytes from `offset`, returns how many; fewer only at the end of the
     * file, or after an error, which goes to *error as an errno value. */
    size_t (*read)(void *user_data, uint64_t offset, void *dst, size_t size, int *error);
    void *user_data;
    size_t max_chunk; /* most bytes asked for at once; 0 = any */
};

enum reader_failure {
    READER_FINE = 0,
    READER_TRUNCATED, /* past the end of the file */
    READER_TOO_LARGE, /* past READER_MAX_BYTES */
    READER_NO_MEMORY,
    READER_IO, /* io_error has the errno */
};

struct reader {
    struct source source;
    const uint8_t *data; /* the beginning of the file, without what was given up */
    uint64_t at, filled; /* in `data` */
    uint64_t given_up;   /* bytes; all before `at` */
    bool big_endian;
    enum reader_failure failure;
    int io_error;
    uint8_t *buffer; /* owned; NULL when the source is memory */
    uint64_t capacity;
};

/* `source` is copied. Free with reader_finish(). */
void reader_init(struct reader *r, const struct source *source);
void reader_finish(struct reader *r);

/* Gives the buffer away, cut to what was read so far (NULL when the source is memory, where `data`
 * is the caller's). `data` stays valid and points into it. */
uint8_t *reader_take_buffer(struct reader *r);

/* Gives up the bytes from position `from` to the next one to be read, which is then at `from`.
 * Memory of the caller stays as it is. */
void reader_give_up(struct reader *r, uint64_t from);

/* Asks the source for up to `size` bytes, in pieces as large as it allows. Returns how many came; a
 * piece shorter than asked for is the end. */
size_t source_read(const struct source *source, uint64_t offset, void *dst, size_t size,
                   int *error);

/* Fetches at least n more bytes; false after a failure. */
bool reader_fill(struct reader *r, uint64_t n);

static inline bool reader_need(struct reader *r, uint64_t n)
{
    return n <= r->filled - r->at || reader_fill(r, n);
}

static inline uint64_t reader_remaining(const struct reader *r)
{
    return r->source.size - r->given_up - r->at;
}

/* Where the next byte lies in the file. */
static inline uint64_t reader_offset(const struct reader *r)
{
    return r->given_up + r->at;
}

/* An unsigned number of 1 … 8 bytes at p. */
static inline uint64_t load_uint(const uint8_t *p, unsigned n_bytes, bool big_endian)
{
    uint64_t x = 0;
    for (unsigned i = 0; i < n_bytes; i++)
        x |= (uint64_t)p[i] << 8 * (big_endian ? n_bytes - 1 - i : i);
    return x;
}

static inline uint64_t reader_uint(struct reader *r, unsigned n_bytes)
{
    if (!reader_need(r, n_bytes))
        return 0;
    r->at += n_bytes;
    return load_uint(r->data + r->at - n_bytes, n_bytes, r->big_endian);
}

static inline uint32_t reader_u32(struct reader *r)
{
    return (uint32_t)reader_uint(r, 4);
}

/* Passes over n bytes and returns the position of the first. */
static inline uint64_t reader_skip(struct reader *r, uint64_t n)
{
    uint64_t start = r->at;
    if (reader_need(r, n))
        r->at += n;
    return start;
}
