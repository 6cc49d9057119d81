/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statistics of tensor values against plain sums and a sort; where keys and the tensor table lie.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <ember/gguf.h>
#include <ember/tensor.h>

#include "image.h"
#include "test.h"

enum { MANY = 300007 };

static uint32_t next(uint32_t *seed)
{
    *seed = *seed * 1664525U + 1013904223U;
    return *seed;
}

static int by_value(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return x < y ? -1 : x > y;
}

/* A file of one F32 tensor. */
static struct ember_gguf *open_values(struct image *im, const float *x, size_t n)
{
    struct ember_error err = { 0 };
    struct ember_gguf *g = NULL;

    image_begin(im, 3, 1, 0);
    image_string(im, "t");
    image_uint(im, 4, 1);
    image_uint(im, 8, n);
    image_uint(im, 4, 0);
    image_uint(im, 8, 0);
    image_zeros(im, (32 - im->size % 32) % 32);
    for (size_t i = 0; i < n; i++)
        image_f32(im, x[i]);
    CHECK_MSG(ember_gguf_open_memory(&g, im->data, im->size, "t.gguf", false, &err) == EMBER_OK,
              "%s", err.message);
    return g;
}

/* All of a sample that is given as it was looked at. */
static void compare(const struct ember_tensor_stats *got, const float *x, size_t n)
{
    float *sorted = malloc((n ? n : 1) * sizeof *sorted);
    size_t finite = 0, nan = 0, infinite = 0, zero = 0;
    uint64_t binned = 0;
    long double sum = 0, squares = 0, far = 0;

    for (size_t i = 0; i < n; i++) {
        nan += isnan(x[i]) != 0;
        infinite += isinf(x[i]) != 0;
        if (!isfinite(x[i]))
            continue;
        zero += x[i] == 0;
        sorted[finite++] = x[i];
        sum += (long double)x[i];
        squares += (long double)x[i] * (long double)x[i];
    }
    CHECK_UINT(got->n, n);
    CHECK_UINT(got->n_nan, nan);
    CHECK_UINT(got->n_infinite, infinite);
    CHECK_UINT(got->n_zero, zero);
    for (unsigned b = 0; b < EMBER_STATS_BINS; b++)
        binned += got->bins[b];
    CHECK_UINT(binned, finite);
    if (!finite) {
        CHECK(got->min == 0 && got->max == 0 && got->mean == 0 && got->quantiles[3] == 0);
        free(sorted);
        return;
    }
    long double mean = sum / (long double)finite;
    for (size_t i = 0; i < finite; i++)
        far += ((long double)sorted[i] - mean) * ((long double)sorted[i] - mean);
    qsort(sorted, finite, sizeof *sorted, by_value);
    CHECK(got->min == sorted[0] && got->max == sorted[finite - 1]);
    CHECK(got->abs_max == fmaxf(fabsf(sorted[0]), fabsf(sorted[finite - 1])));
    double size = (double)got->abs_max;
    CHECK_NEAR(got->mean, (double)mean, 1e-12 * size, "mean of %zu", n);
    CHECK_NEAR(got->rms, (double)sqrtl(squares / (long double)finite), 1e-12 * size, "rms of %zu",
               n);
    CHECK_NEAR(got->deviation, (double)sqrtl(far / (long double)finite), 1e-12 * size,
               "deviation of %zu", n);
    for (unsigned q = 0; q < EMBER_STATS_QUANTILES; q++) {
        size_t rank = (size_t)ceil(ember_stats_quantile(q) * (double)finite);
        CHECK_MSG(got->quantiles[q] == sorted[rank ? rank - 1 : 0], "quantile %u of %zu", q, n);
    }
    /* The first and last bin, counted anew. */
    double width = ((double)got->max - (double)got->min) / EMBER_STATS_BINS;
    uint64_t last = 0;
    for (size_t i = 0; i < finite; i++)
        last += width > 0 && (double)sorted[i] >= (double)got->max - width * 0.999999;
    CHECK(width <= 0 ? got->bins[0] == finite
                     : got->bins[EMBER_STATS_BINS - 1] >= 1 &&
                           got->bins[EMBER_STATS_BINS - 1] <= last + 1);
    free(sorted);
}

static void test_exact(void)
{
    static const size_t sizes[] = { 0, 1, 2, 5, 4096, 65536, 65537, MANY };
    float *x = malloc(MANY * sizeof *x);

    for (unsigned kind = 0; kind < 6; kind++) {
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
            struct image im = { 0 };
            struct ember_tensor_stats stats;
            uint32_t seed = 7 + kind;

            for (size_t i = 0; i < sizes[s]; i++) {
                float u = (float)(next(&seed) >> 8) / (float)(1 << 24) - 0.5F;
                x[i] = kind == 0   ? u
                       : kind == 1 ? 1e6F + u /* a small spread far from zero */
                       : kind == 2 ? (float)(next(&seed) % 5) - 2
                       : kind == 3 ? -0.25F
                       : kind == 4 ? powf(u, 9) * 1e30F
                                   : u;
                if (kind == 5 && i % 3 == 0)
                    x[i] = i % 2 ? NAN : i % 4 ? INFINITY : -INFINITY;
            }
            struct ember_gguf *g = open_values(&im, x, sizes[s]);
            CHECK(ember_tensor_stats(&stats, g, ember_gguf_tensor(g, 0), 0, NULL, NULL) ==
                  EMBER_OK);
            compare(&stats, x, sizes[s]);
            ember_gguf_close(g);
            free(im.data);
        }
    }
    free(x);
}

