/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The public sampler: checks parameters, turns them into a chain, runs it. */
#include <ember/sampler.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"
#include "sample/sample.h"

/* Looking back on more is a mistake, not a wish. */
#define MAX_LAST_N (1 << 20)

struct ember_sampler {
    struct sample_chain chain;
    uint32_t seed;
};

static const char *const default_breakers[] = { "\n", ":", "\"", "*" };

struct limit {
    const char *name;
    float value, low, high;
};

static enum ember_status check_params(const struct ember_sampler_params *p, uint32_t n_vocab,
                                      struct ember_error *err)
{
    const struct limit limits[] = {
        { "temperature", p->temperature, -INFINITY, 1e6f },
        { "dynamic temperature range", p->dynatemp_range, 0, 1e6f },
        { "dynamic temperature exponent", p->dynatemp_exponent, 0, 1e6f },
        { "top-p", p->top_p, 0, 1 },
        { "min-p", p->min_p, 0, 1 },
        { "typical-p", p->typical_p, 0, 1 },
        { "top-n-sigma", p->top_n_sigma, -INFINITY, 1e6f },
        { "XTC probability", p->xtc_probability, 0, 1 },
        { "XTC threshold", p->xtc_threshold, 0, 1 },
        { "frequency penalty", p->penalty_frequency, -1e6f, 1e6f },
        { "presence penalty", p->penalty_presence, -1e6f, 1e6f },
        { "DRY multiplier", p->dry_multiplier, 0, 1e6f },
        { "DRY base", p->dry_base, 0, 1e6f },
        { "DRY allowed length", (float)p->dry_allowed_length, 0, INFINITY },
        { "repetition penalty's last tokens", (float)p->penalty_last_n, -INFINITY, MAX_LAST_N },
        { "DRY's last tokens", (float)p->dry_last_n, -INFINITY, MAX_LAST_N },
    };

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        const struct limit *l = &limits[i];
        if (l->value >= l->low && l->value <= l->high)
            continue;
        if (isfinite(l->low) && isfinite(l->high))
            return ember_fail(err, EMBER_INVALID, "sampler: %s is %g, expected %g to %g", l->name,
                              (double)l->value, (double)l->low, (double)l->high);
        return ember_fail(err, EMBER_INVALID, "sampler: %s is %g, expected at %s %g", l->name,
                          (double)l->value, isfinite(l->low) ? "least" : "most",
                          (double)(isfinite(l->low) ? l->low : l->high));
    }
    if (!(p->penalty_repeat > 0 && p->penalty_repeat <= 1e6f))
        return ember_fail(
            err, EMBER_INVALID,
            "sampler: repetition penalty is %g, expected more than 0 (1: off) and at most "
            "1e+06",
            (double)p->penalty_repeat);
    if (p->n_steps > EMBER_SAMPLE_STEP_COUNT)
        return ember_fail(err, EMBER_INVALID, "sampler: %zu steps, expected at most %d", p->n_steps,
                          EMBER_SAMPLE_STEP_COUNT);
    for (size_t i = 0; i < p->n_steps; i++) {
        if ((unsigned)p->steps[i] >= EMBER_SAMPLE_STEP_COUNT)
            return ember_fail(err, EMBER_INVALID, "sampler: step %zu is number %u, which is none",
                              i + 1, (unsigned)p->steps[i]);
    }
    for (size_t i = 0; i < p->n_biases; i++) {
        if (p->biases[i].id < 0 || (uint32_t)p->biases[i].id >= n_vocab)
            return ember_fail(err, EMBER_INVALID, "sampler: a bias for token %d, expected 0 to %u",
                              (int)p->biases[i].id, n_vocab - 1);
        if (isnan(p->biases[i].bias))
            return ember_fail(err, EMBER_INVALID, "sampler: the bias of token %d is not a number",
                              (int)p->biases[i].id);
    }
    return EMBER_OK;
}

/* Biases of the caller, then −infinity for what the file never wants to see. */
static enum ember_status add_biases(struct sample_chain *chain,
                                    const struct ember_sampler_params *params,
                                    const struct ember_tokenizer *tokenizer,
                                    struct ember_error *err)
{
    size_t n_suppressed = 0;
    const int32_t *suppressed =
        tokenizer ? ember_tokenizer_suppressed(tokenizer, &n_suppressed) : NULL;
    struct sample_step step = { .kind = SAMPLE_BIAS };

    if (params->n_biases > SIZE_MAX - n_suppressed)
        return ember_fail(err, EMBER_NO_MEMORY, "sampler: out of memory");
    step.bias.n = params->n_biases + n_suppressed;
    if (step.bias.n == 0)
        return EMBER_OK;
    step.bias.items = calloc(step.bias.n, sizeof *step.bias.items);
    if (!step.bias.items)
        return ember_fail(err, EMBER_NO_MEMORY, "sampler: out of memory");
    if (params->n_biases)
        memcpy(step.bias.items, params->biases, params->n_biases * sizeof *step.bias.items);
    for (size_t i = 0; i < n_suppressed; i++)
        step.bias.items[params->n_biases + i] =
            (struct ember_logit_bias){ suppressed[i], -INFINITY };
    return sample_chain_add(chain, &step, err);
}

