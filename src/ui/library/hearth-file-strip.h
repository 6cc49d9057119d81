/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-file-strip.h - a file as a strip from its first byte to its last: whose each part is, and
 * under it what is in memory. Zooms to any stretch; drawn by what falls on each pixel, so that it
 * costs the same for ten regions and for a hundred thousand.
 *
 * Left and Right go from region to region, Enter opens the one that is marked. */
#pragma once

#include <gtk/gtk.h>

#include "hearth-file-layout.h"
#include "hearth-residency.h"

G_BEGIN_DECLS

#define HEARTH_TYPE_FILE_STRIP (hearth_file_strip_get_type ())
G_DECLARE_FINAL_TYPE (HearthFileStrip, hearth_file_strip, HEARTH, FILE_STRIP, GtkWidget)

/* Signals: "marked" (another region is, by key or click), "hovered" (another place is pointed at),
 * "opened" (Enter or a double click). */

void hearth_file_strip_set_layout (HearthFileStrip *self, HearthFileLayout *layout);
/* NULL: not known. */
void hearth_file_strip_set_residency (HearthFileStrip *self, HearthResidency *residency);

/* The region that is marked; -1: none. */
int hearth_file_strip_get_marked (HearthFileStrip *self);
void hearth_file_strip_mark (HearthFileStrip *self, int position);
/* The region under the pointer; -1: none. */
int hearth_file_strip_get_hovered (HearthFileStrip *self);

/* Closer by so many steps, around the marked region; 0: all of the file. */
void hearth_file_strip_zoom (HearthFileStrip *self, int steps);
/* What is in sight. */
void hearth_file_strip_get_range (HearthFileStrip *self, guint64 *from, guint64 *to);

/* What is in sight, with offsets and a legend; NULL without a file.
 * Returns: (transfer full) (nullable) */
GdkTexture *hearth_file_strip_draw (HearthFileStrip *self, const char *title);

/* Colour of a kind: an index of hearth-cell-paint.h. */
guint hearth_file_strip_get_colour (HearthRegionKind kind);
/* For tests: how often it was drawn. */
guint hearth_file_strip_get_n_drawn (HearthFileStrip *self);

G_END_DECLS
