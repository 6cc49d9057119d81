/* SPDX-License-Identifier: GPL-3.0-or-later */
/* refuse.h - refused memory, for a test that takes every allocation away in turn.
 *
 * The linker sends allocations through here: such a program is linked with --wrap for each name
 * below, those of mmap only if it defines REFUSE_MAPPINGS. Its own allocations count, too. */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>

static long calls, fail_at = -1; /* the call with this number is refused */
static long live;                /* allocations that are not freed */

void *__real_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
char *__real_strdup(const char *s);
void __real_free(void *p);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *old, size_t size);
char *__wrap_strdup(const char *s);
void __wrap_free(void *p);

static bool refused(void)
{
    return calls++ == fail_at;
}

void *__wrap_malloc(size_t size)
{
    void *p = refused() ? NULL : __real_malloc(size);
    live += p != NULL;
    return p;
}

void *__wrap_calloc(size_t n, size_t size)
{
    void *p = refused() ? NULL : __real_calloc(n, size);
    live += p != NULL;
    return p;
}

void *__wrap_realloc(void *old, size_t size)
{
    void *p = refused() ? NULL : __real_realloc(old, size);
    live += p && !old;
    return p;
}

char *__wrap_strdup(const char *s)
{
    char *p = refused() ? NULL : __real_strdup(s);
    live += p != NULL;
    return p;
}

void __wrap_free(void *p)
{
    live -= p != NULL;
    __real_free(p);
}

#ifdef REFUSE_MAPPINGS
void *__real_mmap(void *at, size_t size, int protection, int flags, int fd, int64_t offset);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, int64_t offset);
void *__wrap_mmap64(void *at, size_t size, int protection, int flags, int fd, int64_t offset);

void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, int64_t offset)
{
    if (refused()) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return __real_mmap(at, size, protection, flags, fd, offset);
}

/* With 64-bit file offsets on every system, mmap() is called by its other name. */
void *__wrap_mmap64(void *at, size_t size, int protection, int flags, int fd, int64_t offset)
{
    return __wrap_mmap(at, size, protection, flags, fd, offset);
}
#endif
