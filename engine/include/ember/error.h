/* SPDX-License-Identifier: GPL-3.0-or-later */
/* error.h - how every call of the library says that it failed.
 *
 * A call that can fail returns a status and, when the caller passes a struct, fills in one English
 * sentence: which file, key or tensor, what was found, what was expected. The library never exits,
 * aborts or prints. A struct ember_error belongs to its caller and is never kept. */
#pragma once

#if defined(__GNUC__)
#define EMBER_API __attribute__((visibility("default")))
#else
#define EMBER_API
#endif

enum ember_status {
    EMBER_OK = 0,
    EMBER_END,          /* no more items: not a failure */
    EMBER_INVALID,      /* the caller's arguments do not make sense */
    EMBER_FORMAT,       /* the data is damaged or is not what it claims to be */
    EMBER_UNSUPPORTED,  /* the data is fine, but this build cannot do it */
    EMBER_NOT_FOUND,    /* no such key, tensor, token or file */
    EMBER_NO_MEMORY,    /* memory was refused */
    EMBER_IO,           /* the operating system refused a file operation */
    EMBER_CANCELLED,    /* somebody asked to stop */
    EMBER_CONTEXT_FULL, /* the context has no room for another token */
    EMBER_STATUS_COUNT
};

struct ember_error {
    enum ember_status status;
    char message[480]; /* one sentence, valid UTF-8, always terminated */
    unsigned line;     /* of the text that was read, from 1; 0: it is not about a line */
};

/* A short lower-case name such as "no memory". Never NULL; static storage. Any thread. */
EMBER_API const char *ember_status_name(enum ember_status status);
