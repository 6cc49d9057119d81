/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ids to text: single tokens, the stream of whole characters, and texts that come back. */
#include "vocab.h"

static const struct entry bpe_tokens[] = {
    { "Ġhi", 0, 0 },       { "<s>", CONTROL, 0 }, { "a▁Ġb", USER, 0 }, { "gone", UNUSED, 0 },
    { "x中", 0, 0 },       { "ĠĠ", 0, 0 },        { "Ã¶", 0, 0 },      { "<unk>", UNKNOWN, 0 },
    { "<0x41>", BYTE, 0 }, { "<0xzz>", BYTE, 0 }, { "Ġh", 0, 0 },      { 0 },
};
static const char *const bpe_merges[] = { "Ġ h", "Ġh i", "Ġ Ġ", "Ã ¶", NULL };
static const struct recipe bpe = {
    .model = "gpt2",
    .pre = "llama-bpe",
    .bytes = true,
    .tokens = bpe_tokens,
    .merges = bpe_merges,
};
static const struct entry spm_tokens[] = {
    { "<unk>", UNKNOWN, 0 }, { "<s>", CONTROL, 0 },
    { "▁hi", 0, -3 },        { "▁", 0, -4 },
    { "h", 0, -5 },          { "i", 0, -6 },
    { "hi", 0, -2 },         { "a▁b", USER, 0 },
    { "▁▁", 0, -1 },         { 0 },
};
static const struct recipe spm = { .model = "llama", .bytes = true, .tokens = spm_tokens };

static void check_one(const struct vocabulary *v, const char *piece, bool special, const char *want,
                      int line)
{
    char got[64] = "";
    int32_t id = ember_tokenizer_find(v->tokenizer, text_of(piece));
    size_t n = ember_detokenize_one(v->tokenizer, id, special, got, sizeof got);
    test_check(id >= 0 && n == strlen(want) && memcmp(got, want, n) == 0, __FILE__, line,
               "%s: \"%.*s\", expected \"%s\"", piece, (int)n, got, want);
}

#define ONE(piece, special, want) check_one(&b.v, (piece), (special), (want), __LINE__)

static void test_one(void)
{
    struct built b;
    char got[4] = "...";

    if (build_fine(&b, &bpe)) {
        ONE("Ġhi", false, " hi");
        ONE("Ã¶", false, "ö");
        ONE("Ċ", false, "\n");
        ONE("x中", false, "x中");   /* a character that draws no byte is itself */
        ONE("a▁Ġb", false, "a▁Ġb"); /* user-defined: as it stands */
        ONE("gone", true, "");
        ONE("<s>", false, "");
        ONE("<s>", true, "<s>");
        ONE("<unk>", false, "");
        ONE("<0x41>", false, "A");
        ONE("<0xzz>", false, "<0xzz>");
        /* Counts all, writes what fits. */
        CHECK_UINT(ember_detokenize_one(b.v.tokenizer, 256, false, got, 2), 3);
        CHECK_STR(got, " h.");
        CHECK_UINT(ember_detokenize_one(b.v.tokenizer, 256, false, NULL, 0), 3);
        CHECK_UINT(ember_detokenize_one(b.v.tokenizer, -1, true, got, 3), 0);
        CHECK_UINT(ember_detokenize_one(b.v.tokenizer, 1 << 20, true, got, 3), 0);
    }
    built_finish(&b);
    if (build_fine(&b, &spm)) {
        ONE("▁hi", false, " hi");
        ONE("▁▁", false, "  ");
        ONE("a▁b", false, "a▁b");
        ONE("<0x0A>", false, "\n");
        ONE("<unk>", true, "<unk>");
    }
    built_finish(&b);
}

static void push(struct ember_stream *s, int32_t id, const char *want, int line)
{
    struct ember_text got = ember_stream_push(s, id);
    test_check(got.size == strlen(want) && memcmp(got.data, want, got.size) == 0, __FILE__, line,
               "id %d gives \"%.*s\", expected \"%s\"", id, (int)got.size, got.data, want);
}

#define PUSH(id, want) push(stream, (id), (want), __LINE__)
#define FLUSH(want)                                                                                \
    do {                                                                                           \
        struct ember_text rest = ember_stream_flush(stream);                                       \
        CHECK_UINT(rest.size, strlen(want));                                                       \
        CHECK_MEM(rest.data, want, rest.size);                                                     \
    } while (0)

