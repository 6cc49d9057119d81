/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-header-cache.h - headers that were read before, so that a list of thousands of files is
 * there at once. A database of its own in the cache folder: whatever is wrong with it, it is
 * dropped and made anew. Any thread; one at a time waits for another. */
#pragma once

#include "hearth-model-facts.h"
#include "hearth-model-header.h"

G_BEGIN_DECLS

typedef struct _HearthHeaderCache HearthHeaderCache;

/* `path` NULL keeps everything in memory. The file is opened, or made, by the first use.
 * Returns: (transfer full) */
HearthHeaderCache *hearth_header_cache_new (const char *path);
HearthHeaderCache *hearth_header_cache_ref (HearthHeaderCache *self);
void hearth_header_cache_unref (HearthHeaderCache *self);

/* What was kept for the file, if it is still the same by path, device, inode, size and time, and
 * what it says of memory still holds with `budget` bytes free; `n_ctx` and `n_threads` are what
 * that was for. Returns: (transfer full) (nullable) */
HearthModelHeader *hearth_header_cache_get (HearthHeaderCache *self, const char *path,
                                            const HearthModelFacts *facts, guint n_ctx,
                                            guint n_threads, guint64 budget);
void hearth_header_cache_put (HearthHeaderCache *self, const char *path,
                              const HearthModelFacts *facts, guint n_ctx, guint n_threads,
                              const HearthModelHeader *header);
/* Several of these as one change of the file. */
void hearth_header_cache_begin (HearthHeaderCache *self);
void hearth_header_cache_commit (HearthHeaderCache *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HearthHeaderCache, hearth_header_cache_unref)

/* hearth-header-record.c: a header as bytes. */
/* Returns: (transfer full) */
GBytes *_hearth_header_to_bytes (const HearthModelHeader *header);
/* NULL when they are not what _hearth_header_to_bytes() made. Returns: (transfer full) (nullable)
 */
HearthModelHeader *_hearth_header_from_bytes (GBytes *bytes);

G_END_DECLS
