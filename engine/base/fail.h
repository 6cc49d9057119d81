/* SPDX-License-Identifier: GPL-3.0-or-later */
/* fail.h - filling in struct ember_error. Any thread. */
#pragma once

#include <ember/error.h>

/* Writes status and sentence (cut at a character border if too long, bad UTF-8 as '?') and returns
 * the status, so that a failing function can end with `return ember_fail(…)`. `err` may be NULL. */
enum ember_status ember_fail(struct ember_error *err, enum ember_status status, const char *format,
                             ...) __attribute__((format(printf, 3, 4)));

/* The same for a line of a text: "NAME, line N: WHAT". */
enum ember_status fail_at_line(struct ember_error *err, enum ember_status status, const char *name,
                               unsigned line, const char *what);

/* Sends a line to the log callback, if one is set. */
void ember_log_debug(const char *format, ...) __attribute__((format(printf, 1, 2)));
