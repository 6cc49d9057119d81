/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/sample.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"

/* A block is what sample_best() skips as a whole. */
enum { MIN_BLOCK = 8, MAX_BLOCK = 256 };

enum ember_status sample_candidates_init(struct sample_candidates *c, size_t capacity,
                                         struct ember_error *err)
{
    size_t bytes;
    *c = (struct sample_candidates){ .capacity = capacity };
    if (capacity == 0 || capacity > INT32_MAX)
        return ember_fail(err, EMBER_INVALID,
                          "sampler: a vocabulary of %zu tokens, expected 1 to 2147483647",
                          capacity);
    if (!mul_size(capacity, sizeof *c->keys, &bytes))
        return ember_fail(err, EMBER_NO_MEMORY, "sampler: out of memory");
    c->logit = malloc(capacity * sizeof *c->logit);
    c->id = malloc(capacity * sizeof *c->id);
    c->score = malloc(capacity * sizeof *c->score);
    c->block = malloc((capacity / MIN_BLOCK + 1) * sizeof *c->block);
    c->count = calloc(capacity, sizeof *c->count);
    c->keys = malloc(bytes);
    c->spare = malloc(bytes);
    if (c->logit && c->id && c->score && c->block && c->count && c->keys && c->spare)
        return EMBER_OK;
    sample_candidates_finish(c);
    return ember_fail(err, EMBER_NO_MEMORY, "sampler: out of memory for a vocabulary of %zu tokens",
                      capacity);
}

void sample_candidates_finish(struct sample_candidates *c)
{
    free(c->logit);
    free(c->id);
    free(c->score);
    free(c->block);
    free(c->count);
    free(c->keys);
    free(c->spare);
    *c = (struct sample_candidates){ 0 };
}

/* In the bits of a float, because comparisons of integers become vectors. */
static inline float clean(float logit)
{
    const int32_t infinity = 0x7F800000, minus_zero = INT32_MIN;
    int32_t bits, low;

    memcpy(&bits, &logit, sizeof bits);
    low = bits & INT32_MAX;
    bits = bits == infinity ? infinity - 1 : bits;
    bits = bits == minus_zero ? 0 : bits;
    bits = low > infinity ? infinity | minus_zero : bits;
    memcpy(&logit, &bits, sizeof bits);
    return logit;
}

/* NaN → −infinity: no candidate. +infinity → the largest float, so that differences stay defined.
 * −0 → +0, so that equal logits have equal bits. */
float sample_clean(float logit)
{
    return clean(logit);
}

float sample_finite(double logit)
{
    logit = logit > (double)FLT_MAX ? (double)FLT_MAX : logit;
    logit = logit < -(double)FLT_MAX ? -(double)FLT_MAX : logit;
    return (float)logit + 0.0f;
}

void sample_candidates_load(struct sample_candidates *c, const float *logits)
{
    float *restrict to = c->logit;

    for (size_t i = 0; i < c->capacity; i++)
        to[i] = clean(logits[i]);
    c->n = c->capacity;
    c->dense = true;
    c->sorted = false;
}

/* Lanes that do not depend on each other, so that the compiler can use vectors. */
static float largest(const float *x, size_t n)
{
    float lane[16], max = -INFINITY;
    size_t i = 0;
    for (size_t j = 0; j < 16; j++)
        lane[j] = -INFINITY;
    for (; i + 16 <= n; i += 16) {
        for (size_t j = 0; j < 16; j++)
            lane[j] = x[i + j] > lane[j] ? x[i + j] : lane[j];
    }
    for (; i < n; i++)
        max = x[i] > max ? x[i] : max;
    for (size_t j = 0; j < 16; j++)
        max = lane[j] > max ? lane[j] : max;
    return max;
}

size_t sample_argmax(const struct sample_candidates *c)
{
    if (c->sorted)
        return 0;
    float max = largest(c->logit, c->n);
    size_t best = 0;
    while (c->logit[best] != max)
        best++;
    if (c->dense)
        return best;
    for (size_t i = best + 1; i < c->n; i++) {
        if (c->logit[i] == max && c->id[i] < c->id[best])
            best = i;
    }
    return best;
}

struct sample_softmax sample_softmax(const struct sample_candidates *c)
{
    struct sample_softmax s = { .max = c->sorted ? c->logit[0] : largest(c->logit, c->n) };
    if (s.max == -INFINITY)
        return s;
    for (size_t i = 0; i < c->n; i++)
        s.sum += (double)expf(c->logit[i] - s.max);
    return s;
}

/* A float's bits, ordered like the float when its sign is folded in; the complement puts the
 * largest first. */
