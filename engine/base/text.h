/* SPDX-License-Identifier: GPL-3.0-or-later */
/* text.h - growing byte strings and UTF-8. One thread at a time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero-initialised is empty and ready. `failed` is sticky: after a refused allocation appends do
 * nothing, so that one check at the end suffices. */
struct text_buffer {
    char *data; /* terminated once anything was appended */
    size_t size;
    size_t capacity;
    bool failed;
};

void text_append(struct text_buffer *text, const char *data, size_t size);
void text_append_string(struct text_buffer *text, const char *string);
void text_append_char(struct text_buffer *text, char c);
void text_append_codepoint(struct text_buffer *text, uint32_t codepoint);
void text_printf(struct text_buffer *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void text_finish(struct text_buffer *text);

/* Decodes one character at data[0..size), size ≥ 1. Returns its length in bytes, 1 with *codepoint
 * = UTF8_BAD when the bytes are not valid UTF-8 (overlong, surrogate, > U+10FFFF, cut). */
#define UTF8_BAD 0xFFFFFFFFu
size_t utf8_decode(const char *data, size_t size, uint32_t *codepoint);
/* Writes 1 … 4 bytes, returns how many. Invalid code points become U+FFFD. */
size_t utf8_encode(uint32_t codepoint, char out[4]);
/* Bytes at the end of data that begin a character which is not complete yet, 0 … 3. */
size_t utf8_unfinished(const char *data, size_t size);
bool utf8_valid(const char *data, size_t size);

/* Reads a small file, such as those of /proc, up to size − 1 bytes; "" when it cannot be read. */
void text_slurp(const char *path, char *out, size_t size);
