/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-forward.c - whole passes of tiny seeded models against double precision, fed in one go and
 * in pieces, and the corpus of reference logits where it is there. */
#include <ember/ember.h>

#include "forward/tiny.h"
#include "quant/types.h"
#include "test.h"

enum { N = 80 };

struct rows {
    float *logits;
    uint32_t n_vocab;
    size_t n;
};

static bool keep_rows(size_t row, size_t n, const float *logits, void *user_data)
{
    struct rows *r = user_data;
    memcpy(r->logits + row * r->n_vocab, logits, n * r->n_vocab * sizeof *logits);
    r->n += n;
    return true;
}

/* Logits of all rows for one way of feeding; false after a failed check. */
static bool run(const char *path, const struct ember_fit_params *params, const int32_t *ids,
                size_t n, float *out)
{
    struct ember_error err = { 0 };
    struct ember_model *model = NULL;
    struct ember_session *session = NULL;
    bool fine = false;

    if (!CHECK_MSG(ember_model_open(&model, path, NULL, &err) == EMBER_OK, "%s", err.message))
        return false;
    struct rows rows = { .logits = out, .n_vocab = ember_model_n_vocab(model) };
    if (CHECK_MSG(ember_session_new(&session, model, params, &err) == EMBER_OK, "%s",
                  err.message)) {
        enum ember_status st = ember_session_read(session, ids, n, n, keep_rows, &rows, &err);
        fine = CHECK_MSG(st == EMBER_OK && rows.n == n, "read: %s, %zu rows", err.message, rows.n);
    }
    ember_session_free(session);
    ember_model_unref(model);
    return fine;
}

/* `apart` is how far batches may be from each other: with block types products with few columns are
 * summed in another order, and that may move a later activation to the next code. */
static void check_batches(const char *what, const struct tiny *tiny, double bound, double apart)
{
    static const uint32_t batches[] = { 512, 7, 1 };
    char path[4096];
    int32_t ids[N];
    size_t n_floats = (size_t)N * tiny->n_vocab;
    double *want = malloc(n_floats * sizeof *want);
    float *got = malloc(n_floats * sizeof *got), *first = malloc(n_floats * sizeof *first);

    tiny_ids(ids, N, tiny->n_vocab, 99);
    if (CHECK(tiny_write(tiny, path, sizeof path)) && CHECK(tiny_reference(path, ids, N, want))) {
        for (size_t i = 0; i < 3; i++) {
            struct ember_fit_params params = {
                .n_ctx = tiny->n_ctx,
                .n_batch = batches[i],
                .n_threads = 2,
                .n_logits = 5,
                .kv_type = EMBER_KV_F32,
            };
            float *to = i ? got : first;
            if (!run(path, &params, ids, N, to))
                break;
            double e = tiny_error(to, want, n_floats);
            CHECK_MSG(e <= bound, "%s, batch %u: error %.2e, allowed %.0e", what, batches[i], e,
                      bound);
            if (i) {
                e = tiny_distance(got, first, n_floats);
                CHECK_MSG(e <= apart, "%s: batch %u differs from the whole by %.2e", what,
                          batches[i], e);
            }
        }
        tiny_remove(path);
    }
    free(want);
    free(got);
    free(first);
}

static void check_model(const char *what, const struct tiny *tiny, double bound)
{
    check_batches(what, tiny, bound, 1e-9);
}

static void test_architectures(void)
{
    static const char *const names[] = { "llama", "qwen2", "qwen3", "gemma3" };
    char what[96];

    for (size_t i = 0; i < 4; i++) {
        struct tiny t = tiny_default(names[i]);
        check_model(names[i], &t, 1e-10);
        t.biases = t.scales = true;
        t.tied = true;
        snprintf(what, sizeof what, "%s with biases and scales, tied", names[i]);
        check_model(what, &t, 1e-10);
        t = tiny_default(names[i]);
        t.fused_qkv = true;
        t.n_kv = 1;
        t.n_vocab = 67;
        snprintf(what, sizeof what, "%s with fused qkv, one kv head", names[i]);
        check_model(what, &t, 1e-10);
    }
}

