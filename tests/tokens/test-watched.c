/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Long texts: how far it is, cancelling, the same ids as without anybody watching; and scores. */
#include "vocab.h"

static const struct entry spm_tokens[] = {
    { "<unk>", UNKNOWN, 0 }, { "▁", 0, -2 },     { "a", 0, -3 }, { "b", 0, -4 },
    { "ab", 0, -1 },         { "▁a", 0, -1.5F }, { NULL, 0, 0 },
};
static const char *const merges[] = { "a b", NULL };
static const struct entry bpe_tokens[] = { { "ab", 0, 0 }, { NULL, 0, 0 } };
static const struct entry wpm_tokens[] = {
    { "[UNK]", UNKNOWN, 0 }, { "▁ab", 0, 0 }, { "▁a", 0, 0 }, { "b", 0, 0 }, { NULL, 0, 0 },
};
static const struct recipe recipes[] = {
    { .model = "llama", .bytes = true, .tokens = spm_tokens },
    { .model = "gpt2", .pre = "gpt-2", .bytes = true, .tokens = bpe_tokens, .merges = merges },
    { .model = "bert", .tokens = wpm_tokens },
    { .model = "t5", .tokens = spm_tokens },
    { .model = "rwkv", .tokens = wpm_tokens },
};

struct watch {
    unsigned n;
    double last;
    bool backwards, outside;
    unsigned stop_at; /* 0: never */
};

static bool watch_cb(double fraction, void *user_data)
{
    struct watch *w = user_data;
    w->n++;
    w->backwards |= fraction < w->last;
    w->outside |= fraction < 0 || fraction > 1;
    w->last = fraction;
    return w->n != w->stop_at;
}

static void check_recipe(const struct recipe *recipe)
{
    enum { N = 400 * 1000 };
    struct built b;
    struct ember_error err = { 0 };
    struct ember_tokens plain = { 0 }, watched = { 0 }, cancelled = { 0 };
    char *text = malloc(N);

    if (!text)
        abort();
    for (size_t i = 0; i < N; i++)
        text[i] = "ab a"[i % 4];
    if (build_fine(&b, recipe)) {
        struct ember_span span = { { text, N }, false };
        struct watch w = { 0 };
        struct ember_tokenize_params params = { .progress = watch_cb, .user_data = &w };
        CHECK(ember_tokenize(b.v.tokenizer, &span, 1, false, &plain, &err) == EMBER_OK);
        CHECK(ember_tokenize_watched(b.v.tokenizer, &span, 1, &params, &watched, &err) == EMBER_OK);
        ids_equal(watched.ids, watched.n, plain.ids, plain.n, recipe->model);
        CHECK_MSG(w.n >= 5 && !w.backwards && !w.outside, "%s: told %u times, last %f",
                  recipe->model, w.n, w.last);

        w = (struct watch){ .stop_at = 3 };
        enum ember_status st =
            ember_tokenize_watched(b.v.tokenizer, &span, 1, &params, &cancelled, &err);
        CHECK_MSG(st == EMBER_CANCELLED, "%s: %s", recipe->model, ember_status_name(st));
        CHECK_UINT(w.n, 3);
        CHECK_UINT(cancelled.n, 0);
    }
    built_finish(&b);
    ember_tokens_finish(&plain);
    ember_tokens_finish(&watched);
    ember_tokens_finish(&cancelled);
    free(text);
}

static void test_scores(void)
{
    struct built b;
    float score = 7;
    if (build_fine(&b, &recipes[0])) {
        CHECK(ember_tokenizer_score(b.v.tokenizer, 256 + 5, &score));
        CHECK_NEAR(score, -1.5, 0, "score");
        score = 7;
        CHECK(!ember_tokenizer_score(b.v.tokenizer, -1, &score));
        CHECK(!ember_tokenizer_score(b.v.tokenizer, 1 << 20, &score));
        CHECK_NEAR(score, 7, 0, "left alone");
    }
    built_finish(&b);
    /* Merges decide there, so that there are no scores to speak of. */
    if (build_fine(&b, &recipes[1]))
        CHECK(!ember_tokenizer_score(b.v.tokenizer, 0, &score));
    built_finish(&b);
}

int main(void)
{
    for (size_t i = 0; i < sizeof recipes / sizeof recipes[0]; i++)
        check_recipe(&recipes[i]);
    test_scores();
    return test_end();
}
