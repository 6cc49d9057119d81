/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-gguf.h - the open header of a model file, counted: its lists and plans share it. For
 * src/core only. Any thread: nothing changes after opening. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

struct ember_gguf;
struct ember_text;

typedef struct _HearthGguf HearthGguf;

/* Fails as hearth_model_header_read() does. Returns: (transfer full) (nullable) */
HearthGguf *hearth_gguf_open (const char *path, GError **error);
/* One file alone, even if it is a part of a split model. Returns: (transfer full) (nullable) */
HearthGguf *hearth_gguf_open_part (const char *path, GError **error);
HearthGguf *hearth_gguf_ref (HearthGguf *self);
void hearth_gguf_unref (HearthGguf *self);
/* Returns: (transfer none) */
const struct ember_gguf *hearth_gguf_get (HearthGguf *self);

/* A string of a file as valid text on one line: at most `max_bytes` of it, and "…" when there is
 * more. Returns: (transfer full) */
char *hearth_gguf_dup_line (const struct ember_text *text, gsize max_bytes);
/* All of it as valid text, lines and control characters as they are: for what is copied and
 * exported. Returns: (transfer full) */
char *hearth_gguf_dup_exact (const struct ember_text *text);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HearthGguf, hearth_gguf_unref)

G_END_DECLS
