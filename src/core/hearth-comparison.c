/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-comparison-private.h"

#include <ember/tensor.h>

#include "hearth-error.h"
#include "hearth-weak.h"

/* How often the main thread takes what the other one has measured. */
#define LOOK_MS 100
/* A table of more is made by somebody who means harm: it is shown up to here. */
#define MAX_ROWS 1000000
#define MAX_NAME_BYTES 200

/* What the reading thread is given and gives back. */
struct reading
{
  char *paths[2];
  HearthGguf *files[2];
  HearthComparisonSide *sides[2];
  GPtrArray *keys;
  GPtrArray *tensors;
  int failed; /* which file could not be read; -1: none */
};

/* One tensor to be measured. */
struct pair
{
  guint row;
  const struct ember_gguf_tensor *first, *second;
  HearthValueError error; /* written once, before `n_done` counts it */
};

/* What the measuring thread works on; shared, since either side may end first. */
struct job
{
  HearthGguf *files[2];
  GCancellable *cancellable;
  GArray *pairs; /* of struct pair */
  gint n_done;   /* atomic */
  gint done;     /* of 1,000,000; atomic */
};

struct _HearthComparison
{
  GObject parent_instance;

  char *paths[2];
  HearthGguf *files[2];
  HearthComparisonSide *sides[2];
  GListStore *keys;
  GListStore *tensors;
  GCancellable *reading;
  gboolean ready;
  int failed;
  GError *error;
  struct job *job; /* NULL: nothing is measured now */
  guint look;
  guint n_taken; /* of the job's pairs */
  guint n_comparable;
  guint n_measured;
  double worst;
  double progress;
};

G_DEFINE_FINAL_TYPE (HearthComparison, hearth_comparison, G_TYPE_OBJECT)

enum
{
  PROP_0,
  PROP_READY,
  PROP_BUSY,
  PROP_PROGRESS,
  N_PROPS
};

enum
{
  SIGNAL_MEASURED,
  N_SIGNALS
};

static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

static void
side_free (HearthComparisonSide *side)
{
  if (side == NULL)
    return;
  g_free (side->path);
  g_free (side->name);
  g_free (side->architecture);
  g_free (side->quantization);
  g_free (side);
}

static void
reading_free (gpointer data)
{
  struct reading *reading = data;

  for (guint i = 0; i < 2; i++)
    {
      g_free (reading->paths[i]);
      side_free (reading->sides[i]);
      g_clear_pointer (&reading->files[i], hearth_gguf_unref);
    }
  g_clear_pointer (&reading->keys, g_ptr_array_unref);
  g_clear_pointer (&reading->tensors, g_ptr_array_unref);
  g_free (reading);
}

static void
job_clear (gpointer data)
{
  struct job *job = data;

  hearth_gguf_unref (job->files[0]);
  hearth_gguf_unref (job->files[1]);
  g_object_unref (job->cancellable);
  g_array_unref (job->pairs);
}

static void
job_unref (gpointer data)
{
  g_atomic_rc_box_release_full (data, job_clear);
}

/* ---- the reading thread ----------------------------------------------------------------- */

static char *
dup_key (const struct ember_gguf *gguf, const char *key)
{
  struct ember_text text = ember_gguf_get_text (gguf, key);

  return text.size > 0 ? hearth_gguf_dup_line (&text, MAX_NAME_BYTES) : NULL;
}

static guint64
add_saturated (guint64 a, guint64 b)
{
  return a > G_MAXUINT64 - b ? G_MAXUINT64 : a + b;
}

static HearthComparisonSide *
describe (const char *path, const struct ember_gguf *gguf)
{
  HearthComparisonSide *side = g_new0 (HearthComparisonSide, 1);
  const struct ember_gguf_info *info = ember_gguf_info (gguf);
  guint64 by_type[64] = { 0 };
  guint most = 0;

  side->path = g_strdup (path);
  side->name = dup_key (gguf, "general.name");
  side->architecture = dup_key (gguf, "general.architecture");
  side->size = info->file_size;
  side->n_tensors = info->n_tensors;
  side->n_keys = info->n_keys;
  for (guint64 i = 0; i < info->n_tensors; i++)
    {
      const struct ember_gguf_tensor *tensor = ember_gguf_tensor (gguf, i);
      guint type = MIN (tensor->type, G_N_ELEMENTS (by_type) - 1);

      side->n_parameters = add_saturated (side->n_parameters, tensor->n_elements);
      side->n_tensor_bytes = add_saturated (side->n_tensor_bytes, tensor->n_bytes);
      by_type[type] = add_saturated (by_type[type], tensor->n_bytes);
      if (by_type[type] > by_type[most])
        most = type;
    }
  if (by_type[most] > 0 && ember_tensor_type_name (most) != NULL)
    side->quantization = g_ascii_strup (ember_tensor_type_name (most), -1);
  return side;
}

