/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-sampling.h - how the next word is chosen, as far as somebody wished something: whatever is
 * "unset" comes from the model's file, or else from the engine's defaults. A plain value. */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

#define HEARTH_SAMPLING_UNSET_INT G_MININT

typedef struct
{
  double temperature; /* NAN: unset; 0: always the likeliest word */
  double top_p;       /* NAN: unset */
  double min_p;       /* NAN: unset */
  int top_k;          /* HEARTH_SAMPLING_UNSET_INT: unset */
  gint64 seed;        /* negative: a new one for every answer */
} HearthSampling;

#define HEARTH_TYPE_SAMPLING (hearth_sampling_get_type ())

GType hearth_sampling_get_type (void) G_GNUC_CONST;

/* Everything unset. */
void hearth_sampling_init (HearthSampling *sampling);

/* Returns: (transfer full) */
HearthSampling *hearth_sampling_copy (const HearthSampling *sampling);

void hearth_sampling_free (HearthSampling *sampling);

G_END_DECLS
