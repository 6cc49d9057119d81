/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-shortcuts.h - the one table of keys: it installs them and it is shown to the reader. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* Keys of the actions "app.…". */
void hearth_shortcuts_add_to_application (GtkApplication *application);
/* Keys of the actions that begin with `prefix` ("win.", "chat."), for the whole window that
 * `widget` is in; the action is looked for from `widget` upwards. */
void hearth_shortcuts_add_to (GtkWidget *widget, const char *prefix);

/* The keys of an action of the table, as gtk_accelerator_parse() reads them; static storage. */
const char *hearth_shortcuts_get_keys (const char *action);
/* The keys that enlarge, reduce and reset a map; `zoom` gets 1, -1, 0. */
void hearth_shortcuts_add_zoom (GtkWidgetClass *klass, GtkShortcutFunc zoom);
/* Those that work everywhere, for a dialog: it keeps the window's from being seen. */
void hearth_shortcuts_add_to_dialog (AdwDialog *dialog);
/* Returns: (transfer floating): the dialog that lists them */
AdwDialog *hearth_shortcuts_dialog_new (void);

G_END_DECLS
