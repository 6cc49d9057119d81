/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-block-column.h - blocks of formatted text, one under the other; also what is in a list
 * item or a quote. Long columns are parted into sections, so that a growing end costs the same
 * however much stands before it. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-markdown-block.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_BLOCK_COLUMN (hearth_block_column_get_type ())
G_DECLARE_FINAL_TYPE (HearthBlockColumn, hearth_block_column, HEARTH, BLOCK_COLUMN, GtkWidget)

/* Compact: with less space between its blocks. */
GtkWidget *hearth_block_column_new (gboolean compact);

/* Shows `n` blocks, of which those before `first` are the same as the last time. A block that shows
 * the same as the one at its place keeps its widget; so does one of the same kind, which changes.
 */
void hearth_block_column_set_blocks (HearthBlockColumn *self, HearthMarkdownBlock *const *blocks,
                                     guint n, guint first);
/* Text as it is, in pieces that cost little; the column is as wide as the text. */
void hearth_block_column_set_plain (HearthBlockColumn *self, const char *text, gsize size,
                                    gboolean more);
/* More of the same text: only what is new is looked at. */
void hearth_block_column_grow_plain (HearthBlockColumn *self, const char *text, gsize size,
                                     gboolean more);

G_END_DECLS
