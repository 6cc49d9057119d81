/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-store.c - chats come back as they were put, whatever the folder is like. */
#include "store-test.h"

#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hearth-error.h"

static HearthConversationRecord *
find (GPtrArray *list, gint64 id)
{
  for (guint i = 0; i < list->len; i++)
    {
      HearthConversationRecord *record = list->pdata[i];

      if (record->id == id)
        return record;
    }
  return NULL;
}

static void
test_round_trip (void)
{
  g_autoptr (GError) failure =
    g_error_new_literal (HEARTH_ERROR, HEARTH_ERROR_NO_MEMORY, "4 GB were refused");
  const HearthFigures figures = { .ending = HEARTH_ENDING_CONTEXT,
                                  .n_prompt = G_MAXUINT64,
                                  .n_generated = 12,
                                  .first_token_s = 0.1 };
  const HearthConversationRecord full = {
    .id = G_MAXINT64,
    .title = (char *) "Meeres“stille” 🌊",
    .question = (char *) "why?",
    .pinned = TRUE,
    .created = 1700000000000000,
    .updated = -5,
    .model_path = (char *) "/a/b c.gguf",
    .model_title = (char *) "B C",
    .draft = (char *) "half a thou",
    .settings = (char *) "{'temperature': <0.5>}",
    .place_message = 7,
    .place_offset = 12.5,
  };
  const HearthConversationRecord bare = { .id = -3 };
  const HearthMessageRecord answer = {
    .id = 2,
    .parent = 1,
    .role = HEARTH_MESSAGE_ANSWER,
    .state = HEARTH_MESSAGE_FAILED,
    .chosen = TRUE,
    .created = 99,
    .text = "'; DROP TABLE chats; --",
    .thinking = "hm",
    .thinking_ms = 1500,
    .model_title = "B C",
    .figures = &figures,
    .error = failure,
  };
  char *folder = store_test_folder ();
  HearthConversationStore *store = hearth_conversation_store_new (folder);

  hearth_conversation_store_put (store, &full);
  hearth_conversation_store_put (store, &bare);
  store_test_put_message (store, full.id, 1, 0, HEARTH_MESSAGE_DONE, "why?");
  hearth_conversation_store_put_message (store, full.id, &answer);
  hearth_conversation_store_put_note (store, "open", "12");
  g_assert_true (store_test_close (store));

  store = hearth_conversation_store_new (folder);
  {
    g_autoptr (GPtrArray) list = store_test_list (store);
    g_autoptr (GPtrArray) messages = store_test_read (store, full.id);
    g_autoptr (GPtrArray) none = store_test_read (store, bare.id);
    g_autoptr (GAsyncResult) result = NULL;
    g_autofree char *note = NULL;
    HearthConversationRecord *got = find (list, full.id);
    HearthMessageRecord *message;

    g_assert_cmpuint (list->len, ==, 2);
    g_assert_cmpstr (got->title, ==, full.title);
    g_assert_cmpstr (got->question, ==, full.question);
    g_assert_true (got->pinned);
    g_assert_cmpint (got->created, ==, full.created);
    g_assert_cmpint (got->updated, ==, full.updated);
    g_assert_cmpstr (got->model_path, ==, full.model_path);
    g_assert_cmpstr (got->model_title, ==, full.model_title);
    g_assert_cmpstr (got->draft, ==, full.draft);
    g_assert_cmpstr (got->settings, ==, full.settings);
    g_assert_cmpuint (got->place_message, ==, 7);
    g_assert_cmpfloat (got->place_offset, ==, 12.5);
    got = find (list, bare.id);
    g_assert_null (got->title);
    g_assert_null (got->model_path);
    g_assert_cmpstr (got->draft, ==, "");

    g_assert_cmpuint (none->len, ==, 0);
    g_assert_cmpuint (messages->len, ==, 2);
    message = messages->pdata[1];
    g_assert_cmpuint (message->parent, ==, 1);
    g_assert_cmpint (message->role, ==, HEARTH_MESSAGE_ANSWER);
    g_assert_cmpint (message->state, ==, HEARTH_MESSAGE_FAILED);
    g_assert_cmpstr (message->text, ==, answer.text);
    g_assert_cmpstr (message->thinking, ==, "hm");
    g_assert_cmpuint (message->thinking_ms, ==, 1500);
    g_assert_cmpuint (message->figures->n_prompt, ==, G_MAXUINT64);
    g_assert_cmpint (message->figures->ending, ==, HEARTH_ENDING_CONTEXT);
    g_assert_error (message->error, HEARTH_ERROR, HEARTH_ERROR_NO_MEMORY);
    g_assert_cmpstr (message->error->message, ==, failure->message);

    hearth_conversation_store_read_note_async (store, "open", core_test_result_cb, &result);
    core_test_wait (result != NULL);
    note = hearth_conversation_store_read_note_finish (store, result, NULL);
    g_assert_cmpstr (note, ==, "12");
  }
  g_assert_true (store_test_close (store));
  store_test_remove_folder (folder);
}

