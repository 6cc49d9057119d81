/* SPDX-License-Identifier: GPL-3.0-or-later */
/* log.h - where the library's debug lines go. Silent unless a callback is set. */
#pragma once

#include <ember/error.h>

enum ember_log_level { EMBER_LOG_DEBUG, EMBER_LOG_INFO, EMBER_LOG_WARNING };

/* Called on whichever thread has something to say; `text` is one line without a newline and lives
 * only for the call. */
typedef void (*ember_log_cb)(enum ember_log_level level, const char *text, void *user_data);

/* Sets the process-wide callback; NULL silences the library. Call before other threads use it. */
EMBER_API void ember_log_set(ember_log_cb callback, void *user_data);
