/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-comparison.h - two model files side by side: their keys and tensors as lists, read on
 * another thread, and how far the values of the second are from those of the first, tensor by
 * tensor, when somebody asks. Main thread. */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

typedef enum
{
  HEARTH_CHANGE_SAME,
  HEARTH_CHANGE_ADDED,   /* only in the second file */
  HEARTH_CHANGE_REMOVED, /* only in the first */
  HEARTH_CHANGE_CHANGED,
} HearthChange;

typedef struct
{
  char *path;
  char *name;
  char *architecture; /* NULL when the file does not say */
  char *quantization; /* the type that takes most; NULL without tensors */
  guint64 size;       /* bytes, of all parts */
  guint64 n_parameters;
  guint64 n_tensor_bytes;
  guint64 n_tensors;
  guint64 n_keys;
} HearthComparisonSide;

/* One key that is in either file; properties: none. Immutable. */
#define HEARTH_TYPE_COMPARED_KEY (hearth_compared_key_get_type ())
G_DECLARE_FINAL_TYPE (HearthComparedKey, hearth_compared_key, HEARTH, COMPARED_KEY, GObject)

const char *hearth_compared_key_get_name (HearthComparedKey *self);
HearthChange hearth_compared_key_get_change (HearthComparedKey *self);
/* One line; of arrays the elements from the first that differs. NULL where it is absent. */
const char *hearth_compared_key_get_first (HearthComparedKey *self);
const char *hearth_compared_key_get_second (HearthComparedKey *self);
/* As the files have them: the name, and a value that is a single text. */
const char *hearth_compared_key_get_exact_name (HearthComparedKey *self);
const char *hearth_compared_key_get_exact (HearthComparedKey *self, gboolean second);

/* How far values are from each other. */
typedef struct
{
  double relative_rms;
  double maximum;
  double cosine;
  guint64 n_different;
} HearthValueError;

/* One tensor that is in either file; signal "notify::measured". */
#define HEARTH_TYPE_COMPARED_TENSOR (hearth_compared_tensor_get_type ())
G_DECLARE_FINAL_TYPE (HearthComparedTensor, hearth_compared_tensor, HEARTH, COMPARED_TENSOR,
                      GObject)

const char *hearth_compared_tensor_get_name (HearthComparedTensor *self);
HearthChange hearth_compared_tensor_get_change (HearthComparedTensor *self);
/* As the files have it. Returns: (transfer full) */
char *hearth_compared_tensor_dup_exact_name (HearthComparedTensor *self);
/* "Q4_K", "576 × 49152"; NULL where it is absent. */
const char *hearth_compared_tensor_get_type_name (HearthComparedTensor *self, gboolean second);
const char *hearth_compared_tensor_get_shape (HearthComparedTensor *self, gboolean second);
guint64 hearth_compared_tensor_get_n_bytes (HearthComparedTensor *self, gboolean second);
/* NULL until measured. Returns: (transfer none) (nullable) */
const HearthValueError *hearth_compared_tensor_get_error (HearthComparedTensor *self);

#define HEARTH_TYPE_COMPARISON (hearth_comparison_get_type ())
G_DECLARE_FINAL_TYPE (HearthComparison, hearth_comparison, HEARTH, COMPARISON, GObject)

/* Properties: ready, busy (measuring values), progress. Signal "measured": some tensors have been,
 * at most every 100 ms. */

/* Begins reading. Returns: (transfer full) */
HearthComparison *hearth_comparison_new (const char *first, const char *second);

gboolean hearth_comparison_get_ready (HearthComparison *self);
/* Why there is nothing to show, or why measuring ended early; not set by a stop.
 * Returns: (transfer none) (nullable) */
const GError *hearth_comparison_get_error (HearthComparison *self);
/* Which of the files could not be read; NULL: none. */
const char *hearth_comparison_get_failed_path (HearthComparison *self);
/* NULL until ready. Returns: (transfer none) (nullable) */
const HearthComparisonSide *hearth_comparison_get_side (HearthComparison *self, gboolean second);
/* Of HearthComparedKey and HearthComparedTensor, in the order of the first file, then what only the
 * second has. Returns: (transfer none) */
GListModel *hearth_comparison_get_keys (HearthComparison *self);
GListModel *hearth_comparison_get_tensors (HearthComparison *self);

/* Measures those tensors whose shapes are the same and that have not been measured. */
void hearth_comparison_measure (HearthComparison *self);
/* Stops that; what was measured stays. */
void hearth_comparison_stop (HearthComparison *self);
gboolean hearth_comparison_get_busy (HearthComparison *self);
double hearth_comparison_get_progress (HearthComparison *self);
/* Tensors that can be measured, and those that have been. */
guint hearth_comparison_get_n_comparable (HearthComparison *self);
guint hearth_comparison_get_n_measured (HearthComparison *self);
/* The largest relative error that was measured. */
double hearth_comparison_get_worst (HearthComparison *self);

/* What differs, and what was measured, of a comparison that has been read.
 * Returns: (transfer full) */
char *hearth_comparison_dup_json (HearthComparison *self);
/* The rows of a list of HearthComparedKey or HearthComparedTensor as CSV. Returns: (transfer full)
 */
GBytes *hearth_compared_keys_export (GListModel *keys);
GBytes *hearth_compared_tensors_export (GListModel *tensors);

G_END_DECLS