/* A growing answer, its versions, copies and removal. */
static void
test_changes (void)
{
  char *folder = store_test_folder ();
  HearthConversationStore *store = hearth_conversation_store_new (folder);

  store_test_put (store, 1, "a");
  store_test_put_message (store, 1, 1, 0, HEARTH_MESSAGE_DONE, "question");
  store_test_put_message (store, 1, 2, 1, HEARTH_MESSAGE_WAITING, "");
  hearth_conversation_store_append (store, 1, 2, TRUE, "let me ");
  hearth_conversation_store_append (store, 1, 2, FALSE, "one ");
  hearth_conversation_store_append (store, 1, 2, FALSE, "two ");
  hearth_conversation_store_append (store, 1, 2, TRUE, "see");
  store_test_put_message (store, 1, 3, 1, HEARTH_MESSAGE_DONE, "another answer");
  hearth_conversation_store_duplicate (store, 1, 2, "a copy", 1000);
  {
    g_autoptr (GPtrArray) messages = store_test_read (store, 1);
    HearthMessageRecord *second = messages->pdata[1];
    HearthMessageRecord *third = messages->pdata[2];

    g_assert_cmpstr (second->text, ==, "one two ");
    g_assert_cmpstr (second->thinking, ==, "let me see");
    g_assert_cmpint (second->state, ==, HEARTH_MESSAGE_WAITING);
    g_assert_false (second->chosen);
    g_assert_true (third->chosen);
  }
  hearth_conversation_store_choose (store, 1, 2);
  hearth_conversation_store_put_edit (store, 1, 1, "another question");
  hearth_conversation_store_put_edit (store, 1, 3, "gone again");
  hearth_conversation_store_put_edit (store, 1, 3, NULL);
  store_test_put_message (store, 1, 1, 0, HEARTH_MESSAGE_DONE, "question");
  store_test_put_message (store, 1, 2, 1, HEARTH_MESSAGE_DONE, "one two three");
  {
    g_autoptr (GPtrArray) messages = store_test_read (store, 1);
    g_autoptr (GPtrArray) copies = store_test_read (store, 2);
    HearthMessageRecord *message = messages->pdata[1];

    g_assert_cmpstr (message->text, ==, "one two three");
    g_assert_true (message->chosen);
    message = messages->pdata[2];
    g_assert_false (message->chosen);
    g_assert_null (message->edit);
    message = messages->pdata[0];
    g_assert_cmpstr (message->edit, ==, "another question");
    g_assert_cmpuint (copies->len, ==, 3);
    message = copies->pdata[1];
    g_assert_cmpstr (message->text, ==, "one two ");
    g_assert_cmpint (message->state, ==, HEARTH_MESSAGE_STOPPED);
  }
  hearth_conversation_store_remove (store, 1);
  /* What comes late, about a chat that is gone, changes nothing and stops nothing. */
  hearth_conversation_store_append (store, 1, 2, FALSE, "late");
  store_test_put_message (store, 1, 4, 3, HEARTH_MESSAGE_DONE, "late");
  store_test_put (store, 3, "c");
  {
    g_autoptr (GPtrArray) messages = store_test_read (store, 1);
    g_autoptr (GPtrArray) list = store_test_list (store);

    g_assert_cmpuint (messages->len, ==, 0);
    g_assert_cmpuint (list->len, ==, 2);
    g_assert_cmpstr (find (list, 2)->title, ==, "a copy");
  }
  g_assert_cmpint (hearth_conversation_store_get_condition (store), ==, HEARTH_STORE_FINE);
  g_assert_true (store_test_close (store));
  store_test_remove_folder (folder);
}

