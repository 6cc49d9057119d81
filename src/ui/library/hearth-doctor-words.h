/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-doctor-words.h - what an examination found, in words for people. The engine's own English
 * sentences, with all figures, go under "Details". Main thread. */
#pragma once

#include "hearth-doctor.h"

G_BEGIN_DECLS

/* Whether there are words for a code; the engine's own sentence stands in for others. */
gboolean hearth_doctor_words_know (const char *code);

/* "Two tensors lie over each other in the file." Returns: (transfer full) */
char *hearth_doctor_words_for_diagnosis (HearthDiagnosis *diagnosis);
/* What to do about it; may be "". */
const char *hearth_doctor_words_for_advice (HearthDiagnosis *diagnosis);
/* "Tensor “blk.0.attn_q.weight”", with the file when that is another part; "" for the file itself.
 * Returns: (transfer full) */
char *hearth_doctor_words_for_place (HearthDiagnosis *diagnosis);
const char *hearth_doctor_words_for_severity (HearthSeverity severity);

/* The sentence above everything. Returns: (transfer full) */
char *hearth_doctor_words_for_verdict (HearthDoctor *doctor);
/* What was looked at. */
const char *hearth_doctor_words_for_extent (HearthDoctor *doctor);
/* The whole report as text. Returns: (transfer full) */
char *hearth_doctor_words_for_report (HearthDoctor *doctor);

G_END_DECLS
