/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <math.h>

#include "hearth-conversation-list.h"
#include "store-test.h"

/* All that a program has. */
struct program
{
  char *folder;
  HearthEngine *engine;
  HearthSettings *settings;
  HearthLibrary *library;
  HearthConversationStore *store;
  HearthConversationList *list;
};

static void
begin (struct program *program, char *folder)
{
  g_autoptr (GError) error = NULL;

  program->folder = folder;
  program->engine = hearth_engine_new ();
  program->settings = hearth_settings_new (&error);
  g_assert_no_error (error);
  program->library = hearth_library_new (program->settings);
  program->store = hearth_conversation_store_new (folder);
  program->list = hearth_conversation_list_new (program->engine, program->store, program->library,
                                                program->settings);
}

/* Ends it as the application does, and leaves the folder. */
static void
end (struct program *program)
{
  hearth_conversation_list_close (program->list);
  g_clear_object (&program->list);
  g_assert_true (store_test_close (g_steal_pointer (&program->store)));
  g_clear_object (&program->library);
  g_clear_object (&program->settings);
  g_clear_object (&program->engine);
}

static void
begin_again (struct program *program)
{
  end (program);
  begin (program, program->folder);
  core_test_wait (hearth_conversation_list_get_ready (program->list));
}

static HearthConversation *
at (struct program *program, guint position)
{
  g_autoptr (HearthConversation) item =
    g_list_model_get_item (G_LIST_MODEL (program->list), position);

  return item; /* the list keeps it */
}

static guint
n_chats (struct program *program)
{
  return g_list_model_get_n_items (G_LIST_MODEL (program->list));
}

/* The titles, one after the other. */
static char *
titles (struct program *program)
{
  g_autoptr (GString) all = g_string_new (NULL);

  for (guint i = 0; i < n_chats (program); i++)
    {
      const char *title = hearth_conversation_get_title (at (program, i));

      g_string_append (all, title != NULL ? title : "-");
    }
  return g_string_free (g_steal_pointer (&all), FALSE);
}

#define assert_titles(PROGRAM, TITLES)                                                             \
  G_STMT_START                                                                                     \
  {                                                                                                \
    g_autofree char *assert_titles_got = titles (PROGRAM);                                         \
    g_assert_cmpstr (assert_titles_got, ==, TITLES);                                               \
  }                                                                                                \
  G_STMT_END

/* A chat with two messages and this title, used at this time, straight into the store. */
static void
put_chat (struct program *program, gint64 id, const char *title, gboolean pinned)
{
  const HearthConversationRecord record = { .id = id,
                                            .title = (char *) title,
                                            .question = (char *) "a question",
                                            .pinned = pinned,
                                            .created = id,
                                            .updated = id * 10,
                                            .model_path = (char *) "/gone/model.gguf",
                                            .model_title = (char *) "Gone Model" };

  hearth_conversation_store_put (program->store, &record);
  store_test_put_message (program->store, id, 1, 0, HEARTH_MESSAGE_DONE, "a question");
  store_test_put_message (program->store, id, 2, 1, HEARTH_MESSAGE_DONE, "an answer");
}

static void
changed_cb (GListModel *model, guint position, guint removed, guint added, gpointer data)
{
  GListModel *mirror = data;

  /* A list that only listens must end up the same. */
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (g_object_unref);

  for (guint i = 0; i < added; i++)
    g_ptr_array_add (items, g_list_model_get_item (model, position + i));
  g_list_store_splice (G_LIST_STORE (mirror), position, removed, items->pdata, added);
}

static void
count_cb (GObject *object, GParamSpec *pspec, guint *n)
{
  (*n)++;
}

