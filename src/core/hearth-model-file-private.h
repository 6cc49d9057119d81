/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-model-file-private.h - how the library keeps a file up to date. For hearth-library-*.c and
 * hearth-model-file.c only; main thread. */
#pragma once

#include "hearth-model-file.h"

G_BEGIN_DECLS

/* What a thread gives back that has read a header, or not. */
typedef struct
{
  HearthModelHeader *header; /* NULL with `error` */
  GError *error;
  const char *kind; /* what it is instead of a model; static storage */
} HearthModelReading;

void hearth_model_reading_clear (HearthModelReading *reading);
/* Any thread. */
void hearth_model_reading_read (HearthModelReading *out, const char *path, guint n_ctx,
                                guint n_threads);

void _hearth_model_file_begin_reading (HearthModelFile *self);
/* Empties `reading`; an empty one leaves what is known as it is. */
void _hearth_model_file_take (HearthModelFile *self, HearthModelReading *reading);
void _hearth_model_file_set_facts (HearthModelFile *self, const HearthModelFacts *facts);
void _hearth_model_file_set_presence (HearthModelFile *self, HearthModelPresence presence);
/* FALSE: it is there already. */
gboolean _hearth_model_file_add_place (HearthModelFile *self, const HearthModelPlace *place);
void _hearth_model_file_remove_place (HearthModelFile *self, guint position);
/* The model that it goes with; NULL for none. Not kept alive. */
void _hearth_model_file_set_parent (HearthModelFile *self, HearthModelFile *parent);
/* When it was opened last, compared with others; 0: never. */
void _hearth_model_file_set_used (HearthModelFile *self, guint used);
/* The path of the parent that a program named; NULL. */
const char *_hearth_model_file_get_parent_path (HearthModelFile *self);
void _hearth_model_file_set_parent_path (HearthModelFile *self, const char *path);

G_END_DECLS
