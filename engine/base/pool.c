/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A team of threads, one barrier, one counter.
 *
 * Two words are waited at: `round`, which pool_run() raises to start a job, and `phase`, which the
 * last thread to arrive at a barrier raises. A waiter first spins, then counts itself as a sleeper
 * and asks the kernel to sleep while the word has not changed. Who changes a word wakes sleepers
 * only if there are any; both sides use sequentially consistent accesses, so that a waiter either
 * is seen as a sleeper or sees the new word (the kernel compares it once more).
 *
 * The counter of pieces is set back by the last thread to arrive at a barrier, before it opens: at
 * that moment nobody is between two calls of pool_next(). */
#include "base/pool.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fail.h"

/* About 50 µs of pauses: longer than waking a sleeper, shorter than a time slice. With more threads
 * than cores the one we wait for may need our core, so sleep almost at once. */
enum { SPINS_ALONE = 2000, SPINS_CROWDED = 50 };

enum { CACHE_LINE = 64 };

/* A word that threads wait at, with the number of those asleep. */
struct wait_word {
    _Alignas(CACHE_LINE) _Atomic uint32_t value;
    _Atomic uint32_t n_sleepers;
};

struct pool {
    uint32_t n_threads;
    uint32_t n_spins;
    uint32_t n_started; /* workers whose threads exist */
    struct worker *workers;

    /* Written by pool_run() and pool_free() before `round` is raised. */
    void (*job)(struct pool_team *team, void *data);
    void *data;
    bool stop;

    struct wait_word round;
    struct wait_word phase;
    _Alignas(CACHE_LINE) _Atomic uint32_t n_arrived;
    _Alignas(CACHE_LINE) _Atomic size_t next_piece;
};

struct worker {
    struct pool *pool;
    uint32_t index;
    pthread_t thread;
};

static void pause_core(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

/* Returns when the word is no longer `seen`. */
static void wait_for_change(struct wait_word *word, uint32_t seen, uint32_t n_spins)
{
    for (uint32_t i = 0; i < n_spins; i++) {
        if (atomic_load_explicit(&word->value, memory_order_acquire) != seen)
            return;
        pause_core();
    }
    atomic_fetch_add(&word->n_sleepers, 1);
    while (atomic_load(&word->value) == seen)
        syscall(SYS_futex, &word->value, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
    atomic_fetch_sub(&word->n_sleepers, 1);
}

static void change(struct wait_word *word)
{
    atomic_fetch_add(&word->value, 1);
    if (atomic_load(&word->n_sleepers))
        syscall(SYS_futex, &word->value, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

static void barrier(struct pool *pool)
{
    /* It cannot move on before this thread has arrived. */
    uint32_t seen = atomic_load_explicit(&pool->phase.value, memory_order_acquire);

    if (atomic_fetch_add_explicit(&pool->n_arrived, 1, memory_order_acq_rel) + 1 ==
        pool->n_threads) {
        atomic_store_explicit(&pool->n_arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&pool->next_piece, pool->n_threads, memory_order_relaxed);
        change(&pool->phase);
    } else {
        wait_for_change(&pool->phase, seen, pool->n_spins);
    }
}

static void *work(void *arg)
{
    struct worker *self = arg;
    struct pool *pool = self->pool;
    struct pool_team team = { pool, self->index, pool->n_threads };

    for (uint32_t seen = 0;; seen++) {
        wait_for_change(&pool->round, seen, pool->n_spins);
        if (pool->stop)
            return NULL;
        pool->job(&team, pool->data);
        barrier(pool);
    }
}

static uint32_t count_cores(void)
{
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return (uint32_t)CPU_COUNT(&set);
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    return n > 0 ? (uint32_t)n : 1;
}

enum ember_status pool_new(struct pool **out, uint32_t n_threads, struct ember_error *err)
{
    enum ember_status status;
    struct pool *pool = NULL;
    sigset_t all, before;
    int rc = 0;

    if (n_threads < 1)
        return ember_fail(err, EMBER_INVALID, "a thread pool needs at least 1 thread, not 0");
    pool = aligned_alloc(CACHE_LINE, sizeof *pool);
    if (!pool)
        return ember_fail(err, EMBER_NO_MEMORY, "out of memory for a pool of %u threads",
                          (unsigned)n_threads);
    memset(pool, 0, sizeof *pool);
    pool->n_threads = n_threads;
    pool->n_spins = n_threads > count_cores() ? SPINS_CROWDED : SPINS_ALONE;
    atomic_init(&pool->next_piece, n_threads);
    pool->workers = calloc(n_threads, sizeof *pool->workers);
    if (!pool->workers) {
        status = ember_fail(err, EMBER_NO_MEMORY, "out of memory for a pool of %u threads",
                            (unsigned)n_threads);
        goto fail;
    }

    /* Signals are the program's business: workers inherit a mask that blocks them all. */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (uint32_t i = 1; i < n_threads && rc == 0; i++) {
        struct worker *worker = &pool->workers[i];
        worker->pool = pool;
        worker->index = i;
        rc = pthread_create(&worker->thread, NULL, work, worker);
        if (rc == 0)
            pool->n_started++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc != 0) {
        status = ember_fail(err, EMBER_NO_MEMORY, "the system refused thread %u of %u (error %d)",
                            (unsigned)pool->n_started + 2, (unsigned)n_threads, rc);
        goto fail;
    }
    *out = pool;
    return EMBER_OK;

fail:
    pool_free(pool);
    return status;
}

void pool_free(struct pool *pool)
{
    if (!pool)
        return;
    pool->stop = true;
    change(&pool->round);
    for (uint32_t i = 1; i <= pool->n_started; i++)
        pthread_join(pool->workers[i].thread, NULL);
    free(pool->workers);
    free(pool);
}

uint32_t pool_n_threads(const struct pool *pool)
{
    return pool->n_threads;
}

void pool_run(struct pool *pool, void (*job)(struct pool_team *team, void *data), void *data)
{
    struct pool_team team = { pool, 0, pool->n_threads };

    pool->job = job;
    pool->data = data;
    change(&pool->round);
    job(&team, data);
    barrier(pool);
}

void pool_barrier(struct pool_team *team)
{
    barrier(team->pool);
}

bool pool_next(struct pool_team *team, size_t n, size_t chunk, size_t *at, size_t *end)
{
    struct pool *pool = team->pool;
    size_t piece = team->index;

    /* The first piece is one's own, so that short phases touch no shared line. */
    if (*at != SIZE_MAX)
        piece = atomic_fetch_add_explicit(&pool->next_piece, 1, memory_order_relaxed);

    size_t n_pieces = n / chunk + (n % chunk != 0);
    if (piece >= n_pieces)
        return false;
    *at = piece * chunk;
    *end = n - *at < chunk ? n : *at + chunk;
    return true;
}
