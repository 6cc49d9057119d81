/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-export.h - a text or picture into a file that the user chooses. Main thread. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Asks where to, starting with a file of this name, and writes there; a toast tells how it ended.
 * `contents` (transfer full). */
void hearth_export_save (GtkWidget *parent, const char *name, GBytes *contents);
/* The same with a text. `text` (transfer full). */
void hearth_export_save_text (GtkWidget *parent, const char *name, char *text);
/* Into the clipboard, with a toast. `text` (transfer full). */
void hearth_export_copy (GtkWidget *widget, char *text);
/* A model file's name with its ending exchanged: "model-report.json".
 * Returns: (transfer full) */
char *hearth_export_name (const char *path, const char *ending);
/* Adds a line of CSV (RFC 4180); a NULL field is empty. */
void hearth_export_add_csv (GString *out, const char *const *fields, guint n_fields);

G_END_DECLS