static void test_stream(void)
{
    struct ember_stream *stream = NULL;
    struct ember_error err = { 0 };
    struct built b;

    if (!build_fine(&b, &bpe) ||
        !CHECK(ember_stream_new(&stream, b.v.tokenizer, false, &err) == EMBER_OK)) {
        built_finish(&b);
        return;
    }
    PUSH(256, " hi"); /* keeps its leading space */
    PUSH(257, "");    /* control */
    PUSH(0xF0, "");
    PUSH(0x9F, "");
    PUSH(0x99, "");
    PUSH(0x82, "🙂");
    PUSH(0xC3, "");
    PUSH(0xB6, "ö");
    PUSH(0xE2, "");
    PUSH(0x82, "");
    PUSH('a', "\uFFFDa"); /* two bytes of one character that never came: one sign */
    PUSH(0xFF, "\uFFFD");
    PUSH(0x80, "\uFFFD");
    PUSH(0xED, "");
    PUSH(0xA0, "\uFFFD\uFFFD"); /* half of a surrogate is not the beginning of anything */
    PUSH(0xC3, "");
    PUSH(262, "\uFFFDö");
    FLUSH("");
    PUSH(0xF0, "");
    FLUSH("\uFFFD");
    PUSH(0xF0, "");
    ember_stream_reset(stream);
    PUSH('a', "a");
    ember_stream_free(stream);
    built_finish(&b);
    ember_stream_free(NULL);
}

/* Any bytes come back from a vocabulary that has all of them; also in pieces of a stream. */
static void check_back(const struct vocabulary *v, const char *data, size_t size, bool prefix)
{
    struct ember_span span = { { data, size }, true };
    struct ember_tokens ids = { 0 };
    struct ember_error err = { 0 };
    size_t got_size = 0, skip = prefix && size ? 1 : 0;

    if (CHECK(ember_tokenize(v->tokenizer, &span, 1, false, &ids, &err) == EMBER_OK)) {
        char *got = detokenize(v->tokenizer, ids.ids, ids.n, true, &got_size);
        if (CHECK(got) && CHECK_UINT(got_size, size + skip))
            CHECK_MEM(got + skip, data, size);
        free(got);
    }
    ember_tokens_finish(&ids);
}

static void test_back(void)
{
    static const char nul[] = "a\0b\0\0 hi";
    char noise[512];
    uint32_t state = 1;
    struct built b, s;

    if (build_fine(&b, &bpe) && build_fine(&s, &spm)) {
        check_back(&b.v, nul, sizeof nul - 1, false);
        check_back(&s.v, nul, sizeof nul - 1, true);
        for (unsigned round = 0; round < 200; round++) {
            size_t size = round * 2;
            for (size_t i = 0; i < size; i++) {
                state = state * 1664525u + 1013904223u;
                /* Half of the rounds have mostly spaces and letters. */
                noise[i] = round % 2 ? (char)(state >> 24) : " hi\xC3\xB6\n1"[state >> 24 & 7];
            }
            check_back(&b.v, noise, size, false);
            check_back(&s.v, noise, size, true);
        }
    }
    built_finish(&b);
    built_finish(&s);
}

/* Long runs through the merge queue. */
static void test_long(void)
{
    enum { SIZE = 1 << 19 };
    char *run = malloc(SIZE);
    struct built b;

    for (unsigned which = 0; CHECK(run) && which < 2; which++) {
        if (build_fine(&b, which ? &spm : &bpe)) {
            struct ember_span span = { { run, SIZE }, true };
            struct ember_tokens ids = { 0 };
            struct ember_error err = { 0 };
            memset(run, ' ', SIZE);
            CHECK(ember_tokenize(b.v.tokenizer, &span, 1, false, &ids, &err) == EMBER_OK);
            /* Pairs of spaces; SPM has one more in front. */
            CHECK_UINT(ids.n, SIZE / 2 + which);
            ember_tokens_finish(&ids);
        }
        built_finish(&b);
    }
    free(run);
}

int main(void)
{
    test_one();
    test_stream();
    test_back();
    test_long();
    return test_end();
}
