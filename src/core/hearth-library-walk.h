/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-library-walk.h - one look through all folders: what its parts share. For
 * hearth-library-*.c only; the scanning thread. */
#pragma once

#include <gio/gio.h>

#include "hearth-model-facts.h"

G_BEGIN_DECLS

struct library_walk
{
  char **environment;
  GPtrArray *roots;   /* of HearthModelRoot: other programs', as real paths */
  GHashTable *told;   /* set of "program path" */
  GPtrArray *folders; /* gone through */
  GCancellable *cancellable;
  guint n_found;
  /* Takes `found`. */
  void (*tell) (struct library_walk *self, HearthFoundModel *found);
  gpointer data;
};

/* Goes through the folder and those in it. `follow`: also those that are links. */
void _hearth_library_walk_folder (struct library_walk *self, HearthProgram program,
                                  const char *folder, gboolean follow);
/* One file; `label` and `parent` may be NULL. Whose it is follows from where it lies. */
void _hearth_library_walk_file (struct library_walk *self, HearthProgram program, const char *path,
                                const char *folder, const char *label, const char *parent);

/* hearth-library-manifests.c: what programs write down about their files. */
/* Ollama's files have no names of their own: its manifests give them. */
void _hearth_library_read_ollama (struct library_walk *self, const char *root);
/* A model.yml of Jan's, which names files that may lie elsewhere. */
void _hearth_library_read_jan (struct library_walk *self, const char *root, const char *path);

G_END_DECLS
