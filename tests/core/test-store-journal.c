/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-store-journal.c - 50 times a child that writes an answer is killed at a moment nobody chose.
 *
 * The child writes text that is known and reports in a pipe, as soon as the store says so, how much
 * of it is on disk. What comes back must be a beginning of that text and hold at least all that was
 * reported before the end. How long a piece waits before it is on disk is the store's promise
 * (HEARTH_STORE_GROUP_MS); the child measures that too, and here it is only told. */
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hearth-conversation.h"
#include "store-test.h"

#define N_KILLS 50
#define CHAT 77
#define REPORT "%u %u\n"

/* The text, forever: piece `i`. */
static char *
piece (guint i)
{
  return g_strdup_printf ("%u%s", i, i % 7 == 0 ? ".\n\n" : i % 3 == 0 ? " – né, " : " ");
}

struct child
{
  HearthConversationStore *store;
  GString *text;
  GArray *puts; /* of struct put, oldest first */
  guint next;
  guint first_open; /* in `puts` */
  int pipe;
};

struct put
{
  guint64 number;
  guint size; /* of the text then */
  gint64 at;
};

static gboolean
write_cb (gpointer data)
{
  struct child *child = data;
  g_autofree char *text = piece (child->next++);
  struct put put;

  g_string_append (child->text, text);
  hearth_conversation_store_append (child->store, CHAT, 2, FALSE, text);
  put = (struct put) { hearth_conversation_store_get_n_put (child->store), (guint) child->text->len,
                       g_get_monotonic_time () };
  g_array_append_val (child->puts, put);
  return G_SOURCE_CONTINUE;
}

static gboolean
report_cb (gpointer data)
{
  struct child *child = data;
  guint64 n_written = hearth_conversation_store_get_n_written (child->store);
  guint size = 0, waited_ms = 0;
  char line[64];

  for (; child->first_open < child->puts->len; child->first_open++)
    {
      struct put *put = &g_array_index (child->puts, struct put, child->first_open);

      if (put->number > n_written)
        break;
      size = put->size;
      waited_ms = MAX (waited_ms, (guint) ((g_get_monotonic_time () - put->at) / 1000));
    }
  if (size > 0)
    {
      int n = g_snprintf (line, sizeof line, REPORT, size, waited_ms);

      if (write (child->pipe, line, (gsize) n) != n)
        _exit (3);
    }
  return G_SOURCE_CONTINUE;
}

/* Until it is killed. */
static void
child_main (void)
{
  struct child child = { .pipe = STDOUT_FILENO };

  child.store = hearth_conversation_store_new (g_getenv ("HEARTH_TEST_STORE"));
  child.text = g_string_new (NULL);
  child.puts = g_array_new (FALSE, FALSE, sizeof (struct put));
  store_test_put (child.store, CHAT, "a question");
  store_test_put_message (child.store, CHAT, 1, 0, HEARTH_MESSAGE_DONE, "a question");
  store_test_put_message (child.store, CHAT, 2, 1, HEARTH_MESSAGE_WAITING, "");
  g_timeout_add (3, write_cb, &child);
  g_timeout_add (2, report_cb, &child);
  for (;;)
    g_main_context_iteration (NULL, TRUE);
}

/* Lets a child write until it has reported `n_reports` times and some microseconds more, kills it
 * and returns the last size that it reported. */
static guint
kill_one (const char *self_path, const char *folder, int n_reports, gulong more_us,
          guint *longest_ms)
{
  const char *argv[] = { self_path, "--child", NULL };
  g_auto (GStrv) env = g_environ_setenv (g_get_environ (), "HEARTH_TEST_STORE", folder, TRUE);
  g_autoptr (GError) error = NULL;
  g_autoptr (GString) reports = g_string_new (NULL);
  g_auto (GStrv) lines = NULL;
  char buffer[512];
  gssize n;
  GPid pid;
  int out;
  int status;
  guint last = 0;

  g_spawn_async_with_pipes (NULL, (char **) argv, env, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL, &pid,
                            NULL, &out, NULL, &error);
  g_assert_no_error (error);
  for (int seen = 0; seen < n_reports;)
    {
      n = read (out, buffer, sizeof buffer);
      g_assert_cmpint (n, >, 0);
      g_string_append_len (reports, buffer, n);
      for (gssize i = 0; i < n; i++)
        seen += buffer[i] == '\n';
    }
  g_usleep (more_us);
  g_assert_cmpint (kill (pid, SIGKILL), ==, 0);
  while ((n = read (out, buffer, sizeof buffer)) > 0)
    g_string_append_len (reports, buffer, n);
  close (out);
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_true (WIFSIGNALED (status) && WTERMSIG (status) == SIGKILL);

  lines = g_strsplit (reports->str, "\n", -1);
  for (char **line = lines; *line != NULL && line[1] != NULL;
       line++) /* the last may be half a one */
    {
      guint size, waited_ms;

      g_assert_cmpint (sscanf (*line, REPORT, &size, &waited_ms), ==, 2);
      g_assert_cmpuint (size, >, last);
      last = size;
      *longest_ms = MAX (*longest_ms, waited_ms);
    }
  return last;
}

