/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-tensor-stats.h"

#include <ember/gguf.h>
#include <ember/tensor.h>

#include "hearth-error.h"
#include "hearth-weak.h"

/* Values of the sample: read and counted within a frame or two. */
#define SAMPLE (256u * 1024)
/* How often progress is looked at. */
#define PROGRESS_MS 100

G_STATIC_ASSERT (HEARTH_STATS_BINS == EMBER_STATS_BINS);
G_STATIC_ASSERT (HEARTH_STATS_QUANTILES == EMBER_STATS_QUANTILES);

/* Shared with the counting thread. */
struct job
{
  HearthGguf *gguf;
  guint position;
  guint64 sample; /* 0: all values */
  int stop;       /* atomic */
  int permille;   /* atomic */
};

struct _HearthTensorStats
{
  GObject parent_instance;

  HearthGguf *gguf;
  guint position;
  HearthStatsState state;
  HearthTensorFigures *figures;
  GError *error;
  struct job *job; /* the running one, counted */
  guint progress_id;
  int shown_permille;
};

G_DEFINE_FINAL_TYPE (HearthTensorStats, hearth_tensor_stats, G_TYPE_OBJECT)

static guint changed_signal;

static void begin (HearthTensorStats *self, guint64 sample);

static void
job_clear (gpointer data)
{
  struct job *job = data;

  hearth_gguf_unref (job->gguf);
}

static void
job_unref (gpointer job)
{
  g_atomic_rc_box_release_full (job, job_clear);
}

/* ---- the counting thread ---------------------------------------------------------------- */

static bool
report_cb (double done, void *user_data)
{
  struct job *job = user_data;

  g_atomic_int_set (&job->permille, (int) (done * 1000));
  return !g_atomic_int_get (&job->stop);
}

static void
count_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  struct job *job = task_data;
  const struct ember_gguf *gguf = hearth_gguf_get (job->gguf);
  const struct ember_gguf_tensor *tensor = ember_gguf_tensor (gguf, job->position);
  struct ember_progress progress = { .report = report_cb, .user_data = job };
  struct ember_error failure = { 0 };
  struct ember_tensor_stats stats;
  HearthTensorFigures *figures;

  if (ember_tensor_stats (&stats, gguf, tensor, job->sample, &progress, &failure) != EMBER_OK)
    {
      g_task_return_error (task, hearth_error_from_ember (&failure));
      return;
    }
  figures = g_new (HearthTensorFigures, 1);
  *figures = (HearthTensorFigures) {
    .n = stats.n,
    .n_all = tensor->n_elements,
    .n_nan = stats.n_nan,
    .n_infinite = stats.n_infinite,
    .n_zero = stats.n_zero,
    .min = (double) stats.min,
    .max = (double) stats.max,
    .abs_max = (double) stats.abs_max,
    .mean = stats.mean,
    .rms = stats.rms,
    .deviation = stats.deviation,
  };
  for (guint i = 0; i < HEARTH_STATS_QUANTILES; i++)
    figures->quantiles[i] = (double) stats.quantiles[i];
  for (guint i = 0; i < HEARTH_STATS_BINS; i++)
    figures->bins[i] = stats.bins[i];
  g_task_return_pointer (task, figures, g_free);
}

/* ---- the main thread -------------------------------------------------------------------- */

static void
changed (HearthTensorStats *self)
{
  g_signal_emit (self, changed_signal, 0);
}

static void
stop_progress (HearthTensorStats *self)
{
  g_clear_handle_id (&self->progress_id, g_source_remove);
}

static gboolean
progress_cb (gpointer data)
{
  HearthTensorStats *self = data;
  int permille = g_atomic_int_get (&self->job->permille);

  if (permille != self->shown_permille)
    {
      self->shown_permille = permille;
      changed (self);
    }
  return G_SOURCE_CONTINUE;
}

/* The thread gives its task back last of all, so the object does not hang on that. */
static void
counted_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HearthTensorStats) self = hearth_weak_take (user_data);
  g_autoptr (GError) error = NULL;
  g_autofree HearthTensorFigures *figures = g_task_propagate_pointer (G_TASK (result), &error);

  if (self == NULL || self->job != g_task_get_task_data (G_TASK (result)))
    return; /* stopped, and its state says so already */
  stop_progress (self);
  g_clear_pointer (&self->job, job_unref);
  if (figures == NULL)
    {
      self->state = HEARTH_STATS_FAILED;
      g_clear_error (&self->error);
      self->error = g_steal_pointer (&error);
    }
  else
    {
      g_free (self->figures);
      self->figures = g_steal_pointer (&figures);
      self->state =
        self->figures->n == self->figures->n_all ? HEARTH_STATS_EXACT : HEARTH_STATS_COUNTING;
      if (self->state == HEARTH_STATS_COUNTING)
        begin (self, 0);
    }
  changed (self);
}

