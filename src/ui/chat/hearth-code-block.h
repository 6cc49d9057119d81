/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-code-block.h - code in a message: its language, Copy, Save As…, and the lines in colours.
 *
 * GtkSourceView's buffer finds the colours; the lines are text blocks like all other text, so that
 * a selection goes through them and a finished page of lines is never laid out again. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HEARTH_TYPE_CODE_BLOCK (hearth_code_block_get_type ())
G_DECLARE_FINAL_TYPE (HearthCodeBlock, hearth_code_block, HEARTH, CODE_BLOCK, GtkWidget)

GtkWidget *hearth_code_block_new (void);
/* `language` as the answer names it; may be NULL. */
void hearth_code_block_set_code (HearthCodeBlock *self, const char *code, gsize size,
                                 const char *language);

G_END_DECLS
