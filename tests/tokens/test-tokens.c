/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Text to ids on small vocabularies made here: merging, special tokens, spans, what files say. */
#include "vocab.h"

/* ---- byte-level BPE ---- */

static const struct entry bpe_tokens[] = {
    { "aa", 0, 0 },
    { "bc", 0, 0 },
    { "abc", 0, 0 },
    { "he", 0, 0 },
    { "ll", 0, 0 },
    { "hell", 0, 0 },
    { "hello", 0, 0 },
    { "xyz", 0, 0 },
    { "Ġh", 0, 0 },
    { "ĠĠ", 0, 0 },
    { "ĠĠĠĠ", 0, 0 },
    { "Ã¶", 0, 0 },
    { "12", 0, 0 },
    { "<s>", CONTROL, 0 },
    { "</s>", CONTROL, 0 },
    { "<unk>", UNKNOWN, 0 },
    { "<|im_end|>", CONTROL, 0 },
    { "<think>", USER, 0 },
    { 0 },
};
static const char *const bpe_merges[] = {
    "a a",    "b c", "a bc",  "h e", "l l", "he ll", "hell o",
    "Ġ h",    "Ġ Ġ", "ĠĠ ĠĠ", "Ã ¶", "1 2", "q w", /* makes no token */
    "qw e",                                        /* nor does this */
    "< s",                                         /* on the way to a control token… */
    "<s >",                                        /* …which no merge may make */
    "broken", " ",   "",      "a a", NULL,
};
static const struct recipe bpe = {
    .model = "gpt2",
    .pre = "smollm",
    .bytes = true,
    .tokens = bpe_tokens,
    .merges = bpe_merges,
    .set = { "tokenizer.ggml.bos_token_id=u32:269", "tokenizer.ggml.eos_token_id=u32:270" },
};

static void test_bpe(void)
{
    struct built b;
    if (build_fine(&b, &bpe)) {
        const struct vocabulary *v = &b.v;
        CHECK_PLAIN(v, "", "");
        CHECK_PLAIN(v, "hello", "hello");
        CHECK_PLAIN(v, "help", "he|l|p");
        CHECK_PLAIN(v, "aaa", "aa|a"); /* of equal ranks the leftmost */
        CHECK_PLAIN(v, "aaaaa", "aa|aa|a");
        CHECK_PLAIN(v, "aabc", "aa|bc"); /* "a bc" comes after "a a" */
        CHECK_PLAIN(v, "abc", "abc");
        CHECK_PLAIN(v, "ho hh", "h|o|Ġh|h");
        CHECK_PLAIN(v, "     h", "ĠĠĠĠ|Ġh");
        CHECK_PLAIN(v, "ö", "Ã¶");
        CHECK_PLAIN(v, "121", "1|2|1"); /* smollm takes digits one by one */
        CHECK_PLAIN(v, "qwe", "q|w|e"); /* merged into a text that is no token, and taken apart */
        CHECK_PLAIN(v, "xyz", "x|y|z");
        CHECK_PLAIN(v, "<s>", "<|s|>");
        CHECK_SPECIAL(v, "<s>", "<s>");
        CHECK_SPECIAL(v, "a<s>bc<unk></s>", "a|<s>|bc|<unk>|</s>");
        CHECK_PLAIN(v, "a<think>b", "a|<think>|b"); /* user-defined: in any text */
    }
    built_finish(&b);
}

static void test_ignore_merges(void)
{
    struct recipe r = bpe;
    struct built b;
    r.pre = "llama-bpe";
    if (build_fine(&b, &r)) {
        CHECK_PLAIN(&b.v, "xyz", "xyz");
        CHECK_PLAIN(&b.v, "xyzx", "x|y|z|x");
        CHECK_PLAIN(&b.v, "121", "12|1");
        CHECK(ember_tokenizer_adds_bos(b.v.tokenizer));
    }
    built_finish(&b);
}

/* Without a list of merges a token's number is its rank. */
static void test_no_merges(void)
{
    struct recipe r = bpe;
    struct built b;
    struct ember_error err = { 0 };
    r.merges = NULL;
    r.pre = "kimi-k2";
    if (build_fine(&b, &r)) {
        CHECK_PLAIN(&b.v, "hello", "hello");
        CHECK_PLAIN(&b.v, "aabc", "aa|bc");
    }
    built_finish(&b);
    r.pre = "smollm";
    CHECK_INT(build(&b, &r, &err), EMBER_FORMAT);
    CHECK(strstr(err.message, "tokenizer.ggml.merges"));
    built_finish(&b);
}