static void
test_order (void)
{
  guint n_changes = 0;
  struct program program = { 0 };
  g_autoptr (GListStore) mirror = g_list_store_new (HEARTH_TYPE_CONVERSATION);
  HearthConversation *fresh;

  begin (&program, store_test_folder ());
  core_test_wait (hearth_conversation_list_get_ready (program.list));
  put_chat (&program, 1, "a", FALSE);
  put_chat (&program, 2, "b", TRUE);
  put_chat (&program, 3, "c", FALSE);
  begin_again (&program);
  assert_titles (&program, "bca");
  g_signal_connect (program.list, "items-changed", G_CALLBACK (changed_cb), mirror);
  changed_cb (G_LIST_MODEL (program.list), 0, 0, n_chats (&program), mirror);

  hearth_conversation_set_pinned (hearth_conversation_list_find (program.list, 1), TRUE);
  assert_titles (&program, "bac");
  hearth_conversation_set_pinned (hearth_conversation_list_find (program.list, 2), FALSE);
  assert_titles (&program, "acb");
  fresh = hearth_conversation_list_get_fresh (program.list);
  assert_titles (&program, "a-cb");
  g_assert_true (hearth_conversation_list_get_fresh (program.list) == fresh);
  g_signal_connect (fresh, "notify::untouched", G_CALLBACK (count_cb), &n_changes);
  hearth_conversation_set_draft (fresh, "d");
  g_assert_cmpuint (n_changes, ==, 1);
  hearth_conversation_set_draft (fresh, "dr");
  g_assert_cmpuint (n_changes, ==, 1);
  hearth_conversation_set_draft (fresh, "");
  g_assert_cmpuint (n_changes, ==, 2);
  g_assert_true (hearth_conversation_is_untouched (fresh));
  hearth_conversation_set_draft (fresh, "d");
  g_assert_true (hearth_conversation_list_get_fresh (program.list) != fresh);
  assert_titles (&program, "a--cb");
  hearth_conversation_list_tidy (program.list, hearth_conversation_list_get_fresh (program.list));
  hearth_conversation_list_tidy (program.list, fresh);
  assert_titles (&program, "a-cb");

  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (mirror)), ==, n_chats (&program));
  for (guint i = 0; i < n_chats (&program); i++)
    {
      g_autoptr (HearthConversation) item = g_list_model_get_item (G_LIST_MODEL (mirror), i);

      g_assert_true (item == at (&program, i));
    }
  begin_again (&program);
  assert_titles (&program, "a-cb");
  g_assert_cmpstr (hearth_conversation_get_draft (at (&program, 1)), ==, "d");
  end (&program);
  store_test_remove_folder (program.folder);
}

/* Whether opening, deleting and copying do what they say, in the list and on disk. */
static void
test_life (void)
{
  struct program program = { 0 };
  HearthConversation *chat, *copy;

  begin (&program, store_test_folder ());
  core_test_wait (hearth_conversation_list_get_ready (program.list));
  g_assert_null (hearth_conversation_list_get_last_open (program.list));
  put_chat (&program, 1, "a", FALSE);
  put_chat (&program, 2, "b", FALSE);
  begin_again (&program);

  /* The messages come when they are asked for; the model's file is gone, its name is not. */
  chat = hearth_conversation_list_find (program.list, 1);
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (chat)), ==, 0);
  g_assert_false (hearth_conversation_is_empty (chat));
  g_assert_false (hearth_conversation_can_branch (chat));
  hearth_conversation_list_open (program.list, chat);
  core_test_wait (!hearth_conversation_get_restoring (chat));
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (chat)), ==, 2);
  g_assert_true (hearth_conversation_can_branch (chat));
  core_test_wait (hearth_model_file_get_error (hearth_conversation_get_model (chat)) != NULL);
  g_assert_cmpstr (hearth_conversation_get_model_title (chat), ==, "Gone Model");
  g_assert_false (hearth_conversation_can_ask (chat));
  hearth_conversation_set_title (chat, "A");
  hearth_conversation_set_place (chat, 2, 34);

  copy = hearth_conversation_list_duplicate (program.list, chat, "A copy");
  hearth_conversation_list_open (program.list, copy);
  core_test_wait (!hearth_conversation_get_restoring (copy));
  g_assert_cmpuint (g_list_model_get_n_items (G_LIST_MODEL (copy)), ==, 2);
  assert_titles (&program, "A copybA");

  /* Deleted and back. */
  hearth_conversation_list_hide (program.list, copy);
  assert_titles (&program, "bA");
  g_assert_true (hearth_conversation_list_unhide (program.list, hearth_conversation_get_id (copy)));
  assert_titles (&program, "A copybA");
  /* Deleted for good; and one that is still hidden when the program ends. */
  hearth_conversation_list_hide (program.list, copy);
  hearth_conversation_list_purge (program.list, hearth_conversation_get_id (copy));
  hearth_conversation_list_hide (program.list, hearth_conversation_list_find (program.list, 2));
  g_assert_true (hearth_conversation_list_unhide (program.list, 2));
  hearth_conversation_list_hide (program.list, hearth_conversation_list_find (program.list, 2));
  hearth_conversation_list_open (program.list, chat);
  begin_again (&program);
  assert_titles (&program, "A");
  g_assert_false (hearth_conversation_list_unhide (program.list, 2));
  chat = hearth_conversation_list_get_last_open (program.list);
  g_assert_true (chat == at (&program, 0));
  {
    guint id;
    double offset;

    hearth_conversation_get_place (chat, &id, &offset);
    g_assert_cmpuint (id, ==, 2);
    g_assert_cmpfloat (offset, ==, 34);
  }
  end (&program);
  store_test_remove_folder (program.folder);
}

