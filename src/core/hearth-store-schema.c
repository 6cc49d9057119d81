/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-store-schema.h"

#include <errno.h>
#include <glib/gstdio.h>

G_DEFINE_QUARK (hearth - store - error - quark, hearth_store_error)

/* `row` is SQLite's own key, small and dense, so that a damaged table can be read around the
 * damage; ids are ours: random for a chat, counted for its messages. An answer that grows has its
 * beginning in `messages` and the rest, piece by piece, in `journal`. `search` holds no text of its
 * own. */
static const char schema_1[] =
  "CREATE TABLE chats ("
  "  row INTEGER PRIMARY KEY,"
  "  id INTEGER NOT NULL UNIQUE,"
  "  title TEXT,"    /* given by somebody */
  "  question TEXT," /* the first one's first line */
  "  pinned INTEGER NOT NULL DEFAULT 0,"
  "  created INTEGER NOT NULL," /* microseconds since 1970 */
  "  updated INTEGER NOT NULL,"
  "  model_path TEXT,"
  "  model_title TEXT,"
  "  draft TEXT NOT NULL DEFAULT '',"
  "  settings TEXT NOT NULL DEFAULT '',"        /* a GVariant dictionary as text */
  "  place_message INTEGER NOT NULL DEFAULT 0," /* where the reader was */
  "  place_offset REAL NOT NULL DEFAULT 0"
  ");"
  "CREATE TABLE messages ("
  "  row INTEGER PRIMARY KEY,"
  "  chat INTEGER NOT NULL REFERENCES chats (id) ON DELETE CASCADE,"
  "  id INTEGER NOT NULL,"
  "  parent INTEGER NOT NULL," /* 0: none */
  "  role INTEGER NOT NULL,"   /* HearthMessageRole */
  "  state INTEGER NOT NULL,"  /* HearthMessageState */
  "  chosen INTEGER NOT NULL,"
  "  created INTEGER NOT NULL,"
  "  text TEXT NOT NULL,"
  "  thinking TEXT NOT NULL DEFAULT '',"
  "  thinking_ms INTEGER NOT NULL DEFAULT 0,"
  "  model_title TEXT,"
  "  figures TEXT," /* a GVariant dictionary as text */
  "  error_code INTEGER,"
  "  error TEXT,"
  "  UNIQUE (chat, id)"
  ");"
  "CREATE TABLE journal ("
  "  row INTEGER PRIMARY KEY,"
  "  message INTEGER NOT NULL REFERENCES messages (row) ON DELETE CASCADE,"
  "  thought INTEGER NOT NULL," /* 1: belongs to `thinking`, 0: to `text` */
  "  text TEXT NOT NULL"
  ");"
  "CREATE INDEX journal_message ON journal (message);"
  "CREATE TABLE notes (key TEXT PRIMARY KEY NOT NULL, value TEXT NOT NULL);"
  "CREATE VIRTUAL TABLE search USING fts5 ("
  "  text, content='messages', content_rowid='row', tokenize='unicode61 remove_diacritics 2');"
  "CREATE TRIGGER messages_added AFTER INSERT ON messages BEGIN"
  "  INSERT INTO search (rowid, text) VALUES (new.row, new.text);"
  "END;"
  "CREATE TRIGGER messages_removed AFTER DELETE ON messages BEGIN"
  "  INSERT INTO search (search, rowid, text) VALUES ('delete', old.row, old.text);"
  "END;"
  "CREATE TRIGGER messages_changed AFTER UPDATE OF text ON messages BEGIN"
  "  INSERT INTO search (search, rowid, text) VALUES ('delete', old.row, old.text);"
  "  INSERT INTO search (rowid, text) VALUES (new.row, new.text);"
  "END;";

/* What somebody is writing in place of a message. */
static const char schema_2[] = "ALTER TABLE messages ADD COLUMN edit TEXT";

const char *const hearth_store_steps[HEARTH_STORE_SCHEMA] = { schema_1, schema_2 };

static HearthStoreCondition
condition_of (sqlite3 *db, int status)
{
  int reason = db != NULL ? sqlite3_system_errno (db) : 0;

  switch (status & 0xff)
    {
    case SQLITE_FULL:
      return HEARTH_STORE_FULL;
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_CANTOPEN:
      return reason == ENOSPC || reason == EDQUOT ? HEARTH_STORE_FULL : HEARTH_STORE_READ_ONLY;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return HEARTH_STORE_DAMAGED;
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return HEARTH_STORE_IN_USE;
    case SQLITE_IOERR:
      if (reason == ENOSPC || reason == EDQUOT || reason == EFBIG)
        return HEARTH_STORE_FULL;
      return reason == EROFS || reason == EACCES ? HEARTH_STORE_READ_ONLY : HEARTH_STORE_FAILED;
    default:
      return HEARTH_STORE_FAILED;
    }
}

