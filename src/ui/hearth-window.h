/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-window.h - the frame: sidebar, the page of the chosen place, opening files. */
#pragma once

#include <adwaita.h>

#include "hearth-chat-page.h"
#include "hearth-conversation-list.h"
#include "hearth-library.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_WINDOW (hearth_window_get_type ())
G_DECLARE_FINAL_TYPE (HearthWindow, hearth_window, HEARTH, WINDOW, AdwApplicationWindow)

/* Signal "file-opened": the file that was to be opened is shown, or why it cannot be. */

/* Returns: (transfer floating) */
HearthWindow *hearth_window_new (GtkApplication *application, HearthEngine *engine,
                                 HearthLibrary *library, HearthSettings *settings,
                                 HearthConversationList *conversations);

/* Reads the file's header; shows a chat with it, which loads it, or the reason why not. */
void hearth_window_open_file (HearthWindow *self, GFile *file);
/* The same, but shows the model's page: nothing is loaded. */
void hearth_window_inspect_file (HearthWindow *self, GFile *file);

/* Returns: (transfer none) */
HearthChatPage *hearth_window_get_chat_page (HearthWindow *self);
/* The file that is being opened, or was opened last. Returns: (transfer none) (nullable) */
HearthModelFile *hearth_window_get_opened (HearthWindow *self);

/* Closes it with whatever dialog is open over it; the next window looks the same. */
void hearth_window_leave (HearthWindow *self);

G_END_DECLS
