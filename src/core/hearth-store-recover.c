/* SPDX-License-Identifier: GPL-3.0-or-later */
/* hearth-store-recover.c - reads around the damage of a database, row by row.
 *
 * A table is a tree of pages ordered by `row`. A page that cannot be read hides the rows below it
 * and nothing else, so reading goes on behind it: first upwards, then downwards, leaping further
 * and further over a hole; what one way leaps too far over, the other way finds. When the first
 * page is lost, which says where the tables begin, the one of a new database takes its place:
 * tables that were made in the same order begin at the same pages. */
#include <glib/gstdio.h>
#include <string.h>

#include "hearth-store-db.h"
#include "hearth-store-rows.h"

/* Rows behind which nothing is looked for when the last one is not known. */
#define MAX_LEAP (G_GINT64_CONSTANT (1) << 20)

#define HEADER_SIZE 100
#define HEADER_COUNTER 24 /* how often it was written */
#define HEADER_N_PAGES 28
#define HEADER_VALID_FOR 92 /* the counter that belongs to the number of pages */

static const char reading[] = "cannot read a damaged file";

struct way
{
  const char *select;
  gint64 first;
  int step; /* 1: upwards, -1: downwards */
};

/* The columns of a table that both databases know, `row` first. NULL: no such table. */
static char *
common_columns (sqlite3 *to, sqlite3 *from, const char *table)
{
  g_autofree char *sql = g_strdup_printf ("SELECT name FROM pragma_table_info ('%s')", table);
  sqlite3_stmt *known = hearth_store_prepare (to, reading, NULL, sql, "");
  g_autoptr (GString) columns = g_string_new (NULL);

  while (known != NULL && sqlite3_step (known) == SQLITE_ROW)
    {
      const char *name = (const char *) sqlite3_column_text (known, 0);
      sqlite3_stmt *there = hearth_store_prepare (
        from, reading, NULL, "SELECT 1 FROM pragma_table_info (?) WHERE name = ?", "ss", table,
        name);

      if (there != NULL && sqlite3_step (there) == SQLITE_ROW)
        g_string_append_printf (columns, "%s%s", columns->len > 0 ? ", " : "", name);
      sqlite3_finalize (there);
    }
  sqlite3_finalize (known);
  return g_str_has_prefix (columns->str, "row") ? g_strdup (columns->str) : NULL;
}

/* Copies rows until the end or the damage; *at is the last one that could be read. */
static int
copy_run (sqlite3 *from, sqlite3_stmt *insert, const struct way *way, gint64 *at)
{
  sqlite3_stmt *select = hearth_store_prepare (from, reading, NULL, way->select, "i", *at);
  int status;

  if (select == NULL)
    return SQLITE_ERROR;
  while ((status = sqlite3_step (select)) == SQLITE_ROW)
    {
      int n = sqlite3_column_count (select);

      *at = sqlite3_column_int64 (select, 0);
      for (int i = 0; i < n; i++)
        sqlite3_bind_value (insert, i + 1, sqlite3_column_value (select, i));
      sqlite3_step (insert); /* what the table refuses is no row of ours */
      sqlite3_reset (insert);
    }
  sqlite3_finalize (select);
  return status;
}

static void
copy_way (sqlite3 *from, sqlite3_stmt *insert, const struct way *way, gint64 last)
{
  gint64 at = way->first;
  gint64 leap = 1;

  while (leap <= MAX_LEAP)
    {
      gint64 before = at;

      if (copy_run (from, insert, way, &at) == SQLITE_DONE)
        return;
      leap = at == before ? leap * 2 : 1;
      at += way->step * leap;
      if (at < 0 || (way->step > 0 && at > last))
        return;
    }
}

/* The one value of a query; 0 when it cannot be read. */
static gint64
number (sqlite3 *db, const char *sql)
{
  sqlite3_stmt *statement = hearth_store_prepare (db, reading, NULL, sql, "");
  gint64 value = 0;

  if (statement != NULL && sqlite3_step (statement) == SQLITE_ROW)
    value = sqlite3_column_int64 (statement, 0);
  sqlite3_finalize (statement);
  return value;
}

static void
copy_table (sqlite3 *to, sqlite3 *from, const char *table)
{
  g_autofree char *columns = common_columns (to, from, table);
  g_autofree char *up = NULL;
  g_autofree char *down = NULL;
  g_autofree char *max = g_strdup_printf ("SELECT max (row) FROM %s", table);
  g_autoptr (GString) insert_sql = g_string_new (NULL);
  sqlite3_stmt *insert;
  sqlite3_stmt *find_last;
  gint64 last = G_MAXINT64 - 1;

  if (columns == NULL)
    return;
  up = g_strdup_printf ("SELECT %s FROM %s WHERE row > ? ORDER BY row", columns, table);
  down = g_strdup_printf ("SELECT %s FROM %s WHERE row < ? ORDER BY row DESC", columns, table);
  g_string_printf (insert_sql, "INSERT OR IGNORE INTO %s (%s) VALUES (?", table, columns);
  for (const char *at = strchr (columns, ','); at != NULL; at = strchr (at + 1, ','))
    g_string_append (insert_sql, ", ?");
  g_string_append_c (insert_sql, ')');
  insert = hearth_store_prepare (to, reading, NULL, insert_sql->str, "");
  if (insert == NULL)
    return;
  find_last = hearth_store_prepare (from, reading, NULL, max, "");
  if (find_last != NULL && sqlite3_step (find_last) == SQLITE_ROW)
    last = sqlite3_column_int64 (find_last, 0);
  sqlite3_finalize (find_last);

  copy_way (from, insert, &(struct way) { .select = up, .step = 1 }, last);
  if (last == G_MAXINT64 - 1)
    last = number (to, max);
  copy_way (from, insert, &(struct way) { .select = down, .first = last + 1, .step = -1 }, last);
  sqlite3_finalize (insert);
}