/* A vocabulary without some bytes drops what it cannot write; any id it gives exists. */
static void test_missing_bytes(void)
{
    static const struct entry few[] = { { "a", 0, 0 }, { "b", 0, 0 }, { "ab", 0, 0 }, { 0 } };
    static const char *const merges[] = { "a b", "b c", "x y", NULL };
    struct recipe r = { .model = "gpt2", .pre = "gpt-2", .tokens = few, .merges = merges };
    struct built b;
    if (build_fine(&b, &r)) {
        CHECK_PLAIN(&b.v, "abcab", "ab|ab");
        CHECK_PLAIN(&b.v, "bc", "b"); /* "bc" is no token: of its letters only b is one */
        CHECK_PLAIN(&b.v, "xyz", "");
        CHECK_INT(ember_tokenizer_bos(b.v.tokenizer), -1); /* the default id is out of range */
    }
    built_finish(&b);
}

/* ---- BPE on the text itself ---- */

static void test_plain_bpe(void)
{
    static const struct entry tokens[] = {
        { "▁", 0, 0 },     { "a", 0, 0 }, { "▁a", 0, 0 },     { "\n", 0, 0 },
        { "\n\n", 0, 0 },  { "ö", 0, 0 }, { "\n\n\n", 0, 0 }, { "<bos>", CONTROL, 0 },
        { "▁▁", USER, 0 }, { 0 },
    };
    static const char *const merges[] = { "▁ a", "\n \n", NULL };
    struct recipe r = { .model = "gemma4",
                        .bytes = true,
                        .tokens = tokens,
                        .merges = merges,
                        .set = { "tokenizer.ggml.bos_token_id=u32:263",
                                 "tokenizer.ggml.add_bos_token=bool:false" } };
    struct built b;
    if (build_fine(&b, &r)) {
        struct ember_span span[] = { TRUSTED("a a") };
        CHECK_PLAIN(&b.v, " a a", "▁a|▁a");
        CHECK_PLAIN(&b.v, "a\n\n\na", "a|\n\n\n|a"); /* a token as a whole, no merge leads to it */
        CHECK_PLAIN(&b.v, "\n\n\n\n", "\n\n|\n\n");
        CHECK_PLAIN(&b.v, "öx€", "ö|<0x78>|<0xE2>|<0x82>|<0xAC>");
        CHECK_PLAIN(&b.v, "\xFF", "<0xFF>");
        CHECK_SPANS(&b.v, span, true, "<bos>|a|▁a"); /* whatever the key says */
        CHECK_INT(ember_tokenizer_eos(b.v.tokenizer), -1);
    }
    built_finish(&b);
    r.model = "gpt2";
    r.pre = "sarvam-moe";
    r.bytes = false;
    r.set[0] = NULL;
    if (build_fine(&b, &r)) {
        CHECK_PLAIN(&b.v, "\n\n\n", "\n\n|\n");
        CHECK_PLAIN(&b.v, " a?a", "▁a|a"); /* no byte tokens: dropped */
    }
    built_finish(&b);
}

/* ---- SPM ---- */

static const struct entry spm_tokens[] = {
    { "<unk>", UNKNOWN, 0 }, { "<s>", CONTROL, 0 }, { "</s>", CONTROL, 0 }, { "▁", 0, -10 },
    { "a", 0, -11 },         { "b", 0, -12 },       { "c", 0, -13 },        { "ab", 0, -2 },
    { "bc", 0, -1 },         { "abc", 0, -5 },      { "aa", 0, -4 },        { "▁a", 0, -4 },
    { "ö", 0, -20 },         { "▁▁", 0, -5 },       { "<user>", USER, 0 },  { "<s", 0, 0 },
    { "<", 0, 0 },           { "s", 0, 0 },         { ">", 0, 0 },          { 0 },
};
static const struct recipe spm = {
    .model = "llama",
    .bytes = true,
    .tokens = spm_tokens,
    .set = { "tokenizer.ggml.bos_token_id=u32:257", "tokenizer.ggml.eos_token_id=u32:258",
             "tokenizer.ggml.unknown_token_id=u32:256" },
};

