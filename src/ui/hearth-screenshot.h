/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-screenshot.h - a picture of our own window, drawn by its own renderer. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Waits until the window has drawn what it shows now, then saves a PNG. */
void hearth_screenshot_save_async (GtkWindow *window, const char *path,
                                   GAsyncReadyCallback callback, gpointer user_data);
gboolean hearth_screenshot_save_finish (GAsyncResult *result, GError **error);

G_END_DECLS
