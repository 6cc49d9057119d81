/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core-test.h"
#include "hearth-conversation.h"
#include "hearth-error.h"

#include <string.h>

#define LONG_QUESTION "Tell me a very long story about the sea."

static HearthModelFile *model;

static HearthModelFile *
read_model (const char *path)
{
  HearthModelFile *file = hearth_model_file_new (path);
  g_autoptr (GAsyncResult) result = NULL;

  hearth_model_file_load_async (file, 0, 0, NULL, core_test_result_cb, &result);
  core_test_wait (result != NULL);
  hearth_model_file_load_finish (file, result, NULL);
  return file;
}

/* A conversation at temperature 0. Returns: (transfer full) */
static HearthConversation *
conversation_new (HearthEngine *engine)
{
  HearthConversation *conversation = hearth_conversation_new (engine);
  HearthSampling sampling;

  hearth_sampling_init (&sampling);
  sampling.values[HEARTH_PARAMETER_TEMPERATURE] = 0;
  hearth_conversation_set_sampling (conversation, &sampling);
  hearth_conversation_set_limits (conversation, 2048, 0);
  return conversation;
}

static HearthMessage *
message_at (HearthConversation *conversation, guint position)
{
  g_autoptr (HearthMessage) message = g_list_model_get_item (G_LIST_MODEL (conversation), position);

  return message; /* the conversation keeps it */
}

static guint
n_messages (HearthConversation *conversation)
{
  return g_list_model_get_n_items (G_LIST_MODEL (conversation));
}

static gboolean
is_idle (HearthConversation *conversation)
{
  return hearth_conversation_get_state (conversation) == HEARTH_CONVERSATION_IDLE;
}

static void
close_engine (HearthEngine *engine)
{
  g_autoptr (GAsyncResult) result = NULL;

  hearth_engine_close_async (engine, core_test_result_cb, &result);
  core_test_wait (result != NULL);
  hearth_engine_close_finish (engine, result);
}

static void
test_without_model (void)
{
  g_autoptr (HearthEngine) engine = hearth_engine_new ();
  g_autoptr (HearthConversation) conversation = conversation_new (engine);

  g_assert_true (hearth_conversation_is_empty (conversation));
  g_assert_false (hearth_conversation_can_ask (conversation));
  g_assert_false (hearth_conversation_ask (conversation, "Anybody there?"));
  g_assert_null (hearth_conversation_get_title (conversation));
  g_assert_cmpuint (n_messages (conversation), ==, 0);
  hearth_conversation_stop (conversation);
  hearth_conversation_regenerate (conversation);
  close_engine (engine);
}

static void
test_ask (void)
{
  g_autoptr (HearthEngine) engine = hearth_engine_new ();
  g_autoptr (HearthConversation) conversation = conversation_new (engine);
  g_autofree char *first = NULL;

  hearth_conversation_set_model (conversation, model);
  g_assert_true (hearth_conversation_can_ask (conversation));
  g_assert_false (hearth_conversation_can_regenerate (conversation));
  g_assert_false (hearth_conversation_ask (conversation, " \n\t "));
  g_assert_true (hearth_conversation_ask (conversation, "  What is gravity?\nPlease."));
  g_assert_cmpstr (hearth_conversation_get_title (conversation), ==, "What is gravity?");
  g_assert_cmpuint (n_messages (conversation), ==, 2);
  g_assert_false (hearth_conversation_can_ask (conversation));
  g_assert_false (hearth_conversation_ask (conversation, "And now?"));
  core_test_wait (is_idle (conversation));
  g_assert_cmpint (hearth_message_get_state (message_at (conversation, 1)), ==,
                   HEARTH_MESSAGE_DONE);
  first = g_strdup (hearth_message_get_text (message_at (conversation, 1)));
  g_assert_cmpuint (strlen (first), >, 20);

  /* Again: another message in the same place, with the same text. */
  hearth_conversation_regenerate (conversation);
  g_assert_cmpuint (n_messages (conversation), ==, 2);
  g_assert_cmpstr (hearth_message_get_text (message_at (conversation, 1)), ==, "");
  core_test_wait (is_idle (conversation));
  g_assert_cmpstr (hearth_message_get_text (message_at (conversation, 1)), ==, first);

  /* The next question goes on from there: most of it is known already. */
  g_assert_true (hearth_conversation_ask (conversation, "Who found that out?"));
  core_test_wait (hearth_message_get_state (message_at (conversation, 3)) ==
                  HEARTH_MESSAGE_ANSWERING);
  hearth_conversation_stop (conversation);
  core_test_wait (is_idle (conversation));
  {
    const HearthFigures *before = hearth_message_get_figures (message_at (conversation, 1));
    const HearthFigures *after = hearth_message_get_figures (message_at (conversation, 3));

    g_assert_cmpuint (after->n_prompt, >, before->n_prompt + before->n_generated);
    g_assert_cmpuint (after->n_reused, >=, before->n_prompt);
  }
  g_assert_cmpstr (hearth_conversation_get_title (conversation), ==, "What is gravity?");
  close_engine (engine);
}

