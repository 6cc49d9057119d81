/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-model-origin.h - where a model comes from and how it is put together, as its file says:
 * what it was made from, its licence, its files, and for mixtures of experts what one token needs.
 * Plain values; any thread. */
#pragma once

#include "hearth-gguf.h"

G_BEGIN_DECLS

/* A model, a set of data or a licence that is named, perhaps with an address. */
typedef struct
{
  char *name; /* never NULL */
  char *by;   /* who made it; NULL when the file does not say; as is this: */
  char *link; /* begins with https:// or http:// */
} HearthOriginSource;

/* One file of a split model. */
typedef struct
{
  char *name;
  guint64 size;
} HearthOriginFile;

typedef struct
{
  GPtrArray *bases;            /* of HearthOriginSource: what it was made from */
  GPtrArray *datasets;         /* of the same: what it learned from */
  HearthOriginSource *licence; /* NULL when the file does not say */
  HearthOriginSource *page;    /* where the model itself is published; as is this: */
  HearthOriginSource *source;  /* where its weights were converted from */
  GPtrArray *files;            /* of HearthOriginFile, in order; one for a whole model */
  char *vocabulary;            /* "gpt2"; NULL without one */
  guint64 n_tokens;
  guint n_templates;
  guint n_experts; /* 0: no mixture */
  guint n_experts_used;
  guint64 n_expert_parameters;        /* of all experts that are chosen from */
  guint64 n_active_expert_parameters; /* of those that one token goes through */
  guint64 n_active_parameters;        /* of the whole model, for one token */
} HearthModelOrigin;

/* Returns: (transfer full) */
HearthModelOrigin *hearth_model_origin_new (HearthGguf *gguf);
void hearth_model_origin_free (HearthModelOrigin *origin);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HearthModelOrigin, hearth_model_origin_free)

G_END_DECLS
