/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-thinking-view.h - what a model thought before it answered: one line, which unfolds. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-message.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_THINKING_VIEW (hearth_thinking_view_get_type ())
G_DECLARE_FINAL_TYPE (HearthThinkingView, hearth_thinking_view, HEARTH, THINKING_VIEW, GtkWidget)

/* Not seen as long as the message has no thoughts. */
void hearth_thinking_view_set_message (HearthThinkingView *self, HearthMessage *message);

G_END_DECLS
