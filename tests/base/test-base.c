/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Errors, log, arena, growing text, UTF-8, hash. */
#include <string.h>

#include <ember/ember.h>

#include "base/arena.h"
#include "base/checked.h"
#include "base/fail.h"
#include "base/hash.h"
#include "base/text.h"
#include "test.h"

static void test_status(void)
{
    for (int i = 0; i < EMBER_STATUS_COUNT; i++) {
        const char *name = ember_status_name((enum ember_status)i);
        CHECK_MSG(name && *name && strcmp(name, "unknown status"), "status %d has no name", i);
        for (int j = 0; j < i; j++)
            CHECK_MSG(strcmp(name, ember_status_name((enum ember_status)j)), "%d, %d", i, j);
    }
    CHECK_STR(ember_status_name(EMBER_STATUS_COUNT), "unknown status");
    CHECK_STR(ember_status_name((enum ember_status) - 1), "unknown status");
    CHECK(ember_version()[0] >= '0' && ember_version()[0] <= '9');
}

static void test_fail(void)
{
    struct ember_error err = { 0 };
    char longer[2000];

    CHECK_INT(ember_fail(&err, EMBER_IO, "%s: %d", "name", 7), EMBER_IO);
    CHECK_INT(err.status, EMBER_IO);
    CHECK_STR(err.message, "name: 7");
    CHECK_INT(ember_fail(NULL, EMBER_FORMAT, "%s", "unseen"), EMBER_FORMAT);

    /* What a hostile name may hold: terminal escapes (also as C1), line ends, bad UTF-8. */
    ember_fail(&err, EMBER_IO, "a\nb\tc%sd\x7F", "\x1B[2J\xC2\x9B\xFF\xC3");
    CHECK_STR(err.message, "a b c?[2J????d?");
    ember_fail(&err, EMBER_IO, "%s", "größer \xF0\x9F\x99\x82");
    CHECK_STR(err.message, "größer \xF0\x9F\x99\x82");

    /* Too long: cut at a character's border, whichever byte the limit falls on. */
    for (size_t shift = 0; shift < 4; shift++) {
        memset(longer, 'a', shift);
        for (size_t i = shift; i + 4 < sizeof longer; i += 4)
            memcpy(longer + i, "\xF0\x9F\x99\x82\0", 5);
        ember_fail(&err, EMBER_IO, "%s", longer);
        size_t size = strlen(err.message);
        CHECK(size < sizeof err.message && size >= sizeof err.message - 4);
        CHECK(utf8_valid(err.message, size));
        CHECK(!memchr(err.message, '?', size));
    }
}

static struct {
    int calls;
    char text[64];
} logged;

static void on_log(enum ember_log_level level, const char *text, void *user_data)
{
    CHECK_INT(level, EMBER_LOG_DEBUG);
    CHECK(user_data == &logged);
    logged.calls++;
    snprintf(logged.text, sizeof logged.text, "%s", text);
}

static void test_log(void)
{
    ember_log_debug("nobody %s", "listens");
    ember_log_set(on_log, &logged);
    ember_log_debug("%d layers", 18);
    CHECK_INT(logged.calls, 1);
    CHECK_STR(logged.text, "18 layers");
    ember_log_set(NULL, NULL);
    ember_log_debug("again nobody");
    CHECK_INT(logged.calls, 1);
}

static void test_arena(void)
{
    enum { N = 3000 };
    struct arena arena = { 0 };
    static struct {
        unsigned char *data;
        size_t size;
    } pieces[N];
    uint32_t seed = 1;
    bool zero = true, aligned = true, intact = true;

    for (int i = 0; i < N; i++) {
        seed = seed * 1664525 + 1013904223;
        size_t size = i % 100 == 99 ? 300000 : seed >> 24;
        unsigned char *p = arena_alloc(&arena, size, 1);
        if (!CHECK(p))
            break;
        aligned &= (uintptr_t)p % _Alignof(max_align_t) == 0;
        for (size_t k = 0; k < size; k++)
            zero &= !p[k];
        memset(p, i & 255, size);
        pieces[i].data = p;
        pieces[i].size = size;
    }
    for (int i = 0; i < N; i++) {
        for (size_t k = 0; k < pieces[i].size; k++)
            intact &= pieces[i].data[k] == (i & 255);
    }
    CHECK(zero);
    CHECK(aligned);
    CHECK_MSG(intact, "two pieces of an arena overlap");
    CHECK(arena.total > N / 100 * 300000u && arena.total < N / 100 * 300000u + N * 300u * 2);

    CHECK(!arena_alloc(&arena, SIZE_MAX, 2));
    CHECK(!arena_alloc(&arena, SIZE_MAX, 1));
    CHECK(!arena_alloc(&arena, SIZE_MAX / 2, 1));
    CHECK(!arena_copy(&arena, "", SIZE_MAX));
    CHECK(arena_alloc(&arena, 0, 8));
    char *copy = arena_copy(&arena, "a\0b", 3);
    CHECK_MEM(copy, "a\0b", 4);
    CHECK_STR(arena_copy(&arena, NULL, 0), "");
    arena_finish(&arena);
    CHECK(!arena.chunks && !arena.total);
    arena_finish(&arena);
    arena_finish(NULL);
}

