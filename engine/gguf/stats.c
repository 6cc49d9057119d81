/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistics of a tensor's values in two readings: the first finds moments, range and how many
 * values share the upper half of their bits; the second fills the histogram, whose range is known
 * then, and tells apart the values among which a quantile lies. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ember/tensor.h>

#include "base/fail.h"

enum {
    STRETCH = 4096,   /* values of a sample that lie together */
    WINDOW = 1 << 16, /* values that are read at once */
    HALVES = 1 << 16,
    LANES = 4
};

double ember_stats_quantile(unsigned index)
{
    static const double parts[EMBER_STATS_QUANTILES] = { 0.01, 0.05, 0.25, 0.5, 0.75, 0.95, 0.99 };

    return index < EMBER_STATS_QUANTILES ? parts[index] : 1;
}

struct survey {
    struct ember_tensor_stats *out;
    uint64_t n;           /* finite values */
    double mean, squares; /* Σ (x − mean)² */
    uint64_t *upper;      /* finite values by the upper half of their key */
    /* Second reading. */
    uint32_t wanted[EMBER_STATS_QUANTILES]; /* upper halves that hold a quantile, each once */
    unsigned n_wanted;
    uint8_t *which;  /* by upper half: 1 + index into `wanted`, or 0 */
    uint64_t *lower; /* for each of `wanted`, by the lower half */
    float *values;
    double width; /* bins per unit */
};

/* Keys have the order of their floats. */
static uint32_t key_of(float x)
{
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits & 0x80000000 ? ~bits : bits | 0x80000000;
}

static float float_of(uint32_t key)
{
    uint32_t bits = key & 0x80000000 ? key & 0x7FFFFFFF : ~key;
    float x;
    memcpy(&x, &bits, sizeof x);
    return x + 0.0F; /* no negative zero */
}

/* Moves the finite values to the front; returns how many there are. */
static size_t keep_finite(struct survey *s, float *x, size_t n, bool count)
{
    size_t kept = 0;
    for (size_t i = 0; i < n; i++) {
        float value = x[i];
        if (isfinite(value)) {
            x[kept++] = value;
        } else if (count) {
            s->out->n_nan += isnan(value) != 0;
            s->out->n_infinite += isnan(value) == 0;
        }
    }
    return kept;
}

/* Moments of the window, joined with those before by the formula for two samples, so that no large
 * sums are subtracted. */
static void add_moments(struct survey *s, const float *x, size_t n)
{
    double sum[LANES] = { 0 }, squares[LANES] = { 0 };
    size_t whole = n / LANES * LANES;

    for (size_t i = 0; i < whole; i += LANES)
        for (size_t k = 0; k < LANES; k++)
            sum[k] += (double)x[i + k];
    for (size_t i = whole; i < n; i++)
        sum[0] += (double)x[i];
    double mean = (sum[0] + sum[1] + sum[2] + sum[3]) / (double)n;
    for (size_t i = 0; i < whole; i += LANES) {
        for (size_t k = 0; k < LANES; k++) {
            double far = (double)x[i + k] - mean;
            squares[k] += far * far;
        }
    }
    for (size_t i = whole; i < n; i++)
        squares[0] += ((double)x[i] - mean) * ((double)x[i] - mean);
    double all = (double)(s->n + n), far = mean - s->mean;
    s->squares += squares[0] + squares[1] + squares[2] + squares[3] +
                  far * far * (double)s->n * (double)n / all;
    s->mean += far * (double)n / all;
}

static void first_reading(struct survey *s, float *x, size_t n)
{
    struct ember_tensor_stats *out = s->out;

    out->n += n;
    n = keep_finite(s, x, n, true);
    if (!n)
        return;
    float min = s->n ? out->min : x[0], max = s->n ? out->max : x[0];
    uint64_t zeros = 0;
    for (size_t i = 0; i < n; i++) {
        min = x[i] < min ? x[i] : min;
        max = x[i] > max ? x[i] : max;
        zeros += x[i] == 0.0F;
    }
    for (size_t i = 0; i < n; i++)
        s->upper[key_of(x[i]) >> 16]++;
    out->min = min;
    out->max = max;
    out->n_zero += zeros;
    add_moments(s, x, n);
    s->n += n;
}

/* The rank of a quantile, from 1. */
static uint64_t rank_of(double part, uint64_t n)
{
    double rank = ceil(part * (double)n);
    if (rank < 1)
        return 1;
    return rank < (double)n ? (uint64_t)rank : n;
}

/* Which upper half the value of that rank has, and how many values are before it. */
static uint32_t find_upper(const struct survey *s, uint64_t rank, uint64_t *before)
{
    uint32_t upper = 0;
    for (*before = 0; *before + s->upper[upper] < rank; upper++)
        *before += s->upper[upper];
    return upper;
}

