/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-store-db.h - opens the chats' database whatever state it is in. Store thread; for
 * hearth-store*.c. */
#pragma once

#include "hearth-store-schema.h"

G_BEGIN_DECLS

struct store_db
{
  sqlite3 *db;      /* never NULL */
  gboolean on_disk; /* FALSE: in memory, nothing is kept */
  char *folder;     /* NULL: in memory from the start */
  char *path;
  int lock; /* a file descriptor, or -1; another process stays away as long as it is open */

  HearthStoreCondition condition; /* what was found when it was opened */
  char *detail;
  char *set_aside;
  guint n_recovered;
};

/* Never fails: when the folder cannot be used, what can be read of it is copied into memory. */
struct store_db *hearth_store_db_open (const char *folder);
/* The database turned out to be damaged while it was in use: sets it aside and opens another one.
 */
void hearth_store_db_recover (struct store_db *self, const GError *error);
void hearth_store_db_close (struct store_db *self);

/* Copies every row of the file `from` that can be read into the empty database `db`; hearth-store-
 * recover.c. Returns the number of chats. */
guint hearth_store_salvage (sqlite3 *db, const char *from);

G_END_DECLS
