/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-model-words.h - plans and states of models in words. Main thread. */
#pragma once

#include "hearth-fit.h"
#include "hearth-model-file.h"

G_BEGIN_DECLS

/* The verdict with the figures that decide. Returns: (transfer full) */
char *hearth_model_words_for_plan (HearthModelFile *model, const HearthFitPlan *plan);
/* Every term of the plan, one a line. Returns: (transfer full) */
char *hearth_model_words_for_arithmetic (HearthModelFile *model, const HearthFitPlan *plan);

/* How a model stands, as rows of lists show it. */
typedef enum
{
  HEARTH_STANDING_UNKNOWN, /* not read yet */
  HEARTH_STANDING_LOADED,
  HEARTH_STANDING_FITS,
  HEARTH_STANDING_TOO_BIG,
  HEARTH_STANDING_CANNOT_RUN,
  HEARTH_STANDING_INCOMPLETE,
  HEARTH_STANDING_DAMAGED,
  HEARTH_STANDING_WRITING,   /* somebody is writing the file */
  HEARTH_STANDING_GONE,      /* the file was there */
  HEARTH_STANDING_COMPANION, /* no model of its own: goes with one */
} HearthStanding;

HearthStanding hearth_model_words_get_standing (HearthModelFile *model);
/* "Fits"; static storage, translated. */
const char *hearth_model_words_for_standing (HearthStanding standing);
/* Each standing has a shape of its own. Static storage. */
const char *hearth_model_words_icon_for_standing (HearthStanding standing);

/* What a file that is no model of its own is: "Projector". Static storage, translated. */
const char *hearth_model_words_for_role (HearthModelRole role);
/* All that a row of a list shows below the title, for voice output: "Q4_K_M, 98.4 MB, Fits".
 * Returns: (transfer full) */
char *hearth_model_words_for_row (HearthModelFile *model);

/* Closures of the model button's rows: how it stands, in a word, a shape and a colour, as in the
 * list of models. `file` may be NULL. Returns: (transfer full) */
char *hearth_model_words_choice_detail (gpointer item, HearthModelFile *file, guint state,
                                        gboolean loaded);
char *hearth_model_words_choice_icon (gpointer item, HearthModelFile *file, guint state,
                                      gboolean loaded);
GStrv hearth_model_words_choice_classes (gpointer item, HearthModelFile *file, guint state,
                                         gboolean loaded);

G_END_DECLS
