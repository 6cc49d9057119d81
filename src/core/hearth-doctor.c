/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-doctor.h"

#include <string.h>

#include <ember/doctor.h>
#include <ember/gguf.h>
#include <ember/json.h>
#include <ember/naming.h>
#include <glib/gstdio.h>

#include "hearth-error.h"
#include "hearth-weak.h"

/* How often the main thread looks how far the other one is. */
#define LOOK_MS 100
/* A split model of more parts than this is nobody's. */
#define MAX_PARTS 1000u

/* What the examining thread is given and gives back; shared, since either side may end first. */
struct job
{
  char *path;
  gboolean deep;
  GCancellable *cancellable;
  gboolean readable;
  gint done;            /* of 1,000,000; atomic */
  double from, share;   /* which part of the whole the present file is */
  GPtrArray *diagnoses; /* of HearthDiagnosis */
  GPtrArray *files;     /* of HearthDoctorFile */
};

struct _HearthDoctor
{
  GObject parent_instance;

  char *path;
  struct job *job; /* what is going on; NULL: nothing */
  guint look;      /* source */
  double progress;
  GPtrArray *diagnoses;
  GPtrArray *files;
  guint counts[HEARTH_SEVERITY_ERROR + 1];
  gboolean examined;
  gboolean readable;
  gboolean values_checked;
  GError *error;
};

