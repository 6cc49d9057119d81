/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/text.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Makes room for `more` bytes and a terminator. */
static bool reserve(struct text_buffer *text, size_t more)
{
    if (text->failed)
        return false;
    if (more > SIZE_MAX / 2 - 1 - text->size) {
        text->failed = true;
        return false;
    }
    size_t needed = text->size + more + 1;
    if (needed <= text->capacity)
        return true;

    size_t capacity = text->capacity ? text->capacity : 64;
    while (capacity < needed)
        capacity *= 2;
    char *data = realloc(text->data, capacity);
    if (!data) {
        text->failed = true;
        return false;
    }
    text->data = data;
    text->capacity = capacity;
    return true;
}

void text_append(struct text_buffer *text, const char *data, size_t size)
{
    if (!reserve(text, size))
        return;
    if (size)
        memcpy(text->data + text->size, data, size);
    text->size += size;
    text->data[text->size] = '\0';
}

void text_append_string(struct text_buffer *text, const char *string)
{
    text_append(text, string, strlen(string));
}

void text_append_char(struct text_buffer *text, char c)
{
    text_append(text, &c, 1);
}

void text_append_codepoint(struct text_buffer *text, uint32_t codepoint)
{
    char bytes[4];
    text_append(text, bytes, utf8_encode(codepoint, bytes));
}

void text_printf(struct text_buffer *text, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int n = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (n < 0) {
        text->failed = true;
        return;
    }
    if (!reserve(text, (size_t)n))
        return;
    va_start(args, format);
    vsnprintf(text->data + text->size, (size_t)n + 1, format, args);
    va_end(args);
    text->size += (size_t)n;
}

void text_finish(struct text_buffer *text)
{
    if (!text)
        return;
    free(text->data);
    *text = (struct text_buffer){ 0 };
}

/* Length of a character by its first byte (0 = none starts so), and the range of the second byte,
 * which is where overlong forms, surrogates and values past U+10FFFF show. */
static size_t lead(unsigned char first, unsigned char *low, unsigned char *high)
{
    *low = 0x80;
    *high = 0xBF;
    if (first < 0x80)
        return 1;
    if (first < 0xC2 || first > 0xF4)
        return 0;
    if (first < 0xE0)
        return 2;
    if (first < 0xF0) {
        if (first == 0xE0)
            *low = 0xA0;
        else if (first == 0xED)
            *high = 0x9F;
        return 3;
    }
    if (first == 0xF0)
        *low = 0x90;
    else if (first == 0xF4)
        *high = 0x8F;
    return 4;
}

/* How many bytes at the start of s[0..size) fit the beginning of one character, and in *length how
 * long that character is (0 = not even the first byte fits). */
static size_t fitting(const unsigned char *s, size_t size, size_t *length)
{
    unsigned char low, high;
    *length = lead(s[0], &low, &high);
    if (*length <= 1)
        return *length;
    if (size < 2 || s[1] < low || s[1] > high)
        return 1;
    size_t i = 2;
    while (i < *length && i < size && (s[i] & 0xC0) == 0x80)
        i++;
    return i;
}

size_t utf8_decode(const char *data, size_t size, uint32_t *codepoint)
{
    const unsigned char *s = (const unsigned char *)data;
    size_t length;

    if (fitting(s, size, &length) != length || !length) {
        *codepoint = UTF8_BAD;
        return 1;
    }
    uint32_t c = length == 1 ? s[0] : s[0] & (0xFFu >> (length + 1));
    for (size_t i = 1; i < length; i++)
        c = c << 6 | (s[i] & 0x3F);
    *codepoint = c;
    return length;
}

size_t utf8_encode(uint32_t c, char out[4])
{
    if (c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF))
        c = 0xFFFD;
    if (c < 0x80) {
        out[0] = (char)c;
        return 1;
    }
    if (c < 0x800) {
        out[0] = (char)(0xC0 | c >> 6);
        out[1] = (char)(0x80 | (c & 0x3F));
        return 2;
    }
    if (c < 0x10000) {
        out[0] = (char)(0xE0 | c >> 12);
        out[1] = (char)(0x80 | (c >> 6 & 0x3F));
        out[2] = (char)(0x80 | (c & 0x3F));
        return 3;
    }
    out[0] = (char)(0xF0 | c >> 18);
    out[1] = (char)(0x80 | (c >> 12 & 0x3F));
    out[2] = (char)(0x80 | (c >> 6 & 0x3F));
    out[3] = (char)(0x80 | (c & 0x3F));
    return 4;
}

size_t utf8_unfinished(const char *data, size_t size)
{
    const unsigned char *s = (const unsigned char *)data;

    for (size_t back = 1; back <= 3 && back <= size; back++) {
        const unsigned char *start = s + size - back;
        size_t length;
        if ((*start & 0xC0) == 0x80)
            continue;
        return fitting(start, back, &length) == back && back < length ? back : 0;
    }
    return 0;
}

bool utf8_valid(const char *data, size_t size)
{
    for (size_t i = 0; i < size;) {
        uint32_t c;
        i += utf8_decode(data + i, size - i, &c);
        if (c == UTF8_BAD)
            return false;
    }
    return true;
}

void text_slurp(const char *path, char *out, size_t size)
{
    size_t n = 0;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    while (fd >= 0 && n + 1 < size) {
        ssize_t got = read(fd, out + n, size - 1 - n);
        if (got <= 0)
            break;
        n += (size_t)got;
    }
    if (fd >= 0)
        close(fd);
    out[n] = '\0';
}
