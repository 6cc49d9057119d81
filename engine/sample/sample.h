/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sample.h - the parts of a sampler: candidates, steps, the chain that runs them, random numbers.
 *
 * A chain belongs to one thread. Everything it needs is allocated by sample_chain_prepare(); a run
 * allocates nothing. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ember/error.h>
#include <ember/sampler.h>

/* Random numbers (rng.c): the Mersenne Twister MT19937, seeded with one 32-bit number. */
struct sample_rng {
    uint32_t state[624];
    uint32_t at;
};

void sample_rng_seed(struct sample_rng *rng, uint32_t seed);
/* Uniform in [0, 1): the upper 53 bits of two outputs. */
double sample_rng_uniform(struct sample_rng *rng);
/* A seed from the system. */
uint32_t sample_random_seed(void);

/* Candidates (candidates.c): the tokens still in the race and their logits.
 *
 * Logits are never NaN, +infinity or −0. While `dense` holds, candidate i is token i and `id` is
 * not filled in. `sorted`: best first, of equal logits the lowest id first. */
struct sample_candidates {
    size_t n;
    bool dense, sorted;
    float *logit;
    int32_t *id;
    /* scratch */
    float *score;           /* one number per candidate */
    float *block;           /* largest score of each block */
    uint32_t *count;        /* per token; all zero between steps */
    uint64_t *keys, *spare; /* what is being sorted: see sample_best() */
    size_t capacity;        /* the most candidates there can be */
};

enum ember_status sample_candidates_init(struct sample_candidates *c, size_t capacity,
                                         struct ember_error *err);
void sample_candidates_finish(struct sample_candidates *c);
/* Makes the first c->capacity tokens of `logits` the candidates. NaN becomes −infinity. */
void sample_candidates_load(struct sample_candidates *c, const float *logits);

static inline int32_t sample_id(const struct sample_candidates *c, size_t i)
{
    return c->dense ? (int32_t)i : c->id[i];
}

/* Restores what holds for logits: NaN and +infinity go. */
float sample_clean(float logit);
/* A logit made by arithmetic on a finite one: it stays finite, as −infinity means "no candidate".
 */
float sample_finite(double logit);
/* Index of the first largest logit. */
size_t sample_argmax(const struct sample_candidates *c);

/* exp(logit − max) summed over the candidates; sum 0 when all are at −infinity. */
struct sample_softmax {
    float max;
    double sum;
};
struct sample_softmax sample_softmax(const struct sample_candidates *c);

/* Sorting works on keys: the upper half orders by score, best first, the lower half by a number
 * (token id or position). Fills c->keys with the best min(n, k) of score[0..n), sorted, and returns
 * how many. The numbers are token ids, or positions when `by_position`. */
size_t sample_best(struct sample_candidates *c, const float *score, size_t n, size_t k,
                   bool by_position);
uint64_t sample_key(float score, uint32_t number);
float sample_key_score(uint64_t key);
/* Makes the first k keys (logit and token id) the candidates. */
void sample_adopt_keys(struct sample_candidates *c, size_t k, bool sorted);
/* Keeps the best k, sorted. */
void sample_keep_best(struct sample_candidates *c, size_t k);
/* Keeps candidate i alone. */
void sample_keep_one(struct sample_candidates *c, size_t i);
/* Keeps those with logit ≥ least, in the order they have. */
void sample_keep_from(struct sample_candidates *c, float least);

/* The tokens accepted last, in a ring. */
struct sample_history {
    int32_t *ids;
    size_t n, capacity, next;
};

/* The token accepted i tokens ago; i < n. */
static inline int32_t sample_history_at(const struct sample_history *h, size_t i)
{
    return h->ids[h->next > i ? h->next - 1 - i : h->next + h->capacity - 1 - i];
}

/* Sequence breakers of DRY (breakers.c): a head token, then the tokens of a tail, perhaps none. */
struct sample_breakers;
enum { SAMPLE_MAX_BREAKER_BYTES = 40, SAMPLE_MAX_BREAKER_TAIL = 20 };

/* From strings, looked for in the text of every token. */
enum ember_status sample_breakers_from_text(struct sample_breakers **out,
                                            const struct ember_tokenizer *tokenizer,
                                            const char *const *strings, size_t n,
                                            struct ember_error *err);
/* An empty set, to which sequences of n ≥ 1 tokens are added one by one. */
enum ember_status sample_breakers_new(struct sample_breakers **out, struct ember_error *err);
enum ember_status sample_breakers_add(struct sample_breakers *breakers, const int32_t *ids,
                                      size_t n, struct ember_error *err);