/* A chat with a real model: asked, stopped by the end of the program, and gone on with after it. */
static void
test_answer (void)
{
  g_autofree char *path = core_test_model ();
  struct program program = { 0 };
  HearthConversation *chat;
  g_autoptr (HearthModelFile) model = NULL;
  g_autofree char *said = NULL;
  HearthMessage *answer;

  if (path == NULL)
    return;
  begin (&program, store_test_folder ());
  core_test_wait (hearth_conversation_list_get_ready (program.list));
  chat = hearth_conversation_list_get_fresh (program.list);
  model = hearth_library_ref_file (program.library, path);
  hearth_conversation_set_model (chat, model);
  hearth_conversation_list_open (program.list, chat);
  core_test_wait (hearth_conversation_can_ask (chat));
  hearth_conversation_set_limits (chat, 2048, 0);
  g_assert_true (hearth_conversation_ask (chat, "Tell me a very long story about the sea."));
  answer = g_list_model_get_item (G_LIST_MODEL (chat), 1);
  core_test_wait (strlen (hearth_message_get_text (answer)) > 40);
  hearth_conversation_list_close (program.list);
  g_assert_true (hearth_message_is_finished (answer));
  said = g_strdup (hearth_message_get_text (answer));
  g_object_unref (answer);
  begin_again (&program);

  chat = hearth_conversation_list_get_last_open (program.list);
  g_assert_cmpstr (hearth_conversation_get_title (chat), ==,
                   "Tell me a very long story about the sea.");
  hearth_conversation_list_open (program.list, chat);
  core_test_wait (hearth_conversation_can_ask (chat));
  answer = g_list_model_get_item (G_LIST_MODEL (chat), 1);
  g_assert_cmpstr (hearth_message_get_text (answer), ==, said);
  g_assert_cmpint (hearth_message_get_state (answer), ==, HEARTH_MESSAGE_STOPPED);
  g_assert_true (hearth_conversation_can_continue (chat));
  hearth_conversation_continue (chat);
  core_test_wait (strlen (hearth_message_get_text (answer)) > strlen (said) + 20);
  hearth_conversation_stop (chat);
  core_test_wait (hearth_conversation_get_state (chat) == HEARTH_CONVERSATION_IDLE);
  g_free (said);
  said = g_strdup (hearth_message_get_text (answer));
  g_object_unref (answer);
  hearth_conversation_regenerate (chat);
  core_test_wait (hearth_conversation_get_state (chat) == HEARTH_CONVERSATION_ANSWERING);
  begin_again (&program);

  /* Two versions, the last one chosen, the first one as it was continued. */
  chat = hearth_conversation_list_get_last_open (program.list);
  hearth_conversation_list_open (program.list, chat);
  core_test_wait (hearth_conversation_can_branch (chat));
  answer = g_list_model_get_item (G_LIST_MODEL (chat), 1);
  g_assert_cmpuint (hearth_message_get_n_versions (answer), ==, 2);
  g_assert_cmpuint (hearth_message_get_version (answer), ==, 1);
  hearth_conversation_show_version (chat, answer, 0);
  g_object_unref (answer);
  begin_again (&program);
  chat = hearth_conversation_list_get_last_open (program.list);
  hearth_conversation_list_open (program.list, chat);
  core_test_wait (hearth_conversation_can_branch (chat));
  answer = g_list_model_get_item (G_LIST_MODEL (chat), 1);
  g_assert_cmpstr (hearth_message_get_text (answer), ==, said);
  g_object_unref (answer);
  end (&program);
  store_test_remove_folder (program.folder);
}

