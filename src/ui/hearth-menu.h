/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-menu.h - menus that are written in files, menus of rows, and names for their items. GTK
 * 4.18 names an item by the label inside it, and tells nobody what that says: over AT-SPI every
 * item is nameless. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* The menu `id` of a file, "chat/hearth-chat-menus.ui". Returns: (transfer full) */
GMenuModel *hearth_menu_new (const char *file, const char *id);
/* `popover` is one that was made from a menu model: whenever it is shown, its items have names. */
void hearth_menu_name_items (GtkPopover *popover);
/* Opens a menu of `model`, which it takes over, at a point of `row`. The menu is `list`'s child:
 * voice output does not look for menus in a row. It is there until it is unparented, since what was
 * chosen is done after it has closed, and is looked for from there. Returns: (transfer none)
 * (nullable): NULL when the row is not in `list` */
GtkWidget *hearth_menu_popup_for_row (GtkWidget *row, GtkWidget *list, GMenuModel *model,
                                      const char *name, double x, double y);

G_END_DECLS
