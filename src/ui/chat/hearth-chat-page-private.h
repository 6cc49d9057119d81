/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-chat-page-private.h - for hearth-chat-page*.c only. */
#pragma once

#include <adwaita.h>

#include "hearth-chat-page.h"
#include "hearth-chat-panel.h"
#include "hearth-chat-start.h"
#include "hearth-context-bar.h"
#include "hearth-fit.h"
#include "hearth-load-card.h"
#include "hearth-message-list.h"
#include "hearth-model-button.h"

struct _HearthChatPage
{
  GtkWidget parent_instance;

  AdwOverlaySplitView *split_view;
  HearthChatPanel *panel; /* NULL until it was shown once */
  HearthModelButton *model_button;
  GtkMenuButton *menu_button;
  HearthErrorCard *notice;
  AdwBanner *settings_banner;
  GtkStack *stack;
  HearthChatStart *start;
  HearthMessageList *message_list;
  GtkBox *bottom_box;
  HearthLoadCard *load_card;
  HearthErrorCard *load_error_card;
  HearthErrorCard *full_card;
  HearthComposer *composer;
  HearthContextBar *context_bar;

  HearthEngine *engine;
  HearthPresets *presets;
  HearthConversation *conversation;
  GSignalGroup *conversation_signals;
  GSignalGroup *settings_signals;
  GSignalGroup *model_signals;
  GSignalGroup *answer_signals; /* of the last answer */
  HearthMessage *again;         /* weak: the answer that is given again with what is being chosen */
  gboolean low;
  gboolean wide;
  guint wide_id;

  /* hearth-chat-page-context.c */
  GCancellable *counting; /* NULL: nothing is being counted */
  HearthCount count;
  gboolean counted;
  guint count_id;
  HearthFit *larger; /* what a larger context would take; NULL until the context is full */
  GSignalGroup *larger_signals;
};

/* Returns: (transfer full) (nullable) */
HearthMessage *_hearth_chat_page_ref_last_answer (HearthChatPage *self);
void _hearth_chat_page_update_actions (HearthChatPage *self);

/* hearth-chat-page-actions.c: actions "chat.…". */
void _hearth_chat_page_class_install_actions (GtkWidgetClass *widget_class);
/* A model was chosen to answer again. */
void _hearth_chat_page_model_chosen (HearthChatPage *self, const char *path);

/* hearth-chat-page-context.c: how full the context is, and what to do when it is full. */
void _hearth_chat_page_init_context (HearthChatPage *self);
void _hearth_chat_page_dispose_context (HearthChatPage *self);
/* Counts the conversation's tokens soon. */
void _hearth_chat_page_count_later (HearthChatPage *self);
/* The model has read or written. */
void _hearth_chat_page_show_progress (HearthChatPage *self);
/* Another conversation, or another state of this one. */
void _hearth_chat_page_update_full (HearthChatPage *self);
/* Says it again, with the ways out, when the last answer cannot go on. FALSE: it can. */
gboolean _hearth_chat_page_show_full (HearthChatPage *self);
/* Goes on with the answer that the full context cut off or refused. */
void _hearth_chat_page_leave_out (HearthChatPage *self);
void _hearth_chat_page_enlarge (HearthChatPage *self);