/* To be called after the last sequence, before anybody asks. */
void sample_breakers_sort(struct sample_breakers *breakers);
void sample_breakers_free(struct sample_breakers *breakers);
/* Whether the token alone is a breaker. */
bool sample_breakers_single(const struct sample_breakers *breakers, int32_t id);
/* If a breaker's head stands i tokens ago: the length of the longest tail that follows it there,
 * else −1. */
int sample_breakers_tail(const struct sample_breakers *breakers, const struct sample_history *h,
                         size_t i);

/* Steps of a chain. */
enum sample_kind {
    SAMPLE_BIAS,
    SAMPLE_PENALTIES,
    SAMPLE_DRY,
    SAMPLE_TOP_N_SIGMA,
    SAMPLE_TOP_K,
    SAMPLE_TYPICAL,
    SAMPLE_TOP_P,
    SAMPLE_MIN_P,
    SAMPLE_XTC,
    SAMPLE_TEMPERATURE
};

struct sample_bias {
    struct ember_logit_bias *items; /* owned by the step */
    size_t n;
};

struct sample_penalties {
    int32_t last_n;
    float repeat, frequency, presence;
};

struct sample_dry {
    float multiplier, base;
    int32_t allowed_length, last_n;
    struct sample_breakers *breakers; /* owned by the step; may be NULL */
};

struct sample_cut { /* typical, top-p, min-p */
    float p;
    size_t min_keep;
};

struct sample_xtc {
    float probability, threshold;
    size_t min_keep;
};

struct sample_temperature {
    float t, range, exponent;
};

struct sample_step {
    enum sample_kind kind;
    union {
        struct sample_bias bias;
        struct sample_penalties penalties;
        struct sample_dry dry;
        float n_sigma;
        int32_t top_k;
        struct sample_cut cut;
        struct sample_xtc xtc;
        struct sample_temperature temperature;
    };
};

/* Frees what the step owns. */
void sample_step_finish(struct sample_step *step);

/* penalties.c, dry.c, truncate.c, temperature.c: what each step does to the candidates. Each leaves
 * at least one. Steps that are off never get here. */
void sample_apply_bias(struct sample_candidates *c, const struct sample_bias *bias);
void sample_apply_penalties(struct sample_candidates *c, const struct sample_penalties *step,
                            const struct sample_history *h);
/* `z`: room for last_n numbers. */
void sample_apply_dry(struct sample_candidates *c, const struct sample_dry *step,
                      const struct sample_history *h, uint32_t *z);
void sample_apply_top_n_sigma(struct sample_candidates *c, float n_sigma);
void sample_apply_typical(struct sample_candidates *c, const struct sample_cut *step);
void sample_apply_top_p(struct sample_candidates *c, const struct sample_cut *step);
void sample_apply_min_p(struct sample_candidates *c, const struct sample_cut *step);
void sample_apply_xtc(struct sample_candidates *c, const struct sample_xtc *step,
                      struct sample_rng *rng);
void sample_apply_temperature(struct sample_candidates *c, const struct sample_temperature *step);
/* Picks a candidate with its probability; one random number. Returns its token id. */
int32_t sample_draw(struct sample_candidates *c, struct sample_rng *rng);

/* The chain (chain.c). Zero-initialised is empty. */
enum { SAMPLE_MAX_STEPS = 64 };
struct sample_chain {
    struct sample_step steps[SAMPLE_MAX_STEPS];
    size_t n_steps;
    struct sample_candidates candidates;
    struct sample_history history;
    struct sample_rng draw, xtc;
    uint32_t *z;
};

/* Adds a step at the end, or drops it if its parameters turn it off. Takes over what the step owns
 * in either case, and when there is no room. */
enum ember_status sample_chain_add(struct sample_chain *chain, const struct sample_step *step,
                                   struct ember_error *err);
/* To be called once, after the last step. `n_tokens`: tokens that can be chosen; `max_history`: the
 * most accepted tokens anybody will ask to look back on. */
enum ember_status sample_chain_prepare(struct sample_chain *chain, size_t n_tokens,
                                       size_t max_history, struct ember_error *err);
void sample_chain_finish(struct sample_chain *chain);
void sample_chain_seed(struct sample_chain *chain, uint32_t seed);
void sample_chain_accept(struct sample_chain *chain, int32_t id);
/* Leaves what survives in chain->candidates. */
void sample_chain_run(struct sample_chain *chain, const float *logits);
/* Those of them above −infinity, best first, with probabilities: see ember_sampler_candidates(). */
size_t sample_chain_survivors(struct sample_chain *chain, struct ember_candidate *out,
                              size_t capacity);

/* The public sampler: how many logits it reads; it chooses ids below that. */
size_t sample_n_tokens(const struct ember_sampler *sampler);
