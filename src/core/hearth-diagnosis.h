/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-diagnosis.h - one thing that an examination found in a model file. Immutable; may be made
 * on any thread. */
#pragma once

#include <glib-object.h>

G_BEGIN_DECLS

typedef enum
{
  HEARTH_SEVERITY_INFO,
  HEARTH_SEVERITY_WARNING,
  HEARTH_SEVERITY_ERROR,
} HearthSeverity;

/* What it is about. */
typedef enum
{
  HEARTH_PLACE_FILE,
  HEARTH_PLACE_HEADER,
  HEARTH_PLACE_KEYS,
  HEARTH_PLACE_KEY,
  HEARTH_PLACE_TENSORS,
  HEARTH_PLACE_TENSOR,
  HEARTH_PLACE_DATA,
  HEARTH_PLACE_PARTS,
} HearthPlace;

#define HEARTH_TYPE_DIAGNOSIS (hearth_diagnosis_get_type ())
G_DECLARE_FINAL_TYPE (HearthDiagnosis, hearth_diagnosis, HEARTH, DIAGNOSIS, GObject)

struct ember_problem;

/* `file`: which part of a split model it was found in, by its path; NULL: the file itself.
 * Returns: (transfer full) */
HearthDiagnosis *hearth_diagnosis_new (const struct ember_problem *problem, const char *file);

HearthSeverity hearth_diagnosis_get_severity (HearthDiagnosis *self);
/* "tensor-overlap": the same in every language. */
const char *hearth_diagnosis_get_code (HearthDiagnosis *self);
/* `key "general.name"`, in English */
const char *hearth_diagnosis_get_where (HearthDiagnosis *self);
HearthPlace hearth_diagnosis_get_place (HearthDiagnosis *self);
/* The name of the key or tensor, ending in "…" when it was too long. Returns: (nullable) */
const char *hearth_diagnosis_get_item (HearthDiagnosis *self);
/* Whether `item` is this name. */
gboolean hearth_diagnosis_is_about (HearthDiagnosis *self, const char *name);
/* The engine's sentences, with all figures, in English; the second may be empty. */
const char *hearth_diagnosis_get_message (HearthDiagnosis *self);
const char *hearth_diagnosis_get_advice (HearthDiagnosis *self);
/* Not 0: it only says how many more of its kind there are than are listed. */
guint64 hearth_diagnosis_get_n_more (HearthDiagnosis *self);
/* Returns: (nullable) */
const char *hearth_diagnosis_get_file (HearthDiagnosis *self);

G_END_DECLS
