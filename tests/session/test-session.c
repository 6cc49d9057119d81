/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-session.c - one timeline: the same bytes for any number of threads, going back, windows and
 * their checkpoint, cancelling in each phase, a full context, refused memory. */
#include <pthread.h>
#include <sys/resource.h>

#include <ember/ember.h>

#include "forward/tiny.h"
#include "quant/types.h"
#include "test.h"

struct fixture {
    char path[4096];
    struct tiny tiny;
    struct ember_model *model;
    struct ember_session *session;
    struct ember_sampler *sampler;
    struct ember_error err;
};

static bool open_session(struct fixture *f, const struct ember_fit_params *params)
{
    ember_session_free(f->session);
    f->session = NULL;
    return CHECK_MSG(ember_session_new(&f->session, f->model, params, &f->err) == EMBER_OK, "%s",
                     f->err.message);
}

static bool setup(struct fixture *f, const struct tiny *tiny, const struct ember_fit_params *params)
{
    struct ember_sampler_params greedy;

    *f = (struct fixture){ .tiny = *tiny };
    ember_sampler_defaults(&greedy, NULL);
    greedy.temperature = 0.0f;
    return CHECK(tiny_write(tiny, f->path, sizeof f->path)) &&
           CHECK_MSG(ember_model_open(&f->model, f->path, NULL, &f->err) == EMBER_OK, "%s",
                     f->err.message) &&
           CHECK(ember_sampler_new(&f->sampler, &greedy, ember_model_tokenizer(f->model),
                                   ember_model_n_vocab(f->model), &f->err) == EMBER_OK) &&
           open_session(f, params);
}

static void teardown(struct fixture *f)
{
    ember_session_free(f->session);
    ember_sampler_free(f->sampler);
    ember_model_unref(f->model);
    tiny_remove(f->path);
}

/* --- reading ------------------------------------------------------------------------------------
 */

struct rows {
    float *to;
    size_t n_vocab, n;
};

static bool keep_rows(size_t row, size_t n, const float *logits, void *user_data)
{
    struct rows *r = user_data;
    memcpy(r->to + r->n * r->n_vocab, logits, n * r->n_vocab * sizeof *logits);
    r->n += n;
    (void)row;
    return true;
}

/* Reads ids and returns the logits of the last `n_rows`. */
static bool read_ids(struct fixture *f, const int32_t *ids, size_t n, size_t n_rows, float *out)
{
    struct rows rows = { .to = out, .n_vocab = f->tiny.n_vocab };
    enum ember_status st =
        ember_session_read(f->session, ids, n, n_rows, keep_rows, &rows, &f->err);
    return CHECK_MSG(st == EMBER_OK && rows.n == n_rows, "read: %s", f->err.message);
}

static void test_threads(void)
{
    static const uint32_t types[] = { QUANT_F32, QUANT_F16, QUANT_Q4_1, QUANT_Q4_K, QUANT_Q8_0 };
    enum { N = 700, ROWS = 3 };
    int32_t ids[N];

    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct tiny t = tiny_default(i % 2 ? "gemma3" : "llama");
        t.n_ctx = 1024;
        t.window = 100;
        t.type = types[i];
        t.n_vocab = 300;
        t.n_embd = t.n_ff = 256;
        t.d_head = 64;
        t.n_layers = 2;
        float *first = malloc(ROWS * t.n_vocab * sizeof(float) * 2), *other = NULL;
        const uint32_t threads[] = { 1, 2, 3, 7 };
        struct fixture f;
        struct ember_fit_params p = { .n_ctx = 1024, .n_batch = 100, .n_threads = 1 };

        tiny_ids(ids, N, t.n_vocab, 5);
        if (setup(&f, &t, &p))
            for (size_t k = 0; k < 4; k++) {
                p.n_threads = threads[k];
                if (!open_session(&f, &p))
                    break;
                CHECK_UINT(ember_session_plan(f.session)->n_threads, threads[k]);
                float *to = k ? other : first;
                /* A long prompt, then single tokens beyond the first split of attention. */
                if (read_ids(&f, ids, N - ROWS, ROWS, to))
                    for (size_t r = 0; r < ROWS; r++)
                        read_ids(&f, ids + N - ROWS + r, 1, 1, to + (ROWS + r) * t.n_vocab);
                if (k)
                    CHECK_MSG(!memcmp(first, other, 2 * ROWS * t.n_vocab * sizeof *first),
                              "%s: %u threads give other bytes than one", quant_info(t.type)->name,
                              threads[k]);
                else
                    other = malloc(2 * ROWS * t.n_vocab * sizeof *other);
            }
        teardown(&f);
        free(first);
        free(other);
    }
}

