/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <ember/log.h>

#include <stdarg.h>
#include <stdio.h>

#include <ember/version.h>

#include "base/fail.h"

/* The one piece of process-wide state: set before other threads start, so it needs no lock. */
static struct {
    ember_log_cb callback;
    void *user_data;
} sink;

void ember_log_set(ember_log_cb callback, void *user_data)
{
    sink.callback = callback;
    sink.user_data = user_data;
}

void ember_log_debug(const char *format, ...)
{
    char line[1024];
    va_list args;

    if (!sink.callback)
        return;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    sink.callback(EMBER_LOG_DEBUG, line, sink.user_data);
}

const char *ember_version(void)
{
    return EMBER_VERSION;
}
