/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-show-in-files.h - shows a file where it lies, in the desktop's file manager. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Asks the file manager over D-Bus, which selects the file; where none answers, whatever opens its
 * folder. What fails is told with the action "win.toast". */
void hearth_show_in_files (GtkWidget *widget, const char *path);

G_END_DECLS