static void test_sample(void)
{
    float *x = malloc(MANY * sizeof *x);
    struct image im = { 0 };
    struct ember_tensor_stats stats, all;
    uint32_t seed = 3;

    for (size_t i = 0; i < MANY; i++)
        x[i] = (float)i + (float)(next(&seed) % 100) / 1000;
    struct ember_gguf *g = open_values(&im, x, MANY);
    CHECK(ember_tensor_stats(&stats, g, ember_gguf_tensor(g, 0), 4 * 4096, NULL, NULL) == EMBER_OK);
    CHECK_UINT(stats.n, 4 * 4096);
    CHECK(stats.min == x[0]);        /* from the first value … */
    CHECK(stats.max == x[MANY - 1]); /* … to the last */
    CHECK(stats.quantiles[3] > MANY / 4 && stats.quantiles[3] < MANY / 4 * 3);
    /* As many as there are, or more: all of them. */
    CHECK(ember_tensor_stats(&stats, g, ember_gguf_tensor(g, 0), MANY + 4096, NULL, NULL) ==
          EMBER_OK);
    compare(&stats, x, MANY);
    CHECK(ember_tensor_stats(&all, g, ember_gguf_tensor(g, 0), 1, NULL, NULL) == EMBER_OK);
    CHECK_UINT(all.n, 2 * 4096);
    ember_gguf_close(g);
    free(im.data);
    free(x);
}

struct watch {
    double last;
    unsigned calls, most;
    bool back;
};

static bool watch_cb(double done, void *user_data)
{
    struct watch *w = user_data;
    w->back |= done < w->last || done > 1;
    w->last = done;
    return ++w->calls < w->most;
}

static void test_progress(void)
{
    float *x = calloc(MANY, sizeof *x);
    struct image im = { 0 };
    struct ember_error err = { 0 };
    struct ember_tensor_stats stats = { .n = 77 };
    struct watch w = { .most = 1000 };
    struct ember_progress progress = { watch_cb, &w };

    struct ember_gguf *g = open_values(&im, x, MANY);
    CHECK(ember_tensor_stats(&stats, g, ember_gguf_tensor(g, 0), 0, &progress, &err) == EMBER_OK);
    CHECK_UINT(stats.n, MANY);
    CHECK(w.calls == 2 * (MANY / 65536 + 1) && !w.back && w.last > 0.5);
    for (unsigned most = 1; most <= 7; most += 3) {
        w = (struct watch){ .most = most };
        stats.n = 77;
        CHECK(ember_tensor_stats(&stats, g, ember_gguf_tensor(g, 0), 0, &progress, &err) ==
              EMBER_CANCELLED);
        CHECK_UINT(stats.n, 77);
    }
    ember_gguf_close(g);
    free(im.data);
    free(x);
}

/* A quantized tensor of a real file: the values are those of ember_tensor_values(). */
static void test_real(void)
{
    char path[4096];
    struct ember_gguf *g = NULL;
    struct ember_tensor_stats stats;

    if (!test_model(path, "smollm2.gguf")) {
        test_missing("statistics of a real tensor", "no smollm2.gguf");
        return;
    }
    CHECK(ember_gguf_open(&g, path, true, NULL) == EMBER_OK);
    const struct ember_gguf_tensor *t = ember_gguf_find_tensor(g, "blk.3.ffn_down.weight");
    CHECK(t != NULL);
    float *x = malloc(t->n_elements * sizeof *x);
    CHECK(ember_tensor_values(g, t, 0, t->n_elements, x, NULL) == EMBER_OK);
    CHECK(ember_tensor_stats(&stats, g, t, 0, NULL, NULL) == EMBER_OK);
    compare(&stats, x, t->n_elements);
    free(x);
    ember_gguf_close(g);
}

/* Header, keys and table follow one another without a gap, up to the padding. */
static void test_places(void)
{
    for (uint32_t version = 1; version <= 3; version++) {
        struct image im = { 0 };
        struct ember_gguf *g = NULL;
        struct ember_gguf_place place;
        uint64_t at = version == 1 ? 16 : 24;

        image_begin(&im, version, 1, 3);
        image_key(&im, "a", 8);
        image_string(&im, "some text");
        image_key(&im, "bb", 4);
        image_uint(&im, 4, 5);
        image_key(&im, "", 9);
        image_uint(&im, 4, 8);
        image_uint(&im, im.length, 2);
        image_string(&im, "x");
        image_string(&im, "yz");
        uint64_t keys_end = im.size;
        image_string(&im, "t");
        image_uint(&im, 4, 1);
        image_uint(&im, im.dim, 8);
        image_uint(&im, 4, 0);
        image_uint(&im, 8, 0);
        uint64_t table_end = im.size;
        image_zeros(&im, (32 - im.size % 32) % 32 + 32);
        CHECK(ember_gguf_open_memory(&g, im.data, im.size, "t.gguf", true, NULL) == EMBER_OK);
        CHECK(ember_gguf_set(g, "added.key=u32:7", NULL) == EMBER_OK);
        for (uint64_t i = 0; i < 3; i++) {
            struct ember_text name = ember_gguf_key_name(g, i);
            CHECK(ember_gguf_key_place(g, i, &place));
            CHECK_UINT(place.offset, at);
            CHECK_MEM(im.data + place.offset + im.length, name.data, name.size);
            at += place.size;
        }
        CHECK_UINT(at, keys_end);
        CHECK(!ember_gguf_key_place(g, 3, &place));
        ember_gguf_table_place(g, &place);
        CHECK_UINT(place.offset, keys_end);
        CHECK_UINT(place.size, table_end - keys_end);
        ember_gguf_close(g);
        free(im.data);
    }
}

int main(void)
{
    test_exact();
    test_sample();
    test_progress();
    test_real();
    test_places();
    return test_end();
}
