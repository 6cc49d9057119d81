/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-file-layout.h - which bytes of a model file are whose: header, keys, tensor table, tensors
 * and what lies between, by offset. A list of HearthFileRegion, read on another thread, then
 * immutable. Main thread. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef enum
{
  HEARTH_REGION_HEADER, /* magic, version, counts */
  HEARTH_REGION_KEY,
  HEARTH_REGION_INFO, /* names, shapes and places of tensors */
  HEARTH_REGION_TENSOR,
  HEARTH_REGION_PADDING, /* up to the next multiple of the alignment */
  HEARTH_REGION_GAP,     /* bytes that nothing points to */
  HEARTH_N_REGION_KINDS
} HearthRegionKind;

#define HEARTH_TYPE_FILE_REGION (hearth_file_region_get_type ())
G_DECLARE_FINAL_TYPE (HearthFileRegion, hearth_file_region, HEARTH, FILE_REGION, GObject)

HearthRegionKind hearth_file_region_get_kind (HearthFileRegion *self);
/* Of a key or a tensor; "" for the others. */
const char *hearth_file_region_get_name (HearthFileRegion *self);
/* The same as the file has it: the other one is a line to be shown. */
const char *hearth_file_region_get_exact_name (HearthFileRegion *self);
/* The type of a key or tensor, "" for the others. */
const char *hearth_file_region_get_type_name (HearthFileRegion *self);
guint64 hearth_file_region_get_offset (HearthFileRegion *self);
guint64 hearth_file_region_get_size (HearthFileRegion *self);
/* How much of it is in the file: less than its size where the file is cut short. */
guint64 hearth_file_region_get_n_present (HearthFileRegion *self);
/* Whether it begins before the one before it ends. */
gboolean hearth_file_region_get_overlaps (HearthFileRegion *self);

#define HEARTH_TYPE_FILE_LAYOUT (hearth_file_layout_get_type ())
G_DECLARE_FINAL_TYPE (HearthFileLayout, hearth_file_layout, HEARTH, FILE_LAYOUT, GObject)

/* One file, even if it is a part of a split model. Fails as hearth_gguf_open() does. */
void hearth_file_layout_read_async (const char *path, GCancellable *cancellable,
                                    GAsyncReadyCallback callback, gpointer user_data);
/* Returns: (transfer full) (nullable) */
HearthFileLayout *hearth_file_layout_read_finish (GAsyncResult *result, GError **error);

const char *hearth_file_layout_get_path (HearthFileLayout *self);
guint64 hearth_file_layout_get_file_size (HearthFileLayout *self);
/* Where the last region ends: more than the file's size when its end is missing. */
guint64 hearth_file_layout_get_end (HearthFileLayout *self);
/* Bytes and number of the regions of a kind. */
guint64 hearth_file_layout_get_n_bytes (HearthFileLayout *self, HearthRegionKind kind);
guint hearth_file_layout_get_n_regions (HearthFileLayout *self, HearthRegionKind kind);
/* The region that has this byte (of overlapping ones the last that begins before it); FALSE past
 * the end. */
gboolean hearth_file_layout_find (HearthFileLayout *self, guint64 offset, guint *position);
/* Returns: (transfer none) (nullable) */
HearthFileRegion *hearth_file_layout_get (HearthFileLayout *self, guint position);

G_END_DECLS
