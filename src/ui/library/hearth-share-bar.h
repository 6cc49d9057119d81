/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-share-bar.h - one bar of parts that make up a whole. Colours and patterns are in
 * style.css (classes share-1 … share-8 and some with a meaning of their own); a legend beside it
 * says the same in words and figures. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HEARTH_TYPE_SHARE_BAR (hearth_share_bar_get_type ())
G_DECLARE_FINAL_TYPE (HearthShareBar, hearth_share_bar, HEARTH, SHARE_BAR, GtkWidget)

#define HEARTH_SHARE_COLOURS 8

void hearth_share_bar_clear (HearthShareBar *self);
/* `style` is a class of style.css; `tooltip` says what it is, with its figure. */
void hearth_share_bar_add (HearthShareBar *self, const char *style, guint64 amount,
                           const char *tooltip);
/* The parts are more than there is room for: marks where that ends. Until cleared. */
void hearth_share_bar_set_limit (HearthShareBar *self, guint64 limit, const char *tooltip);

/* The class of the n-th part, from 0; the last colour is for all that follow. Static storage. */
const char *hearth_share_bar_get_style (guint n);
/* A small square as a part of this class looks, for a legend. Returns: (transfer floating) */
GtkWidget *hearth_share_bar_swatch_new (const char *style);

G_END_DECLS
