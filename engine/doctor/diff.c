/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two files side by side. */
#include <ember/diff.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "gguf/gguf.h"
#include "quant/survey.h"

enum { VALUES = 1 << 16 }; /* at once; a multiple of every block */

struct ember_diff {
    const struct ember_gguf *first, *second;
    struct ember_diff_key *keys;
    size_t n_keys;
    struct ember_diff_tensor *tensors;
    size_t n_tensors;
    bool equal;
};

const char *ember_change_name(enum ember_change change)
{
    static const char *const names[] = { "same", "added", "removed", "changed" };
    return (unsigned)change < 4 ? names[change] : "unknown";
}

void ember_diff_free(struct ember_diff *diff)
{
    if (!diff)
        return;
    free(diff->keys);
    free(diff->tensors);
    free(diff);
}

static enum ember_status no_memory(struct ember_error *err)
{
    return ember_fail(err, EMBER_NO_MEMORY, "No memory left to compare two files.");
}

static bool same_text(struct ember_text a, struct ember_text b)
{
    return a.size == b.size && (!a.size || !memcmp(a.data, b.data, a.size));
}

/* Element `at` of two keys with one element type, which is no array. */
static bool same_element(const struct ember_diff *diff, const struct ember_diff_key *key,
                         uint64_t at)
{
    struct ember_text text_a, text_b;
    int64_t i_a, i_b;
    uint64_t u_a, u_b;
    double f_a, f_b;

    if (ember_gguf_text(diff->first, key->first, at, &text_a))
        return ember_gguf_text(diff->second, key->second, at, &text_b) && same_text(text_a, text_b);
    if (ember_gguf_i64(diff->first, key->first, at, &i_a))
        return ember_gguf_i64(diff->second, key->second, at, &i_b) && i_a == i_b;
    if (ember_gguf_u64(diff->first, key->first, at, &u_a))
        return ember_gguf_u64(diff->second, key->second, at, &u_b) && u_a == u_b;
    /* Bits, so that a NaN equals itself and the zeros differ. */
    return ember_gguf_f64(diff->first, key->first, at, &f_a) &&
           ember_gguf_f64(diff->second, key->second, at, &f_b) && !memcmp(&f_a, &f_b, sizeof f_a);
}

static void compare_key(const struct ember_diff *diff, struct ember_diff_key *key)
{
    uint64_t a = (uint64_t)key->first, b = (uint64_t)key->second;
    enum ember_gguf_type type = ember_gguf_key_element_type(diff->first, a);
    uint64_t n_a = ember_gguf_key_length(diff->first, a);
    uint64_t n_b = ember_gguf_key_length(diff->second, b), n = n_a < n_b ? n_a : n_b;

    key->change = EMBER_CHANGED;
    if (type != ember_gguf_key_element_type(diff->second, b) ||
        ember_gguf_key_type(diff->first, a) != ember_gguf_key_type(diff->second, b))
        return;
    if (type == EMBER_GGUF_ARRAY) {
        if (gguf_same_value(diff->first, a, diff->second, b))
            key->change = EMBER_SAME;
        return;
    }
    key->n_different = (n_a > n_b ? n_a : n_b) - n;
    key->first_different = n;
    for (uint64_t i = n; i-- > 0;) {
        if (!same_element(diff, key, i)) {
            key->n_different++;
            key->first_different = i;
        }
    }
    if (!key->n_different)
        key->change = EMBER_SAME;
}

static int64_t find_key(const struct ember_gguf *gguf, struct ember_text name)
{
    return gguf_find_key(gguf, name.data, name.size);
}

static enum ember_status compare_keys(struct ember_diff *diff, struct ember_error *err)
{
    uint64_t n_a = ember_gguf_info(diff->first)->n_keys;
    uint64_t n_b = ember_gguf_info(diff->second)->n_keys;

