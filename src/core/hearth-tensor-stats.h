/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-tensor-stats.h - statistics of a tensor's values: a sample at once, then all of them, on
 * another thread. Main thread. */
#pragma once

#include <gio/gio.h>

#include "hearth-tensor.h"

G_BEGIN_DECLS

#define HEARTH_STATS_BINS 64
#define HEARTH_STATS_QUANTILES 7

/* Of the values that were looked at; NaN and infinite ones are counted and otherwise left out. */
typedef struct
{
  guint64 n; /* values that were looked at; fewer than n_all: a sample */
  guint64 n_all;
  guint64 n_nan, n_infinite, n_zero;
  double min, max, abs_max;
  double mean, rms, deviation;
  double quantiles[HEARTH_STATS_QUANTILES];
  guint64 bins[HEARTH_STATS_BINS]; /* stretches of one width from min to max */
} HearthTensorFigures;

/*   SAMPLING ──▶ COUNTING ──▶ EXACT
 *       │           │ stop
 *       │           ▼
 *       │        STOPPED ──▶ COUNTING (start)
 *       └──▶ FAILED ◀── COUNTING
 * Figures are there from COUNTING on; those of FAILED are the last that were found, or NULL. A
 * small tensor goes from SAMPLING to EXACT. */
typedef enum
{
  HEARTH_STATS_SAMPLING,
  HEARTH_STATS_COUNTING,
  HEARTH_STATS_STOPPED,
  HEARTH_STATS_EXACT,
  HEARTH_STATS_FAILED,
} HearthStatsState;

#define HEARTH_TYPE_TENSOR_STATS (hearth_tensor_stats_get_type ())
G_DECLARE_FINAL_TYPE (HearthTensorStats, hearth_tensor_stats, HEARTH, TENSOR_STATS, GObject)

/* Begins at once. Signal "changed": state, figures or progress did. Returns: (transfer full) */
HearthTensorStats *hearth_tensor_stats_new (HearthTensor *tensor);

HearthStatsState hearth_tensor_stats_get_state (HearthTensorStats *self);
/* Returns: (transfer none) (nullable) */
const HearthTensorFigures *hearth_tensor_stats_get_figures (HearthTensorStats *self);
/* 0 … 1, of COUNTING. */
double hearth_tensor_stats_get_progress (HearthTensorStats *self);
/* Returns: (transfer none) (nullable) */
const GError *hearth_tensor_stats_get_error (HearthTensorStats *self);

/* COUNTING ends, the sample stays. */
void hearth_tensor_stats_stop (HearthTensorStats *self);
/* Counts all values, in STOPPED. */
void hearth_tensor_stats_start (HearthTensorStats *self);

/* Which part of all values quantile `index` is for, 0 … 1. */
double hearth_tensor_stats_get_quantile (guint index);

G_END_DECLS