static void test_spm(void)
{
    struct recipe r = spm;
    struct built b;
    if (build_fine(&b, &r)) {
        const struct vocabulary *v = &b.v;
        struct ember_span empty[] = { TRUSTED("") }, begun[] = { TRUSTED("<s>a") };
        CHECK_PLAIN(v, "", "");
        CHECK_PLAIN(v, "abc", "▁a|bc"); /* bc (−1) before ab (−2), ▁a (−4) before abc (−5) */
        CHECK_PLAIN(v, "babc", "▁|b|abc");
        CHECK_PLAIN(v, "aaa", "▁a|aa"); /* ▁a and aa score the same: the leftmost first */
        CHECK_PLAIN(v, "  a", "▁▁|▁a");
        CHECK_PLAIN(v, "ö€", "▁|ö|<0xE2>|<0x82>|<0xAC>");
        CHECK_PLAIN(v, "\xE2\x82", "▁|<0xE2>|<0x82>");
        CHECK_PLAIN(v, "<s>", "▁|<s|>");         /* never the control token */
        CHECK_SPECIAL(v, "a<s>b", "▁a|<s>|▁|b"); /* the prefix goes behind special tokens too */
        CHECK_PLAIN(v, "b<user>a", "▁|b|<user>|▁a");
        CHECK_SPANS(v, empty, true, "<s>");
        CHECK_SPANS(v, begun, true, "<s>|▁a"); /* not twice */
    }
    built_finish(&b);

    r.set[3] = "tokenizer.ggml.add_space_prefix=bool:false";
    r.set[4] = "tokenizer.ggml.add_eos_token=bool:true";
    r.set[5] = "tokenizer.ggml.add_bos_token=bool:false";
    if (build_fine(&b, &r)) {
        struct ember_span spans[] = { TRUSTED("a"), TRUSTED("bc") }, ended[] = { TRUSTED("a</s>") };
        CHECK_PLAIN(&b.v, "abc", "abc");
        CHECK_PLAIN(&b.v, " a", "▁a");
        CHECK_SPANS(&b.v, spans, true, "abc|</s>");
        CHECK_SPANS(&b.v, ended, true, "a|</s>");
    }
    built_finish(&b);

    /* Without byte tokens a character is unknown as a whole. */
    r = spm;
    r.bytes = false;
    r.set[0] = r.set[1] = r.set[2] = NULL; /* defaults: unk 0, bos 1, eos 2 */
    if (build_fine(&b, &r)) {
        struct ember_span span[] = { TRUSTED("a€") };
        CHECK_SPANS(&b.v, span, true, "<s>|▁a|<unk>");
        CHECK_INT(ember_tokenizer_eos(b.v.tokenizer), 2);
    }
    built_finish(&b);
}

/* ---- WPM ---- */

static void test_wpm(void)
{
    static const struct entry tokens[] = {
        { "[UNK]", CONTROL, 0 },
        { "[CLS]", CONTROL, 0 },
        { "[SEP]", CONTROL, 0 },
        { "▁un", 0, 0 },
        { "aff", 0, 0 },
        { "able", 0, 0 },
        { "▁a", 0, 0 },
        { "▁!", 0, 0 },
        { "▁中", 0, 0 },
        { "▁u", 0, 0 },
        { "n", 0, 0 },
        { "▁Ä", 0, 0 },
        { 0 },
    };
    struct recipe r = { .model = "bert",
                        .tokens = tokens,
                        .set = { "tokenizer.ggml.unknown_token_id=u32:0",
                                 "tokenizer.ggml.cls_token_id=u32:1",
                                 "tokenizer.ggml.seperator_token_id=u32:2" } };
    struct built b;
    if (build_fine(&b, &r)) {
        struct ember_span span[] = { TRUSTED("a") };
        CHECK_PLAIN(&b.v, "", "");
        CHECK_PLAIN(&b.v, " \t\n", "");
        CHECK_PLAIN(&b.v, "unaffable", "▁un|aff|able"); /* the longest from the left */
        CHECK_PLAIN(&b.v, "UNAffäble", "▁un|aff|able");
        CHECK_PLAIN(&b.v, "un affz a", "▁un|[UNK]|▁a"); /* one hole spoils the whole word */
        CHECK_PLAIN(&b.v, "un!a\u3000Ä\u0301", "▁un|▁!|▁a|▁a");
        CHECK_PLAIN(&b.v, "a中un", "▁a|▁中|▁un");
        CHECK_PLAIN(&b.v, "a\x01\u200b\xFF", "▁a"); /* what cannot be seen is not there */
        CHECK_PLAIN(&b.v, "[CLS]", "[UNK]|[UNK]|[UNK]");
        CHECK_SPECIAL(&b.v, "[CLS]a", "[CLS]|▁a");
        CHECK_SPANS(&b.v, span, true, "[CLS]|▁a|[SEP]");
    }
    built_finish(&b);
    r.set[3] = "tokenizer.ggml.normalizer.lowercase=bool:false";
    if (build_fine(&b, &r)) {
        CHECK_PLAIN(&b.v, "a A Ä", "▁a|[UNK]|▁Ä"); /* and accents stay as well */
    }
    built_finish(&b);
}

