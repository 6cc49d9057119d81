/* SPDX-License-Identifier: GPL-3.0-or-later */
#define _DEFAULT_SOURCE /* flock, O_CLOEXEC */
#include "hearth-store-db.h"

#include <errno.h>
#include <fcntl.h>
#include <glib/gstdio.h>
#include <sys/file.h>
#include <unistd.h>

#include "hearth-store-rows.h"

/* A writer of another process (a backup, a person with sqlite3) is waited for this long. */
#define BUSY_MS 5000

static const char opening[] = "cannot open the chats";

static const char *const endings[] = { "", "-wal", "-shm" };

static void
set_condition (struct store_db *self, HearthStoreCondition condition, const char *detail)
{
  self->condition = condition;
  g_set_str (&self->detail, detail);
}

static void
set_condition_from (struct store_db *self, const GError *error)
{
  set_condition (self, (HearthStoreCondition) error->code, error->message);
}

static void
set_condition_from_errno (struct store_db *self, const char *path, int reason)
{
  g_autofree char *detail = g_strdup_printf ("%s: %s", path, g_strerror (reason));
  gboolean full = reason == ENOSPC || reason == EDQUOT || reason == EFBIG;

  set_condition (self, full ? HEARTH_STORE_FULL : HEARTH_STORE_READ_ONLY, detail);
}

/* ---- in memory -------------------------------------------------------------------------- */

static sqlite3 *
open_memory (void)
{
  sqlite3 *db = NULL;
  g_autoptr (GError) error = NULL;

  if (sqlite3_open (":memory:", &db) != SQLITE_OK)
    g_error ("no memory for the chats"); /* as g_malloc() does */
  sqlite3_db_config (db, SQLITE_DBCONFIG_ENABLE_FKEY, 1, NULL);
  if (!hearth_store_migrate (db, hearth_store_steps, HEARTH_STORE_SCHEMA, &error))
    g_error ("%s", error->message);
  return db;
}

/* A file in a folder that may not be written: with its log when it has one, else as it lies there.
 */
static sqlite3 *
open_to_read (const char *path)
{
  for (int immutable = 0; immutable < 2; immutable++)
    {
      g_autofree char *escaped = g_uri_escape_string (path, "/", TRUE);
      g_autofree char *uri =
        g_strdup_printf ("file:%s?mode=ro%s", escaped, immutable ? "&immutable=1" : "");
      sqlite3 *db = NULL;
      int version = -1;

      if (sqlite3_open_v2 (uri, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL) == SQLITE_OK)
        version = hearth_store_get_version (db, NULL);
      if (version > 0 && version <= HEARTH_STORE_SCHEMA)
        return db;
      sqlite3_close (db);
    }
  return NULL;
}

/* The chats that can be read, in memory: what is done with them is not kept. */
static void
go_on_in_memory (struct store_db *self)
{
  sqlite3 *from = self->path != NULL ? open_to_read (self->path) : NULL;
  g_autoptr (GError) error = NULL;

  self->on_disk = FALSE;
  self->db = open_memory ();
  if (from == NULL)
    return;
  if (!hearth_store_copy (self->db, from, &error) ||
      !hearth_store_migrate (self->db, hearth_store_steps, HEARTH_STORE_SCHEMA, &error) ||
      !hearth_store_end_answers (self->db, &error))
    {
      g_debug ("the chats cannot be read either: %s", error->message);
      sqlite3_close (self->db);
      self->db = open_memory ();
    }
  sqlite3_close (from);
}

/* ---- on disk ---------------------------------------------------------------------------- */

/* The file's own lock, not SQLite's: that one is held for the moment of a write only, and two
 * programs that both believe to know all chats would overwrite each other's. */
