/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-save.h - asks where to save something, writes it without holding up the window, and says
 * in a toast what came of it. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* `name`: what is suggested. */
void hearth_save_bytes (GtkWidget *widget, const char *title, const char *name, GBytes *bytes);

/* Called with the file that was chosen; writes it in its own way and calls hearth_save_tell(). */
typedef void (*HearthSaveFunc) (GtkWidget *widget, GFile *file);
void hearth_save_to (GtkWidget *widget, const char *title, const char *name, HearthSaveFunc func);
/* `error` NULL: it is saved. */
void hearth_save_tell (GtkWidget *widget, GFile *file, const GError *error);

G_END_DECLS
