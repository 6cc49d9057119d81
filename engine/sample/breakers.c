/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sample/sample.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/fail.h"

struct tail {
    size_t at, n; /* in `ids` */
};

struct head {
    int32_t id;
    uint32_t tail;
};

struct sample_breakers {
    struct head *heads; /* by id once sorted */
    size_t n_heads, heads_capacity;
    struct tail *tails;
    size_t n_tails, tails_capacity;
    int32_t *ids;
    size_t n_ids, ids_capacity;
    bool unsorted;
};

static bool reserve(void **items, size_t n, size_t more, size_t *capacity, size_t size)
{
    size_t wanted = *capacity ? *capacity : 16, bytes;
    while (wanted < n + more) {
        if (!mul_size(wanted, 2, &wanted))
            return false;
    }
    if (*items && wanted == *capacity)
        return true;
    if (!mul_size(wanted, size, &bytes))
        return false;
    void *grown = realloc(*items, bytes);
    if (!grown)
        return false;
    *items = grown;
    *capacity = wanted;
    return true;
}

/* Index of the new tail, or −1 when out of memory. */
static int64_t add_tail(struct sample_breakers *b, const int32_t *ids, size_t n)
{
    void *tails = b->tails, *all = b->ids;
    bool ok = reserve(&tails, b->n_tails, 1, &b->tails_capacity, sizeof *b->tails);
    b->tails = tails;
    ok = ok && reserve(&all, b->n_ids, n, &b->ids_capacity, sizeof *b->ids);
    b->ids = all;
    if (!ok || b->n_tails >= UINT32_MAX)
        return -1;
    if (n)
        memcpy(b->ids + b->n_ids, ids, n * sizeof *ids);
    b->tails[b->n_tails] = (struct tail){ b->n_ids, n };
    b->n_ids += n;
    return (int64_t)b->n_tails++;
}

static bool add_head(struct sample_breakers *b, int32_t id, uint32_t tail)
{
    void *heads = b->heads;
    bool ok = reserve(&heads, b->n_heads, 1, &b->heads_capacity, sizeof *b->heads);
    b->heads = heads;
    if (!ok)
        return false;
    b->unsorted = b->unsorted || (b->n_heads && b->heads[b->n_heads - 1].id > id);
    b->heads[b->n_heads++] = (struct head){ id, tail };
    return true;
}

enum ember_status sample_breakers_new(struct sample_breakers **out, struct ember_error *err)
{
    struct sample_breakers *b = calloc(1, sizeof *b);
    if (!b)
        return ember_fail(err, EMBER_NO_MEMORY, "sampler: out of memory");
    *out = b;
    return EMBER_OK;
}

void sample_breakers_free(struct sample_breakers *breakers)
{
    if (!breakers)
        return;
    free(breakers->heads);
    free(breakers->tails);
    free(breakers->ids);
    free(breakers);
}

static int by_id(const void *a, const void *b)
{
    const struct head *x = a, *y = b;
    return (x->id > y->id) - (x->id < y->id);
}

enum ember_status sample_breakers_add(struct sample_breakers *breakers, const int32_t *ids,
                                      size_t n, struct ember_error *err)
{
    int64_t tail = add_tail(breakers, ids + 1, n - 1);
    if (tail < 0 || !add_head(breakers, ids[0], (uint32_t)tail))
        return ember_fail(err, EMBER_NO_MEMORY, "sampler: out of memory");
    return EMBER_OK;
}

void sample_breakers_sort(struct sample_breakers *breakers)
{
    if (breakers->unsorted)
        qsort(breakers->heads, breakers->n_heads, sizeof *breakers->heads, by_id);
    breakers->unsorted = false;
}

/* One string while it is looked for in the vocabulary. A token that ends with the string's first
 * bytes heads a breaker whose tail is the tokenised rest; there are few different rests. */
struct needle {
    const char *text;
    size_t size;
    int64_t tails[SAMPLE_MAX_BREAKER_BYTES]; /* by length of the beginning; −1: not made yet */
};

static enum ember_status tail_of(struct sample_breakers *b, struct needle *needle, size_t size,
                                 const struct ember_tokenizer *tokenizer, struct ember_error *err)
{
    struct ember_span rest = { .text = { needle->text + size, needle->size - size } };
    struct ember_tokens tokens = { 0 };

    if (needle->tails[size] >= 0)
        return EMBER_OK;
    enum ember_status status = ember_tokenize(tokenizer, &rest, 1, false, &tokens, err);
    if (status == EMBER_OK) {
        size_t n = tokens.n < SAMPLE_MAX_BREAKER_TAIL ? tokens.n : SAMPLE_MAX_BREAKER_TAIL;
        needle->tails[size] = add_tail(b, tokens.ids, n);
        if (needle->tails[size] < 0)
            status = ember_fail(err, EMBER_NO_MEMORY, "sampler: out of memory");
    }
    ember_tokens_finish(&tokens);
    return status;
}