/* ---- a lost first page ------------------------------------------------------------------ */

static guint32
get_page_size (const guint8 *header)
{
  guint32 size = (guint32) header[16] << 8 | header[17];

  return size == 1 ? 65536 : size;
}

static void
put_u32 (guint8 *at, guint32 value)
{
  value = GUINT32_TO_BE (value);
  memcpy (at, &value, sizeof value);
}

/* A copy of the file with the first page of a new database, beside it; NULL when that is no help.
 * Returns: (transfer full) (nullable) */
static char *
graft_first_page (const char *path)
{
  g_autofree char *fresh_path = g_strconcat (path, ".fresh.part", NULL);
  g_autofree char *copy_path = g_strconcat (path, ".mended.part", NULL);
  g_autofree char *fresh = NULL;
  g_autofree char *whole = NULL;
  sqlite3 *db = NULL;
  gsize n_fresh = 0, n_whole = 0;
  guint32 page_size = 0;
  gboolean made;

  g_unlink (fresh_path);
  made = sqlite3_open (fresh_path, &db) == SQLITE_OK &&
         hearth_store_migrate (db, hearth_store_steps, HEARTH_STORE_SCHEMA, NULL);
  sqlite3_close (db);
  made = made && g_file_get_contents (fresh_path, &fresh, &n_fresh, NULL) &&
         g_file_get_contents (path, &whole, &n_whole, NULL) && n_fresh > HEADER_SIZE;
  if (made)
    page_size = get_page_size ((const guint8 *) fresh);
  made = made && page_size >= 512 && page_size <= n_fresh && page_size <= n_whole;
  if (made)
    {
      memcpy (whole, fresh, page_size);
      put_u32 ((guint8 *) whole + HEADER_COUNTER, 1);
      put_u32 ((guint8 *) whole + HEADER_VALID_FOR, 1);
      put_u32 ((guint8 *) whole + HEADER_N_PAGES, (guint32) (n_whole / page_size));
      made = g_file_set_contents_full (copy_path, whole, (gssize) n_whole, G_FILE_SET_CONTENTS_NONE,
                                       0600, NULL);
    }
  g_unlink (fresh_path);
  return made ? g_steal_pointer (&copy_path) : NULL;
}

/* ---- all of it -------------------------------------------------------------------------- */

static sqlite3 *
open_damaged (const char *path)
{
  sqlite3 *db = NULL;

  if (sqlite3_open_v2 (path, &db, SQLITE_OPEN_READONLY, NULL) == SQLITE_OK)
    {
      sqlite3_db_config (db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
      sqlite3_db_config (db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
      sqlite3_db_config (db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
      return db;
    }
  sqlite3_close (db);
  return NULL;
}

static void
copy_tables (sqlite3 *to, const char *path)
{
  sqlite3 *from = open_damaged (path);

  if (from == NULL)
    return;
  copy_table (to, from, "chats");
  copy_table (to, from, "messages");
  copy_table (to, from, "journal");
  sqlite3_close (from);
}

guint
hearth_store_salvage (sqlite3 *db, const char *path)
{
  static const char adopt[] =
    "INSERT INTO chats (id, question, created, updated)"
    " SELECT chat, (SELECT replace (substr (text, 1, 80), char (10), ' ') FROM messages AS first"
    "  WHERE first.chat = messages.chat ORDER BY id LIMIT 1), min (created), max (created)"
    " FROM messages WHERE chat NOT IN (SELECT id FROM chats) GROUP BY chat;"
    "DELETE FROM journal WHERE message NOT IN (SELECT row FROM messages);";

  sqlite3_exec (db, "PRAGMA foreign_keys = OFF; BEGIN", NULL, NULL, NULL);
  copy_tables (db, path);
  if (number (db, "SELECT count (*) FROM chats") == 0 &&
      number (db, "SELECT count (*) FROM messages") == 0)
    {
      g_autofree char *mended = graft_first_page (path);

      if (mended != NULL)
        {
          copy_tables (db, mended);
          g_unlink (mended);
        }
    }
  sqlite3_exec (db, adopt, NULL, NULL, NULL);
  hearth_store_end_answers (db, NULL);
  if (sqlite3_exec (db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
    sqlite3_exec (db, "ROLLBACK", NULL, NULL, NULL);
  sqlite3_exec (db, "PRAGMA foreign_keys = ON", NULL, NULL, NULL);
  return (guint) number (db, "SELECT count (*) FROM chats");
}
