/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-model-order.h - how the list of models is filtered, grouped and sorted: plain functions
 * over files. What goes with a model follows it everywhere. Main thread. */
#pragma once

#include "hearth-model-file.h"

G_BEGIN_DECLS

typedef enum
{
  HEARTH_MODEL_SORT_NAME,
  HEARTH_MODEL_SORT_SIZE, /* largest first */
  HEARTH_MODEL_SORT_DATE, /* newest first */
  HEARTH_MODEL_SORT_USE,  /* opened last first, then by name */
} HearthModelSort;

typedef enum
{
  HEARTH_MODEL_GROUP_NONE,
  HEARTH_MODEL_GROUP_FAMILY,
  HEARTH_MODEL_GROUP_FOLDER, /* folders of the person's, then other programs */
} HearthModelGroup;

typedef struct
{
  GStrv words; /* all must be found; as hearth_model_file_get_search_text() has them */
  gboolean chat;
  gboolean embedding; /* with `chat`: one of both */
  gboolean fits;
} HearthModelWish;

/* What a search entry holds, as words. Returns: (transfer full) */
GStrv hearth_model_order_split_words (const char *text);
gboolean hearth_model_order_matches (HearthModelFile *file, const HearthModelWish *wish);
/* Sorting goes on while files are read and change: what is compared is kept for each file until the
 * list sorts anew, else no order would come of it. One of these for each list. */
typedef struct
{
  GQuark quark; /* where a file keeps it */
  guint serial; /* raised to take it anew */
  HearthModelSort sort;
  HearthModelGroup group;
} HearthModelOrder;

int hearth_model_order_compare (HearthModelFile *a, HearthModelFile *b,
                                const HearthModelOrder *order);
/* Groups compare by this; "" where nothing is grouped. Returns: (transfer none) */
const char *hearth_model_order_get_group_key (HearthModelFile *file, const HearthModelOrder *order);
/* What is written above a group. Returns: (transfer full) */
char *hearth_model_order_dup_group_title (HearthModelFile *file, HearthModelGroup group);

G_END_DECLS
