/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps that throw candidates out. p means the softmax over the candidates still there. */
#include "sample/sample.h"

#include <math.h>

/* Prefixes of a sorted order are mostly short: sort this many first, and more only when needed. */
enum { FIRST_PREFIX = 256, PREFIX_GROWTH = 16 };

static size_t grow(size_t k, size_t n)
{
    return k > n / PREFIX_GROWTH ? n : k * PREFIX_GROWTH;
}

/* Over the logits above −infinity, mean and population standard deviation s: below max − n·s the
 * logit becomes −infinity. The candidates stay in the list, as dynamic temperature counts them. */
void sample_apply_top_n_sigma(struct sample_candidates *c, float n_sigma)
{
    size_t n = 0;
    float max = -INFINITY;
    double sum = 0, squares = 0;

    for (size_t i = 0; i < c->n; i++) {
        if (c->logit[i] == -INFINITY)
            continue;
        max = c->logit[i] > max ? c->logit[i] : max;
        sum += (double)c->logit[i];
        n++;
    }
    if (n == 0)
        return;
    double mean = sum / (double)n;
    for (size_t i = 0; i < c->n; i++) {
        if (c->logit[i] == -INFINITY)
            continue;
        double d = (double)c->logit[i] - mean;
        squares += d * d;
    }
    double least = (double)max - (double)n_sigma * sqrt(squares / (double)n);
    for (size_t i = 0; i < c->n; i++) {
        if ((double)c->logit[i] < least)
            c->logit[i] = -INFINITY;
    }
}

/* Locally typical: those whose surprise is nearest the entropy. H = −Σ p ln p; score |−ln p − H|;
 * keeps the shortest beginning, lowest score first, with Σ p > P. −infinity is out before. */
void sample_apply_typical(struct sample_candidates *c, const struct sample_cut *step)
{
    struct sample_softmax s = sample_softmax(c);
    if (s.sum == 0)
        return;
    double log_sum = log(s.sum), entropy = 0;
    size_t n_finite = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (c->logit[i] == -INFINITY)
            continue;
        double surprise = log_sum - ((double)c->logit[i] - (double)s.max);
        entropy += exp(-surprise) * surprise;
        n_finite++;
    }
    size_t k = 0, keep = 0;
    double cumulative = 0;
    do {
        k = k ? grow(k, n_finite) : n_finite < FIRST_PREFIX ? n_finite : FIRST_PREFIX;
        for (size_t i = 0; i < c->n; i++) {
            double surprise = log_sum - ((double)c->logit[i] - (double)s.max);
            c->score[i] = c->logit[i] == -INFINITY ? -INFINITY : -(float)fabs(surprise - entropy);
        }
        k = sample_best(c, c->score, c->n, k, true);
        cumulative = 0;
        for (keep = 0; keep < k;) {
            float logit = c->logit[(uint32_t)c->keys[keep++]];
            cumulative += exp((double)logit - (double)s.max) / s.sum;
            if (cumulative > (double)step->p && keep >= step->min_keep)
                break;
        }
    } while (k < n_finite && keep == k);
    for (size_t i = 0; i < keep; i++) {
        size_t position = (uint32_t)c->keys[i];
        c->keys[i] = sample_key(c->logit[position], (uint32_t)sample_id(c, position));
    }
    sample_adopt_keys(c, keep, false);
}

/* Best first, the shortest beginning with Σ p ≥ P. */
void sample_apply_top_p(struct sample_candidates *c, const struct sample_cut *step)
{
    struct sample_softmax s = sample_softmax(c);
    if (s.sum == 0)
        return;
    size_t k = 0, keep;
    do {
        k = k ? grow(k, c->n) : c->n < FIRST_PREFIX || c->sorted ? c->n : FIRST_PREFIX;
        if (!c->sorted)
            k = sample_best(c, c->logit, c->n, k, false);
        double cumulative = 0;
        for (keep = 0; keep < k;) {
            float logit = c->sorted ? c->logit[keep] : sample_key_score(c->keys[keep]);
            keep++;
            cumulative += (double)expf(logit - s.max) / s.sum;
            if (cumulative >= (double)step->p && keep >= step->min_keep)
                break;
        }
    } while (k < c->n && keep == k);
    if (c->sorted)
        c->n = keep;
    else
        sample_adopt_keys(c, keep, true);
}

/* p ≥ P × the largest p, which is logit ≥ max + ln P. */
void sample_apply_min_p(struct sample_candidates *c, const struct sample_cut *step)
{
    float max = c->logit[sample_argmax(c)];
    if (max == -INFINITY)
        return;
    float least = max + logf(step->p);
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++)
        n += c->logit[i] >= least;
    if (n < step->min_keep)
        sample_keep_best(c, step->min_keep);
    else if (n < c->n)
        sample_keep_from(c, least);
}

/* Exclude top choices: with some probability, of the candidates with p ≥ threshold only the least
 * likely stays, unless fewer than min_keep candidates would. */
void sample_apply_xtc(struct sample_candidates *c, const struct sample_xtc *step,
                      struct sample_rng *rng)
{
    if (c->n < 2 || sample_rng_uniform(rng) > (double)step->probability)
        return;
    struct sample_softmax s = sample_softmax(c);
    if (s.sum == 0)
        return;
    size_t n_above = 0, least = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (c->logit[i] == -INFINITY || expf(c->logit[i] - s.max) / (float)s.sum < step->threshold)
            continue;
        /* of equals the last one in sorted order */
        if (n_above++ == 0 || c->logit[i] < c->logit[least] ||
            (c->logit[i] == c->logit[least] && sample_id(c, i) > sample_id(c, least)))
            least = i;
    }
    if (n_above < 2 || c->n - (n_above - 1) < step->min_keep)
        return;
    float bound = c->logit[least];
    int32_t keep = sample_id(c, least);
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        int32_t id = sample_id(c, i);
        if (c->logit[i] >= bound && id != keep)
            continue;
        c->id[n] = id;
        c->logit[n++] = c->logit[i];
    }
    c->n = n;
    c->dense = false;
}
