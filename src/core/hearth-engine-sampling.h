/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-engine-sampling.h - HearthSampling to and from the engine's parameters. Any thread. */
#pragma once

#include <ember/model.h>
#include <ember/sampler.h>

#include "hearth-sampling.h"

G_BEGIN_DECLS

/* What the file itself recommends (the rest unset), and what is taken where nobody says anything.
 */
void _hearth_engine_read_sampling (const struct ember_gguf *gguf, HearthSampling *file,
                                   HearthSampling *defaults);

/* A sampler for this model with these wishes. */
enum ember_status _hearth_engine_sampler_new (struct ember_sampler **out,
                                              const struct ember_model *model,
                                              const HearthSampling *sampling,
                                              struct ember_error *failure);

G_END_DECLS
