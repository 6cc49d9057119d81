/* SPDX-License-Identifier: GPL-3.0-or-later */
/* tune.h - finds how many threads a job that comes again and again is fastest with.
 *
 * Decoding waits for memory: a few cores may saturate it, and more then only lengthen every
 * barrier. How many depends on the machine, so it is measured while working. One job's counts and
 * times; one thread. No clock in here: whoever runs the jobs says how long they took. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* Jobs of one count that are compared, by the fastest: one disturbed by other work says nothing. */
enum { TUNE_ROUNDS = 6 };

struct tune {
    uint32_t most;     /* threads there are */
    uint32_t n;        /* found best so far */
    uint32_t trying;   /* n, or the count on trial */
    uint32_t n_jobs;   /* of the present stretch */
    uint32_t patience; /* jobs from one trial to the next */
    double best;       /* seconds of the fastest in this stretch */
    double before;     /* the same of n, just before the trial */
    bool upwards;      /* the next trial's direction */
};

/* Starts with all threads. Of three or fewer, all are always used. */
void tune_init(struct tune *tune, uint32_t most);
/* How many threads the next job shall have. */
uint32_t tune_threads(const struct tune *tune);
/* That job took this long. */
void tune_note(struct tune *tune, double seconds);