static void test_rope(void)
{
    struct tiny t = tiny_default("llama");
    t.rope_freqs = true;
    check_model("rope_freqs", &t, 1e-10);
    t = tiny_default("qwen2");
    t.scaling = "linear";
    t.factor = 4;
    check_model("linear scaling", &t, 1e-10);
    t.scaling = "yarn";
    t.n_ctx_orig = 64;
    check_model("yarn", &t, 1e-10);
    t = tiny_default("llama");
    t.scaling = "longrope";
    t.factor = 1;
    t.long_factors = true;
    t.n_ctx_orig = 64;
    check_model("longrope beyond the original context", &t, 1e-10);
    t.n_ctx_orig = 512;
    check_model("longrope within the original context", &t, 1e-10);
    t = tiny_default("gemma3");
    t.scaling = "linear";
    t.factor = 8;
    t.logit_softcap = 3.0;
    check_model("gemma3 with scaling and soft cap", &t, 1e-10);
    t.window = 5;
    t.period = 3;
    check_model("gemma3 with a short window", &t, 1e-10);
}

/* Activations in 8 bits add about a percent at the end of these layers (1e-4 as a square), which is
 * all the difference there is: the weights themselves are exact. Random blocks of types with minima
 * make rows with a large mean, which hides most of it, so their bound is tighter. */
static void test_types(void)
{
    static const struct {
        uint32_t type;
        double bound;
    } types[] = { { QUANT_F16, 1e-10 },   { QUANT_BF16, 1e-10 },  { QUANT_Q8_0, 5e-4 },
                  { QUANT_Q4_0, 1e-4 },   { QUANT_Q4_1, 1e-6 },   { QUANT_Q5_0, 1e-4 },
                  { QUANT_Q5_1, 1e-6 },   { QUANT_Q4_K, 1e-6 },   { QUANT_Q5_K, 1e-6 },
                  { QUANT_Q6_K, 5e-4 },   { QUANT_Q2_K, 5e-4 },   { QUANT_Q3_K, 5e-4 },
                  { QUANT_IQ4_NL, 5e-4 }, { QUANT_IQ4_XS, 5e-4 }, { QUANT_MXFP4, 5e-4 },
                  { QUANT_NVFP4, 5e-4 },  { QUANT_Q1_0, 5e-4 },   { QUANT_Q2_0, 5e-4 },
                  { QUANT_TQ1_0, 5e-4 },  { QUANT_TQ2_0, 5e-4 },  { QUANT_IQ2_XXS, 5e-4 },
                  { QUANT_IQ2_XS, 5e-4 }, { QUANT_IQ2_S, 5e-4 },  { QUANT_IQ3_XXS, 5e-4 },
                  { QUANT_IQ3_S, 5e-4 },  { QUANT_IQ1_S, 5e-4 },  { QUANT_IQ1_M, 5e-4 } };

    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct tiny t = tiny_default("llama");
        t.type = types[i].type;
        if (quant_info(t.type)->block_length > 32) {
            t.n_embd = t.n_ff = 256;
            t.d_head = 64;
            t.n_layers = 2;
        }
        check_batches(quant_info(t.type)->name, &t, types[i].bound, types[i].bound);
    }
}

/* A vector is one however it is stored: converters write some with a second dimension of 1. */
static void test_vectors(void)
{
    static const uint32_t types[] = { QUANT_F32, QUANT_F16, QUANT_BF16 };
    char what[96];

    for (size_t i = 0; i < sizeof types / sizeof *types; i++)
        for (int tall = 0; tall < 2; tall++) {
            struct tiny t = tiny_default(i % 2 ? "gemma3" : "qwen3");
            t.vector_type = types[i];
            t.tall_vectors = tall;
            t.biases = t.scales = t.rope_freqs = true;
            snprintf(what, sizeof what, "%s vectors%s", quant_info(types[i])->name,
                     tall ? " of two dimensions" : "");
            check_model(what, &t, 1e-10);
        }
}

static void expect_refusal(const struct tiny *t, enum ember_status want, const char *word)
{
    char path[4096];
    struct ember_error err = { 0 };
    struct ember_model *model = NULL;

    if (!CHECK(tiny_write(t, path, sizeof path)))
        return;
    enum ember_status st = ember_model_open(&model, path, NULL, &err);
    CHECK_MSG(st == want && strstr(err.message, word), "%s: \"%s\", expected %s with \"%s\"",
              ember_status_name(st), err.message, ember_status_name(want), word);
    ember_model_unref(model);
    tiny_remove(path);
}

