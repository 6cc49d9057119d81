/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A team of threads, one barrier, a counter of pieces, and one for the stretch of each thread.
 *
 * A worker waits for a job at a word of its own, `call`. Jobs come down a tree: whoever starts one
 * calls the two workers below first, so that a large team is awake after a few steps, and workers
 * that a job does not want are left alone. The word says whether its worker sleeps; who sets it to
 * CALLED learns so in the same step and wakes the sleeper.
 *
 * At a barrier all wait for `phase`, which the last thread to arrive raises. A waiter first spins,
 * then counts itself as a sleeper and asks the kernel to sleep while the word has not changed. Who
 * changes the word wakes sleepers only if there are any; both sides use sequentially consistent
 * accesses, so that a waiter either is seen as a sleeper or sees the new word (the kernel compares
 * it once more).
 *
 * How long a thread spins follows its luck. On an idle machine others arrive within microseconds
 * and spinning is right; on a busy one the thread waited for may stand behind us on the same core,
 * and every pause delays it. So each failure halves the budget and each success doubles it; one
 * wait in PROBE has the full budget, which finds out when the machine is idle again.
 *
 * The counter of pieces is set back by the last thread to arrive at a barrier, before it opens: at
 * that moment nobody is between two calls of pool_next(). Those of the threads' stretches need no
 * setting back: each says which phase it counts for, and stands at zero for any other. */
#include "base/pool.h"

#include <limits.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cores.h"
#include "base/fail.h"

/* Pauses: about 50 µs, longer than waking a sleeper, shorter than a time slice; and the least. With
 * more threads than cores the one waited for most likely needs a core: the least from the start. */
enum { SPINS_MAX = 2000, SPINS_MIN = 50, PROBE = 16 };

enum { CACHE_LINE = 64 };

/* How many others a thread looks at for work: each costs it a cache line, and every stretch is
 * walked by its owner in any case. */
enum { NEIGHBOURS = 8 };

/* What a worker's word says. IDLE: it is at work or spins; only it may go from there to ASLEEP. */
enum { IDLE, ASLEEP, CALLED };

struct pool {
    uint32_t n_threads;
    uint32_t n_started;     /* workers whose threads exist */
    struct worker *workers; /* [n_threads]; the first stands for the caller */

    /* Written by the caller before it calls anybody. */
    void (*job)(struct pool_team *team, void *data);
    void *data;
    uint32_t n_team;
    bool stop;

    _Alignas(CACHE_LINE) _Atomic uint32_t phase;
    _Atomic uint32_t n_sleepers; /* at the barrier */
    _Alignas(CACHE_LINE) _Atomic uint32_t n_arrived;
    _Alignas(CACHE_LINE) _Atomic size_t next_piece;
};

struct worker {
    _Alignas(CACHE_LINE) struct pool *pool;
    _Atomic uint32_t call;
    uint32_t index;
    pthread_t thread;
    /* Own thread only. */
    uint32_t n_spins, max_spins;
    uint32_t n_waits;

    /* Pieces taken of this thread's stretch, by anyone: the phase above, their number below. */
    _Alignas(CACHE_LINE) _Atomic uint64_t taken;
};

static void pause_core(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("isb");
#endif
}

static void futex_wait(_Atomic uint32_t *word, uint32_t seen)
{
    syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, seen, NULL, NULL, 0);
}

static void futex_wake(_Atomic uint32_t *word, int n)
{
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, n, NULL, NULL, 0);
}

/* Spins while the word is `seen`; false when the patience for it is used up. */
static bool spin(struct worker *self, _Atomic uint32_t *word, uint32_t seen)
{
    uint32_t budget = self->n_waits++ % PROBE ? self->n_spins : self->max_spins;

    for (uint32_t i = 0; i < budget; i++) {
        if (atomic_load_explicit(word, memory_order_acquire) != seen) {
            uint32_t more = 2 * budget;
            self->n_spins = more < self->max_spins ? more : self->max_spins;
            return true;
        }
        pause_core();
    }
    self->n_spins = self->n_spins / 2 > SPINS_MIN ? self->n_spins / 2 : SPINS_MIN;
    return false;
}

