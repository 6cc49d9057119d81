/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-visible.h - bytes of a vocabulary or prompt as text that shows all of them. Any thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Appends valid UTF-8: characters as they are, white space and other ASCII controls too (see
 * hearth_visible_mark()); each byte that is part of no character, and each character that nobody
 * sees or that turns what follows, as \xF0 or \u200B. Returns whether there was such a one. */
gboolean hearth_visible_append (GString *out, const char *bytes, gsize n_bytes);
/* What stands for white space and ASCII control characters when they are drawn; 0: the character
 * is seen as it is. */
gunichar hearth_visible_mark (gunichar c);
/* Both steps. Returns: (transfer full) */
char *hearth_visible_dup (const char *bytes, gsize n_bytes);

G_END_DECLS
