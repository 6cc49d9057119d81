/* SPDX-License-Identifier: GPL-3.0-or-later */
/* soften.h - one step of the online softmax, for a few queries and for tiles of them alike. */
#pragma once

#include <math.h>
#include <string.h>

#include "cpu/vec/vec.h"

/* n scores of one row, a multiple of VEC_LANES, −INFINITY where it sees nothing, become weights
 * against the new running maximum *m, and their sum goes to *s; returns what the old output is
 * multiplied by. Without a finite score nothing changes. */
INLINE float soften_scores(float *score, const int n, float *m, float *s)
{
    VEC top = vec_set1(-INFINITY);

    for (int i = 0; i < n; i += VEC_LANES)
        top = vec_max(vec_load(score + i), top); /* passes over a NaN, which shows in the sum */
    float old = *m, new = vec_top(top);
    new = new > old ? new : old;
    if (new == -INFINITY) {
        memset(score, 0, (size_t)n * sizeof *score);
        return 1;
    }
    VEC shift = vec_set1(new), sum = vec_zero();
    for (int i = 0; i < n; i += VEC_LANES) {
        VEC p = vec_exp(vec_sub(vec_load(score + i), shift));
        vec_store(score + i, p);
        sum = vec_add(sum, p);
    }
    float shrink = old == new ? 1 : expf(old - new);
    *m = new;
    *s = *s * shrink + vec_sum(sum);
    return shrink;
}
