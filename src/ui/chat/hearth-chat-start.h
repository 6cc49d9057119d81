/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-chat-start.h - what a chat shows before the first question: the model that waits for it,
 * or how to get one. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-model-file.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_CHAT_START (hearth_chat_start_get_type ())
G_DECLARE_FINAL_TYPE (HearthChatStart, hearth_chat_start, HEARTH, CHAT_START, GtkWidget)

/* NULL: there is none. Call again when its state changes. Whether it fits is left out where a card
 * says it already. */
void hearth_chat_start_show (HearthChatStart *self, HearthModelFile *model, gboolean with_fit);
/* Without pictures: the window is low. */
void hearth_chat_start_set_low (HearthChatStart *self, gboolean low);

G_END_DECLS
