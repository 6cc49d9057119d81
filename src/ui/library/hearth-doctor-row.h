/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-doctor-row.h - a row about one thing that is wrong: a sentence and advice, its place and
 * the engine's own sentence when unfolded, and a button that leads there. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-diagnosis.h"

G_BEGIN_DECLS

/* A row for a list. */
GtkWidget *hearth_doctor_row_new (HearthDiagnosis *diagnosis);
/* The icon of a severity, and the style it has. */
const char *hearth_doctor_row_icon (HearthSeverity severity);
const char *hearth_doctor_row_style (HearthSeverity severity);

G_END_DECLS