static int
count_rows (const char *folder, const char *sql)
{
  g_autofree char *path = g_build_filename (folder, "chats.db", NULL);
  sqlite3 *db = NULL;
  sqlite3_stmt *statement = NULL;
  int n;

  g_assert_cmpint (sqlite3_open (path, &db), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_prepare_v2 (db, sql, -1, &statement, NULL), ==, SQLITE_OK);
  g_assert_cmpint (sqlite3_step (statement), ==, SQLITE_ROW);
  n = sqlite3_column_int (statement, 0);
  sqlite3_finalize (statement);
  sqlite3_close (db);
  return n;
}

/* The full text index says what the messages say, after everything that may happen to them. */
static void
test_search (void)
{
  static const char apples[] = "SELECT count (*) FROM search WHERE search MATCH 'äpfel'";
  static const char pears[] = "SELECT count (*) FROM search WHERE search MATCH 'pears'";
  char *folder = store_test_folder ();
  HearthConversationStore *store = hearth_conversation_store_new (folder);

  store_test_put (store, 1, "a");
  store_test_put_message (store, 1, 1, 0, HEARTH_MESSAGE_DONE, "Fruit, or pears?");
  store_test_put_message (store, 1, 2, 1, HEARTH_MESSAGE_WAITING, "");
  hearth_conversation_store_append (store, 1, 2, FALSE, "Many Äpfel.");
  hearth_conversation_store_duplicate (store, 1, 2, NULL, 5);
  g_assert_true (store_test_close (store));
  g_assert_cmpint (count_rows (folder, pears), ==, 2);
  /* The answer of the first is still in its journal; the copy's is not. */
  g_assert_cmpint (count_rows (folder, apples), ==, 1);

  store = hearth_conversation_store_new (folder);
  hearth_conversation_store_remove (store, 2);
  g_assert_true (store_test_close (store));
  g_assert_cmpint (count_rows (folder, pears), ==, 1);
  g_assert_cmpint (count_rows (folder, apples), ==, 1);

  store = hearth_conversation_store_new (folder);
  store_test_put_message (store, 1, 2, 1, HEARTH_MESSAGE_DONE, "Nothing of the kind.");
  g_assert_true (store_test_close (store));
  g_assert_cmpint (count_rows (folder, apples), ==, 0);
  g_assert_cmpint (count_rows (folder, "SELECT count (*) FROM search WHERE search MATCH 'nothing'"),
                   ==, 1);
  g_assert_cmpint (count_rows (folder, "SELECT count (*) FROM journal"), ==, 0);
  store_test_remove_folder (folder);
}

/* Only the owner may read what was said. */
static void
test_private (void)
{
  char *folder = store_test_folder ();
  g_autofree char *inner = g_build_filename (folder, "inner", NULL);
  g_autofree char *path = g_build_filename (inner, "chats.db", NULL);
  HearthConversationStore *store = hearth_conversation_store_new (inner);
  GStatBuf about;

  store_test_put (store, 1, "a");
  g_assert_true (store_test_close (store));
  g_assert_cmpint (g_stat (inner, &about), ==, 0);
  g_assert_cmpint (about.st_mode & 0777, ==, 0700);
  g_assert_cmpint (g_stat (path, &about), ==, 0);
  g_assert_cmpint (about.st_mode & 0777, ==, 0600);
  store_test_remove_folder (g_steal_pointer (&inner));
  store_test_remove_folder (folder);
}

