/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core-test.h"
#include "hearth-error.h"
#include "hearth-message.h"

#include <ember/error.h>

static void
count_cb (gpointer object, GParamSpec *pspec, gpointer user_data)
{
  (*(int *) user_data)++;
}

static void
appended_cb (HearthMessage *message, const char *text, gpointer user_data)
{
  g_string_append (user_data, text);
}

static void
test_states (void)
{
  g_autoptr (HearthMessage) question = hearth_message_new (HEARTH_MESSAGE_QUESTION, "why?");
  g_autoptr (HearthMessage) answer = hearth_message_new (HEARTH_MESSAGE_ANSWER, "");
  g_autoptr (GString) heard = g_string_new (NULL);
  HearthFigures figures = { .ending = HEARTH_ENDING_END, .n_generated = 11, .decode_s = 2 };
  int changes = 0;

  g_assert_true (hearth_message_is_finished (question));
  g_assert_cmpstr (hearth_message_get_text (question), ==, "why?");
  g_assert_cmpint (hearth_message_get_state (answer), ==, HEARTH_MESSAGE_WAITING);

  g_signal_connect (answer, "notify::state", G_CALLBACK (count_cb), &changes);
  g_signal_connect (answer, "appended", G_CALLBACK (appended_cb), heard);
  hearth_message_set_progress (answer, 0.5);
  g_assert_cmpint (hearth_message_get_state (answer), ==, HEARTH_MESSAGE_READING);
  g_assert_cmpfloat (hearth_message_get_progress (answer), ==, 0.5);
  hearth_message_append (answer, "Be", 2);
  hearth_message_append (answer, "cause", 5);
  hearth_message_append (answer, "", 0);
  g_assert_cmpint (hearth_message_get_state (answer), ==, HEARTH_MESSAGE_ANSWERING);
  g_assert_cmpstr (hearth_message_get_text (answer), ==, "Because");
  g_assert_cmpstr (heard->str, ==, "Because");
  g_assert_null (hearth_message_get_figures (answer));
  hearth_message_finish (answer, &figures);
  g_assert_cmpint (hearth_message_get_state (answer), ==, HEARTH_MESSAGE_DONE);
  g_assert_cmpint (changes, ==, 3);
  g_assert_cmpuint (hearth_message_get_figures (answer)->n_generated, ==, 11);
}

static void
test_endings (void)
{
  g_autoptr (HearthMessage) stopped = hearth_message_new (HEARTH_MESSAGE_ANSWER, "");
  g_autoptr (HearthMessage) unborn = hearth_message_new (HEARTH_MESSAGE_ANSWER, "");
  g_autoptr (HearthMessage) failed = hearth_message_new (HEARTH_MESSAGE_ANSWER, "");
  g_autoptr (GError) error = g_error_new_literal (HEARTH_ERROR, HEARTH_ERROR_IO, "disk on fire");
  HearthFigures figures = { .ending = HEARTH_ENDING_CANCELLED };

  hearth_message_append (stopped, "so far", 6);
  hearth_message_finish (stopped, &figures);
  g_assert_cmpint (hearth_message_get_state (stopped), ==, HEARTH_MESSAGE_STOPPED);
  g_assert_cmpstr (hearth_message_get_text (stopped), ==, "so far");

  hearth_message_stop (unborn);
  g_assert_cmpint (hearth_message_get_state (unborn), ==, HEARTH_MESSAGE_STOPPED);
  g_assert_null (hearth_message_get_figures (unborn));

  hearth_message_fail (failed, error);
  g_assert_cmpint (hearth_message_get_state (failed), ==, HEARTH_MESSAGE_FAILED);
  g_assert_error (hearth_message_get_error (failed), HEARTH_ERROR, HEARTH_ERROR_IO);
}

static void
test_nul (void)
{
  g_autoptr (HearthMessage) answer = hearth_message_new (HEARTH_MESSAGE_ANSWER, "");

  hearth_message_append (answer, "a\0b", 3);
  hearth_message_append (answer, "c", 1);
  g_assert_cmpstr (hearth_message_get_text (answer), ==,
                   "a\xef\xbf\xbd"
                   "bc");
}

static void
test_speed (void)
{
  HearthFigures figures = { .n_generated = 11, .decode_s = 2 };

  g_assert_cmpfloat_with_epsilon (hearth_figures_get_speed (&figures), 5, 1e-9);
  figures.n_generated = 1;
  g_assert_cmpfloat (hearth_figures_get_speed (&figures), ==, 0);
  figures = (HearthFigures) { .n_generated = 5 };
  g_assert_cmpfloat (hearth_figures_get_speed (&figures), ==, 0);
}

static void
test_errors (void)
{
  static const struct
  {
    enum ember_status status;
    HearthError code;
  } cases[] = {
    { EMBER_FORMAT, HEARTH_ERROR_DAMAGED },
    { EMBER_UNSUPPORTED, HEARTH_ERROR_UNSUPPORTED },
    { EMBER_NOT_FOUND, HEARTH_ERROR_NOT_FOUND },
    { EMBER_NO_MEMORY, HEARTH_ERROR_NO_MEMORY },
    { EMBER_IO, HEARTH_ERROR_IO },
    { EMBER_CONTEXT_FULL, HEARTH_ERROR_CONTEXT_FULL },
    { EMBER_INVALID, HEARTH_ERROR_FAILED },
  };
  struct ember_error failure = { .status = EMBER_CANCELLED, .message = "stop" };
  g_autoptr (GError) cancelled = hearth_error_from_ember (&failure);

  g_assert_error (cancelled, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  for (gsize i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (GError) error = NULL;

      failure.status = cases[i].status;
      error = hearth_error_from_ember (&failure);
      g_assert_error (error, HEARTH_ERROR, (int) cases[i].code);
      g_assert_cmpstr (error->message, ==, "stop");
    }
}

int
main (int argc, char *argv[])
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/message/states", test_states);
  g_test_add_func ("/message/endings", test_endings);
  g_test_add_func ("/message/nul", test_nul);
  g_test_add_func ("/message/speed", test_speed);
  g_test_add_func ("/error/from-ember", test_errors);
  return g_test_run ();
}