static void barrier(struct worker *self)
{
    struct pool *pool = self->pool;
    /* Neither can change before this thread has arrived; once it has, both may. */
    uint32_t seen = atomic_load_explicit(&pool->phase, memory_order_acquire);
    uint32_t n_team = pool->n_team;

    if (atomic_fetch_add_explicit(&pool->n_arrived, 1, memory_order_acq_rel) + 1 == n_team) {
        atomic_store_explicit(&pool->n_arrived, 0, memory_order_relaxed);
        atomic_store_explicit(&pool->next_piece, n_team, memory_order_relaxed);
        atomic_fetch_add(&pool->phase, 1);
        if (atomic_load(&pool->n_sleepers))
            futex_wake(&pool->phase, INT_MAX);
    } else if (!spin(self, &pool->phase, seen)) {
        atomic_fetch_add(&pool->n_sleepers, 1);
        while (atomic_load(&pool->phase) == seen)
            futex_wait(&pool->phase, seen);
        atomic_fetch_sub(&pool->n_sleepers, 1);
    }
}

static void call(struct worker *worker)
{
    if (atomic_exchange_explicit(&worker->call, CALLED, memory_order_acq_rel) == ASLEEP)
        futex_wake(&worker->call, 1);
}

static void await_call(struct worker *self)
{
    uint32_t seen = IDLE;

    if (!spin(self, &self->call, IDLE) &&
        atomic_compare_exchange_strong(&self->call, &seen, ASLEEP))
        while (atomic_load_explicit(&self->call, memory_order_acquire) == ASLEEP)
            futex_wait(&self->call, ASLEEP);
    /* The next call comes after the barrier at the end of this job. */
    atomic_store_explicit(&self->call, IDLE, memory_order_relaxed);
}

/* One thread's part of a job: passes it on, works, waits for all. */
static void take_part(struct worker *self)
{
    struct pool *pool = self->pool;
    struct pool_team team = { pool, self->index, pool->n_team };

    for (uint32_t i = 2 * self->index + 1; i <= 2 * self->index + 2 && i < pool->n_team; i++)
        call(&pool->workers[i]);
    pool->job(&team, pool->data);
    barrier(self);
}

static void *work(void *arg)
{
    struct worker *self = arg;

    for (;;) {
        await_call(self);
        if (self->pool->stop)
            return NULL;
        take_part(self);
    }
}

enum ember_status pool_new(struct pool **out, uint32_t n_threads, struct ember_error *err)
{
    enum ember_status status;
    struct pool *pool = NULL;
    struct cores cores;
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
    pool->workers = aligned_alloc(CACHE_LINE, n_threads * sizeof *pool->workers);
    if (!pool->workers) {
        status = ember_fail(err, EMBER_NO_MEMORY, "out of memory for a pool of %u threads",
                            (unsigned)n_threads);
        goto fail;
    }
    cores_read(&cores, NULL);
    uint32_t max_spins = n_threads > cores.n_threads ? SPINS_MIN : SPINS_MAX;
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
    for (uint32_t i = 1; i <= pool->n_started; i++)
        call(&pool->workers[i]);
    for (uint32_t i = 1; i <= pool->n_started; i++)
        pthread_join(pool->workers[i].thread, NULL);
    free(pool->workers);
    free(pool);
}

uint32_t pool_n_threads(const struct pool *pool)
{
    return pool->n_threads;
}

void pool_run_on(struct pool *pool, uint32_t n, void (*job)(struct pool_team *team, void *data),
                 void *data)
{
    pool->job = job;
    pool->data = data;
    /* The counter was set for the size of the last team. */
    pool->n_team = n;
    atomic_store_explicit(&pool->next_piece, n, memory_order_relaxed);
    take_part(&pool->workers[0]);
}

void pool_run(struct pool *pool, void (*job)(struct pool_team *team, void *data), void *data)
{
    pool_run_on(pool, pool->n_threads, job, data);
}

void pool_barrier(struct pool_team *team)
{
    barrier(&team->pool->workers[team->index]);
}

/* The first piece is one's own, so that short phases touch no shared line. */
static size_t take_piece(struct pool_team *team, bool first)
{
    return first ? team->index
                 : atomic_fetch_add_explicit(&team->pool->next_piece, 1, memory_order_relaxed);
}

