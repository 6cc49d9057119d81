/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-token-bar.h - the token that is looked at in a flow, in two lines that never move: piece,
 * id and type, then bytes and score. */
#pragma once

#include "hearth-token-flow.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_TOKEN_BAR (hearth_token_bar_get_type ())
G_DECLARE_FINAL_TYPE (HearthTokenBar, hearth_token_bar, HEARTH, TOKEN_BAR, GtkWidget)

/* Property: flow. */

G_END_DECLS