/* An answer that had failed before the program ended: what another try says is kept. */
static void
test_try_again (void)
{
  g_autofree char *path = core_test_model ();
  const HearthConversationRecord record = { .id = 1, .created = 1, .updated = 1 };
  struct program program = { 0 };
  HearthConversation *chat;
  g_autoptr (HearthModelFile) model = NULL;
  g_autoptr (HearthMessage) answer = NULL;
  g_autoptr (HearthMessage) again = NULL;

  if (path == NULL)
    return;
  begin (&program, store_test_folder ());
  core_test_wait (hearth_conversation_list_get_ready (program.list));
  hearth_conversation_store_put (program.store, &record);
  store_test_put_message (program.store, 1, 1, 0, HEARTH_MESSAGE_DONE, "Tell me a long story.");
  store_test_put_message (program.store, 1, 2, 1, HEARTH_MESSAGE_FAILED, "");
  begin_again (&program);
  chat = hearth_conversation_list_find (program.list, 1);
  model = hearth_library_ref_file (program.library, path);
  hearth_conversation_set_model (chat, model);
  hearth_conversation_list_open (program.list, chat);
  core_test_wait (hearth_conversation_can_ask (chat));
  hearth_conversation_set_limits (chat, 2048, 0);
  hearth_conversation_regenerate (chat);
  answer = g_list_model_get_item (G_LIST_MODEL (chat), 1);
  core_test_wait (strlen (hearth_message_get_text (answer)) > 20);
  hearth_conversation_stop (chat);
  core_test_wait (hearth_conversation_get_state (chat) == HEARTH_CONVERSATION_IDLE);
  begin_again (&program);

  chat = hearth_conversation_list_find (program.list, 1);
  hearth_conversation_list_open (program.list, chat);
  core_test_wait (g_list_model_get_n_items (G_LIST_MODEL (chat)) == 2);
  again = g_list_model_get_item (G_LIST_MODEL (chat), 1);
  g_assert_cmpuint (hearth_message_get_n_versions (again), ==, 1);
  g_assert_cmpint (hearth_message_get_state (again), ==, HEARTH_MESSAGE_STOPPED);
  g_assert_cmpstr (hearth_message_get_text (again), ==, hearth_message_get_text (answer));
  end (&program);
  store_test_remove_folder (program.folder);
}

static void
assert_defaults (HearthConversation *chat, HearthKvType kv_type, guint n_ctx)
{
  HearthChatSettings *settings = hearth_conversation_get_settings (chat);

  g_assert_cmpint (hearth_chat_settings_get_kv_type (settings), ==, kv_type);
  g_assert_cmpuint (hearth_chat_settings_get_n_ctx (settings), ==, n_ctx);
}

/* What the preferences say is what a new chat begins with, also one that is there already. */
static void
test_defaults (void)
{
  struct program program = { 0 };
  HearthConversation *begun, *fresh;

  begin (&program, store_test_folder ());
  core_test_wait (hearth_conversation_list_get_ready (program.list));
  g_object_set (program.settings, "kv-type", HEARTH_KV_F32, "context-length", 4096u, NULL);
  begun = hearth_conversation_list_get_fresh (program.list);
  assert_defaults (begun, HEARTH_KV_F32, 4096);
  g_object_set (program.settings, "kv-type", HEARTH_KV_F16, "context-length", 1024u, NULL);
  assert_defaults (begun, HEARTH_KV_F16, 1024);

  hearth_conversation_set_draft (begun, "d");
  g_object_set (program.settings, "kv-type", HEARTH_KV_F32, "context-length", 2048u, NULL);
  fresh = hearth_conversation_list_get_fresh (program.list);
  g_assert_true (fresh != begun);
  assert_defaults (begun, HEARTH_KV_F16, 1024);
  assert_defaults (fresh, HEARTH_KV_F32, 2048);

  /* A system prompt is work, too: a chat that has one is kept, and is no new one. */
  hearth_chat_settings_set_system_prompt (hearth_conversation_get_settings (fresh), "Be brief.");
  hearth_conversation_list_tidy (program.list, fresh);
  g_assert_cmpuint (n_chats (&program), ==, 2);
  g_assert_true (hearth_conversation_list_get_fresh (program.list) != fresh);
  begin_again (&program);
  g_assert_cmpuint (n_chats (&program), ==, 2);

  g_object_set (program.settings, "kv-type", HEARTH_KV_F16, "context-length", 0u, NULL);
  end (&program);
  store_test_remove_folder (program.folder);
}

