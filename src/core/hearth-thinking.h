/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-thinking.h - parts a growing text into what is thought and what is answered, however it is
 * cut into pieces. One thread at a time. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  char *begin; /* marks; NULL: everything is answer */
  char *end;
  enum
  {
    HEARTH_THINKING_BEFORE,
    HEARTH_THINKING_INSIDE,
    HEARTH_THINKING_BEHIND, /* white space between thoughts and answer is dropped */
    HEARTH_THINKING_OVER,
  } stage;
  gboolean begun; /* something was thought */
  GString *held;  /* what may become a mark */
} HearthThinking;

/* Without marks (NULL) all text is answer. `open`: the text begins inside the thoughts. */
void hearth_thinking_init (HearthThinking *self, const char *begin, const char *end, gboolean open);
/* What follows goes on with thoughts that are known already. */
void hearth_thinking_go_on (HearthThinking *self);
void hearth_thinking_finish (HearthThinking *self);

/* Appends what `text` adds to the thoughts and to the answer. */
void hearth_thinking_push (HearthThinking *self, const char *text, gsize size, GString *thoughts,
                           GString *answer);
/* Nothing follows: what was held back belongs to where it stands. */
void hearth_thinking_end (HearthThinking *self, GString *thoughts, GString *answer);

G_END_DECLS
