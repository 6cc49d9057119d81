/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-text-selection.h - one selection through all the text blocks under a widget, in the order
 * of the widgets: by pointer, by keyboard, as text. The block with the keyboard's place can take
 * the focus, the others cannot, so that Tab finds one text and not hundreds of paragraphs. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-text-block.h"

G_BEGIN_DECLS

typedef struct _HearthTextSelection HearthTextSelection;

/* `root` must outlive it. Returns: (transfer full) */
HearthTextSelection *hearth_text_selection_new (GtkWidget *root);
void hearth_text_selection_free (HearthTextSelection *self);

/* Blocks have come or gone: what pointed to one that is gone points to another. */
void hearth_text_selection_update (HearthTextSelection *self);

gboolean hearth_text_selection_is_empty (HearthTextSelection *self);
void hearth_text_selection_select_all (HearthTextSelection *self);
/* The selected text; blocks are told apart as in a plain letter. Returns: (transfer full) */
char *hearth_text_selection_dup_text (HearthTextSelection *self);

/* By pointer; x and y as the root sees them. n_presses: 2 selects the word, 3 the block. */
void hearth_text_selection_press (HearthTextSelection *self, double x, double y, int n_presses,
                                  gboolean extend);
void hearth_text_selection_drag (HearthTextSelection *self, double x, double y);
/* Returns: (transfer none) (nullable): the block under the point */
HearthTextBlock *hearth_text_selection_get_block_at (HearthTextSelection *self, double x, double y);

typedef enum
{
  HEARTH_TEXT_CHARACTERS,
  HEARTH_TEXT_WORDS,
  HEARTH_TEXT_DISPLAY_LINES,
  HEARTH_TEXT_LINE_ENDS,
  HEARTH_TEXT_ENDS,
} HearthTextStep;

/* By keyboard: `count` is 1 or -1. Takes the focus along. Returns whether the place is another. */
gboolean hearth_text_selection_move (HearthTextSelection *self, HearthTextStep step, int count,
                                     gboolean extend);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HearthTextSelection, hearth_text_selection_free)

G_END_DECLS
