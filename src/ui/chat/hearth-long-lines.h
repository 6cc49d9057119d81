/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-long-lines.h - text that is written, with lines of any length. A text view lays out a line
 * as one, at each key: a pasted line of some hundred kilobytes would hold up the window for
 * seconds. So it is parted with marks that nobody sees, and that are no part of the text. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Parts what is put into the view from now on; what is copied or cut there has no marks. */
void hearth_long_lines_watch (GtkTextView *view);
/* The text without the marks. Returns: (transfer full) */
char *hearth_long_lines_dup_text (GtkTextBuffer *buffer);

G_END_DECLS
