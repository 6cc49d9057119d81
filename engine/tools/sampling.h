/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sampling.h - the sampler options of `complete` and `chat`, and the sampler they make. */
#pragma once

#include <stdbool.h>

#include <ember/ember.h>

#include "options.h"

struct sampling_options {
    struct ember_sampler_params params;
    struct option_list breakers; /* --dry-breaker */
    struct option_list biases;   /* --logit-bias ID=B */
    bool ignore_eos;
};

/* The options, filled with the defaults for the help's sake. */
struct option_group sampling_option_group(struct sampling_options *sampling);

/* Makes the sampler: the library's defaults, what the file recommends, then what was given on the
 * command line. STATUS_FINE and *out to be freed, or the exit status after a sentence. */
int sampling_new(struct ember_sampler **out, const struct sampling_options *sampling,
                 const struct option_group *group, const struct options *options,
                 const struct ember_model *model);
