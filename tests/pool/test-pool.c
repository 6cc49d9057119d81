/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The thread pool with fewer, as many and far more threads than cores: each piece is handed out
 * once, with borders that depend on the shape alone; what is written before a barrier is seen after
 * it; jobs follow jobs, also when workers have gone to sleep in between, and some may be for
 * fewer threads; workers leave signals to
 * the program, but not their own faults. Runs under ThreadSanitizer too. */
#include "base/pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <time.h>

#include "test.h"

enum { N_MAX = 5000, PHASES = 40 };

static void nap(long ms)
{
    nanosleep(&(struct timespec){ .tv_nsec = ms * 1000000 }, NULL);
}

/* ---- pieces ---- */

struct pieces {
    size_t n, chunk;
    _Atomic unsigned taken[N_MAX]; /* times an index was handed out */
    _Atomic unsigned n_bad;        /* pieces with borders they should not have */
    _Atomic unsigned n_jobs;
};

static void take_pieces(struct pool_team *team, void *data)
{
    struct pieces *p = data;
    size_t end = 0;

    atomic_fetch_add(&p->n_jobs, 1);
    for (size_t at = SIZE_MAX; pool_next(team, p->n, p->chunk, &at, &end);) {
        size_t want = p->n - at < p->chunk ? p->n : at + p->chunk;
        if (at % p->chunk || at >= p->n || end != want)
            atomic_fetch_add(&p->n_bad, 1);
        for (size_t i = at; i < end && i < N_MAX; i++)
            atomic_fetch_add(&p->taken[i], 1);
    }
}

static void check_pieces(struct pool *pool)
{
    static const size_t shapes[][2] = { { 0, 1 },   { 1, 1 },    { 1, 100 },    { 7, 1 },
                                        { 64, 16 }, { 65, 16 },  { 1000, 16 },  { 1000, 999 },
                                        { 129, 2 }, { 4096, 1 }, { N_MAX, 33 }, { 5, SIZE_MAX } };
    static struct pieces p;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        memset(&p, 0, sizeof p);
        p.n = shapes[i][0];
        p.chunk = shapes[i][1];
        pool_run(pool, take_pieces, &p);
        unsigned wrong = 0;
        for (size_t j = 0; j < N_MAX; j++)
            wrong += p.taken[j] != (j < p.n);
        CHECK_MSG(wrong == 0 && p.n_bad == 0,
                  "%u threads, n=%zu chunk=%zu: %u indices, %u borders wrong",
                  (unsigned)pool_n_threads(pool), p.n, p.chunk, wrong, p.n_bad);
        CHECK_UINT(p.n_jobs, pool_n_threads(pool));
    }
}

/* Pieces that become smaller: each index once, whole multiples of 16 but for the last, never longer
 * than the one before, the same borders for any number of threads. */
struct shrinking {
    size_t n, chunk;
    _Atomic unsigned taken[N_MAX];
    _Atomic size_t end_of[N_MAX]; /* of the piece that starts here */
};

static void take_shrinking(struct pool_team *team, void *data)
{
    struct shrinking *p = data;
    size_t end = 0;
    for (size_t at = SIZE_MAX; pool_next_guided(team, p->n, p->chunk, 16, &at, &end);) {
        atomic_store(&p->end_of[at], end);
        for (size_t i = at; i < end && i < N_MAX; i++)
            atomic_fetch_add(&p->taken[i], 1);
    }
}