gboolean
hearth_store_fail (sqlite3 *db, int status, const char *doing, GError **error)
{
  const char *file = db != NULL ? sqlite3_db_filename (db, "main") : NULL;
  int reason = db != NULL ? sqlite3_system_errno (db) : 0;

  g_set_error (
    error, HEARTH_STORE_ERROR, condition_of (db, status), "%s%s%s: %s%s%s%s",
    file != NULL ? file : "", file != NULL && *file != '\0' ? ": " : "", doing,
    db != NULL && sqlite3_errcode (db) != SQLITE_OK ? sqlite3_errmsg (db) : sqlite3_errstr (status),
    reason != 0 ? " (" : "", reason != 0 ? g_strerror (reason) : "", reason != 0 ? ")" : "");
  return FALSE;
}

gboolean
hearth_store_run (sqlite3 *db, const char *sql, const char *doing, GError **error)
{
  int status = sqlite3_exec (db, sql, NULL, NULL, NULL);

  return status == SQLITE_OK || hearth_store_fail (db, status, doing, error);
}

int
hearth_store_get_version (sqlite3 *db, GError **error)
{
  sqlite3_stmt *statement = NULL;
  int version = -1;
  int status = sqlite3_prepare_v2 (db, "PRAGMA user_version", -1, &statement, NULL);

  if (status == SQLITE_OK)
    status = sqlite3_step (statement);
  if (status == SQLITE_ROW)
    version = sqlite3_column_int (statement, 0);
  else
    hearth_store_fail (db, status, "cannot read the version of the chats", error);
  sqlite3_finalize (statement);
  return version;
}

static gboolean
step (sqlite3 *db, const char *sql, int version, GError **error)
{
  g_autofree char *set_version = g_strdup_printf ("PRAGMA user_version = %d", version);
  const char *doing = "cannot change the chats to this version's form";

  if (hearth_store_run (db, "BEGIN IMMEDIATE", doing, error) &&
      hearth_store_run (db, sql, doing, error) &&
      hearth_store_run (db, set_version, doing, error) &&
      hearth_store_run (db, "COMMIT", doing, error))
    return TRUE;
  if (!sqlite3_get_autocommit (db))
    sqlite3_exec (db, "ROLLBACK", NULL, NULL, NULL);
  return FALSE;
}

gboolean
hearth_store_migrate (sqlite3 *db, const char *const *steps, int n_steps, GError **error)
{
  int version = hearth_store_get_version (db, error);

  if (version < 0)
    return FALSE;
  if (version > n_steps)
    {
      g_set_error (error, HEARTH_STORE_ERROR, HEARTH_STORE_NEWER,
                   "%s: the chats are in form %d, and this version of Hearth knows forms up to %d",
                   sqlite3_db_filename (db, "main"), version, n_steps);
      return FALSE;
    }
  for (; version < n_steps; version++)
    {
      if (!step (db, steps[version], version + 1, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
hearth_store_copy (sqlite3 *to, sqlite3 *from, GError **error)
{
  sqlite3_backup *backup = sqlite3_backup_init (to, "main", from, "main");
  int status = SQLITE_ERROR;

  if (backup != NULL)
    {
      do
        status = sqlite3_backup_step (backup, -1);
      while (status == SQLITE_OK || status == SQLITE_BUSY || status == SQLITE_LOCKED);
      sqlite3_backup_finish (backup);
    }
  return status == SQLITE_DONE || hearth_store_fail (to, status, "cannot copy the chats", error);
}

gboolean
hearth_store_backup (sqlite3 *db, const char *path, GError **error)
{
  sqlite3 *to = NULL;
  g_autofree char *partial = g_strconcat (path, ".part", NULL);
  int status;
  gboolean ok;

  g_unlink (partial);
  status = sqlite3_open_v2 (partial, &to, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
  ok = status == SQLITE_OK ? hearth_store_copy (to, db, error)
                           : hearth_store_fail (to, status, "cannot back up the chats", error);
  sqlite3_close (to);
  if (ok && g_rename (partial, path) == 0)
    return TRUE;
  if (ok)
    g_set_error (error, HEARTH_STORE_ERROR, HEARTH_STORE_FAILED, "%s: cannot be named: %s", path,
                 g_strerror (errno));
  g_unlink (partial);
  return FALSE;
}