bool pool_next(struct pool_team *team, size_t n, size_t chunk, size_t *at, size_t *end)
{
    size_t piece = take_piece(team, *at == SIZE_MAX), n_pieces = n / chunk + (n % chunk != 0);

    if (piece >= n_pieces)
        return false;
    *at = piece * chunk;
    *end = n - *at < chunk ? n : *at + chunk;
    return true;
}

static size_t part_of(size_t chunk, size_t divisor, size_t least)
{
    size_t part = chunk / divisor / least * least;
    return part ? part : least;
}

bool pool_next_guided(struct pool_team *team, size_t n, size_t chunk, size_t least, size_t *at,
                      size_t *end)
{
    size_t piece = take_piece(team, *at == SIZE_MAX), from = 0, size = chunk;

    /* Pieces of this size before the smaller ones begin: three quarters of all, then half of what
     * is left. */
    size_t n_whole = (n - n / 4) / chunk;
    if (piece >= n_whole) {
        piece -= n_whole;
        from = n_whole * chunk;
        size = part_of(chunk, 2, least);
        size_t n_halves = (n - from - (n - from) / 2) / size;
        if (piece >= n_halves) {
            piece -= n_halves;
            from += n_halves * size;
            size = part_of(chunk, 4, least);
            if (piece >= (n - from) / size + ((n - from) % size != 0))
                return false;
        }
    }
    *at = from + piece * size;
    *end = n - *at < size ? n : *at + size;
    return true;
}

/* The pieces of a thread's stretch: their number, from `first` on. */
static size_t stretch(const struct pool_team *team, uint32_t whose, size_t n_pieces, size_t *first)
{
    *first = n_pieces * whose / team->n_threads;
    return n_pieces * (whose + 1) / team->n_threads - *first;
}

static uint32_t n_taken(uint64_t taken, uint32_t phase)
{
    return taken >> 32 == phase ? (uint32_t)taken : 0;
}

/* One piece of a stretch that has `n`; false if all are taken. */
static bool take_of(struct worker *whose, uint32_t phase, size_t n, size_t *piece)
{
    uint64_t seen = atomic_load_explicit(&whose->taken, memory_order_relaxed);
    do {
        *piece = n_taken(seen, phase);
        if (*piece >= n)
            return false;
    } while (!atomic_compare_exchange_weak_explicit(&whose->taken, &seen,
                                                    (uint64_t)phase << 32 | (*piece + 1),
                                                    memory_order_relaxed, memory_order_relaxed));
    return true;
}

/* The first piece nobody has taken, as this thread would come to it; n_pieces if there is none. */
static size_t next_piece(const struct pool_team *team, uint32_t phase, size_t n_pieces,
                         uint32_t n_walked)
{
    for (; n_walked <= NEIGHBOURS && n_walked < team->n_threads; n_walked++) {
        uint32_t whose = (team->index + n_walked) % team->n_threads;
        size_t first, n = stretch(team, whose, n_pieces, &first);
        size_t taken = n_taken(
            atomic_load_explicit(&team->pool->workers[whose].taken, memory_order_relaxed), phase);
        if (taken < n)
            return first + taken;
    }
    return n_pieces;
}

bool pool_walk(struct pool_team *team, size_t n, size_t chunk, struct pool_walk *walk)
{
    size_t n_pieces = n / chunk + (n % chunk != 0);
    /* It cannot change before this thread has arrived at the barrier. */
    uint32_t phase = atomic_load_explicit(&team->pool->phase, memory_order_relaxed);

    for (; walk->n_walked <= NEIGHBOURS && walk->n_walked < team->n_threads; walk->n_walked++) {
        uint32_t whose = (team->index + walk->n_walked) % team->n_threads;
        size_t first, piece, n_own = stretch(team, whose, n_pieces, &first);
        if (!take_of(&team->pool->workers[whose], phase, n_own, &piece))
            continue;
        walk->at = (first + piece) * chunk;
        walk->end = n - walk->at < chunk ? n : walk->at + chunk;
        size_t after = next_piece(team, phase, n_pieces, walk->n_walked) * chunk;
        walk->next = after < n ? after : n;
        return true;
    }
    return false;
}