static void check_shrinking(struct pool *pool)
{
    static const size_t shapes[][2] = { { 0, 16 },    { 1, 16 },     { 16, 64 },   { 64, 64 },
                                        { 65, 64 },   { 130, 16 },   { 576, 32 },  { 2048, 64 },
                                        { 4999, 48 }, { 4096, 256 }, { 1000, 992 } };
    static struct shrinking p, alone;
    struct pool *one = NULL;

    if (!CHECK(pool_new(&one, 1, NULL) == EMBER_OK))
        return;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        memset(&p, 0, sizeof p);
        memset(&alone, 0, sizeof alone);
        p.n = alone.n = shapes[i][0];
        p.chunk = alone.chunk = shapes[i][1];
        pool_run(pool, take_shrinking, &p);
        pool_run(one, take_shrinking, &alone);
        size_t wrong = 0, last = p.chunk, smallest = p.chunk;
        for (size_t j = 0; j < N_MAX; j++)
            wrong += p.taken[j] != (j < p.n);
        for (size_t at = 0; at < p.n && p.end_of[at] > at; at = p.end_of[at]) {
            size_t size = p.end_of[at] - at;
            wrong += size > last || (size % 16 != 0 && p.end_of[at] != p.n);
            last = size;
            smallest = size < smallest && p.end_of[at] != p.n ? size : smallest;
        }
        CHECK_MSG(wrong == 0, "%u threads, n=%zu chunk=%zu: %zu faults in shrinking pieces",
                  (unsigned)pool_n_threads(pool), p.n, p.chunk, wrong);
        CHECK_MEM(p.end_of, alone.end_of, sizeof p.end_of);
        if (p.chunk == 64 && p.n == 2048)
            CHECK_UINT(smallest, 16);
    }
    pool_free(one);
}

/* Walks, several phases in one job: each index once in each, and `next` is where the thread goes
 * on as long as nobody helps it. */
struct walks {
    size_t n, chunk;
    _Atomic unsigned taken[N_MAX];
    _Atomic unsigned n_bad;
};

static void take_walks(struct pool_team *team, void *data)
{
    struct walks *p = data;

    for (int phase = 0; phase < PHASES; phase++) {
        struct pool_walk walk = { 0 };
        size_t expected = SIZE_MAX;
        while (pool_walk(team, p->n, p->chunk, &walk)) {
            size_t want = p->n - walk.at < p->chunk ? p->n : walk.at + p->chunk;
            if (walk.at % p->chunk || walk.at >= p->n || walk.end != want || walk.next > p->n ||
                (walk.next < p->n && walk.next % p->chunk))
                atomic_fetch_add(&p->n_bad, 1);
            if (team->n_threads == 1 && expected != SIZE_MAX && walk.at != expected)
                atomic_fetch_add(&p->n_bad, 1);
            expected = walk.next;
            for (size_t i = walk.at; i < walk.end && i < N_MAX; i++)
                atomic_fetch_add(&p->taken[i], 1);
        }
        if (team->n_threads == 1 && p->n && expected != p->n)
            atomic_fetch_add(&p->n_bad, 1);
        pool_barrier(team);
    }
}

static void check_walks(struct pool *pool)
{
    static const size_t shapes[][2] = { { 0, 1 },    { 1, 1 },   { 1, 100 },    { 7, 1 },
                                        { 65, 16 },  { 64, 16 }, { 1000, 999 }, { 129, 2 },
                                        { 4096, 1 }, { 3, 1 },   { N_MAX, 33 }, { 5, SIZE_MAX } };
    static struct walks p;

    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        memset(&p, 0, sizeof p);
        p.n = shapes[i][0];
        p.chunk = shapes[i][1];
        pool_run(pool, take_walks, &p);
        unsigned wrong = 0;
        for (size_t j = 0; j < N_MAX; j++)
            wrong += p.taken[j] != (j < p.n ? PHASES : 0);
        CHECK_MSG(wrong == 0 && p.n_bad == 0,
                  "%u threads, n=%zu chunk=%zu: %u indices, %u pieces of a walk wrong",
                  (unsigned)pool_n_threads(pool), p.n, p.chunk, wrong, p.n_bad);
    }
}

/* One thread stands still in its first piece until the others find nothing to do any more: its
 * neighbours have walked its stretch. */
struct helped {
    _Atomic uint32_t n_finished; /* threads but the first */
    _Atomic size_t n_done;
    _Atomic unsigned by_first; /* pieces that thread 0 took */
    size_t n_all;
};

