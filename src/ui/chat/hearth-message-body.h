/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-message-body.h - the text of a message as a column of blocks. A block is finished at an
 * empty line and never laid out again; only the last one grows. Today every block is a paragraph of
 * plain text; the column is where other kinds of block go. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HEARTH_TYPE_MESSAGE_BODY (hearth_message_body_get_type ())
G_DECLARE_FINAL_TYPE (HearthMessageBody, hearth_message_body, HEARTH, MESSAGE_BODY, GtkWidget)

void hearth_message_body_clear (HearthMessageBody *self);
void hearth_message_body_append (HearthMessageBody *self, const char *text);

G_END_DECLS