static enum ember_status add_step(struct sample_chain *chain, enum ember_sampler_step which,
                                  const struct ember_sampler_params *p,
                                  const struct ember_tokenizer *tokenizer, struct ember_error *err)
{
    struct sample_step step = { 0 };
    enum ember_status status;

    switch (which) {
    case EMBER_SAMPLE_PENALTIES:
        step.kind = SAMPLE_PENALTIES;
        step.penalties = (struct sample_penalties){ p->penalty_last_n, p->penalty_repeat,
                                                    p->penalty_frequency, p->penalty_presence };
        break;
    case EMBER_SAMPLE_DRY:
        step.kind = SAMPLE_DRY;
        step.dry = (struct sample_dry){ .multiplier = p->dry_multiplier,
                                        .base = p->dry_base,
                                        .allowed_length = p->dry_allowed_length,
                                        .last_n = p->dry_last_n };
        /* the search through the vocabulary is paid for only when it is needed */
        if (tokenizer && p->dry_multiplier != 0) {
            bool own = p->dry_breakers != NULL;
            status = sample_breakers_from_text(
                &step.dry.breakers, tokenizer, own ? p->dry_breakers : default_breakers,
                own ? p->n_dry_breakers : sizeof default_breakers / sizeof *default_breakers, err);
            if (status != EMBER_OK)
                return status;
        }
        break;
    case EMBER_SAMPLE_TOP_N_SIGMA:
        step.kind = SAMPLE_TOP_N_SIGMA;
        step.n_sigma = p->top_n_sigma;
        break;
    case EMBER_SAMPLE_TOP_K:
        step.kind = SAMPLE_TOP_K;
        step.top_k = p->top_k;
        break;
    case EMBER_SAMPLE_TYPICAL:
        step.kind = SAMPLE_TYPICAL;
        step.cut = (struct sample_cut){ p->typical_p, p->min_keep };
        break;
    case EMBER_SAMPLE_TOP_P:
        step.kind = SAMPLE_TOP_P;
        step.cut = (struct sample_cut){ p->top_p, p->min_keep };
        break;
    case EMBER_SAMPLE_MIN_P:
        step.kind = SAMPLE_MIN_P;
        step.cut = (struct sample_cut){ p->min_p, p->min_keep };
        break;
    case EMBER_SAMPLE_XTC:
        step.kind = SAMPLE_XTC;
        step.xtc = (struct sample_xtc){ p->xtc_probability, p->xtc_threshold, p->min_keep };
        break;
    case EMBER_SAMPLE_TEMPERATURE:
    case EMBER_SAMPLE_STEP_COUNT: /* check_params() let only steps through */
        step.kind = SAMPLE_TEMPERATURE;
        step.temperature =
            (struct sample_temperature){ p->temperature, p->dynatemp_range, p->dynatemp_exponent };
        break;
    }
    return sample_chain_add(chain, &step, err);
}

enum ember_status ember_sampler_new(struct ember_sampler **out,
                                    const struct ember_sampler_params *params,
                                    const struct ember_tokenizer *tokenizer, uint32_t n_vocab,
                                    struct ember_error *err)
{
    struct ember_sampler_params defaults;
    struct ember_sampler *sampler = NULL;
    enum ember_status status;

    if (!params) {
        ember_sampler_defaults(&defaults, NULL);
        params = &defaults;
    }
    if (n_vocab == 0)
        return ember_fail(err, EMBER_INVALID, "sampler: a vocabulary of 0 tokens");
    if ((status = check_params(params, n_vocab, err)) != EMBER_OK)
        return status;
    sampler = calloc(1, sizeof *sampler);
    if (!sampler)
        return ember_fail(err, EMBER_NO_MEMORY, "sampler: out of memory");
    sampler->seed = params->seed;

    if ((status = add_biases(&sampler->chain, params, tokenizer, err)) != EMBER_OK)
        goto fail;
    for (size_t i = 0; i < params->n_steps; i++) {
        status = add_step(&sampler->chain, params->steps[i], params, tokenizer, err);
        if (status != EMBER_OK)
            goto fail;
    }
    /* rows of the output matrix beyond the vocabulary are padding */
    if (tokenizer && ember_tokenizer_n_tokens(tokenizer) < n_vocab)
        n_vocab = ember_tokenizer_n_tokens(tokenizer);
    status = sample_chain_prepare(&sampler->chain, n_vocab, SIZE_MAX, err);
    if (status != EMBER_OK)
        goto fail;
    ember_sampler_reset(sampler);
    *out = sampler;
    return EMBER_OK;
fail:
    ember_sampler_free(sampler);
    return status;
}

void ember_sampler_free(struct ember_sampler *sampler)
{
    if (!sampler)
        return;
    sample_chain_finish(&sampler->chain);
    free(sampler);
}

void ember_sampler_reset(struct ember_sampler *sampler)
{
    bool random = sampler->seed == EMBER_SEED_RANDOM;
    sample_chain_seed(&sampler->chain, random ? sample_random_seed() : sampler->seed);
}

void ember_sampler_accept(struct ember_sampler *sampler, int32_t id)
{
    sample_chain_accept(&sampler->chain, id);
}

int32_t ember_sampler_sample(struct ember_sampler *sampler, const float *logits)
{
    sample_chain_run(&sampler->chain, logits);
    return sample_draw(&sampler->chain.candidates, &sampler->chain.draw);
}

size_t ember_sampler_candidates(struct ember_sampler *sampler, const float *logits,
                                struct ember_candidate *out, size_t capacity)
{
    /* looking must not change what is drawn next */
    struct sample_rng before = sampler->chain.xtc;
    sample_chain_run(&sampler->chain, logits);
    sampler->chain.xtc = before;
    return sample_chain_survivors(&sampler->chain, out, capacity);
}

size_t sample_n_tokens(const struct ember_sampler *sampler)
{
    return sampler->chain.candidates.capacity;
}
