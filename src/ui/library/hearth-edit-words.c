/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-edit-words.h"

#include <glib/gi18n.h>

char *
hearth_edit_item_state (gpointer item, guint change)
{
  switch ((HearthEditChange) change)
    {
    case HEARTH_EDIT_CHANGED:
      return g_strdup (C_ ("metadata key", "Changed"));
    case HEARTH_EDIT_ADDED:
      return g_strdup (C_ ("metadata key", "New"));
    case HEARTH_EDIT_REMOVED:
      return g_strdup (C_ ("metadata key", "Removed"));
    case HEARTH_EDIT_SAME:
    default:
      return g_strdup ("");
    }
}

char *
hearth_edit_item_label (gpointer item, const char *name, const char *value, guint change)
{
  g_autofree char *state = hearth_edit_item_state (item, change);

  if (*state == '\0')
    return g_strdup_printf ("%s: %s", name, value);
  return g_strdup_printf ("%s: %s, %s", name, value, state);
}

char *
hearth_edit_words_for_change (HearthEditKey *key)
{
  HearthMetadataKey *original = hearth_edit_key_get_original (key);
  const char *name = hearth_edit_key_get_name (key);
  const char *type = hearth_edit_key_get_type_name (key);
  g_autoptr (GString) text = g_string_new (NULL);

  if (original == NULL)
    return g_strdup_printf ("%s · %s", type, hearth_edit_key_get_value (key));
  if (hearth_edit_key_get_change (key) == HEARTH_EDIT_REMOVED)
    return g_strdup (hearth_metadata_key_get_value (original));
  if (!g_str_equal (name, hearth_metadata_key_get_name (original)))
    /* Translators: the name of a key before it was changed */
    g_string_append_printf (text, _ ("Was called “%s”"), hearth_metadata_key_get_name (original));
  if (!g_str_equal (type, hearth_metadata_key_get_type_name (original)))
    g_string_append_printf (text, "%s%s → %s", text->len > 0 ? "\n" : "",
                            hearth_metadata_key_get_type_name (original), type);
  if (hearth_edit_key_has_new_text (key))
    g_string_append_printf (text, "%s%s\n→ %s", text->len > 0 ? "\n" : "",
                            hearth_metadata_key_get_value (original),
                            hearth_edit_key_get_value (key));
  return g_string_free_and_steal (g_steal_pointer (&text));
}
