/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-chat-panel.h - beside a chat: what its next answers are made with. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-conversation.h"
#include "hearth-presets.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_CHAT_PANEL (hearth_chat_panel_get_type ())
G_DECLARE_FINAL_TYPE (HearthChatPanel, hearth_chat_panel, HEARTH, CHAT_PANEL, GtkWidget)

/* Once. */
void hearth_chat_panel_set_sources (HearthChatPanel *self, HearthEngine *engine,
                                    HearthPresets *presets);
/* NULL: everything is insensitive. */
void hearth_chat_panel_set_conversation (HearthChatPanel *self, HearthConversation *conversation);
/* Puts the focus on the first value that answers depend on, or on the context. */
void hearth_chat_panel_focus_answers (HearthChatPanel *self);
void hearth_chat_panel_focus_memory (HearthChatPanel *self);

G_END_DECLS
