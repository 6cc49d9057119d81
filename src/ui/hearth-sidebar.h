/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-sidebar.h - the places (chats, models) and the list of the one that is chosen. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-chat-list.h"
#include "hearth-loaded-row.h"
#include "hearth-model-list.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_SIDEBAR (hearth_sidebar_get_type ())
G_DECLARE_FINAL_TYPE (HearthSidebar, hearth_sidebar, HEARTH, SIDEBAR, GtkWidget)

/* Signal "place-changed": another place is shown, chosen by a person or by the window. */

/* Returns: (transfer none) */
HearthChatList *hearth_sidebar_get_chat_list (HearthSidebar *self);
/* Returns: (transfer none) */
HearthModelList *hearth_sidebar_get_model_list (HearthSidebar *self);
/* Returns: (transfer none) */
HearthLoadedRow *hearth_sidebar_get_loaded_row (HearthSidebar *self);
/* "chats" or "models". */
const char *hearth_sidebar_get_place (HearthSidebar *self);
void hearth_sidebar_set_place (HearthSidebar *self, const char *place);

G_END_DECLS
