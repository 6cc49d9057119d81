/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"

/* ---- UTF-8 ---- */

#define BAD_CHARACTER UINT32_MAX

/* The character at text[0…size), size ≥ 1, and its length. Bytes that are not UTF-8 are
 * BAD_CHARACTER, one for each longest beginning of a character (as the JSON writer counts them). */
static uint32_t character_at(const char *text, size_t size, size_t *length)
{
    const unsigned char *p = (const unsigned char *)text;
    uint32_t c = p[0];
    size_t n = c < 0x80 ? 1 : c < 0xC2 ? 0 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : c < 0xF5 ? 4 : 0;

    *length = 1;
    if (n <= 1)
        return n ? c : BAD_CHARACTER;
    c &= 0x7Fu >> n;
    for (size_t i = 1; i < n; i++) {
        /* The second byte alone decides about overlong forms, surrogates and > U+10FFFF. */
        unsigned char low = p[0] == 0xE0 ? 0xA0 : p[0] == 0xF0 ? 0x90 : 0x80;
        unsigned char high = p[0] == 0xED ? 0x9F : p[0] == 0xF4 ? 0x8F : 0xBF;
        *length = i;
        if (i >= size || p[i] < (i == 1 ? low : 0x80) || p[i] > (i == 1 ? high : 0xBF))
            return BAD_CHARACTER;
        c = c << 6 | (p[i] & 0x3Fu);
    }
    *length = n;
    return c;
}

static bool is_control(uint32_t c)
{
    return c < 0x20 || (c >= 0x7F && c < 0xA0);
}

