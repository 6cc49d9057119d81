/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-sidebar.h - the places (chats, models) and the list of the one that is chosen. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-conversation.h"
#include "hearth-model-file.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_SIDEBAR (hearth_sidebar_get_type ())
G_DECLARE_FINAL_TYPE (HearthSidebar, hearth_sidebar, HEARTH, SIDEBAR, GtkWidget)

/* Signals: "conversation-chosen" (HearthConversation), "model-chosen" (HearthModelFile). */

/* Lists of HearthConversation and of HearthModelFile. Call once. */
void hearth_sidebar_set_lists (HearthSidebar *self, GListModel *conversations, GListModel *models);
/* Selects without a signal; NULL selects nothing. */
void hearth_sidebar_select_conversation (HearthSidebar *self, HearthConversation *conversation);
void hearth_sidebar_select_model (HearthSidebar *self, HearthModelFile *model);
/* "chats" or "models". */
void hearth_sidebar_set_place (HearthSidebar *self, const char *place);

G_END_DECLS
