/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-message-row.h - one question or answer in the list, with what may be done with it. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-conversation.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_MESSAGE_ROW (hearth_message_row_get_type ())
G_DECLARE_FINAL_TYPE (HearthMessageRow, hearth_message_row, HEARTH, MESSAGE_ROW, GtkWidget)

/* Actions: message.copy, message.edit, message.regenerate, message.regenerate-model,
 * message.regenerate-settings, message.previous-version, message.next-version. */

GtkWidget *hearth_message_row_new (HearthMessage *message, HearthConversation *conversation);

HearthMessage *hearth_message_row_get_message (HearthMessageRow *self);
/* Turns the text into an editor in its place. */
void hearth_message_row_edit (HearthMessageRow *self);

G_END_DECLS
