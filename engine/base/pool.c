/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A team of threads, one barrier, one counter.
 *
 * Two words are waited at: `round`, which pool_run() raises to start a job, and `phase`, which the
 * last thread to arrive at a barrier raises. A waiter first spins, then counts itself as a sleeper
 * and asks the kernel to sleep while the word has not changed. Who changes a word wakes sleepers
 * only if there are any; both sides use sequentially consistent accesses, so that a waiter either
 * is seen as a sleeper or sees the new word (the kernel compares it once more).
 *
 * How long a thread spins follows its luck. On an idle machine others arrive within microseconds
 * and spinning is right; on a busy one the thread waited for may stand behind us on the same core,
 * and every pause delays it. So each failure halves the budget and each success doubles it; one
 * wait in PROBE has the full budget, which finds out when the machine is idle again.
 *
 * The counter of pieces is set back by the last thread to arrive at a barrier, before it opens: at
 * that moment nobody is between two calls of pool_next(). */
#include "base/pool.h"

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

/* Pauses: about 50 µs, longer than waking a sleeper, shorter than a time slice; and the least. With
 * more threads than cores the one waited for most likely needs a core: the least from the start. */
enum { SPINS_MAX = 2000, SPINS_MIN = 50, PROBE = 16 };

enum { CACHE_LINE = 64 };

/* A word that threads wait at, with the number of those asleep. */
struct wait_word {
    _Alignas(CACHE_LINE) _Atomic uint32_t value;
    _Atomic uint32_t n_sleepers;
};

struct pool {
    uint32_t n_threads;
    uint32_t n_started;     /* workers whose threads exist */
    struct worker *workers; /* [n_threads]; the first stands for the caller */

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
    _Alignas(CACHE_LINE) struct pool *pool;
    uint32_t index;
    pthread_t thread;
    /* Own thread only. */
    uint32_t n_spins, max_spins;
    uint32_t n_waits;
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
static void wait_for_change(struct worker *self, struct wait_word *word, uint32_t seen)
{
    uint32_t budget = self->n_waits++ % PROBE ? self->n_spins : self->max_spins;

    for (uint32_t i = 0; i < budget; i++) {
        if (atomic_load_explicit(&word->value, memory_order_acquire) != seen) {
            uint32_t more = 2 * budget;
            self->n_spins = more < self->max_spins ? more : self->max_spins;
            return;
        }
        pause_core();
    }
    self->n_spins = self->n_spins / 2 > SPINS_MIN ? self->n_spins / 2 : SPINS_MIN;
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

static void barrier(struct worker *self)
{
    struct pool *pool = self->pool;
    /* It cannot move on before this thread has arrived. */
    uint32_t seen = atomic_load_explicit(&pool->phase.value, memory_order_acquire);

    if (atomic_fetch_add_explicit(&pool->n_arrived, 1, memory_order_acq_rel) + 1 ==
        pool->n_threads) {
        atomic_store_explicit(&pool->n_arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&pool->next_piece, pool->n_threads, memory_order_relaxed);
        change(&pool->phase);
    } else {
        wait_for_change(self, &pool->phase, seen);
    }
}

static void *work(void *arg)
{
    struct worker *self = arg;
    struct pool *pool = self->pool;
    struct pool_team team = { pool, self->index, pool->n_threads };

    for (uint32_t seen = 0;; seen++) {
        wait_for_change(self, &pool->round, seen);
        if (pool->stop)
            return NULL;
        pool->job(&team, pool->data);
        barrier(self);
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
    atomic_init(&pool->next_piece, n_threads);
    pool->workers = aligned_alloc(CACHE_LINE, n_threads * sizeof *pool->workers);
    if (!pool->workers) {
        status = ember_fail(err, EMBER_NO_MEMORY, "out of memory for a pool of %u threads",
                            (unsigned)n_threads);
        goto fail;
    }
    uint32_t max_spins = n_threads > count_cores() ? SPINS_MIN : SPINS_MAX;
    for (uint32_t i = 0; i < n_threads; i++)
        pool->workers[i] = (struct worker){
            .pool = pool, .index = i, .n_spins = max_spins, .max_spins = max_spins
        };

    /* Signals are the program's business: workers inherit a mask that blocks them. Not so faults of
     * the thread itself, such as reading a mapped file that was cut short: blocked, they would end
     * the program past its handler. */
    sigfillset(&all);
    sigdelset(&all, SIGBUS);
    sigdelset(&all, SIGSEGV);
    sigdelset(&all, SIGFPE);
    sigdelset(&all, SIGILL);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    for (uint32_t i = 1; i < n_threads && rc == 0; i++) {
        rc = pthread_create(&pool->workers[i].thread, NULL, work, &pool->workers[i]);
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
    barrier(&pool->workers[0]);
}

void pool_barrier(struct pool_team *team)
{
    barrier(&team->pool->workers[team->index]);
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