/* A folder where nothing can be written: the chats that are there are shown, and it is said. (As
 * root permissions stop nobody, so something that is no folder stands in the way.) */
static void
test_no_folder (void)
{
  char *folder = store_test_folder ();
  g_autofree char *file = g_build_filename (folder, "file", NULL);
  g_autofree char *below = g_build_filename (file, "hearth", NULL);
  HearthConversationStore *store;

  g_assert_true (g_file_set_contents (file, "", 0, NULL));
  store = hearth_conversation_store_new (below);
  core_test_wait (hearth_conversation_store_get_condition (store) == HEARTH_STORE_READ_ONLY);
  g_assert_nonnull (strstr (hearth_conversation_store_get_detail (store), below));
  store_test_put (store, 1, "goes on in memory");
  {
    g_autoptr (GPtrArray) list = store_test_list (store);

    g_assert_cmpuint (list->len, ==, 1);
  }
  store_test_close (store);
  store_test_remove_folder (folder);
}

static void
test_read_only (void)
{
  char *folder = store_test_folder ();
  g_autofree char *lock = g_build_filename (folder, "chats.lock", NULL);
  HearthConversationStore *store = hearth_conversation_store_new (folder);

  store_test_put (store, 1, "kept before");
  g_assert_true (store_test_close (store));
  /* Also root cannot open a folder to write. */
  g_unlink (lock);
  g_assert_cmpint (g_mkdir (lock, 0500), ==, 0);

  store = hearth_conversation_store_new (folder);
  core_test_wait (hearth_conversation_store_get_condition (store) == HEARTH_STORE_READ_ONLY);
  store_test_put (store, 2, "not kept");
  {
    g_autoptr (GPtrArray) list = store_test_list (store);

    g_assert_cmpuint (list->len, ==, 2);
    g_assert_cmpstr (find (list, 1)->question, ==, "kept before");
  }
  g_assert_true (store_test_close (store));
  g_rmdir (lock);

  store = hearth_conversation_store_new (folder);
  {
    g_autoptr (GPtrArray) list = store_test_list (store);

    g_assert_cmpuint (list->len, ==, 1);
  }
  store_test_close (store);
  store_test_remove_folder (folder);
}

/* No space: what is said is kept in memory, and written when there is space again. */
static void
test_full (void)
{
  char *folder = store_test_folder ();
  g_autofree char *text = g_strnfill (200000, 'x');
  HearthConversationStore *store = hearth_conversation_store_new (folder);
  struct rlimit before, less;
  guint64 n;

  store_test_put (store, 1, "before");
  store_test_wait_written (store);
  n = hearth_conversation_store_get_n_put (store);
  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &before), ==, 0);
  less = before;
  less.rlim_cur = 150000;
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &less), ==, 0);
  store_test_put_message (store, 1, 1, 0, HEARTH_MESSAGE_DONE, text);
  core_test_wait (hearth_conversation_store_get_condition (store) != HEARTH_STORE_FINE);
  g_test_message ("%s", hearth_conversation_store_get_detail (store));
  g_assert_cmpint (hearth_conversation_store_get_condition (store), ==, HEARTH_STORE_FULL);
  g_assert_nonnull (hearth_conversation_store_get_detail (store));
  store_test_put_message (store, 1, 2, 1, HEARTH_MESSAGE_WAITING, "");
  hearth_conversation_store_append (store, 1, 2, FALSE, "and on");
  g_assert_cmpuint (hearth_conversation_store_get_n_written (store), ==, n);

  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &before), ==, 0);
  hearth_conversation_store_retry (store);
  core_test_wait (hearth_conversation_store_get_condition (store) == HEARTH_STORE_FINE);
  g_assert_cmpuint (hearth_conversation_store_get_n_written (store), ==,
                    hearth_conversation_store_get_n_put (store));
  g_assert_true (store_test_close (store));

  store = hearth_conversation_store_new (folder);
  {
    g_autoptr (GPtrArray) messages = store_test_read (store, 1);
    HearthMessageRecord *message = messages->pdata[1];

    g_assert_cmpuint (messages->len, ==, 2);
    g_assert_cmpstr (((HearthMessageRecord *) messages->pdata[0])->text, ==, text);
    g_assert_cmpstr (message->text, ==, "and on");
    g_assert_cmpint (message->state, ==, HEARTH_MESSAGE_STOPPED);
  }
  g_assert_true (store_test_close (store));
  store_test_remove_folder (folder);
}

