/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-message-column.h - the rows of a conversation, for a scrolled window.
 *
 * Only the rows in and near the view exist as widgets; of the others a height is remembered, or
 * guessed until they are seen. The view keeps to what is being read: whatever changes above it, the
 * text does not move. At the end it follows a growing answer, until the reader scrolls away. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-message.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_MESSAGE_COLUMN (hearth_message_column_get_type ())
G_DECLARE_FINAL_TYPE (HearthMessageColumn, hearth_message_column, HEARTH, MESSAGE_COLUMN, GtkWidget)

/* Makes the row of a message. Returns: (transfer floating) */
typedef GtkWidget *(*HearthMessageColumnCreate) (HearthMessage *message, gpointer user_data);

/* Property "following": whether the view keeps to the end. */

/* A list of HearthMessage; NULL: nothing is shown. */
void hearth_message_column_set_model (HearthMessageColumn *self, GListModel *model,
                                      HearthMessageColumnCreate create, gpointer user_data);

gboolean hearth_message_column_get_following (HearthMessageColumn *self);
void hearth_message_column_scroll_to_end (HearthMessageColumn *self);
/* Puts this message at the top of the view, `offset` pixels of it above. */
void hearth_message_column_scroll_to (HearthMessageColumn *self, guint position, double offset);
/* Keeps the top of this message where it is on the screen, whatever changes after it. */
void hearth_message_column_hold (HearthMessageColumn *self, guint position);
/* What is at the top of the view. FALSE: nothing. */
gboolean hearth_message_column_get_place (HearthMessageColumn *self, guint *position,
                                          double *offset);
/* Scrolls no more than needed for this area of a widget in a row. */
void hearth_message_column_reveal (HearthMessageColumn *self, GtkWidget *widget,
                                   const graphene_rect_t *area);

/* Returns: (transfer none) (nullable): the row, made if need be */
GtkWidget *hearth_message_column_get_row (HearthMessageColumn *self, guint position);
/* How many rows there are as widgets, and were made since the beginning; for tests. */
guint hearth_message_column_get_n_rows (HearthMessageColumn *self);
guint64 hearth_message_column_get_n_made (HearthMessageColumn *self);

G_END_DECLS
