/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-token-flow.h - a token text as a flow of shaded pieces, special tokens as pills. Lives in
 * a scrolled window; only the lines in view are laid out. One token is looked at: the one under the
 * pointer, else the one the arrow keys have moved to. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-token-text.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_TOKEN_FLOW (hearth_token_flow_get_type ())
G_DECLARE_FINAL_TYPE (HearthTokenFlow, hearth_token_flow, HEARTH, TOKEN_FLOW, GtkWidget)

/* Properties: shaded (borders are drawn), show-spaces (as dots), cell (what is looked at, -1 for
 * none); those of GtkScrollable. */

/* NULL: nothing. Keeps the place where it can. */
void hearth_token_flow_set_text (HearthTokenFlow *self, HearthTokenText *text);
/* Returns: (transfer none) (nullable) */
HearthTokenText *hearth_token_flow_get_text (HearthTokenFlow *self);
void hearth_token_flow_set_shaded (HearthTokenFlow *self, gboolean shaded);
int hearth_token_flow_get_cell (HearthTokenFlow *self);
/* Lines that are laid out now, and those there are. */
guint hearth_token_flow_get_n_realized (HearthTokenFlow *self);
guint hearth_token_flow_get_n_lines (HearthTokenFlow *self);

G_END_DECLS
