/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-again-button.h - answers again, with a menu of other ways to do so: the actions
 * message.regenerate, message.regenerate-model and message.regenerate-settings of what is around.
 */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HEARTH_TYPE_AGAIN_BUTTON (hearth_again_button_get_type ())
G_DECLARE_FINAL_TYPE (HearthAgainButton, hearth_again_button, HEARTH, AGAIN_BUTTON, GtkWidget)

G_END_DECLS