static void
test_stop (void)
{
  g_autoptr (HearthEngine) engine = hearth_engine_new ();
  g_autoptr (HearthConversation) conversation = conversation_new (engine);
  HearthMessage *answer;

  hearth_conversation_set_model (conversation, model);
  hearth_conversation_ask (conversation, LONG_QUESTION);
  answer = message_at (conversation, 1);
  core_test_wait (strlen (hearth_message_get_text (answer)) > 30);
  hearth_conversation_stop (conversation);
  core_test_wait (is_idle (conversation));
  g_assert_cmpint (hearth_message_get_state (answer), ==, HEARTH_MESSAGE_STOPPED);
  g_assert_cmpuint (strlen (hearth_message_get_text (answer)), >, 30);
  g_assert_nonnull (hearth_message_get_figures (answer));
  g_assert_true (hearth_conversation_can_ask (conversation));
  g_assert_true (hearth_conversation_can_regenerate (conversation));
  close_engine (engine);
}

/* Versions: regenerated answers, edited questions and answers, and the way back. */
static void
test_versions (void)
{
  g_autoptr (HearthEngine) engine = hearth_engine_new ();
  g_autoptr (HearthConversation) conversation = conversation_new (engine);
  HearthMessage *question, *first, *again;

  hearth_conversation_set_model (conversation, model);
  g_assert_true (hearth_conversation_ask (conversation, "What is gravity?"));
  g_assert_false (hearth_conversation_can_branch (conversation));
  core_test_wait (is_idle (conversation));
  g_assert_true (hearth_conversation_can_branch (conversation));
  question = message_at (conversation, 0);
  first = message_at (conversation, 1);
  g_assert_nonnull (hearth_message_get_model_title (first));
  g_assert_true (hearth_conversation_regenerate_answer (conversation, first));
  again = message_at (conversation, 1);
  g_assert_true (again != first);
  g_assert_cmpuint (hearth_message_get_n_versions (first), ==, 2);
  g_assert_cmpuint (hearth_message_get_version (again), ==, 1);
  hearth_conversation_show_version (conversation, again, 0); /* not while it grows */
  g_assert_true (message_at (conversation, 1) == again);
  core_test_wait (is_idle (conversation));

  /* What follows an answer belongs to that version. */
  g_assert_true (hearth_conversation_ask (conversation, "Who found that out?"));
  hearth_conversation_stop (conversation);
  core_test_wait (is_idle (conversation));
  g_assert_cmpuint (n_messages (conversation), ==, 4);
  hearth_conversation_show_version (conversation, again, 0);
  g_assert_cmpuint (n_messages (conversation), ==, 2);
  g_assert_true (message_at (conversation, 1) == first);
  hearth_conversation_show_version (conversation, first, 1);
  g_assert_cmpuint (n_messages (conversation), ==, 4);

  /* The first question in other words; then its answer, corrected by hand. */
  g_assert_true (hearth_conversation_edit (conversation, question, "What is light?"));
  g_assert_cmpuint (n_messages (conversation), ==, 2);
  core_test_wait (is_idle (conversation));
  g_assert_true (hearth_conversation_edit (conversation, message_at (conversation, 1), "A wave."));
  g_assert_true (is_idle (conversation));
  g_assert_cmpstr (hearth_message_get_text (message_at (conversation, 1)), ==, "A wave.");
  g_assert_cmpint (hearth_message_get_state (message_at (conversation, 1)), ==,
                   HEARTH_MESSAGE_DONE);
  g_assert_false (hearth_conversation_edit (conversation, question, "not on the path any more"));
  hearth_conversation_show_version (conversation, message_at (conversation, 0), 0);
  g_assert_true (message_at (conversation, 0) == question);
  g_assert_cmpuint (n_messages (conversation), ==, 4);
  g_assert_cmpstr (hearth_conversation_get_title (conversation), ==, "What is gravity?");
  hearth_conversation_set_title (conversation, " Falling ");
  g_assert_cmpstr (hearth_conversation_get_title (conversation), ==, "Falling");
  hearth_conversation_set_title (conversation, "  ");
  g_assert_cmpstr (hearth_conversation_get_title (conversation), ==, "What is gravity?");
  close_engine (engine);
}

/* A question asked during the load waits for it, and nobody else is asked. */
static void
test_ask_while_loading (void)
{
  g_autoptr (HearthEngine) engine = hearth_engine_new ();
  g_autoptr (HearthConversation) conversation = conversation_new (engine);

  hearth_conversation_set_model (conversation, model);
  hearth_conversation_load (conversation);
  g_assert_cmpint (hearth_conversation_get_state (conversation), ==, HEARTH_CONVERSATION_LOADING);
  g_assert_true (hearth_conversation_can_ask (conversation));
  g_assert_true (hearth_conversation_ask (conversation, "What is gravity?"));
  g_assert_cmpint (hearth_conversation_get_state (conversation), ==, HEARTH_CONVERSATION_LOADING);
  g_assert_false (hearth_conversation_can_ask (conversation));
  core_test_wait (is_idle (conversation));
  g_assert_cmpint (hearth_message_get_state (message_at (conversation, 1)), ==,
                   HEARTH_MESSAGE_DONE);
  close_engine (engine);
}