/* A big first piece becomes the only chunk: nothing else may be put into it. */
static void test_arena_big_first(void)
{
    struct arena arena = { 0 };
    unsigned char *big = arena_alloc(&arena, 100000, 1);
    unsigned char *small = arena_alloc(&arena, 16, 1);

    if (CHECK(big && small)) {
        memset(big, 1, 100000);
        CHECK(!small[0] && !small[15]);
        memset(small, 2, 16);
        CHECK(big[0] == 1 && big[99999] == 1);
    }
    arena_finish(&arena);
}

static void test_text(void)
{
    struct text_buffer text = { 0 };

    text_append(&text, "", 0);
    CHECK_STR(text.data, "");
    for (int i = 0; i < 1000; i++)
        text_printf(&text, "%03d,", i);
    CHECK_UINT(text.size, 4000);
    CHECK_UINT(strlen(text.data), 4000);
    CHECK_MEM(text.data + 3996, "999,", 5);
    text_append_codepoint(&text, 0x20AC);
    text_append_char(&text, '\0');
    text_append_string(&text, "end");
    CHECK_MEM(text.data + 4000, "\xE2\x82\xAC\0end", 8);
    CHECK_UINT(text.size, 4007);
    CHECK(!text.failed);

    text_append(&text, "x", SIZE_MAX / 2);
    CHECK(text.failed);
    text_append_string(&text, "more");
    text_printf(&text, "%d", 5);
    CHECK_UINT(text.size, 4007);
    text_finish(&text);
    CHECK(!text.data && !text.size && !text.failed);
    text_finish(NULL);
}

/* Decoding by the book, slowly: the value first, then what must not be. */
static size_t decode_slowly(const unsigned char *s, size_t size, uint32_t *c)
{
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    size_t n = s[0] < 0x80             ? 1
               : (s[0] & 0xE0) == 0xC0 ? 2
               : (s[0] & 0xF0) == 0xE0 ? 3
               : (s[0] & 0xF8) == 0xF0 ? 4
                                       : 0;
    *c = UTF8_BAD;
    if (!n || n > size)
        return 1;
    uint32_t x = n == 1 ? s[0] : s[0] & (0x7Fu >> n);
    for (size_t i = 1; i < n; i++) {
        if ((s[i] & 0xC0) != 0x80)
            return 1;
        x = x << 6 | (s[i] & 0x3F);
    }
    if (x < least[n] || x > 0x10FFFF || (x >= 0xD800 && x <= 0xDFFF))
        return 1;
    *c = x;
    return n;
}

static void test_utf8_all(void)
{
    bool all = true, back = true;

    for (uint32_t c = 0; c <= 0x10FFFF; c++) {
        char bytes[4];
        uint32_t again;
        size_t n = utf8_encode(c, bytes);
        bool surrogate = c >= 0xD800 && c <= 0xDFFF;
        back &= utf8_decode(bytes, n, &again) == n && again == (surrogate ? 0xFFFD : c);
        for (size_t cut = 1; cut < n; cut++) {
            uint32_t bad;
            back &= utf8_unfinished(bytes, cut) == cut;
            back &= utf8_decode(bytes, cut, &bad) == 1 && bad == UTF8_BAD;
        }
        back &= utf8_unfinished(bytes, n) == 0;
    }
    CHECK_MSG(back, "a character does not survive UTF-8");

    /* Every sequence of bytes that differ in how they may continue. */
    static const unsigned char kinds[] = { 0x00, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0,
                                           0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE, 0xEF,
                                           0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xF8, 0xFF };
    enum { K = sizeof kinds };
    for (unsigned i = 0; i < K * K * K * K; i++) {
        unsigned char s[4] = { kinds[i % K], kinds[i / K % K], kinds[i / K / K % K],
                               kinds[i / K / K / K] };
        for (size_t size = 1; size <= 4; size++) {
            uint32_t got, want;
            size_t n = utf8_decode((const char *)s, size, &got);
            all &= n == decode_slowly(s, size, &want) && got == want;
        }
    }
    CHECK_MSG(all, "utf8_decode differs from the definition");
}

