/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-load-card.h - "Loading Qwen3 4B… 43 %" with Cancel. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HEARTH_TYPE_LOAD_CARD (hearth_load_card_get_type ())
G_DECLARE_FINAL_TYPE (HearthLoadCard, hearth_load_card, HEARTH, LOAD_CARD, GtkWidget)

/* `progress` 0 … 1. */
void hearth_load_card_update (HearthLoadCard *self, const char *title, double progress);

G_END_DECLS
