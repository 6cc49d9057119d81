/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-sampling.h"

#include <math.h>
#include <string.h>

#include <glib/gi18n.h>

G_DEFINE_BOXED_TYPE (HearthSampling, hearth_sampling, hearth_sampling_copy, hearth_sampling_free)

static const HearthParameterInfo infos[HEARTH_N_PARAMETERS] = {
  [HEARTH_PARAMETER_TEMPERATURE] = { .id = "temperature",
                                     .label = N_ ("Temperature"),
                                     .help = N_ ("How freely words are chosen. 0 always takes the "
                                                 "likeliest."),
                                     .max = 5,
                                     .step = 0.05,
                                     .digits = 2,
                                     .primary = TRUE },
  [HEARTH_PARAMETER_TOP_P] = { .id = "top-p",
                               .label = N_ ("Top-p"),
                               .word = N_ ("Off"),
                               .word_at = 1,
                               .help = N_ ("Only the likeliest words that together have this "
                                           "share. 1 switches it off."),
                               .max = 1,
                               .step = 0.01,
                               .digits = 2,
                               .primary = TRUE },
  [HEARTH_PARAMETER_MIN_P] = { .id = "min-p",
                               .label = N_ ("Min-p"),
                               .word = N_ ("Off"),
                               .help = N_ ("Only words with this share of the likeliest one’s. 0 "
                                           "switches it off."),
                               .max = 1,
                               .step = 0.01,
                               .digits = 2,
                               .primary = TRUE },
  [HEARTH_PARAMETER_MAX_TOKENS] = { .id = "max-tokens",
                                    .label = N_ ("Answer Length"),
                                    .word = N_ ("No limit"),
                                    .help =
                                      N_ ("Most tokens of an answer. 0 lets the model end it."),
                                    .max = 1 << 20,
                                    .step = 64,
                                    .primary = TRUE,
                                    .ours = TRUE },
  [HEARTH_PARAMETER_TOP_K] = { .id = "top-k",
                               .label = N_ ("Top-k"),
                               .word = N_ ("Off"),
                               .help =
                                 N_ ("Only this many of the likeliest words. 0 switches it off."),
                               .max = 1 << 20,
                               .step = 1 },
  [HEARTH_PARAMETER_TYPICAL_P] = { .id = "typical-p",
                                   .label = N_ ("Typical-p"),
                                   .word = N_ ("Off"),
                                   .word_at = 1,
                                   .help = N_ ("Only the least surprising words that together have "
                                               "this share. 1 switches it "
                                               "off."),
                                   .max = 1,
                                   .step = 0.01,
                                   .digits = 2 },
  [HEARTH_PARAMETER_TOP_N_SIGMA] = { .id = "top-n-sigma",
                                     .label = N_ ("Top-n-sigma"),
                                     .word = N_ ("Off"),
                                     .help = N_ ("Only words within so many deviations of the "
                                                 "likeliest. 0 switches it off."),
                                     .max = 10,
                                     .step = 0.1,
                                     .digits = 1 },
  [HEARTH_PARAMETER_DYNATEMP_RANGE] = { .id = "dynatemp-range",
                                        .label = N_ ("Temperature Range"),
                                        .word = N_ ("Off"),
                                        .help = N_ ("How far the temperature varies with how sure "
                                                    "the model is. 0 switches it off."),
                                        .max = 5,
                                        .step = 0.05,
                                        .digits = 2 },
  [HEARTH_PARAMETER_DYNATEMP_EXPONENT] = { .id = "dynatemp-exponent",
                                           .label = N_ ("Temperature Range Exponent"),
                                           .help = N_ ("How steeply the temperature varies within "
                                                       "its range."),
                                           .min = 0.01,
                                           .max = 10,
                                           .step = 0.1,
                                           .digits = 2 },
  [HEARTH_PARAMETER_XTC_PROBABILITY] = { .id = "xtc-probability",
                                         .label = N_ ("XTC Chance"),
                                         .word = N_ ("Off"),
                                         .help = N_ ("How often the likeliest choices are passed "
                                                     "over. 0 switches it off."),
                                         .max = 1,
                                         .step = 0.05,
                                         .digits = 2 },
  [HEARTH_PARAMETER_XTC_THRESHOLD] = { .id = "xtc-threshold",
                                       .label = N_ ("XTC Threshold"),
                                       .help = N_ ("From which share on a word is one of the "
                                                   "likeliest choices."),
                                       .max = 1,
                                       .step = 0.01,
                                       .digits = 2 },
  [HEARTH_PARAMETER_PENALTY_REPEAT] = { .id = "penalty-repeat",
                                        .label = N_ ("Repeat Penalty"),
                                        .word = N_ ("Off"),
                                        .word_at = 1,
                                        .help = N_ ("Makes words that were there before less "
                                                    "likely. 1 switches it off."),
                                        .min = 0.5,
                                        .max = 3,
                                        .step = 0.05,
                                        .digits = 2 },
  [HEARTH_PARAMETER_PENALTY_LAST_N] = { .id = "penalty-last-n",
                                        .label = N_ ("Penalties Look Back"),
                                        .word = N_ ("Off"),
                                        .help =
                                          N_ ("How many tokens back the three penalties look."),
                                        .max = 1 << 20,
                                        .step = 16 },
  [HEARTH_PARAMETER_PENALTY_PRESENCE] = { .id = "penalty-presence",
                                          .label = N_ ("Presence Penalty"),
                                          .word = N_ ("Off"),
                                          .help = N_ ("Taken from every word that was there "
                                                      "before. 0 switches it off."),
                                          .min = -2,
                                          .max = 2,
                                          .step = 0.05,
                                          .digits = 2 },
  [HEARTH_PARAMETER_PENALTY_FREQUENCY] = { .id = "penalty-frequency",
                                           .label = N_ ("Frequency Penalty"),
                                           .word = N_ ("Off"),
                                           .help = N_ ("Taken from a word for each time it was "
                                                       "there before. 0 switches it off."),
                                           .min = -2,
                                           .max = 2,
                                           .step = 0.05,
                                           .digits = 2 },
  [HEARTH_PARAMETER_DRY_MULTIPLIER] = { .id = "dry-multiplier",
                                        .label = N_ ("DRY Strength"),
                                        .word = N_ ("Off"),
                                        .help = N_ ("Penalty for repeating whole sequences. 0 "
                                                    "switches it off."),
                                        .max = 10,
                                        .step = 0.1,
                                        .digits = 2 },
  [HEARTH_PARAMETER_DRY_BASE] = { .id = "dry-base",
                                  .label = N_ ("DRY Base"),
                                  .help = N_ ("How fast that penalty grows with the length of the "
                                              "repetition."),
                                  .min = 1,
                                  .max = 4,
                                  .step = 0.05,
                                  .digits = 2 },
  [HEARTH_PARAMETER_DRY_ALLOWED_LENGTH] = { .id = "dry-allowed-length",
                                            .label = N_ ("DRY Allowed Length"),
                                            .help = N_ ("Repetitions of so many tokens are free."),
                                            .min = 1,
                                            .max = 1000,
                                            .step = 1 },
  [HEARTH_PARAMETER_DRY_LAST_N] = { .id = "dry-last-n",
                                    .label = N_ ("DRY Looks Back"),
                                    .word = N_ ("Off"),
                                    .help = N_ ("How many tokens back it looks for repetitions. 0 "
                                                "switches it off."),
                                    .max = 1 << 20,
                                    .step = 16 },
  [HEARTH_PARAMETER_SEED] = { .id = "seed",
                              .label = N_ ("Seed"),
                              .word = N_ ("Random"),
                              .word_at = -1,
                              .help = N_ ("The same seed makes the same answer. −1 takes a new one "
                                          "each time."),
                              .min = -1,
                              .max = G_MAXUINT32 - 1.0,
                              .step = 1 },
};

