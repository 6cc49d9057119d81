/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Each step of the sampler on vocabularies of many sizes and shapes, against its definition in
 * double precision with a full sort. Borders allow for the rounding of floats. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ember/sampler.h>

#include "test.h"

enum shape { NORMAL, FLAT, TIES, PEAK, RISING, FALLING, EQUAL, HOLES, SHAPE_COUNT };
static const size_t sizes[] = { 1, 2, 7, 64, 257, 1000, 5000, 40000 };
#define MAX_N 40000

static uint64_t random_state;

static double uniform(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (double)(random_state >> 11) * 0x1p-53;
}

static double normal(void)
{
    return sqrt(-2 * log(1 - uniform())) * cos(6.283185307179586 * uniform());
}

/* One vocabulary, sorted as the definitions want it. */
struct row {
    size_t n, n_finite;
    float logits[MAX_N];
    int32_t order[MAX_N]; /* best first, of equals the lowest id; NaN and −infinity last */
    double p[MAX_N];      /* by id */
};

static const float *sort_logits;

static int by_logit(const void *a, const void *b)
{
    int32_t i = *(const int32_t *)a, j = *(const int32_t *)b;
    float x = isnan(sort_logits[i]) ? -INFINITY : sort_logits[i];
    float y = isnan(sort_logits[j]) ? -INFINITY : sort_logits[j];
    return x != y ? (x < y) - (x > y) : (i > j) - (i < j);
}

static void describe(struct row *r)
{
    double sum = 0;
    r->n_finite = 0;
    for (size_t i = 0; i < r->n; i++)
        r->order[i] = (int32_t)i;
    sort_logits = r->logits;
    qsort(r->order, r->n, sizeof *r->order, by_logit);
    double max = (double)r->logits[r->order[0]];
    for (size_t i = 0; i < r->n; i++) {
        bool out = isnan(r->logits[i]) || r->logits[i] == -INFINITY;
        r->p[i] = out ? 0 : exp((double)r->logits[i] - max);
        sum += r->p[i];
        r->n_finite += !out;
    }
    for (size_t i = 0; i < r->n; i++)
        r->p[i] /= sum;
}

static void fill(struct row *r, size_t n, enum shape shape)
{
    r->n = n;
    random_state = 88172645463325252u + n * SHAPE_COUNT + shape;
    for (size_t i = 0; i < n; i++) {
        double x = 3 * normal();
        switch (shape) {
        case FLAT:
            x /= 300;
            break;
        case TIES:
            x = round(x);
            break;
        case PEAK:
            x += i == n / 2 ? 30 : 0;
            break;
        case RISING:
            x = (double)i / 1000;
            break;
        case FALLING:
            x = -(double)i / 1000;
            break;
        case EQUAL:
            x = 1.5;
            break;
        default:
            break;
        }
        r->logits[i] = (float)x;
        if (shape == HOLES && i % 3 != n % 3)
            r->logits[i] = i & 1 ? NAN : -INFINITY;
    }
    if (shape == HOLES && n < 3)
        r->logits[0] = 1;
    describe(r);
}

static struct row row;
static struct ember_candidate got[MAX_N];
static bool kept[MAX_N];

/* Runs one step on the row. Checks what holds for every answer; returns how many survive. */
static size_t run(const struct ember_sampler_params *params, const char *what)
{
    struct ember_sampler *sampler = NULL;
    struct ember_error err = { 0 };
    enum ember_status status = ember_sampler_new(&sampler, params, NULL, (uint32_t)row.n, &err);
    if (!CHECK_MSG(status == EMBER_OK, "%s: %s", what, err.message))
        return 0;
    size_t n = ember_sampler_candidates(sampler, row.logits, got, MAX_N);
    ember_sampler_free(sampler);

    double sum = 0;
    bool once = true, ordered = true;
    memset(kept, 0, sizeof kept);
    for (size_t i = 0; i < n; i++) {
        once = got[i].id >= 0 && (size_t)got[i].id < row.n && !kept[got[i].id];
        if (!once)
            break;
        kept[got[i].id] = true;
        sum += (double)got[i].p;
        ordered = ordered && (i == 0 || got[i].p <= got[i - 1].p);
    }
    if (!CHECK_MSG(once, "%s of %zu: an id out of range or twice", what, row.n))
        return 0;
    CHECK_MSG(n > 0, "%s of %zu: nothing is left", what, row.n);
    CHECK_MSG(ordered, "%s of %zu: not best first", what, row.n);
    CHECK_NEAR(sum, 1, 1e-4, "%s of %zu: the sum", what, row.n);
    return n;
}

static struct ember_sampler_params only(enum ember_sampler_step step)
{
    struct ember_sampler_params params;
    ember_sampler_defaults(&params, NULL);
    params.steps[0] = step;
    params.n_steps = 1;
    return params;
}

