/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-fit.h"

#include <ember/fit.h>
#include <ember/gguf.h>
#include <ember/hardware.h>

#include "hearth-error.h"
#include "hearth-gguf.h"
#include "hearth-weak.h"

/* The longest context is looked for in steps of this many tokens; nobody needs it closer. */
#define CONTEXT_STEP 256u

struct wish
{
  guint n_ctx;
  guint n_threads;
  HearthKvType kv_type;
  guint64 given_back;
};

struct _HearthFit
{
  GObject parent_instance;

  char *path;
  HearthGguf *gguf; /* taken from the first plan that could open it */
  struct wish wish;
  gboolean wished;
  gboolean stale; /* the wish has changed while a plan was made */
  GCancellable *running;
  HearthFitPlan *plan;
  GError *error;
};

G_DEFINE_BOXED_TYPE (HearthFitPlan, hearth_fit_plan, hearth_fit_plan_copy, hearth_fit_plan_free)
G_DEFINE_FINAL_TYPE (HearthFit, hearth_fit, G_TYPE_OBJECT)

enum
{
  PROP_0,
  PROP_PLAN,
  PROP_BUSY,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

/* What the planning thread is given and gives back. */
struct job
{
  char *path;
  HearthGguf *gguf;
  struct wish wish;
};

static void
job_free (gpointer data)
{
  struct job *job = data;

  g_free (job->path);
  g_clear_pointer (&job->gguf, hearth_gguf_unref);
  g_free (job);
}

HearthFitPlan *
hearth_fit_plan_copy (const HearthFitPlan *plan)
{
  HearthFitPlan *copy = g_memdup2 (plan, sizeof *plan);

  copy->types = g_array_ref (plan->types);
  return copy;
}

void
hearth_fit_plan_free (HearthFitPlan *plan)
{
  if (plan == NULL)
    return;
  g_array_unref (plan->types);
  g_free (plan);
}

/* ---- the planning thread ---------------------------------------------------------------- */

static guint64
sum (const struct ember_fit *fit)
{
  return fit->weights + fit->kv + fit->checkpoint + fit->compute;
}

/* The largest multiple of the step, or the trained length, whose plan stays within `budget`. Every
 * try is a whole plan of the engine's: nothing is estimated here. */
static guint
find_longest (const struct ember_gguf *gguf, const struct ember_fit_params *params, guint trained,
              guint64 budget, GCancellable *cancellable)
{
  struct ember_fit_params at = *params;
  struct ember_fit fit;
  guint low = 0, high = trained / CONTEXT_STEP;

  at.n_ctx = trained;
  if (trained == 0 || ember_fit_plan (&fit, gguf, &at, NULL) != EMBER_OK)
    return 0;
  if (sum (&fit) <= budget)
    return trained;
  while (low < high && !g_cancellable_is_cancelled (cancellable))
    {
      guint middle = low + (high - low + 1) / 2;

      at.n_ctx = middle * CONTEXT_STEP;
      if (ember_fit_plan (&fit, gguf, &at, NULL) == EMBER_OK && sum (&fit) <= budget)
        low = middle;
      else
        high = middle - 1;
    }
  return low * CONTEXT_STEP;
}

static GArray *
copy_types (const struct ember_fit *fit)
{
  GArray *types = g_array_new (FALSE, TRUE, sizeof (HearthFitType));

  for (guint i = 0; i < fit->n_types; i++)
    {
      const char *name = ember_tensor_type_name (fit->types[i].type);
      g_autofree char *upper = g_ascii_strup (name != NULL ? name : "?", -1);
      HearthFitType type = { .type = g_intern_string (upper),
                             .n_tensors = fit->types[i].n_tensors,
                             .n_bytes = fit->types[i].n_bytes };

      g_array_append_val (types, type);
    }
  return types;
}

static void
plan_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  struct job *job = task_data;
  struct ember_fit_params params = { .n_ctx = job->wish.n_ctx,
                                     .n_threads = job->wish.n_threads,
                                     .kv_type = job->wish.kv_type == HEARTH_KV_F32 ? EMBER_KV_F32
                                                                                   : EMBER_KV_F16 };
  struct ember_error failure = { 0 };
  struct ember_hardware hardware = { 0 };
  struct ember_fit fit;
  HearthFitPlan *plan;
  GError *error = NULL;

  if (job->gguf == NULL)
    job->gguf = hearth_gguf_open (job->path, &error);
  if (job->gguf == NULL)
    {
      g_task_return_error (task, error);
      return;
    }
  if (ember_fit_plan (&fit, hearth_gguf_get (job->gguf), &params, &failure) != EMBER_OK)
    {
      g_task_return_error (task, hearth_error_from_ember (&failure));
      return;
    }
  ember_hardware_read (&hardware, NULL);
  plan = g_new0 (HearthFitPlan, 1);
  *plan = (HearthFitPlan) {
    .n_ctx = fit.n_ctx,
    .n_ctx_trained = fit.n_ctx_trained,
    .n_batch = fit.n_batch,
    .n_threads = fit.n_threads,
    .kv_type = job->wish.kv_type,
    .weights = fit.weights,
    .kv = fit.kv,
    .kv_full = fit.kv_full,
    .kv_window = fit.kv_window,
    .checkpoint = fit.checkpoint,
    .compute = fit.compute,
    .need = sum (&fit),
    .budget = fit.budget + job->wish.given_back,
    .memory_total = hardware.memory_total,
    .types = copy_types (&fit),
  };
  plan->fits = plan->need <= plan->budget;
  plan->longest = find_longest (hearth_gguf_get (job->gguf), &params, fit.n_ctx_trained,
                                plan->budget, cancellable);
  g_task_return_pointer (task, plan, (GDestroyNotify) hearth_fit_plan_free);
}

