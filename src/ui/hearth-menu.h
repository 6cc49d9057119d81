/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-menu.h - menus that are written in files, menus of rows, and names for their items. GTK
 * 4.18 names an item by the label inside it, and tells nobody what that says: over AT-SPI every
 * item is nameless. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* The menu `id` of a file, "chat/hearth-chat-menus.ui". Returns: (transfer full) */
GMenuModel *hearth_menu_new (const char *file, const char *id);
/* From now on the items of every menu that is shown have names for voice output, which GTK gives
 * them none of. Once, when the program starts. */
void hearth_menu_name_all (void);
/* Opens a menu of `model`, which it takes over, at a point of `row`. The menu is `list`'s child:
 * voice output does not look for menus in a row. It is there until it is dropped, since what was
 * chosen is done after it has closed, and is looked for from there. Returns: (transfer full)
 * (nullable): NULL when the row is not in `list` */
GtkWidget *hearth_menu_popup_for_row (GtkWidget *row, GtkWidget *list, GMenuModel *model,
                                      const char *name, double x, double y);
/* Lets go of such a menu, if there is one, and forgets it. It leaves its list soon: this may come
 * from a row that goes while the list goes through its children. */
void hearth_menu_drop (GtkWidget **menu);

G_END_DECLS