/* No space from the start. */
static void
test_full_at_start (void)
{
  char *folder = store_test_folder ();
  struct rlimit before, less;
  HearthConversationStore *store;

  g_assert_cmpint (getrlimit (RLIMIT_FSIZE, &before), ==, 0);
  less = before;
  less.rlim_cur = 2000;
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &less), ==, 0);
  store = hearth_conversation_store_new (folder);
  core_test_wait (hearth_conversation_store_get_condition (store) == HEARTH_STORE_FULL);
  store_test_put (store, 1, "in memory");
  {
    g_autoptr (GPtrArray) list = store_test_list (store);

    g_assert_cmpuint (list->len, ==, 1);
  }
  store_test_close (store);
  g_assert_cmpint (setrlimit (RLIMIT_FSIZE, &before), ==, 0);
  store_test_remove_folder (folder);
}

/* A second process sees the chats, keeps its own to itself, and leaves the first one's alone. */
static void
test_second_process (void)
{
  char *folder = store_test_folder ();
  HearthConversationStore *store;

  g_setenv ("HEARTH_TEST_STORE", folder, TRUE);
  store = hearth_conversation_store_new (folder);
  store_test_put (store, 1, "first");
  store_test_wait_written (store);
  g_test_trap_subprocess ("/store/second-process/subprocess", 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_passed ();
  store_test_put (store, 3, "third");
  {
    g_autoptr (GPtrArray) list = store_test_list (store);

    g_assert_cmpuint (list->len, ==, 2);
    g_assert_null (find (list, 2));
  }
  g_assert_cmpint (hearth_conversation_store_get_condition (store), ==, HEARTH_STORE_FINE);
  g_assert_true (store_test_close (store));
  g_assert_cmpint (count_rows (folder, "SELECT count (*) FROM pragma_integrity_check"
                                       " WHERE integrity_check = 'ok'"),
                   ==, 1);
  store_test_remove_folder (folder);
}

static void
second_process (void)
{
  HearthConversationStore *store = hearth_conversation_store_new (g_getenv ("HEARTH_TEST_STORE"));

  core_test_wait (hearth_conversation_store_get_condition (store) == HEARTH_STORE_IN_USE);
  store_test_put (store, 2, "second");
  {
    g_autoptr (GPtrArray) list = store_test_list (store);

    g_assert_cmpuint (list->len, ==, 2);
    g_assert_cmpstr (find (list, 1)->question, ==, "first");
  }
  store_test_close (store);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/store/round-trip", test_round_trip);
  g_test_add_func ("/store/changes", test_changes);
  g_test_add_func ("/store/search", test_search);
  g_test_add_func ("/store/private", test_private);
  g_test_add_func ("/store/no-folder", test_no_folder);
  g_test_add_func ("/store/read-only", test_read_only);
  g_test_add_func ("/store/full", test_full);
  g_test_add_func ("/store/full-at-start", test_full_at_start);
  g_test_add_func ("/store/second-process", test_second_process);
  g_test_add_func ("/store/second-process/subprocess", second_process);
  return g_test_run ();
}
