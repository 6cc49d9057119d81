/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-sampling.h"

#include <math.h>

G_DEFINE_BOXED_TYPE (HearthSampling, hearth_sampling, hearth_sampling_copy, hearth_sampling_free)

void
hearth_sampling_init (HearthSampling *sampling)
{
  *sampling = (HearthSampling) {
    .temperature = NAN,
    .top_p = NAN,
    .min_p = NAN,
    .top_k = HEARTH_SAMPLING_UNSET_INT,
    .seed = -1,
  };
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
