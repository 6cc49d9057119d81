/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two files out of one input, compared both ways: what one way adds the other removes, and each
 * file equals itself. */
#include "fuzz.h"

#include <ember/diff.h>

static void count(const struct ember_diff *diff, size_t counts[4])
{
    for (size_t i = 0; i < ember_diff_n_keys(diff); i++) {
        const struct ember_diff_key *key = ember_diff_key(diff, i);
        FUZZ_CHECK(key->change != EMBER_SAME);
        FUZZ_CHECK((key->first < 0) == (key->change == EMBER_ADDED));
        FUZZ_CHECK((key->second < 0) == (key->change == EMBER_REMOVED));
        counts[key->change]++;
    }
    for (size_t i = 0; i < ember_diff_n_tensors(diff); i++) {
        const struct ember_diff_tensor *t = ember_diff_tensor(diff, i);
        FUZZ_CHECK(!t->first == (t->change == EMBER_ADDED));
        FUZZ_CHECK(!t->second == (t->change == EMBER_REMOVED));
        counts[t->change]++;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct ember_gguf *a = NULL, *b = NULL;
    struct ember_diff *there = NULL, *back = NULL, *self = NULL;
    size_t counts[2][4] = { { 0 } };

    /* The same bytes with one changed, so that both are nearly always readable. */
    uint8_t *other = malloc(size + 1);
    FUZZ_CHECK(other);
    memcpy(other, data, size);
    if (size > 40)
        other[size / 2] ^= data[size - 1];
    if (!ember_gguf_open_memory(&a, data, size, "a", true, NULL) &&
        !ember_gguf_open_memory(&b, other, size, "b", true, NULL)) {
        FUZZ_CHECK(!ember_diff_new(&there, a, b, NULL, NULL));
        FUZZ_CHECK(!ember_diff_new(&back, b, a, NULL, NULL));
        FUZZ_CHECK(!ember_diff_new(&self, a, a, NULL, NULL));
        count(there, counts[0]);
        count(back, counts[1]);
        FUZZ_CHECK(counts[0][EMBER_ADDED] == counts[1][EMBER_REMOVED]);
        FUZZ_CHECK(counts[0][EMBER_REMOVED] == counts[1][EMBER_ADDED]);
        FUZZ_CHECK(counts[0][EMBER_CHANGED] == counts[1][EMBER_CHANGED]);
        FUZZ_CHECK(ember_diff_equal(self));
    }
    ember_diff_free(there);
    ember_diff_free(back);
    ember_diff_free(self);
    ember_gguf_close(a);
    ember_gguf_close(b);
    free(other);
    return 0;
}
