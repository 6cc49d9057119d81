/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-model-facts.h - what the file system and the stores of other programs say of a model file,
 * before anybody has opened it. Plain values; any thread. */
#pragma once

#include "hearth-model-programs.h"

G_BEGIN_DECLS

/* What a file is for: those that are no model of their own go with one. */
typedef enum
{
  HEARTH_MODEL_ROLE_MODEL,
  HEARTH_MODEL_ROLE_PROJECTOR,  /* turns pictures or sound into what the model reads */
  HEARTH_MODEL_ROLE_DRAFT,      /* guesses ahead for the model */
  HEARTH_MODEL_ROLE_ADAPTER,    /* a LoRA or a control vector */
  HEARTH_MODEL_ROLE_VOCABULARY, /* no weights */
  HEARTH_MODEL_ROLE_IMATRIX,    /* what a quantization was made with */
} HearthModelRole;

/* One of the places that a file is reached from. */
typedef struct
{
  HearthProgram program;
  char *path;
  char *label;  /* what the program calls it; NULL: it has no name of its own */
  char *folder; /* what it was found under; NULL for a file that was opened */
} HearthModelPlace;

typedef struct
{
  HearthModelRole role;
  guint64 size;    /* bytes; of a split model, of all its parts */
  guint64 disk;    /* bytes that it takes on the disk */
  gint64 changed;  /* microseconds since 1970, of the part that was changed last */
  guint64 device;  /* with `inode`: which file this is, whatever it is called */
  guint64 inode;   /* of the first part */
  guint n_parts;   /* of a split model by its name; 1 for any other */
  guint n_missing; /* of them */
} HearthModelFacts;

typedef struct
{
  HearthModelPlace place;
  HearthModelFacts facts;
  char *parent; /* the path of the model it goes with, where the program says so; else NULL */
} HearthFoundModel;

/* Asks the file system; for a part of a split model, about all parts that lie beside it. FALSE when
 * the file is not there, or no file. */
gboolean hearth_model_facts_read (const char *path, HearthModelFacts *facts);
/* The path, and those of the other parts of a split model that may lie beside it.
 * Returns: (transfer full) */
GStrv hearth_model_facts_list_parts (const char *path);
/* Whether it is the same file with the same bytes, as far as one can see from outside. */
gboolean hearth_model_facts_equal (const HearthModelFacts *a, const HearthModelFacts *b);

/* What the name of a file says that it is for. FALSE: it does not end in .gguf. */
gboolean hearth_model_facts_guess_role (const char *path, HearthModelRole *role);

HearthModelPlace *hearth_model_place_copy (const HearthModelPlace *place);
void hearth_model_place_clear (HearthModelPlace *place);
void hearth_model_place_free (HearthModelPlace *place);
void hearth_found_model_free (HearthFoundModel *found);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (HearthFoundModel, hearth_found_model_free)

G_END_DECLS
