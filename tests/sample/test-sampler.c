/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sampler as its users see it: draws, seeds, histories, what a file says, refused memory. */
#include <float.h>
#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ember/gguf.h>
#include <ember/sampler.h>
#include <ember/tokenizer.h>

#include "refuse.h"
#include "sample/sample.h"
#include "test.h"

/* ---- a vocabulary, as a GGUF file in memory ---- */

enum { MAX_FILE = 1 << 14 };
struct file {
    unsigned char data[MAX_FILE];
    size_t n;
    uint64_t n_keys;
};

static void put(struct file *f, const void *data, size_t n)
{
    if (n > MAX_FILE - f->n)
        abort(); /* the vocabulary below has grown: so must MAX_FILE */
    memcpy(f->data + f->n, data, n);
    f->n += n;
}

static void put_number(struct file *f, uint64_t value, size_t n_bytes)
{
    unsigned char bytes[8];
    for (size_t i = 0; i < n_bytes; i++)
        bytes[i] = (unsigned char)(value >> 8 * i);
    put(f, bytes, n_bytes);
}

static void put_text(struct file *f, const char *text)
{
    put_number(f, strlen(text), 8);
    put(f, text, strlen(text));
}

static void put_key(struct file *f, const char *key, enum ember_gguf_type type)
{
    put_text(f, key);
    put_number(f, type, 4);
    f->n_keys++;
}

static void put_string(struct file *f, const char *key, const char *value)
{
    put_key(f, key, EMBER_GGUF_STRING);
    put_text(f, value);
}

static void put_f32(struct file *f, const char *key, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    put_key(f, key, EMBER_GGUF_F32);
    put_number(f, bits, 4);
}

static void put_i32(struct file *f, const char *key, int32_t value)
{
    put_key(f, key, EMBER_GGUF_I32);
    put_number(f, (uint32_t)value, 4);
}

static void begin_file(struct file *f)
{
    *f = (struct file){ .n = 0 };
    put(f, "GGUF", 4);
    put_number(f, 3, 4);
    put_number(f, 0, 8);
    put_number(f, 0, 8); /* the number of keys; set at the end */
    put_string(f, "general.architecture", "llama");
}

static struct ember_gguf *end_file(struct file *f)
{
    struct ember_gguf *gguf = NULL;
    struct ember_error err;
    for (size_t i = 0; i < 8; i++)
        f->data[16 + i] = (unsigned char)(f->n_keys >> 8 * i);
    enum ember_status status = ember_gguf_open_memory(&gguf, f->data, f->n, "test", true, &err);
    CHECK_MSG(status == EMBER_OK, "%s", err.message);
    return gguf;
}

/* After <unk> and the 256 bytes; ids start at FIRST. */
static const char *const words[] = { "a", "b", "c", "x", "xa", "ab", "bc", ":", "x:y", "x\n" };
enum { FIRST = 257, A = FIRST, B, C, X, XA, AB, BC, COLON, X_COLON_Y, X_NEWLINE, N_TOKENS };

static void put_vocabulary(struct file *f)
{
    put_string(f, "tokenizer.ggml.model", "llama");
    put_key(f, "tokenizer.ggml.tokens", EMBER_GGUF_ARRAY);
    put_number(f, EMBER_GGUF_STRING, 4);
    put_number(f, N_TOKENS, 8);
    put_text(f, "<unk>");
    for (unsigned byte = 0; byte < 256; byte++) {
        char text[8];
        snprintf(text, sizeof text, "<0x%02X>", byte);
        put_text(f, text);
    }
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        put_text(f, words[i]);
    put_key(f, "tokenizer.ggml.token_type", EMBER_GGUF_ARRAY);
    put_number(f, EMBER_GGUF_I32, 4);
    put_number(f, N_TOKENS, 8);
    for (size_t i = 0; i < N_TOKENS; i++)
        put_number(f,
                   i == 0      ? EMBER_TOKEN_UNKNOWN
                   : i < FIRST ? EMBER_TOKEN_BYTE
                               : EMBER_TOKEN_NORMAL,
                   4);
    put_key(f, "tokenizer.ggml.scores", EMBER_GGUF_ARRAY);
    put_number(f, EMBER_GGUF_F32, 4);
    put_number(f, N_TOKENS, 8);
    for (size_t i = 0; i < N_TOKENS; i++)
        put_number(f, 0, 4);
    put_key(f, "tokenizer.ggml.add_space_prefix", EMBER_GGUF_BOOL);
    put_number(f, 0, 1);
}

