/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Default parameters, and what a model file recommends instead. */
#include <ember/sampler.h>

#include <math.h>
#include <stddef.h>
#include <string.h>

/* The letters of general.sampling.sequence, by step. Others (i: infill, a: adaptive-p) name steps
 * that this chain does not have and are passed over. */
static const char letters[EMBER_SAMPLE_STEP_COUNT + 1] = "edskypmxt";

static const struct {
    const char *key;
    size_t offset;
    float low, high;
} floats[] = {
    { "general.sampling.top_p", offsetof(struct ember_sampler_params, top_p), 0, 1 },
    { "general.sampling.min_p", offsetof(struct ember_sampler_params, min_p), 0, 1 },
    { "general.sampling.xtc_probability", offsetof(struct ember_sampler_params, xtc_probability), 0,
      1 },
    { "general.sampling.xtc_threshold", offsetof(struct ember_sampler_params, xtc_threshold), 0,
      1 },
    { "general.sampling.temp", offsetof(struct ember_sampler_params, temperature), -1, 100 },
    { "general.sampling.penalty_repeat", offsetof(struct ember_sampler_params, penalty_repeat),
      0.01f, 100 },
};

static const struct {
    const char *key;
    size_t offset;
} integers[] = {
    { "general.sampling.top_k", offsetof(struct ember_sampler_params, top_k) },
    { "general.sampling.penalty_last_n", offsetof(struct ember_sampler_params, penalty_last_n) },
};

static void read_sequence(struct ember_sampler_params *params, struct ember_text sequence)
{
    enum ember_sampler_step steps[EMBER_SAMPLE_STEP_COUNT];
    bool seen[EMBER_SAMPLE_STEP_COUNT] = { false };
    size_t n = 0;

    for (size_t i = 0; i < sequence.size; i++) {
        const char *letter = memchr(letters, sequence.data[i], EMBER_SAMPLE_STEP_COUNT);
        if (!letter || seen[letter - letters])
            continue;
        seen[letter - letters] = true;
        steps[n++] = (enum ember_sampler_step)(letter - letters);
    }
    if (n == 0)
        return;
    memcpy(params->steps, steps, n * sizeof *steps);
    params->n_steps = n;
}

/* A file is not trusted: a value that makes no sense leaves the default. */
static void read_recommended(struct ember_sampler_params *params, const struct ember_gguf *gguf)
{
    char *base = (char *)params;
    for (size_t i = 0; i < sizeof floats / sizeof *floats; i++) {
        double value = ember_gguf_get_f64(gguf, floats[i].key, NAN);
        if (value >= (double)floats[i].low && value <= (double)floats[i].high) {
            float as_float = (float)value;
            memcpy(base + floats[i].offset, &as_float, sizeof as_float);
        }
    }
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
        int64_t value;
        if (!ember_gguf_i64(gguf, ember_gguf_find(gguf, integers[i].key), 0, &value))
            continue;
        if (value >= -1 && value <= 1 << 20) {
            int32_t as_int = (int32_t)value;
            memcpy(base + integers[i].offset, &as_int, sizeof as_int);
        }
    }
    read_sequence(params, ember_gguf_get_text(gguf, "general.sampling.sequence"));
}

void ember_sampler_defaults(struct ember_sampler_params *params, const struct ember_gguf *gguf)
{
    *params = (struct ember_sampler_params){
        .seed = EMBER_SEED_RANDOM,
        .temperature = 0.8f,
        .dynatemp_exponent = 1,
        .top_k = 40,
        .top_p = 0.95f,
        .min_p = 0.05f,
        .typical_p = 1,
        .top_n_sigma = -1,
        .xtc_threshold = 0.1f,
        .penalty_last_n = 64,
        .penalty_repeat = 1,
        .dry_base = 1.75f,
        .dry_allowed_length = 2,
        .dry_last_n = 64,
        .n_steps = EMBER_SAMPLE_STEP_COUNT,
    };
    for (size_t i = 0; i < EMBER_SAMPLE_STEP_COUNT; i++)
        params->steps[i] = (enum ember_sampler_step)i;
    if (gguf)
        read_recommended(params, gguf);
}
