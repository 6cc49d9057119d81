/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-edit-key.h - one key of a file that is being edited: what it is, and what it is to be.
 * Main thread. */
#pragma once

#include "hearth-metadata-key.h"

G_BEGIN_DECLS

typedef enum
{
  HEARTH_EDIT_SAME,
  HEARTH_EDIT_CHANGED, /* another value, type or name */
  HEARTH_EDIT_ADDED,
  HEARTH_EDIT_REMOVED,
} HearthEditChange;

#define HEARTH_TYPE_EDIT_KEY (hearth_edit_key_get_type ())
G_DECLARE_FINAL_TYPE (HearthEditKey, hearth_edit_key, HEARTH, EDIT_KEY, GObject)

/* Properties: name, type, value, change; as they are to be. `value` is one line. */

/* `original` NULL: a new key. Returns: (transfer full) */
HearthEditKey *hearth_edit_key_new (HearthMetadataKey *original);

const char *hearth_edit_key_get_name (HearthEditKey *self);
/* "u32", "arr[str]" */
const char *hearth_edit_key_get_type_name (HearthEditKey *self);
const char *hearth_edit_key_get_value (HearthEditKey *self);
HearthEditChange hearth_edit_key_get_change (HearthEditKey *self);
/* NULL for one that was added. Returns: (transfer none) (nullable) */
HearthMetadataKey *hearth_edit_key_get_original (HearthEditKey *self);
/* Whether its value can be written in an entry: not of a vocabulary. */
gboolean hearth_edit_key_has_text (HearthEditKey *self);
/* The value as it is written in an entry, an array as JSON; "" unless has_text.
 * Returns: (transfer full) */
char *hearth_edit_key_dup_text (HearthEditKey *self);
/* Whether the value is to be another one than in the file. */
gboolean hearth_edit_key_has_new_text (HearthEditKey *self);

/* For HearthModelEdit. `text` NULL: the value stays as it is. */
void hearth_edit_key_set (HearthEditKey *self, const char *name, const char *type,
                          const char *text);
void hearth_edit_key_set_removed (HearthEditKey *self, gboolean removed);
/* As it is in the file again. */
void hearth_edit_key_reset (HearthEditKey *self);

G_END_DECLS