/* All keys in the order of the first file: those that differ, and those that do not. */
static void
list_keys (struct reading *reading, const struct ember_diff *diff)
{
  const struct ember_gguf *first = hearth_gguf_get (reading->files[0]);
  const struct ember_gguf *second = hearth_gguf_get (reading->files[1]);
  guint64 n = ember_gguf_info (first)->n_keys;
  size_t at = 0;

  for (guint64 i = 0; i < n && i < MAX_ROWS; i++)
    {
      const struct ember_diff_key *differs = ember_diff_key (diff, at);
      struct ember_diff_key same = { .change = EMBER_SAME,
                                     .name = ember_gguf_key_name (first, i),
                                     .first = (int64_t) i,
                                     .second = (int64_t) i };

      if (differs != NULL && differs->first == (int64_t) i)
        {
          g_ptr_array_add (reading->keys, _hearth_compared_key_new (first, second, differs));
          at++;
        }
      else
        g_ptr_array_add (reading->keys, _hearth_compared_key_new (first, first, &same));
    }
  for (; at < ember_diff_n_keys (diff) && reading->keys->len < MAX_ROWS; at++)
    g_ptr_array_add (reading->keys,
                     _hearth_compared_key_new (first, second, ember_diff_key (diff, at)));
}

static void
read_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  struct reading *reading = task_data;
  struct ember_error failure = { 0 };
  struct ember_diff *diff = NULL;

  for (int i = 0; i < 2; i++)
    {
      GError *error = NULL;

      reading->files[i] = hearth_gguf_open (reading->paths[i], &error);
      if (reading->files[i] == NULL)
        {
          reading->failed = i;
          g_task_return_error (task, error);
          return;
        }
      reading->sides[i] = describe (reading->paths[i], hearth_gguf_get (reading->files[i]));
    }
  if (ember_diff_new (&diff, hearth_gguf_get (reading->files[0]),
                      hearth_gguf_get (reading->files[1]), NULL, &failure) != EMBER_OK)
    {
      g_task_return_error (task, hearth_error_from_ember (&failure));
      return;
    }
  reading->keys = g_ptr_array_new_with_free_func (g_object_unref);
  reading->tensors = g_ptr_array_new_with_free_func (g_object_unref);
  list_keys (reading, diff);
  for (size_t i = 0; i < ember_diff_n_tensors (diff) && i < MAX_ROWS; i++)
    g_ptr_array_add (reading->tensors, _hearth_compared_tensor_new (ember_diff_tensor (diff, i)));
  ember_diff_free (diff);
  g_task_return_boolean (task, TRUE);
}

/* ---- the measuring thread --------------------------------------------------------------- */

struct measuring
{
  struct job *job;
  double from, share;
};

static bool
report_progress (double done, void *user_data)
{
  struct measuring *m = user_data;

  g_atomic_int_set (&m->job->done, (gint) (1e6 * (m->from + done * m->share)));
  return !g_cancellable_is_cancelled (m->job->cancellable);
}

static void
measure_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  struct job *job = task_data;
  struct measuring m = { .job = job };
  struct ember_progress progress = { .report = report_progress, .user_data = &m };
  double all = 0;

  for (guint i = 0; i < job->pairs->len; i++)
    all += (double) g_array_index (job->pairs, struct pair, i).first->n_elements;
  for (guint i = 0; i < job->pairs->len; i++)
    {
      struct pair *pair = &g_array_index (job->pairs, struct pair, i);
      struct ember_diff_error error;
      struct ember_error failure = { 0 };

      m.share = all > 0 ? (double) pair->first->n_elements / all : 0;
      if (!report_progress (0, &m))
        break;
      if (ember_diff_measure (&error, hearth_gguf_get (job->files[0]), pair->first,
                              hearth_gguf_get (job->files[1]), pair->second, &progress,
                              &failure) != EMBER_OK)
        {
          g_task_return_error (task, hearth_error_from_ember (&failure));
          return;
        }
      pair->error = (HearthValueError) { .relative_rms = error.relative_rms,
                                         .maximum = error.maximum,
                                         .cosine = error.cosine,
                                         .n_different = error.n_different };
      g_atomic_int_inc (&job->n_done);
      m.from += m.share;
    }
  g_task_return_boolean (task, TRUE);
}

/* ---- the main thread -------------------------------------------------------------------- */

static void
take_measured (HearthComparison *self)
{
  guint n = (guint) g_atomic_int_get (&self->job->n_done);
  guint before = self->n_taken;

  for (; self->n_taken < n; self->n_taken++)
    {
      const struct pair *pair = &g_array_index (self->job->pairs, struct pair, self->n_taken);
      g_autoptr (HearthComparedTensor) tensor =
        g_list_model_get_item (G_LIST_MODEL (self->tensors), pair->row);

      _hearth_compared_tensor_set_error (tensor, &pair->error);
      self->worst = MAX (self->worst, pair->error.relative_rms);
      self->n_measured++;
    }
  if (self->n_taken > before)
    g_signal_emit (self, signals[SIGNAL_MEASURED], 0);
}

