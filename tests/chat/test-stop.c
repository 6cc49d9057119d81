/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stop strings: what is shown never depends on how the text was cut into pieces. */
#include "support.h"

struct run {
    char text[300];
    size_t size;
    bool stopped;
};

static void add(struct run *run, struct ember_text text)
{
    if (!CHECK(run->size + text.size < sizeof run->text))
        return;
    if (text.size)
        memcpy(run->text + run->size, text.data, text.size);
    run->size += text.size;
    run->text[run->size] = '\0';
}

/* Pushes text in pieces of `step` bytes until it stops; then what was held back. */
static void push_all(struct ember_stop *stop, const char *text, size_t step, struct run *run)
{
    size_t size = strlen(text);
    *run = (struct run){ 0 };
    ember_stop_reset(stop);
    for (size_t at = 0; at < size && !run->stopped; at += step) {
        struct ember_text piece = { text + at, size - at < step ? size - at : step };
        add(run, ember_stop_push(stop, piece, &run->stopped));
    }
    if (run->stopped) {
        bool still = false;
        struct ember_text more = { "more", 4 };
        CHECK_UINT(ember_stop_push(stop, more, &still).size, 0);
        CHECK(still);
    }
    add(run, ember_stop_flush(stop));
    CHECK_UINT(ember_stop_flush(stop).size, 0);
}

static const struct {
    const char *strings[4];
    const char *text, *expected;
    bool stops;
} cases[] = {
    { { "stop" }, "go on and stop here", "go on and ", true },
    { { "stop" }, "a stair, a sto", "a stair, a sto", false },
    { { "aab" }, "aaaab", "aa", true },
    { { "abab!" }, "abababab!x", "abab", true },
    { { "\n\n", "User:" }, "line\nnext User: hi", "line\nnext ", true },
    { { "\n\n", "User:" }, "line\n\nUser:", "line", true },
    { { "bc", "abcd" }, "xabcd", "xa", true }, /* complete first, though it begins later */
    { { "c", "abc" }, "xabcd", "x", true },    /* complete together: the longer one */
    { { "abcx", "b" }, "abc", "a", true },
    { { "é", "ß" }, "caf\xc3\xa9", "caf", true },
    { { "\xc3\xa9" }, "caf\xc3", "caf\xc3", false },
    { { "x" }, "", "", false },
    { { NULL }, "no strings at all", "no strings at all", false },
    { { "" }, "an empty one stops nothing", "an empty one stops nothing", false },
    { { "aaaa" }, "aaabaaabaaa", "aaabaaabaaa", false },
};

static void test_pieces(void)
{
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct ember_stop *stop = NULL;
        size_t n = 0;
        while (n < 4 && cases[i].strings[n])
            n++;
        if (!CHECK(ember_stop_new(&stop, cases[i].strings, n, NULL) == EMBER_OK))
            continue;
        for (size_t step = 1; step <= 20; step++) {
            struct run run;
            push_all(stop, cases[i].text, step, &run);
            CHECK_MSG(strcmp(run.text, cases[i].expected) == 0 && run.stopped == cases[i].stops,
                      "\"%s\" in pieces of %zu: \"%s\", stopped %d", cases[i].text, step, run.text,
                      run.stopped);
        }
        ember_stop_free(stop);
    }
}

/* Nothing is held back that can no longer become a stop string. */
static void test_held(void)
{
    static const char *const strings[] = { "</tool>" };
    struct ember_stop *stop = NULL;
    bool stopped = false;
    CHECK(ember_stop_new(&stop, strings, 1, NULL) == EMBER_OK);
    struct ember_text text = ember_stop_push(stop, (struct ember_text){ "a</to", 5 }, &stopped);
    CHECK(text.size == 1 && text.data[0] == 'a' && !stopped);
    text = ember_stop_push(stop, (struct ember_text){ "p<", 2 }, &stopped);
    CHECK(text.size == 5 && memcmp(text.data, "</top", 5) == 0 && !stopped);
    text = ember_stop_push(stop, (struct ember_text){ "/tool>b", 7 }, &stopped);
    CHECK(text.size == 0 && stopped);
    ember_stop_free(stop);
    ember_stop_free(NULL);
}

/* A piece larger than the buffer that was there at first. */
static void test_large(void)
{
    enum { SIZE = 100000 };
    static const char *const strings[] = { "end" };
    struct ember_stop *stop = NULL;
    bool stopped = false;
    char *piece = malloc(SIZE);
    if (!piece)
        abort();
    memset(piece, 'e', SIZE);
    CHECK(ember_stop_new(&stop, strings, 1, NULL) == EMBER_OK);
    struct ember_text text = ember_stop_push(stop, (struct ember_text){ piece, SIZE }, &stopped);
    CHECK_UINT(text.size, SIZE - 1);
    text = ember_stop_push(stop, (struct ember_text){ "nd", 2 }, &stopped);
    CHECK(text.size == 0 && stopped);
    ember_stop_free(stop);
    free(piece);
}

int main(void)
{
    test_pieces();
    test_held();
    test_large();
    return test_end();
}
