/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-fit.h - what running a model file takes for a wished context, as the engine plans it.
 *
 * Set what is wished and follow "plan": planning runs on another thread, one plan at a time, and
 * of the wishes that come meanwhile only the last is planned. Main thread. */
#pragma once

#include <gio/gio.h>

#include "hearth-kv-type.h"

G_BEGIN_DECLS

/* A plan, in bytes unless it says otherwise. Boxed and immutable. */
typedef struct
{
  gboolean fits;
  guint n_ctx; /* tokens this plan is for */
  guint n_ctx_trained;
  guint n_batch;
  guint n_threads;
  HearthKvType kv_type;
  guint64 weights;
  guint64 kv;
  guint64 kv_full;    /* of kv: layers that see the whole context */
  guint64 kv_window;  /* of kv: layers with a sliding window */
  guint64 checkpoint; /* copy of the windows */
  guint64 compute;
  guint64 need;         /* weights + kv + checkpoint + compute */
  guint64 budget;       /* memory that is free for it, with what the loaded model would give back */
  guint64 memory_total; /* of the computer; 0 when not known */
  guint longest;        /* longest context that fits, at most trained; 0: none does */
  GArray *types;        /* of HearthFitType: weights by tensor type, largest first */
} HearthFitPlan;

typedef struct
{
  const char *type; /* "Q4_K"; interned */
  guint64 n_tensors;
  guint64 n_bytes;
} HearthFitType;

#define HEARTH_TYPE_FIT_PLAN (hearth_fit_plan_get_type ())
GType hearth_fit_plan_get_type (void);
HearthFitPlan *hearth_fit_plan_copy (const HearthFitPlan *plan);
void hearth_fit_plan_free (HearthFitPlan *plan);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HearthFitPlan, hearth_fit_plan_free)

#define HEARTH_TYPE_FIT (hearth_fit_get_type ())
G_DECLARE_FINAL_TYPE (HearthFit, hearth_fit, HEARTH, FIT, GObject)

/* Properties: plan (HearthFitPlan, NULL until there is one), busy. */

/* Reads the file's header at the first plan. Returns: (transfer full) */
HearthFit *hearth_fit_new (const char *path);
const char *hearth_fit_get_path (HearthFit *self);

/* `n_ctx` and `n_threads` 0: as the engine chooses. `given_back`: what dropping the model that is
 * loaded now would free. Plans unless this is what was planned last. */
void hearth_fit_set_wish (HearthFit *self, guint n_ctx, HearthKvType kv_type, guint n_threads,
                          guint64 given_back);
/* Plans the same again: the memory that is free has changed. */
void hearth_fit_refresh (HearthFit *self);

/* The newest plan. Returns: (transfer none) (nullable) */
const HearthFitPlan *hearth_fit_get_plan (HearthFit *self);
/* Why there is none for the present wish. Returns: (transfer none) (nullable) */
const GError *hearth_fit_get_error (HearthFit *self);
/* Whether a plan is being made. */
gboolean hearth_fit_get_busy (HearthFit *self);

G_END_DECLS
