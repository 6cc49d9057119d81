/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/fail.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

static const char *const status_names[EMBER_STATUS_COUNT] = {
    [EMBER_OK] = "ok",
    [EMBER_END] = "end",
    [EMBER_INVALID] = "invalid argument",
    [EMBER_FORMAT] = "bad format",
    [EMBER_UNSUPPORTED] = "unsupported",
    [EMBER_NOT_FOUND] = "not found",
    [EMBER_NO_MEMORY] = "no memory",
    [EMBER_IO] = "input/output",
    [EMBER_CANCELLED] = "cancelled",
    [EMBER_CONTEXT_FULL] = "context full",
};

const char *ember_status_name(enum ember_status status)
{
    if ((unsigned)status >= EMBER_STATUS_COUNT)
        return "unknown status";
    return status_names[status];
}

/* A sentence quotes names from hostile files: control characters could drive a terminal, and broken
 * UTF-8 would break whoever prints the sentence as JSON. Each bad byte becomes one '?'. */
static void clean(char *text, size_t size)
{
    for (size_t i = 0; i < size;) {
        uint32_t c;
        size_t n = utf8_decode(text + i, size - i, &c);
        if (c == '\n' || c == '\t')
            text[i] = ' ';
        else if (c == UTF8_BAD || c < 0x20 || (c >= 0x7F && c < 0xA0))
            memset(text + i, '?', n);
        i += n;
    }
}

enum ember_status ember_fail(struct ember_error *err, enum ember_status status, const char *format,
                             ...)
{
    if (!err)
        return status;

    va_list args;
    va_start(args, format);
    int n = vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);

    size_t size = n < 0 ? 0 : (size_t)n;
    if (size >= sizeof err->message) {
        size = sizeof err->message - 1;
        size -= utf8_unfinished(err->message, size);
    }
    err->message[size] = '\0';
    clean(err->message, size);
    err->status = status;
    err->line = 0;
    return status;
}

enum ember_status fail_at_line(struct ember_error *err, enum ember_status status, const char *name,
                               unsigned line, const char *what)
{
    ember_fail(err, status, "%s, line %u: %s", name, line, what);
    if (err)
        err->line = line;
    return status;
}