/* A value set in an empty chat is work, too; taken back, it is none. */
static void
test_own_values (void)
{
  struct program program = { 0 };
  HearthConversation *chat;
  HearthChatSettings *settings;
  HearthSampling sampling;

  begin (&program, store_test_folder ());
  core_test_wait (hearth_conversation_list_get_ready (program.list));
  chat = hearth_conversation_list_get_fresh (program.list);
  settings = hearth_conversation_get_settings (chat);
  g_assert_true (hearth_conversation_is_untouched (chat));
  hearth_chat_settings_set_value (settings, HEARTH_PARAMETER_TEMPERATURE, 0.25);
  g_assert_false (hearth_conversation_is_untouched (chat));
  hearth_chat_settings_set_value (settings, HEARTH_PARAMETER_TEMPERATURE, (double) NAN);
  g_assert_true (hearth_conversation_is_untouched (chat));
  hearth_chat_settings_set_value (settings, HEARTH_PARAMETER_TEMPERATURE, 0.25);
  g_assert_true (hearth_conversation_list_get_fresh (program.list) != chat);
  hearth_conversation_list_tidy (program.list, chat);
  begin_again (&program);

  g_assert_cmpuint (n_chats (&program), ==, 1);
  chat = at (&program, 0);
  hearth_chat_settings_get_own (hearth_conversation_get_settings (chat), &sampling);
  g_assert_cmpfloat (sampling.values[HEARTH_PARAMETER_TEMPERATURE], ==, 0.25);
  end (&program);
  store_test_remove_folder (program.folder);
}

/* What is written in place of a message waits like a draft, until it is sent or given up. */
static void
test_edit (void)
{
  struct program program = { 0 };
  HearthConversation *chat;
  HearthMessage *question;

  begin (&program, store_test_folder ());
  core_test_wait (hearth_conversation_list_get_ready (program.list));
  put_chat (&program, 7, "kept", FALSE);
  begin_again (&program);
  chat = at (&program, 0);
  hearth_conversation_restore (chat);
  core_test_wait (g_list_model_get_n_items (G_LIST_MODEL (chat)) == 2);
  question = g_list_model_get_item (G_LIST_MODEL (chat), 0);
  hearth_conversation_set_edit (chat, question, "a better question");
  g_object_unref (question);
  begin_again (&program);

  chat = at (&program, 0);
  hearth_conversation_restore (chat);
  core_test_wait (g_list_model_get_n_items (G_LIST_MODEL (chat)) == 2);
  question = g_list_model_get_item (G_LIST_MODEL (chat), 0);
  g_assert_cmpstr (hearth_message_get_edit (question), ==, "a better question");
  g_assert_cmpstr (hearth_message_get_text (question), ==, "a question");
  /* The same words again are nothing to keep. */
  hearth_conversation_set_edit (chat, question, "a question");
  g_assert_null (hearth_message_get_edit (question));
  g_object_unref (question);
  begin_again (&program);

  chat = at (&program, 0);
  hearth_conversation_restore (chat);
  core_test_wait (g_list_model_get_n_items (G_LIST_MODEL (chat)) == 2);
  question = g_list_model_get_item (G_LIST_MODEL (chat), 0);
  g_assert_null (hearth_message_get_edit (question));
  g_object_unref (question);
  end (&program);
  store_test_remove_folder (program.folder);
}

