/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test.h - the harness of the engine's test programs: checks that count, and one closing line.
 *
 * A program calls CHECK… as often as it likes and ends with `return test_end();`. Each failed check
 * prints one line; the last line of the program is "N passed, N failed, N skipped", which ./dev
 * sums up. One program, one thread that checks: the counters are plain integers. */
#pragma once

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static struct {
    unsigned long passed, failed, skipped;
} test_counts;

/* More lines than this say nothing new; the count goes on. */
enum { TEST_MAX_LINES = 50 };

__attribute__((format(printf, 4, 5))) static inline bool test_check(bool ok, const char *file,
                                                                    int line, const char *fmt, ...)
{
    if (ok) {
        test_counts.passed++;
        return true;
    }
    if (++test_counts.failed <= TEST_MAX_LINES) {
        va_list args;
        va_start(args, fmt);
        printf("%s:%d: ", file, line);
        vprintf(fmt, args);
        printf("\n");
        fflush(stdout); /* a crash must not swallow what came before it */
        va_end(args);
    }
    return false;
}

/* Each CHECK… is an expression: true when it held, so that `if (!CHECK(p)) return;` reads well. */
#define CHECK(cond) test_check((cond), __FILE__, __LINE__, "%s", #cond)
#define CHECK_MSG(cond, ...) test_check((cond), __FILE__, __LINE__, __VA_ARGS__)
#define CHECK_INT(got, want) test_check_int((got), (want), __FILE__, __LINE__, #got)
#define CHECK_UINT(got, want) test_check_uint((got), (want), __FILE__, __LINE__, #got)
#define CHECK_STR(got, want) test_check_str((got), (want), __FILE__, __LINE__, #got)
#define CHECK_MEM(got, want, n) test_check_mem((got), (want), (n), __FILE__, __LINE__, #got)
/* |got - want| <= tol; a NaN on either side fails. The message says which case it was. */
#define CHECK_NEAR(got, want, tol, ...)                                                            \
    test_check_near((got), (want), (tol), __FILE__, __LINE__, __VA_ARGS__)

static inline bool test_check_int(int64_t got, int64_t want, const char *file, int line,
                                  const char *what)
{
    return test_check(got == want, file, line, "%s is %" PRId64 ", expected %" PRId64, what, got,
                      want);
}

static inline bool test_check_uint(uint64_t got, uint64_t want, const char *file, int line,
                                   const char *what)
{
    return test_check(got == want, file, line, "%s is %" PRIu64 ", expected %" PRIu64, what, got,
                      want);
}

static inline bool test_check_str(const char *got, const char *want, const char *file, int line,
                                  const char *what)
{
    bool same = got && want ? strcmp(got, want) == 0 : got == want;
    return test_check(same, file, line, "%s is \"%s\", expected \"%s\"", what, got ? got : "(null)",
                      want ? want : "(null)");
}

static inline bool test_check_mem(const void *got, const void *want, size_t n, const char *file,
                                  int line, const char *what)
{
    const unsigned char *a = got, *b = want;
    for (size_t i = 0; i < n; i++) {
        if (a[i] != b[i])
            return test_check(false, file, line, "%s: byte %zu is %02x, expected %02x", what, i,
                              a[i], b[i]);
    }
    return test_check(true, file, line, "%s", what);
}

__attribute__((format(printf, 6, 7))) static inline bool test_check_near(double got, double want,
                                                                         double tol,
                                                                         const char *file, int line,
                                                                         const char *fmt, ...)
{
    if (got == want || fabs(got - want) <= tol)
        return test_check(true, file, line, "%s", fmt);
    char what[256];
    va_list args;
    va_start(args, fmt);
    vsnprintf(what, sizeof what, fmt, args);
    va_end(args);
    return test_check(false, file, line, "%s: %.9g, expected %.9g within %.3g", what, got, want,
                      tol);
}

/* Something this machine cannot have (an instruction set): counted as skipped. */
static inline void test_skip(const char *what, const char *why)
{
    printf("%s: skipped: %s\n", what, why);
    test_counts.skipped++;
}

/* Something that could have been there (a model, the corpus, a driver): skipped for a person, a
 * failure where CI is set, so that a run which tested little cannot look like a good one. */
static inline void test_missing(const char *what, const char *why)
{
    const char *ci = getenv("CI");
    if (ci && *ci)
        test_check(false, what, 0, "missing: %s", why);
    else
        test_skip(what, why);
}

/* The path of a file below the reference data, or NULL when it is not there. */
static inline const char *test_path(char *buf, size_t size, const char *folder_variable,
                                    const char *name)
{
    const char *folder = getenv(folder_variable);
    if (!folder || !*folder)
        return NULL;
    int n = snprintf(buf, size, "%s/%s", folder, name);
    return n > 0 && (size_t)n < size && access(buf, R_OK) == 0 ? buf : NULL;
}

/* `buf` holds the result. Folders: ../shared/corpus, ../shared/facts, the fetched models. */
#define test_corpus(buf, name) test_path((buf), sizeof(buf), "HEARTH_CORPUS", (name))
#define test_facts(buf, name) test_path((buf), sizeof(buf), "HEARTH_FACTS", (name))
#define test_model(buf, name) test_path((buf), sizeof(buf), "HEARTH_TEST_MODELS", (name))

/* Prints the closing line. Exit status: 0 fine, 1 something failed or nothing was checked at all,
 * 77 (Meson's "skipped") when all there was to check was skipped. */
static inline int test_end(void)
{
    if (test_counts.failed > TEST_MAX_LINES)
        printf("… and %lu more\n", test_counts.failed - TEST_MAX_LINES);
    printf("%lu passed, %lu failed, %lu skipped\n", test_counts.passed, test_counts.failed,
           test_counts.skipped);
    if (test_counts.failed)
        return 1;
    if (!test_counts.passed)
        return test_counts.skipped ? 77 : 1;
    return 0;
}