/* The answer is the first n of the sorted row. */
static bool is_prefix(size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!kept[row.order[i]])
            return false;
    }
    return true;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static void check_top_k(void)
{
    static const int32_t ks[] = { 1, 2, 5, 40, 300, 3000, 39999, INT32_MAX };
    for (size_t i = 0; i < sizeof ks / sizeof *ks; i++) {
        struct ember_sampler_params params = only(EMBER_SAMPLE_TOP_K);
        params.top_k = ks[i];
        size_t n = run(&params, "top-k");
        CHECK_UINT(n, smaller(row.n_finite, (size_t)ks[i]));
        CHECK_MSG(is_prefix(n), "top-%d of %zu: not the best", (int)ks[i], row.n);
    }
}

static void check_top_p(void)
{
    static const float ps[] = { 0, 0.1f, 0.5f, 0.9f, 0.999f };
    for (size_t i = 0; i < sizeof ps / sizeof *ps * 2; i++) {
        struct ember_sampler_params params = only(EMBER_SAMPLE_TOP_P);
        params.top_p = ps[i / 2];
        params.min_keep = i & 1 ? 20 : 0;
        size_t n = run(&params, "top-p");
        double before = 0, with;
        for (size_t j = 0; j + 1 < n; j++)
            before += row.p[row.order[j]];
        with = before + row.p[row.order[n - 1]];
        CHECK_MSG(is_prefix(n), "top-p %g of %zu: not the best", (double)params.top_p, row.n);
        CHECK_MSG(with >= (double)params.top_p - 1e-5 || n == row.n_finite,
                  "top-p %g of %zu: %g only", (double)params.top_p, row.n, with);
        CHECK_MSG(n == 1 || n <= params.min_keep || before < (double)params.top_p + 1e-5,
                  "top-p %g of %zu: %g would do", (double)params.top_p, row.n, before);
        CHECK(n >= smaller(params.min_keep, row.n_finite));
    }
}

static void check_min_p(void)
{
    static const float ps[] = { 1e-4f, 0.05f, 0.5f, 1 };
    double max = row.p[row.order[0]];
    for (size_t i = 0; i < sizeof ps / sizeof *ps * 2; i++) {
        struct ember_sampler_params params = only(EMBER_SAMPLE_MIN_P);
        params.min_p = ps[i / 2];
        params.min_keep = i & 1 ? 300 : 0;
        size_t n = run(&params, "min-p"), n_above = 0;
        CHECK_MSG(is_prefix(n), "min-p %g of %zu: not the best", (double)params.min_p, row.n);
        for (size_t j = 0; j < row.n; j++)
            n_above += row.p[j] >= (double)params.min_p * max * (1 + 1e-5);
        CHECK_MSG(n >= n_above, "min-p %g of %zu: too few", (double)params.min_p, row.n);
        CHECK_MSG(n <= params.min_keep ||
                      row.p[row.order[n - 1]] >= (double)params.min_p * max * (1 - 1e-5),
                  "min-p %g of %zu: too many", (double)params.min_p, row.n);
        CHECK(n >= smaller(params.min_keep, row.n_finite));
    }
}

static void check_typical(void)
{
    static const float ps[] = { 0, 0.2f, 0.6f, 0.95f };
    double entropy = 0;
    for (size_t i = 0; i < row.n; i++)
        entropy -= row.p[i] > 0 ? row.p[i] * log(row.p[i]) : 0;
    for (size_t i = 0; i < sizeof ps / sizeof *ps * 2; i++) {
        struct ember_sampler_params params = only(EMBER_SAMPLE_TYPICAL);
        params.typical_p = ps[i / 2];
        params.min_keep = i & 1 ? 10 : 0;
        size_t n = run(&params, "typical");
        double sum = 0, worst = -1, best_out = INFINITY, p_worst = 1;
        for (size_t j = 0; j < row.n; j++) {
            if (row.p[j] == 0)
                continue;
            double score = fabs(-log(row.p[j]) - entropy);
            if (!kept[j]) {
                best_out = fmin(best_out, score);
                continue;
            }
            sum += row.p[j];
            if (score > worst + 1e-9 || (score > worst - 1e-9 && row.p[j] < p_worst)) {
                worst = score;
                p_worst = row.p[j];
            }
        }
        CHECK_MSG(worst <= best_out + 1e-4, "typical %g of %zu: score %g stays, %g goes",
                  (double)params.typical_p, row.n, worst, best_out);
        CHECK_MSG(sum > (double)params.typical_p - 1e-5 || n == row.n_finite,
                  "typical %g of %zu: %g only", (double)params.typical_p, row.n, sum);
        CHECK_MSG(n == 1 || n <= params.min_keep ||
                      sum - p_worst <= (double)params.typical_p + 1e-5,
                  "typical %g of %zu: %g would do", (double)params.typical_p, row.n, sum - p_worst);
        CHECK(n >= smaller(params.min_keep, row.n_finite));
    }
}

