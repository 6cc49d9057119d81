/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-comparison-private.h - for hearth-comparison*.c and hearth-compared-*.c only. */
#pragma once

#include <ember/diff.h>

#include "hearth-comparison.h"
#include "hearth-gguf.h"

G_BEGIN_DECLS

/* Both any thread. Returns: (transfer full) */
HearthComparedKey *_hearth_compared_key_new (const struct ember_gguf *first,
                                             const struct ember_gguf *second,
                                             const struct ember_diff_key *key);
HearthComparedTensor *_hearth_compared_tensor_new (const struct ember_diff_tensor *tensor);

/* The tensors themselves; they live as long as the open files. */
const struct ember_gguf_tensor *_hearth_compared_tensor_get (HearthComparedTensor *self,
                                                             gboolean second);
gboolean _hearth_compared_tensor_is_comparable (HearthComparedTensor *self);
/* Main thread. */
void _hearth_compared_tensor_set_error (HearthComparedTensor *self, const HearthValueError *error);

G_END_DECLS
