/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-save-later.h - asks where to save what is yet to be made, as large exports and pictures
 * are, and writes it there, off the main thread; a toast says how it went. What is at hand already:
 * hearth-export.h. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* `widget` is the one that asked. */
typedef void (*HearthSaveLaterFunc) (GtkWidget *widget, GFile *file, gpointer data);

/* Calls `ready` when a place was chosen; `data` is given back to `unref` (may be NULL) either way.
 */
void hearth_save_later_ask (GtkWidget *widget, const char *title, const char *name,
                            HearthSaveLaterFunc ready, gpointer data, GDestroyNotify unref);
void hearth_save_later_write (GtkWidget *widget, GFile *file, GBytes *bytes);
/* Asks, then makes a PNG of it on another thread and writes that. */
void hearth_save_later_picture (GtkWidget *widget, const char *title, const char *name,
                                GdkTexture *picture);
/* What could not be saved, and why. */
void hearth_save_later_fail (GtkWidget *widget, GFile *file, const GError *error);

G_END_DECLS