static void
test_stopped_load (void)
{
  g_autoptr (HearthEngine) engine = hearth_engine_new ();
  g_autoptr (HearthConversation) conversation = conversation_new (engine);

  hearth_conversation_set_model (conversation, model);
  hearth_conversation_load (conversation);
  g_assert_true (hearth_conversation_ask (conversation, "What is gravity?"));
  hearth_conversation_stop (conversation);
  core_test_wait (is_idle (conversation));
  g_assert_cmpint (hearth_message_get_state (message_at (conversation, 1)), ==,
                   HEARTH_MESSAGE_STOPPED);
  g_assert_null (hearth_conversation_get_load_error (conversation));
  close_engine (engine);
}

/* The file goes away between its header and its load. */
static void
test_failed_load (void)
{
  g_autoptr (HearthEngine) engine = hearth_engine_new ();
  g_autoptr (HearthConversation) conversation = conversation_new (engine);
  g_autofree char *folder = g_dir_make_tmp ("hearth-XXXXXX", NULL);
  g_autofree char *link = g_build_filename (folder, "gone.gguf", NULL);
  g_autoptr (GFile) link_file = g_file_new_for_path (link);
  g_autoptr (GFile) folder_file = g_file_new_for_path (folder);
  g_autoptr (HearthModelFile) gone = NULL;
  g_autoptr (GError) error = NULL;

  g_file_make_symbolic_link (link_file, hearth_model_file_get_path (model), NULL, &error);
  g_assert_no_error (error);
  gone = read_model (link);
  g_assert_true (hearth_model_file_can_chat (gone));
  g_file_delete (link_file, NULL, NULL);
  g_file_delete (folder_file, NULL, NULL);

  hearth_conversation_set_model (conversation, gone);
  hearth_conversation_load (conversation);
  core_test_wait (is_idle (conversation));
  g_assert_nonnull (hearth_conversation_get_load_error (conversation));
  g_assert_true (hearth_conversation_get_load_error (conversation)->domain == HEARTH_ERROR);

  g_assert_true (hearth_conversation_ask (conversation, "Still there?"));
  g_assert_null (hearth_conversation_get_load_error (conversation));
  core_test_wait (is_idle (conversation));
  g_assert_cmpint (hearth_message_get_state (message_at (conversation, 1)), ==,
                   HEARTH_MESSAGE_FAILED);

  /* With a file that is there, the same question is answered. */
  hearth_conversation_set_model (conversation, model);
  hearth_conversation_regenerate (conversation);
  core_test_wait (hearth_message_get_state (message_at (conversation, 1)) ==
                  HEARTH_MESSAGE_ANSWERING);
  close_engine (engine);
}

/* Deleting a chat, or giving it another model, while it answers: what comes late is dropped. */
static void
test_dropped (void)
{
  g_autoptr (HearthEngine) engine = hearth_engine_new ();
  HearthConversation *deleted = conversation_new (engine);
  g_autoptr (HearthConversation) other = conversation_new (engine);
  g_autoptr (HearthMessage) answer = NULL;

  hearth_conversation_set_model (deleted, model);
  hearth_conversation_ask (deleted, LONG_QUESTION);
  answer = g_object_ref (message_at (deleted, 1));
  core_test_wait (*hearth_message_get_text (answer) != '\0');
  g_object_unref (deleted);
  g_assert_cmpint (hearth_message_get_state (answer), ==, HEARTH_MESSAGE_STOPPED);

  hearth_conversation_set_model (other, model);
  hearth_conversation_ask (other, LONG_QUESTION);
  core_test_wait (*hearth_message_get_text (message_at (other, 1)) != '\0');
  hearth_conversation_set_model (other, NULL);
  g_assert_true (is_idle (other));
  g_assert_cmpint (hearth_message_get_state (message_at (other, 1)), ==, HEARTH_MESSAGE_STOPPED);
  hearth_conversation_set_model (other, model);
  g_assert_true (hearth_conversation_ask (other, "What is gravity?"));
  core_test_wait (is_idle (other));
  g_assert_cmpint (hearth_message_get_state (message_at (other, 3)), ==, HEARTH_MESSAGE_DONE);
  close_engine (engine);
}

static void
with_model (gconstpointer data)
{
  g_autofree char *path = core_test_model ();

  if (path == NULL)
    return;
  model = read_model (path);
  ((void (*) (void)) data) ();
  g_clear_object (&model);
}

static void
add (const char *path, void (*test) (void))
{
  g_test_add_data_func (path, (gconstpointer) test, with_model);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/conversation/without-model", test_without_model);
  add ("/conversation/ask", test_ask);
  add ("/conversation/stop", test_stop);
  add ("/conversation/versions", test_versions);
  add ("/conversation/ask-while-loading", test_ask_while_loading);
  add ("/conversation/stopped-load", test_stopped_load);
  add ("/conversation/failed-load", test_failed_load);
  add ("/conversation/dropped", test_dropped);
  return g_test_run ();
}
