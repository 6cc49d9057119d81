/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-export.h - saves a text, table or picture in a file that the person chooses, off the main
 * thread; a toast tells how it went. `widget` is the one that asked. Main thread. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef void (*HearthExportFunc) (GtkWidget *widget, GFile *file, gpointer data);

/* Asks where to, starting with a file of this name, and saves there.
 * `contents` (transfer full). */
void hearth_export_save (GtkWidget *widget, const char *name, GBytes *contents);
/* The same with a text. `text` (transfer full). */
void hearth_export_save_text (GtkWidget *widget, const char *name, char *text);
/* The same with a PNG, made on another thread once a place was chosen. */
void hearth_export_save_picture (GtkWidget *widget, const char *name, GdkTexture *picture);

/* For what is made only once a place was chosen: calls `ready` then; `data` is given back to
 * `unref` (may be NULL) either way. `filters` of the dialog may be NULL. */
void hearth_export_ask (GtkWidget *widget, const char *title, const char *name, GListModel *filters,
                        HearthExportFunc ready, gpointer data, GDestroyNotify unref);
void hearth_export_write (GtkWidget *widget, GFile *file, GBytes *contents);
/* What could not be saved, and why. */
void hearth_export_fail (GtkWidget *widget, GFile *file, const GError *error);

/* Into the clipboard, with a toast. `text` (transfer full). */
void hearth_export_copy (GtkWidget *widget, char *text);
void hearth_export_copy_picture (GtkWidget *widget, GdkTexture *picture);
/* A model file's name with its ending exchanged: "model-report.json".
 * Returns: (transfer full) */
char *hearth_export_name (const char *path, const char *ending);

G_END_DECLS
