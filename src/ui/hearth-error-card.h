/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-error-card.h - what went wrong in one sentence, the engine's own words under "Details",
 * and at most two things to do about it. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HEARTH_TYPE_ERROR_CARD (hearth_error_card_get_type ())
G_DECLARE_FINAL_TYPE (HearthErrorCard, hearth_error_card, HEARTH, ERROR_CARD, GtkWidget)

/* Properties: sentence, details, action-label, action-name (of the button), dismissible. */

/* Shows a failure; `details` NULL hides the expander. */
void hearth_error_card_show_failure (HearthErrorCard *self, const char *sentence,
                                     const char *details);
/* What can be done, under the sentence; NULL: nothing. Comes after show_failure(). */
void hearth_error_card_set_advice (HearthErrorCard *self, const char *advice);
/* NULL: no button. */
void hearth_error_card_set_action (HearthErrorCard *self, const char *label, const char *name);
void hearth_error_card_set_other_action (HearthErrorCard *self, const char *label,
                                         const char *name);
/* Puts the keyboard on the first of its buttons that is a way on. */
void hearth_error_card_focus_action (HearthErrorCard *self);

G_END_DECLS
