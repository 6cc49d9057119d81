/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A walk over counts of threads, each about three quarters of the one above: from time to time the
 * next lower or higher one is tried for a few jobs. Jobs grow slowly (a context becomes longer), so
 * a trial is compared with the jobs right before it. Fewer threads must be faster by a fiftieth, so
 * that noise alone takes none away; more must not be slower, so that a wrong step is soon undone.
 * Trials become rare when nothing changes: the worst of them costs a third for six jobs. */
#include "base/tune.h"

enum { LEAST = 2, PATIENCE_MIN = 24, PATIENCE_MAX = 1024 };

static uint32_t lower(const struct tune *tune)
{
    uint32_t n = tune->n - (tune->n + 3) / 4;
    return n < LEAST ? LEAST : n;
}

static uint32_t higher(const struct tune *tune)
{
    uint32_t n = tune->n + (tune->n + 2) / 3;
    return n > tune->most ? tune->most : n;
}

static void begin(struct tune *tune, uint32_t n)
{
    tune->trying = n;
    tune->n_jobs = 0;
    tune->best = 0;
}

void tune_init(struct tune *tune, uint32_t most)
{
    *tune = (struct tune){ .most = most, .n = most, .patience = PATIENCE_MIN };
    begin(tune, most);
}

uint32_t tune_threads(const struct tune *tune)
{
    return tune->trying;
}

static void judge(struct tune *tune)
{
    bool up = tune->trying > tune->n;
    bool better = up ? tune->best <= tune->before : tune->best < tune->before * 0.98;

    if (better) {
        tune->n = tune->trying;
        tune->patience = PATIENCE_MIN;
        tune->upwards = up; /* on in the same direction */
    } else {
        tune->upwards = !up;
        tune->patience = tune->patience < PATIENCE_MAX / 2 ? 2 * tune->patience : PATIENCE_MAX;
    }
    begin(tune, tune->n);
}

void tune_note(struct tune *tune, double seconds)
{
    if (tune->most <= 3)
        return;
    tune->n_jobs++;
    /* Of a long stretch only the last jobs are compared with what follows. */
    if (tune->trying == tune->n && tune->n_jobs + TUNE_ROUNDS <= tune->patience)
        return;
    if (tune->best == 0 || seconds < tune->best)
        tune->best = seconds;
    if (tune->trying != tune->n) {
        if (tune->n_jobs >= TUNE_ROUNDS)
            judge(tune);
        return;
    }
    if (tune->n_jobs < tune->patience)
        return;
    tune->before = tune->best;
    /* At an end of the row there is one direction only. */
    uint32_t next = tune->upwards ? higher(tune) : lower(tune);
    if (next == tune->n)
        next = tune->upwards ? lower(tune) : higher(tune);
    begin(tune, next);
}
