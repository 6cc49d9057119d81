/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-menu.h - menus that are written in files, and names for their items. GTK 4.18 names an
 * item by the label inside it, and tells nobody what that says: over AT-SPI every item is nameless.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* The menu `id` of chat/hearth-chat-menus.ui. Returns: (transfer full) */
GMenuModel *hearth_menu_new (const char *id);
/* `popover` is one that was made from a menu model: whenever it is shown, its items have names. */
void hearth_menu_name_items (GtkPopover *popover);

G_END_DECLS
