/* SPDX-License-Identifier: GPL-3.0-or-later */
/* pool.h - a team of threads that runs the phases of a graph.
 *
 * The caller is thread 0 and takes part. Inside a job every thread runs the same function; work is
 * taken in chunks: each phase hands out [0, n) in pieces, either by one atomic counter or, where
 * reading on in memory is worth more, from a stretch of each thread's own; either way a slow core
 * takes fewer. Chunk borders depend on n and the chunk size alone, never on the number of threads:
 * an output is always computed in the same order. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ember/error.h>

struct pool;

/* Starts n_threads − 1 workers (n_threads ≥ 1). Worker stacks are counted in no plan. */
enum ember_status pool_new(struct pool **out, uint32_t n_threads, struct ember_error *err);
void pool_free(struct pool *pool);
uint32_t pool_n_threads(const struct pool *pool);

/* One running job, as seen by one of its threads. */
struct pool_team {
    struct pool *pool;
    uint32_t index;     /* 0 … n_threads − 1 */
    uint32_t n_threads; /* that run this job */
};

/* Runs `job` on every thread and returns when all have returned. Workers spin for a short while
 * after the last barrier, then sleep. */
void pool_run(struct pool *pool, void (*job)(struct pool_team *team, void *data), void *data);
/* The same with the first n threads alone (1 ≤ n ≤ pool_n_threads()); the others are not woken. */
void pool_run_on(struct pool *pool, uint32_t n, void (*job)(struct pool_team *team, void *data),
                 void *data);

/* Inside a job: all threads wait for all. What was written before is visible after. */
void pool_barrier(struct pool_team *team);

/* Inside a job: takes the next piece of [0, n) of the present phase; false when none is left. All
 * threads must go through a phase by the same one of these three functions, once, with the same n
 * and chunk, and pool_barrier() ends the phase (and resets the counter). `*at` must start at
 * SIZE_MAX. */
bool pool_next(struct pool_team *team, size_t n, size_t chunk, size_t *at, size_t *end);

/* The same with pieces that become smaller towards the end, so that threads finish together: of the
 * last quarter of [0, n) the first half comes in halves of a chunk, the rest in quarters, both
 * multiples of `least` and not less. `chunk` must be a multiple of `least`. */
bool pool_next_guided(struct pool_team *team, size_t n, size_t chunk, size_t least, size_t *at,
                      size_t *end);

/* A thread's way through [0, n). Starts as zeroes. */
struct pool_walk {
    size_t at, end; /* the present piece */
    size_t next;    /* where the piece after it begins if nobody else takes it; n: there is none */
    uint32_t n_walked; /* stretches that had no piece left, one's own first */
};

/* pool_next() for pieces that are read from memory: each thread walks through a stretch of its own,
 * a stream that never starts anew, and then helps the next threads with theirs. */
bool pool_walk(struct pool_team *team, size_t n, size_t chunk, struct pool_walk *walk);