    diff->keys = calloc((size_t)(n_a + n_b) + 1, sizeof *diff->keys);
    if (!diff->keys)
        return no_memory(err);
    for (uint64_t i = 0; i < n_a; i++) {
        struct ember_diff_key key = { .change = EMBER_REMOVED,
                                      .name = ember_gguf_key_name(diff->first, i),
                                      .first = (int64_t)i };
        if (find_key(diff->first, key.name) != key.first)
            continue; /* of a repeated key the first one counts */
        key.second = find_key(diff->second, key.name);
        if (key.second >= 0)
            compare_key(diff, &key);
        if (key.change != EMBER_SAME)
            diff->keys[diff->n_keys++] = key;
    }
    for (uint64_t i = 0; i < n_b; i++) {
        struct ember_text name = ember_gguf_key_name(diff->second, i);
        if (find_key(diff->first, name) < 0 && find_key(diff->second, name) == (int64_t)i)
            diff->keys[diff->n_keys++] = (struct ember_diff_key){
                .change = EMBER_ADDED, .name = name, .first = -1, .second = (int64_t)i
            };
    }
    return EMBER_OK;
}

/* Sums in double over both tensors, window by window; `window` holds twice VALUES. */
static enum ember_status measure(struct ember_diff_error *out, const struct ember_gguf *first,
                                 const struct ember_gguf_tensor *one,
                                 const struct ember_gguf *second,
                                 const struct ember_gguf_tensor *other, float *window,
                                 const struct ember_progress *progress, double from, double to,
                                 struct ember_error *err)
{
    uint64_t n = one->n_elements;
    const struct quant_survey *survey = quant_survey(quant_level());
    struct quant_distance d = { 0 };
    float *a = window, *b = window + VALUES;

    for (uint64_t at = 0; at < n; at += VALUES) {
        size_t count = n - at < VALUES ? (size_t)(n - at) : VALUES;
        if (progress->report &&
            !progress->report(from + (to - from) * (double)at / (double)n, progress->user_data))
            return ember_fail(err, EMBER_CANCELLED, "The comparison was stopped.");
        enum ember_status st = ember_tensor_values(first, one, at, count, a, err);
        if (!st)
            st = ember_tensor_values(second, other, at, count, b, err);
        if (st)
            return st;
        survey->add_distance(&d, a, b, count);
    }
    out->n_different = d.n_different;
    out->relative_rms = d.dd == 0 ? 0 : d.aa == 0 ? INFINITY : sqrt(d.dd / d.aa);
    out->maximum = d.most;
    if (d.aa == 0 || d.bb == 0)
        out->cosine = d.aa == d.bb;
    else
        out->cosine = d.ab / sqrt(d.aa) / sqrt(d.bb);
    return EMBER_OK;
}

enum ember_status ember_diff_measure(struct ember_diff_error *out, const struct ember_gguf *first,
                                     const struct ember_gguf_tensor *a,
                                     const struct ember_gguf *second,
                                     const struct ember_gguf_tensor *b,
                                     const struct ember_progress *progress, struct ember_error *err)
{
    static const struct ember_progress nobody = { 0 };

    if (memcmp(a->ne, b->ne, sizeof a->ne) != 0)
        return ember_fail(err, EMBER_INVALID,
                          "The values of tensors of different shapes cannot be compared.");
    float *window = malloc(2 * VALUES * sizeof *window);
    if (!window)
        return no_memory(err);
    enum ember_status st =
        measure(out, first, a, second, b, window, progress ? progress : &nobody, 0, 1, err);
    free(window);
    return st;
}

static enum ember_status compare_values(struct ember_diff *diff,
                                        const struct ember_progress *progress,
                                        struct ember_error *err)
{
    enum ember_status st = EMBER_OK;
    double all = 0, done = 0;
    float *window = malloc(2 * VALUES * sizeof *window);