static enum ember_status match(struct sample_breakers *b, struct needle *needle, int32_t id,
                               struct ember_text text, const struct ember_tokenizer *tokenizer,
                               struct ember_error *err)
{
    enum ember_status status;
    if (memmem(text.data, text.size, needle->text, needle->size)) {
        if (needle->tails[0] < 0)
            needle->tails[0] = add_tail(b, NULL, 0);
        if (needle->tails[0] < 0 || !add_head(b, id, (uint32_t)needle->tails[0]))
            return ember_fail(err, EMBER_NO_MEMORY, "sampler: out of memory");
        return EMBER_OK;
    }
    for (size_t n = 1; n < needle->size && n <= text.size; n++) {
        if (memcmp(text.data + text.size - n, needle->text, n) != 0)
            continue;
        if ((status = tail_of(b, needle, n, tokenizer, err)) != EMBER_OK)
            return status;
        if (b->tails[needle->tails[n]].n && !add_head(b, id, (uint32_t)needle->tails[n]))
            return ember_fail(err, EMBER_NO_MEMORY, "sampler: out of memory");
    }
    return EMBER_OK;
}

enum ember_status sample_breakers_from_text(struct sample_breakers **out,
                                            const struct ember_tokenizer *tokenizer,
                                            const char *const *strings, size_t n,
                                            struct ember_error *err)
{
    struct sample_breakers *b = NULL;
    struct needle *needles = calloc(n ? n : 1, sizeof *needles);
    size_t n_needles = 0, capacity = 256;
    char *text = malloc(capacity);
    enum ember_status status;

    if (!needles || !text) {
        status = ember_fail(err, EMBER_NO_MEMORY, "sampler: out of memory");
        goto fail;
    }
    if ((status = sample_breakers_new(&b, err)) != EMBER_OK)
        goto fail;
    for (size_t i = 0; i < n; i++) {
        struct needle *needle = &needles[n_needles];
        needle->text = strings[i];
        needle->size = strnlen(strings[i], SAMPLE_MAX_BREAKER_BYTES);
        n_needles += needle->size > 0; /* an empty one would break everywhere */
        for (size_t j = 0; j < SAMPLE_MAX_BREAKER_BYTES; j++)
            needle->tails[j] = -1;
    }
    uint32_t n_tokens = ember_tokenizer_n_tokens(tokenizer);
    for (uint32_t id = 0; id < n_tokens && n_needles; id++) {
        size_t size = ember_detokenize_one(tokenizer, (int32_t)id, true, text, capacity);
        if (size > capacity) {
            char *grown = realloc(text, size);
            if (!grown) {
                status = ember_fail(err, EMBER_NO_MEMORY, "sampler: out of memory");
                goto fail;
            }
            text = grown;
            capacity = size;
            size = ember_detokenize_one(tokenizer, (int32_t)id, true, text, capacity);
        }
        struct ember_text piece = { text, size };
        for (size_t i = 0; i < n_needles; i++) {
            status = match(b, &needles[i], (int32_t)id, piece, tokenizer, err);
            if (status != EMBER_OK)
                goto fail;
        }
    }
    *out = b;
    b = NULL;
fail:
    sample_breakers_free(b);
    free(needles);
    free(text);
    return status;
}

/* The first head with this id, up to *end; equal to *end if there is none. */
static const struct head *find(const struct sample_breakers *b, int32_t id, const struct head **end)
{
    size_t low = 0, high = b->n_heads;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (b->heads[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    *end = b->n_heads ? b->heads + b->n_heads : NULL;
    return b->n_heads ? b->heads + low : NULL;
}

bool sample_breakers_single(const struct sample_breakers *breakers, int32_t id)
{
    const struct head *end;
    for (const struct head *head = find(breakers, id, &end); head < end && head->id == id; head++) {
        if (breakers->tails[head->tail].n == 0)
            return true;
    }
    return false;
}

int sample_breakers_tail(const struct sample_breakers *breakers, const struct sample_history *h,
                         size_t i)
{
    const struct head *end;
    int32_t id = sample_history_at(h, i);
    int longest = -1;
    for (const struct head *head = find(breakers, id, &end); head < end && head->id == id; head++) {
        const struct tail *tail = &breakers->tails[head->tail];
        size_t same = 0;
        if (tail->n > i)
            continue;
        while (same < tail->n &&
               breakers->ids[tail->at + same] == sample_history_at(h, i - 1 - same))
            same++;
        if (same == tail->n && tail->n <= INT_MAX && (int)tail->n > longest)
            longest = (int)tail->n;
    }
    return longest;
}