/* Characters that show nothing, or reorder what stands around them. */
static bool is_formatting(uint32_t c)
{
    return c == 0xAD || c == 0x61C || c == 0x180E || (c >= 0x200B && c <= 0x200F) ||
           (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
           (c >= 0xFFF9 && c <= 0xFFFB) || (c >= 0xE0000 && c <= 0xE0FFF);
}

/* ---- text ---- */

/* Writes how one character is shown to `out`; returns how many columns that takes. */
static size_t character_show(uint32_t c, const char *bytes, size_t length, enum text_style style,
                             char out[20])
{
    if (c == BAD_CHARACTER) {
        char *at = out;
        for (size_t i = 0; i < length; i++)
            at += snprintf(at, 5, "\\x%02x", (unsigned char)bytes[i]);
        return 4 * length;
    }
    if (style == TEXT_ANSWER && (c == '\n' || c == '\t')) {
        snprintf(out, 20, "%c", (int)c);
        return 1;
    }
    if (c == '\n' || c == '\t' || c == '\r')
        return (size_t)snprintf(out, 20, "\\%c", c == '\n' ? 'n' : c == '\t' ? 't' : 'r');
    if (style == TEXT_QUOTED && (c == '"' || c == '\\'))
        return (size_t)snprintf(out, 20, "\\%c", (int)c);
    if (is_control(c) && c < 0x80)
        return (size_t)snprintf(out, 20, "\\x%02x", (unsigned)c);
    if (is_control(c) || (style != TEXT_ANSWER && is_formatting(c)))
        return (size_t)snprintf(out, 20, "\\u{%x}", (unsigned)c);
    snprintf(out, 20, "%.*s", (int)length, bytes);
    return 1;
}

size_t text_print(FILE *file, struct ember_text text, enum text_style style, size_t columns)
{
    size_t at = 0, used = 0;
    size_t room = columns ? columns : SIZE_MAX;

    if (style == TEXT_QUOTED) {
        putc('"', file);
        used = 1;
    }
    while (at < text.size) {
        char shown[20];
        size_t length, width;
        uint32_t c = character_at(text.data + at, text.size - at, &length);
        bool last = at + length == text.size;
        width = character_show(c, text.data + at, length, style, shown);
        /* Room for this one, for what must follow it, and for the quote. */
        if (width + (last ? 0 : 1) + (style == TEXT_QUOTED) > room - used) {
            fputs("…", file);
            used++;
            break;
        }
        fputs(shown, file);
        used += width;
        at += length;
    }
    if (style == TEXT_QUOTED) {
        putc('"', file);
        used++;
    }
    return used;
}

struct ember_text text_of(const char *string)
{
    return (struct ember_text){ string, strlen(string) };
}

void complain(const char *format, ...)
{
    char text[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    fputs("ember: ", stderr);
    text_print(stderr, text_of(text), TEXT_PLAIN, 0);
    putc('\n', stderr);
}

int fail_with(const struct ember_error *err)
{
    complain("%s", err->message[0] ? err->message : ember_status_name(err->status));
    return STATUS_FAILED;
}

int fail_with_values(const struct ember_error *err)
{
    int status = fail_with(err);
    return err->status == EMBER_INVALID ? STATUS_USAGE : status;
}

/* ---- standard output ---- */

int output_end(void)
{
    errno = 0;
    bool earlier = ferror(stdout);
    /* Some systems report a full disk or a broken connection only when the file is closed. */
    if (fclose(stdout) == 0 && !earlier)
        return STATUS_FINE;
    complain("cannot write standard output: %s",
             errno ? strerror(errno) : "an earlier write failed");
    return STATUS_FAILED;
}

struct ember_json_writer *output_json_new(void)
{
    struct ember_json_writer *writer = ember_json_writer_new(0);
    if (!writer)
        complain("out of memory");
    return writer;
}

int output_json(struct ember_json_writer *writer)
{
    size_t size;
    const char *text = ember_json_writer_finish(writer, &size);
    int status = STATUS_FAILED;
    if (text) {
        fwrite(text, 1, size, stdout);
        putchar('\n');
        status = output_end();
    } else {
        complain("out of memory");
    }
    ember_json_writer_free(writer);
    return status;
}

/* ---- numbers ---- */

struct number_text bytes_text(uint64_t n_bytes)
{
    static const char *const units[] = { "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
    struct number_text out;
    double value = (double)n_bytes / 1024;
    size_t unit = 0;

    if (n_bytes < 1024) {
        snprintf(out.text, sizeof out.text, "%u byte%s", (unsigned)n_bytes,
                 n_bytes == 1 ? "" : "s");
        return out;
    }
    while (value >= 1023.95 && unit + 1 < sizeof units / sizeof units[0]) {
        value /= 1024;
        unit++;
    }
    snprintf(out.text, sizeof out.text, "%.1f %s", value, units[unit]);
    return out;
}

struct number_text count_text(uint64_t count)
{
    char digits[24];
    struct number_text out;
    size_t n = (size_t)snprintf(digits, sizeof digits, "%llu", (unsigned long long)count);
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        if (i && (n - i) % 3 == 0)
            out.text[at++] = ',';
        out.text[at++] = digits[i];
    }
    out.text[at] = '\0';
    return out;
}

/* ---- bytes and files ---- */

bool bytes_append(struct bytes *bytes, const void *data, size_t size)
{
    if (size > SIZE_MAX / 2 - bytes->size)
        return false;
    if (bytes->size + size > bytes->capacity) {
        size_t capacity = bytes->capacity ? bytes->capacity : 256;
        while (capacity < bytes->size + size)
            capacity *= 2;
        char *grown = realloc(bytes->data, capacity);
        if (!grown)
            return false;
        bytes->data = grown;
        bytes->capacity = capacity;
    }
    if (size)
        memcpy(bytes->data + bytes->size, data, size);
    bytes->size += size;
    return true;
}

void bytes_finish(struct bytes *bytes)
{
    free(bytes->data);
    *bytes = (struct bytes){ 0 };
}

bool bytes_append_utf8(struct bytes *bytes, struct ember_text text)
{
    size_t at = 0, length;
    while (at < text.size) {
        uint32_t c = character_at(text.data + at, text.size - at, &length);
        bool fine = c == BAD_CHARACTER || c == 0 ? bytes_append(bytes, "\xEF\xBF\xBD", 3)
                                                 : bytes_append(bytes, text.data + at, length);
        if (!fine)
            return false;
        at += length;
    }
    return true;
}

bool file_read(const char *path, struct bytes *out)
{
    char part[65536];
    const char *name = path ? path : "standard input";
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : STDIN_FILENO;
    ssize_t n;

    if (fd < 0) {
        complain("%s: %s", name, strerror(errno));
        return false;
    }
    while ((n = read(fd, part, sizeof part)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            complain("%s: %s", name, strerror(errno));
            break;
        }
        if ((size_t)n > FILE_READ_MAX - out->size) {
            complain("%.400s: more than %s are not read", name, bytes_text(FILE_READ_MAX).text);
            break;
        }
        if (!bytes_append(out, part, (size_t)n)) {
            complain("%.400s: out of memory", name);
            break;
        }
    }
    if (path)
        close(fd);
    if (n == 0)
        return true;
    bytes_finish(out);
    return false;
}
