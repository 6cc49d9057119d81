/* SPDX-License-Identifier: GPL-3.0-or-later */
/* levels.h - what the kernels of all vector levels have in common. */
#pragma once

#define INLINE static inline __attribute__((always_inline))

/* Bytes ahead of the row pointer at which the dot products with blocks prefetch, into the first-
 * and the second-level cache: without it the unpacking fills the reorder window and too few loads
 * are outstanding; too far, and lines are gone before they are used. Rows lie one behind the other,
 * so it runs into the next row. How far the second one has to be shows where memory is fast: with
 * 46 GB/s for two cores of Zen 4, 6 KiB reach 71 % of it, 8 KiB 82, 16 KiB 94 to 99, 64 KiB 90.
 * Shorter pieces than KERN_STREAM do without it. */
enum { KERN_FETCH_NEAR = 4096, KERN_FETCH_FAR = 16384, KERN_STREAM = 8 << 10 };

/* Columns that share one unpacking of a row, and rows that are taken together so that they and the
 * columns stay in the nearest caches when there are more columns than that. */
enum { KERN_COLUMNS = 4, KERN_ROW_TILE = 16 };