/* ---- the main thread -------------------------------------------------------------------- */

static void begin (HearthFit *self);

/* The thread gives its task back last of all, so the object must not hang on that: it would end
 * there. */
static void
planned_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HearthFit) self = hearth_weak_take (user_data);
  struct job *job = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  g_autoptr (HearthFitPlan) plan = g_task_propagate_pointer (G_TASK (result), &error);

  if (self == NULL)
    return;
  g_clear_object (&self->running);
  if (self->gguf == NULL && job->gguf != NULL)
    self->gguf = hearth_gguf_ref (job->gguf);
  if (self->stale)
    {
      begin (self);
      return;
    }
  g_clear_error (&self->error);
  g_clear_pointer (&self->plan, hearth_fit_plan_free);
  self->plan = g_steal_pointer (&plan);
  self->error = g_steal_pointer (&error);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PLAN]);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BUSY]);
}

static void
begin (HearthFit *self)
{
  g_autoptr (GTask) task = NULL;
  struct job *job;

  if (self->running != NULL)
    {
      self->stale = TRUE;
      g_cancellable_cancel (self->running);
      return;
    }
  self->stale = FALSE;
  self->running = g_cancellable_new ();
  job = g_new0 (struct job, 1);
  job->path = g_strdup (self->path);
  job->gguf = self->gguf != NULL ? hearth_gguf_ref (self->gguf) : NULL;
  job->wish = self->wish;
  task = g_task_new (NULL, self->running, planned_cb, hearth_weak_new (self));
  g_task_set_source_tag (task, begin);
  g_task_set_task_data (task, job, job_free);
  /* What has been planned is of use even if the wish has moved on. */
  g_task_set_check_cancellable (task, FALSE);
  g_task_run_in_thread (task, plan_in_thread);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BUSY]);
}

static void
hearth_fit_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  HearthFit *self = HEARTH_FIT (object);

  switch (id)
    {
    case PROP_PLAN:
      g_value_set_boxed (value, self->plan);
      break;
    case PROP_BUSY:
      g_value_set_boolean (value, hearth_fit_get_busy (self));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
hearth_fit_finalize (GObject *object)
{
  HearthFit *self = HEARTH_FIT (object);

  if (self->running != NULL)
    g_cancellable_cancel (self->running); /* nobody is interested any more */
  g_free (self->path);
  g_clear_object (&self->running);
  g_clear_pointer (&self->gguf, hearth_gguf_unref);
  g_clear_pointer (&self->plan, hearth_fit_plan_free);
  g_clear_error (&self->error);
  G_OBJECT_CLASS (hearth_fit_parent_class)->finalize (object);
}

static void
hearth_fit_class_init (HearthFitClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->get_property = hearth_fit_get_property;
  object_class->finalize = hearth_fit_finalize;

  properties[PROP_PLAN] = g_param_spec_boxed ("plan", NULL, NULL, HEARTH_TYPE_FIT_PLAN, flags);
  properties[PROP_BUSY] = g_param_spec_boolean ("busy", NULL, NULL, FALSE, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
hearth_fit_init (HearthFit *self)
{
}

HearthFit *
hearth_fit_new (const char *path)
{
  HearthFit *self = g_object_new (HEARTH_TYPE_FIT, NULL);

  self->path = g_strdup (path);
  return self;
}

const char *
hearth_fit_get_path (HearthFit *self)
{
  g_return_val_if_fail (HEARTH_IS_FIT (self), NULL);

  return self->path;
}

void
hearth_fit_set_wish (HearthFit *self, guint n_ctx, HearthKvType kv_type, guint n_threads,
                     guint64 given_back)
{
  const struct wish *old = &self->wish;

  g_return_if_fail (HEARTH_IS_FIT (self));

  if (self->wished && old->n_ctx == n_ctx && old->kv_type == kv_type &&
      old->n_threads == n_threads && old->given_back == given_back)
    return;
  self->wished = TRUE;
  self->wish = (struct wish) {
    .n_ctx = n_ctx, .kv_type = kv_type, .n_threads = n_threads, .given_back = given_back
  };
  begin (self);
}

void
hearth_fit_refresh (HearthFit *self)
{
  g_return_if_fail (HEARTH_IS_FIT (self));

  if (self->wished)
    begin (self);
}

const HearthFitPlan *
hearth_fit_get_plan (HearthFit *self)
{
  g_return_val_if_fail (HEARTH_IS_FIT (self), NULL);

  return self->plan;
}

const GError *
hearth_fit_get_error (HearthFit *self)
{
  g_return_val_if_fail (HEARTH_IS_FIT (self), NULL);

  return self->error;
}

gboolean
hearth_fit_get_busy (HearthFit *self)
{
  g_return_val_if_fail (HEARTH_IS_FIT (self), FALSE);

  return self->running != NULL;
}