static void check_top_n_sigma(void)
{
    double mean = 0, squares = 0, max = (double)row.logits[row.order[0]];
    for (size_t i = 0; i < row.n_finite; i++)
        mean += (double)row.logits[row.order[i]] / (double)row.n_finite;
    for (size_t i = 0; i < row.n_finite; i++)
        squares += pow((double)row.logits[row.order[i]] - mean, 2) / (double)row.n_finite;
    for (float sigmas = 0.5f; sigmas < 4; sigmas *= 2) {
        struct ember_sampler_params params = only(EMBER_SAMPLE_TOP_N_SIGMA);
        params.top_n_sigma = sigmas;
        size_t n = run(&params, "top-n-sigma");
        double least = max - (double)sigmas * sqrt(squares);
        CHECK(is_prefix(n));
        CHECK_MSG((double)row.logits[row.order[n - 1]] >= least - 1e-5, "%g sigma of %zu: too many",
                  (double)sigmas, row.n);
        CHECK_MSG(n == row.n_finite || (double)row.logits[row.order[n]] < least + 1e-5,
                  "%g sigma of %zu: too few", (double)sigmas, row.n);
    }
}

static void check_xtc(void)
{
    for (float threshold = 0.001f; threshold <= 0.5f; threshold *= 3) {
        struct ember_sampler_params params = only(EMBER_SAMPLE_XTC);
        params.xtc_probability = 1;
        params.xtc_threshold = threshold;
        size_t n_above = 0, n_near = 0;
        for (size_t i = 0; i < row.n; i++) {
            n_above += row.p[i] >= (double)threshold;
            n_near += fabs(row.p[i] - (double)threshold) < 1e-6;
        }
        if (n_near)
            continue; /* the float may fall on either side */
        size_t n = run(&params, "XTC"), gone = n_above > 1 ? n_above - 1 : 0;
        CHECK_UINT(n, row.n_finite - gone);
        for (size_t i = 0; i < row.n_finite; i++) {
            if (kept[row.order[i]] != (i >= gone)) {
                CHECK_MSG(false, "XTC %g of %zu: rank %zu", (double)threshold, row.n, i);
                break;
            }
        }
    }
}

/* Every p of the answer is exp(logit') / Σ exp(logit'), logit' given by id. */
static void check_p(const struct ember_sampler_params *params, const double *logits,
                    const char *what)
{
    size_t n = run(params, what);
    double max = -INFINITY, sum = 0, worst = 0;
    for (size_t i = 0; i < row.n; i++)
        max = fmax(max, logits[i]);
    for (size_t i = 0; i < row.n; i++)
        sum += exp(logits[i] - max);
    for (size_t i = 0; i < n; i++)
        worst = fmax(worst, fabs((double)got[i].p - exp(logits[got[i].id] - max) / sum));
    CHECK_NEAR(worst, 0, 2e-6, "%s of %zu: largest error of p", what, row.n);
    CHECK_UINT(n, row.n_finite);
}

static double changed[MAX_N];

static void reload(void)
{
    for (size_t i = 0; i < row.n; i++)
        changed[i] =
            row.p[i] == 0 && !(row.logits[i] > -INFINITY) ? -INFINITY : (double)row.logits[i];
}

static void check_temperature(void)
{
    for (float t = 0.25f; t <= 4; t *= 2) {
        struct ember_sampler_params params = only(EMBER_SAMPLE_TEMPERATURE);
        params.temperature = t;
        reload();
        for (size_t i = 0; i < row.n; i++)
            changed[i] /= (double)t;
        check_p(&params, changed, "temperature");
        if (row.n_finite < 2)
            continue;
        double entropy = 0;
        for (size_t i = 0; i < row.n; i++)
            entropy -= row.p[i] > 0 ? row.p[i] * log(row.p[i]) : 0;
        params.dynatemp_range = 0.2f;
        params.dynatemp_exponent = 1.5f;
        double low = (double)t - (double)0.2f, part = fmin(1, entropy / log((double)row.n));
        reload();
        for (size_t i = 0; i < row.n; i++)
            changed[i] /= low + 2 * (double)0.2f * pow(fmax(part, 0), 1.5);
        check_p(&params, changed, "dynamic temperature");
    }
    struct ember_sampler_params params = only(EMBER_SAMPLE_TEMPERATURE);
    params.temperature = 0;
    CHECK_UINT(run(&params, "greedy"), 1);
    CHECK_INT(got[0].id, row.order[0]);
}

static size_t suffix(const int32_t *x, size_t n, size_t p)
{
    size_t m = 0;
    while (m < p && x[p - 1 - m] == x[n - 1 - m])
        m++;
    return m;
}