static void test_utf8(void)
{
    static const struct {
        const char *text;
        size_t unfinished;
    } ends[] = {
        { "", 0 },
        { "a", 0 },
        { "\xC3", 1 },
        { "\xC3\xA4", 0 },
        { "\xE2\x82", 2 },
        { "\xE0\x80", 0 }, /* overlong: nothing can finish it */
        { "\xED\xA0", 0 },
        { "\xF0\x9F\x99", 3 },
        { "\xF4\x90", 0 },
        { "\xF5", 0 },
        { "\x80", 0 },
        { "a\x80\x80\x80", 0 },
        { "\xC1", 0 },
        { "x\xF0\x9F", 2 },
        { "\xE2\x82\xC3", 1 },
    };
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        CHECK_MSG(utf8_unfinished(ends[i].text, strlen(ends[i].text)) == ends[i].unfinished,
                  "unfinished, case %zu", i);

    char bytes[4];
    CHECK_UINT(utf8_encode(0x110000, bytes), 3);
    CHECK_MEM(bytes, "\xEF\xBF\xBD", 3);
    CHECK(utf8_valid("", 0));
    CHECK(utf8_valid("a\0b", 3));
    CHECK(utf8_valid("\xF4\x8F\xBF\xBF", 4));
    CHECK(!utf8_valid("\xF4\x90\x80\x80", 4));
    CHECK(!utf8_valid("ab\xC3", 3));
    CHECK(!utf8_valid("\xC0\xAF", 2));
    CHECK(!utf8_valid("\xED\xA0\x80", 3));
}

static void test_checked(void)
{
    uint64_t x;
    size_t n;

    CHECK(add_u64(UINT64_MAX - 1, 1, &x) && x == UINT64_MAX);
    CHECK(!add_u64(UINT64_MAX, 1, &x));
    CHECK(mul_u64(UINT32_MAX, UINT32_MAX, &x) && x == 0xFFFFFFFE00000001u);
    CHECK(!mul_u64((uint64_t)1 << 32, (uint64_t)1 << 32, &x));
    CHECK(mul_size(SIZE_MAX, 1, &n) && n == SIZE_MAX);
    CHECK(!mul_size(SIZE_MAX, 2, &n));
    CHECK(align_u64(0, 32, &x) && x == 0);
    CHECK(align_u64(33, 32, &x) && x == 64);
    CHECK(align_u64(7, 1, &x) && x == 7);
    CHECK(!align_u64(UINT64_MAX - 3, 32, &x));
}

static void test_hash(void)
{
    const struct hash_key key = { { 1, 2 } };
    unsigned char bytes[64];
    uint64_t seen[65];

    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)i;
    for (size_t size = 0; size <= 64; size++) {
        seen[size] = hash_bytes(&key, bytes, size);
        for (size_t i = 0; i < size; i++)
            CHECK_MSG(seen[i] != seen[size], "hash of %zu and %zu bytes", i, size);
    }
    /* Every bit counts, and so does the key. */
    for (size_t bit = 0; bit < 512; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        CHECK_MSG(hash_bytes(&key, bytes, 64) != seen[64], "hash misses bit %zu", bit);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    const struct hash_key other = { { 1, 3 } };
    CHECK(hash_bytes(&other, bytes, 64) != seen[64]);
    struct hash_key a = hash_key_new(), b = hash_key_new();
    CHECK(a.k[0] != b.k[0] || a.k[1] != b.k[1]);
}

int main(void)
{
    test_status();
    test_fail();
    test_log();
    test_arena();
    test_arena_big_first();
    test_text();
    test_utf8();
    test_utf8_all();
    test_checked();
    test_hash();
    return test_end();
}
