/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-ask.h - `hearth FILE --ask TEXT --screenshot PATH`: does in the real window what a person
 * would, waits for the outcome, prints it. Main thread.
 *
 *   opening ─▶ loading ─▶ answering ─▶ picture ─▶ done
 *      └──────────┴───────────┴──────────┴──────▶ done, with a sentence on standard error */
#pragma once

#include "hearth-window.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_ASK (hearth_ask_get_type ())
G_DECLARE_FINAL_TYPE (HearthAsk, hearth_ask, HEARTH, ASK, GObject)

/* `file` NULL: the window as it starts. `question` NULL: only open. `screenshot` NULL: no picture.
 * Returns: (transfer full) */
HearthAsk *hearth_ask_new (HearthWindow *window, GFile *file, const char *question,
                           const char *screenshot);

/* Prints the picture's absolute path on one line, then the answer, its line breaks as spaces. */
void hearth_ask_run_async (HearthAsk *self, GAsyncReadyCallback callback, gpointer user_data);
/* Returns the exit status: 0, or 1 after a sentence on standard error. */
int hearth_ask_run_finish (HearthAsk *self, GAsyncResult *result);

G_END_DECLS
