/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/sample.h"

#include <float.h>
#include <math.h>

/* logit / T. Where that would overflow, differences to the best one are divided instead: the
 * softmax is the same. */
static void divide(struct sample_candidates *c, float t)
{
    float shift = 0;
    for (size_t i = 0; i < c->n && t < 1; i++) {
        if (c->logit[i] != -INFINITY && fabsf(c->logit[i]) > FLT_MAX * t) {
            shift = c->logit[sample_argmax(c)];
            break;
        }
    }
    for (size_t i = 0; i < c->n; i++) {
        if (c->logit[i] == -INFINITY)
            continue;
        c->logit[i] = sample_finite((double)((c->logit[i] - shift) / t));
    }
}

/* T from the entropy of the candidates: T = lo + (hi − lo) (H / ln n)^exponent, lo = max(0, t −
 * range), hi = t + range. */
static float dynamic(const struct sample_candidates *c, const struct sample_temperature *step)
{
    float low = step->t > step->range ? step->t - step->range : 0, high = step->t + step->range;
    struct sample_softmax s = sample_softmax(c);
    double entropy = 0;

    for (size_t i = 0; i < c->n && s.sum > 0; i++) {
        double p = exp((double)c->logit[i] - (double)s.max) / s.sum;
        if (p > 0)
            entropy -= p * log(p);
    }
    double part = entropy / log((double)c->n);
    part = part > 0 ? part < 1 ? part : 1 : 0;
    return low + (high - low) * (float)pow(part, (double)step->exponent);
}

/* T ≤ 0 leaves the best one alone (of equals the lowest id). */
void sample_apply_temperature(struct sample_candidates *c, const struct sample_temperature *step)
{
    float t = step->t;
    if (t > 0 && step->range > 0) {
        if (c->n < 2)
            return;
        t = dynamic(c, step);
    }
    if (t <= 0)
        sample_keep_one(c, sample_argmax(c));
    else if (t != 1)
        divide(c, t);
}

/* u uniform in [0, 1): the first candidate at which the running sum of exp(logit − max) exceeds
 * u × total. Order: that of the list, which is by id or best first, so the same seed and logits
 * always give the same token. */
int32_t sample_draw(struct sample_candidates *c, struct sample_rng *rng)
{
    double u = sample_rng_uniform(rng), sum = 0, total = 0;
    float max = c->logit[sample_argmax(c)];
    size_t last = 0;

    if (max == -INFINITY) { /* nothing may be chosen, but something must */
        int32_t lowest = sample_id(c, 0);
        for (size_t i = 1; i < c->n; i++)
            lowest = sample_id(c, i) < lowest ? sample_id(c, i) : lowest;
        return lowest;
    }
    for (size_t i = 0; i < c->n; i++) {
        c->score[i] = expf(c->logit[i] - max);
        total += (double)c->score[i];
    }
    for (size_t i = 0; i < c->n; i++) {
        if (c->score[i] == 0)
            continue;
        last = i;
        sum += (double)c->score[i];
        if (sum > u * total)
            break;
    }
    return sample_id(c, last);
}