    if (!window)
        return no_memory(err);
    for (size_t i = 0; i < diff->n_tensors; i++) {
        struct ember_diff_tensor *t = &diff->tensors[i];
        if (t->first && t->second && !t->shape)
            all += (double)t->first->n_elements;
    }
    for (size_t i = 0; i < diff->n_tensors && !st; i++) {
        struct ember_diff_tensor *t = &diff->tensors[i];
        if (!t->first || !t->second || t->shape)
            continue;
        double end = done + (double)t->first->n_elements;
        st = measure(&t->error, diff->first, t->first, diff->second, t->second, window, progress,
                     all ? done / all : 1, all ? end / all : 1, err);
        t->compared = !st;
        if (t->compared && t->error.n_different)
            t->change = EMBER_CHANGED;
        done = end;
    }
    if (!st && progress->report)
        progress->report(1, progress->user_data);
    free(window);
    return st;
}

static enum ember_status compare_tensors(struct ember_diff *diff, struct ember_error *err)
{
    uint64_t n_a = ember_gguf_info(diff->first)->n_tensors;
    uint64_t n_b = ember_gguf_info(diff->second)->n_tensors;

    diff->tensors = calloc((size_t)(n_a + n_b) + 1, sizeof *diff->tensors);
    if (!diff->tensors)
        return no_memory(err);
    for (uint64_t i = 0; i < n_a; i++) {
        struct ember_diff_tensor *t = &diff->tensors[diff->n_tensors++];
        t->first = ember_gguf_tensor(diff->first, i);
        t->name = t->first->name;
        t->second = gguf_find_tensor(diff->second, t->name.data, t->name.size);
        t->change = EMBER_REMOVED;
        if (!t->second)
            continue;
        t->shape = memcmp(t->first->ne, t->second->ne, sizeof t->first->ne) != 0;
        t->type = t->first->type != t->second->type;
        t->size = t->first->n_bytes != t->second->n_bytes;
        t->change = t->shape || t->type || t->size ? EMBER_CHANGED : EMBER_SAME;
    }
    for (uint64_t i = 0; i < n_b; i++) {
        const struct ember_gguf_tensor *t = ember_gguf_tensor(diff->second, i);
        if (!gguf_find_tensor(diff->first, t->name.data, t->name.size))
            diff->tensors[diff->n_tensors++] =
                (struct ember_diff_tensor){ .change = EMBER_ADDED, .name = t->name, .second = t };
    }
    return EMBER_OK;
}

enum ember_status ember_diff_new(struct ember_diff **out, const struct ember_gguf *first,
                                 const struct ember_gguf *second,
                                 const struct ember_diff_params *params, struct ember_error *err)
{
    struct ember_diff *diff = calloc(1, sizeof *diff);

    if (!diff)
        return no_memory(err);
    diff->first = first;
    diff->second = second;
    enum ember_status st = compare_keys(diff, err);
    if (!st)
        st = compare_tensors(diff, err);
    if (!st && params && params->values)
        st = compare_values(diff, &params->progress, err);
    if (st) {
        ember_diff_free(diff);
        return st;
    }
    diff->equal = diff->n_keys == 0;
    for (size_t i = 0; i < diff->n_tensors; i++)
        diff->equal &= diff->tensors[i].change == EMBER_SAME;
    *out = diff;
    return EMBER_OK;
}

bool ember_diff_equal(const struct ember_diff *diff)
{
    return diff->equal;
}

size_t ember_diff_n_keys(const struct ember_diff *diff)
{
    return diff->n_keys;
}

const struct ember_diff_key *ember_diff_key(const struct ember_diff *diff, size_t index)
{
    return index < diff->n_keys ? &diff->keys[index] : NULL;
}

size_t ember_diff_n_tensors(const struct ember_diff *diff)
{
    return diff->n_tensors;
}

const struct ember_diff_tensor *ember_diff_tensor(const struct ember_diff *diff, size_t index)
{
    return index < diff->n_tensors ? &diff->tensors[index] : NULL;
}
