/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-chunk-cache.h - pieces of something large, read on other threads when they are looked at,
 * a few at a time, the last wanted first; the least used ones are forgotten. What was wanted long
 * ago is not read any more, so that dragging a scrollbar over gigabytes reads what is on the screen
 * when it stops. Main thread, but for the reading. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

#define HEARTH_TYPE_CHUNK_CACHE (hearth_chunk_cache_get_type ())
G_DECLARE_FINAL_TYPE (HearthChunkCache, hearth_chunk_cache, HEARTH, CHUNK_CACHE, GObject)

/* Another thread; `source` is shared with the main thread. Returns: (transfer full) (nullable) */
typedef GBytes *(*HearthChunkRead) (gpointer source, guint64 chunk, GError **error);

/* Signal "changed": a chunk was read, or could not be.
 *
 * `source` is taken over and given back to `unref` after the last reading, on whichever thread that
 * ends. Returns: (transfer full) */
HearthChunkCache *hearth_chunk_cache_new (HearthChunkRead read, gpointer source,
                                          GDestroyNotify unref);

/* NULL: not there yet, and asked for with this, or failed. Returns: (transfer none) (nullable) */
GBytes *hearth_chunk_cache_peek (HearthChunkCache *self, guint64 chunk);
/* Why the last reading failed; NULL when it did not. Returns: (transfer none) (nullable) */
const GError *hearth_chunk_cache_get_error (HearthChunkCache *self);
/* Whether nothing is being read or waited for. */
gboolean hearth_chunk_cache_is_idle (HearthChunkCache *self);
/* How many chunks have been read so far. */
guint hearth_chunk_cache_get_n_read (HearthChunkCache *self);

G_END_DECLS
