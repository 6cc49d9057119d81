/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-text-link.h - a link in a text: what the keyboard and voice output get hold of. It is not
 * drawn but for its focus, and the pointer goes through it to the text. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HEARTH_TYPE_TEXT_LINK (hearth_text_link_get_type ())
G_DECLARE_FINAL_TYPE (HearthTextLink, hearth_text_link, HEARTH, TEXT_LINK, GtkWidget)

GtkWidget *hearth_text_link_new (const char *label, const char *target);

/* Shows where `target` leads, over `area` of `widget`, and opens it when somebody agrees: a web
 * page or a mail. Other kinds of targets are shown and can be copied. */
void hearth_text_link_ask (GtkWidget *widget, const graphene_rect_t *area, const char *target);

G_END_DECLS
