/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-tensor-role.h - what a tensor is for and which layer it belongs to, from its name. Pure
 * functions and constant tables; any thread. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Larger numbers are no layers. */
#define HEARTH_LAST_LAYER G_MAXINT32

typedef struct
{
  int layer;          /* -1: belongs to none */
  char *key;          /* the name without its layer: the same for all tensors of one role */
  guint order;        /* where models use it: embedding first, output last, unknown ones between */
  const char *title;  /* "Attention norm", to be translated; NULL for a role without a word */
  const char *suffix; /* within `key`: "bias"; NULL for the weight itself */
} HearthTensorPlace;

void hearth_tensor_place_init (HearthTensorPlace *place, const char *name);
void hearth_tensor_place_clear (HearthTensorPlace *place);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HearthTensorPlace, hearth_tensor_place_clear)

G_END_DECLS
