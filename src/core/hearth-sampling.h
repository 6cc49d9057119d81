/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-sampling.h - how the next word is chosen, as far as somebody wished something: a value
 * that is unset comes from the layer below, which is in the end the model's file and the engine's
 * defaults. Plain values; any thread. */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

typedef enum
{
  HEARTH_PARAMETER_TEMPERATURE, /* 0: always the likeliest word */
  HEARTH_PARAMETER_TOP_P,
  HEARTH_PARAMETER_MIN_P,
  HEARTH_PARAMETER_MAX_TOKENS, /* of an answer; 0: until the model ends */
  HEARTH_PARAMETER_TOP_K,
  HEARTH_PARAMETER_TYPICAL_P,
  HEARTH_PARAMETER_TOP_N_SIGMA,
  HEARTH_PARAMETER_DYNATEMP_RANGE,
  HEARTH_PARAMETER_DYNATEMP_EXPONENT,
  HEARTH_PARAMETER_XTC_PROBABILITY,
  HEARTH_PARAMETER_XTC_THRESHOLD,
  HEARTH_PARAMETER_PENALTY_REPEAT,
  HEARTH_PARAMETER_PENALTY_LAST_N,
  HEARTH_PARAMETER_PENALTY_PRESENCE,
  HEARTH_PARAMETER_PENALTY_FREQUENCY,
  HEARTH_PARAMETER_DRY_MULTIPLIER,
  HEARTH_PARAMETER_DRY_BASE,
  HEARTH_PARAMETER_DRY_ALLOWED_LENGTH,
  HEARTH_PARAMETER_DRY_LAST_N,
  HEARTH_PARAMETER_SEED, /* negative: a new one for every answer */
  HEARTH_N_PARAMETERS
} HearthParameter;

/* What is to be said about a parameter, wherever it is shown or kept. */
typedef struct
{
  const char *id;    /* "top-p": in saved settings */
  const char *label; /* to be translated */
  const char *help;  /* to be translated; one sentence, and the value that switches it off */
  double min, max, step;
  guint digits;     /* behind the point */
  const char *word; /* to be translated: what the value `word_at` is called; NULL: it is a number */
  double word_at;
  gboolean primary; /* matters to most people */
  gboolean ours;    /* no file and no engine has it: it is `min` until somebody chooses */
} HearthParameterInfo;

/* Static storage. */
const HearthParameterInfo *hearth_parameter_get_info (HearthParameter parameter);

typedef struct
{
  double values[HEARTH_N_PARAMETERS]; /* NAN: unset */
} HearthSampling;

#define HEARTH_TYPE_SAMPLING (hearth_sampling_get_type ())

GType hearth_sampling_get_type (void) G_GNUC_CONST;

/* Everything unset. */
void hearth_sampling_init (HearthSampling *sampling);
/* What is set in `above` replaces what is in `sampling`. */
void hearth_sampling_overlay (HearthSampling *sampling, const HearthSampling *above);
gboolean hearth_sampling_is_set (const HearthSampling *sampling, HearthParameter parameter);
gboolean hearth_sampling_equal (const HearthSampling *a, const HearthSampling *b);

/* a{sd}: the values that are set, by id. Returns: (transfer floating) */
GVariant *hearth_sampling_to_variant (const HearthSampling *sampling);
/* Unknown ids are passed over and values out of range clamped: it may come from a file. */
void hearth_sampling_from_variant (HearthSampling *sampling, GVariant *variant);

/* Returns: (transfer full) */
HearthSampling *hearth_sampling_copy (const HearthSampling *sampling);
void hearth_sampling_free (HearthSampling *sampling);

G_END_DECLS