/* ---- ---- */

static struct ember_sampler_params defaults(void)
{
    struct ember_sampler_params params;
    ember_sampler_defaults(&params, NULL);
    params.seed = 1;
    return params;
}

static struct ember_sampler *make(const struct ember_sampler_params *params,
                                  const struct ember_tokenizer *tokenizer, uint32_t n_vocab)
{
    struct ember_sampler *sampler = NULL;
    struct ember_error err = { 0 };
    enum ember_status status = ember_sampler_new(&sampler, params, tokenizer, n_vocab, &err);
    if (!CHECK_MSG(status == EMBER_OK, "%s", err.message))
        exit(test_end());
    return sampler;
}

static void check_generator(void)
{
    /* The 10,000th output for seed 5489 is 4123659995 in every MT19937; it is the lower half of the
     * 5,000th number. */
    struct sample_rng rng;
    double u = 0, least = 1, most = 0;
    sample_rng_seed(&rng, 5489);
    for (int i = 0; i < 5000; i++) {
        u = sample_rng_uniform(&rng);
        least = fmin(least, u);
        most = fmax(most, u);
    }
    CHECK_UINT((uint64_t)(u * 0x1p53) & 0x3ffffff, 4123659995u >> 6);
    CHECK(least >= 0 && least < 0.01 && most < 1 && most > 0.99);
}

enum { N_DRAWS = 40000, N_SMALL = 24 };
static const float small[N_SMALL] = { 1.5f, -0.5f, 2.5f, 0, 3,    2.9f, -2,   1,
                                      1,    0.25f, -1,   2, 0.5f, -4,   1.7f, 2.2f,
                                      0.1f, -0.3f, 2,    1, 0,    -1,   3,    2.6f };

/* Draws against the probabilities the sampler itself reports. The bound lies six standard
 * deviations above the mean of χ²; the seeds are fixed, so it holds always or never. */
static void check_distribution(const struct ember_sampler_params *params, const char *what)
{
    struct ember_sampler *sampler = make(params, NULL, N_SMALL);
    struct ember_candidate candidates[N_SMALL];
    unsigned counts[N_SMALL] = { 0 };
    size_t n = ember_sampler_candidates(sampler, small, candidates, N_SMALL);
    double chi2 = 0;
    unsigned seen = 0;

    for (int i = 0; i < N_DRAWS; i++)
        counts[ember_sampler_sample(sampler, small)]++;
    for (size_t i = 0; i < n; i++) {
        double expected = N_DRAWS * (double)candidates[i].p;
        double d = counts[candidates[i].id] - expected;
        chi2 += d * d / expected;
        seen += counts[candidates[i].id];
    }
    CHECK_UINT(seen, N_DRAWS); /* nothing else was drawn */
    double freedom = (double)n - 1;
    CHECK_MSG(chi2 <= freedom + 6 * sqrt(2 * freedom) + 1e-9,
              "%s, seed %u: χ² = %g with %g degrees", what, params->seed, chi2, freedom);
    ember_sampler_free(sampler);
}

static void check_draws(void)
{
    for (uint32_t seed = 0; seed < 4; seed++) {
        struct ember_sampler_params params = defaults();
        params.seed = seed;
        check_distribution(&params, "default chain");
        params.top_k = 0;
        params.top_p = 1;
        params.min_p = 0;
        params.temperature = 1;
        check_distribution(&params, "whole vocabulary");
        params.temperature = 0.3f;
        check_distribution(&params, "low temperature");
        params.temperature = 2;
        params.typical_p = 0.7f;
        check_distribution(&params, "typical");
        params.top_k = 1;
        check_distribution(&params, "one candidate");
    }
}