enum
{
  PROP_0,
  PROP_BUSY,
  PROP_PROGRESS,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static GType
get_item_type (GListModel *list)
{
  return HEARTH_TYPE_DIAGNOSIS;
}

static guint
get_n_items (GListModel *list)
{
  return HEARTH_DOCTOR (list)->diagnoses->len;
}

static gpointer
get_item (GListModel *list, guint position)
{
  HearthDoctor *self = HEARTH_DOCTOR (list);

  return position < self->diagnoses->len
           ? g_object_ref (g_ptr_array_index (self->diagnoses, position))
           : NULL;
}

static void
list_model_init (GListModelInterface *iface)
{
  iface->get_item_type = get_item_type;
  iface->get_n_items = get_n_items;
  iface->get_item = get_item;
}

G_DEFINE_FINAL_TYPE_WITH_CODE (HearthDoctor, hearth_doctor, G_TYPE_OBJECT,
                               G_IMPLEMENT_INTERFACE (G_TYPE_LIST_MODEL, list_model_init))

static void
file_free (gpointer data)
{
  HearthDoctorFile *file = data;

  g_free (file->path);
  g_free (file);
}

static void
job_clear (gpointer data)
{
  struct job *job = data;

  g_free (job->path);
  g_object_unref (job->cancellable);
  g_ptr_array_unref (job->diagnoses);
  g_ptr_array_unref (job->files);
}

static void
job_unref (gpointer data)
{
  g_atomic_rc_box_release_full (data, job_clear);
}

/* ---- the examining thread --------------------------------------------------------------- */

static bool
report_progress (double done, void *user_data)
{
  struct job *job = user_data;

  g_atomic_int_set (&job->done, (gint) (1e6 * (job->from + done * job->share)));
  return !g_cancellable_is_cancelled (job->cancellable);
}

static void
add_file (struct job *job, const char *path, gboolean is_part)
{
  HearthDoctorFile *file = g_new0 (HearthDoctorFile, 1);
  GStatBuf info;

  file->path = g_strdup (path);
  file->is_part = is_part;
  file->is_there = g_stat (path, &info) == 0;
  file->size = file->is_there ? (guint64) info.st_size : 0;
  g_ptr_array_add (job->files, file);
}

/* The parts of a split model, by the name of this one. */
static void
find_parts (struct job *job)
{
  gboolean found = FALSE;
  size_t prefix;
  uint32_t no, count;

  if (!ember_gguf_part_parse (job->path, &prefix, &no, &count) || count < 2 || count > MAX_PARTS)
    return;
  for (uint32_t i = 0; i < count; i++)
    {
      char *path = ember_gguf_part_path (job->path, prefix, i, count);

      if (path == NULL)
        return;
      add_file (job, path, TRUE);
      found |= g_str_equal (path, job->path);
      free (path);
    }
  if (!found) /* numbered in a way of its own */
    g_ptr_array_set_size (job->files, 0);
}

static gboolean
same_text (struct ember_text a, struct ember_text b)
{
  return a.size == b.size && a.size > 0 && g_ascii_strncasecmp (a.data, b.data, a.size) == 0;
}

/* Whether a file's name says that it goes with the model: a sidecar ("mmproj-…") of the same base,
 * or a LoRA of it. */
static gboolean
goes_with (const struct ember_file_name *model, const struct ember_file_name *other)
{
  return (other->sidecar.size > 0 || other->type.size > 0) &&
         same_text (model->base, other->base) && model->size.size == other->size.size &&
         (model->size.size == 0 || same_text (model->size, other->size));
}

static void
find_companions (struct job *job)
{
  g_autofree char *folder = g_path_get_dirname (job->path);
  g_autofree char *own = g_path_get_basename (job->path);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  struct ember_file_name model, other;
  const char *name;

  if (dir == NULL || !ember_file_name_parse (own, &model) || model.sidecar.size > 0)
    return;
  while ((name = g_dir_read_name (dir)) != NULL)
    {
      if (!g_str_equal (name, own) && ember_file_name_parse (name, &other) &&
          goes_with (&model, &other))
        {
          g_autofree char *path = g_build_filename (folder, name, NULL);

          add_file (job, path, FALSE);
        }
    }
}

/* FALSE: the task has been answered. */
static gboolean
examine_file (GTask *task, struct job *job, const char *path, gboolean own)
{
  struct ember_doctor_params params = { .deep = job->deep,
                                        .progress = report_progress,
                                        .user_data = job };
  struct ember_error failure = { 0 };
  struct ember_doctor_report *report = NULL;

  if (ember_doctor_examine (&report, path, &params, &failure) != EMBER_OK)
    {
      g_task_return_error (task, hearth_error_from_ember (&failure));
      return FALSE;
    }
  for (size_t i = 0; i < ember_doctor_n_problems (report); i++)
    {
      const struct ember_problem *problem = ember_doctor_problem (report, i);

      /* What each part says of the set is said once. */
      if (own || !g_str_has_prefix (problem->code, "part-") ||
          g_str_equal (problem->code, "part-name"))
        g_ptr_array_add (job->diagnoses, hearth_diagnosis_new (problem, own ? NULL : path));
    }
  if (own)
    job->readable = ember_doctor_file (report)->is_read;
  ember_doctor_free (report);
  return TRUE;
}

static int
worst_first (gconstpointer a, gconstpointer b)
{
  HearthDiagnosis *x = *(HearthDiagnosis *const *) a;
  HearthDiagnosis *y = *(HearthDiagnosis *const *) b;

  return (int) hearth_diagnosis_get_severity (y) - (int) hearth_diagnosis_get_severity (x);
}

static void
examine_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  struct job *job = task_data;
  double all = 0, done = 0;

  find_parts (job);
  for (guint i = 0; i < job->files->len; i++)
    all += (double) ((HearthDoctorFile *) g_ptr_array_index (job->files, i))->size;
  job->share = 1;
  if (job->files->len == 0 && !examine_file (task, job, job->path, TRUE))
    return;
  for (guint i = 0; i < job->files->len; i++)
    {
      const HearthDoctorFile *file = g_ptr_array_index (job->files, i);

      job->from = all > 0 ? done / all : 0;
      job->share = all > 0 ? (double) file->size / all : 0;
      done += (double) file->size;
      if (file->is_there &&
          !examine_file (task, job, file->path, g_str_equal (file->path, job->path)))
        return;
    }
  find_companions (job);
  g_ptr_array_sort (job->diagnoses, worst_first); /* a stable sort */
  g_task_return_boolean (task, TRUE);
}

/* ---- the main thread -------------------------------------------------------------------- */

static gboolean
look_cb (gpointer data)
{
  HearthDoctor *self = data;
  double progress = g_atomic_int_get (&self->job->done) / 1e6;

  if (progress > self->progress)
    {
      self->progress = progress;
      g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PROGRESS]);
    }
  return G_SOURCE_CONTINUE;
}

