/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/sample.h"

#include <math.h>

void sample_apply_bias(struct sample_candidates *c, const struct sample_bias *bias)
{
    for (size_t b = 0; b < bias->n; b++) {
        int32_t id = bias->items[b].id;
        if (c->dense) {
            if (id >= 0 && (size_t)id < c->n)
                c->logit[id] = sample_clean(c->logit[id] + bias->items[b].bias);
            continue;
        }
        for (size_t i = 0; i < c->n; i++) {
            if (c->id[i] == id)
                c->logit[i] = sample_clean(c->logit[i] + bias->items[b].bias);
        }
    }
    c->sorted = false;
}

/* Dividing makes a positive logit smaller; a negative one must be multiplied for that. */
static float penalised(float logit, const struct sample_penalties *step, uint32_t count)
{
    if (logit == -INFINITY)
        return logit;
    logit = logit <= 0 ? logit * step->repeat : logit / step->repeat;
    float lower = (float)count * step->frequency + step->presence;
    return sample_finite((double)(sample_finite((double)logit) - lower));
}

/* Tokens seen count > 0 times among the last last_n:
 *   logit = (logit ≤ 0 ? logit × repeat : logit / repeat) − count × frequency − presence */
void sample_apply_penalties(struct sample_candidates *c, const struct sample_penalties *step,
                            const struct sample_history *h)
{
    size_t window = h->n < (size_t)step->last_n ? h->n : (size_t)step->last_n;

    for (size_t i = 0; i < window; i++) {
        int32_t id = sample_history_at(h, i);
        if (id >= 0 && (size_t)id < c->capacity)
            c->count[id]++;
    }
    if (!c->dense) {
        for (size_t i = 0; i < c->n; i++) {
            if (c->count[c->id[i]])
                c->logit[i] = penalised(c->logit[i], step, c->count[c->id[i]]);
        }
    }
    for (size_t i = 0; i < window; i++) {
        int32_t id = sample_history_at(h, i);
        if (id < 0 || (size_t)id >= c->capacity || !c->count[id])
            continue;
        if (c->dense)
            c->logit[id] = penalised(c->logit[id], step, c->count[id]);
        c->count[id] = 0;
    }
    c->sorted = false;
}
