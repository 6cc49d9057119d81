/* SPDX-License-Identifier: GPL-3.0-or-later */
/* levels.h - what the kernels of all vector levels have in common. */
#pragma once

#define INLINE static inline __attribute__((always_inline))

/* Bytes ahead of the row pointer at which the dot products with blocks prefetch: without it the
 * unpacking fills the reorder window and too few loads are outstanding; too far, and the start of a
 * piece waits. Rows lie one behind the other, so it runs into the next row. */
enum { KERN_PREFETCH = 8192 };

/* Columns that share one unpacking of a row, and rows that are taken together so that they and the
 * columns stay in the nearest caches when there are more columns than that. */
enum { KERN_COLUMNS = 4, KERN_ROW_TILE = 16 };