static void test_limits(void)
{
    struct tiny t = tiny_default("llama");
    struct ember_fit_params p = { .n_ctx = 32, .n_batch = 8, .n_threads = 2 };
    struct fixture f;
    int32_t ids[64];
    float *a = malloc(t.n_vocab * sizeof *a), *b = malloc(t.n_vocab * sizeof *b);

    tiny_ids(ids, 64, t.n_vocab, 6);
    if (setup(&f, &t, &p)) {
        /* Too much at once reads nothing; what fits can still be read. */
        CHECK(ember_session_read(f.session, ids, 33, 0, NULL, NULL, &f.err) == EMBER_CONTEXT_FULL);
        CHECK_MSG(strstr(f.err.message, "33") && strstr(f.err.message, "32"), "\"%s\"",
                  f.err.message);
        size_t n = 99;
        ember_session_tokens(f.session, &n);
        CHECK_UINT(n, 0);
        read_ids(&f, ids, 32, 1, a);
        CHECK(ember_session_read(f.session, ids, 1, 0, NULL, NULL, &f.err) == EMBER_CONTEXT_FULL);

        /* Ids outside the vocabulary are refused before anything is read. */
        CHECK_UINT(ember_session_keep(f.session, 4), 4);
        ids[5] = (int32_t)t.n_vocab;
        CHECK(ember_session_read(f.session, ids + 4, 4, 0, NULL, NULL, &f.err) == EMBER_INVALID);
        ids[5] = -1;
        CHECK(ember_session_read(f.session, ids + 4, 4, 0, NULL, NULL, &f.err) == EMBER_INVALID);
        tiny_ids(ids, 64, t.n_vocab, 6);

        /* Going back and reading again, by the same batches, gives the same bytes. */
        read_ids(&f, ids + 4, 4, 1, b);
        read_ids(&f, ids + 8, 24, 1, b);
        CHECK(!memcmp(a, b, t.n_vocab * sizeof *a));
        const int32_t *have = ember_session_tokens(f.session, &n);
        CHECK_UINT(n, 32);
        CHECK(!memcmp(have, ids, sizeof *ids * 32));
    }
    teardown(&f);
    free(a);
    free(b);
}

/* --- generating ---------------------------------------------------------------------------------
 */

struct answer {
    int32_t ids[512];
    size_t n;
    char text[4096];
    struct fixture *f;
    size_t cancel_at_token; /* 1 … : cancels then; 0 never */
    bool cancel_in_prefill, refuse_progress, refuse_token;
    size_t n_progress, last_done;
};

static bool on_progress(size_t done, size_t total, void *user_data)
{
    struct answer *a = user_data;
    CHECK(done <= total && done >= a->last_done);
    a->last_done = done;
    a->n_progress++;
    if (a->cancel_in_prefill && done < total)
        ember_session_cancel(a->f->session);
    return !a->refuse_progress || done == 0;
}

static bool on_token(int32_t id, struct ember_text text, void *user_data)
{
    struct answer *a = user_data;
    if (id >= 0 && a->n < 512)
        a->ids[a->n++] = id;
    if (text.size) /* data may be NULL */
        strncat(a->text, text.data, text.size);
    if (a->cancel_at_token && a->n == a->cancel_at_token)
        ember_session_cancel(a->f->session);
    return !a->refuse_token;
}

static enum ember_status generate(struct fixture *f, const int32_t *prompt, size_t n, size_t most,
                                  struct answer *a, struct ember_generate_result *result)
{
    struct ember_generate_params p = {
        .prompt = prompt,
        .n_prompt = n,
        .sampler = f->sampler,
        .max_tokens = most,
        .events = { on_progress, on_token, a },
    };
    a->f = f;
    return ember_session_generate(f->session, &p, result, &f->err);
}