static void
end_job (HearthDoctor *self)
{
  g_clear_handle_id (&self->look, g_source_remove);
  g_clear_pointer (&self->job, job_unref);
}

static void
take_report (HearthDoctor *self, struct job *job)
{
  guint n_before = self->diagnoses->len;

  g_ptr_array_unref (self->diagnoses);
  self->diagnoses = g_ptr_array_ref (job->diagnoses);
  g_ptr_array_unref (self->files);
  self->files = g_ptr_array_ref (job->files);
  self->examined = TRUE;
  self->readable = job->readable;
  self->values_checked = job->deep && job->readable;
  memset (self->counts, 0, sizeof self->counts);
  for (guint i = 0; i < self->diagnoses->len; i++)
    self->counts[hearth_diagnosis_get_severity (g_ptr_array_index (self->diagnoses, i))]++;
  g_list_model_items_changed (G_LIST_MODEL (self), 0, n_before, self->diagnoses->len);
}

static void
examined_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HearthDoctor) self = hearth_weak_take (user_data);
  struct job *job = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  gboolean good = g_task_propagate_boolean (G_TASK (result), &error);

  if (self == NULL || self->job != job)
    return; /* nobody waits for it any more */
  g_clear_error (&self->error);
  if (good)
    take_report (self, job);
  else if (!g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    self->error = g_steal_pointer (&error);
  end_job (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BUSY]);
}

static void
begin (HearthDoctor *self, gboolean deep)
{
  g_autoptr (GTask) task = NULL;
  gboolean was_busy = self->job != NULL;

  if (was_busy)
    g_cancellable_cancel (self->job->cancellable);
  end_job (self);
  self->job = g_atomic_rc_box_new0 (struct job);
  self->job->path = g_strdup (self->path);
  self->job->deep = deep;
  self->job->cancellable = g_cancellable_new ();
  self->job->diagnoses = g_ptr_array_new_with_free_func (g_object_unref);
  self->job->files = g_ptr_array_new_with_free_func (file_free);
  self->progress = 0;
  self->look = g_timeout_add (LOOK_MS, look_cb, self);
  task = g_task_new (NULL, self->job->cancellable, examined_cb, hearth_weak_new (self));
  g_task_set_source_tag (task, begin);
  g_task_set_task_data (task, g_atomic_rc_box_acquire (self->job), job_unref);
  g_task_run_in_thread (task, examine_in_thread);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_PROGRESS]);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BUSY]);
}

static void
hearth_doctor_dispose (GObject *object)
{
  HearthDoctor *self = HEARTH_DOCTOR (object);

  if (self->job != NULL)
    g_cancellable_cancel (self->job->cancellable);
  end_job (self);
  G_OBJECT_CLASS (hearth_doctor_parent_class)->dispose (object);
}

static void
hearth_doctor_finalize (GObject *object)
{
  HearthDoctor *self = HEARTH_DOCTOR (object);

  g_free (self->path);
  g_ptr_array_unref (self->diagnoses);
  g_ptr_array_unref (self->files);
  g_clear_error (&self->error);
  G_OBJECT_CLASS (hearth_doctor_parent_class)->finalize (object);
}