/* ---- unigram ---- */

static void test_ugm(void)
{
    static const struct entry tokens[] = {
        { "<pad>", CONTROL, 0 }, { "</s>", CONTROL, 0 }, { "<unk>", UNKNOWN, 0 },
        { "▁", 0, -2 },          { "a", 0, -3 },         { "b", 0, -3 },
        { "ab", 0, -4 },         { "▁a", 0, -4.5f },     { "bab", 0, -5 },
        { "<x>", USER, 0 },      { "ü", 0, -3 },         { 0 },
    };
    /* One rule: "B" (0x42) becomes "ab". Units: the root, whose base is 0x40; at 0x40 ^ 0x42 = 2
     * the letter, with a leaf and base 3; at 2 ^ 3 = 1 the place of the replacement. */
    static const uint32_t units[] = { 0x40u << 10, 0x80000000u, 3u << 10 | 0x100 | 0x42 };
    struct recipe r = { .model = "t5", .tokens = tokens };
    struct built b = { 0 };
    struct ember_error err = { 0 };

    if (build_fine(&b, &r)) {
        struct ember_span span[] = { TRUSTED("ab") };
        CHECK_PLAIN(&b.v, "", "");
        CHECK_PLAIN(&b.v, "bab", "bab");  /* −5 beats ab (−4) + b (−3) */
        CHECK_PLAIN(&b.v, "aba", "ab|a"); /* of equal sums the one found first */
        CHECK_PLAIN(&b.v, " ab  b", "▁|ab|▁|▁|b");
        CHECK_PLAIN(&b.v, "aZZZa", "a|<unk>|a"); /* unknown neighbours are one */
        CHECK_PLAIN(&b.v, "a<x>b", "a|<x>|b");
        CHECK_PLAIN(&b.v, "ü\xFF", "ü|<unk>");
        CHECK_PLAIN(&b.v, "</s>", "<unk>");
        CHECK_SPANS(&b.v, span, true, "ab|</s>");
        CHECK(!ember_tokenizer_adds_bos(b.v.tokenizer));
    }
    built_finish(&b);

    r.set[0] = "tokenizer.ggml.add_space_prefix=bool:true";
    r.set[1] = "tokenizer.ggml.remove_extra_whitespaces=bool:true";
    if (build_fine(&b, &r))
        CHECK_PLAIN(&b.v, "  b   ab ", "▁|b|▁|ab"); /* −6; ▁a and b: −7.5 */
    built_finish(&b);

    vocab_write(&b.image, &(struct recipe){ .model = "t5", .tokens = tokens });
    image_key(&b.image, "tokenizer.ggml.precompiled_charsmap", 9);
    image_array(&b.image, 0, 4 + sizeof units + 3);
    image_uint(&b.image, 4, sizeof units);
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        image_uint(&b.image, 4, units[i]);
    image_bytes(&b.image, "ab", 3);
    b.image.data[16]++; /* one key more than vocab_write() counted */
    if (CHECK_MSG(ember_gguf_open_memory(&b.v.gguf, b.image.data, b.image.size, "memory", true,
                                         &err) == EMBER_OK &&
                      ember_tokenizer_new(&b.v.tokenizer, b.v.gguf, &err) == EMBER_OK,
                  "%s", err.message)) {
        CHECK_PLAIN(&b.v, "B", "ab");
        CHECK_PLAIN(&b.v, "bB<x>B", "bab|<x>|ab");
    }
    built_finish(&b);
}