static void test_reuse(const char *arch)
{
    struct tiny t = tiny_default(arch);
    struct ember_fit_params p = { .n_ctx = 400, .n_batch = 16, .n_threads = 2 };
    struct ember_generate_result r;
    static struct answer a, b, c;
    struct fixture f;
    int32_t prompt[400];

    a = b = c = (struct answer){ 0 };
    tiny_ids(prompt, 60, t.n_vocab, 7);
    if (!setup(&f, &t, &p))
        goto out;
    CHECK(generate(&f, prompt, 60, 100, &a, &r) == EMBER_OK);
    CHECK_UINT(r.n_prompt, 60);
    CHECK_UINT(r.n_reused, 0);
    CHECK_UINT(r.n_generated, 100);
    CHECK_INT(r.stop, EMBER_STOP_LENGTH);
    CHECK(a.n_progress >= 5 && a.last_done == 60);

    /* Regenerating reads nothing again and says the same, however long the answer was. */
    CHECK(generate(&f, prompt, 60, 100, &b, &r) == EMBER_OK);
    CHECK_MSG(r.n_reused == 60, "%s: regenerating reused %zu of 60", arch, r.n_reused);
    CHECK(b.n == a.n && !memcmp(a.ids, b.ids, a.n * sizeof *a.ids));

    /* A second turn: prompt, answer and more. Only the new part is read. */
    memcpy(prompt + 60, a.ids, 100 * sizeof *a.ids);
    tiny_ids(prompt + 160, 20, t.n_vocab, 8);
    CHECK(generate(&f, prompt, 180, 50, &c, &r) == EMBER_OK);
    CHECK_MSG(r.n_reused >= 159, "%s: a second turn reused %zu of 160", arch, r.n_reused);

    /* The same from nothing: the same ids, so what was reused was right. */
    struct answer *d = calloc(1, sizeof *d);
    open_session(&f, &p);
    CHECK(generate(&f, prompt, 180, 50, d, &r) == EMBER_OK);
    CHECK_MSG(d->n == c.n && !memcmp(d->ids, c.ids, c.n * sizeof *c.ids),
              "%s: a fresh session answers otherwise", arch);

    /* Another beginning after one shared token. */
    size_t n_before = d->n;
    memset(d, 0, sizeof *d);
    prompt[1] = (prompt[1] + 1) % (int32_t)t.n_vocab;
    CHECK(generate(&f, prompt, 180, 50, d, &r) == EMBER_OK);
    CHECK(r.n_reused <= 1);
    CHECK_UINT(d->n, n_before);
    free(d);
out:
    teardown(&f);
}

/* Going back to every length after a long timeline: the logits must be those of a fresh session. */
static void test_windows_back(void)
{
    enum { N = 110 };
    struct tiny t = tiny_default("gemma3");
    struct ember_fit_params p = {
        .n_ctx = 200, .n_batch = 16, .n_threads = 2, .kv_type = EMBER_KV_F32
    };
    struct fixture f;
    int32_t ids[N];
    float *a = malloc(t.n_vocab * sizeof *a), *fresh = malloc(N * t.n_vocab * sizeof *fresh);
    size_t n_full = 0, n_none = 0;

    tiny_ids(ids, N, t.n_vocab, 9);
    if (setup(&f, &t, &p) && read_ids(&f, ids, N, N, fresh))
        for (size_t keep = N - 1; keep > 0; keep--) {
            ember_session_keep(f.session, 0);
            if (!read_ids(&f, ids, N, 0, a))
                break;
            size_t kept = ember_session_keep(f.session, keep);
            n_full += kept == keep;
            n_none += kept == 0;
            CHECK(kept <= keep);
            if (!read_ids(&f, ids + kept, keep + 1 - kept, 1, a))
                break;
            double e = tiny_distance(a, fresh + keep * t.n_vocab, t.n_vocab);
            CHECK_MSG(e <= 1e-9, "back to %zu kept %zu: error %.1e", keep, kept, e);
        }
    /* Near the end windows still reach back; far from it they cannot. */
    CHECK_MSG(n_full >= 16 && n_none > 0, "%zu kept whole, %zu not at all", n_full, n_none);
    teardown(&f);
    free(a);
    free(fresh);
}

