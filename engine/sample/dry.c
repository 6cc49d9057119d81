/* SPDX-License-Identifier: GPL-3.0-or-later */
/* DRY ("don't repeat yourself"): a token that would continue a repetition of what came before is
 * penalised, more so the longer the repetition already is. */
#include "sample/sample.h"

#include <float.h>
#include <math.h>

/* z[i] = length of the longest common beginning of r and r[i..), where r is the last n tokens, most
 * recent first; i ≥ 1. O(n): what lies inside the rightmost match found so far is copied. */
static void z_function(const struct sample_history *h, size_t n, uint32_t *z)
{
    size_t left = 0, right = 0; /* r[left..right) equals r[0..right − left) */
    z[0] = (uint32_t)n;
    for (size_t i = 1; i < n; i++) {
        size_t k = 0;
        if (i < right) {
            k = z[i - left];
            k = k < right - i ? k : right - i;
        }
        while (i + k < n && sample_history_at(h, k) == sample_history_at(h, i + k))
            k++;
        z[i] = (uint32_t)k;
        if (i + k > right) {
            left = i;
            right = i + k;
        }
    }
}

/* Tokens after the most recent breaker: repetitions are not followed beyond it. */
static size_t unbroken(const struct sample_dry *step, const struct sample_history *h, size_t n)
{
    if (!step->breakers)
        return n;
    for (size_t i = 0; i < n; i++) {
        int tail = sample_breakers_tail(step->breakers, h, i);
        if (tail >= 0)
            return i - (size_t)tail;
    }
    return n;
}

static float penalised(float logit, const struct sample_dry *step, double max_exponent,
                       uint32_t length)
{
    if (logit == -INFINITY)
        return logit;
    double exponent = (double)length - (double)step->allowed_length;
    exponent = exponent < max_exponent ? exponent : max_exponent;
    return sample_finite((double)logit -
                         (double)step->multiplier * pow((double)step->base, exponent));
}

/* x_1 … x_n: the last n = min(last_n, seen) tokens. For each p < n, m = the longest common suffix
 * of x_1 … x_p and x_1 … x_n, at most the tokens since a breaker; if m ≥ allowed_length, x_(p+1)
 * gets logit −= multiplier × base^(max m − allowed_length) unless it is a breaker by itself. */
void sample_apply_dry(struct sample_candidates *c, const struct sample_dry *step,
                      const struct sample_history *h, uint32_t *z)
{
    size_t n = h->n < (size_t)step->last_n ? h->n : (size_t)step->last_n;
    size_t allowed = (size_t)step->allowed_length;
    if (n <= allowed)
        return;
    size_t limit = unbroken(step, h, n);
    if (limit < allowed)
        return;

    /* base^exponent must stay a float */
    double max_exponent =
        step->base > 1 ? floor(log((double)FLT_MAX) / log((double)step->base)) : (double)FLT_MAX;
    z_function(h, n, z);
    /* the token that followed, i tokens ago, is the one before it in reversed order; counts hold
     * m + 1, as zero means "none" */
    for (size_t i = 1; i < n; i++) {
        size_t m = z[i] < limit ? z[i] : limit;
        int32_t id = sample_history_at(h, i - 1);
        if (m < allowed || id < 0 || (size_t)id >= c->capacity)
            continue;
        if (step->breakers && sample_breakers_single(step->breakers, id))
            continue;
        if (c->count[id] < m + 1)
            c->count[id] = (uint32_t)m + 1;
    }
    if (!c->dense) {
        for (size_t i = 0; i < c->n; i++) {
            if (c->count[c->id[i]])
                c->logit[i] = penalised(c->logit[i], step, max_exponent, c->count[c->id[i]] - 1);
        }
    }
    for (size_t i = 0; i < n; i++) {
        int32_t id = sample_history_at(h, i);
        if (id < 0 || (size_t)id >= c->capacity || !c->count[id])
            continue;
        if (c->dense)
            c->logit[id] = penalised(c->logit[id], step, max_exponent, c->count[id] - 1);
        c->count[id] = 0;
    }
    c->sorted = false;
}