/* ---- RWKV ---- */

static void test_rwkv(void)
{
    static const struct entry tokens[] = {
        { "<s>", CONTROL, 0 },
        { "a", 0, 0 },
        { "ab", 0, 0 },
        { "abcd", 0, 0 },
        { "\\n", 0, 0 },
        { "\\xe4", 0, 0 },
        { "\\xb8\\xad", 0, 0 },
        { "\\\\", 0, 0 },
        { "\\t\\t", 0, 0 },
        { "c", 0, 0 },
        { 0 },
    };
    struct recipe r = { .model = "rwkv", .tokens = tokens };
    struct built b;
    if (build_fine(&b, &r)) {
        struct ember_span span[] = { TRUSTED("a") };
        size_t size = 0;
        CHECK_PLAIN(&b.v, "abcdabca", "abcd|ab|c|a");
        CHECK_PLAIN(&b.v, "\n中\\\t\t", "\\n|\\xe4|\\xb8\\xad|\\\\|\\t\\t");
        CHECK_PLAIN(&b.v, "aZa", "a|a");
        CHECK_PLAIN(&b.v, "<s>", "");
        CHECK_SPECIAL(&b.v, "a<s>", "a|<s>");
        CHECK_SPANS(&b.v, span, true, "a");
        char *back = detokenize(b.v.tokenizer, (const int32_t[]){ 5, 6, 7, 4 }, 4, false, &size);
        CHECK_STR(back, "中\\\n");
        free(back);
    }
    built_finish(&b);
}

/* ---- special tokens and spans ---- */

static void test_partition(void)
{
    static const struct entry tokens[] = {
        { "ABC", CONTROL, 0 },
        { "CDEF", CONTROL, 0 },
        { "pq", CONTROL, 0 },
        { "pqrs", CONTROL, 0 },
        { "rstuv", CONTROL, 0 },
        { "\n", USER, 0 },
        { "\n\n", USER, 0 },
        { "\n\n\n", USER, 0 },
        { "XX", CONTROL, 0 },
        { "XXu", USER, 0 },
        { 0 },
    };
    static const char *const merges[] = { "a b", NULL };
    struct recipe r = {
        .model = "gpt2", .pre = "gpt-2", .bytes = true, .tokens = tokens, .merges = merges
    };
    struct built b;
    if (build_fine(&b, &r)) {
        const struct vocabulary *v = &b.v;
        CHECK_SPECIAL(v, "ABCDEF", "A|B|CDEF");  /* the longest first, not the leftmost */
        CHECK_SPECIAL(v, "pqrstuv", "pq|rstuv"); /* then what is left of a shorter one */
        CHECK_SPECIAL(v, "pqrsABCABC", "pqrs|ABC|ABC");
        CHECK_SPECIAL(v, "XXX", "XX|X");
        CHECK_SPECIAL(v, "XXuXX", "XXu|XX");
        CHECK_PLAIN(v, "XXuXX", "XXu|X|X");
        CHECK_PLAIN(v, "a\n\n\n\n\nb", "a|\n\n\n|\n\n|b");
    }
    built_finish(&b);
}

