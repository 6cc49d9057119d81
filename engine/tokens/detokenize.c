/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ember/tokenizer.h>

#include <string.h>

#include "tokens/tokens.h"

/* Appends while there is room, and counts all. */
struct sink {
    char *data;
    size_t size, capacity;
};

static void put(struct sink *sink, const char *data, size_t size)
{
    if (sink->size < sink->capacity) {
        size_t left = sink->capacity - sink->size;
        memcpy(sink->data + sink->size, data, size < left ? size : left);
    }
    sink->size += size;
}

/* A text whose spaces are U+2581. */
static void put_spaces(struct sink *sink, const struct tok_piece *piece)
{
    for (uint32_t at = 0; at < piece->size;) {
        if (piece->size - at >= 3 && memcmp(piece->data + at, "▁", 3) == 0) {
            put(sink, " ", 1);
            at += 3;
        } else {
            put(sink, piece->data + at, 1);
            at++;
        }
    }
}

/* A text that draws its bytes; characters that draw none stand for themselves. */
static void put_bytes(struct sink *sink, const struct tok_piece *piece)
{
    for (uint32_t at = 0; at < piece->size;) {
        uint32_t codepoint;
        size_t step = utf8_decode(piece->data + at, piece->size - at, &codepoint);
        int byte = codepoint == UTF8_BAD ? -1 : tok_char_to_byte(codepoint);
        char c = (char)byte;
        if (byte >= 0)
            put(sink, &c, 1);
        else
            put(sink, piece->data + at, step);
        at += (uint32_t)step;
    }
}

static int hex(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "<0xHH>" is the byte HH. */
static void put_byte_token(struct sink *sink, const struct tok_piece *piece)
{
    const char *s = piece->data;
    if (piece->size == 6 && memcmp(s, "<0x", 3) == 0 && s[5] == '>' && hex(s[3]) >= 0 &&
        hex(s[4]) >= 0) {
        char byte = (char)(hex(s[3]) << 4 | hex(s[4]));
        put(sink, &byte, 1);
    } else {
        put(sink, piece->data, piece->size);
    }
}

size_t ember_detokenize_one(const struct ember_tokenizer *t, int32_t id, bool special, char *out,
                            size_t capacity)
{
    struct sink sink = { .data = out, .capacity = capacity };

    if (id < 0 || (uint32_t)id >= t->n_tokens)
        return 0;
    const struct tok_piece *piece = &t->pieces[id];
    switch ((enum ember_token_kind)piece->kind) {
    case EMBER_TOKEN_NORMAL:
        if (t->model == TOK_BPE && t->byte_level)
            put_bytes(&sink, piece);
        else if (t->model == TOK_RWKV)
            put(&sink, t->raw[id].data, t->raw[id].size);
        else
            put_spaces(&sink, piece);
        break;
    case EMBER_TOKEN_BYTE:
        put_byte_token(&sink, piece);
        break;
    case EMBER_TOKEN_USER_DEFINED:
        put(&sink, piece->data, piece->size);
        break;
    case EMBER_TOKEN_CONTROL:
    case EMBER_TOKEN_UNKNOWN:
        if (special)
            put(&sink, piece->data, piece->size);
        break;
    case EMBER_TOKEN_UNDEFINED:
    case EMBER_TOKEN_UNUSED:
        break;
    }
    return sink.size;
}
