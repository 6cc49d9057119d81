/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-message-row.h - one question or answer in the list, with what may be done with it. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-message.h"
#include "hearth-model-file.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_MESSAGE_ROW (hearth_message_row_get_type ())
G_DECLARE_FINAL_TYPE (HearthMessageRow, hearth_message_row, HEARTH, MESSAGE_ROW, GtkListBoxRow)

/* `model` is who answers; may be NULL. */
GtkWidget *hearth_message_row_new (HearthMessage *message, HearthModelFile *model);

HearthMessage *hearth_message_row_get_message (HearthMessageRow *self);

G_END_DECLS
