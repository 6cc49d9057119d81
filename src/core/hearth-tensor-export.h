/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-tensor-export.h - the tables of tensors and of a file's regions, and what is known of a
 * tensor's values, as text for other programs. Main thread. */
#pragma once

#include "hearth-file-layout.h"
#include "hearth-residency.h"
#include "hearth-table-text.h"
#include "hearth-tensor-stats.h"

G_BEGIN_DECLS

/* `tensors` is a list of HearthTensor. Returns: (transfer full) */
GBytes *hearth_tensor_export (GListModel *tensors, HearthTableFormat format);
/* `regions` is a list of HearthFileRegion; with `residency` (may be NULL) how many bytes of each
 * are in memory. Returns: (transfer full) */
GBytes *hearth_file_region_export (GListModel *regions, HearthResidency *residency,
                                   HearthTableFormat format);
/* "tensor": what a kind is called in files and, translated, on the screen. Static storage. */
const char *hearth_region_kind_get_name (HearthRegionKind kind);

/* What is known of a tensor's values: their statistics, then how many lie in each stretch. */
GBytes *hearth_tensor_figures_export (const HearthTensorFigures *figures, HearthTableFormat format);

G_END_DECLS
