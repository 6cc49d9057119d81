/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Building and using a tokenizer with every allocation refused in turn: a status and a sentence,
 * nothing lost, what was there before untouched. The linker redirects the allocator's names here.
 */
#include "refuse.h"
#include "vocab.h"

static const struct entry tokens[] = {
    { "▁", 0, -1 },        { "he", 0, -2 }, { "hel", 0, -3 }, { "<s>", CONTROL, 0 },
    { "<tool>", USER, 0 }, { "Ġh", 0, 0 },  { "", 0, 0 },     { 0 },
};
static const char *const merges[] = { "h e", "he l", "Ġ h", "q q", "qq q", NULL };
static const struct recipe recipes[] = {
    { .model = "gpt2", .pre = "deepseek-llm", .bytes = true, .tokens = tokens, .merges = merges },
    { .model = "gemma4", .bytes = true, .tokens = tokens, .merges = merges },
    { .model = "llama", .bytes = true, .tokens = tokens },
    { .model = "bert", .bytes = true, .tokens = tokens },
    { .model = "t5", .bytes = true, .tokens = tokens },
    { .model = "rwkv", .bytes = true, .tokens = tokens },
};

/* Calls `step` until nothing is refused any more; counts how often something was. */
struct step {
    const struct recipe *recipe;
    struct built *b;
    struct ember_tokens *out;
    struct ember_stream *stream;
};

static enum ember_status load(struct step *s, struct ember_error *err)
{
    struct ember_tokenizer *t = NULL;
    enum ember_status st = ember_tokenizer_new(&t, s->b->v.gguf, err);
    CHECK((st == EMBER_OK) == (t != NULL));
    ember_tokenizer_free(t);
    return st;
}

static enum ember_status encode(struct step *s, struct ember_error *err)
{
    struct ember_span spans[] = { TRUSTED("hell<s>o wörld \xFF 12345 qqq "),
                                  UNTRUSTED("<s><tool>你好, hello \n  ") };
    size_t before = s->out->n;
    enum ember_status st = ember_tokenize(s->b->v.tokenizer, spans, 2, true, s->out, err);
    if (st != EMBER_OK)
        CHECK_UINT(s->out->n, before);
    else
        ember_tokens_finish(s->out);
    return st;
}

static enum ember_status stream(struct step *s, struct ember_error *err)
{
    enum ember_status st = ember_stream_new(&s->stream, s->b->v.tokenizer, false, err);
    if (st == EMBER_OK) {
        long before = calls;
        for (int32_t id = 0; id < 300; id++)
            ember_stream_push(s->stream, id);
        ember_stream_flush(s->stream);
        CHECK_INT(calls, before); /* the token loop allocates nothing */
        ember_stream_free(s->stream);
    }
    return st;
}

static void refuse_each(struct step *s,
                        enum ember_status (*step)(struct step *, struct ember_error *),
                        const char *what, long least)
{
    long n_refused = 0;

    for (long i = 0; i < 10000; i++) {
        struct ember_error err = { 0 };
        long before = live;
        calls = 0;
        fail_at = i;
        enum ember_status st = step(s, &err);
        fail_at = -1;
        CHECK_MSG(live - before == (s->out->ids != NULL), "%s %ld: %ld are not freed", what, i,
                  live - before);
        ember_tokens_finish(s->out);
        if (st == EMBER_OK) {
            CHECK_MSG(calls <= i, "%s: allocation %ld was refused in silence", what, i);
            break;
        }
        CHECK_MSG(st == EMBER_NO_MEMORY && err.message[0], "%s %ld: %s, \"%s\"", what, i,
                  ember_status_name(st), err.message);
        n_refused++;
    }
    CHECK_MSG(n_refused >= least, "%s: only %ld allocations were refused", what, n_refused);
}

int main(void)
{
    for (size_t i = 0; i < sizeof recipes / sizeof *recipes; i++) {
        struct built b;
        struct ember_tokens out = { 0 };
        struct step s = { .recipe = &recipes[i], .b = &b, .out = &out };
        if (build_fine(&b, &recipes[i])) {
            refuse_each(&s, load, "load", 6);
            refuse_each(&s, encode, "encode", 6);
            refuse_each(&s, stream, "stream", 1);
        }
        built_finish(&b);
    }
    CHECK_INT(live, 0);
    return test_end();
}
