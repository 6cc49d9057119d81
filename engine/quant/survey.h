/* SPDX-License-Identifier: GPL-3.0-or-later */
/* survey.h - what can be said of many values at once. Pure functions; any thread. Results are the
 * same at every level. */
#pragma once

#include "quant/fast.h"

/* How far the values b are from a: sums that may go on over any number of calls. */
struct quant_distance {
    double aa, bb, ab, dd; /* Σ a², Σ b², Σ a b, Σ (b − a)² */
    double most;           /* max |b − a|; a NaN stays */
    uint64_t n_different;  /* pairs that are not the same bits */
};

struct quant_survey {
    /* How many of n floats are NaN or infinite; *any_value: whether one is not zero. */
    size_t (*count_bad)(const float *x, size_t n, bool *any_value);
    /* n is below 2^32. The result depends on the values and on how they are cut into calls. */
    void (*add_distance)(struct quant_distance *d, const float *a, const float *b, size_t n);
};

/* For a level that runs here. */
const struct quant_survey *quant_survey(enum quant_level level);

extern const struct quant_survey quant_survey_plain, quant_survey_avx2;
