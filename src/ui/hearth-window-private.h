/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-window-private.h - for hearth-window*.c only. */
#pragma once

#include "hearth-model-page.h"
#include "hearth-sidebar.h"
#include "hearth-window.h"

struct _HearthWindow
{
  AdwApplicationWindow parent_instance;

  AdwToastOverlay *toasts;
  AdwNavigationSplitView *split_view;
  AdwNavigationPage *content_page;
  HearthSidebar *sidebar;
  GtkStack *pages;
  HearthChatPage *chat_page;
  HearthModelPage *model_page;

  HearthEngine *engine;
  HearthLibrary *library;
  HearthSettings *settings;
  HearthConversationList *conversations;
  HearthModelFile *opened;
  GCancellable *opening;   /* NULL: no header is being read for `opened` */
  GQueue undoable;         /* of AdwToast that offer Undo, the last first */
  AdwToast *opening_toast; /* weak: NULL until reading takes long */
  guint opening_id;
  HearthConversation *opened_for; /* NULL, or the chat whose model `opened` becomes */
  gboolean inspecting;            /* `opened` is to be looked at; else talked to, when it can be */
};

/* hearth-window-actions.c: actions "win.…". */
void _hearth_window_class_install_actions (GtkWidgetClass *widget_class);
void _hearth_window_update_actions (HearthWindow *self);

/* hearth-window-chats.c */
/* Shows the chat that was open last, as soon as it is known, unless something else is done first.
 */
void _hearth_window_begin_chats (HearthWindow *self);
/* Returns: (transfer none): the present chat, or a new one when that has begun already */
HearthConversation *_hearth_window_get_fresh_chat (HearthWindow *self);
/* The same where the present one is about to go. */
HearthConversation *_hearth_window_get_chat_after (HearthWindow *self, HearthConversation *before);
void _hearth_window_show_chat (HearthWindow *self, HearthConversation *conversation);
/* Gives the chat this model and loads it when there is room. */
void _hearth_window_use_model (HearthWindow *self, HearthConversation *conversation,
                               HearthModelFile *model);
/* Shows the chat that is `by` rows below the present one. */
void _hearth_window_step_chat (HearthWindow *self, int by);

/* hearth-window-chat-actions.c: what is done with one chat of the list. */
void _hearth_window_class_install_chat_actions (GtkWidgetClass *widget_class);

/* hearth-window-models.c: what is done with one file of the list of models. */
void _hearth_window_class_install_model_actions (GtkWidgetClass *widget_class);
/* Models of the library without what goes with them, last used first. Returns: (transfer full) */
GListModel *_hearth_window_list_choices (HearthLibrary *library);

/* hearth-window-undo.c */
/* Says what was done on a toast with Undo; "button-clicked" is the wish to take it back, by the
 * toast's button or by key. Returns: (transfer none) */
AdwToast *_hearth_window_offer_undo (HearthWindow *self, const char *text);
void _hearth_window_drop_undo (HearthWindow *self);
void _hearth_window_class_install_undo_action (GtkWidgetClass *widget_class);

/* hearth-window-files.c */
/* `for_chat`: as the present chat's model. Else what is opened shows in the place that is shown. */
void _hearth_window_choose_file (HearthWindow *self, gboolean for_chat);
void _hearth_window_choose_folder (HearthWindow *self);
/* Gives up on the file that is being opened. */
void _hearth_window_stop_opening (HearthWindow *self);
void _hearth_window_install_drop (HearthWindow *self);

/* hearth-window-places.c */
void _hearth_window_show_model (HearthWindow *self, HearthModelFile *model);
void _hearth_window_update_title (HearthWindow *self);
void _hearth_window_place_changed (HearthWindow *self);
/* Shows the place that was shown last. */
void _hearth_window_restore_place (HearthWindow *self);
/* On the page that is shown, and to voice output. `details` may be NULL. */
void _hearth_window_show_failure (HearthWindow *self, const char *sentence, const char *details);
void _hearth_window_hide_notices (HearthWindow *self);
