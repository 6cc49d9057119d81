/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-header-cache.h"

#include <glib/gstdio.h>
#include <sqlite3.h>

/* Of the tables and of the records in them: another one is dropped. */
#define HEADER_VERSION 3
/* Rows of files that are gone are never asked for again: past this all are dropped. */
#define MAX_ROWS 60000
#define BUSY_MS 2000

static const char tables[] =
  "CREATE TABLE headers (path TEXT PRIMARY KEY, device INTEGER, inode INTEGER, size INTEGER,"
  " changed INTEGER, n_missing INTEGER, n_ctx INTEGER, n_threads INTEGER, record BLOB NOT NULL)"
  " WITHOUT ROWID";

struct _HearthHeaderCache
{
  char *path;
  GMutex lock;
  /* All below under the lock. */
  gboolean tried;
  sqlite3 *db; /* NULL: it cannot be had, and everything is read anew */
  sqlite3_stmt *get;
  sqlite3_stmt *put;
  guint depth; /* of begin() */
};

HearthHeaderCache *
hearth_header_cache_new (const char *path)
{
  HearthHeaderCache *self = g_atomic_rc_box_new0 (HearthHeaderCache);

  self->path = g_strdup (path);
  g_mutex_init (&self->lock);
  return self;
}

HearthHeaderCache *
hearth_header_cache_ref (HearthHeaderCache *self)
{
  return g_atomic_rc_box_acquire (self);
}

static void
close_db (HearthHeaderCache *self)
{
  g_clear_pointer (&self->get, sqlite3_finalize);
  g_clear_pointer (&self->put, sqlite3_finalize);
  g_clear_pointer (&self->db, sqlite3_close);
  self->depth = 0;
}

static void
finalize (gpointer data)
{
  HearthHeaderCache *self = data;

  close_db (self);
  g_mutex_clear (&self->lock);
  g_free (self->path);
}

void
hearth_header_cache_unref (HearthHeaderCache *self)
{
  if (self != NULL)
    g_atomic_rc_box_release_full (self, finalize);
}

/* ---- opening ---------------------------------------------------------------------------- */

static gboolean
run (HearthHeaderCache *self, const char *sql)
{
  return sqlite3_exec (self->db, sql, NULL, NULL, NULL) == SQLITE_OK;
}

static int
get_number (HearthHeaderCache *self, const char *sql)
{
  sqlite3_stmt *statement = NULL;
  int number = -1;

  if (sqlite3_prepare_v2 (self->db, sql, -1, &statement, NULL) == SQLITE_OK &&
      sqlite3_step (statement) == SQLITE_ROW)
    number = sqlite3_column_int (statement, 0);
  sqlite3_finalize (statement);
  return number;
}

