/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-progress-row.h - how far something that takes long has come, and a button that stops it.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HEARTH_TYPE_PROGRESS_ROW (hearth_progress_row_get_type ())
G_DECLARE_FINAL_TYPE (HearthProgressRow, hearth_progress_row, HEARTH, PROGRESS_ROW, GtkWidget)

/* Properties, to be set alone: label (of the bar, for voice output), action-name (of the button).
 */

/* Shows it, and takes the keyboard over from `trigger` if it is there: what began this goes away in
 * a moment. NULL: nobody's. */
void hearth_progress_row_begin (HearthProgressRow *self, GtkWidget *trigger);
/* Hides it. The keyboard goes from its button to `again`, which does the same once more, if that is
 * shown, else to `outcome`, a label that says what has come of it. Either may be NULL. Returns
 * whether it has gone to the outcome, which is read out then. */
gboolean hearth_progress_row_end (HearthProgressRow *self, GtkWidget *again, GtkWidget *outcome);
/* `fraction` from 0 to 1; said in per cent, too. */
void hearth_progress_row_set_fraction (HearthProgressRow *self, double fraction);

G_END_DECLS
