/* SPDX-License-Identifier: GPL-3.0-or-later */
/* run.h - the options of the commands that run a model, and opening files with them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <ember/ember.h>

#include "options.h"

/* --threads, --kv, --ctx, --batch */
struct run_options {
    uint32_t n_threads; /* 0: one per physical core */
    int kv_type;        /* enum ember_kv_type */
    uint32_t n_ctx;     /* 0: the command's default */
    uint32_t n_batch;
};

struct option_group run_option_group(struct run_options *run);
struct ember_fit_params run_fit_params(const struct run_options *run);

/* Opens the header of options->file with the --set overrides. STATUS_FINE and *out to be closed, or
 * the exit status after a sentence. */
int run_open_header(struct ember_gguf **out, const struct options *options);
/* The same with another path. */
int run_open_header_of(struct ember_gguf **out, const char *path, const struct options *options);
/* Opens the model likewise; *out holds one reference. */
int run_open_model(struct ember_model **out, const struct options *options);

/* Seconds of a clock that only goes forward. */
double run_clock(void);