static gboolean
look_cb (gpointer data)
{
  HearthComparison *self = data;
  double progress = g_atomic_int_get (&self->job->done) / 1e6;

  take_measured (self);
  if (progress > self->progress)
    {
      self->progress = progress;
      g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PROGRESS]);
    }
  return G_SOURCE_CONTINUE;
}

static void
end_job (HearthComparison *self)
{
  g_clear_handle_id (&self->look, g_source_remove);
  g_clear_pointer (&self->job, job_unref);
}

static void
measured_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HearthComparison) self = hearth_weak_take (user_data);
  g_autoptr (GError) error = NULL;

  g_task_propagate_boolean (G_TASK (result), &error);
  if (self == NULL || self->job != g_task_get_task_data (G_TASK (result)))
    return;
  take_measured (self);
  if (error != NULL && !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    {
      g_clear_error (&self->error);
      self->error = g_steal_pointer (&error);
    }
  end_job (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BUSY]);
}

static void
read_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HearthComparison) self = hearth_weak_take (user_data);
  struct reading *reading = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  gboolean good = g_task_propagate_boolean (G_TASK (result), &error);

  if (self == NULL)
    return;
  self->ready = TRUE;
  self->failed = reading->failed;
  if (good)
    {
      for (guint i = 0; i < 2; i++)
        {
          self->files[i] = g_steal_pointer (&reading->files[i]);
          self->sides[i] = g_steal_pointer (&reading->sides[i]);
        }
      for (guint i = 0; i < reading->tensors->len; i++)
        self->n_comparable +=
          _hearth_compared_tensor_is_comparable (g_ptr_array_index (reading->tensors, i)) ? 1 : 0;
      g_list_store_splice (self->keys, 0, 0, reading->keys->pdata, reading->keys->len);
      g_list_store_splice (self->tensors, 0, 0, reading->tensors->pdata, reading->tensors->len);
    }
  else
    self->error = g_steal_pointer (&error);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_READY]);
}

static void
hearth_comparison_dispose (GObject *object)
{
  HearthComparison *self = HEARTH_COMPARISON (object);

  if (self->job != NULL)
    g_cancellable_cancel (self->job->cancellable);
  end_job (self);
  g_cancellable_cancel (self->reading);
  g_list_store_remove_all (self->keys);
  g_list_store_remove_all (self->tensors);
  G_OBJECT_CLASS (hearth_comparison_parent_class)->dispose (object);
}

static void
hearth_comparison_finalize (GObject *object)
{
  HearthComparison *self = HEARTH_COMPARISON (object);

  for (guint i = 0; i < 2; i++)
    {
      g_free (self->paths[i]);
      side_free (self->sides[i]);
      g_clear_pointer (&self->files[i], hearth_gguf_unref);
    }
  g_object_unref (self->keys);
  g_object_unref (self->tensors);
  g_object_unref (self->reading);
  g_clear_error (&self->error);
  G_OBJECT_CLASS (hearth_comparison_parent_class)->finalize (object);
}

