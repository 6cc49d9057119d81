/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/sample.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"

static bool is_off(const struct sample_step *step)
{
    switch (step->kind) {
    case SAMPLE_BIAS:
        return step->bias.n == 0;
    case SAMPLE_PENALTIES:
        return step->penalties.last_n <= 0 ||
               (step->penalties.repeat == 1 && step->penalties.frequency == 0 &&
                step->penalties.presence == 0);
    case SAMPLE_DRY:
        return step->dry.multiplier == 0 || step->dry.base < 1 || step->dry.last_n <= 0;
    case SAMPLE_TOP_N_SIGMA:
        return step->n_sigma <= 0;
    case SAMPLE_TOP_K:
        return step->top_k <= 0;
    case SAMPLE_TYPICAL:
    case SAMPLE_TOP_P:
        return step->cut.p >= 1;
    case SAMPLE_MIN_P:
        return step->cut.p <= 0;
    case SAMPLE_XTC:
        return step->xtc.probability <= 0 || step->xtc.threshold > 0.5f;
    case SAMPLE_TEMPERATURE:
        return step->temperature.t == 1 && !(step->temperature.range > 0);
    }
    return true;
}

void sample_step_finish(struct sample_step *step)
{
    if (step->kind == SAMPLE_BIAS)
        free(step->bias.items);
    else if (step->kind == SAMPLE_DRY)
        sample_breakers_free(step->dry.breakers);
}

enum ember_status sample_chain_add(struct sample_chain *chain, const struct sample_step *step,
                                   struct ember_error *err)
{
    struct sample_step own = *step;
    if (is_off(&own)) {
        sample_step_finish(&own);
        return EMBER_OK;
    }
    if (chain->n_steps == SAMPLE_MAX_STEPS) {
        sample_step_finish(&own);
        return ember_fail(err, EMBER_INVALID, "sampler: more than %d steps", SAMPLE_MAX_STEPS);
    }
    if (own.kind == SAMPLE_DRY && own.dry.breakers)
        sample_breakers_sort(own.dry.breakers);
    chain->steps[chain->n_steps++] = own;
    return EMBER_OK;
}

/* Steps after which the best candidate is still the best. */
static bool keeps_best(enum sample_kind kind)
{
    return kind == SAMPLE_TOP_N_SIGMA || kind == SAMPLE_TOP_K || kind == SAMPLE_TOP_P ||
           kind == SAMPLE_MIN_P;
}

/* Whatever keeps the best one is needless right before a step that takes the best one alone. What
 * is left of the default chain at temperature 0 is one pass for the largest logit. */
static void drop_needless(struct sample_chain *chain)
{
    for (size_t i = 0; i < chain->n_steps; i++) {
        const struct sample_step *step = &chain->steps[i];
        if (step->kind != SAMPLE_TEMPERATURE || step->temperature.t > 0)
            continue;
        size_t first = i;
        while (first > 0 && keeps_best(chain->steps[first - 1].kind))
            first--;
        memmove(&chain->steps[first], step, (chain->n_steps - i) * sizeof *step);
        chain->n_steps -= i - first;
        i = first;
    }
}

enum ember_status sample_chain_prepare(struct sample_chain *chain, size_t n_tokens,
                                       size_t max_history, struct ember_error *err)
{
    size_t history = 0, dry = 0, bytes;

    drop_needless(chain);
    for (size_t i = 0; i < chain->n_steps; i++) {
        const struct sample_step *step = &chain->steps[i];
        size_t last_n = 0;
        if (step->kind == SAMPLE_PENALTIES)
            last_n = (size_t)step->penalties.last_n;
        else if (step->kind == SAMPLE_DRY)
            last_n = (size_t)step->dry.last_n;
        last_n = last_n < max_history ? last_n : max_history;
        history = last_n > history ? last_n : history;
        if (step->kind == SAMPLE_DRY)
            dry = last_n > dry ? last_n : dry;
    }
    if (!mul_size(history, sizeof *chain->history.ids, &bytes))
        return ember_fail(err, EMBER_NO_MEMORY, "sampler: out of memory");
    if (history && !(chain->history.ids = malloc(bytes)))
        return ember_fail(err, EMBER_NO_MEMORY, "sampler: out of memory to look back on %zu tokens",
                          history);
    chain->history.capacity = history;
    if (dry && !(chain->z = malloc(dry * sizeof *chain->z)))
        return ember_fail(err, EMBER_NO_MEMORY, "sampler: out of memory to look back on %zu tokens",
                          dry);
    return sample_candidates_init(&chain->candidates, n_tokens, err);
}