/* Threads are the computer's: a chat that is in use gets them, too. */
static void
test_threads (void)
{
  struct program program = { 0 };
  HearthConversation *chat;
  HearthChatSettings *settings;

  begin (&program, store_test_folder ());
  core_test_wait (hearth_conversation_list_get_ready (program.list));
  put_chat (&program, 7, "begun", FALSE);
  begin_again (&program);
  chat = at (&program, 0);
  settings = hearth_conversation_get_settings (chat);
  hearth_conversation_list_open (program.list, chat);
  g_assert_cmpuint (hearth_chat_settings_get_n_threads (settings), ==, 0);
  g_object_set (program.settings, "threads", 3u, NULL);
  g_assert_cmpuint (hearth_chat_settings_get_n_threads (settings), ==, 3);
  g_object_set (program.settings, "threads", 0u, NULL);
  end (&program);
  store_test_remove_folder (program.folder);
}

/* Asks, lets the main loop stand still for a moment while the engine goes on, and closes the chat
 * as the end of the program does. Whether the engine had said more than was shown by then. */
static gboolean
close_in_the_middle (struct program *program, HearthModelFile *model)
{
  HearthConversation *chat = hearth_conversation_list_get_fresh (program->list);
  g_autoptr (HearthMessage) answer = NULL;
  g_autofree char *shown = NULL;

  hearth_conversation_set_model (chat, model);
  hearth_conversation_list_open (program->list, chat);
  core_test_wait (hearth_conversation_can_ask (chat));
  hearth_conversation_set_limits (chat, 2048, 0);
  g_assert_true (hearth_conversation_ask (chat, "Tell me a very long story about the sea."));
  answer = g_list_model_get_item (G_LIST_MODEL (chat), 1);
  core_test_wait (strlen (hearth_message_get_text (answer)) > 40);
  shown = g_strdup (hearth_message_get_text (answer));
  g_usleep (G_USEC_PER_SEC / 10);
  hearth_conversation_close (chat);
  g_assert_true (g_str_has_prefix (hearth_message_get_text (answer), shown));
  return strlen (hearth_message_get_text (answer)) > strlen (shown);
}

/* What the engine had said when a chat was closed, and nobody had shown yet, is kept. */
static void
test_last_words (void)
{
  g_autofree char *path = core_test_model ();
  struct program program = { 0 };
  HearthConversation *chat;
  g_autoptr (HearthModelFile) model = NULL;
  g_autoptr (HearthMessage) answer = NULL;
  g_autofree char *said = NULL;
  gboolean more = FALSE;

  if (path == NULL)
    return;
  begin (&program, store_test_folder ());
  core_test_wait (hearth_conversation_list_get_ready (program.list));
  model = hearth_library_ref_file (program.library, path);
  /* A busy machine may have said nothing in that moment. */
  for (int i = 0; i < 50 && !more; i++)
    more = close_in_the_middle (&program, model);
  g_assert_true (more);
  chat = at (&program, 0);
  answer = g_list_model_get_item (G_LIST_MODEL (chat), 1);
  said = g_strdup (hearth_message_get_text (answer));
  g_clear_object (&answer);
  begin_again (&program);

  chat = at (&program, 0);
  hearth_conversation_list_open (program.list, chat);
  core_test_wait (g_list_model_get_n_items (G_LIST_MODEL (chat)) == 2);
  answer = g_list_model_get_item (G_LIST_MODEL (chat), 1);
  g_assert_cmpstr (hearth_message_get_text (answer), ==, said);
  end (&program);
  store_test_remove_folder (program.folder);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/conversation-list/order", test_order);
  g_test_add_func ("/conversation-list/life", test_life);
  g_test_add_func ("/conversation-list/answer", test_answer);
  g_test_add_func ("/conversation-list/try-again", test_try_again);
  g_test_add_func ("/conversation-list/defaults", test_defaults);
  g_test_add_func ("/conversation-list/own-values", test_own_values);
  g_test_add_func ("/conversation-list/edit", test_edit);
  g_test_add_func ("/conversation-list/threads", test_threads);
  g_test_add_func ("/conversation-list/last-words", test_last_words);
  return g_test_run ();
}
