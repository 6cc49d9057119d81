/* SPDX-License-Identifier: GPL-3.0-or-later */
/* sampler.h - choosing the next token from logits.
 *
 * The default chain, in this order: logit bias, penalties, DRY, top-n-sigma, top-k, typical, top-p,
 * min-p, XTC, temperature (with dynamic range), draw. Definitions: Llama.cpp's of 2026, restated
 * beside each function in engine/sample. NaN counts as -infinity; when nothing may be chosen the
 * lowest id is. Random numbers: MT19937, one draw per token; the same seed, logits and history
 * always give the same token. A sampler belongs to one thread; it allocates nothing per token. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ember/error.h>
#include <ember/gguf.h>
#include <ember/tokenizer.h>

#define EMBER_SEED_RANDOM UINT32_MAX

struct ember_logit_bias {
    int32_t id;
    float bias; /* added to the logit; -INFINITY bans the token */
};

/* Steps of the chain. */
enum ember_sampler_step {
    EMBER_SAMPLE_PENALTIES,
    EMBER_SAMPLE_DRY,
    EMBER_SAMPLE_TOP_N_SIGMA,
    EMBER_SAMPLE_TOP_K,
    EMBER_SAMPLE_TYPICAL,
    EMBER_SAMPLE_TOP_P,
    EMBER_SAMPLE_MIN_P,
    EMBER_SAMPLE_XTC,
    EMBER_SAMPLE_TEMPERATURE,
    EMBER_SAMPLE_STEP_COUNT
};

/* Start from ember_sampler_defaults(); a zeroed struct is not the default. */
struct ember_sampler_params {
    uint32_t seed;        /* EMBER_SEED_RANDOM: one from the system */
    float temperature;    /* ≤ 0: greedy */
    float dynatemp_range; /* 0: plain temperature */
    float dynatemp_exponent;
    int32_t top_k;         /* ≤ 0: off */
    float top_p;           /* 1: off */
    float min_p;           /* 0: off */
    float typical_p;       /* 1: off */
    float top_n_sigma;     /* ≤ 0: off */
    float xtc_probability; /* 0: off */
    float xtc_threshold;
    int32_t penalty_last_n; /* tokens looked back on; ≤ 0: off */
    float penalty_repeat;   /* 1: off */
    float penalty_frequency;
    float penalty_presence;
    float dry_multiplier; /* 0: off */
    float dry_base;
    int32_t dry_allowed_length;
    int32_t dry_last_n; /* ≤ 0: off */
    size_t min_keep;    /* candidates that top-p, min-p, typical and XTC always leave */
    const char *const *dry_breakers; /* strings; NULL with n 0: the default four */
    size_t n_dry_breakers;
    const struct ember_logit_bias *biases; /* copied */
    size_t n_biases;
    enum ember_sampler_step steps[EMBER_SAMPLE_STEP_COUNT]; /* the order; default as above */
    size_t n_steps;
};

/* The defaults, with what the file recommends (general.sampling.*, where it makes sense) when
 * `gguf` is not NULL. */
EMBER_API void ember_sampler_defaults(struct ember_sampler_params *params,
                                      const struct ember_gguf *gguf);

struct ember_sampler;

/* `params` NULL: the defaults. `tokenizer` may be NULL (no DRY breakers from text, nothing
 * suppressed). `n_vocab` is the number of logits per row; ids at or above the tokenizer's count are
 * never chosen. EMBER_INVALID names the parameter that makes no sense, what it is and what it may
 * be. */
EMBER_API enum ember_status ember_sampler_new(struct ember_sampler **out,
                                              const struct ember_sampler_params *params,
                                              const struct ember_tokenizer *tokenizer,
                                              uint32_t n_vocab, struct ember_error *err);
EMBER_API void ember_sampler_free(struct ember_sampler *sampler);

/* Forgets the history and seeds anew (EMBER_SEED_RANDOM: with another number). */
EMBER_API void ember_sampler_reset(struct ember_sampler *sampler);
/* Tells the histories about a token (of the prompt or generated). */
EMBER_API void ember_sampler_accept(struct ember_sampler *sampler, int32_t id);
/* Chooses a token from n_vocab logits, which are not changed. Does not accept it. */
EMBER_API int32_t ember_sampler_sample(struct ember_sampler *sampler, const float *logits);

struct ember_candidate {
    int32_t id;
    float p;
};
/* What survives the chain, with probabilities (softmax over the survivors), best first; candidates
 * at -INFINITY are left out. Returns how many there are and writes at most `capacity`. */
EMBER_API size_t ember_sampler_candidates(struct ember_sampler *sampler, const float *logits,
                                          struct ember_candidate *out, size_t capacity);

/* Runs `CASES.json` of the reference format: appends one result per case to `writer` as a JSON
 * array; a case naming an unknown sampler answers {"name", "error"}. For tests and the tool. */
struct ember_json;
struct ember_json_writer;
EMBER_API enum ember_status ember_sampler_run_cases(const struct ember_json *cases,
                                                    struct ember_json_writer *writer,
                                                    struct ember_error *err);
