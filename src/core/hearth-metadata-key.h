/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-metadata-key.h - one key of a model file. Immutable; its values are read from the open
 * header when they are asked for, so that a vocabulary costs nothing until somebody looks. */
#pragma once

#include <glib-object.h>

#include "hearth-gguf.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_METADATA_KEY (hearth_metadata_key_get_type ())
G_DECLARE_FINAL_TYPE (HearthMetadataKey, hearth_metadata_key, HEARTH, METADATA_KEY, GObject)

/* Properties: name, type, value, meaning. */

/* Any thread. Returns: (transfer full) */
HearthMetadataKey *hearth_metadata_key_new (HearthGguf *gguf, guint64 index);

const char *hearth_metadata_key_get_name (HearthMetadataKey *self);
/* As the file has it; the other one is a line to be shown. Returns: (transfer full) */
char *hearth_metadata_key_dup_exact_name (HearthMetadataKey *self);
/* "u32", "str", "arr[str]" */
const char *hearth_metadata_key_get_type_name (HearthMetadataKey *self);
/* One line, cut when it is long; of an array its first elements. */
const char *hearth_metadata_key_get_value (HearthMetadataKey *self);
/* What a standard key is about and its unit, translated; NULL for others. Returns: (nullable) */
const char *hearth_metadata_key_get_meaning (HearthMetadataKey *self);
gboolean hearth_metadata_key_is_array (HearthMetadataKey *self);
/* Elements; 1 for a single value. */
guint64 hearth_metadata_key_get_length (HearthMetadataKey *self);
/* Whether `value` leaves something out. */
gboolean hearth_metadata_key_is_cut (HearthMetadataKey *self);

/* A single value in full, as valid text (up to a megabyte); of an array its element `at`, up to
 * some hundred bytes on one line. Returns: (transfer full) */
char *hearth_metadata_key_dup_text (HearthMetadataKey *self);
char *hearth_metadata_key_dup_element (HearthMetadataKey *self, guint64 at);

/* Which key of the file it is. */
guint64 hearth_metadata_key_get_index (HearthMetadataKey *self);
/* The open file. Returns: (transfer none) */
HearthGguf *hearth_metadata_key_get_gguf (HearthMetadataKey *self);
/* The value as somebody would write it: a text as it is, an array as JSON. For values that are not
 * too long for that and lose nothing: valid text, no arrays in arrays.
 * Returns: (transfer full) */
gboolean hearth_metadata_key_can_be_written (HearthMetadataKey *self);
char *hearth_metadata_key_dup_written (HearthMetadataKey *self);

G_END_DECLS