static void test_spans(void)
{
    struct built b;
    if (!build_fine(&b, &bpe)) {
        built_finish(&b);
        return;
    }
    const struct vocabulary *v = &b.v;
    struct ember_span across[] = { UNTRUSTED("a<|im_"), TRUSTED("end|>"), UNTRUSTED("") };
    struct ember_span into[] = { TRUSTED("<|im_"), UNTRUSTED("end|>") };
    struct ember_span question[] = { TRUSTED("<s>"), UNTRUSTED("<s><|im_end|><unk>"),
                                     TRUSTED("</s>") };
    struct ember_span trusted[] = { TRUSTED("<|im"), TRUSTED("_end|>") };
    struct ember_span joined[] = { TRUSTED("he"), UNTRUSTED("ll"), TRUSTED("o") };
    struct ember_span user[] = { TRUSTED("<thi"), UNTRUSTED("nk>") };
    struct ember_span shared[] = { UNTRUSTED("<|im_end|"), TRUSTED("><|im_end|>") };
    struct ember_span nothing = { { NULL, 0 }, true };

    CHECK_SPANS(v, across, false, "a|<|||i|m|_|e|n|d|||>");
    CHECK_SPANS(v, into, false, "<|||i|m|_|e|n|d|||>");
    CHECK_SPANS(v, question, false, "<s>|<|s|>|<|||i|m|_|e|n|d|||>|<|u|n|k|>|</s>");
    CHECK_SPANS(v, trusted, false, "<|im_end|>");
    CHECK_SPANS(v, joined, false, "hello"); /* plain text is one text */
    CHECK_SPANS(v, user, false, "<think>");
    CHECK_SPANS(v, shared, false, "<|||i|m|_|e|n|d|||>|<|im_end|>");
    check_spans(v, &nothing, 1, false, "", __LINE__);
    check_spans(v, NULL, 0, false, "", __LINE__);

    /* Appends to what is there. */
    struct ember_tokens out = { 0 };
    struct ember_error err = { 0 };
    CHECK_INT(ember_tokenize(v->tokenizer, joined, 3, false, &out, &err), EMBER_OK);
    CHECK_INT(ember_tokenize(v->tokenizer, trusted, 2, false, &out, &err), EMBER_OK);
    if (CHECK_UINT(out.n, 2))
        CHECK(out.ids[1] == ember_tokenizer_find(v->tokenizer, text_of("<|im_end|>")));
    ember_tokens_finish(&out);
    built_finish(&b);
}

/* Phi-3's special tokens swallow the white space after them, jina's mask the one before. */
static void test_strips(void)
{
    static const struct entry tokens[] = {
        { "<|user|>", CONTROL, 0 },
        { "<s>", CONTROL, 0 },
        { "<mask>", CONTROL, 0 },
        { 0 },
    };
    static const char *const merges[] = { "a b", NULL };
    struct recipe r = { .model = "gpt2",
                        .pre = "gpt-2",
                        .bytes = true,
                        .tokens = tokens,
                        .merges = merges,
                        .name = "My Phi-3 tuned" };
    struct built b;
    if (build_fine(&b, &r)) {
        struct ember_span spans[] = { TRUSTED("<|user|>\n"), UNTRUSTED(" \ta") };
        CHECK_SPECIAL(&b.v, "a <|user|> \n\tb", "a|Ġ|<|user|>|b");
        CHECK_SPECIAL(&b.v, "<s> a", "<s>|Ġ|a");
        CHECK_SPECIAL(&b.v, "<|user|>  ", "<|user|>");
        CHECK_SPANS(&b.v, spans, false, "<|user|>|a");
    }
    built_finish(&b);
    r.name = NULL;
    r.pre = "jina-v2-code";
    if (build_fine(&b, &r))
        CHECK_SPECIAL(&b.v, "a \n<mask> b", "a|<mask>|Ġ|b");
    built_finish(&b);
}

/* ---- what files say ---- */

static void test_settings(void)
{
    struct recipe r = bpe;
    struct built b;
    struct ember_span span[] = { TRUSTED("a") };

    if (build_fine(&b, &r)) {
        CHECK_SPANS(&b.v, span, true, "a"); /* smollm adds nothing */
        CHECK_INT(ember_tokenizer_bos(b.v.tokenizer), 269);
        CHECK_INT(ember_tokenizer_eos(b.v.tokenizer), 270);
        CHECK_UINT(ember_tokenizer_n_tokens(b.v.tokenizer), 274);
        CHECK_INT(ember_tokenizer_kind(b.v.tokenizer, 269), CONTROL);
        CHECK_INT(ember_tokenizer_kind(b.v.tokenizer, 274), EMBER_TOKEN_UNDEFINED);
        CHECK(ember_tokenizer_piece(b.v.tokenizer, -1).data == NULL);
        CHECK_INT(ember_tokenizer_find(b.v.tokenizer, text_of("hello")), 262);
        CHECK_INT(ember_tokenizer_find(b.v.tokenizer, text_of("qw")), -1);
    }
    built_finish(&b);
    r.set[2] = "tokenizer.ggml.add_bos_token=bool:true";
    r.set[3] = "tokenizer.ggml.add_eos_token=bool:true";
    if (build_fine(&b, &r))
        CHECK_SPANS(&b.v, span, true, "<s>|a|</s>");
    built_finish(&b);
    r.set[0] = "tokenizer.ggml.bos_token_id=u32:4000000000"; /* ignored: the default stays */
    r.set[1] = "tokenizer.ggml.eos_token_id=str:</s>";
    if (build_fine(&b, &r)) {
        CHECK_INT(ember_tokenizer_bos(b.v.tokenizer), 11);
        CHECK_INT(ember_tokenizer_eos(b.v.tokenizer), 11);
    }
    built_finish(&b);
    r.pre = "glm4";
    if (build_fine(&b, &r)) {
        CHECK_INT(ember_tokenizer_bos(b.v.tokenizer), -1);
        CHECK(!ember_tokenizer_adds_bos(b.v.tokenizer));
    }
    built_finish(&b);
}