static void
hearth_doctor_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  HearthDoctor *self = HEARTH_DOCTOR (object);

  switch (id)
    {
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
hearth_doctor_class_init (HearthDoctorClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->dispose = hearth_doctor_dispose;
  object_class->finalize = hearth_doctor_finalize;
  object_class->get_property = hearth_doctor_get_property;
  properties[PROP_BUSY] = g_param_spec_boolean ("busy", NULL, NULL, FALSE, flags);
  properties[PROP_PROGRESS] = g_param_spec_double ("progress", NULL, NULL, 0, 1, 0, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
}

static void
hearth_doctor_init (HearthDoctor *self)
{
  self->diagnoses = g_ptr_array_new_with_free_func (g_object_unref);
  self->files = g_ptr_array_new_with_free_func (file_free);
}

HearthDoctor *
hearth_doctor_new (const char *path)
{
  HearthDoctor *self = g_object_new (HEARTH_TYPE_DOCTOR, NULL);

  self->path = g_strdup (path);
  begin (self, FALSE);
  return self;
}

void
hearth_doctor_check_values (HearthDoctor *self)
{
  g_return_if_fail (HEARTH_IS_DOCTOR (self));

  begin (self, TRUE);
}

void
hearth_doctor_stop (HearthDoctor *self)
{
  g_return_if_fail (HEARTH_IS_DOCTOR (self));

  if (self->job != NULL)
    g_cancellable_cancel (self->job->cancellable);
}

const char *
hearth_doctor_get_path (HearthDoctor *self)
{
  g_return_val_if_fail (HEARTH_IS_DOCTOR (self), NULL);

  return self->path;
}

gboolean
hearth_doctor_get_busy (HearthDoctor *self)
{
  g_return_val_if_fail (HEARTH_IS_DOCTOR (self), FALSE);

  return self->job != NULL;
}

gboolean
hearth_doctor_get_checking_values (HearthDoctor *self)
{
  g_return_val_if_fail (HEARTH_IS_DOCTOR (self), FALSE);

  return self->job != NULL && self->job->deep;
}

double
hearth_doctor_get_progress (HearthDoctor *self)
{
  g_return_val_if_fail (HEARTH_IS_DOCTOR (self), 0);

  return self->progress;
}

gboolean
hearth_doctor_get_examined (HearthDoctor *self)
{
  g_return_val_if_fail (HEARTH_IS_DOCTOR (self), FALSE);

  return self->examined;
}

gboolean
hearth_doctor_get_readable (HearthDoctor *self)
{
  g_return_val_if_fail (HEARTH_IS_DOCTOR (self), FALSE);

  return self->readable;
}

gboolean
hearth_doctor_get_values_checked (HearthDoctor *self)
{
  g_return_val_if_fail (HEARTH_IS_DOCTOR (self), FALSE);

  return self->values_checked;
}

const GError *
hearth_doctor_get_error (HearthDoctor *self)
{
  g_return_val_if_fail (HEARTH_IS_DOCTOR (self), NULL);

  return self->error;
}

guint
hearth_doctor_count (HearthDoctor *self, HearthSeverity severity)
{
  g_return_val_if_fail (HEARTH_IS_DOCTOR (self), 0);

  return self->counts[severity];
}

GPtrArray *
hearth_doctor_get_files (HearthDoctor *self)
{
  g_return_val_if_fail (HEARTH_IS_DOCTOR (self), NULL);

  return self->files;
}

static void
write_member (struct ember_json_writer *json, const char *name, const char *text)
{
  ember_json_name (json, name);
  ember_json_write_string (json, text);
}

char *
hearth_doctor_dup_json (HearthDoctor *self)
{
  static const char *const severities[] = { "info", "warning", "error" };
  struct ember_json_writer *json = ember_json_writer_new (1);
  const char *text;
  char *copy;

  g_return_val_if_fail (HEARTH_IS_DOCTOR (self), NULL);

  ember_json_begin_object (json);
  write_member (json, "file", self->path);
  ember_json_name (json, "ok");
  ember_json_write_bool (json, self->counts[HEARTH_SEVERITY_ERROR] == 0);
  ember_json_name (json, "values_checked");
  ember_json_write_bool (json, self->values_checked);
  ember_json_name (json, "problems");
  ember_json_begin_array (json);
  for (guint i = 0; i < self->diagnoses->len; i++)
    {
      HearthDiagnosis *diagnosis = g_ptr_array_index (self->diagnoses, i);
      const char *file = hearth_diagnosis_get_file (diagnosis);

      ember_json_begin_object (json);
      write_member (json, "severity", severities[hearth_diagnosis_get_severity (diagnosis)]);
      write_member (json, "code", hearth_diagnosis_get_code (diagnosis));
      write_member (json, "where", hearth_diagnosis_get_where (diagnosis));
      write_member (json, "message", hearth_diagnosis_get_message (diagnosis));
      write_member (json, "advice", hearth_diagnosis_get_advice (diagnosis));
      write_member (json, "file", file != NULL ? file : self->path);
      ember_json_end_object (json);
    }
  ember_json_end_array (json);
  ember_json_end_object (json);
  text = ember_json_writer_finish (json, NULL);
  copy = g_strdup (text != NULL ? text : "");
  ember_json_writer_free (json);
  return copy;
}
