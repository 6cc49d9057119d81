/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-model-header.h - what the header of a model file says, read once into plain values. Any
 * thread: nothing here is shared. */
#pragma once

#include <glib.h>

#include "hearth-model-facts.h"
#include "hearth-sampling.h"

G_BEGIN_DECLS

typedef struct
{
  char *type; /* "Q4_K" */
  guint64 n_tensors;
  guint64 n_elements;
  guint64 n_bytes;
} HearthHeaderType;

/* What running the model takes, in bytes. */
typedef struct
{
  gboolean fits;
  guint n_ctx; /* the context this is for */
  guint64 weights;
  guint64 kv;
  guint64 checkpoint;
  guint64 compute;
  guint64 budget;
  guint64 free;
} HearthHeaderFit;

/* What tensors are for. */
typedef enum
{
  HEARTH_ROLE_EMBEDDING,
  HEARTH_ROLE_ATTENTION,
  HEARTH_ROLE_FEED_FORWARD,
  HEARTH_ROLE_EXPERTS,
  HEARTH_ROLE_RECURRENT,
  HEARTH_ROLE_NORM,
  HEARTH_ROLE_OUTPUT,
  HEARTH_ROLE_OTHER,
  HEARTH_N_ROLES
} HearthTensorRole;

typedef struct
{
  char *name;         /* as people call it: from the file's keys, else from the file's name */
  char *full_name;    /* general.name as it is; NULL when absent */
  char *architecture; /* NULL when the file does not say */
  char *quantization; /* "Q4_K_M"; NULL when there are no tensors */
  char *family;       /* what its kin have in common: "Qwen3"; NULL when nothing says it */
  char *licence;      /* NULL when the file does not say; as these: */
  char *author;
  char *quantized_by;
  char *version_label;           /* of the model */
  char *base_model;              /* what it was made from */
  char *source;                  /* an address or a repository */
  gint64 changed;                /* the file, in seconds since 1970; 0 when not known */
  guint n_parts;                 /* files of a split model; 1 for any other */
  guint width;                   /* values per token; 0 when the file does not say */
  guint64 roles[HEARTH_N_ROLES]; /* parameters by what they are for */
  guint64 n_parameters;
  guint64 n_tensor_bytes;
  guint64 n_tensors;
  guint64 n_keys;
  guint64 size;          /* bytes of the file */
  guint64 expected_size; /* bytes the tensor table asks for; larger than size: cut short */
  guint n_ctx_trained;   /* 0 when the file does not say */
  guint n_layers;
  guint version;
  HearthModelRole role; /* what the file is for, by its keys */
  gboolean has_template;
  gboolean has_vocabulary;
  gboolean is_embedder;             /* makes a vector of a text; does not write */
  gboolean can_think;               /* the template can be told not to think first */
  HearthSampling sampling;          /* what the file recommends; the rest is unset */
  HearthSampling sampling_defaults; /* the engine's, where nobody says anything */
  GArray *types;                    /* of HearthHeaderType, largest first */
  HearthHeaderFit fit;              /* all zero when `fit_error` is set */
  GError *fit_error;                /* why this model cannot run here at all */
} HearthModelHeader;

/* Reads the header of `path`; `n_ctx` and `n_threads` (0 = automatic) are what the plan is for.
 * A file whose end is missing is read all the same: `fit_error` is then HEARTH_ERROR_INCOMPLETE.
 * Fails with HEARTH_ERROR_NOT_A_MODEL, _DAMAGED, _UNSUPPORTED, _NOT_FOUND, _IO.
 * Returns: (transfer full) (nullable) */
HearthModelHeader *hearth_model_header_read (const char *path, guint n_ctx, guint n_threads,
                                             GError **error);
/* An empty one. Returns: (transfer full) */
HearthModelHeader *hearth_model_header_new (void);
void hearth_model_header_free (HearthModelHeader *header);

/* What the first bytes of a file show it to be, to be translated: "a ZIP archive", or NULL. Static
 * storage. */
const char *hearth_model_header_guess_kind (const guint8 *bytes, gsize n_bytes);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HearthModelHeader, hearth_model_header_free)

G_END_DECLS
