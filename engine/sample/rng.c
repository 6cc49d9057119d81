/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MT19937 (Matsumoto and Nishimura, 1998) with the initialisation of 2002. The same seed gives the
 * same numbers on every machine. */
#include "sample/sample.h"

#include <sys/random.h>
#include <time.h>

enum { N = 624, M = 397 };

void sample_rng_seed(struct sample_rng *rng, uint32_t seed)
{
    rng->state[0] = seed;
    for (uint32_t i = 1; i < N; i++) {
        uint32_t previous = rng->state[i - 1];
        rng->state[i] = 1812433253u * (previous ^ previous >> 30) + i;
    }
    rng->at = N;
}

static uint32_t next(struct sample_rng *rng)
{
    uint32_t *s = rng->state;
    if (rng->at >= N) {
        for (uint32_t i = 0; i < N; i++) {
            uint32_t y = (s[i] & 0x80000000u) | (s[(i + 1) % N] & 0x7fffffffu);
            s[i] = s[(i + M) % N] ^ y >> 1 ^ (y & 1 ? 0x9908b0dfu : 0);
        }
        rng->at = 0;
    }
    uint32_t y = s[rng->at++];
    y ^= y >> 11;
    y ^= y << 7 & 0x9d2c5680u;
    y ^= y << 15 & 0xefc60000u;
    return y ^ y >> 18;
}

double sample_rng_uniform(struct sample_rng *rng)
{
    uint32_t high = next(rng) >> 5, low = next(rng) >> 6;
    return ((double)high * 0x1p26 + (double)low) * 0x1p-53;
}

uint32_t sample_random_seed(void)
{
    uint32_t seed;
    if (getrandom(&seed, sizeof seed, 0) == (ssize_t)sizeof seed)
        return seed;
    /* An old kernel or a sandbox: two samplers may then share a seed, which only makes them
     * alike. */
    struct timespec now = { 0 };
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint32_t)now.tv_sec * 2654435761u ^ (uint32_t)now.tv_nsec;
}
