/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-message-body.h - the text of a message: formatted and growing, or plain. What is finished
 * is never laid out again. The text can be selected from one end to the other. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HEARTH_TYPE_MESSAGE_BODY (hearth_message_body_get_type ())
G_DECLARE_FINAL_TYPE (HearthMessageBody, hearth_message_body, HEARTH, MESSAGE_BODY, GtkWidget)

/* Action text.copy, text.select-all. */

void hearth_message_body_clear (HearthMessageBody *self);
/* Adds Markdown at the end. */
void hearth_message_body_append (HearthMessageBody *self, const char *text);
/* Nothing is added any more. */
void hearth_message_body_finish (HearthMessageBody *self);
/* So many bytes of a text as they are, instead of what there was; "…" after them where `more`
 * follows. */
void hearth_message_body_set_plain (HearthMessageBody *self, const char *text, gsize size,
                                    gboolean more);
/* More bytes of the same text; takes as long as they do. */
void hearth_message_body_grow_plain (HearthMessageBody *self, const char *text, gsize size,
                                     gboolean more);

/* What voice output has not been told yet: whole sentences, all that is left when finished.
 * Returns: (transfer full) (nullable) */
char *hearth_message_body_take_sentences (HearthMessageBody *self);

G_END_DECLS
