/* SPDX-License-Identifier: GPL-3.0-or-later */
/* test-store-damage.c - a damaged database is set aside, and what is legible comes back. */
#include "store-test.h"

#define N_CHATS 40
#define N_MESSAGES 12
#define PAGE 4096

/* What message `id` of `chat` says: enough for some to need pages of their own. */
static char *
text_of (gint64 chat, guint id)
{
  g_autofree char *filler = g_strnfill (id % 5 == 0 ? 9000 : 300, (char) ('a' + id % 26));

  return g_strdup_printf ("%" G_GINT64_FORMAT "/%u %s", chat, id, filler);
}

static char *
make (const char *folder)
{
  HearthConversationStore *store = hearth_conversation_store_new (folder);

  for (gint64 chat = 1; chat <= N_CHATS; chat++)
    {
      store_test_put (store, chat, "a question");
      for (guint id = 1; id <= N_MESSAGES; id++)
        {
          g_autofree char *text = text_of (chat, id);

          store_test_put_message (store, chat, id, id - 1, HEARTH_MESSAGE_DONE, text);
        }
    }
  g_assert_true (store_test_close (store));
  return g_build_filename (folder, "chats.db", NULL);
}

/* Opens what is there and returns how many messages came back that say what they said. The others
 * begin like it: of a long text a page may have been damaged, which nothing tells. */
static guint
n_recovered (const char *folder, guint *n_chats)
{
  HearthConversationStore *store = hearth_conversation_store_new (folder);
  g_autoptr (GPtrArray) list = store_test_list (store);
  guint n = 0;

  g_assert_cmpint (hearth_conversation_store_get_condition (store), ==, HEARTH_STORE_DAMAGED);
  g_assert_true (g_file_test (hearth_conversation_store_get_set_aside (store), G_FILE_TEST_EXISTS));
  g_assert_nonnull (hearth_conversation_store_get_detail (store));
  g_assert_cmpuint (hearth_conversation_store_get_n_recovered (store), ==, list->len);
  for (guint i = 0; i < list->len; i++)
    {
      gint64 chat = ((HearthConversationRecord *) list->pdata[i])->id;
      g_autoptr (GPtrArray) messages = store_test_read (store, chat);

      for (guint m = 0; m < messages->len; m++)
        {
          HearthMessageRecord *message = messages->pdata[m];
          g_autofree char *text = text_of (chat, message->id);
          g_autofree char *begin = g_strndup (text, 8);

          g_assert_true (g_str_has_prefix (message->text, begin));
          n += g_str_equal (message->text, text);
        }
    }
  /* It can be written again, and is sound from now on. */
  store_test_put (store, 1000, "after the damage");
  store_test_put_message (store, 1000, 1, 0, HEARTH_MESSAGE_DONE, "still here");
  g_assert_true (store_test_close (store));
  store = hearth_conversation_store_new (folder);
  {
    g_autoptr (GPtrArray) again = store_test_list (store);

    g_assert_cmpuint (again->len, ==, list->len + 1);
  }
  g_assert_cmpint (hearth_conversation_store_get_condition (store), ==, HEARTH_STORE_FINE);
  g_assert_true (store_test_close (store));
  *n_chats = list->len;
  return n;
}