/* With probability q the top choices are gone, otherwise all is as without XTC. */
static void check_xtc_coin(void)
{
    struct ember_sampler_params params = defaults();
    params.xtc_probability = 0.25f;
    params.xtc_threshold = 0.3f;
    params.temperature = 1;
    params.top_k = 0;
    params.top_p = 1;
    params.min_p = 0;
    static const float three[] = { 0, 0, -3 };
    struct ember_sampler *sampler = make(&params, NULL, 3);
    unsigned first = 0;
    double p = 1 / (2 + exp(-3)), gone = 0.25;
    for (int i = 0; i < N_DRAWS; i++)
        first += ember_sampler_sample(sampler, three) == 0;
    /* of two equal top choices the second stays */
    double expected = (1 - gone) * p;
    CHECK_NEAR(first / (double)N_DRAWS, expected, 6 * sqrt(expected * (1 - expected) / N_DRAWS),
               "share of the first token");
    ember_sampler_free(sampler);
}

static void draw(struct ember_sampler *sampler, int32_t *out, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        out[i] = ember_sampler_sample(sampler, small);
        ember_sampler_accept(sampler, out[i]);
    }
}

static void check_seeds(void)
{
    enum { N = 200 };
    int32_t first[N], second[N];
    struct ember_sampler_params params = defaults();
    params.seed = 42;
    params.penalty_repeat = 1.1f;
    params.xtc_probability = 0.5f;
    params.dry_multiplier = 0.5f;
    struct ember_sampler *a = make(&params, NULL, N_SMALL), *b = make(&params, NULL, N_SMALL);
    draw(a, first, N);
    draw(b, second, N);
    CHECK_MEM(second, first, sizeof first);

    /* looking at candidates does not change what is drawn, neither does another thread's sampler */
    ember_sampler_reset(a);
    for (size_t i = 0; i < N; i++) {
        struct ember_candidate candidates[3];
        ember_sampler_candidates(a, small, candidates, 3);
        second[i] = ember_sampler_sample(a, small);
        ember_sampler_accept(a, second[i]);
        ember_sampler_sample(b, small);
    }
    CHECK_MEM(second, first, sizeof first);
    ember_sampler_free(a);
    ember_sampler_free(b);

    params.seed = 43;
    a = make(&params, NULL, N_SMALL);
    draw(a, second, N);
    CHECK(memcmp(first, second, sizeof first) != 0);
    ember_sampler_free(a);

    params.seed = EMBER_SEED_RANDOM;
    a = make(&params, NULL, N_SMALL);
    draw(a, first, N);
    ember_sampler_reset(a);
    draw(a, second, N);
    CHECK(memcmp(first, second, sizeof first) != 0);
    ember_sampler_free(a);
    ember_sampler_free(NULL);
}

