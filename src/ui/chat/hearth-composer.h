/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-composer.h - where a question is written, with spelling. Enter sends (the action
 * chat.send) and Shift+Enter breaks the line, or Enter breaks it and Ctrl+Enter sends; while an
 * answer grows, Send is Stop (chat.stop). */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HEARTH_TYPE_COMPOSER (hearth_composer_get_type ())
G_DECLARE_FINAL_TYPE (HearthComposer, hearth_composer, HEARTH, COMPOSER, GtkWidget)

/* Properties: busy (Send is Stop), has-text (read-only), enter-sends, thinking (the switch; a
 * model's answers think first), can-think (whether there is one). Signal "changed": what is
 * written. */

/* Returns: (transfer full) */
char *hearth_composer_dup_text (HearthComposer *self);
void hearth_composer_set_text (HearthComposer *self, const char *text);
gboolean hearth_composer_get_has_text (HearthComposer *self);
void hearth_composer_set_busy (HearthComposer *self, gboolean busy);

G_END_DECLS