static void test_cancel(void)
{
    struct tiny t = tiny_default("gemma3");
    struct ember_fit_params p = { .n_ctx = 200, .n_batch = 8, .n_threads = 2 };
    struct ember_generate_result r;
    struct fixture f;
    int32_t prompt[64];
    struct answer *right = calloc(1, sizeof *right), *a = calloc(1, sizeof *a);

    tiny_ids(prompt, 64, t.n_vocab, 10);
    if (!setup(&f, &t, &p) || !CHECK(generate(&f, prompt, 64, 40, right, &r) == EMBER_OK))
        goto out;
    for (int phase = 0; phase < 4; phase++) {
        memset(a, 0, sizeof *a);
        ember_session_keep(f.session, 0);
        a->cancel_in_prefill = phase == 0;
        a->cancel_at_token = phase == 1 ? 5 : 0;
        a->refuse_progress = phase == 2;
        a->refuse_token = phase == 3;
        CHECK(generate(&f, prompt, 64, 40, a, &r) == EMBER_OK);
        CHECK_INT(r.stop, EMBER_STOP_CANCEL);
        size_t n = 0;
        const int32_t *have = ember_session_tokens(f.session, &n);
        CHECK_MSG(phase % 2 ? n >= 64 : n < 64, "phase %d leaves %zu tokens", phase, n);
        CHECK(!memcmp(have, prompt, (n < 64 ? n : 64) * sizeof *have));
        CHECK_UINT(a->n, phase == 1 ? 5 : phase == 3 ? 1 : 0);

        /* The session goes on and the answer is the one it would have given. */
        memset(a, 0, sizeof *a);
        CHECK(generate(&f, prompt, 64, 40, a, &r) == EMBER_OK);
        CHECK_MSG(a->n == right->n && !memcmp(a->ids, right->ids, a->n * sizeof *a->ids),
                  "after a cancel in phase %d the answer differs", phase);
    }
out:
    teardown(&f);
    free(right);
    free(a);
}

static void *cancel_often(void *data)
{
    struct fixture *f = data;
    for (int i = 0; i < 2000; i++) {
        ember_session_cancel(f->session);
        sched_yield();
    }
    return NULL;
}

/* Cancels from another thread at any moment: nothing breaks, the next answer is right. */
static void test_cancel_threads(void)
{
    struct tiny t = tiny_default("llama");
    struct ember_fit_params p = { .n_ctx = 200, .n_batch = 8, .n_threads = 3 };
    struct ember_generate_result r;
    struct fixture f;
    int32_t prompt[64];
    struct answer *right = calloc(1, sizeof *right), *a = calloc(1, sizeof *a);
    pthread_t thread;

    tiny_ids(prompt, 64, t.n_vocab, 11);
    if (setup(&f, &t, &p) && CHECK(generate(&f, prompt, 64, 40, right, &r) == EMBER_OK) &&
        CHECK(pthread_create(&thread, NULL, cancel_often, &f) == 0)) {
        for (int i = 0; i < 20; i++) {
            memset(a, 0, sizeof *a);
            ember_session_keep(f.session, (size_t)i);
            CHECK(generate(&f, prompt, 64, 40, a, &r) == EMBER_OK);
            CHECK(r.stop == EMBER_STOP_CANCEL || r.stop == EMBER_STOP_LENGTH);
        }
        pthread_join(thread, NULL);
        memset(a, 0, sizeof *a);
        CHECK(generate(&f, prompt, 64, 40, a, &r) == EMBER_OK);
        CHECK(a->n == right->n && !memcmp(a->ids, right->ids, a->n * sizeof *a->ids));
    }
    teardown(&f);
    free(right);
    free(a);
}

static void test_context_full(void)
{
    struct tiny t = tiny_default("llama");
    struct ember_fit_params p = { .n_ctx = 40, .n_batch = 16, .n_threads = 2 };
    struct ember_generate_result r;
    struct fixture f;
    int32_t prompt[64];
    struct answer *a = calloc(1, sizeof *a);

    tiny_ids(prompt, 64, t.n_vocab, 12);
    if (setup(&f, &t, &p)) {
        CHECK(generate(&f, prompt, 30, 0, a, &r) == EMBER_OK);
        CHECK_INT(r.stop, EMBER_STOP_CONTEXT);
        CHECK_UINT(r.n_generated, 11); /* ten fill the context, one more needs no room */
        CHECK(generate(&f, prompt, 41, 0, a, &r) == EMBER_CONTEXT_FULL);
        CHECK_MSG(strstr(f.err.message, "41") && strstr(f.err.message, "40"), "\"%s\"",
                  f.err.message);
        memset(a, 0, sizeof *a);
        CHECK(generate(&f, prompt, 40, 0, a, &r) == EMBER_OK);
        CHECK_UINT(r.n_generated, 1);
        CHECK(generate(&f, prompt, 0, 0, a, &r) == EMBER_INVALID);
        prompt[3] = 1 << 20;
        CHECK(generate(&f, prompt, 10, 0, a, &r) == EMBER_INVALID);
    }
    teardown(&f);
    free(a);
}

