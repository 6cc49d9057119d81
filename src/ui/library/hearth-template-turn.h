/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-template-turn.h - one message of the small conversation that a template is tried with:
 * whose it is, its text, and its place among the others. Alt with the arrow keys moves it. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HEARTH_TYPE_TEMPLATE_TURN (hearth_template_turn_get_type ())
G_DECLARE_FINAL_TYPE (HearthTemplateTurn, hearth_template_turn, HEARTH, TEMPLATE_TURN, GtkWidget)

/* Signals: "changed"; "move" (int: by how many places); "removed". */

/* `role`: "user", "assistant" or "tool", to be chosen. Returns: (transfer floating) */
GtkWidget *hearth_template_turn_new (const char *role, const char *text);
/* One that stays where it is, with a title of its own. Returns: (transfer floating) */
GtkWidget *hearth_template_turn_new_fixed (const char *title, const char *text, gboolean monospace);
const char *hearth_template_turn_get_role (HearthTemplateTurn *self);
/* Returns: (transfer full) */
char *hearth_template_turn_dup_text (HearthTemplateTurn *self);
/* Which ways there are to go. */
void hearth_template_turn_set_place (HearthTemplateTurn *self, gboolean first, gboolean last);
void hearth_template_turn_focus_text (HearthTemplateTurn *self);

G_END_DECLS
