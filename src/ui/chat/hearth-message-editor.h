/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-message-editor.h - the text of a message, to be written anew in its place. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HEARTH_TYPE_MESSAGE_EDITOR (hearth_message_editor_get_type ())
G_DECLARE_FINAL_TYPE (HearthMessageEditor, hearth_message_editor, HEARTH, MESSAGE_EDITOR, GtkWidget)

/* Signals: changed (const char *text) while it is written, then edited (const char *text) or
 * cancelled. Property: enter-sends. `question`: it will be asked, else only kept. */
GtkWidget *hearth_message_editor_new (const char *text, gboolean question);

/* FALSE while another answer is going on: what is typed then stays in the editor. */
void hearth_message_editor_set_can_save (HearthMessageEditor *self, gboolean can_save);

G_END_DECLS
