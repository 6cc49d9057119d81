/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-fit.c - the plan against what is really taken from the system, by wrapping mmap and the
 * heap; what the plan promises about windows, contexts and budgets; nothing taken token by token.
 */
#include <sys/mman.h>

#include <ember/ember.h>

#include "forward/tiny.h"
#include "quant/types.h"
#include "test.h"

static struct {
    bool on;
    uint64_t anonymous, mapped, heap;
} taken;

/* With 64-bit file offsets on every system, mmap() is called by its other name. */
void *__real_mmap(void *at, size_t size, int protection, int flags, int fd, int64_t offset);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, int64_t offset);
void *__wrap_mmap64(void *at, size_t size, int protection, int flags, int fd, int64_t offset);
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size);
void *__real_calloc(size_t n, size_t size);
void *__wrap_calloc(size_t n, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_realloc(void *old, size_t size);

void *__wrap_mmap(void *at, size_t size, int protection, int flags, int fd, int64_t offset)
{
    if (taken.on)
        *(flags & MAP_ANONYMOUS ? &taken.anonymous : &taken.mapped) += size;
    return __real_mmap(at, size, protection, flags, fd, offset);
}

void *__wrap_mmap64(void *at, size_t size, int protection, int flags, int fd, int64_t offset)
{
    return __wrap_mmap(at, size, protection, flags, fd, offset);
}

void *__wrap_malloc(size_t size)
{
    if (taken.on)
        taken.heap += size;
    return __real_malloc(size);
}

void *__wrap_calloc(size_t n, size_t size)
{
    if (taken.on)
        taken.heap += n * size;
    return __real_calloc(n, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    if (taken.on)
        taken.heap += size;
    return __real_realloc(old, size);
}

/* Plans from the header alone, starts a session with the same wishes, compares. */
static void check_plan(const char *what, const char *path, const struct ember_fit_params *params)
{
    struct ember_error err = { 0 };
    struct ember_gguf *gguf = NULL;
    struct ember_model *model = NULL;
    struct ember_session *session = NULL;
    struct ember_session_memory memory;
    struct ember_fit fit;

    if (!CHECK(ember_gguf_open(&gguf, path, true, &err) == EMBER_OK) ||
        !CHECK_MSG(ember_fit_plan(&fit, gguf, params, &err) == EMBER_OK, "%s: %s", what,
                   err.message) ||
        !CHECK(ember_model_open(&model, path, NULL, &err) == EMBER_OK))
        goto out;
    memset(&taken, 0, sizeof taken);
    taken.on = true;
    enum ember_status st = ember_session_new(&session, model, params, &err);
    taken.on = false;
    if (!CHECK_MSG(st == EMBER_OK, "%s: %s", what, err.message))
        goto out;
    ember_session_memory(session, &memory);
    CHECK_UINT(memory.weights, fit.weights);
    CHECK_UINT(memory.kv, fit.kv);
    CHECK_UINT(memory.checkpoint, fit.checkpoint);
    CHECK_UINT(memory.compute, fit.compute);
    CHECK_UINT(fit.kv, fit.kv_full + fit.kv_window);

    /* All that was taken: within 1 MiB of the plan, weights not copied. */
    double plan = (double)(fit.kv + fit.checkpoint + fit.compute);
    double real = (double)(taken.anonymous + taken.heap);
    CHECK_NEAR(real, plan, 1048576.0, "%s: bytes taken (%llu mapped, %llu heap)", what,
               (unsigned long long)taken.anonymous, (unsigned long long)taken.heap);
    CHECK_UINT(taken.mapped, 0);
    uint64_t by_type = 0;
    for (uint32_t i = 0; i < fit.n_types; i++)
        by_type += fit.types[i].n_bytes;
    CHECK_UINT(by_type, fit.weights);
out:
    ember_session_free(session);
    ember_model_unref(model);
    ember_gguf_close(gguf);
}

static void test_allocations(void)
{
    static const char *const archs[] = { "llama", "gemma3" };
    static const uint32_t types[] = { QUANT_F32, QUANT_Q8_0, QUANT_Q4_K };
    char path[4096], what[96];

    for (size_t i = 0; i < 6; i++) {
        struct tiny t = tiny_default(archs[i % 2]);
        t.type = types[i / 2];
        t.n_embd = t.n_ff = 256;
        t.d_head = 64;
        t.n_vocab = 3000;
        t.n_ctx = 20000;
        if (!CHECK(tiny_write(&t, path, sizeof path)))
            return;
        for (uint32_t k = 0; k < 8; k++) {
            struct ember_fit_params p = {
                .n_ctx = k & 1 ? 9000 : 300,
                .n_batch = k & 2 ? 64 : 512,
                .n_threads = k & 4 ? 5 : 1,
                .n_logits = k & 4 ? 16 : 1,
                .kv_type = k & 2 ? EMBER_KV_F32 : EMBER_KV_F16,
            };
            snprintf(what, sizeof what, "%s %s, variant %u", t.arch, quant_info(t.type)->name, k);
            check_plan(what, path, &p);
        }
        tiny_remove(path);
    }
}

static bool plan_of(const char *path, const struct ember_fit_params *params, struct ember_fit *fit)
{
    struct ember_error err = { 0 };
    struct ember_gguf *gguf = NULL;
    bool fine = CHECK_MSG(ember_gguf_open(&gguf, path, true, &err) == EMBER_OK &&
                              ember_fit_plan(fit, gguf, params, &err) == EMBER_OK,
                          "%s", err.message);
    ember_gguf_close(gguf);
    return fine;
}

/* A longer context costs the full layers their share, the windows nothing, compute some partials.
 */
static void test_growth(void)
{
    struct tiny t = tiny_default("gemma3");
    struct ember_fit fit, last = { 0 };
    char path[4096];

    t.n_ctx = 1u << 17;
    t.n_layers = 6;
    t.period = 6;
    t.window = 32;
    if (!CHECK(tiny_write(&t, path, sizeof path)))
        return;
    for (uint32_t n_ctx = 1024; n_ctx <= 1u << 17; n_ctx *= 2) {
        struct ember_fit_params p = { .n_ctx = n_ctx, .n_batch = 64, .n_threads = 2 };
        if (!plan_of(path, &p, &fit))
            break;
        uint64_t per_token = t.n_kv * t.d_head * 2 * 2; /* k and v in F16, one full layer */
        CHECK_UINT(fit.kv_full, per_token * n_ctx);
        CHECK_UINT(fit.kv_window, per_token * 5 * (32 + 64));
        CHECK_UINT(fit.checkpoint, per_token * 5 * 32);
        CHECK_UINT(fit.n_ctx, n_ctx);
        if (last.n_ctx) {
            /* Ids of the timeline and one state per head and 512 positions. */
            uint64_t more = (uint64_t)(n_ctx - last.n_ctx) * 4 +
                            (n_ctx - last.n_ctx) / 512 * t.n_heads * (t.d_head + 2) * 4;
            CHECK_MSG(fit.compute - last.compute <= more + 256, "compute grew by %llu, not %llu",
                      (unsigned long long)(fit.compute - last.compute), (unsigned long long)more);
        }
        last = fit;
    }
    tiny_remove(path);
}

static void test_defaults(void)
{
    struct tiny t = tiny_default("llama");
    struct ember_fit fit;
    char path[4096];

    t.n_ctx = 20000;
    t.n_kv = t.n_heads;
    t.d_head = 64;
    if (CHECK(tiny_write(&t, path, sizeof path)) && plan_of(path, NULL, &fit)) {
        CHECK_UINT(fit.n_ctx, 8192);
        CHECK_UINT(fit.n_ctx_trained, 20000);
        CHECK_UINT(fit.n_batch, 512);
        CHECK(fit.n_threads >= 1);
        CHECK_INT(fit.verdict, EMBER_FITS_CPU);
        CHECK_UINT(fit.free, fit.budget - fit.weights - fit.kv - fit.checkpoint - fit.compute);
        CHECK(strstr(fit.reason, "8192") != NULL);
        /* 1.5 TiB of cache, more than a machine has. */
        struct ember_fit_params p = { .n_ctx = 1u << 28, .kv_type = EMBER_KV_F32 };
        if (plan_of(path, &p, &fit)) {
            CHECK_INT(fit.verdict, EMBER_FITS_NOT);
            CHECK_UINT(fit.free, 0);
        }
    }
    tiny_remove(path);
    t.n_ctx = 100;
    if (CHECK(tiny_write(&t, path, sizeof path)) && plan_of(path, NULL, &fit))
        CHECK_UINT(fit.n_ctx, 100);
    tiny_remove(path);
}

/* One thread per core; as many as wished, but no more than can run. */
static void test_thread_counts(void)
{
    static const uint32_t wishes[][2] = { { 0, 3 }, { 1, 1 }, { 3, 3 }, { 4, 3 }, { 64, 3 } };
    struct tiny t = tiny_default("llama");
    struct ember_fit fit;
    char path[4096];

    setenv("EMBER_CORES", "3", 1);
    if (CHECK(tiny_write(&t, path, sizeof path)))
        for (size_t i = 0; i < sizeof wishes / sizeof wishes[0]; i++) {
            struct ember_fit_params p = { .n_threads = wishes[i][0] };
            if (plan_of(path, &p, &fit))
                CHECK_UINT(fit.n_threads, wishes[i][1]);
        }
    tiny_remove(path);
    setenv("EMBER_CORES", "8", 1);
}

static bool watch_from_first_token(int32_t id, struct ember_text text, void *user_data)
{
    size_t *n = user_data;
    (void)id;
    (void)text;
    taken.on = true;
    ++*n;
    return true;
}

/* From the first token to the last: passes, the whole chain of samplers, text, stop strings. */
static void test_token_loop(void)
{
    static const char *const stops[] = { "never said", "word999" };
    static const int32_t prompt[] = { 72, 105, 72, 105 };
    struct tiny t = tiny_default("gemma3");
    struct ember_fit_params fit = { .n_ctx = 400, .n_threads = 2 };
    struct ember_sampler_params chain;
    struct ember_model *model = NULL;
    struct ember_session *session = NULL;
    struct ember_sampler *sampler = NULL;
    struct ember_error err = { 0 };
    struct ember_generate_result result;
    char path[4096];
    size_t n = 0;

    t.type = QUANT_Q8_0;
    t.vocabulary = true;
    t.n_vocab = 300;
    t.n_ctx = 400;
    ember_sampler_defaults(&chain, NULL);
    chain.seed = 5;
    chain.penalty_repeat = 1.1f;
    chain.dry_multiplier = 0.8f;
    chain.typical_p = 0.9f;
    chain.xtc_probability = 0.5f;
    if (CHECK(tiny_write(&t, path, sizeof path)) &&
        CHECK_MSG(ember_model_open(&model, path, NULL, &err) == EMBER_OK &&
                      ember_session_new(&session, model, &fit, &err) == EMBER_OK &&
                      ember_sampler_new(&sampler, &chain, ember_model_tokenizer(model),
                                        ember_model_n_vocab(model), &err) == EMBER_OK,
                  "%s", err.message)) {
        struct ember_generate_params p = {
            .prompt = prompt,
            .n_prompt = 4,
            .sampler = sampler,
            .max_tokens = 300,
            .stop = stops,
            .n_stop = 2,
            .ignore_end = true,
            .events = { .token = watch_from_first_token, .user_data = &n },
        };
        memset(&taken, 0, sizeof taken);
        enum ember_status st = ember_session_generate(session, &p, &result, &err);
        taken.on = false;
        CHECK_MSG(st == EMBER_OK && n >= 300, "%s after %zu tokens", err.message, n);
        CHECK_UINT(taken.heap, 0);
        CHECK_UINT(taken.anonymous + taken.mapped, 0);
    }
    ember_sampler_free(sampler);
    ember_session_free(session);
    ember_model_unref(model);
    tiny_remove(path);
}

static void test_real(void)
{
    char path[4096];
    struct ember_fit fit;
    struct ember_fit_params p = { .n_ctx = 32768 };

    if (!test_model(path, "gemma3.gguf")) {
        test_missing("gemma3.gguf", "not fetched");
        return;
    }
    if (plan_of(path, &p, &fit)) {
        CHECK_MSG(fit.kv <= 115u << 20, "KV takes %.1f MiB", (double)fit.kv / 1048576.0);
        CHECK_MSG(fit.checkpoint <= 15u << 19, "checkpoint takes %.2f MiB",
                  (double)fit.checkpoint / 1048576.0);
    }
    check_plan("gemma3.gguf at 4,096", path, &(struct ember_fit_params){ .n_ctx = 4096 });
    if (test_model(path, "smollm2.gguf"))
        check_plan("smollm2.gguf", path, NULL);
    else
        test_missing("smollm2.gguf", "not fetched");
}

static void test_hardware(void)
{
    struct ember_hardware h;
    struct ember_error err;

    unsetenv("EMBER_CORES");
    CHECK(ember_hardware_read(&h, &err) == EMBER_OK);
    CHECK(h.n_threads >= 1 && h.n_cores >= 1 && h.n_cores <= h.n_threads);
    CHECK(h.memory_total > 0 && h.memory_available > 0);
    CHECK(h.memory_available <= h.memory_total);
    CHECK(h.cpu_level[0] != '\0');
    setenv("EMBER_CPU", "scalar", 1);
    CHECK(ember_hardware_read(&h, &err) == EMBER_OK);
    CHECK_STR(h.cpu_level, "scalar");
    setenv("EMBER_CPU", "warp9", 1);
    CHECK(ember_hardware_read(&h, &err) == EMBER_INVALID);
    CHECK_MSG(strstr(err.message, "warp9") && strstr(err.message, "scalar"), "\"%s\"", err.message);
    unsetenv("EMBER_CPU");
    setenv("EMBER_CORES", "12", 1);
    CHECK(ember_hardware_read(&h, &err) == EMBER_OK);
    CHECK_UINT(h.n_cores, 12);
    setenv("EMBER_CORES", "many", 1);
    CHECK(ember_hardware_read(&h, &err) == EMBER_INVALID);
    CHECK_MSG(strstr(err.message, "many") != NULL, "\"%s\"", err.message);
    CHECK(h.n_cores >= 1 && h.memory_total > 0);
}

int main(void)
{
    /* As many threads as a test asks for, on any machine. */
    setenv("EMBER_CORES", "8", 1);
    test_allocations();
    test_growth();
    test_defaults();
    test_thread_counts();
    test_token_loop();
    test_real();
    test_hardware();
    return test_end();
}
