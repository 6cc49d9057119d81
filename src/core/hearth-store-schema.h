/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-store-schema.h - the tables of the chats' database, and how older ones become these. Store
 * thread; for hearth-store*.c and tests.
 *
 * PRAGMA user_version counts: step N turns schema N into N + 1, in a transaction of its own. A step
 * that was in a release is never changed; a new one is added, with the old schema in
 * tests/core/schemas so that the way from there is tested. */
#pragma once

#include <sqlite3.h>

#include "hearth-conversation-store.h"

G_BEGIN_DECLS

/* The schema that this version reads and writes. */
#define HEARTH_STORE_SCHEMA 2

extern const char *const hearth_store_steps[HEARTH_STORE_SCHEMA];

/* Sets `error` from what the last call on `db` returned; `doing` is "cannot read the chats". Always
 * returns FALSE. */
gboolean hearth_store_fail (sqlite3 *db, int status, const char *doing, GError **error);
gboolean hearth_store_run (sqlite3 *db, const char *sql, const char *doing, GError **error);

/* -1 when it cannot be read. */
int hearth_store_get_version (sqlite3 *db, GError **error);
/* Goes on from the version that is there, with the first `n_steps` steps; a newer one is refused.
 * A step that fails leaves the schema before it. */
gboolean hearth_store_migrate (sqlite3 *db, const char *const *steps, int n_steps, GError **error);

/* Copies the whole database, as it is at this moment, over what `to` has. */
gboolean hearth_store_copy (sqlite3 *to, sqlite3 *from, GError **error);
/* The same into a new file. */
gboolean hearth_store_backup (sqlite3 *db, const char *path, GError **error);

G_END_DECLS
