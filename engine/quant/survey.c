/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Loops over vectors; sums in lanes whose number is fixed, so that the order of additions is, too.
 */
#include "quant/survey.h"

#include <math.h>
#include <string.h>

#if defined(__AVX2__)
enum { WIDTH = 4 };
#else
enum { WIDTH = 2 };
#endif
enum { LANES = 4, SETS = LANES / WIDTH };
typedef float floats __attribute__((vector_size(4 * WIDTH)));
typedef double doubles __attribute__((vector_size(8 * WIDTH)));
typedef int64_t masks __attribute__((vector_size(8 * WIDTH)));
typedef int32_t counts __attribute__((vector_size(4 * WIDTH)));

static uint32_t bits_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static size_t count_bad(const float *x, size_t n, bool *any_value)
{
    uint32_t any = 0, bad = 0;
    size_t n_bad = 0;

    for (size_t i = 0; i < n;) {
        size_t end = n - i < 1 << 16 ? n : i + (1 << 16);
        for (bad = 0; i < end; i++) {
            uint32_t bits = bits_of(x[i]) & 0x7FFFFFFF;
            any |= bits;
            bad += bits >= 0x7F800000;
        }
        n_bad += bad;
    }
    *any_value = any != 0;
    return n_bad;
}

static floats load(const float *x)
{
    floats v;
    memcpy(&v, x, sizeof v);
    return v;
}

/* The larger one; a NaN stays. */
static double larger(double a, double b)
{
    return b > a || b != b ? b : a;
}

static void add_distance(struct quant_distance *d, const float *a, const float *b, size_t n)
{
    doubles aa[SETS] = { 0 }, bb[SETS] = { 0 }, ab[SETS] = { 0 }, dd[SETS] = { 0 };
    doubles most[SETS] = { 0 };
    counts same[SETS] = { 0 };
    size_t i = 0;

    for (; i + LANES <= n; i += LANES) {
        for (unsigned s = 0; s < SETS; s++) {
            floats p = load(a + i + WIDTH * s), q = load(b + i + WIDTH * s);
            doubles x = __builtin_convertvector(p, doubles);
            doubles y = __builtin_convertvector(q, doubles);
            doubles far = y - x;
            aa[s] += x * x;
            bb[s] += y * y;
            ab[s] += x * y;
            dd[s] += far * far;
            masks distance = (masks)far & INT64_MAX;
            masks take = ((doubles)distance > most[s]) | ((doubles)distance != (doubles)distance);
            most[s] = (doubles)((distance & take) | ((masks)most[s] & ~take));
            same[s] -= (counts)p == (counts)q; /* a set mask is -1 */
        }
    }
    d->n_different += i;
    for (; i < n; i++) {
        double x = a[i], y = b[i], far = y - x;
        aa[0][0] += x * x;
        bb[0][0] += y * y;
        ab[0][0] += x * y;
        dd[0][0] += far * far;
        most[0][0] = larger(most[0][0], fabs(far));
        d->n_different += bits_of(a[i]) != bits_of(b[i]);
    }
    for (unsigned k = 0; k < LANES; k++) {
        unsigned s = k / WIDTH, lane = k % WIDTH;
        d->aa += aa[s][lane];
        d->bb += bb[s][lane];
        d->ab += ab[s][lane];
        d->dd += dd[s][lane];
        d->most = larger(d->most, most[s][lane]);
        d->n_different -= (uint32_t)same[s][lane];
    }
}

#if defined(QUANT_FAST_AVX2)
const struct quant_survey quant_survey_avx2 = { count_bad, add_distance };
#else
const struct quant_survey quant_survey_plain = { count_bad, add_distance };
#endif
