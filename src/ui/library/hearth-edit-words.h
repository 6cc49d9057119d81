/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-edit-words.h - what is said of a key that is edited. The functions with `item` first are
 * closures of hearth-edit-item.ui. */
#pragma once

#include "hearth-edit-key.h"

G_BEGIN_DECLS

/* "Changed"; "" for what is the same. Returns: (transfer full) */
char *hearth_edit_item_state (gpointer item, guint change);
char *hearth_edit_item_label (gpointer item, const char *name, const char *value, guint change);

/* A change in one line: "general.name: “a” becomes “b”". Returns: (transfer full) */
char *hearth_edit_words_for_change (HearthEditKey *key);

G_END_DECLS
