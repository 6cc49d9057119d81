/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "sampling.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

#define PARAM(name) offsetof(struct sampling_options, params.name)

static const struct option sampling_table[] = {
    { .name = "--temp",
      .kind = OPTION_F32,
      .at = PARAM(temperature),
      .value = "T",
      .help = "temperature; 0: always the best token (default 0.8)" },
    { .name = "--seed",
      .kind = OPTION_U32,
      .at = PARAM(seed),
      .value = "S",
      .help = "makes the draws repeatable; -1: a new one each time (default)",
      .min = -1,
      .max = UINT32_MAX },
    { .name = "--top-k",
      .kind = OPTION_I32,
      .at = PARAM(top_k),
      .value = "K",
      .help = "keep the K best; 0: off (default 40)" },
    { .name = "--top-p",
      .kind = OPTION_F32,
      .at = PARAM(top_p),
      .value = "P",
      .help = "keep the best that together reach P; 1: off (default 0.95)" },
    { .name = "--min-p",
      .kind = OPTION_F32,
      .at = PARAM(min_p),
      .value = "P",
      .help = "keep those with P times the best one's share; 0: off (default 0.05)" },
    { .name = "--typical",
      .kind = OPTION_F32,
      .at = PARAM(typical_p),
      .value = "P",
      .help = "keep the most typical that together reach P; 1: off (default)" },
    { .name = "--top-n-sigma",
      .kind = OPTION_F32,
      .at = PARAM(top_n_sigma),
      .value = "N",
      .help = "keep logits within N deviations of the best; 0: off (default)" },
    { .name = "--xtc-probability",
      .kind = OPTION_F32,
      .at = PARAM(xtc_probability),
      .value = "P",
      .help = "chance of dropping the top choices; 0: off (default)" },
    { .name = "--xtc-threshold",
      .kind = OPTION_F32,
      .at = PARAM(xtc_threshold),
      .value = "P",
      .help = "share from which a token is a top choice (default 0.1)" },
    { .name = "--dynatemp-range",
      .kind = OPTION_F32,
      .at = PARAM(dynatemp_range),
      .value = "R",
      .help = "temperature varies this much with the entropy; 0: off (default)" },
    { .name = "--dynatemp-exp",
      .kind = OPTION_F32,
      .at = PARAM(dynatemp_exponent),
      .value = "E",
      .help = "exponent of that (default 1)" },
    { .name = "--repeat-penalty",
      .kind = OPTION_F32,
      .at = PARAM(penalty_repeat),
      .value = "R",
      .help = "penalty for repeated tokens; 1: off (default)" },
    { .name = "--repeat-last-n",
      .kind = OPTION_I32,
      .at = PARAM(penalty_last_n),
      .value = "N",
      .help = "tokens the penalties look back on; 0: off (default 64)" },
    { .name = "--presence-penalty",
      .kind = OPTION_F32,
      .at = PARAM(penalty_presence),
      .value = "X",
      .help = "penalty for a token that is there already (default 0)" },
    { .name = "--frequency-penalty",
      .kind = OPTION_F32,
      .at = PARAM(penalty_frequency),
      .value = "X",
      .help = "penalty for each time it is there (default 0)" },
    { .name = "--dry-multiplier",
      .kind = OPTION_F32,
      .at = PARAM(dry_multiplier),
      .value = "M",
      .help = "penalty for repeating sequences; 0: off (default)" },
    { .name = "--dry-base",
      .kind = OPTION_F32,
      .at = PARAM(dry_base),
      .value = "B",
      .help = "growth of it per token (default 1.75)" },
    { .name = "--dry-allowed-length",
      .kind = OPTION_I32,
      .at = PARAM(dry_allowed_length),
      .value = "N",
      .help = "repeats this long are free (default 2)" },
    { .name = "--dry-last-n",
      .kind = OPTION_I32,
      .at = PARAM(dry_last_n),
      .value = "N",
      .help = "tokens it looks back on; 0: off (default 64)" },
    { .name = "--dry-breaker",
      .kind = OPTION_LIST,
      .at = offsetof(struct sampling_options, breakers),
      .value = "S",
      .help = "text that ends a sequence, instead of the default four; again for more" },
    { .name = "--logit-bias",
      .kind = OPTION_LIST,
      .at = offsetof(struct sampling_options, biases),
      .value = "ID=B",
      .help = "add B to this token's logit (-inf bans it); again for more" },
    { .name = "--ignore-eos",
      .kind = OPTION_FLAG,
      .at = offsetof(struct sampling_options, ignore_eos),
      .help = "go on where the model would end" },
};