static gboolean
prepare (HearthHeaderCache *self)
{
  return sqlite3_prepare_v3 (
           self->db,
           "SELECT record FROM headers WHERE path = ?1 AND device = ?2 AND inode ="
           " ?3 AND size = ?4 AND changed = ?5 AND n_missing = ?6 AND n_ctx = ?7"
           " AND n_threads = ?8",
           -1, SQLITE_PREPARE_PERSISTENT, &self->get, NULL) == SQLITE_OK &&
         sqlite3_prepare_v3 (self->db,
                             "INSERT OR REPLACE INTO headers VALUES"
                             " (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                             -1, SQLITE_PREPARE_PERSISTENT, &self->put, NULL) == SQLITE_OK;
}

/* An empty one gets its tables; FALSE for whatever is not as this program leaves it. */
static gboolean
open_db (HearthHeaderCache *self)
{
  int version;

  if (sqlite3_open (self->path != NULL ? self->path : ":memory:", &self->db) != SQLITE_OK)
    return FALSE;
  sqlite3_busy_timeout (self->db, BUSY_MS);
  /* What is lost in a power cut is read again. */
  if (!run (self, "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF"))
    return FALSE;
  version = get_number (self, "PRAGMA user_version");
  if (version == 0 && get_number (self, "SELECT count(*) FROM sqlite_schema") == 0)
    {
      g_autofree char *stamp = g_strdup_printf ("PRAGMA user_version = %d", HEADER_VERSION);

      return run (self, tables) && run (self, stamp) && prepare (self);
    }
  if (version != HEADER_VERSION || !prepare (self))
    return FALSE;
  if (get_number (self, "SELECT count(*) FROM headers") > MAX_ROWS)
    return FALSE; /* files of years: those that are still there are read once more */
  return TRUE;
}

static void
remove_files (HearthHeaderCache *self)
{
  static const char *const endings[] = { "", "-wal", "-shm", "-journal" };

  for (gsize i = 0; self->path != NULL && i < G_N_ELEMENTS (endings); i++)
    {
      g_autofree char *path = g_strconcat (self->path, endings[i], NULL);

      g_unlink (path);
    }
}

/* Called with the lock. */
static gboolean
ensure (HearthHeaderCache *self)
{
  if (self->tried)
    return self->db != NULL;
  self->tried = TRUE;
  if (self->path != NULL)
    {
      g_autofree char *folder = g_path_get_dirname (self->path);

      g_mkdir_with_parents (folder, 0700);
    }
  if (open_db (self))
    return TRUE;
  close_db (self);
  remove_files (self);
  if (open_db (self))
    return TRUE;
  g_debug ("headers are not kept: %s", self->path != NULL ? self->path : "no memory");
  close_db (self);
  return FALSE;
}

/* Called with the lock. Damage is met where it is: all goes, and what follows is kept anew. */
static void
drop (HearthHeaderCache *self, int status)
{
  status &= 0xff;
  if (status != SQLITE_CORRUPT && status != SQLITE_NOTADB)
    return;
  g_debug ("the kept headers are damaged, and dropped");
  close_db (self);
  remove_files (self);
  if (!open_db (self))
    close_db (self);
}

/* ---- plans ------------------------------------------------------------------------------ */

static guint64
sum (const HearthHeaderFit *fit)
{
  return fit->weights + fit->kv + fit->checkpoint + fit->compute;
}

/* Whether the verdict can be told for another amount of free memory. More memory never gives a
 * shorter context or a worse verdict, less never a better one. */
static gboolean
move_budget (HearthModelHeader *header, guint n_ctx, guint64 budget)
{
  HearthHeaderFit *fit = &header->fit;
  guint64 need;

  if (header->fit_error != NULL || budget == fit->budget)
    return TRUE;
  need = sum (fit);
  if (fit->fits)
    {
      /* Automatic contexts are as long as fits: with more room this one might be longer. */
      gboolean shortened = n_ctx == 0 && fit->n_ctx < MIN (MAX (header->n_ctx_trained, 1), 8192);

      if (need > budget || (shortened && budget > fit->budget))
        return FALSE;
      fit->free = budget - need;
      fit->budget = budget;
      return TRUE;
    }
  if (fit->weights <= budget && budget > fit->budget)
    return FALSE;
  fit->free = 0;
  fit->budget = budget;
  return TRUE;
}

/* ---- public functions ------------------------------------------------------------------- */

static void
bind (sqlite3_stmt *statement, const char *path, const HearthModelFacts *facts, guint n_ctx,
      guint n_threads)
{
  sqlite3_bind_text (statement, 1, path, -1, SQLITE_TRANSIENT);
  sqlite3_bind_int64 (statement, 2, (sqlite3_int64) facts->device);
  sqlite3_bind_int64 (statement, 3, (sqlite3_int64) facts->inode);
  sqlite3_bind_int64 (statement, 4, (sqlite3_int64) facts->size);
  sqlite3_bind_int64 (statement, 5, facts->changed);
  sqlite3_bind_int64 (statement, 6, facts->n_missing);
  sqlite3_bind_int64 (statement, 7, n_ctx);
  sqlite3_bind_int64 (statement, 8, n_threads);
}

HearthModelHeader *
hearth_header_cache_get (HearthHeaderCache *self, const char *path, const HearthModelFacts *facts,
                         guint n_ctx, guint n_threads, guint64 budget)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  g_autoptr (GBytes) bytes = NULL;
  g_autoptr (HearthModelHeader) header = NULL;
  int status;

  if (!ensure (self))
    return NULL;
  bind (self->get, path, facts, n_ctx, n_threads);
  status = sqlite3_step (self->get);
  if (status == SQLITE_ROW)
    bytes =
      g_bytes_new (sqlite3_column_blob (self->get, 0), (gsize) sqlite3_column_bytes (self->get, 0));
  sqlite3_reset (self->get);
  if (bytes == NULL)
    {
      drop (self, status);
      return NULL;
    }
  header = _hearth_header_from_bytes (bytes);
  if (header == NULL || !move_budget (header, n_ctx, budget))
    return NULL;
  return g_steal_pointer (&header);
}

void
hearth_header_cache_put (HearthHeaderCache *self, const char *path, const HearthModelFacts *facts,
                         guint n_ctx, guint n_threads, const HearthModelHeader *header)
{
  g_autoptr (GBytes) bytes = _hearth_header_to_bytes (header);
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  gsize size;
  const void *data = g_bytes_get_data (bytes, &size);
  int status;

  if (!ensure (self))
    return;
  bind (self->put, path, facts, n_ctx, n_threads);
  sqlite3_bind_blob64 (self->put, 9, data, size, SQLITE_STATIC);
  status = sqlite3_step (self->put);
  sqlite3_reset (self->put);
  sqlite3_clear_bindings (self->put);
  if (status != SQLITE_DONE)
    drop (self, status);
}

void
hearth_header_cache_begin (HearthHeaderCache *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  /* Threads that write at the same time share one change. */
  if (ensure (self) && self->depth++ == 0)
    run (self, "BEGIN");
}

void
hearth_header_cache_commit (HearthHeaderCache *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  if (self->db != NULL && self->depth > 0 && --self->depth == 0)
    run (self, "COMMIT");
}