static bool ends(const struct built *b, const char *text)
{
    int32_t id = ember_tokenizer_find(b->v.tokenizer, text_of(text));
    return CHECK(id >= 0) && ember_tokenizer_is_end(b->v.tokenizer, id);
}

static enum ember_token_kind kind(const struct built *b, const char *text)
{
    return ember_tokenizer_kind(b->v.tokenizer,
                                ember_tokenizer_find(b->v.tokenizer, text_of(text)));
}

static void test_ends(void)
{
    static const struct entry plain[] = {
        { "<|im_end|>", 0, 0 },   { "<|end|>", CONTROL, 0 },   { "<fim_pad>", 0, 0 },
        { "<|file_sep|>", 0, 0 }, { "<fim_prefix>", 0, 0 },    { "stop", 0, 0 },
        { "eot", 0, 0 },          { "<|start|>", CONTROL, 0 }, { 0 },
    };
    static const struct entry harmony[] = {
        { "<|end|>", CONTROL, 0 },
        { "<|return|>", CONTROL, 0 },
        { "<|call|>", CONTROL, 0 },
        { 0 },
    };
    static const struct entry solar[] = {
        { "<|end|>", CONTROL, 0 },
        { "<|calls|>", CONTROL, 0 },
        { "<|flush|>", CONTROL, 0 },
        { 0 },
    };
    static const struct entry gemma[] = {
        { "</s>", 0, 0 },
        { "<|tool_response>", CONTROL, 0 },
        { "<turn|>", CONTROL, 0 },
        { 0 },
    };
    static const char *const merges[] = { "a b", NULL };
    struct recipe r = { .model = "gpt2",
                        .pre = "gpt-2",
                        .bytes = true,
                        .tokens = plain,
                        .merges = merges,
                        .set = { "tokenizer.ggml.eos_token_id=u32:261",
                                 "tokenizer.ggml.eot_token_id=u32:262" } };
    struct built b;
    if (build_fine(&b, &r)) {
        CHECK(ends(&b, "<|im_end|>") && ends(&b, "<|end|>") && ends(&b, "<fim_pad>"));
        CHECK(ends(&b, "<|file_sep|>") && ends(&b, "stop") && ends(&b, "eot"));
        CHECK(!ends(&b, "<fim_prefix>") && !ends(&b, "a") && !ends(&b, "<|start|>"));
        CHECK(!ember_tokenizer_is_end(b.v.tokenizer, -1));
        CHECK(!ember_tokenizer_is_end(b.v.tokenizer, 1 << 20));
        CHECK_INT(kind(&b, "<|im_end|>"), CONTROL); /* by name, though the file says normal */
        CHECK_INT(kind(&b, "<fim_prefix>"), CONTROL);
        CHECK_INT(kind(&b, "stop"), NORMAL);
        CHECK_INT(kind(&b, "<|start|>"), USER);              /* printed… */
        CHECK_PLAIN(&b.v, "<|start|>", "<|||s|t|a|r|t|||>"); /* …but still nobody's to type */
        CHECK_SPECIAL(&b.v, "<|start|>", "<|start|>");
    }
    built_finish(&b);
    r.set[0] = r.set[1] = NULL;
    r.tokens = harmony;
    if (build_fine(&b, &r)) {
        CHECK(!ends(&b, "<|end|>") && ends(&b, "<|return|>") && ends(&b, "<|call|>"));
        CHECK_INT(kind(&b, "<|end|>"), USER);
        CHECK_PLAIN(&b.v, "<|end|>", "<|||e|n|d|||>");
    }
    built_finish(&b);
    r.tokens = solar;
    if (build_fine(&b, &r))
        CHECK(!ends(&b, "<|end|>") && ends(&b, "<|calls|>") && ends(&b, "<|flush|>"));
    built_finish(&b);
    r.tokens = gemma;
    if (build_fine(&b, &r)) {
        CHECK(!ends(&b, "</s>") && ends(&b, "<|tool_response>") && ends(&b, "<turn|>"));
        CHECK_INT(kind(&b, "</s>"), NORMAL);
    }
    built_finish(&b);
}

