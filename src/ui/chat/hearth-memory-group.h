/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-memory-group.h - how much of a conversation the model can read at once and in which form
 * it is kept, with what that costs while it is being chosen. It is applied by loading anew. */
#pragma once

#include <adwaita.h>

#include "hearth-conversation.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_MEMORY_GROUP (hearth_memory_group_get_type ())
G_DECLARE_FINAL_TYPE (HearthMemoryGroup, hearth_memory_group, HEARTH, MEMORY_GROUP,
                      AdwPreferencesGroup)

void hearth_memory_group_set_engine (HearthMemoryGroup *self, HearthEngine *engine);
void hearth_memory_group_set_conversation (HearthMemoryGroup *self,
                                           HearthConversation *conversation);
/* Brings it into view and the keyboard to the length. */
void hearth_memory_group_focus (HearthMemoryGroup *self);

G_END_DECLS