static void take_helped(struct pool_team *team, void *data)
{
    struct helped *p = data;
    struct pool_walk walk = { 0 };

    while (pool_walk(team, p->n_all, 1, &walk)) {
        atomic_fetch_add(&p->n_done, 1);
        if (team->index != 0)
            continue;
        atomic_fetch_add(&p->by_first, 1);
        while (atomic_load(&p->n_finished) < team->n_threads - 1)
            nap(1);
    }
    if (team->index != 0)
        atomic_fetch_add(&p->n_finished, 1);
}

static void check_helped(struct pool *pool)
{
    struct helped p = { .n_all = (size_t)16 * pool_n_threads(pool) };
    pool_run(pool, take_helped, &p);
    CHECK_UINT(p.n_done, p.n_all);
    /* None if the others were done before it began. */
    CHECK(pool_n_threads(pool) == 1 ? p.by_first == p.n_all : p.by_first <= 1);
}

/* ---- barriers ---- */

/* Plain memory on purpose: only the barrier orders it. Each phase sums what the last one wrote. */
struct phases {
    uint64_t value[2][256];
    uint64_t sums[64];
    size_t n;
};

static void run_phases(struct pool_team *team, void *data)
{
    struct phases *p = data;
    size_t end;

    for (int phase = 0; phase < PHASES; phase++) {
        const uint64_t *from = p->value[phase % 2];
        uint64_t *to = p->value[(phase + 1) % 2], sum = 0;
        /* Redundantly by every thread, like a norm in front of a product. */
        for (size_t i = 0; i < p->n; i++)
            sum += from[i];
        for (size_t at = SIZE_MAX; pool_next(team, p->n, 3, &at, &end);) {
            for (size_t i = at; i < end; i++)
                to[i] = sum * 31 + from[i] + i;
        }
        /* One thread is late now and then, so that others sleep. */
        if (phase % 16 == 7 && team->index == (uint32_t)phase % team->n_threads)
            nap(3);
        pool_barrier(team);
    }
    p->sums[team->index] = p->value[PHASES % 2][p->n - 1];
}

static void check_phases(struct pool *pool)
{
    static struct phases p, alone;
    struct pool *one = NULL;

    memset(&p, 0, sizeof p);
    memset(&alone, 0, sizeof alone);
    p.n = alone.n = 200;
    for (size_t i = 0; i < p.n; i++)
        p.value[0][i] = alone.value[0][i] = i * i;
    if (!CHECK(pool_new(&one, 1, NULL) == EMBER_OK))
        return;
    pool_run(one, run_phases, &alone);
    pool_run(pool, run_phases, &p);
    pool_free(one);
    CHECK_MEM(p.value, alone.value, sizeof p.value);
    for (uint32_t i = 0; i < pool_n_threads(pool); i++)
        CHECK_UINT(p.sums[i], alone.sums[0]);
}

/* ---- jobs ---- */

static void count_one(struct pool_team *team, void *data)
{
    unsigned *counts = data;
    counts[team->index]++; /* its own place: no other thread touches it */
}

static void check_jobs(struct pool *pool)
{
    unsigned counts[64] = { 0 }, wrong = 0;
    enum { JOBS = 300 };

    for (int i = 0; i < JOBS; i++) {
        pool_run(pool, count_one, counts);
        if (i % 100 == 50)
            nap(3); /* long enough for workers to fall asleep */
        for (uint32_t t = 0; t < 64; t++)
            wrong += counts[t] != (t < pool_n_threads(pool) ? (unsigned)i + 1 : 0);
    }
    CHECK_MSG(wrong == 0, "%u threads: job not run once by each, %u times",
              (unsigned)pool_n_threads(pool), wrong);
}

/* ---- teams ---- */

