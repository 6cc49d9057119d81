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

/* `fraction` from 0 to 1; the tooltip says it in per cent. */
void hearth_progress_row_set_fraction (HearthProgressRow *self, double fraction);

G_END_DECLS
