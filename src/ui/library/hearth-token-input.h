/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-token-input.h - the text that tokens are made of. A very long one is kept aside and shown
 * as a card, since no text field is fluid with it. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HEARTH_TYPE_TOKEN_INPUT (hearth_token_input_get_type ())
G_DECLARE_FINAL_TYPE (HearthTokenInput, hearth_token_input, HEARTH, TOKEN_INPUT, GtkWidget)

/* Signal: "changed". */

/* Returns: (transfer full) */
GBytes *hearth_token_input_dup_text (HearthTokenInput *self);

G_END_DECLS
