/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench.h - measuring a model on this machine: what `ember bench` prints. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ember/ember.h>

#include "options.h"

/* What to measure. Reading n tokens after `depth` others: */
enum bench_kind {
    BENCH_PREFILL, /* at once */
    BENCH_DECODE,  /* one by one, each with its logits */
    BENCH_BATCH    /* `step` at a time, all with their logits */
};

struct bench_point {
    enum bench_kind kind;
    uint32_t n, depth, step;
};

enum { BENCH_POINTS = 16, BENCH_LINES = 32 };

/* One figure. */
struct bench_line {
    char name[40]; /* the same in every run, to be compared by */
    double value;
    const char *unit; /* "tokens/s", "ms" */
    double share;     /* of a ceiling, or 0 */
    const char *share_of;
};

struct bench {
    /* Set by the caller. */
    const struct options *options;
    struct ember_fit_params params;
    struct bench_point points[BENCH_POINTS];
    size_t n_points;
    uint32_t n_repeat;
    bool cold, ceilings;

    /* Filled by bench_run(). Seconds are medians; 0 is not measured. */
    struct ember_model *model;
    struct ember_session *session;
    double load_s, first_token_s;
    double prefill_tps, decode_tps; /* of the point that stands for its kind, see cmd_bench.c */
    double read_gbps, int8_gops;    /* medians of what was measured between rounds */
    uint64_t peak_anonymous;        /* bytes, over all that was done */
    struct bench_line lines[BENCH_LINES];
    size_t n_lines;
};

/* Tokens of context that the points need. */
uint32_t bench_n_tokens(const struct bench *bench);
/* Opens the model and measures. STATUS_FINE, or the exit status after a sentence. */
int bench_run(struct bench *bench);
void bench_finish(struct bench *bench);
