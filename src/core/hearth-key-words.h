/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-key-words.h - what standard metadata keys mean, in the language of the person. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The engine's meaning and unit (may be NULL) of the key `name`, translated: "trained context
 * (tokens)". Returns: (transfer full) */
char *hearth_key_words_dup (const char *name, const char *meaning, const char *unit);

/* For the test that none is missing: whether a text of the engine's is marked for translation.
 * Returns: (nullable) */
const char *hearth_key_words_find_meaning (const char *english);
const char *hearth_key_words_find_unit (const char *english);
/* How many different texts are marked. */
guint hearth_key_words_get_n (void);

G_END_DECLS
