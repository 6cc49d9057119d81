/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-view-scroll.h - how far the children of a stack are scrolled, kept while another one is
 * shown: the keyboard that comes back into one scrolls it to what it lands on. */
#pragma once

#include <adwaita.h>

G_BEGIN_DECLS

/* From now on, as long as the stack is there. */
void hearth_view_scroll_keep (AdwViewStack *stack);
/* They show something else from now on. */
void hearth_view_scroll_forget (AdwViewStack *stack);

G_END_DECLS