static const char *program;

static void
test_kills (void)
{
  g_autoptr (GString) whole = g_string_new (NULL);
  guint longest_ms = 0;

  for (guint i = 0; whole->len < 1000000; i++)
    {
      g_autofree char *text = piece (i);

      g_string_append (whole, text);
    }
  for (int kills = 0; kills < N_KILLS; kills++)
    {
      char *folder = store_test_folder ();
      guint reported = kill_one (program, folder, g_test_rand_int_range (1, 6),
                                 (gulong) g_test_rand_int_range (0, 150000), &longest_ms);
      HearthConversationStore *store = hearth_conversation_store_new (folder);
      g_autoptr (GPtrArray) messages = store_test_read (store, CHAT);
      HearthMessageRecord *answer;

      g_assert_cmpint (hearth_conversation_store_get_condition (store), ==, HEARTH_STORE_FINE);
      g_assert_cmpuint (messages->len, ==, 2);
      answer = messages->pdata[1];
      g_assert_cmpuint (strlen (answer->text), >=, reported);
      g_assert_true (g_str_has_prefix (whole->str, answer->text));
      /* Not by the reader: nobody stopped it. */
      g_assert_cmpint (answer->state, ==, HEARTH_MESSAGE_STOPPED);
      g_assert_nonnull (answer->figures);
      g_assert_cmpint (answer->figures->ending, ==, HEARTH_ENDING_INTERRUPTED);
      g_assert_true (store_test_close (store));
      store_test_remove_folder (folder);
    }
  g_test_message ("a piece waited at most %u ms", longest_ms);
}

/* The same through a conversation and its answer, as the application does it: whatever the message
 * says is on its way to the store by then. */
static void
test_conversation (void)
{
  char *folder = store_test_folder ();
  HearthConversationStore *store = hearth_conversation_store_new (folder);
  g_autoptr (HearthEngine) engine = hearth_engine_new ();
  HearthConversation *conversation = hearth_conversation_new_kept (engine, store, NULL);
  gint64 id = hearth_conversation_get_id (conversation);

  /* Nothing worth keeping, then a draft, which is, then nothing again. */
  hearth_conversation_save (conversation);
  hearth_conversation_set_draft (conversation, "half a th");
  hearth_conversation_save (conversation);
  {
    g_autoptr (GPtrArray) list = store_test_list (store);

    g_assert_cmpuint (list->len, ==, 1);
    g_assert_cmpstr (((HearthConversationRecord *) list->pdata[0])->draft, ==, "half a th");
    g_assert_cmpint (((HearthConversationRecord *) list->pdata[0])->id, ==, id);
  }
  hearth_conversation_set_draft (conversation, "");
  hearth_conversation_save (conversation);
  {
    g_autoptr (GPtrArray) list = store_test_list (store);

    g_assert_cmpuint (list->len, ==, 0);
  }
  /* What is typed is saved without being asked for. */
  hearth_conversation_set_draft (conversation, "a whole thought");
  {
    guint64 n = hearth_conversation_store_get_n_put (store);

    core_test_wait (hearth_conversation_store_get_n_put (store) > n);
  }
  hearth_conversation_set_title (conversation, "Thoughts");
  g_object_unref (conversation);
  {
    g_autoptr (GPtrArray) list = store_test_list (store);
    HearthConversationRecord *record = list->pdata[0];

    g_assert_cmpstr (record->draft, ==, "a whole thought");
    g_assert_cmpstr (record->title, ==, "Thoughts");
  }
  g_assert_true (store_test_close (store));
  store_test_remove_folder (folder);
}

int
main (int argc, char *argv[])
{
  if (argc > 1 && g_str_equal (argv[1], "--child"))
    child_main ();
  program = argv[0];
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/store-journal/kills", test_kills);
  g_test_add_func ("/store-journal/conversation", test_conversation);
  return g_test_run ();
}