static void check_refused(const struct recipe *r, enum ember_status status, const char *word,
                          int line)
{
    struct built b;
    struct ember_error err = { 0 };
    enum ember_status st = build(&b, r, &err);
    test_check(st == status && err.status == status && !b.v.tokenizer &&
                   strstr(err.message, word) && strstr(err.message, "memory"),
               __FILE__, line, "%s, \"%s\"; expected %s with \"%s\"", ember_status_name(st),
               err.message, ember_status_name(status), word);
    built_finish(&b);
}

static void test_refused(void)
{
    static const struct entry twice[] = { { "ab", 0, 0 }, { "ab", 0, 0 }, { 0 } };
    static const struct entry none[] = { { 0 } };
    static const struct entry empty[] = { { "", 0, 0 }, { "", 0, 0 }, { "b", 0, 0 }, { 0 } };
    struct recipe r = bpe;
    struct built b;

    r.model = NULL;
    check_refused(&r, EMBER_NOT_FOUND, "tokenizer.ggml.model", __LINE__);
    r.model = "no_vocab";
    check_refused(&r, EMBER_NOT_FOUND, "no_vocab", __LINE__);
    r.model = "none";
    check_refused(&r, EMBER_NOT_FOUND, "no vocabulary", __LINE__);
    r.model = "quantum";
    check_refused(&r, EMBER_UNSUPPORTED, "gpt2", __LINE__);
    r = bpe;
    r.pre = "nobody-knows";
    check_refused(&r, EMBER_UNSUPPORTED, "nobody-knows", __LINE__);
    check_refused(&r, EMBER_UNSUPPORTED, "gpt-2, llama-bpe, jais-2, qwen2", __LINE__);
    check_refused(&r, EMBER_UNSUPPORTED, "smollm", __LINE__);
    check_refused(&r, EMBER_UNSUPPORTED, "youtu", __LINE__); /* the list is not cut off */
    r = bpe;
    r.tokens = twice;
    check_refused(&r, EMBER_FORMAT, "256 and 257", __LINE__);
    r = bpe;
    r.bytes = false;
    r.tokens = none;
    check_refused(&r, EMBER_FORMAT, "tokenizer.ggml.tokens", __LINE__);
    r = bpe;
    r.no_kinds = true;
    r.set[2] = "tokenizer.ggml.token_type=u32:1";
    check_refused(&r, EMBER_FORMAT, "token_type", __LINE__);
    r = spm;
    r.set[3] = "tokenizer.ggml.scores=f32:1";
    check_refused(&r, EMBER_FORMAT, "scores", __LINE__);

    /* Kinds may be missing, texts empty. */
    r = (struct recipe){ .model = "llama", .tokens = empty, .no_kinds = true };
    if (build_fine(&b, &r)) {
        CHECK_INT(ember_tokenizer_find(b.v.tokenizer, text_of("[EMPTY_1]")), 1);
        CHECK_INT(ember_tokenizer_kind(b.v.tokenizer, 2), NORMAL);
    }
    built_finish(&b);
    r = bpe;
    r.pre = NULL;
    if (build_fine(&b, &r)) /* the old pattern */
        CHECK_PLAIN(&b.v, "121212", "12|1|2|12");
    built_finish(&b);
}

int main(void)
{
    test_bpe();
    test_ignore_merges();
    test_no_merges();
    test_missing_bytes();
    test_plain_bpe();
    test_spm();
    test_wpm();
    test_ugm();
    test_rwkv();
    test_partition();
    test_spans();
    test_strips();
    test_settings();
    test_ends();
    test_refused();
    return test_end();
}
