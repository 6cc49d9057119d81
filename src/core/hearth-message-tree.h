/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-message-tree.h - every version of every message of a conversation. Main thread.
 *
 *   question 1 ─┬─ answer 2 ──── question 4 ─── answer 5
 *               └─ answer 3*                              (* regenerated; chosen)
 *   question 6* ── answer 7*                              (question 1, edited; chosen)
 *
 * Messages with the same parent are versions of each other, and one of them is chosen. The path is
 * what is read: the chosen first message, the chosen one after it, and so on. */
#pragma once

#include "hearth-message.h"

G_BEGIN_DECLS

typedef struct _HearthMessageTree HearthMessageTree;

/* Returns: (transfer full) */
HearthMessageTree *hearth_message_tree_new (void);
void hearth_message_tree_free (HearthMessageTree *self);

/* The tree's own, kept up to date: of HearthMessage. Returns: (transfer none) */
const GPtrArray *hearth_message_tree_get_path (HearthMessageTree *self);
guint hearth_message_tree_get_n_messages (HearthMessageTree *self);

/* Puts the message after `parent` (NULL: first), chosen, and gives it an id unless it has one.
 * Returns the position in the path from which on it changed. */
guint hearth_message_tree_add (HearthMessageTree *self, HearthMessage *parent,
                               HearthMessage *message);
/* Fills an empty tree. Parents come before what follows them; a message whose parent is unknown
 * becomes a first one. */
void hearth_message_tree_restore (HearthMessageTree *self, const HearthMessageRecord *records,
                                  guint n_records);

/* Chooses another version of `message`, which is on the path.
 * Returns the position from which on the path changed. */
guint hearth_message_tree_choose (HearthMessageTree *self, HearthMessage *message, guint version);

/* Returns: (transfer none) (nullable): NULL for a first message */
HearthMessage *hearth_message_tree_get_parent (HearthMessageTree *self, HearthMessage *message);
/* Returns: (transfer none) (nullable) */
HearthMessage *hearth_message_tree_get_version (HearthMessageTree *self, HearthMessage *message,
                                                guint version);
gboolean hearth_message_tree_is_chosen (HearthMessageTree *self, HearthMessage *message);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HearthMessageTree, hearth_message_tree_free)

G_END_DECLS