/* Refused memory is a status with a sentence, and a smaller session works afterwards. */
static void test_refused_memory(void)
{
    struct tiny t = tiny_default("llama");
    struct ember_fit_params p = { .n_ctx = 64, .n_batch = 16, .n_threads = 1 };
    struct fixture f;
    int32_t prompt[8];
    struct answer *a = calloc(1, sizeof *a);
    struct ember_generate_result r;

    t.n_kv = t.n_heads;
    t.d_head = 64;
    tiny_ids(prompt, 8, t.n_vocab, 13);
    if (setup(&f, &t, &p)) {
        struct ember_session *none = (void *)&f;
        /* 1.5 TiB of cache, more than a machine has. */
        struct ember_fit_params huge = {
            .n_ctx = 1u << 28, .n_batch = 16, .n_threads = 1, .kv_type = EMBER_KV_F32
        };
        CHECK(ember_session_new(&none, f.model, &huge, &f.err) == EMBER_NO_MEMORY);
        CHECK_MSG(strstr(f.err.message, "268435456"), "\"%s\"", f.err.message);
        CHECK(none == (void *)&f); /* untouched */
        CHECK(generate(&f, prompt, 8, 4, a, &r) == EMBER_OK);
        CHECK_UINT(a->n, 4);

        struct ember_fit_params silly = { .n_threads = 100000 };
        CHECK(ember_session_new(&none, f.model, &silly, &f.err) == EMBER_INVALID);
        silly = (struct ember_fit_params){ .n_batch = 1u << 30 };
        CHECK(ember_session_new(&none, f.model, &silly, &f.err) == EMBER_INVALID);
    }
    teardown(&f);
    free(a);
}

static void test_text(void)
{
    struct tiny t = tiny_default("llama");
    struct ember_fit_params p = { .n_ctx = 128, .n_threads = 2 };
    struct ember_generate_result r;
    struct fixture f;
    struct answer *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b);
    int32_t prompt[] = { 72, 105 };

    t.vocabulary = true;
    t.n_vocab = 300;
    if (setup(&f, &t, &p)) {
        struct ember_generate_params g = {
            .prompt = prompt,
            .n_prompt = 2,
            .sampler = f.sampler,
            .max_tokens = 60,
            .ignore_end = true,
            .events = { on_progress, on_token, a },
        };
        a->f = b->f = &f;
        CHECK(ember_session_generate(f.session, &g, &r, &f.err) == EMBER_OK);
        CHECK_UINT(a->n, 60);
        /* Stop at a piece of the answer: the text ends before it. */
        size_t size = strlen(a->text);
        if (CHECK(size >= 24)) {
            char stop[9];
            memcpy(stop, a->text + size / 2, 8);
            stop[8] = '\0';
            const char *list[] = { stop };
            g.stop = list;
            g.n_stop = 1;
            g.events.user_data = b;
            CHECK(ember_session_generate(f.session, &g, &r, &f.err) == EMBER_OK);
            const char *at = strstr(a->text, stop);
            CHECK_INT(r.stop, EMBER_STOP_STRING);
            CHECK_MSG(at && strlen(b->text) == (size_t)(at - a->text) &&
                          !memcmp(b->text, a->text, strlen(b->text)),
                      "stopped text \"%s\" of \"%s\"", b->text, a->text);
        }
    }
    teardown(&f);
    free(a);
    free(b);
}

/* Its choices would be read from the embedding, and its logits from behind the row. */
static void test_sampler_too_wide(void)
{
    struct tiny t = tiny_default("llama");
    struct ember_fit_params p = { .n_ctx = 64, .n_batch = 8, .n_threads = 1 };
    struct ember_generate_result r;
    struct fixture f;
    struct answer *a = calloc(1, sizeof *a);
    const int32_t prompt[] = { 1, 2, 3 };

    if (setup(&f, &t, &p)) {
        ember_sampler_free(f.sampler);
        f.sampler = NULL;
        CHECK(ember_sampler_new(&f.sampler, NULL, NULL, t.n_vocab + 1, &f.err) == EMBER_OK);
        CHECK_INT(generate(&f, prompt, 3, 4, a, &r), EMBER_INVALID);
        CHECK_MSG(strstr(f.err.message, "131") && strstr(f.err.message, "130"), "\"%s\"",
                  f.err.message);
        CHECK_UINT(a->n, 0);
    }
    teardown(&f);
    free(a);
}