struct option_group sampling_option_group(struct sampling_options *sampling)
{
    return (struct option_group){ .title =
                                      "Sampling (a file's own recommendation replaces a default)",
                                  .options = sampling_table,
                                  .n = sizeof sampling_table / sizeof sampling_table[0],
                                  .base = sampling };
}

/* Reads "ID=B". */
static bool bias_read(const char *text, struct ember_logit_bias *out)
{
    const char *sign = strchr(text, '=');
    char id[16];
    int64_t integer;
    double bias;
    if (!sign || (size_t)(sign - text) >= sizeof id)
        return false;
    memcpy(id, text, (size_t)(sign - text));
    id[sign - text] = '\0';
    if (!integer_read(id, 0, INT32_MAX, &integer) ||
        !number_read(sign + 1, -INFINITY, INFINITY, &bias))
        return false;
    *out = (struct ember_logit_bias){ .id = (int32_t)integer, .bias = (float)bias };
    return true;
}

/* The given biases, and with --ignore-eos a ban on every token that ends an answer. */
static int biases_make(struct ember_logit_bias **out, size_t *n_out,
                       const struct sampling_options *sampling, const struct options *options,
                       const struct ember_tokenizer *tokenizer)
{
    uint32_t n_tokens = tokenizer && sampling->ignore_eos ? ember_tokenizer_n_tokens(tokenizer) : 0;
    size_t n = sampling->biases.n;
    for (uint32_t id = 0; id < n_tokens; id++)
        n += ember_tokenizer_is_end(tokenizer, (int32_t)id);

    struct ember_logit_bias *biases = calloc(n ? n : 1, sizeof *biases);
    if (!biases) {
        complain("out of memory");
        return STATUS_FAILED;
    }
    n = 0;
    for (size_t i = 0; i < sampling->biases.n; i++) {
        if (!bias_read(sampling->biases.items[i], &biases[n++])) {
            free(biases);
            return options_complain(options,
                                    "--logit-bias wants ID=B, such as 42=-1.5, not \"%.60s\"",
                                    sampling->biases.items[i]);
        }
    }
    for (uint32_t id = 0; id < n_tokens; id++) {
        if (ember_tokenizer_is_end(tokenizer, (int32_t)id))
            biases[n++] = (struct ember_logit_bias){ .id = (int32_t)id, .bias = -INFINITY };
    }
    *out = biases;
    *n_out = n;
    return STATUS_FINE;
}

int sampling_new(struct ember_sampler **out, const struct sampling_options *sampling,
                 const struct option_group *group, const struct options *options,
                 const struct ember_model *model)
{
    const struct ember_tokenizer *tokenizer = ember_model_tokenizer(model);
    struct sampling_options chosen = { 0 };
    struct ember_logit_bias *biases = NULL;
    size_t n_biases = 0;
    struct ember_error err = { 0 };
    int status = biases_make(&biases, &n_biases, sampling, options, tokenizer);
    if (status != STATUS_FINE)
        return status;

    ember_sampler_defaults(&chosen.params, ember_model_gguf(model));
    options_copy_given(group, &chosen);
    chosen.params.biases = biases;
    chosen.params.n_biases = n_biases;
    if (sampling->breakers.n) {
        chosen.params.dry_breakers = sampling->breakers.items;
        chosen.params.n_dry_breakers = sampling->breakers.n;
    }
    enum ember_status st =
        ember_sampler_new(out, &chosen.params, tokenizer, ember_model_n_vocab(model), &err);
    free(biases);
    if (st == EMBER_OK)
        return STATUS_FINE;
    if (st == EMBER_INVALID)
        return options_complain(options, "%s", err.message);
    return fail_with(&err);
}
