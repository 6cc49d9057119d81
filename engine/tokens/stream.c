/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ember/tokenizer.h>

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "tokens/tokens.h"

enum { MAX_HELD = 3 }; /* bytes of an unfinished character */

struct ember_stream {
    const struct ember_tokenizer *tokenizer;
    bool special;
    size_t n_held; /* bytes at the start of `raw` that wait for their rest */
    size_t raw_size;
    char *raw;  /* held bytes and one token's; inside this allocation */
    char *text; /* what the last call gave: every bad byte may become three */
};

enum ember_status ember_stream_new(struct ember_stream **out,
                                   const struct ember_tokenizer *tokenizer, bool special,
                                   struct ember_error *err)
{
    /* No token's text is longer than its piece. */
    size_t raw_size = (size_t)tokenizer->max_piece + MAX_HELD;
    struct ember_stream *stream = calloc(1, sizeof *stream + 4 * raw_size);

    if (!stream)
        return ember_fail(err, EMBER_NO_MEMORY, "no memory to turn tokens into text");
    stream->tokenizer = tokenizer;
    stream->special = special;
    stream->raw_size = raw_size;
    stream->raw = (char *)(stream + 1);
    stream->text = stream->raw + raw_size;
    *out = stream;
    return EMBER_OK;
}

void ember_stream_free(struct ember_stream *stream)
{
    free(stream);
}

void ember_stream_reset(struct ember_stream *stream)
{
    stream->n_held = 0;
}

/* How many bytes at data belong to one bad sequence: the beginning of a character, or one byte. */
static size_t bad_length(const char *data, size_t size)
{
    size_t most = size < MAX_HELD ? size : MAX_HELD;
    for (size_t n = most; n > 1; n--) {
        if (utf8_unfinished(data, n) == n)
            return n;
    }
    return 1;
}

/* Writes raw[0..size) to `text` with U+FFFD for what is no character. */
static struct ember_text give(struct ember_stream *stream, size_t size)
{
    size_t n = 0;
    for (size_t at = 0; at < size;) {
        uint32_t codepoint;
        size_t step = utf8_decode(stream->raw + at, size - at, &codepoint);
        if (codepoint == UTF8_BAD) {
            step = bad_length(stream->raw + at, size - at);
            memcpy(stream->text + n, "\xEF\xBF\xBD", 3);
            n += 3;
        } else {
            memcpy(stream->text + n, stream->raw + at, step);
            n += step;
        }
        at += step;
    }
    return (struct ember_text){ stream->text, n };
}

struct ember_text ember_stream_push(struct ember_stream *stream, int32_t id)
{
    size_t room = stream->raw_size - stream->n_held;
    size_t size = stream->n_held + ember_detokenize_one(stream->tokenizer, id, stream->special,
                                                        stream->raw + stream->n_held, room);
    size_t tail = utf8_unfinished(stream->raw, size);
    struct ember_text text = give(stream, size - tail);

    memmove(stream->raw, stream->raw + size - tail, tail);
    stream->n_held = tail;
    return text;
}

struct ember_text ember_stream_flush(struct ember_stream *stream)
{
    struct ember_text text = give(stream, stream->n_held);
    stream->n_held = 0;
    return text;
}
