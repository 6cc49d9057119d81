/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-token-pane.h - a token text in its scrolled place, and under it the token that is looked
 * at; a few words while there is no text. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-token-text.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_TOKEN_PANE (hearth_token_pane_get_type ())
G_DECLARE_FINAL_TYPE (HearthTokenPane, hearth_token_pane, HEARTH, TOKEN_PANE, GtkWidget)

/* Properties, to be set alone: label (of the text, for voice output), empty-text, show-spaces (as
 * dots). */

/* NULL: nothing. */
void hearth_token_pane_set_text (HearthTokenPane *self, HearthTokenText *text);
/* Returns: (transfer none) (nullable) */
HearthTokenText *hearth_token_pane_get_text (HearthTokenPane *self);
/* Whether the borders of tokens are drawn. */
void hearth_token_pane_set_shaded (HearthTokenPane *self, gboolean shaded);

G_END_DECLS