void sample_chain_finish(struct sample_chain *chain)
{
    for (size_t i = 0; i < chain->n_steps; i++)
        sample_step_finish(&chain->steps[i]);
    free(chain->history.ids);
    free(chain->z);
    sample_candidates_finish(&chain->candidates);
    *chain = (struct sample_chain){ 0 };
}

void sample_chain_seed(struct sample_chain *chain, uint32_t seed)
{
    chain->history.n = 0;
    chain->history.next = 0;
    /* Two generators, so that XTC's coin does not shift the draws; with different seeds, as the
     * same numbers in both would tie the draw to the coin. */
    sample_rng_seed(&chain->draw, seed);
    sample_rng_seed(&chain->xtc, seed ^ 0x9e3779b9u);
}

void sample_chain_accept(struct sample_chain *chain, int32_t id)
{
    struct sample_history *h = &chain->history;
    if (h->capacity == 0)
        return;
    h->ids[h->next] = id;
    h->next = h->next + 1 < h->capacity ? h->next + 1 : 0;
    h->n += h->n < h->capacity;
}

void sample_chain_run(struct sample_chain *chain, const float *logits)
{
    struct sample_candidates *c = &chain->candidates;

    sample_candidates_load(c, logits);
    for (size_t i = 0; i < chain->n_steps; i++) {
        const struct sample_step *step = &chain->steps[i];
        switch (step->kind) {
        case SAMPLE_BIAS:
            sample_apply_bias(c, &step->bias);
            break;
        case SAMPLE_PENALTIES:
            sample_apply_penalties(c, &step->penalties, &chain->history);
            break;
        case SAMPLE_DRY:
            sample_apply_dry(c, &step->dry, &chain->history, chain->z);
            break;
        case SAMPLE_TOP_N_SIGMA:
            sample_apply_top_n_sigma(c, step->n_sigma);
            break;
        case SAMPLE_TOP_K:
            sample_keep_best(c, (size_t)step->top_k);
            break;
        case SAMPLE_TYPICAL:
            sample_apply_typical(c, &step->cut);
            break;
        case SAMPLE_TOP_P:
            sample_apply_top_p(c, &step->cut);
            break;
        case SAMPLE_MIN_P:
            sample_apply_min_p(c, &step->cut);
            break;
        case SAMPLE_XTC:
            sample_apply_xtc(c, &step->xtc, &chain->xtc);
            break;
        case SAMPLE_TEMPERATURE:
            sample_apply_temperature(c, &step->temperature);
            break;
        }
        assert(c->n > 0);
    }
}

size_t sample_chain_survivors(struct sample_chain *chain, struct ember_candidate *out,
                              size_t capacity)
{
    struct sample_candidates *c = &chain->candidates;
    struct sample_softmax s = sample_softmax(c);
    size_t n = 0;

    for (size_t i = 0; i < c->n; i++)
        n += c->logit[i] != -INFINITY;
    capacity = n < capacity ? n : capacity;
    if (capacity == 0)
        return n;
    /* −infinity sorts last, so it is not among the best n */
    capacity = sample_best(c, c->logit, c->n, capacity, false);
    for (size_t i = 0; i < capacity; i++) {
        float logit = sample_key_score(c->keys[i]);
        out[i].id = (int32_t)(uint32_t)c->keys[i];
        out[i].p = (float)((double)expf(logit - s.max) / s.sum);
    }
    return n;
}
