/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-store-schema.c - databases of every earlier form become today's, with all that is in them. A
 * form that was in a release lies in schemas/N.sql, with rows, as it was. */
#include "hearth-store-schema.h"
#include "store-test.h"

static sqlite3 *
open_db (const char *path)
{
  sqlite3 *db = NULL;

  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  return db;
}

static void
run (sqlite3 *db, const char *sql)
{
  g_autoptr (GError) error = NULL;

  hearth_store_run (db, sql, "test", &error);
  g_assert_no_error (error);
}

/* All of the first column, a line each. */
static char *
query (sqlite3 *db, const char *sql)
{
  g_autoptr (GString) lines = g_string_new (NULL);
  sqlite3_stmt *statement = NULL;

  g_assert_cmpint (sqlite3_prepare_v2 (db, sql, -1, &statement, NULL), ==, SQLITE_OK);
  while (sqlite3_step (statement) == SQLITE_ROW)
    g_string_append_printf (lines, "%s\n", (const char *) sqlite3_column_text (statement, 0));
  sqlite3_finalize (statement);
  return g_string_free (g_steal_pointer (&lines), FALSE);
}

static const char whole_schema[] =
  "SELECT type || ' ' || name || ' ' || coalesce (sql, '') FROM sqlite_schema ORDER BY type, name";

/* The schema of a database that this version has just made. */
static char *
fresh_schema (void)
{
  sqlite3 *db = open_db (":memory:");
  g_autoptr (GError) error = NULL;
  char *schema;

  hearth_store_migrate (db, hearth_store_steps, HEARTH_STORE_SCHEMA, &error);
  g_assert_no_error (error);
  schema = query (db, whole_schema);
  sqlite3_close (db);
  return schema;
}

static void
test_form (gconstpointer data)
{
  int form = GPOINTER_TO_INT (data);
  char *folder = store_test_folder ();
  g_autofree char *path = g_build_filename (folder, "chats.db", NULL);
  g_autofree char *name = g_strdup_printf ("%d.sql", form);
  g_autofree char *sql_path =
    g_build_filename (g_getenv ("HEARTH_SOURCE"), "tests", "core", "schemas", name, NULL);
  g_autofree char *backup_name = g_strdup_printf ("chats.form-%d.db", form);
  g_autofree char *backup = g_build_filename (folder, backup_name, NULL);
  g_autofree char *sql = NULL;
  g_autofree char *got = NULL;
  g_autofree char *wanted = fresh_schema ();
  g_autoptr (GError) error = NULL;
  HearthConversationStore *store;
  sqlite3 *db;

  g_file_get_contents (sql_path, &sql, NULL, &error);
  g_assert_no_error (error);
  db = open_db (path);
  run (db, sql);
  g_assert_cmpint (hearth_store_get_version (db, NULL), ==, form);
  sqlite3_close (db);

  store = hearth_conversation_store_new (folder);
  {
    g_autoptr (GPtrArray) list = store_test_list (store);
    HearthConversationRecord *record = list->pdata[0];
    g_autoptr (GPtrArray) messages = store_test_read (store, record->id);
    HearthMessageRecord *question = messages->pdata[0];
    HearthMessageRecord *answer = messages->pdata[1];

    g_assert_cmpuint (list->len, ==, 1);
    g_assert_cmpstr (record->title, ==, "Old times");
    g_assert_true (record->pinned);
    g_assert_cmpstr (record->draft, ==, "and then");
    g_assert_cmpuint (messages->len, ==, 2);
    g_assert_cmpstr (question->text, ==, "Who’s there?");
    g_assert_cmpstr (answer->text, ==, "It was a dark night.");
    g_assert_cmpint (answer->state, ==, HEARTH_MESSAGE_STOPPED);
    g_assert_cmpuint (answer->parent, ==, question->id);
  }
  g_assert_cmpint (hearth_conversation_store_get_condition (store), ==, HEARTH_STORE_FINE);
  g_assert_true (store_test_close (store));

  db = open_db (path);
  got = query (db, whole_schema);
  g_assert_cmpstr (got, ==, wanted);
  g_clear_pointer (&got, g_free);
  got = query (db, "SELECT rowid FROM search WHERE search MATCH 'dark'");
  g_assert_cmpstr (got, !=, "");
  sqlite3_close (db);
  /* An older one was copied before. */
  g_assert_cmpint (g_file_test (backup, G_FILE_TEST_EXISTS), ==, form < HEARTH_STORE_SCHEMA);
  store_test_remove_folder (folder);
}

static void
test_empty_file (void)
{
  char *folder = store_test_folder ();
  g_autofree char *path = g_build_filename (folder, "chats.db", NULL);
  HearthConversationStore *store;

  g_assert_true (g_file_set_contents (path, "", 0, NULL));
  store = hearth_conversation_store_new (folder);
  store_test_put (store, 1, "a");
  g_assert_true (store_test_close (store));
  store = hearth_conversation_store_new (folder);
  {
    g_autoptr (GPtrArray) list = store_test_list (store);

    g_assert_cmpuint (list->len, ==, 1);
  }
  g_assert_cmpint (hearth_conversation_store_get_condition (store), ==, HEARTH_STORE_FINE);
  store_test_close (store);
  store_test_remove_folder (folder);
}

