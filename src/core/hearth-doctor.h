/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-doctor.h - what is wrong with a model file, found on another thread: a quick examination
 * of all that the header says at once, every value when somebody asks for it. Of a split model all
 * parts that are there are examined. A list of HearthDiagnosis, the worst first, and in the order
 * of finding among equals. Main thread. */
#pragma once

#include <gio/gio.h>

#include "hearth-diagnosis.h"

G_BEGIN_DECLS

/* One of the files that belong together. */
typedef struct
{
  char *path;
  guint64 size; /* 0 when it is not there */
  gboolean is_there;
  gboolean is_part; /* of a split model; else a file that goes with it, such as a projector */
} HearthDoctorFile;

#define HEARTH_TYPE_DOCTOR (hearth_doctor_get_type ())
G_DECLARE_FINAL_TYPE (HearthDoctor, hearth_doctor, HEARTH, DOCTOR, GObject)

/* Properties: busy, progress; signal of the list: items-changed. */

/* Begins the quick examination. Returns: (transfer full) */
HearthDoctor *hearth_doctor_new (const char *path);

/* Examines again from the beginning, with every value of every tensor. */
void hearth_doctor_check_values (HearthDoctor *self);
/* Stops that; what was found before stays. */
void hearth_doctor_stop (HearthDoctor *self);

const char *hearth_doctor_get_path (HearthDoctor *self);
gboolean hearth_doctor_get_busy (HearthDoctor *self);
/* Whether what goes on looks at values, too. */
gboolean hearth_doctor_get_checking_values (HearthDoctor *self);
/* 0 … 1 of what is going on */
double hearth_doctor_get_progress (HearthDoctor *self);
/* Whether there is a report at all; the list is empty before, and may be empty after. */
gboolean hearth_doctor_get_examined (HearthDoctor *self);
/* Whether the file's header could be read to its end; of one that cannot there are no values. */
gboolean hearth_doctor_get_readable (HearthDoctor *self);
/* Whether the report is about the values, too. */
gboolean hearth_doctor_get_values_checked (HearthDoctor *self);
/* Why the last examination gave no report; NULL when it did, or was stopped.
 * Returns: (transfer none) (nullable) */
const GError *hearth_doctor_get_error (HearthDoctor *self);
guint hearth_doctor_count (HearthDoctor *self, HearthSeverity severity);
/* The parts of a split model, this one included, and what lies beside it for it; of
 * HearthDoctorFile. Returns: (transfer none) */
GPtrArray *hearth_doctor_get_files (HearthDoctor *self);

/* The report as `ember doctor --json` writes it, with the file of each problem.
 * Returns: (transfer full) */
char *hearth_doctor_dup_json (HearthDoctor *self);

G_END_DECLS
