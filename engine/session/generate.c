/* SPDX-License-Identifier: GPL-3.0-or-later */
/* generate.c - one answer: the prompt is read, then token after token is chosen. */
#include <math.h>
#include <string.h>
#include <time.h>

#include "base/fail.h"
#include "sample/sample.h"
#include "session/session.h"

static double now_s(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

struct generation {
    struct ember_session *s;
    const struct ember_generate_params *p;
    struct ember_generate_result *out;
    struct ember_error *err;
    const struct ember_tokenizer *tokenizer; /* NULL: no text */
    struct ember_stream *stream;
    struct ember_stop *stop;
    double started, first_token;
};

/* Shared beginning of timeline and prompt. Of a prompt that is there whole, the last token is read
 * again unless the row of logits behind it was kept. */
static size_t reusable(const struct ember_session *s, const int32_t *prompt, size_t n)
{
    size_t common = 0;
    while (common < n && common < s->n_tokens && prompt[common] == s->tokens[common])
        common++;
    return common == n && s->row_position != n ? n - 1 : common;
}

static bool report_progress(const struct generation *g)
{
    const struct ember_generate_events *e = &g->p->events;
    return !e->progress || e->progress(g->s->n_tokens, g->p->n_prompt, e->user_data);
}

static enum ember_status prefill(struct generation *g)
{
    struct ember_session *s = g->s;
    const struct ember_generate_params *p = g->p;
    enum ember_status st;

    ember_session_keep(s, reusable(s, p->prompt, p->n_prompt));
    g->out->n_reused = s->n_tokens;
    if (!report_progress(g))
        return EMBER_CANCELLED;
    uint32_t batch = 0;
    while (s->n_tokens < p->n_prompt) {
        size_t left = p->n_prompt - s->n_tokens;
        batch = left < s->plan.fit.n_batch ? (uint32_t)left : s->plan.fit.n_batch;
        if ((st = session_run(s, p->prompt + s->n_tokens, batch, g->err)) != EMBER_OK)
            return st;
        if (!report_progress(g))
            return EMBER_CANCELLED;
    }
    if (batch) {
        const float *logits;
        if ((st = session_logits(s, batch - 1, 1, &logits, g->err)) != EMBER_OK)
            return st;
        memcpy(s->row, logits, ember_model_n_vocab(s->model) * sizeof *s->row);
        s->row_position = p->n_prompt;
        session_checkpoint_save(s);
    }
    return EMBER_OK;
}

/* Hands out text; false when the receiver wants to stop. */
static bool deliver(const struct generation *g, int32_t id, struct ember_text text)
{
    const struct ember_generate_events *e = &g->p->events;
    return !e->token || e->token(id, text, e->user_data);
}

/* The text that became certain with this token; *stopped when a stop string was met. */
static struct ember_text text_of(const struct generation *g, int32_t id, bool *stopped)
{
    struct ember_text text = { NULL, 0 };
    *stopped = false;
    if (g->stream)
        text = ember_stream_push(g->stream, id);
    if (g->stop)
        text = ember_stop_push(g->stop, text, stopped);
    return text;
}

/* What was held back comes out at the end, under the id −1. */
static void flush(const struct generation *g)
{
    struct ember_text text = { NULL, 0 };
    bool stopped = false;

    if (g->stream)
        text = ember_stream_flush(g->stream);
    if (g->stop) {
        text = ember_stop_push(g->stop, text, &stopped);
        if (text.size)
            deliver(g, -1, text);
        if (stopped) {
            g->out->stop = EMBER_STOP_STRING;
            return;
        }
        text = ember_stop_flush(g->stop);
    }
    if (text.size)
        deliver(g, -1, text);
}

static enum ember_status decode(struct generation *g)
{
    struct ember_session *s = g->s;
    const struct ember_generate_params *p = g->p;
    const float *logits = s->row;
    enum ember_status st;

    for (;;) {
        bool stopped;
        int32_t id = ember_sampler_sample(p->sampler, logits);
        if (!isfinite(logits[id]))
            return ember_fail(g->err, EMBER_FORMAT,
                              "%s: the model computes values that are not numbers; its weights "
                              "are damaged.",
                              ember_gguf_path(s->model->gguf));
        ember_sampler_accept(p->sampler, id);
        g->out->n_generated++;
        g->out->decode_s = now_s() - g->started;
        if (g->out->n_generated == 1)
            g->first_token = g->out->first_token_s = g->out->decode_s;

        bool end = g->tokenizer && !p->ignore_end && ember_tokenizer_is_end(g->tokenizer, id);
        struct ember_text text = { NULL, 0 };
        stopped = false;
        if (!end)
            text = text_of(g, id, &stopped);
        if (!deliver(g, id, text))
            return EMBER_CANCELLED;
        g->out->stop = end                                                     ? EMBER_STOP_END
                       : stopped                                               ? EMBER_STOP_STRING
                       : p->max_tokens && g->out->n_generated >= p->max_tokens ? EMBER_STOP_LENGTH
                                                                               : EMBER_STOP_CONTEXT;
        if (g->out->stop != EMBER_STOP_CONTEXT || s->n_tokens >= s->plan.fit.n_ctx)
            return EMBER_OK;
        if ((st = session_run(s, &id, 1, g->err)) != EMBER_OK ||
            (st = session_logits(s, 0, 1, &logits, g->err)) != EMBER_OK)
            return st;
    }
}

static enum ember_status check(const struct generation *g)
{
    const struct ember_generate_params *p = g->p;
    uint32_t n_ctx = g->s->plan.fit.n_ctx, n_vocab = ember_model_n_vocab(g->s->model);

    if (!p->n_prompt || !p->sampler)
        return ember_fail(g->err, EMBER_INVALID,
                          "A prompt of at least one token and a sampler are needed.");
    if (sample_n_tokens(p->sampler) > n_vocab)
        return ember_fail(g->err, EMBER_INVALID,
                          "The sampler chooses among %zu tokens; this model has logits for %u.",
                          sample_n_tokens(p->sampler), n_vocab);
    if (p->n_prompt > n_ctx)
        return ember_fail(g->err, EMBER_CONTEXT_FULL,
                          "The prompt has %zu tokens; the context holds %u.", p->n_prompt, n_ctx);
    for (size_t i = 0; i < p->n_prompt; i++)
        if (p->prompt[i] < 0 || (uint32_t)p->prompt[i] >= n_vocab)
            return ember_fail(g->err, EMBER_INVALID,
                              "Token %zu of the prompt has the id %d; this model knows ids 0 to "
                              "%u.",
                              i, p->prompt[i], n_vocab - 1);
    return EMBER_OK;
}

static enum ember_status prepare(struct generation *g)
{
    const struct ember_generate_params *p = g->p;
    enum ember_status st = check(g);

    g->out->n_prompt = p->n_prompt;
    if (st != EMBER_OK)
        return st;
    if (g->tokenizer)
        st = ember_stream_new(&g->stream, g->tokenizer, false, g->err);
    if (st == EMBER_OK && g->tokenizer && p->n_stop)
        st = ember_stop_new(&g->stop, p->stop, p->n_stop, g->err);
    if (st != EMBER_OK)
        return st;
    ember_sampler_reset(p->sampler);
    for (size_t i = 0; i < p->n_prompt; i++)
        ember_sampler_accept(p->sampler, p->prompt[i]);
    return EMBER_OK;
}

enum ember_status ember_session_generate(struct ember_session *s,
                                         const struct ember_generate_params *params,
                                         struct ember_generate_result *out, struct ember_error *err)
{
    struct generation g = {
        .s = s,
        .p = params,
        .out = out,
        .err = err,
        .tokenizer = s->model->tokenizer,
    };

    *out = (struct ember_generate_result){ .stop = EMBER_STOP_CANCEL };
    atomic_store_explicit(&s->cancel, false, memory_order_relaxed);
    enum ember_status st = prepare(&g);
    if (st == EMBER_OK) {
        g.started = now_s();
        s->phase = EMBER_PHASE_PREFILL;
        st = prefill(&g);
        out->prefill_s = now_s() - g.started;
        if (st == EMBER_OK) {
            s->phase = EMBER_PHASE_DECODE;
            st = decode(&g);
            out->decode_s -= g.first_token;
            if (st == EMBER_OK || st == EMBER_CANCELLED)
                flush(&g);
        }
    }
    s->phase = EMBER_PHASE_IDLE;
    ember_stop_free(g.stop);
    ember_stream_free(g.stream);
    if (st != EMBER_CANCELLED)
        return st;
    out->stop = EMBER_STOP_CANCEL;
    return EMBER_OK;
}
