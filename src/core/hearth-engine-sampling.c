/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-engine-sampling.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

enum kind
{
  KIND_NONE, /* not the sampler's */
  KIND_FLOAT,
  KIND_INTEGER,
  KIND_SEED,
};

#define AT(name) offsetof (struct ember_sampler_params, name)

/* Where the engine keeps a parameter, and the key a file recommends it by. */
static const struct
{
  enum kind kind;
  gsize offset;
  const char *key;
} places[HEARTH_N_PARAMETERS] = {
  [HEARTH_PARAMETER_TEMPERATURE] = { KIND_FLOAT, AT (temperature), "general.sampling.temp" },
  [HEARTH_PARAMETER_TOP_P] = { KIND_FLOAT, AT (top_p), "general.sampling.top_p" },
  [HEARTH_PARAMETER_MIN_P] = { KIND_FLOAT, AT (min_p), "general.sampling.min_p" },
  [HEARTH_PARAMETER_TOP_K] = { KIND_INTEGER, AT (top_k), "general.sampling.top_k" },
  [HEARTH_PARAMETER_TYPICAL_P] = { KIND_FLOAT, AT (typical_p), NULL },
  [HEARTH_PARAMETER_TOP_N_SIGMA] = { KIND_FLOAT, AT (top_n_sigma), NULL },
  [HEARTH_PARAMETER_DYNATEMP_RANGE] = { KIND_FLOAT, AT (dynatemp_range), NULL },
  [HEARTH_PARAMETER_DYNATEMP_EXPONENT] = { KIND_FLOAT, AT (dynatemp_exponent), NULL },
  [HEARTH_PARAMETER_XTC_PROBABILITY] = { KIND_FLOAT, AT (xtc_probability),
                                         "general.sampling.xtc_probability" },
  [HEARTH_PARAMETER_XTC_THRESHOLD] = { KIND_FLOAT, AT (xtc_threshold),
                                       "general.sampling.xtc_threshold" },
  [HEARTH_PARAMETER_PENALTY_REPEAT] = { KIND_FLOAT, AT (penalty_repeat),
                                        "general.sampling.penalty_repeat" },
  [HEARTH_PARAMETER_PENALTY_LAST_N] = { KIND_INTEGER, AT (penalty_last_n),
                                        "general.sampling.penalty_last_n" },
  [HEARTH_PARAMETER_PENALTY_PRESENCE] = { KIND_FLOAT, AT (penalty_presence), NULL },
  [HEARTH_PARAMETER_PENALTY_FREQUENCY] = { KIND_FLOAT, AT (penalty_frequency), NULL },
  [HEARTH_PARAMETER_DRY_MULTIPLIER] = { KIND_FLOAT, AT (dry_multiplier), NULL },
  [HEARTH_PARAMETER_DRY_BASE] = { KIND_FLOAT, AT (dry_base), NULL },
  [HEARTH_PARAMETER_DRY_ALLOWED_LENGTH] = { KIND_INTEGER, AT (dry_allowed_length), NULL },
  [HEARTH_PARAMETER_DRY_LAST_N] = { KIND_INTEGER, AT (dry_last_n), NULL },
  [HEARTH_PARAMETER_SEED] = { KIND_SEED, AT (seed), NULL },
};

/* As people read it: a switched-off value below the range is the range's end. */
static double
get_value (const struct ember_sampler_params *params, guint i)
{
  const HearthParameterInfo *info = hearth_parameter_get_info ((HearthParameter) i);
  const char *at = (const char *) params + places[i].offset;
  double value = (double) NAN;

  if (places[i].kind == KIND_FLOAT)
    {
      float as_float;

      memcpy (&as_float, at, sizeof as_float);
      /* 0.95 as a float is 0.949999988…; nobody meant that. */
      value = round ((double) as_float * 1e6) / 1e6;
    }
  else if (places[i].kind == KIND_INTEGER)
    {
      int32_t as_int;

      memcpy (&as_int, at, sizeof as_int);
      value = as_int;
    }
  else if (places[i].kind == KIND_SEED)
    return params->seed == EMBER_SEED_RANDOM ? -1 : (double) params->seed;
  else if (info->ours)
    return info->min;
  return CLAMP (value, info->min, info->max);
}

static void
set_value (struct ember_sampler_params *params, guint i, double value)
{
  char *at = (char *) params + places[i].offset;

  if (places[i].kind == KIND_FLOAT)
    {
      float as_float = (float) value;

      memcpy (at, &as_float, sizeof as_float);
    }
  else if (places[i].kind == KIND_INTEGER)
    {
      int32_t as_int = (int32_t) value;

      memcpy (at, &as_int, sizeof as_int);
    }
  else if (places[i].kind == KIND_SEED)
    params->seed =
      value >= 0 ? (uint32_t) MIN (value, (double) EMBER_SEED_RANDOM - 1) : EMBER_SEED_RANDOM;
}

void
_hearth_engine_read_sampling (const struct ember_gguf *gguf, HearthSampling *file,
                              HearthSampling *defaults)
{
  struct ember_sampler_params plain, recommended;

  ember_sampler_defaults (&plain, NULL);
  ember_sampler_defaults (&recommended, gguf);
  hearth_sampling_init (file);
  for (guint i = 0; i < HEARTH_N_PARAMETERS; i++)
    {
      double value;

      defaults->values[i] = get_value (&plain, i);
      if (places[i].key == NULL)
        continue;
      /* The engine passes over a recommendation that makes no sense. */
      value = ember_gguf_get_f64 (gguf, places[i].key, NAN);
      if (G_APPROX_VALUE (value, get_value (&recommended, i), 1e-5))
        file->values[i] = get_value (&recommended, i);
    }
}

enum ember_status
_hearth_engine_sampler_new (struct ember_sampler **out, const struct ember_model *model,
                            const HearthSampling *sampling, struct ember_error *failure)
{
  struct ember_sampler_params params;

  ember_sampler_defaults (&params, ember_model_gguf (model));
  for (guint i = 0; i < HEARTH_N_PARAMETERS; i++)
    {
      if (hearth_sampling_is_set (sampling, (HearthParameter) i))
        set_value (&params, i, sampling->values[i]);
    }
  return ember_sampler_new (out, &params, ember_model_tokenizer (model),
                            ember_model_n_vocab (model), failure);
}