static void check_greedy(void)
{
    struct ember_sampler_params params = defaults();
    params.temperature = 0;
    params.dynatemp_range = 0.5f; /* whatever the range */
    struct ember_sampler *sampler = make(&params, NULL, 6);
    static const struct {
        float logits[6];
        int32_t best;
    } cases[] = {
        { { 1, 2, 3, 3, 2, 1 }, 2 },
        { { 3, 2, 3, 3, 2, 1 }, 0 },
        { { NAN, -1, NAN, -2, NAN, -1 }, 1 },
        { { -INFINITY, -INFINITY, -FLT_MAX, NAN, -INFINITY, -INFINITY }, 2 },
        { { 0, INFINITY, 5, NAN, INFINITY, 0 }, 1 },
        { { -0.0f, 0.0f, -1, -1, -1, -1 }, 0 },
        { { NAN, NAN, NAN, NAN, NAN, NAN }, 0 },
        { { -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY, -INFINITY }, 0 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        CHECK_MSG(ember_sampler_sample(sampler, cases[i].logits) == cases[i].best, "row %zu: %d", i,
                  (int)ember_sampler_sample(sampler, cases[i].logits));
    ember_sampler_free(sampler);

    /* what comes before still counts */
    const struct ember_logit_bias biases[] = { { 2, -INFINITY }, { 5, 1.5f } };
    params.biases = biases;
    params.n_biases = 2;
    params.penalty_presence = 1.25f;
    sampler = make(&params, NULL, 6);
    CHECK_INT(ember_sampler_sample(sampler, cases[0].logits), 3);
    ember_sampler_accept(sampler, 3);
    CHECK_INT(ember_sampler_sample(sampler, cases[0].logits), 5);
    ember_sampler_accept(sampler, 5);
    CHECK_INT(ember_sampler_sample(sampler, cases[0].logits), 1);
    ember_sampler_reset(sampler);
    CHECK_INT(ember_sampler_sample(sampler, cases[0].logits), 3);
    ember_sampler_free(sampler);
}

/* Rows no distribution can be made of, through every step at once. */
static void check_odd_rows(void)
{
    static const float odd[] = { NAN, INFINITY, -INFINITY, FLT_MAX, -FLT_MAX, 0, -0.0f, FLT_MIN };
    enum { N = 64, N_ODD = sizeof odd / sizeof *odd };
    struct ember_sampler_params params = defaults();
    params.typical_p = 0.9f;
    params.top_n_sigma = 3;
    params.xtc_probability = 0.5f;
    params.xtc_threshold = 0.01f;
    params.dynatemp_range = 0.5f;
    params.penalty_repeat = 1e-3f;
    params.dry_multiplier = 1e6f;
    params.dry_base = 1e6f;
    unsigned outside = 0;
    for (size_t pattern = 0; pattern < 4096; pattern++) {
        float row[N];
        for (size_t i = 0; i < N; i++)
            row[i] = odd[(pattern >> 3 * (i % 4)) % N_ODD];
        params.temperature = pattern % 3 ? 0.7f : 1e-38f;
        params.min_keep = pattern % 5;
        struct ember_sampler *sampler = make(&params, NULL, N);
        for (int i = 0; i < 8; i++) {
            int32_t id = ember_sampler_sample(sampler, row);
            outside += id < 0 || id >= N;
            ember_sampler_accept(sampler, id & 1);
        }
        ember_sampler_free(sampler);
    }
    CHECK_UINT(outside, 0);
}

static void check_histories(void)
{
    struct ember_sampler_params params = defaults();
    static const float row[4] = { 0, 0, 0, 0 };
    params.steps[0] = EMBER_SAMPLE_PENALTIES;
    params.n_steps = 1;
    params.penalty_presence = 1;
    params.penalty_last_n = 3;
    struct ember_sampler *sampler = make(&params, NULL, 4);
    struct ember_candidate candidates[4];
    /* ids that are none must do no harm */
    ember_sampler_accept(sampler, -1);
    ember_sampler_accept(sampler, INT32_MAX);
    ember_sampler_accept(sampler, 4);
    ember_sampler_candidates(sampler, row, candidates, 4);
    CHECK_NEAR((double)candidates[3].p, 0.25, 1e-6, "nothing known was seen");
    for (int32_t id = 0; id < 4; id++)
        ember_sampler_accept(sampler, id);
    ember_sampler_candidates(sampler, row, candidates, 4);
    CHECK_INT(candidates[0].id, 0); /* the only one of which the window has lost sight */
    CHECK_NEAR((double)candidates[0].p, 1 / (1 + 3 * exp(-1)), 1e-6, "three of four were seen");
    CHECK_UINT(ember_sampler_candidates(sampler, row, candidates, 0), 4);
    ember_sampler_free(sampler);
}

static float p_of(struct ember_sampler *sampler, const float *row, uint32_t n, int32_t id)
{
    static struct ember_candidate candidates[512];
    size_t found = ember_sampler_candidates(sampler, row, candidates, n);
    for (size_t i = 0; i < found; i++) {
        if (candidates[i].id == id)
            return candidates[i].p;
    }
    return 0;
}

/* Whether DRY, with these breakers, holds the token against the history. */
static bool is_penalised(const struct ember_tokenizer *tokenizer, const char *const *breakers,
                         size_t n_breakers, const int32_t *history, size_t n, int32_t id)
{
    static const float row[N_TOKENS];
    struct ember_sampler_params params = defaults();
    params.steps[0] = EMBER_SAMPLE_DRY;
    params.n_steps = 1;
    params.dry_multiplier = 5;
    params.dry_breakers = breakers;
    params.n_dry_breakers = n_breakers;
    struct ember_sampler *sampler = make(&params, tokenizer, N_TOKENS);
    for (size_t i = 0; i < n; i++)
        ember_sampler_accept(sampler, history[i]);
    float p = p_of(sampler, row, N_TOKENS, id);
    ember_sampler_free(sampler);
    return p < 0.5f / N_TOKENS;
}

static void check_breakers(const struct ember_tokenizer *tokenizer)
{
    static const char *const abc[] = { "abc" }, *const none[] = { "" };
#define PENALISED(breakers, n, id, ...)                                                            \
    is_penalised(tokenizer, breakers, n, (const int32_t[]){ __VA_ARGS__ },                         \
                 sizeof((const int32_t[]){ __VA_ARGS__ }) / sizeof(int32_t), id)
    /* a repetition of two, then the same token again */
    CHECK(PENALISED(none, 0, B, X, C, B, X, C));
    CHECK(PENALISED(none, 1, B, X, C, B, X, C)); /* an empty string breaks nothing */
    /* the default four: ":" inside a token, "\n" at its end, the byte token of "*" */
    CHECK(!PENALISED(NULL, 0, B, X, COLON, B, X, COLON));
    CHECK(!PENALISED(NULL, 0, B, X, X_COLON_Y, B, X, X_COLON_Y));
    CHECK(!PENALISED(NULL, 0, B, X, X_NEWLINE, B, X, X_NEWLINE));
    CHECK(!PENALISED(NULL, 0, B, X, 1 + '*', B, X, 1 + '*'));
    CHECK(PENALISED(NULL, 0, B, X, 1 + '+', B, X, 1 + '+'));
    CHECK(!PENALISED(NULL, 0, COLON, X, C, COLON, X, C)); /* breakers themselves go free */
    CHECK(PENALISED(none, 0, B, X, COLON, B, X, COLON));
    /* "abc" over tokens: xa + bc, ab + c, but not xa + c */
    CHECK(!PENALISED(abc, 1, B, X, XA, BC, B, X, XA, BC));
    CHECK(!PENALISED(abc, 1, B, X, AB, C, B, X, AB, C));
    CHECK(PENALISED(abc, 1, B, X, XA, C, B, X, XA, C));
    /* two tokens after it are enough for a repetition again */
    CHECK(PENALISED(abc, 1, B, XA, BC, X, C, B, XA, BC, X, C));
    CHECK(!PENALISED(abc, 1, B, X, XA, BC, X, B, X, XA, BC, X));
    CHECK(PENALISED(abc, 1, XA, X, C, XA, X, C)); /* the head of a breaker is no breaker */
#undef PENALISED
}

static void check_file(void)
{
    struct file file;
    struct ember_tokenizer *tokenizer = NULL;
    struct ember_error err;
    begin_file(&file);
    put_vocabulary(&file);
    put_key(&file, "tokenizer.ggml.suppress_tokens", EMBER_GGUF_ARRAY);
    put_number(&file, EMBER_GGUF_I32, 4);
    put_number(&file, 2, 8);
    put_number(&file, X, 4);
    put_number(&file, C, 4);
    struct ember_gguf *gguf = end_file(&file);
    if (!gguf)
        return;
    if (CHECK_MSG(ember_tokenizer_new(&tokenizer, gguf, &err) == EMBER_OK, "%s", err.message)) {
        /* 9 padded rows with the largest logits of all, and two suppressed tokens that follow */
        static float row[N_TOKENS + 9];
        struct ember_sampler_params params = defaults();
        params.temperature = 0;
        for (size_t i = N_TOKENS; i < N_TOKENS + 9; i++)
            row[i] = 100;
        row[X] = 90;
        row[C] = 80;
        row[B] = 70;
        struct ember_sampler *sampler = make(&params, tokenizer, N_TOKENS + 9);
        CHECK_INT(ember_sampler_sample(sampler, row), B);
        ember_sampler_free(sampler);
        check_breakers(tokenizer);
    }
    ember_tokenizer_free(tokenizer);
    ember_gguf_close(gguf);
}

static void check_recommended(void)
{
    struct file file;
    struct ember_sampler_params params;
    begin_file(&file);
    put_i32(&file, "general.sampling.top_k", 64);
    put_f32(&file, "general.sampling.top_p", 0.5f);
    put_f32(&file, "general.sampling.min_p", 0.25f);
    put_f32(&file, "general.sampling.xtc_probability", 0.125f);
    put_f32(&file, "general.sampling.xtc_threshold", 0.375f);
    put_f32(&file, "general.sampling.temp", 0);
    put_i32(&file, "general.sampling.penalty_last_n", 16);
    put_f32(&file, "general.sampling.penalty_repeat", 1.5f);
    put_string(&file, "general.sampling.sequence", "tikxtpz");
    struct ember_gguf *gguf = end_file(&file);
    ember_sampler_defaults(&params, gguf);
    ember_gguf_close(gguf);
    CHECK_INT(params.top_k, 64);
    CHECK(params.top_p == 0.5f && params.min_p == 0.25f && params.xtc_probability == 0.125f);
    CHECK(params.xtc_threshold == 0.375f && params.temperature == 0);
    CHECK_INT(params.penalty_last_n, 16);
    CHECK(params.penalty_repeat == 1.5f && params.typical_p == 1);
    CHECK_UINT(params.n_steps, 4);
    CHECK_INT(params.steps[0], EMBER_SAMPLE_TEMPERATURE);
    CHECK_INT(params.steps[1], EMBER_SAMPLE_TOP_K);
    CHECK_INT(params.steps[2], EMBER_SAMPLE_XTC);
    CHECK_INT(params.steps[3], EMBER_SAMPLE_TOP_P);

    /* what makes no sense is passed over */
    begin_file(&file);
    put_string(&file, "general.sampling.top_k", "many");
    put_f32(&file, "general.sampling.top_p", -3);
    put_f32(&file, "general.sampling.min_p", NAN);
    put_f32(&file, "general.sampling.temp", INFINITY);
    put_i32(&file, "general.sampling.penalty_last_n", INT32_MAX);
    put_f32(&file, "general.sampling.penalty_repeat", 0);
    put_string(&file, "general.sampling.sequence", "ia");
    gguf = end_file(&file);
    struct ember_sampler_params plain;
    ember_sampler_defaults(&params, gguf);
    ember_sampler_defaults(&plain, NULL);
    ember_gguf_close(gguf);
    CHECK_INT(params.top_k, 40);
    CHECK(params.top_p == plain.top_p && params.min_p == plain.min_p);
    CHECK(params.temperature == plain.temperature);
    CHECK_INT(params.penalty_last_n, 64);
    CHECK(params.penalty_repeat == 1);
    CHECK_UINT(params.n_steps, EMBER_SAMPLE_STEP_COUNT);
    CHECK_MEM(params.steps, plain.steps, sizeof params.steps);
}

#define REFUSED(member, wrong, word)                                                               \
    do {                                                                                           \
        struct ember_sampler_params params = defaults();                                           \
        struct ember_sampler *sampler = NULL;                                                      \
        struct ember_error err = { 0 };                                                            \
        params.member = (wrong);                                                                   \
        CHECK_INT(ember_sampler_new(&sampler, &params, NULL, 8, &err), EMBER_INVALID);             \
        CHECK_MSG(strstr(err.message, word), #member ": %s", err.message);                         \
        CHECK(sampler == NULL);                                                                    \
    } while (0)

static void check_refused(void)
{
    const struct ember_logit_bias outside = { 8, 1 }, negative = { -1, 1 }, nan = { 0, NAN };
    REFUSED(temperature, NAN, "temperature");
    REFUSED(temperature, INFINITY, "temperature");
    REFUSED(dynatemp_range, -1, "range");
    REFUSED(dynatemp_exponent, NAN, "exponent");
    REFUSED(top_p, 1.5f, "top-p is 1.5, expected 0 to 1");
    REFUSED(min_p, -0.5f, "min-p");
    REFUSED(typical_p, NAN, "typical-p");
    REFUSED(top_n_sigma, NAN, "top-n-sigma");
    REFUSED(xtc_probability, 2, "XTC probability");
    REFUSED(xtc_threshold, -1, "XTC threshold");
    REFUSED(penalty_repeat, 0, "repetition penalty");
    REFUSED(penalty_repeat, INFINITY, "repetition penalty");
    REFUSED(penalty_frequency, NAN, "frequency");
    REFUSED(penalty_presence, -INFINITY, "presence");
    REFUSED(penalty_last_n, INT32_MAX, "last tokens");
    REFUSED(dry_multiplier, -1, "DRY multiplier");
    REFUSED(dry_base, NAN, "DRY base");
    REFUSED(dry_allowed_length, -1, "DRY allowed length");
    REFUSED(dry_last_n, INT32_MAX, "DRY");
    REFUSED(n_steps, EMBER_SAMPLE_STEP_COUNT + 1, "steps");
    REFUSED(steps[3], EMBER_SAMPLE_STEP_COUNT, "step 4");
    REFUSED(n_biases, (params.biases = &outside, 1), "token 8");
    REFUSED(n_biases, (params.biases = &negative, 1), "token -1");
    REFUSED(n_biases, (params.biases = &nan, 1), "not a number");
    struct ember_sampler *sampler = NULL;
    CHECK_INT(ember_sampler_new(&sampler, NULL, NULL, 0, NULL), EMBER_INVALID);
    CHECK_INT(ember_sampler_new(&sampler, NULL, NULL, 8, NULL), EMBER_OK); /* NULL: the defaults */
    ember_sampler_free(sampler);
}

static void check_allocations(void)
{
    struct ember_sampler_params params = defaults();
    const struct ember_logit_bias bias = { 1, 1 };
    params.biases = &bias;
    params.n_biases = 1;
    params.penalty_repeat = 1.1f;
    params.dry_multiplier = 1;
    params.typical_p = 0.9f;
    params.top_n_sigma = 5;
    params.xtc_probability = 0.5f;

    /* each one refused in turn, until nothing is left to refuse */
    unsigned refusals = 0;
    const long before = live;
    for (long nth = 0; nth < 1000; nth++) {
        struct ember_sampler *sampler = NULL;
        struct ember_error err = { 0 };
        calls = 0;
        fail_at = nth;
        enum ember_status status = ember_sampler_new(&sampler, &params, NULL, N_SMALL, &err);
        fail_at = -1;
        ember_sampler_free(sampler);
        CHECK_INT(live, before);
        if (status == EMBER_OK)
            break;
        refusals++;
        if (!CHECK_INT(status, EMBER_NO_MEMORY) || !CHECK(sampler == NULL && err.message[0]))
            break;
    }
    CHECK_MSG(refusals >= 5, "%u allocations were refused", refusals);

    struct ember_sampler *sampler = make(&params, NULL, N_SMALL);
    int32_t ids[200];
    struct ember_candidate candidates[N_SMALL];
    calls = 0;
    draw(sampler, ids, 200);
    ember_sampler_candidates(sampler, small, candidates, N_SMALL);
    ember_sampler_reset(sampler);
    CHECK_INT(calls, 0);
    ember_sampler_free(sampler);
}

int main(void)
{
    check_generator();
    check_draws();
    check_xtc_coin();
    check_seeds();
    check_greedy();
    check_odd_rows();
    check_histories();
    check_file();
    check_recommended();
    check_refused();
    check_allocations();
    return test_end();
}