/* Jobs of teams of all sizes, large after small and back, each with pieces, walks and barriers. */
static void check_teams(struct pool *pool)
{
    static struct phases p, alone;
    static struct pieces pieces;
    static struct walks walks;
    unsigned counts[64] = { 0 }, want[64] = { 0 }, wrong = 0;
    const uint32_t n_threads = pool_n_threads(pool);
    struct pool *one = NULL;

    if (!CHECK(pool_new(&one, 1, NULL) == EMBER_OK))
        return;
    for (uint32_t i = 0; i < 120; i++) {
        uint32_t n = 1 + i * 7 % n_threads;
        pool_run_on(pool, n, count_one, counts);
        for (uint32_t t = 0; t < 64; t++) {
            want[t] += t < n;
            wrong += counts[t] != want[t];
        }
        memset(&pieces, 0, sizeof pieces);
        pieces.n = 100;
        pieces.chunk = 3;
        pool_run_on(pool, n, take_pieces, &pieces);
        for (size_t j = 0; j < N_MAX; j++)
            wrong += pieces.taken[j] != (j < pieces.n);
        wrong += pieces.n_jobs != n || pieces.n_bad;
        memset(&walks, 0, sizeof walks);
        walks.n = 100;
        walks.chunk = 3;
        pool_run_on(pool, n, take_walks, &walks);
        for (size_t j = 0; j < N_MAX; j++)
            wrong += walks.taken[j] != (j < walks.n ? PHASES : 0);
        wrong += walks.n_bad;
        if (i % 40 == 39) { /* with naps inside, so that some sleep at a barrier */
            memset(&p, 0, sizeof p);
            memset(&alone, 0, sizeof alone);
            p.n = alone.n = 50;
            p.value[0][7] = alone.value[0][7] = i;
            pool_run_on(pool, n, run_phases, &p);
            pool_run(one, run_phases, &alone);
            wrong += memcmp(p.value, alone.value, sizeof p.value) != 0;
        }
    }
    pool_free(one);
    CHECK_MSG(wrong == 0, "%u threads: %u faults in teams of them", (unsigned)n_threads, wrong);
}

/* ---- signals ---- */

static void look_at_mask(struct pool_team *team, void *data)
{
    unsigned *wrong = data;
    sigset_t mask;

    if (team->index == 0)
        return; /* the caller's own thread, whose mask is its own business */
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    wrong[team->index] = sigismember(&mask, SIGINT) != 1 || sigismember(&mask, SIGTERM) != 1 ||
                         sigismember(&mask, SIGBUS) != 0 || sigismember(&mask, SIGSEGV) != 0;
}

static void check_signals(struct pool *pool)
{
    unsigned wrong[64] = { 0 };

    pool_run(pool, look_at_mask, wrong);
    for (uint32_t t = 1; t < pool_n_threads(pool); t++)
        CHECK_MSG(!wrong[t], "thread %u blocks faults or takes signals", (unsigned)t);
}

int main(void)
{
    static const uint32_t sizes[] = { 1, 2, 3, 7, 64 };
    struct ember_error err;

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct pool *pool = NULL;
        if (!CHECK_MSG(pool_new(&pool, sizes[i], &err) == EMBER_OK, "%s", err.message))
            continue;
        CHECK_UINT(pool_n_threads(pool), sizes[i]);
        check_pieces(pool);
        check_shrinking(pool);
        check_walks(pool);
        check_helped(pool);
        check_phases(pool);
        check_jobs(pool);
        check_teams(pool);
        check_signals(pool);
        pool_free(pool);

        /* Freed before it ever ran, and while its workers sleep. */
        CHECK(pool_new(&pool, sizes[i], NULL) == EMBER_OK);
        if (i % 2)
            nap(2);
        pool_free(pool);
    }
    struct pool *pool = NULL;
    CHECK_INT(pool_new(&pool, 0, &err), EMBER_INVALID);
    CHECK(pool == NULL && strlen(err.message) > 0);
    pool_free(NULL);
    return test_end();
}
