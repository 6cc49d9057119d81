/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many threads are chosen, on made-up machines: times are formulas and a seeded noise, no
 * clock.
 */
#include "base/tune.h"

#include "test.h"

static uint64_t state = 88172645463325252u;

static double noise(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) / 9007199254740992.0;
}

struct machine {
    const char *name;
    double cores_for_memory;       /* that saturate it; 0: never */
    double barrier;                /* per thread, as part of one thread's time for the job */
    uint32_t threads, least, most; /* there are, and where the choice may end */
};

static double job(const struct machine *m, uint32_t n, double length)
{
    double use = m->cores_for_memory && n > m->cores_for_memory ? m->cores_for_memory : n;
    double seconds = length * (1 / use + m->barrier * n);
    /* Up to 3 % always, and one job in five is disturbed. */
    seconds *= 1 + 0.03 * noise();
    return noise() < 0.2 ? seconds * (1 + noise()) : seconds;
}

static void test_machines(void)
{
    static const struct machine machines[] = {
        { "one thread", 0, 0, 1, 1, 1 },
        { "two threads that get in each other's way", 1, 0.5, 2, 2, 2 },
        { "four, no limit", 0, 0.0001, 4, 4, 4 },
        { "sixteen, no limit", 0, 0.0001, 16, 12, 16 },
        { "sixteen, six saturate memory", 6, 0.002, 16, 5, 9 },
        { "sixty-four, sixteen saturate memory", 16, 0.0004, 64, 12, 27 },
        { "sixty-four, barriers weigh", 0, 0.0008, 64, 27, 48 },
    };

    for (size_t i = 0; i < sizeof machines / sizeof machines[0]; i++) {
        const struct machine *m = &machines[i];
        struct tune tune;
        double spent = 0, ideal = 0, best = 1e9;
        uint32_t outside = 0, wrong = 0;

        for (uint32_t n = m->threads < 4 ? m->threads : 2; n <= m->threads; n++) {
            double use = m->cores_for_memory && n > m->cores_for_memory ? m->cores_for_memory : n;
            best = fmin(best, 1 / use + m->barrier * n);
        }
        tune_init(&tune, m->threads);
        CHECK_UINT(tune_threads(&tune), m->threads);
        for (int j = 0; j < 20000; j++) {
            double length = 1 + j / 20000.0; /* a context that becomes longer */
            uint32_t n = tune_threads(&tune);
            wrong += n < 1 || n > m->threads;
            double seconds = job(m, n, length);
            tune_note(&tune, seconds);
            if (j >= 5000) {
                spent += seconds;
                ideal += job(m, m->threads, 0) + length * best;
                outside += n < m->least || n > m->most;
            }
        }
        CHECK_MSG(wrong == 0, "%s: %u counts that there are not", m->name, wrong);
        CHECK_MSG(outside < 15000 / 10, "%s: %u of 15000 jobs outside %u to %u threads", m->name,
                  outside, m->least, m->most);
        /* Noise makes 11.7 % on average, whatever is chosen. */
        CHECK_MSG(spent / ideal < 1.17, "%s: takes %.3f of the best", m->name, spent / ideal);
    }
}

/* The machine changes under a running program: memory becomes free, cores become busy. */
static void test_changes(void)
{
    struct machine m = { "changing", 4, 0.002, 16, 0, 0 };
    struct tune tune;

    tune_init(&tune, 16);
    for (int j = 0; j < 6000; j++)
        tune_note(&tune, job(&m, tune_threads(&tune), 1));
    uint32_t few = tune.n;
    m.cores_for_memory = 0;
    m.barrier = 0.0001;
    for (int j = 0; j < 20000; j++)
        tune_note(&tune, job(&m, tune_threads(&tune), 1));
    CHECK_MSG(few <= 7 && tune.n >= 12, "%u, then %u threads", few, tune.n);
}

int main(void)
{
    test_machines();
    test_changes();
    return test_end();
}
