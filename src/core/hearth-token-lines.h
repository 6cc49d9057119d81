/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-token-lines.h - where the lines of a token text begin when each character has one or two
 * columns, as in a fixed-width font. Immutable and counted. Any thread. */
#pragma once

#include "hearth-token-text.h"

G_BEGIN_DECLS

typedef struct _HearthTokenLines HearthTokenLines;

/* Lines end behind a newline and where the next cell has no room; a cell that is longer than a line
 * is broken itself. A pill takes one column more than its text.
 * Returns: (transfer full) */
HearthTokenLines *hearth_token_lines_new (HearthTokenText *text, guint n_columns);
void hearth_token_lines_unref (HearthTokenLines *self);

/* At least 1. */
guint hearth_token_lines_get_n (HearthTokenLines *self);
/* Offsets of the text. */
void hearth_token_lines_get (HearthTokenLines *self, guint line, guint *from, guint *to);
guint hearth_token_lines_find (HearthTokenLines *self, guint offset);

/* Columns of a character. */
guint hearth_token_lines_width (gunichar c);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HearthTokenLines, hearth_token_lines_unref)

G_END_DECLS
