/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core-test.h"
#include "hearth-reply-stream.h"

#define N_PUSHES 20000

static gpointer
push_many (gpointer data)
{
  for (int i = 0; i < N_PUSHES; i++)
    {
      char piece[16];
      int n = g_snprintf (piece, sizeof piece, "%d ", i);

      hearth_reply_stream_push_text (data, piece, (gsize) n);
    }
  return NULL;
}

static void
count_cb (HearthMessage *message, const char *text, gpointer user_data)
{
  (*(int *) user_data)++;
}

/* Everything arrives, in order. */
static void
test_order (void)
{
  g_autoptr (HearthMessage) message = hearth_message_new (HEARTH_MESSAGE_ANSWER, "");
  g_autoptr (HearthReplyStream) stream = hearth_reply_stream_new (message);
  g_autoptr (GString) expected = g_string_new (NULL);
  GThread *thread;
  int appended = 0;

  for (int i = 0; i < N_PUSHES; i++)
    g_string_append_printf (expected, "%d ", i);
  g_signal_connect (message, "appended", G_CALLBACK (count_cb), &appended);
  thread = g_thread_new ("pusher", push_many, stream);
  core_test_wait (strlen (hearth_message_get_text (message)) == expected->len);
  g_thread_join (thread);
  g_assert_cmpstr (hearth_message_get_text (message), ==, expected->str);
  g_assert_cmpint (appended, <=, N_PUSHES);
}

/* While the main loop is busy elsewhere, one flush waits, not thousands. */
static void
test_one_flush (void)
{
  g_autoptr (HearthMessage) message = hearth_message_new (HEARTH_MESSAGE_ANSWER, "");
  g_autoptr (HearthReplyStream) stream = hearth_reply_stream_new (message);
  GThread *thread = g_thread_new ("pusher", push_many, stream);
  int appended = 0;

  g_signal_connect (message, "appended", G_CALLBACK (count_cb), &appended);
  g_thread_join (thread); /* all is pushed before the loop runs once */
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_cmpint (appended, ==, 1);
}

static void
test_progress (void)
{
  g_autoptr (HearthMessage) message = hearth_message_new (HEARTH_MESSAGE_ANSWER, "");
  g_autoptr (HearthReplyStream) stream = hearth_reply_stream_new (message);

  hearth_reply_stream_push_progress (stream, 0.25);
  hearth_reply_stream_push_progress (stream, 0.75);
  hearth_reply_stream_flush (stream);
  g_assert_cmpint (hearth_message_get_state (message), ==, HEARTH_MESSAGE_READING);
  g_assert_cmpfloat (hearth_message_get_progress (message), ==, 0.75);
}

/* What comes late is dropped: after closing, and after the message has ended. */
static void
test_late (void)
{
  g_autoptr (HearthMessage) message = hearth_message_new (HEARTH_MESSAGE_ANSWER, "");
  g_autoptr (HearthReplyStream) stream = hearth_reply_stream_new (message);
  g_autoptr (HearthMessage) other = hearth_message_new (HEARTH_MESSAGE_ANSWER, "");
  g_autoptr (HearthReplyStream) other_stream = hearth_reply_stream_new (other);

  hearth_reply_stream_push_text (stream, "one", 3);
  hearth_reply_stream_close (stream);
  hearth_reply_stream_push_text (stream, "two", 3);
  hearth_reply_stream_push_text (other_stream, "one", 3);
  hearth_message_stop (other);
  while (g_main_context_iteration (NULL, FALSE))
    ;
  g_assert_cmpstr (hearth_message_get_text (message), ==, "");
  g_assert_cmpstr (hearth_message_get_text (other), ==, "");
}

/* What is thought goes its own way, and how long it took is known afterwards. */
static void
test_thinking (void)
{
  g_autoptr (HearthMessage) message = hearth_message_new (HEARTH_MESSAGE_ANSWER, "");
  g_autoptr (HearthReplyStream) stream = hearth_reply_stream_new (message);

  hearth_reply_stream_expect_thinking (stream, "<think>", "</think>", TRUE);
  hearth_reply_stream_push_text (stream, "Hm.", 3);
  hearth_reply_stream_flush (stream);
  g_assert_true (hearth_message_is_thinking (message));
  g_usleep (2000);
  hearth_reply_stream_push_text (stream, "</thi", 5);
  hearth_reply_stream_push_text (stream, "nk>\n\nHello</", 12);
  hearth_reply_stream_flush (stream);
  g_assert_false (hearth_message_is_thinking (message));
  hearth_reply_stream_end (stream);
  hearth_reply_stream_flush (stream);
  g_assert_cmpstr (hearth_message_get_thinking (message), ==, "Hm.");
  g_assert_cmpstr (hearth_message_get_text (message), ==, "Hello</");
  g_assert_cmpuint (hearth_message_get_thinking_ms (message), >=, 2);
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/reply-stream/order", test_order);
  g_test_add_func ("/reply-stream/one-flush", test_one_flush);
  g_test_add_func ("/reply-stream/progress", test_progress);
  g_test_add_func ("/reply-stream/late", test_late);
  g_test_add_func ("/reply-stream/thinking", test_thinking);
  return g_test_run ();
}
