/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-diagnosis.h"

#include <string.h>

#include <ember/doctor.h>

struct _HearthDiagnosis
{
  GObject parent_instance;

  HearthSeverity severity;
  HearthPlace place;
  const char *code; /* interned */
  char *where;
  char *item;
  char *message;
  char *advice;
  char *file;
  guint64 n_more;
};

G_DEFINE_FINAL_TYPE (HearthDiagnosis, hearth_diagnosis, G_TYPE_OBJECT)

static void
hearth_diagnosis_finalize (GObject *object)
{
  HearthDiagnosis *self = HEARTH_DIAGNOSIS (object);

  g_free (self->where);
  g_free (self->item);
  g_free (self->message);
  g_free (self->advice);
  g_free (self->file);
  G_OBJECT_CLASS (hearth_diagnosis_parent_class)->finalize (object);
}

static void
hearth_diagnosis_class_init (HearthDiagnosisClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = hearth_diagnosis_finalize;
}

static void
hearth_diagnosis_init (HearthDiagnosis *self)
{
}

static HearthSeverity
severity_of (enum ember_severity severity)
{
  switch (severity)
    {
    case EMBER_SEVERITY_ERROR:
      return HEARTH_SEVERITY_ERROR;
    case EMBER_SEVERITY_WARNING:
      return HEARTH_SEVERITY_WARNING;
    case EMBER_SEVERITY_INFO:
    default:
      return HEARTH_SEVERITY_INFO;
    }
}

static HearthPlace
place_of (enum ember_place place)
{
  static const HearthPlace places[] = {
    [EMBER_PLACE_FILE] = HEARTH_PLACE_FILE,       [EMBER_PLACE_HEADER] = HEARTH_PLACE_HEADER,
    [EMBER_PLACE_KEYS] = HEARTH_PLACE_KEYS,       [EMBER_PLACE_KEY] = HEARTH_PLACE_KEY,
    [EMBER_PLACE_TENSORS] = HEARTH_PLACE_TENSORS, [EMBER_PLACE_TENSOR] = HEARTH_PLACE_TENSOR,
    [EMBER_PLACE_DATA] = HEARTH_PLACE_DATA,       [EMBER_PLACE_PARTS] = HEARTH_PLACE_PARTS,
  };

  return places[place];
}

HearthDiagnosis *
hearth_diagnosis_new (const struct ember_problem *problem, const char *file)
{
  HearthDiagnosis *self = g_object_new (HEARTH_TYPE_DIAGNOSIS, NULL);

  self->severity = severity_of (problem->severity);
  self->place = place_of (problem->place);
  self->code = g_intern_string (problem->code);
  self->where = g_strdup (problem->where);
  self->item = g_strdup (problem->item);
  self->message = g_strdup (problem->message);
  self->advice = g_strdup (problem->advice);
  self->file = g_strdup (file);
  self->n_more = problem->n_more;
  return self;
}

HearthSeverity
hearth_diagnosis_get_severity (HearthDiagnosis *self)
{
  g_return_val_if_fail (HEARTH_IS_DIAGNOSIS (self), HEARTH_SEVERITY_INFO);

  return self->severity;
}

const char *
hearth_diagnosis_get_code (HearthDiagnosis *self)
{
  g_return_val_if_fail (HEARTH_IS_DIAGNOSIS (self), NULL);

  return self->code;
}

const char *
hearth_diagnosis_get_where (HearthDiagnosis *self)
{
  g_return_val_if_fail (HEARTH_IS_DIAGNOSIS (self), NULL);

  return self->where;
}

HearthPlace
hearth_diagnosis_get_place (HearthDiagnosis *self)
{
  g_return_val_if_fail (HEARTH_IS_DIAGNOSIS (self), HEARTH_PLACE_FILE);

  return self->place;
}

const char *
hearth_diagnosis_get_item (HearthDiagnosis *self)
{
  g_return_val_if_fail (HEARTH_IS_DIAGNOSIS (self), NULL);

  return self->item;
}

gboolean
hearth_diagnosis_is_about (HearthDiagnosis *self, const char *name)
{
  g_return_val_if_fail (HEARTH_IS_DIAGNOSIS (self), FALSE);

  if (self->item == NULL || name == NULL)
    return FALSE;
  if (g_str_equal (self->item, name))
    return TRUE;
  return g_str_has_suffix (self->item, "…") &&
         strncmp (name, self->item, strlen (self->item) - strlen ("…")) == 0;
}

const char *
hearth_diagnosis_get_message (HearthDiagnosis *self)
{
  g_return_val_if_fail (HEARTH_IS_DIAGNOSIS (self), NULL);

  return self->message;
}

const char *
hearth_diagnosis_get_advice (HearthDiagnosis *self)
{
  g_return_val_if_fail (HEARTH_IS_DIAGNOSIS (self), NULL);

  return self->advice;
}

const char *
hearth_diagnosis_get_file (HearthDiagnosis *self)
{
  g_return_val_if_fail (HEARTH_IS_DIAGNOSIS (self), NULL);

  return self->file;
}

guint64
hearth_diagnosis_get_n_more (HearthDiagnosis *self)
{
  g_return_val_if_fail (HEARTH_IS_DIAGNOSIS (self), 0);

  return self->n_more;
}
