/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-parameter-row.h - one sampling value: its name, where it comes from, a field to change it
 * and a button that takes the change back. */
#pragma once

#include "hearth-chat-settings.h"
#include "hearth-field-row.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_PARAMETER_ROW (hearth_parameter_row_get_type ())
G_DECLARE_FINAL_TYPE (HearthParameterRow, hearth_parameter_row, HEARTH, PARAMETER_ROW,
                      HearthFieldRow)

/* Signal "chosen" (double): somebody entered a value, or took theirs back (NAN). */

GtkWidget *hearth_parameter_row_new (HearthParameter parameter);
HearthParameter hearth_parameter_row_get_parameter (HearthParameterRow *self);
/* Shows a value; `preset` is the name of the present preset. NAN: nobody knows it
 * before a model is chosen. */
void hearth_parameter_row_show (HearthParameterRow *self, double value, HearthSource source,
                                const char *preset);

G_END_DECLS
