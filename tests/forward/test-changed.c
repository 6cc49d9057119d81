/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-changed.c - tiny models whose keys and bytes were changed by chance: refused with a
 * sentence, or run to the end. Weights, values and caches are mapped, so a read behind one of them
 * faults only where it leaves the pages; what is on the heap is watched by AddressSanitizer. */
#include <ember/ember.h>

#include "forward/tiny.h"
#include "quant/types.h"
#include "test.h"

enum { N_MODELS = 400, MAX_CHANGES = 3 };

static uint64_t random_state = 88172645463325252u;

/* xorshift (Marsaglia 2003) */
static uint64_t any(uint64_t below)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state % below;
}

static struct tiny any_model(void)
{
    static const char *const archs[] = { "llama", "qwen2", "qwen3", "gemma3" };
    static const uint32_t types[] = { QUANT_F32, QUANT_F16, QUANT_BF16, QUANT_Q8_0, QUANT_Q4_0 };
    struct tiny t = tiny_default(archs[any(4)]);

    t.n_embd = t.n_ff = 32;
    t.d_head = 8 * (uint32_t)(1 + any(3));
    t.n_heads = t.n_kv = (uint32_t)(1 + any(4));
    t.n_layers = (uint32_t)(1 + any(3));
    t.n_vocab = (uint32_t)(257 + any(20));
    t.n_ctx = (uint32_t)(16 + any(40));
    t.window = (uint32_t)(1 + any(20));
    t.period = (uint32_t)any(4);
    t.type = types[t.n_heads * t.d_head % 32 ? any(3) : any(5)];
    t.vector_type = types[any(3)];
    t.tall_vectors = any(2);
    t.biases = any(2);
    t.scales = any(2);
    t.tied = any(2);
    t.fused_qkv = any(2);
    t.vocabulary = any(2);
    t.rope_freqs = any(2);
    t.n_embed = any(4) ? 0 : t.n_vocab - 3 + (uint32_t)any(7);
    return t;
}

static void any_assignment(const char *arch, char *out, size_t size)
{
    static const char *const whole[] = { "context_length",
                                         "embedding_length",
                                         "block_count",
                                         "feed_forward_length",
                                         "attention.head_count",
                                         "attention.head_count_kv",
                                         "attention.key_length",
                                         "attention.value_length",
                                         "attention.sliding_window",
                                         "attention.sliding_window_pattern",
                                         "rope.dimension_count",
                                         "rope.dimension_count_swa",
                                         "rope.scaling.original_context_length",
                                         "expert_count" };
    static const char *const real[] = { "rope.freq_base",
                                        "rope.freq_base_swa",
                                        "rope.scaling.factor",
                                        "rope.scaling.attn_factor",
                                        "attention.layer_norm_rms_epsilon",
                                        "final_logit_softcapping" };
    static const char *const values[] = { "0", "1e-30", "-1", "0.5", "3", "1e38" };

    if (any(4) == 0) {
        snprintf(out, size, "%s.%s=f32:%s", arch, real[any(sizeof real / sizeof *real)],
                 values[any(sizeof values / sizeof *values)]);
        return;
    }
    uint64_t power = UINT64_C(1) << any(64);
    uint64_t value = any(2) ? any(70) : any(2) ? power - any(2) : any(UINT64_MAX);
    snprintf(out, size, "%s.%s=u64:%" PRIu64, arch, whole[any(sizeof whole / sizeof *whole)],
             value);
}

/* Somewhere in header and first tensors. */
static void change_bytes(const char *path)
{
    FILE *file = fopen(path, "r+b");
    if (!CHECK(file && fseek(file, 0, SEEK_END) == 0))
        return;
    uint64_t size = (uint64_t)ftell(file);
    for (uint64_t n = 1 + any(3); n > 0; n--) {
        fseek(file, (long)any(size < 6000 ? size : 6000), SEEK_SET);
        fputc((int)any(256), file);
    }
    fclose(file);
}

/* Three turns, each with going back; false when there was no session. */
static bool talk(struct ember_model *model)
{
    struct ember_fit_params params = {
        .n_ctx = (uint32_t)any(65),
        .n_batch = (uint32_t)any(20),
        .n_threads = (uint32_t)(1 + any(2)),
        .n_logits = (uint32_t)any(4),
        .kv_type = any(2) ? EMBER_KV_F16 : EMBER_KV_F32,
    };
    const uint32_t n_vocab = ember_model_n_vocab(model);
    struct ember_session *session = NULL;
    struct ember_sampler *sampler = NULL;
    struct ember_error err = { 0 };
    int32_t ids[40];

    bool fine =
        ember_session_new(&session, model, &params, &err) == EMBER_OK &&
        ember_sampler_new(&sampler, NULL, ember_model_tokenizer(model), n_vocab, &err) == EMBER_OK;
    CHECK_MSG(fine || err.message[0], "a session is refused without a word");
    for (int turn = 0; fine && turn < 3; turn++) {
        size_t n = 1 + any(40);
        tiny_ids(ids, n, n_vocab, any(1000));
        struct ember_generate_params p = {
            .prompt = ids, .n_prompt = n, .sampler = sampler, .max_tokens = 30, .ignore_end = true
        };
        struct ember_generate_result result;
        enum ember_status st = ember_session_generate(session, &p, &result, &err);
        CHECK_MSG(st == EMBER_OK ? result.n_generated > 0 : st == EMBER_CONTEXT_FULL, "%s: %s",
                  ember_status_name(st), err.message);
        ember_session_keep(session, any(40));
        st = ember_session_read(session, ids, n, any(5), NULL, NULL, &err);
        CHECK_MSG(st == EMBER_OK || st == EMBER_CONTEXT_FULL, "%s: %s", ember_status_name(st),
                  err.message);
    }
    ember_sampler_free(sampler);
    ember_session_free(session);
    return fine;
}

int main(void)
{
    unsigned n_run = 0, n_refused = 0;

    for (int i = 0; i < N_MODELS; i++) {
        struct tiny t = any_model();
        char path[4096], text[MAX_CHANGES][160];
        const char *changes[MAX_CHANGES];
        struct ember_model_params params = { .overrides = changes, .preload = any(2) };
        struct ember_model *model = NULL;
        struct ember_error err = { 0 };

        if (!CHECK(tiny_write(&t, path, sizeof path)))
            break;
        if (any(3) == 0)
            change_bytes(path);
        params.n_overrides = (size_t)any(MAX_CHANGES + 1);
        for (size_t k = 0; k < params.n_overrides; k++) {
            any_assignment(t.arch, text[k], sizeof text[k]);
            changes[k] = text[k];
        }
        enum ember_status st = ember_model_open(&model, path, &params, &err);
        if (st == EMBER_OK)
            n_run += talk(model);
        else
            n_refused += CHECK_MSG(!model && err.status == st && err.message[0],
                                   "model %d: %s without a word", i, ember_status_name(st));
        ember_model_unref(model);
        tiny_remove(path);
    }
    CHECK_MSG(n_run >= N_MODELS / 10 && n_refused >= N_MODELS / 10, "%u run, %u refused", n_run,
              n_refused);
    return test_end();
}