/* Damaged weights end in a sentence, not in the first token for ever. */
static void test_not_numbers(void)
{
    struct tiny t = tiny_default("llama");
    struct ember_fit_params p = { .n_ctx = 64, .n_threads = 2 };
    struct ember_generate_result r;
    struct fixture f;
    struct answer *a = calloc(1, sizeof *a);
    int32_t prompt[] = { 1, 2, 3 };

    if (setup(&f, &t, &p)) {
        CHECK(generate(&f, prompt, 3, 4, a, &r) == EMBER_OK);
        const struct ember_gguf_tensor *embedding =
            ember_gguf_find_tensor(ember_model_gguf(f.model), "token_embd.weight");
        FILE *file = fopen(f.path, "r+b");
        if (CHECK(file && embedding && !fseek(file, (long)embedding->file_offset, SEEK_SET))) {
            for (uint64_t i = 0; i < embedding->n_elements; i++)
                fwrite(&(float){ NAN }, sizeof(float), 1, file);
            fclose(file);
            ember_session_keep(f.session, 0);
            memset(a, 0, sizeof *a);
            CHECK(generate(&f, prompt, 3, 4, a, &r) == EMBER_FORMAT);
            CHECK_MSG(strstr(f.err.message, "not numbers"), "\"%s\"", f.err.message);
        }
    }
    teardown(&f);
    free(a);
}

/* Counted by hand for a model with a window in one of two layers. */
static void test_work(void)
{
    struct tiny t = tiny_default("gemma3");
    struct fixture f;
    struct ember_fit_params p = { .n_ctx = 64, .n_batch = 4 };
    struct ember_work w;

    t.type = QUANT_F16;
    t.n_layers = 2;
    t.period = 2; /* the first layer has the window, the second sees all */
    t.window = 5;
    t.n_ctx = 64;
    if (setup(&f, &t, &p)) {
        const uint64_t heads = (uint64_t)t.n_heads * t.d_head, kv = (uint64_t)t.n_kv * t.d_head;
        const uint64_t layer = t.n_embd * (2 * heads + 2 * kv + 3 * (uint64_t)t.n_ff);
        const uint64_t head = (uint64_t)t.n_embd * t.n_vocab;

        /* One token behind twenty: it sees 5 and 21. */
        ember_session_work(f.session, 20, 1, 1, &w);
        CHECK_UINT(w.weight_bytes, 2 * (2 * layer + head));
        CHECK_UINT(w.kv_bytes, (5 + 21) * 2 * kv * 2);
        CHECK_UINT(w.multiply_adds, 2 * layer + head + (5 + 21) * 2 * heads);

        /* Ten from the start, in steps of 4, 4 and 2, the logits of the last three: two calls.
         * What a step may see: 4, 8 and 10 positions, within the window 4, 8 and 6. */
        ember_session_work(f.session, 0, 10, 3, &w);
        CHECK_UINT(w.weight_bytes, 2 * (3 * 2 * layer + 2 * head));
        CHECK_UINT(w.kv_bytes, (4 + 8 + 10 + 4 + 8 + 6) * 2 * kv * 2);
        CHECK_UINT(w.multiply_adds,
                   10 * 2 * layer + 3 * head + (55 + 1 + 2 + 3 + 4 + 6 * 5) * 2 * heads);
        ember_session_work(f.session, 0, 10, 0, &w);
        CHECK_UINT(w.weight_bytes, 2 * 3 * 2 * layer);
        ember_session_work(f.session, 7, 0, 0, &w);
        CHECK_UINT(w.weight_bytes + w.kv_bytes + w.multiply_adds, 0);
    }
    teardown(&f);
}

int main(void)
{
    /* As many threads as a test asks for, on any machine. */
    setenv("EMBER_CORES", "8", 1);
    test_threads();
    test_limits();
    test_work();
    test_reuse("llama");
    test_reuse("qwen3");
    test_reuse("gemma3");
    test_windows_back();
    test_cancel();
    test_cancel_threads();
    test_context_full();
    test_sampler_too_wide();
    test_refused_memory();
    test_text();
    test_not_numbers();
    return test_end();
}