const HearthParameterInfo *
hearth_parameter_get_info (HearthParameter parameter)
{
  g_return_val_if_fail (parameter < HEARTH_N_PARAMETERS, NULL);

  return &infos[parameter];
}

void
hearth_sampling_init (HearthSampling *sampling)
{
  for (guint i = 0; i < HEARTH_N_PARAMETERS; i++)
    sampling->values[i] = NAN;
}

gboolean
hearth_sampling_is_set (const HearthSampling *sampling, HearthParameter parameter)
{
  return !isnan (sampling->values[parameter]);
}

void
hearth_sampling_overlay (HearthSampling *sampling, const HearthSampling *above)
{
  for (guint i = 0; i < HEARTH_N_PARAMETERS; i++)
    {
      if (!isnan (above->values[i]))
        sampling->values[i] = above->values[i];
    }
}

gboolean
hearth_sampling_equal (const HearthSampling *a, const HearthSampling *b)
{
  for (guint i = 0; i < HEARTH_N_PARAMETERS; i++)
    {
      gboolean unset = isnan (a->values[i]);

      if (unset != isnan (b->values[i]) ||
          (!unset && !G_APPROX_VALUE (a->values[i], b->values[i], 1e-9)))
        return FALSE;
    }
  return TRUE;
}

GVariant *
hearth_sampling_to_variant (const HearthSampling *sampling)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a{sd}"));
  for (guint i = 0; i < HEARTH_N_PARAMETERS; i++)
    {
      if (!isnan (sampling->values[i]))
        g_variant_builder_add (&builder, "{sd}", infos[i].id, sampling->values[i]);
    }
  return g_variant_builder_end (&builder);
}

void
hearth_sampling_from_variant (HearthSampling *sampling, GVariant *variant)
{
  hearth_sampling_init (sampling);
  for (guint i = 0; i < HEARTH_N_PARAMETERS; i++)
    {
      double value;

      if (g_variant_lookup (variant, infos[i].id, "d", &value) && isfinite (value))
        sampling->values[i] = CLAMP (value, infos[i].min, infos[i].max);
    }
}

HearthSampling *
hearth_sampling_copy (const HearthSampling *sampling)
{
  return g_memdup2 (sampling, sizeof *sampling);
}

void
hearth_sampling_free (HearthSampling *sampling)
{
  g_free (sampling);
}