static void
hearth_comparison_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  HearthComparison *self = HEARTH_COMPARISON (object);

  switch (id)
    {
    case PROP_READY:
      g_value_set_boolean (value, self->ready);
      break;
    case PROP_BUSY:
      g_value_set_boolean (value, self->job != NULL);
      break;
    case PROP_PROGRESS:
      g_value_set_double (value, self->progress);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
hearth_comparison_class_init (HearthComparisonClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->dispose = hearth_comparison_dispose;
  object_class->finalize = hearth_comparison_finalize;
  object_class->get_property = hearth_comparison_get_property;
  properties[PROP_READY] = g_param_spec_boolean ("ready", NULL, NULL, FALSE, flags);
  properties[PROP_BUSY] = g_param_spec_boolean ("busy", NULL, NULL, FALSE, flags);
  properties[PROP_PROGRESS] = g_param_spec_double ("progress", NULL, NULL, 0, 1, 0, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  signals[SIGNAL_MEASURED] = g_signal_new ("measured", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST,
                                           0, NULL, NULL, NULL, G_TYPE_NONE, 0);
}

static void
hearth_comparison_init (HearthComparison *self)
{
  self->keys = g_list_store_new (HEARTH_TYPE_COMPARED_KEY);
  self->tensors = g_list_store_new (HEARTH_TYPE_COMPARED_TENSOR);
  self->reading = g_cancellable_new ();
  self->failed = -1;
}

HearthComparison *
hearth_comparison_new (const char *first, const char *second)
{
  HearthComparison *self = g_object_new (HEARTH_TYPE_COMPARISON, NULL);
  struct reading *reading = g_new0 (struct reading, 1);
  g_autoptr (GTask) task = g_task_new (NULL, self->reading, read_cb, hearth_weak_new (self));

  self->paths[0] = g_strdup (first);
  self->paths[1] = g_strdup (second);
  reading->paths[0] = g_strdup (first);
  reading->paths[1] = g_strdup (second);
  reading->failed = -1;
  g_task_set_source_tag (task, hearth_comparison_new);
  g_task_set_task_data (task, reading, reading_free);
  g_task_run_in_thread (task, read_in_thread);
  return self;
}

gboolean
hearth_comparison_get_ready (HearthComparison *self)
{
  g_return_val_if_fail (HEARTH_IS_COMPARISON (self), FALSE);

  return self->ready;
}

const GError *
hearth_comparison_get_error (HearthComparison *self)
{
  g_return_val_if_fail (HEARTH_IS_COMPARISON (self), NULL);

  return self->error;
}

const char *
hearth_comparison_get_failed_path (HearthComparison *self)
{
  g_return_val_if_fail (HEARTH_IS_COMPARISON (self), NULL);

  return self->failed >= 0 ? self->paths[self->failed] : NULL;
}

const HearthComparisonSide *
hearth_comparison_get_side (HearthComparison *self, gboolean second)
{
  g_return_val_if_fail (HEARTH_IS_COMPARISON (self), NULL);

  return self->sides[second ? 1 : 0];
}

GListModel *
hearth_comparison_get_keys (HearthComparison *self)
{
  g_return_val_if_fail (HEARTH_IS_COMPARISON (self), NULL);

  return G_LIST_MODEL (self->keys);
}

GListModel *
hearth_comparison_get_tensors (HearthComparison *self)
{
  g_return_val_if_fail (HEARTH_IS_COMPARISON (self), NULL);

  return G_LIST_MODEL (self->tensors);
}

void
hearth_comparison_measure (HearthComparison *self)
{
  g_autoptr (GTask) task = NULL;
  struct job *job;

  g_return_if_fail (HEARTH_IS_COMPARISON (self));

  if (self->job != NULL || self->files[0] == NULL)
    return;
  g_clear_error (&self->error);
  self->job = job = g_atomic_rc_box_new0 (struct job);
  job->files[0] = hearth_gguf_ref (self->files[0]);
  job->files[1] = hearth_gguf_ref (self->files[1]);
  job->cancellable = g_cancellable_new ();
  job->pairs = g_array_new (FALSE, TRUE, sizeof (struct pair));
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->tensors)); i++)
    {
      g_autoptr (HearthComparedTensor) tensor =
        g_list_model_get_item (G_LIST_MODEL (self->tensors), i);
      struct pair pair = { .row = i,
                           .first = _hearth_compared_tensor_get (tensor, FALSE),
                           .second = _hearth_compared_tensor_get (tensor, TRUE) };

      if (_hearth_compared_tensor_is_comparable (tensor) &&
          hearth_compared_tensor_get_error (tensor) == NULL)
        g_array_append_val (job->pairs, pair);
    }
  self->n_taken = 0;
  self->progress = 0;
  self->look = g_timeout_add (LOOK_MS, look_cb, self);
  task = g_task_new (NULL, job->cancellable, measured_cb, hearth_weak_new (self));
  g_task_set_source_tag (task, hearth_comparison_measure);
  g_task_set_task_data (task, g_atomic_rc_box_acquire (job), job_unref);
  g_task_run_in_thread (task, measure_in_thread);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PROGRESS]);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BUSY]);
}

void
hearth_comparison_stop (HearthComparison *self)
{
  g_return_if_fail (HEARTH_IS_COMPARISON (self));

  if (self->job != NULL)
    g_cancellable_cancel (self->job->cancellable);
}

gboolean
hearth_comparison_get_busy (HearthComparison *self)
{
  g_return_val_if_fail (HEARTH_IS_COMPARISON (self), FALSE);

  return self->job != NULL;
}

double
hearth_comparison_get_progress (HearthComparison *self)
{
  g_return_val_if_fail (HEARTH_IS_COMPARISON (self), 0);

  return self->progress;
}

guint
hearth_comparison_get_n_comparable (HearthComparison *self)
{
  g_return_val_if_fail (HEARTH_IS_COMPARISON (self), 0);

  return self->n_comparable;
}

guint
hearth_comparison_get_n_measured (HearthComparison *self)
{
  g_return_val_if_fail (HEARTH_IS_COMPARISON (self), 0);

  return self->n_measured;
}

double
hearth_comparison_get_worst (HearthComparison *self)
{
  g_return_val_if_fail (HEARTH_IS_COMPARISON (self), 0);

  return self->worst;
}