uint64_t sample_key(float score, uint32_t number)
{
    uint32_t bits;
    memcpy(&bits, &score, sizeof bits);
    bits = bits >> 31 ? bits : bits ^ 0x7fffffffu;
    return (uint64_t)bits << 32 | number;
}

float sample_key_score(uint64_t key)
{
    uint32_t bits = (uint32_t)(key >> 32);
    float score;
    bits = bits >> 31 ? bits : bits ^ 0x7fffffffu;
    memcpy(&score, &bits, sizeof score);
    return score;
}

/* Ascending. Insertion for a few; else a radix sort by bytes that skips bytes all keys share, so
 * that no order of the input is slow. */
static void sort_keys(uint64_t *keys, uint64_t *spare, size_t n)
{
    uint32_t counts[8][256];
    uint64_t *from = keys, *to = spare;

    if (n <= 48) {
        for (size_t i = 1; i < n; i++) {
            uint64_t key = keys[i];
            size_t j = i;
            for (; j > 0 && keys[j - 1] > key; j--)
                keys[j] = keys[j - 1];
            keys[j] = key;
        }
        return;
    }
    memset(counts, 0, sizeof counts);
    for (size_t i = 0; i < n; i++) {
        for (int b = 0; b < 8; b++)
            counts[b][keys[i] >> 8 * b & 255]++;
    }
    for (int b = 0; b < 8; b++) {
        uint32_t *count = counts[b], sum = 0;
        if (count[from[0] >> 8 * b & 255] == n)
            continue;
        for (int digit = 0; digit < 256; digit++) {
            uint32_t here = count[digit];
            count[digit] = sum;
            sum += here;
        }
        for (size_t i = 0; i < n; i++)
            to[count[from[i] >> 8 * b & 255]++] = from[i];
        uint64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != keys)
        memcpy(keys, from, n * sizeof *keys);
}

/* Few of very many: the k-th largest of the blocks' maxima is a lower bound of the k-th largest
 * score (k blocks reach it), and only blocks that reach it need a second look. Of scores that equal
 * the bound, the first k are enough. */
size_t sample_best(struct sample_candidates *c, const float *score, size_t n, size_t k,
                   bool by_position)
{
    size_t block = k ? n / k / 4 : 0, n_keys = 0, n_equal = 0;
    float bound = -INFINITY;

    k = k < n ? k : n;
    if (block >= MIN_BLOCK) {
        block = block < MAX_BLOCK ? block : MAX_BLOCK;
        size_t n_blocks = 0;
        for (size_t i = 0; i < n; i += block, n_blocks++) {
            float max = largest(score + i, n - i < block ? n - i : block);
            c->block[n_blocks] = max;
            c->keys[n_blocks] = sample_key(max, (uint32_t)n_blocks);
        }
        sort_keys(c->keys, c->spare, n_blocks);
        bound = sample_key_score(c->keys[k - 1]);
    } else {
        block = n;
        c->block[0] = INFINITY;
    }
    for (size_t i = 0, b = 0; i < n; i += block, b++) {
        if (c->block[b] < bound)
            continue;
        size_t end = n - i < block ? n : i + block;
        for (size_t j = i; j < end; j++) {
            if (score[j] < bound || (score[j] == bound && n_equal++ >= k))
                continue;
            uint32_t number = by_position ? (uint32_t)j : (uint32_t)sample_id(c, j);
            c->keys[n_keys++] = sample_key(score[j], number);
        }
    }
    sort_keys(c->keys, c->spare, n_keys);
    return n_keys < k ? n_keys : k;
}

void sample_adopt_keys(struct sample_candidates *c, size_t k, bool sorted)
{
    for (size_t i = 0; i < k; i++) {
        c->logit[i] = sample_key_score(c->keys[i]);
        c->id[i] = (int32_t)(uint32_t)c->keys[i];
    }
    c->n = k;
    c->dense = false;
    c->sorted = sorted;
}

void sample_keep_best(struct sample_candidates *c, size_t k)
{
    if (c->sorted)
        c->n = k < c->n ? k : c->n;
    else
        sample_adopt_keys(c, sample_best(c, c->logit, c->n, k, false), true);
}

void sample_keep_one(struct sample_candidates *c, size_t i)
{
    c->id[0] = sample_id(c, i);
    c->logit[0] = c->logit[i];
    c->n = 1;
    c->dense = false;
    c->sorted = true;
}

void sample_keep_from(struct sample_candidates *c, float least)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (c->logit[i] < least)
            continue;
        c->id[n] = sample_id(c, i);
        c->logit[n++] = c->logit[i];
    }
    c->n = n;
    c->dense = false;
}
