/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-doctor-view.h - what is wrong with a model file: a verdict, then each thing by how bad it
 * is, with advice and a way to its place. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-doctor.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_DOCTOR_VIEW (hearth_doctor_view_get_type ())
G_DECLARE_FINAL_TYPE (HearthDoctorView, hearth_doctor_view, HEARTH, DOCTOR_VIEW, GtkWidget)

/* NULL: nothing is shown. */
void hearth_doctor_view_set_doctor (HearthDoctorView *self, HearthDoctor *doctor);

G_END_DECLS