static gboolean
take_lock (struct store_db *self)
{
  g_autofree char *path = g_build_filename (self->folder, "chats.lock", NULL);

  if (self->lock >= 0)
    return TRUE;
  self->lock = g_open (path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (self->lock < 0)
    {
      set_condition_from_errno (self, path, errno);
      return FALSE;
    }
  if (flock (self->lock, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
    return TRUE; /* a file system without locks is no reason not to write */
  close (self->lock);
  self->lock = -1;
  set_condition (self, HEARTH_STORE_IN_USE, path);
  return FALSE;
}

/* Chats are nobody else's business: folder and file are the owner's alone. */
static gboolean
prepare_folder (struct store_db *self)
{
  int fd;

  if (g_mkdir_with_parents (self->folder, 0700) != 0)
    {
      set_condition_from_errno (self, self->folder, errno);
      return FALSE;
    }
  if (!take_lock (self))
    return FALSE;
  fd = g_open (self->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0)
    {
      set_condition_from_errno (self, self->path, errno);
      return FALSE;
    }
  close (fd);
  return TRUE;
}

/* Reads every page, so that damage is found now and not in the middle of a chat. */
static gboolean
check (sqlite3 *db, GError **error)
{
  sqlite3_stmt *statement =
    hearth_store_prepare (db, "cannot check the chats", error, "PRAGMA quick_check (1)", "");
  const char *said;
  int status;
  gboolean ok;

  if (statement == NULL)
    return FALSE;
  status = sqlite3_step (statement);
  if (status != SQLITE_ROW)
    {
      hearth_store_fail (db, status, "cannot check the chats", error);
      sqlite3_finalize (statement);
      return FALSE;
    }
  said = (const char *) sqlite3_column_text (statement, 0);
  ok = g_strcmp0 (said, "ok") == 0;
  if (!ok)
    g_set_error (error, HEARTH_STORE_ERROR, HEARTH_STORE_DAMAGED, "%s: %s",
                 sqlite3_db_filename (db, "main"), said != NULL ? said : "no answer");
  sqlite3_finalize (statement);
  return ok;
}

/* What a newer version wrote is not touched; what an older one wrote is copied first. */
static gboolean
check_version (struct store_db *self, sqlite3 *db, GError **error)
{
  g_autofree char *name = NULL;
  g_autofree char *path = NULL;
  int version = hearth_store_get_version (db, error);

  if (version > HEARTH_STORE_SCHEMA)
    return hearth_store_migrate (db, hearth_store_steps, HEARTH_STORE_SCHEMA, error);
  if (version <= 0 || version == HEARTH_STORE_SCHEMA)
    return version >= 0;
  name = g_strdup_printf ("chats.form-%d.db", version);
  path = g_build_filename (self->folder, name, NULL);
  return hearth_store_backup (db, path, error);
}

static sqlite3 *
open_file (struct store_db *self, GError **error)
{
  sqlite3 *db = NULL;
  int status = sqlite3_open_v2 (self->path, &db, SQLITE_OPEN_READWRITE, NULL);

  if (status != SQLITE_OK)
    hearth_store_fail (db, status, opening, error);
  else
    {
      sqlite3_busy_timeout (db, BUSY_MS);
      sqlite3_db_config (db, SQLITE_DBCONFIG_ENABLE_FKEY, 1, NULL);
      sqlite3_db_config (db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
      /* NORMAL: a commit outlives the process; a loss of power may take the last ones, and never
       * damages what was there. */
      if (check_version (self, db, error) && check (db, error) &&
          hearth_store_run (db, "PRAGMA journal_mode = WAL", opening, error) &&
          hearth_store_run (db, "PRAGMA synchronous = NORMAL", opening, error) &&
          hearth_store_migrate (db, hearth_store_steps, HEARTH_STORE_SCHEMA, error) &&
          hearth_store_end_answers (db, error))
        return db;
    }
  sqlite3_close (db);
  return NULL;
}

/* Renames the file with its log and returns its new path; NULL when that is not possible. */
static char *
set_aside (struct store_db *self, const char *why)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  g_autofree char *time = g_date_time_format (now, "%Y-%m-%d-%H%M%S");

  for (int i = 1; i < 1000; i++)
    {
      g_autofree char *name = i == 1 ? g_strdup_printf ("chats.%s-%s.db", why, time)
                                     : g_strdup_printf ("chats.%s-%s-%d.db", why, time, i);
      g_autofree char *path = g_build_filename (self->folder, name, NULL);

      if (g_file_test (path, G_FILE_TEST_EXISTS))
        continue;
      /* The log first: a log without its file is an empty database, a file without its log is an
       * older one. */
      for (int e = G_N_ELEMENTS (endings) - 1; e >= 0; e--)
        {
          g_autofree char *from = g_strconcat (self->path, endings[e], NULL);
          g_autofree char *to = g_strconcat (path, endings[e], NULL);

          if (g_rename (from, to) != 0 && errno != ENOENT)
            {
              set_condition_from_errno (self, from, errno);
              return NULL;
            }
        }
      return g_steal_pointer (&path);
    }
  set_condition (self, HEARTH_STORE_FAILED, "too many files were set aside");
  return NULL;
}

/* Leaves `db` NULL when the folder cannot be used. */
static void
start_afresh (struct store_db *self, const GError *reason)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *detail = g_strdup (reason->message);
  HearthStoreCondition condition = (HearthStoreCondition) reason->code;
  gboolean damaged = condition == HEARTH_STORE_DAMAGED;

  g_free (self->set_aside);
  self->set_aside = set_aside (self, damaged ? "damaged" : "newer");
  if (self->set_aside == NULL || !prepare_folder (self))
    return;
  self->db = open_file (self, &error);
  if (self->db == NULL)
    {
      set_condition_from (self, error);
      return;
    }
  if (damaged)
    self->n_recovered = hearth_store_salvage (self->db, self->set_aside);
  set_condition (self, condition, detail);
}

static void
open_on_disk (struct store_db *self)
{
  g_autoptr (GError) error = NULL;

  if (!prepare_folder (self))
    return;
  self->db = open_file (self, &error);
  if (self->db != NULL)
    return;
  if (error->code == HEARTH_STORE_DAMAGED || error->code == HEARTH_STORE_NEWER)
    start_afresh (self, error);
  else
    set_condition_from (self, error);
}

struct store_db *
hearth_store_db_open (const char *folder)
{
  struct store_db *self = g_new0 (struct store_db, 1);

  self->lock = -1;
  if (folder == NULL)
    {
      self->db = open_memory ();
      return self;
    }
  self->folder = g_strdup (folder);
  self->path = g_build_filename (folder, "chats.db", NULL);
  self->on_disk = TRUE;
  open_on_disk (self);
  if (self->db == NULL)
    go_on_in_memory (self);
  return self;
}

void
hearth_store_db_recover (struct store_db *self, const GError *error)
{
  g_return_if_fail (self->on_disk);

  sqlite3_close_v2 (g_steal_pointer (&self->db));
  start_afresh (self, error);
  if (self->db == NULL)
    go_on_in_memory (self);
}

void
hearth_store_db_close (struct store_db *self)
{
  if (self == NULL)
    return;
  sqlite3_close_v2 (self->db);
  g_clear_fd (&self->lock, NULL);
  g_free (self->folder);
  g_free (self->path);
  g_free (self->detail);
  g_free (self->set_aside);
  g_free (self);
}