static void
begin (HearthTensorStats *self, guint64 sample)
{
  g_autoptr (GTask) task = NULL;

  self->job = g_atomic_rc_box_new0 (struct job);
  *self->job = (struct job) { .gguf = hearth_gguf_ref (self->gguf),
                              .position = self->position,
                              .sample = sample };
  self->shown_permille = 0;
  self->progress_id = g_timeout_add (PROGRESS_MS, progress_cb, self);
  task = g_task_new (NULL, NULL, counted_cb, hearth_weak_new (self));
  g_task_set_source_tag (task, begin);
  g_task_set_task_data (task, g_atomic_rc_box_acquire (self->job), job_unref);
  g_task_run_in_thread (task, count_in_thread);
}

static void
hearth_tensor_stats_finalize (GObject *object)
{
  HearthTensorStats *self = HEARTH_TENSOR_STATS (object);

  stop_progress (self);
  if (self->job != NULL)
    {
      g_atomic_int_set (&self->job->stop, TRUE); /* nobody is interested any more */
      job_unref (self->job);
    }
  g_clear_pointer (&self->gguf, hearth_gguf_unref);
  g_free (self->figures);
  g_clear_error (&self->error);
  G_OBJECT_CLASS (hearth_tensor_stats_parent_class)->finalize (object);
}

static void
hearth_tensor_stats_class_init (HearthTensorStatsClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = hearth_tensor_stats_finalize;
  changed_signal = g_signal_new ("changed", HEARTH_TYPE_TENSOR_STATS, G_SIGNAL_RUN_LAST, 0, NULL,
                                 NULL, NULL, G_TYPE_NONE, 0);
}

static void
hearth_tensor_stats_init (HearthTensorStats *self)
{
}

HearthTensorStats *
hearth_tensor_stats_new (HearthTensor *tensor)
{
  HearthTensorStats *self = g_object_new (HEARTH_TYPE_TENSOR_STATS, NULL);
  HearthGguf *gguf = hearth_tensor_get_gguf (tensor);

  if (gguf == NULL)
    {
      self->state = HEARTH_STATS_FAILED;
      self->error =
        g_error_new_literal (HEARTH_ERROR, HEARTH_ERROR_FAILED, "The tensor has no file.");
      return self;
    }
  self->gguf = hearth_gguf_ref (gguf);
  self->position = hearth_tensor_get_position (tensor);
  begin (self, SAMPLE);
  return self;
}

HearthStatsState
hearth_tensor_stats_get_state (HearthTensorStats *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR_STATS (self), HEARTH_STATS_FAILED);

  return self->state;
}

const HearthTensorFigures *
hearth_tensor_stats_get_figures (HearthTensorStats *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR_STATS (self), NULL);

  return self->figures;
}

double
hearth_tensor_stats_get_progress (HearthTensorStats *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR_STATS (self), 0);

  return self->state == HEARTH_STATS_COUNTING ? self->shown_permille / 1000.0 : 0;
}

const GError *
hearth_tensor_stats_get_error (HearthTensorStats *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR_STATS (self), NULL);

  return self->error;
}

void
hearth_tensor_stats_stop (HearthTensorStats *self)
{
  g_return_if_fail (HEARTH_IS_TENSOR_STATS (self));

  if (self->state != HEARTH_STATS_COUNTING)
    return;
  g_atomic_int_set (&self->job->stop, TRUE);
  stop_progress (self);
  g_clear_pointer (&self->job, job_unref);
  self->state = HEARTH_STATS_STOPPED;
  changed (self);
}

void
hearth_tensor_stats_start (HearthTensorStats *self)
{
  g_return_if_fail (HEARTH_IS_TENSOR_STATS (self));

  if (self->state != HEARTH_STATS_STOPPED)
    return;
  self->state = HEARTH_STATS_COUNTING;
  begin (self, 0);
  changed (self);
}

double
hearth_tensor_stats_get_quantile (guint index)
{
  return ember_stats_quantile (index);
}