/* Histories over few tokens, so that they repeat themselves. */
static void check_history_steps(size_t n_seen)
{
    int32_t seen[400];
    uint32_t counts[8] = { 0 };
    for (size_t i = 0; i < n_seen; i++)
        seen[i] = (int32_t)(uniform() * 3.2 > 3 ? 7 : (size_t)(uniform() * 3)) % (int32_t)row.n;

    for (int which = 0; which < 2; which++) {
        struct ember_sampler_params params =
            only(which ? EMBER_SAMPLE_DRY : EMBER_SAMPLE_PENALTIES);
        size_t window = smaller(n_seen, 150);
        const int32_t *x = seen + n_seen - window;
        params.penalty_last_n = params.dry_last_n = 150;
        reload();
        if (which == 0) {
            params.penalty_repeat = 1.3f;
            params.penalty_frequency = 0.01f;
            params.penalty_presence = 0.2f;
            for (size_t i = 0; i < window; i++)
                counts[x[i]]++;
            for (size_t id = 0; id < 8 && id < row.n; id++) {
                if (counts[id])
                    changed[id] = (changed[id] <= 0 ? changed[id] * (double)1.3f
                                                    : changed[id] / (double)1.3f) -
                                  counts[id] * (double)0.01f - (double)0.2f;
            }
        } else {
            size_t longest[8] = { 0 };
            params.dry_multiplier = 0.125f;
            params.dry_base = 1.25f;
            params.dry_allowed_length = 2;
            for (size_t p = 1; p < window; p++) {
                size_t m = suffix(x, window, p);
                longest[x[p]] = m > longest[x[p]] ? m : longest[x[p]];
            }
            for (size_t id = 0; id < 8 && id < row.n; id++) {
                if (longest[id] >= 2 && window > 2)
                    changed[id] -= 0.125 * pow(1.25, (double)longest[id] - 2);
            }
        }
        struct ember_sampler *sampler = NULL;
        CHECK(ember_sampler_new(&sampler, &params, NULL, (uint32_t)row.n, NULL) == EMBER_OK);
        for (size_t i = 0; i < n_seen; i++)
            ember_sampler_accept(sampler, seen[i]);
        size_t n = ember_sampler_candidates(sampler, row.logits, got, MAX_N);
        ember_sampler_free(sampler);
        double max = -INFINITY, sum = 0, worst = 0;
        for (size_t i = 0; i < row.n; i++)
            max = fmax(max, changed[i]);
        for (size_t i = 0; i < row.n; i++)
            sum += exp(changed[i] - max);
        for (size_t i = 0; i < n; i++)
            worst = fmax(worst, fabs((double)got[i].p - exp(changed[got[i].id] - max) / sum));
        CHECK_NEAR(worst, 0, 2e-6, "%s of %zu after %zu tokens", which ? "DRY" : "penalties", row.n,
                   n_seen);
    }
}

/* The default chain equals its steps one after the other on a sorted list. */
static void check_default_chain(void)
{
    struct ember_sampler_params params;
    ember_sampler_defaults(&params, NULL);
    size_t n = run(&params, "default chain"), k = smaller(40, row.n_finite), keep = 0;
    double sum = 0, cumulative = 0, total = 0, worst = 0;
    for (size_t i = 0; i < k; i++)
        sum += row.p[row.order[i]];
    while (keep < k && cumulative < 0.95 * sum)
        cumulative += row.p[row.order[keep++]];
    while (keep > 1 && row.p[row.order[keep - 1]] < 0.05 * row.p[row.order[0]])
        keep--;
    CHECK_MSG(n + 1 >= keep && n <= keep + 1, "default chain of %zu: %zu left, expected %zu", row.n,
              n, keep);
    CHECK(is_prefix(n));
    for (size_t i = 0; i < n; i++)
        total += pow(row.p[row.order[i]], 1 / (double)0.8f);
    for (size_t i = 0; i < n; i++)
        worst = fmax(worst,
                     fabs((double)got[i].p - pow(row.p[row.order[i]], 1 / (double)0.8f) / total));
    CHECK_NEAR(worst, 0, 1e-5, "default chain of %zu: largest error of p", row.n);
}

int main(void)
{
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        for (enum shape shape = 0; shape < SHAPE_COUNT; shape++) {
            fill(&row, sizes[i], shape);
            check_top_k();
            check_top_p();
            check_min_p();
            check_typical();
            check_top_n_sigma();
            check_xtc();
            check_temperature();
            check_default_chain();
            if (sizes[i] <= 1000) {
                for (size_t n_seen = 0; n_seen <= 400; n_seen += n_seen < 6 ? 1 : 97)
                    check_history_steps(n_seen);
            }
        }
    }
    return test_end();
}