static void
overwrite (const char *path, gsize from, gsize size)
{
  g_autofree char *bytes = NULL;
  g_autoptr (GError) error = NULL;
  gsize n;

  g_file_get_contents (path, &bytes, &n, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (from, <, n);
  for (gsize i = from; i < MIN (from + size, n); i++)
    bytes[i] = (char) g_test_rand_int ();
  g_file_set_contents_full (path, bytes, (gssize) n, G_FILE_SET_CONTENTS_NONE, 0600, &error);
  g_assert_no_error (error);
}

static gsize
size_of (const char *path)
{
  GStatBuf about;

  g_assert_cmpint (g_stat (path, &about), ==, 0);
  return (gsize) about.st_size;
}

/* Some pages in the middle: most of the rest comes back. */
static void
test_middle (void)
{
  char *folder = store_test_folder ();
  g_autofree char *path = make (folder);
  gsize n_pages = size_of (path) / PAGE;
  guint n, n_chats;

  overwrite (path, n_pages / 2 * PAGE, 6 * PAGE);
  n = n_recovered (folder, &n_chats);
  g_test_message ("%u of %u messages, %u of %u chats", n, N_CHATS * N_MESSAGES, n_chats, N_CHATS);
  /* Six pages hold fewer than a hundred messages, and are below at most two inner pages. */
  g_assert_cmpuint (n, >, N_CHATS * N_MESSAGES / 2);
  g_assert_cmpuint (n_chats, >=, N_CHATS / 2);
  store_test_remove_folder (folder);
}

/* The first page, which says what tables there are. */
static void
test_first_page (void)
{
  char *folder = store_test_folder ();
  g_autofree char *path = make (folder);
  guint n, n_chats;

  overwrite (path, 0, PAGE);
  n = n_recovered (folder, &n_chats);
  g_assert_cmpuint (n, ==, N_CHATS * N_MESSAGES);
  g_assert_cmpuint (n_chats, ==, N_CHATS);
  store_test_remove_folder (folder);
}

/* The end is missing. */
static void
test_cut (void)
{
  char *folder = store_test_folder ();
  g_autofree char *path = make (folder);
  g_autofree char *bytes = NULL;
  g_autoptr (GError) error = NULL;
  gsize n;
  guint n_messages, n_chats;

  g_file_get_contents (path, &bytes, &n, &error);
  g_file_set_contents_full (path, bytes, (gssize) (n * 2 / 3 / PAGE * PAGE),
                            G_FILE_SET_CONTENTS_NONE, 0600, &error);
  g_assert_no_error (error);
  n_messages = n_recovered (folder, &n_chats);
  g_test_message ("%u messages, %u chats", n_messages, n_chats);
  g_assert_cmpuint (n_messages, >, N_CHATS * N_MESSAGES / 3);
  store_test_remove_folder (folder);
}

/* Nothing of it is a database: an empty one takes its place. */
static void
test_garbage (void)
{
  char *folder = store_test_folder ();
  g_autofree char *path = g_build_filename (folder, "chats.db", NULL);
  g_autofree char *garbage = g_strnfill (3 * PAGE + 17, '?');
  guint n_chats;

  g_assert_true (g_file_set_contents (path, garbage, -1, NULL));
  g_assert_cmpuint (n_recovered (folder, &n_chats), ==, 0);
  g_assert_cmpuint (n_chats, ==, 0);
  store_test_remove_folder (folder);
}

/* Anywhere: a page that nobody uses, one of the index, or one that is missed. */
static void
test_anywhere (void)
{
  for (int round = 0; round < 12; round++)
    {
      char *folder = store_test_folder ();
      g_autofree char *path = make (folder);
      gsize n_pages = size_of (path) / PAGE;
      HearthConversationStore *store;
      guint n_chats = 0;

      overwrite (path, (gsize) g_test_rand_int_range (0, (int) n_pages) * PAGE, PAGE);
      store = hearth_conversation_store_new (folder);
      {
        g_autoptr (GPtrArray) list = store_test_list (store);

        n_chats = list->len;
      }
      /* The smallest loss that may cost most: the page above all messages. */
      g_assert_cmpuint (n_chats, >=, N_CHATS / 4);
      g_assert_true (store_test_close (store));
      store_test_remove_folder (folder);
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/store-damage/middle", test_middle);
  g_test_add_func ("/store-damage/first-page", test_first_page);
  g_test_add_func ("/store-damage/cut", test_cut);
  g_test_add_func ("/store-damage/garbage", test_garbage);
  g_test_add_func ("/store-damage/anywhere", test_anywhere);
  return g_test_run ();
}
