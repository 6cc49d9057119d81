/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-hex-view.h - the bytes of a file to look through: a field to jump to an offset, the bytes,
 * and a line that says what is at the cursor and whose it is. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-file-layout.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_HEX_VIEW (hearth_hex_view_get_type ())
G_DECLARE_FINAL_TYPE (HearthHexView, hearth_hex_view, HEARTH, HEX_VIEW, GtkWidget)

/* `layout` (may be NULL) says whose a byte is. */
GtkWidget *hearth_hex_view_new (const char *path, guint64 size, HearthFileLayout *layout);
/* Selects `size` bytes and goes to the first. */
void hearth_hex_view_go_to (HearthHexView *self, guint64 offset, guint64 size);
/* The keyboard goes to the bytes themselves. */
void hearth_hex_view_focus_bytes (HearthHexView *self);
void hearth_hex_view_set_layout (HearthHexView *self, HearthFileLayout *layout);

G_END_DECLS