static void test_refusals(void)
{
    struct tiny t = tiny_default("llama");
    t.arch = "nosucharch";
    expect_refusal(&t, EMBER_UNSUPPORTED, "nosucharch");
    t = tiny_default("llama");
    t.extra = "blk.0.strange.weight";
    expect_refusal(&t, EMBER_UNSUPPORTED, "blk.0.strange.weight");
    t = tiny_default("llama");
    t.type = QUANT_Q8_1;
    expect_refusal(&t, EMBER_UNSUPPORTED, "q8_1");
    t = tiny_default("qwen3");
    t.n_kv = 3;
    expect_refusal(&t, EMBER_FORMAT, "heads");
    t = tiny_default("qwen2");
    t.scaling = "spiral";
    t.factor = 1;
    expect_refusal(&t, EMBER_UNSUPPORTED, "spiral");
    for (int tall = 0; tall < 2; tall++) {
        t = tiny_default("llama");
        t.vector_type = QUANT_Q8_0;
        t.tall_vectors = tall;
        expect_refusal(&t, EMBER_UNSUPPORTED, "attn_norm");
    }
    t = tiny_default("llama");
    t.n_embed = t.n_vocab - 1;
    expect_refusal(&t, EMBER_FORMAT, "has 129 rows");
}

/* Numbers that would make every angle or logit something else than a number. */
static void test_keys(void)
{
    static const char *const bad[] = {
        "llama.rope.freq_base=f32:0",
        "llama.rope.freq_base=f32:-10000",
        "llama.rope.scaling.factor=f32:-2",
        "llama.rope.scaling.attn_factor=f32:0",
        "llama.attention.layer_norm_rms_epsilon=f32:-1e-5",
        "llama.final_logit_softcapping=f32:-30",
        "llama.rope.dimension_count=u32:15",
        "llama.rope.dimension_count=u32:18",
        "llama.attention.key_length=u32:0",
        "llama.block_count=u32:0",
        "llama.block_count=u32:4097",
        "llama.embedding_length=u32:4294967295",
        "llama.context_length=u64:18446744073709551615",
    };
    struct tiny t = tiny_default("llama");
    char path[4096];

    if (!CHECK(tiny_write(&t, path, sizeof path)))
        return;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct ember_model_params params = { .overrides = &bad[i], .n_overrides = 1 };
        struct ember_model *model = NULL;
        struct ember_error err = { 0 };
        enum ember_status st = ember_model_open(&model, path, &params, &err);
        CHECK_MSG(st == EMBER_FORMAT, "%s: %s \"%s\"", bad[i], ember_status_name(st), err.message);
        ember_model_unref(model);
    }
    tiny_remove(path);
}

/* Reference logits of the corpus: 96 rows of 128. */
static void test_corpus_archs(void)
{
    static const char *const names[] = { "llama-dense", "qwen2-dense", "qwen3-dense",
                                         "gemma3-dense" };
    enum { ROWS = 96, COLS = 128 };
    char path[4096], name[64];

    for (size_t i = 0; i < 4; i++) {
        int32_t ids[ROWS];
        static float want[ROWS * COLS], got[ROWS * COLS];
        const char *suffixes[] = { ".tokens.i32", ".logits.f32" };
        void *where[] = { ids, want };
        size_t sizes[] = { sizeof ids, sizeof want };
        bool there = true;

        for (int f = 0; f < 2 && there; f++) {
            snprintf(name, sizeof name, "archs/%s%s", names[i], suffixes[f]);
            FILE *in = test_corpus(path, name) ? fopen(path, "rb") : NULL;
            there = in && fread(where[f], 1, sizes[f], in) == sizes[f];
            if (in)
                fclose(in);
        }
        snprintf(name, sizeof name, "archs/%s.gguf", names[i]);
        if (!there || !test_corpus(path, name)) {
            test_missing(names[i], "no reference data");
            continue;
        }
        for (uint32_t kv = 0; kv < 2; kv++)
            for (uint32_t batch = 1; batch <= 512; batch += batch == 1 ? 6 : 505) {
                struct ember_fit_params params = {
                    .n_ctx = ROWS,
                    .n_batch = batch,
                    .n_threads = 2,
                    .kv_type = kv ? EMBER_KV_F32 : EMBER_KV_F16,
                };
                if (!run(path, &params, ids, ROWS, got))
                    continue;
                double e = tiny_distance(got, want, ROWS * COLS), bound = kv ? 1e-6 : 1e-4;
                CHECK_MSG(e <= bound, "%s: batch %u: error %.2e, allowed %.0e", names[i], batch, e,
                          bound);
            }
    }
}

int main(void)
{
    test_architectures();
    test_rope();
    test_types();
    test_vectors();
    test_refusals();
    test_keys();
    test_corpus_archs();
    return test_end();
}