static void between_readings(struct survey *s)
{
    struct ember_tensor_stats *out = s->out;
    double span = (double)out->max - (double)out->min, n = (double)s->n;

    out->abs_max = fabsf(out->min) > fabsf(out->max) ? fabsf(out->min) : fabsf(out->max);
    out->mean = s->mean;
    out->deviation = sqrt(s->squares / n);
    out->rms = sqrt(s->squares / n + s->mean * s->mean);
    s->width = span > 0 ? EMBER_STATS_BINS / span : 0;
    for (unsigned q = 0; q < EMBER_STATS_QUANTILES; q++) {
        uint64_t before;
        uint32_t upper = find_upper(s, rank_of(ember_stats_quantile(q), s->n), &before);
        if (!s->which[upper]) {
            s->wanted[s->n_wanted++] = upper;
            s->which[upper] = (uint8_t)s->n_wanted;
        }
    }
}

static void second_reading(struct survey *s, float *x, size_t n)
{
    struct ember_tensor_stats *out = s->out;

    n = keep_finite(s, x, n, false);
    for (size_t i = 0; i < n; i++) {
        double at = ((double)x[i] - (double)out->min) * s->width;
        /* Below 0 only if the file has changed since the first reading. */
        unsigned bin = at >= EMBER_STATS_BINS ? EMBER_STATS_BINS - 1 : at > 0 ? (unsigned)at : 0;
        out->bins[bin]++;
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t key = key_of(x[i]);
        unsigned which = s->which[key >> 16];
        if (which)
            s->lower[(size_t)(which - 1) * HALVES + (key & 0xFFFF)]++;
    }
}

static void finish_quantiles(struct survey *s)
{
    for (unsigned q = 0; q < EMBER_STATS_QUANTILES; q++) {
        uint64_t rank = rank_of(ember_stats_quantile(q), s->n), before;
        uint32_t upper = find_upper(s, rank, &before), low = 0;
        const uint64_t *lower = s->lower + (size_t)(s->which[upper] - 1) * HALVES;
        while (low + 1 < HALVES && before + lower[low] < rank)
            before += lower[low++];
        s->out->quantiles[q] = float_of(upper << 16 | low);
    }
}

/* One reading of all that is looked at. `half` is 0 or 1. */
static enum ember_status read_all(struct survey *s, const struct ember_gguf *g,
                                  const struct ember_gguf_tensor *t, uint64_t n_stretches,
                                  unsigned half, const struct ember_progress *progress,
                                  struct ember_error *err)
{
    uint32_t length = 1, n_bytes = 0;
    uint64_t n_steps = n_stretches;
    enum ember_status st = EMBER_OK;

    if (!ember_tensor_block(t->type, &length, &n_bytes))
        return ember_fail(err, EMBER_INVALID, "A tensor of type %u has no values to read.",
                          (unsigned)t->type);
    if (!n_stretches)
        n_steps = t->n_elements / WINDOW + (t->n_elements % WINDOW != 0);
    for (uint64_t i = 0; i < n_steps && !st; i++) {
        uint64_t first = i * WINDOW;
        size_t n = WINDOW;
        if (n_stretches) {
            /* Evenly from the first value to the last, each at the beginning of a block. */
            double step = (double)(t->n_elements - STRETCH) / (double)(n_stretches - 1);
            first = (uint64_t)(step * (double)i);
            first = first < t->n_elements - STRETCH ? first : t->n_elements - STRETCH;
            first -= first % length;
            n = STRETCH;
        } else if (t->n_elements - first < n) {
            n = (size_t)(t->n_elements - first);
        }
        if (progress && progress->report &&
            !progress->report((half + (double)i / (double)n_steps) / 2, progress->user_data))
            return ember_fail(err, EMBER_CANCELLED, "The statistics were stopped.");
        st = ember_tensor_values(g, t, first, n, s->values, err);
        if (!st && half == 0)
            first_reading(s, s->values, n);
        else if (!st)
            second_reading(s, s->values, n);
    }
    return st;
}

enum ember_status ember_tensor_stats(struct ember_tensor_stats *out, const struct ember_gguf *g,
                                     const struct ember_gguf_tensor *t, uint64_t sample,
                                     const struct ember_progress *progress, struct ember_error *err)
{
    struct ember_tensor_stats stats = { 0 };
    struct survey s = { .out = &stats };
    /* Fewer than two would not reach from one end to the other. */
    uint64_t n_stretches = sample && sample < 2 * STRETCH ? 2 : sample / STRETCH;
    enum ember_status st;

    if (n_stretches && t->n_elements <= n_stretches * STRETCH)
        n_stretches = 0;
    s.upper = calloc(HALVES, sizeof *s.upper);
    s.lower = calloc((size_t)HALVES * EMBER_STATS_QUANTILES, sizeof *s.lower);
    s.which = calloc(HALVES, sizeof *s.which);
    s.values = malloc(WINDOW * sizeof *s.values);
    if (!s.upper || !s.lower || !s.which || !s.values) {
        st = ember_fail(err, EMBER_NO_MEMORY, "No memory left for statistics of a tensor.");
        goto end;
    }
    st = read_all(&s, g, t, n_stretches, 0, progress, err);
    if (!st && s.n) {
        between_readings(&s);
        st = read_all(&s, g, t, n_stretches, 1, progress, err);
        if (!st)
            finish_quantiles(&s);
    }
    if (!st)
        *out = stats;
end:
    free(s.upper);
    free(s.lower);
    free(s.which);
    free(s.values);
    return st;
}
