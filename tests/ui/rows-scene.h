/* SPDX-License-Identifier: GPL-3.0-or-later */
/* rows-scene.h - the rows of a conversation in a window of their own, for programs that count or
 * time what happens there. Needs a display. */
#pragma once

#include "hearth-conversation.h"
#include "hearth-message-column.h"

/* An answer is made of sections with every kind of block, 20 lines each. */
#define SECTION_LINES 20

struct scene
{
  GtkWindow *window;
  HearthMessageColumn *column;
  GListStore *messages;
  HearthConversation *conversation;
};

void scene_open (struct scene *scene, HearthEngine *engine);
void scene_close (struct scene *scene);
/* 1,000 questions and their answers, opened at the end. */
void scene_add_long_chat (struct scene *scene);
/* Lets the window lay out and draw `n` frames. */
void scene_run_frames (struct scene *scene, int n);
/* Returns: (transfer full): 20 lines; they end where a block surely ends. */
char *scene_section (int number);
/* Returns once the engine's threads have ended. */
void scene_close_engine (HearthEngine *engine);