/* The machine itself, with steps that are longer than ours: from each form to each later one. */
static void
test_steps (void)
{
  static const char *const steps[] = {
    "CREATE TABLE a (x); INSERT INTO a VALUES ('one')",
    "ALTER TABLE a ADD COLUMN y DEFAULT 'two'",
    "CREATE TABLE b (z); INSERT INTO b SELECT x || y FROM a; DROP TABLE a",
  };

  for (int from = 0; from <= 3; from++)
    {
      sqlite3 *db = open_db (":memory:");
      g_autoptr (GError) error = NULL;
      g_autofree char *rows = NULL;

      g_assert_true (hearth_store_migrate (db, steps, from, &error));
      g_assert_cmpint (hearth_store_get_version (db, &error), ==, from);
      g_assert_true (hearth_store_migrate (db, steps, 3, &error));
      g_assert_true (hearth_store_migrate (db, steps, 3, &error));
      g_assert_no_error (error);
      g_assert_cmpint (hearth_store_get_version (db, &error), ==, 3);
      rows = query (db, "SELECT z FROM b");
      g_assert_cmpstr (rows, ==, "onetwo\n");
      if (from == 3)
        {
          g_assert_false (hearth_store_migrate (db, steps, 2, &error));
          g_assert_error (error, HEARTH_STORE_ERROR, HEARTH_STORE_NEWER);
          g_assert_nonnull (strstr (error->message, "form 3"));
        }
      sqlite3_close (db);
    }
}

/* A step that fails half-way leaves the form before it, whole. */
static void
test_failing_step (void)
{
  static const char *const steps[] = {
    "CREATE TABLE a (x); INSERT INTO a VALUES ('one')",
    "UPDATE a SET x = 'changed'; INSERT INTO missing VALUES (1)",
  };
  sqlite3 *db = open_db (":memory:");
  g_autoptr (GError) error = NULL;
  g_autofree char *rows = NULL;

  g_assert_false (hearth_store_migrate (db, steps, 2, &error));
  g_assert_error (error, HEARTH_STORE_ERROR, HEARTH_STORE_FAILED);
  g_assert_nonnull (strstr (error->message, "missing"));
  g_assert_cmpint (hearth_store_get_version (db, NULL), ==, 1);
  g_assert_true (sqlite3_get_autocommit (db));
  rows = query (db, "SELECT x FROM a");
  g_assert_cmpstr (rows, ==, "one\n");
  sqlite3_close (db);
}

static void
test_backup (void)
{
  char *folder = store_test_folder ();
  g_autofree char *path = g_build_filename (folder, "copy.db", NULL);
  g_autofree char *nowhere = g_build_filename (folder, "no", "copy.db", NULL);
  g_autofree char *rows = NULL;
  g_autoptr (GError) error = NULL;
  sqlite3 *db = open_db (":memory:");

  run (db, "CREATE TABLE a (x); INSERT INTO a VALUES ('one'); PRAGMA user_version = 4");
  g_assert_true (hearth_store_backup (db, path, &error));
  g_assert_no_error (error);
  g_assert_false (hearth_store_backup (db, nowhere, &error));
  g_assert_nonnull (error);
  sqlite3_close (db);
  db = open_db (path);
  g_assert_cmpint (hearth_store_get_version (db, NULL), ==, 4);
  rows = query (db, "SELECT x FROM a");
  g_assert_cmpstr (rows, ==, "one\n");
  sqlite3_close (db);
  store_test_remove_folder (folder);
}

/* What a newer version wrote is refused in a sentence, kept as it is, and not written over. */
static void
test_newer (void)
{
  char *folder = store_test_folder ();
  g_autofree char *path = g_build_filename (folder, "chats.db", NULL);
  g_autofree char *before = NULL;
  g_autofree char *after = NULL;
  gsize n_before, n_after;
  HearthConversationStore *store;
  sqlite3 *db = open_db (path);
  const char *aside;

  run (db, "CREATE TABLE chats (whatever); INSERT INTO chats VALUES ('precious');"
           "PRAGMA user_version = 12");
  sqlite3_close (db);
  g_assert_true (g_file_get_contents (path, &before, &n_before, NULL));

  store = hearth_conversation_store_new (folder);
  core_test_wait (hearth_conversation_store_get_condition (store) == HEARTH_STORE_NEWER);
  g_assert_nonnull (strstr (hearth_conversation_store_get_detail (store), "form 12"));
  aside = hearth_conversation_store_get_set_aside (store);
  g_assert_true (g_file_get_contents (aside, &after, &n_after, NULL));
  g_assert_cmpmem (before, n_before, after, n_after);
  store_test_put (store, 1, "in a new one");
  g_assert_true (store_test_close (store));

  store = hearth_conversation_store_new (folder);
  {
    g_autoptr (GPtrArray) list = store_test_list (store);

    g_assert_cmpuint (list->len, ==, 1);
  }
  g_assert_cmpint (hearth_conversation_store_get_condition (store), ==, HEARTH_STORE_FINE);
  store_test_close (store);
  store_test_remove_folder (folder);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  for (int form = 1; form <= HEARTH_STORE_SCHEMA; form++)
    {
      g_autofree char *path = g_strdup_printf ("/store-schema/form-%d", form);

      g_test_add_data_func (path, GINT_TO_POINTER (form), test_form);
    }
  g_test_add_func ("/store-schema/empty-file", test_empty_file);
  g_test_add_func ("/store-schema/steps", test_steps);
  g_test_add_func ("/store-schema/failing-step", test_failing_step);
  g_test_add_func ("/store-schema/backup", test_backup);
  g_test_add_func ("/store-schema/newer", test_newer);
  return g_test_run ();
}
