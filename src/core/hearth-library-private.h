/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-library-private.h - for hearth-library*.c only.
 *
 * Threads never hold the library: they hold a link to it, which is cut when the library goes. All
 * functions are the main thread's unless they say otherwise. */
#pragma once

#include "hearth-header-cache.h"
#include "hearth-library.h"
#include "hearth-model-file-private.h"

G_BEGIN_DECLS

typedef struct
{
  HearthLibrary *library; /* main thread; NULL when it is gone */
} HearthLibraryLink;

struct _HearthLibrary
{
  GObject parent_instance;

  HearthSettings *settings;
  HearthLibraryLink *link;
  char **environment; /* where other programs have their files; NULL: they are left out */
  GPtrArray *files;   /* of HearthModelFile: `n_remembered` that were opened, then the others */
  guint n_remembered;
  guint n_used;         /* counts openings */
  GHashTable *by_path;  /* path of any place → HearthModelFile in `files` */
  GHashTable *by_inode; /* "device inode" → HearthModelFile in `files` */
  char *loaded_path;

  /* hearth-library-scan.c */
  GCancellable *scanning;
  GHashTable *met;  /* set of "program path" that the present scan has met */
  gboolean forgets; /* what the scan does not meet is dropped, not shown as gone */
  gboolean scan_again;
  gboolean forgets_again;

  /* hearth-library-read.c */
  HearthHeaderCache *cache;
  GQueue unread; /* of HearthModelFile */
  guint n_reading;

  /* hearth-library-watch.c */
  GHashTable *monitors; /* folder → GFileMonitor */
  GPtrArray *to_watch;  /* folders without one yet */
  guint watch_id;
  GHashTable *to_check; /* set of paths */
  gboolean checking;
  guint check_id;
  GHashTable *growing; /* set of HearthModelFile that are being written */
  guint growth_id;
  guint rescan_id;

  guint pair_id;
  guint updated_id;
};

/* Any thread. */
HearthLibraryLink *_hearth_library_link_ref (HearthLibraryLink *link);
void _hearth_library_link_unref (HearthLibraryLink *link);

/* hearth-library.c */
/* Puts new files at the end of the list, all at once. */
void _hearth_library_append (HearthLibrary *self, GPtrArray *files);
void _hearth_library_remove (HearthLibrary *self, HearthModelFile *file);
/* Makes the file known by this place, which it has. */
void _hearth_library_index (HearthLibrary *self, HearthModelFile *file, const char *path);
/* Makes it known by what the file system says it is. */
void _hearth_library_index_facts (HearthLibrary *self, HearthModelFile *file,
                                  const HearthModelFacts *facts);
void _hearth_library_forget_facts (HearthLibrary *self, HearthModelFile *file);
/* Returns: (transfer none) (nullable) */
HearthModelFile *_hearth_library_find_same (HearthLibrary *self, const HearthModelFacts *facts);
void _hearth_library_scanning_changed (HearthLibrary *self);
/* Something about files in the list has changed; said soon, once for many. */
void _hearth_library_files_changed (HearthLibrary *self);

/* hearth-library-scan.c */
/* `forgets`: files that are gone leave the list. */
void _hearth_library_look (HearthLibrary *self, gboolean forgets);
/* Takes a place from a file; the last one stays when `keep`, and the file is shown as gone. */
void _hearth_library_lose_place (HearthLibrary *self, HearthModelFile *file, guint position,
                                 gboolean keep);

/* hearth-library-read.c */
void _hearth_library_read (HearthLibrary *self, HearthModelFile *file);
void _hearth_library_read_next (HearthLibrary *self);
/* What the file system says of it has changed. */
void _hearth_library_update_facts (HearthLibrary *self, HearthModelFile *file,
                                   const HearthModelFacts *facts);
/* A program has written down what it keeps the file for. */
void _hearth_library_set_role (HearthLibrary *self, HearthModelFile *file, HearthModelRole role);

/* hearth-library-watch.c */
void _hearth_library_watch (HearthLibrary *self, const char *const *folders);
void _hearth_library_stop_watching (HearthLibrary *self);
/* Looks at this path soon, whatever is there. */
void _hearth_library_check (HearthLibrary *self, const char *path);
/* Looks at the file again and again until it stands still. */
void _hearth_library_follow_growth (HearthLibrary *self, HearthModelFile *file);
void _hearth_library_forget_growth (HearthLibrary *self, HearthModelFile *file);
/* Whether it was changed so lately that somebody may be writing it. */
gboolean _hearth_library_is_fresh (const HearthModelFacts *facts);

/* hearth-library-pair.c */
/* Finds the models that projectors, drafts and adapters go with, soon. */
void _hearth_library_pair_soon (HearthLibrary *self);

G_END_DECLS
