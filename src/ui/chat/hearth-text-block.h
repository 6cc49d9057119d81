/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-text-block.h - one piece of text of a message: a paragraph, a cell, lines of code. Shows
 * spans and links, and a selection that somebody else decides about (hearth-text-selection.h).
 *
 * It is laid out when its text, its width or its font changes and at no other time, and counts how
 * often that was. Positions are bytes. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-markdown-block.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_TEXT_BLOCK (hearth_text_block_get_type ())
G_DECLARE_FINAL_TYPE (HearthTextBlock, hearth_text_block, HEARTH, TEXT_BLOCK, GtkWidget)

typedef enum
{
  HEARTH_TEXT_FILL,  /* wraps, and is as wide as it may be */
  HEARTH_TEXT_WRAP,  /* wraps, and asks for the width of its text */
  HEARTH_TEXT_LINES, /* never wraps */
} HearthTextShape;

GtkWidget *hearth_text_block_new (GtkAccessibleRole role, HearthTextShape shape);

/* The text is copied. Nothing happens when it is the same as before. */
void hearth_text_block_set_text (HearthTextBlock *self, const HearthMarkdownText *text);
/* Code: `attributes` (nullable) are borrowed. */
void hearth_text_block_set_code (HearthTextBlock *self, const char *text, gsize size,
                                 PangoAttrList *attributes);
void hearth_text_block_set_shape (HearthTextBlock *self, HearthTextShape shape);
void hearth_text_block_set_align (HearthTextBlock *self, HearthMarkdownAlign align);

/* Returns: (transfer none) */
const char *hearth_text_block_get_text (HearthTextBlock *self);
guint hearth_text_block_get_size (HearthTextBlock *self);
/* As it is laid out now. Returns: (transfer none) */
PangoLayout *hearth_text_block_get_layout (HearthTextBlock *self);
guint hearth_text_block_get_n_layouts (HearthTextBlock *self);

/* From `start` to before `end`; the same: nothing. */
void hearth_text_block_set_selection (HearthTextBlock *self, guint start, guint end);
/* Where the keyboard is: a line while the block has the focus; -1: nowhere. */
void hearth_text_block_set_caret (HearthTextBlock *self, int position);
int hearth_text_block_get_caret (HearthTextBlock *self);

/* The place between characters that is closest. */
guint hearth_text_block_get_position_at (HearthTextBlock *self, double x, double y);
/* Returns: (transfer none) (nullable): the target under the point */
const char *hearth_text_block_get_link_at (HearthTextBlock *self, double x, double y,
                                           graphene_rect_t *area);
void hearth_text_block_get_caret_area (HearthTextBlock *self, guint position,
                                       graphene_rect_t *area);
/* The word, sentence … around a character; all positions in characters. */
void hearth_text_block_get_around (HearthTextBlock *self, guint offset,
                                   GtkAccessibleTextGranularity granularity, guint *start,
                                   guint *end);

G_END_DECLS
