/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "core-test.h"
#include "hearth-engine.h"
#include "hearth-error.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#define LONG_QUESTION "Tell me a very long story about the sea."

static HearthEngineModel
model_of (const char *path, guint n_ctx)
{
  return (HearthEngineModel) { .path = path, .n_ctx = n_ctx };
}

static gboolean
load (HearthEngine *engine, const char *path, GCancellable *cancellable, GError **error)
{
  g_autoptr (GAsyncResult) result = NULL;
  HearthEngineModel model = model_of (path, 2048);

  hearth_engine_load_async (engine, &model, cancellable, core_test_result_cb, &result);
  core_test_wait (result != NULL);
  return hearth_engine_load_finish (engine, result, error);
}

/* An answer under way. */
struct turn
{
  HearthMessage *message;
  HearthReplyStream *stream;
  GCancellable *cancellable;
  GAsyncResult *result;
};

static void
turn_begin (struct turn *turn, HearthEngine *engine, const char *question, guint n_ctx)
{
  const char *roles[] = { "user" };
  const char *contents[] = { question };
  HearthSampling sampling;
  HearthEngineTurn request = { .model = model_of (core_test_path, n_ctx),
                               .sampling = &sampling,
                               .roles = roles,
                               .contents = contents,
                               .n_messages = 1 };

  hearth_sampling_init (&sampling);
  sampling.values[HEARTH_PARAMETER_TEMPERATURE] = 0;
  *turn = (struct turn) { .message = hearth_message_new (HEARTH_MESSAGE_ANSWER, ""),
                          .cancellable = g_cancellable_new () };
  turn->stream = hearth_reply_stream_new (turn->message);
  hearth_engine_answer_async (engine, &request, turn->stream, turn->cancellable,
                              core_test_result_cb, &turn->result);
}

/* Waits for the end. Returns: (transfer full) (nullable) */
static HearthFigures *
turn_end (struct turn *turn, HearthEngine *engine, GError **error)
{
  HearthFigures *figures;

  core_test_wait (turn->result != NULL);
  hearth_reply_stream_flush (turn->stream);
  figures = hearth_engine_answer_finish (engine, turn->result, error);
  return figures;
}

static void
turn_clear (struct turn *turn)
{
  g_clear_object (&turn->message);
  g_clear_object (&turn->cancellable);
  g_clear_object (&turn->result);
  g_clear_pointer (&turn->stream, hearth_reply_stream_unref);
}

/* One whole answer. Returns: (transfer full) */
static char *
answer (HearthEngine *engine, const char *question, guint n_ctx)
{
  g_autoptr (GError) error = NULL;
  g_autofree HearthFigures *figures = NULL;
  struct turn turn;
  char *text;

  turn_begin (&turn, engine, question, n_ctx);
  figures = turn_end (&turn, engine, &error);
  g_assert_no_error (error);
  g_assert_cmpint (figures->ending, ==, HEARTH_ENDING_END);
  g_assert_cmpuint (figures->n_generated, >, 0);
  text = g_strdup (hearth_message_get_text (turn.message));
  turn_clear (&turn);
  return text;
}

static void
close_engine (HearthEngine *engine)
{
  g_autoptr (GAsyncResult) result = NULL;

  hearth_engine_close_async (engine, core_test_result_cb, &result);
  core_test_wait (result != NULL);
  hearth_engine_close_finish (engine, result);
  g_assert_cmpint (hearth_engine_get_state (engine), ==, HEARTH_ENGINE_CLOSED);
}

static void
progress_cb (HearthEngine *engine, GParamSpec *pspec, gpointer user_data)
{
  double *last = user_data;
  double progress = hearth_engine_get_progress (engine);

  g_assert_cmpfloat (progress, >=, *last);
  g_assert_cmpfloat (progress, <=, 1);
  *last = progress;
}

static void
test_idle (void)
{
  g_autoptr (HearthEngine) engine = hearth_engine_new ();

  g_assert_cmpint (hearth_engine_get_state (engine), ==, HEARTH_ENGINE_EMPTY);
  g_assert_null (hearth_engine_get_path (engine));
  /* Dropped without a word: its thread must end by itself. */
}

static void
test_close (void)
{
  g_autoptr (HearthEngine) engine = hearth_engine_new ();
  g_autoptr (GError) error = NULL;

  close_engine (engine);
  g_assert_false (load (engine, "/nowhere.gguf", NULL, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
}

static void
test_missing_file (void)
{
  g_autoptr (HearthEngine) engine = hearth_engine_new ();
  g_autoptr (GError) error = NULL;

  g_assert_false (load (engine, "/nowhere/at/all.gguf", NULL, &error));
  g_assert_true (error->domain == HEARTH_ERROR);
  g_assert_nonnull (strstr (error->message, "all.gguf"));
  g_assert_cmpint (hearth_engine_get_state (engine), ==, HEARTH_ENGINE_EMPTY);
}

static void
test_load (void)
{
  g_autoptr (HearthEngine) engine = hearth_engine_new ();
  g_autoptr (GError) error = NULL;
  double last = 0;

  g_signal_connect (engine, "notify::progress", G_CALLBACK (progress_cb), &last);
  g_assert_true (load (engine, core_test_path, NULL, &error));
  g_assert_no_error (error);
  g_assert_cmpint (hearth_engine_get_state (engine), ==, HEARTH_ENGINE_READY);
  g_assert_cmpstr (hearth_engine_get_path (engine), ==, core_test_path);
  g_assert_cmpuint (hearth_engine_get_n_ctx (engine), ==, 2048);

  g_signal_handlers_disconnect_by_func (engine, progress_cb, &last);

  /* A bad one drops the good one: only one is in memory. */
  g_assert_false (load (engine, "/nowhere/at/all.gguf", NULL, NULL));
  g_assert_cmpint (hearth_engine_get_state (engine), ==, HEARTH_ENGINE_EMPTY);
  g_assert_null (hearth_engine_get_path (engine));
  close_engine (engine);
}

static void
test_cancelled_load (void)
{
  g_autoptr (HearthEngine) engine = hearth_engine_new ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GError) error = NULL;

  g_cancellable_cancel (cancellable);
  g_assert_false (load (engine, core_test_path, cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpint (hearth_engine_get_state (engine), ==, HEARTH_ENGINE_EMPTY);
  g_clear_error (&error);
  g_assert_true (load (engine, core_test_path, NULL, &error));
  g_assert_no_error (error);

  /* One that was cancelled before it began leaves the model that is there. */
  g_assert_false (load (engine, "/nowhere/at/all.gguf", cancellable, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpint (hearth_engine_get_state (engine), ==, HEARTH_ENGINE_READY);
  g_assert_cmpstr (hearth_engine_get_path (engine), ==, core_test_path);
}

/* The same question gives the same text, with the model loaded for it and with it in memory. */
static void
test_answer (void)
{
  g_autoptr (HearthEngine) engine = hearth_engine_new ();
  g_autofree char *first = answer (engine, "What is gravity?", 2048);
  g_autofree char *second = answer (engine, "What is gravity?", 2048);

  g_assert_cmpstr (first, ==, second);
  g_assert_cmpuint (strlen (first), >, 20);
  g_assert_true (g_utf8_validate (first, -1, NULL));
  hearth_engine_unload (engine);
  core_test_wait (hearth_engine_get_state (engine) == HEARTH_ENGINE_EMPTY);
  close_engine (engine);
}

static void
test_cancel_answer (void)
{
  g_autoptr (HearthEngine) engine = hearth_engine_new ();
  g_autoptr (GError) error = NULL;
  g_autofree HearthFigures *figures = NULL;
  g_autofree char *whole = answer (engine, "What is gravity?", 2048);
  g_autofree char *after = NULL;
  struct turn turn;

  turn_begin (&turn, engine, "What is gravity?", 2048);
  core_test_wait (*hearth_message_get_text (turn.message) != '\0');
  g_assert_cmpint (hearth_engine_get_state (engine), ==, HEARTH_ENGINE_ANSWERING);
  g_cancellable_cancel (turn.cancellable);
  figures = turn_end (&turn, engine, &error);
  g_assert_no_error (error);
  g_assert_cmpint (figures->ending, ==, HEARTH_ENDING_CANCELLED);
  g_assert_true (g_str_has_prefix (whole, hearth_message_get_text (turn.message)));
  g_assert_cmpuint (strlen (hearth_message_get_text (turn.message)), <, strlen (whole));
  turn_clear (&turn);

  after = answer (engine, "What is gravity?", 2048);
  g_assert_cmpstr (after, ==, whole);
  close_engine (engine);
}

static char *
long_question (guint n_words)
{
  GString *text = g_string_new ("Which word is the longest?");

  for (guint i = 0; i < n_words; i++)
    g_string_append_printf (text, " word%u", i);
  return g_string_free_and_steal (text);
}

static void
test_cancel_reading (void)
{
  g_autoptr (HearthEngine) engine = hearth_engine_new ();
  g_autoptr (GError) error = NULL;
  g_autofree HearthFigures *figures = NULL;
  g_autofree char *question = long_question (700);
  g_autofree char *after = NULL;
  struct turn turn;

  g_assert_true (load (engine, core_test_path, NULL, NULL));
  turn_begin (&turn, engine, question, 0);
  core_test_wait (hearth_message_get_state (turn.message) == HEARTH_MESSAGE_READING);
  g_cancellable_cancel (turn.cancellable);
  figures = turn_end (&turn, engine, &error);
  g_assert_no_error (error);
  g_assert_cmpint (figures->ending, ==, HEARTH_ENDING_CANCELLED);
  g_assert_cmpstr (hearth_message_get_text (turn.message), ==, "");
  turn_clear (&turn);
  after = answer (engine, "What is gravity?", 0);
  g_assert_cmpuint (strlen (after), >, 20);
  close_engine (engine);
}

static void
test_context_full (void)
{
  g_autoptr (HearthEngine) engine = hearth_engine_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *question = long_question (300);
  g_autofree HearthFigures *cut = NULL;
  struct turn turn;

  turn_begin (&turn, engine, question, 256);
  g_assert_null (turn_end (&turn, engine, &error));
  g_assert_error (error, HEARTH_ERROR, HEARTH_ERROR_CONTEXT_FULL);
  turn_clear (&turn);
  g_clear_error (&error);

  /* One that fits is answered until the context is full, and says so. */
  turn_begin (&turn, engine, LONG_QUESTION, 96);
  cut = turn_end (&turn, engine, &error);
  g_assert_no_error (error);
  g_assert_cmpint (cut->ending, ==, HEARTH_ENDING_CONTEXT);
  g_assert_cmpuint (strlen (hearth_message_get_text (turn.message)), >, 0);
  turn_clear (&turn);
  close_engine (engine);
}

/* Two at once: in the order they were asked. A cancelled one that still waits is not begun. */
static void
test_queue (void)
{
  g_autoptr (HearthEngine) engine = hearth_engine_new ();
  g_autofree char *gravity = answer (engine, "What is gravity?", 2048);
  g_autofree HearthFigures *first_figures = NULL;
  g_autofree HearthFigures *second_figures = NULL;
  struct turn first, second;

  turn_begin (&first, engine, "What is gravity?", 2048);
  turn_begin (&second, engine, "What is gravity?", 2048);
  g_cancellable_cancel (second.cancellable);
  core_test_wait (second.result != NULL);
  g_assert_nonnull (first.result);
  first_figures = turn_end (&first, engine, NULL);
  second_figures = turn_end (&second, engine, NULL);
  g_assert_cmpstr (hearth_message_get_text (first.message), ==, gravity);
  g_assert_cmpint (second_figures->ending, ==, HEARTH_ENDING_CANCELLED);
  g_assert_cmpstr (hearth_message_get_text (second.message), ==, "");
  turn_clear (&first);
  turn_clear (&second);
  close_engine (engine);
}

/* Closing while an answer grows and another waits: both end, as cancelled. */
static void
test_close_busy (void)
{
  g_autoptr (HearthEngine) engine = hearth_engine_new ();
  g_autofree HearthFigures *first_figures = NULL;
  g_autofree HearthFigures *second_figures = NULL;
  struct turn first, second;

  turn_begin (&first, engine, LONG_QUESTION, 2048);
  turn_begin (&second, engine, LONG_QUESTION, 2048);
  core_test_wait (*hearth_message_get_text (first.message) != '\0');
  close_engine (engine);
  first_figures = turn_end (&first, engine, NULL);
  second_figures = turn_end (&second, engine, NULL);
  g_assert_cmpint (first_figures->ending, ==, HEARTH_ENDING_CANCELLED);
  g_assert_cmpint (second_figures->ending, ==, HEARTH_ENDING_CANCELLED);
  turn_clear (&first);
  turn_clear (&second);
}

/* Closing with everything still to do, the load included. */
static void
test_close_loading (void)
{
  g_autoptr (HearthEngine) engine = hearth_engine_new ();
  struct turn turn;

  turn_begin (&turn, engine, LONG_QUESTION, 2048);
  close_engine (engine);
  g_assert_nonnull (turn.result);
  {
    g_autoptr (GError) error = NULL;
    g_autofree HearthFigures *figures = turn_end (&turn, engine, &error);

    g_assert_true (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED) ||
                   (figures != NULL && figures->ending == HEARTH_ENDING_CANCELLED));
  }
  turn_clear (&turn);
}

/* ---- going on ---------------------------------------------------------------------------- */

/* The answer to `question` after `beginning`, at most `max_tokens` (0: to the end). */
static char *
go_on (HearthEngine *engine, const char *question, const char *beginning, double max_tokens,
       HearthFigures *figures)
{
  const char *roles[] = { "user", "assistant" };
  const char *contents[] = { question, beginning };
  g_autoptr (GError) error = NULL;
  g_autofree HearthFigures *result = NULL;
  HearthSampling sampling;
  HearthEngineTurn request = { .model = model_of (core_test_path, 2048),
                               .sampling = &sampling,
                               .roles = roles,
                               .contents = contents,
                               .n_messages = *beginning != '\0' ? 2 : 1,
                               .thinking = TRUE };
  struct turn turn = { .message = hearth_message_new (HEARTH_MESSAGE_ANSWER, beginning) };
  char *text;

  hearth_sampling_init (&sampling);
  sampling.values[HEARTH_PARAMETER_TEMPERATURE] = 0;
  sampling.values[HEARTH_PARAMETER_MAX_TOKENS] = max_tokens;
  turn.stream = hearth_reply_stream_new (turn.message);
  hearth_engine_answer_async (engine, &request, turn.stream, NULL, core_test_result_cb,
                              &turn.result);
  result = turn_end (&turn, engine, &error);
  g_assert_no_error (error);
  *figures = *result;
  text = g_strdup (hearth_message_get_text (turn.message));
  turn_clear (&turn);
  return text;
}

/* An answer in pieces, cut after every few tokens and in the middle of characters too, is the
 * answer in one piece; nothing but the last token is read again. */
static void
test_go_on (void)
{
  static const char *const questions[] = {
    "What is gravity?",
    "Write one sentence with many emoji: 🎉 🚀 😀 and 日本語.",
  };
  g_autoptr (HearthEngine) engine = hearth_engine_new ();

  for (gsize i = 0; i < G_N_ELEMENTS (questions); i++)
    {
      HearthFigures figures;
      g_autofree char *whole = go_on (engine, questions[i], "", 120, &figures);
      g_autofree char *pieces = g_strdup ("");
      guint64 n_whole = figures.n_generated;
      guint64 n_pieces = 0;

      do
        {
          char *longer = go_on (engine, questions[i], pieces, 7, &figures);

          g_assert_true (g_str_has_prefix (longer, pieces));
          if (n_pieces > 0)
            g_assert_cmpuint (figures.n_reused + 4, >=, figures.n_prompt);
          n_pieces++;
          g_free (pieces);
          pieces = longer;
          g_assert_true (g_str_has_prefix (whole, pieces) || g_str_has_prefix (pieces, whole));
        }
      while (figures.ending == HEARTH_ENDING_LENGTH && strlen (pieces) < strlen (whole));
      g_assert_true (g_str_has_prefix (pieces, whole));
      g_assert_cmpuint (n_pieces, >=, n_whole / 7);
    }
  close_engine (engine);
}

/* Also when something else was asked in between, and nothing of it is in memory any more. What was
 * said token by token is read at once then, which rounds differently, so that the words may differ
 * where two were as likely; the tokens gone on from are the same. */
static void
test_go_on_later (void)
{
  g_autoptr (HearthEngine) engine = hearth_engine_new ();
  HearthFigures figures;
  g_autofree char *beginning = go_on (engine, "What is gravity?", "", 20, &figures);
  guint64 n_prompt;
  g_autofree char *other = NULL;
  g_autofree char *continued = NULL;

  g_assert_cmpint (figures.ending, ==, HEARTH_ENDING_LENGTH);
  g_assert_cmpuint (figures.n_generated, ==, 20);
  n_prompt = figures.n_prompt;
  other = go_on (engine, "Who are you?", "", 20, &figures);
  continued = go_on (engine, "What is gravity?", beginning, 40, &figures);
  g_assert_true (g_str_has_prefix (continued, beginning));
  g_assert_cmpuint (strlen (continued), >, strlen (beginning) + 40);
  g_assert_cmpuint (figures.n_prompt, ==, n_prompt + 20);

  /* A beginning that somebody wrote: it goes on from there all the same. */
  g_clear_pointer (&continued, g_free);
  continued = go_on (engine, "What is gravity?", "Gravity is a kind of", 10, &figures);
  g_assert_true (g_str_has_prefix (continued, "Gravity is a kind of"));
  g_assert_cmpuint (strlen (continued), >, strlen ("Gravity is a kind of"));
  close_engine (engine);
}

/* ---- a full context ----------------------------------------------------------------------- */

#define N_TURNS 12

static HearthEngineTurn
long_talk (const char **roles, const char **contents, const HearthSampling *sampling, guint n_ctx)
{
  roles[0] = "system";
  contents[0] = "You are brief.";
  for (guint i = 0; i < N_TURNS; i++)
    {
      roles[1 + 2 * i] = "user";
      contents[1 + 2 * i] = "Name a colour of the rainbow and say a little about it, please.";
      roles[2 + 2 * i] = "assistant";
      contents[2 + 2 * i] = "Green is the colour of grass, of leaves and of young corn in May.";
    }
  roles[1 + 2 * N_TURNS] = "user";
  contents[1 + 2 * N_TURNS] = "What is gravity?";
  return (HearthEngineTurn) { .model = model_of (core_test_path, n_ctx),
                              .sampling = sampling,
                              .roles = roles,
                              .contents = contents,
                              .n_messages = 2 + 2 * N_TURNS };
}

static HearthFigures *
talk (HearthEngine *engine, const HearthEngineTurn *request, GError **error)
{
  struct turn turn = { .message = hearth_message_new (HEARTH_MESSAGE_ANSWER, "") };
  HearthFigures *figures;

  turn.stream = hearth_reply_stream_new (turn.message);
  hearth_engine_answer_async (engine, request, turn.stream, NULL, core_test_result_cb,
                              &turn.result);
  figures = turn_end (&turn, engine, error);
  turn_clear (&turn);
  return figures;
}

static HearthCount
count (HearthEngine *engine, const HearthEngineTurn *request)
{
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  HearthCount counted;

  hearth_engine_count_async (engine, request, NULL, core_test_result_cb, &result);
  core_test_wait (result != NULL);
  g_assert_true (hearth_engine_count_finish (engine, result, &counted, &error));
  g_assert_no_error (error);
  return counted;
}

static void
test_leave_out (void)
{
  g_autoptr (HearthEngine) engine = hearth_engine_new ();
  const char *roles[2 + 2 * N_TURNS];
  const char *contents[2 + 2 * N_TURNS];
  HearthSampling sampling;
  HearthEngineTurn request;
  g_autoptr (GError) error = NULL;
  g_autofree HearthFigures *refused = NULL;
  g_autofree HearthFigures *short_one = NULL;
  g_autofree HearthFigures *long_one = NULL;
  HearthCount before, after;

  hearth_sampling_init (&sampling);
  sampling.values[HEARTH_PARAMETER_TEMPERATURE] = 0;
  sampling.values[HEARTH_PARAMETER_MAX_TOKENS] = 5;
  request = long_talk (roles, contents, &sampling, 256);
  refused = talk (engine, &request, &error);
  g_assert_null (refused);
  g_assert_error (error, HEARTH_ERROR, HEARTH_ERROR_CONTEXT_FULL);
  g_clear_error (&error);

  before = count (engine, &request);
  g_assert_cmpuint (before.n_ctx, ==, 256);
  g_assert_cmpuint (before.n_prompt, >, 256);
  g_assert_cmpuint (before.n_left_out, >, 0);
  g_assert_cmpuint (before.n_remaining, <=, 256);

  request.leave_out = TRUE;
  short_one = talk (engine, &request, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (short_one->n_left_out, ==, before.n_left_out);
  g_assert_cmpuint (short_one->n_left_out % 2, ==, 0);
  g_assert_cmpuint (short_one->n_prompt, ==, before.n_remaining);
  /* No more than needed: with another turn it would not fit. */
  g_assert_cmpuint (short_one->n_prompt, >, 256 - 64 - 60);
  after = count (engine, &request);
  g_assert_cmpuint (after.n_kept, ==, after.n_remaining);
  g_assert_cmpuint (hearth_engine_get_n_tokens (engine), >=, after.n_kept);

  /* With more context nothing is left out. The file is not opened again for it. */
  request.model.n_ctx = 2048;
  long_one = talk (engine, &request, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (long_one->n_left_out, ==, 0);
  g_assert_cmpuint (long_one->n_prompt, ==, before.n_prompt);
  g_assert_cmpuint (hearth_engine_get_n_ctx (engine), ==, 2048);
  close_engine (engine);
}

static void
test_count_unloaded (void)
{
  g_autoptr (HearthEngine) engine = hearth_engine_new ();
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  HearthEngineTurn request = { .model = model_of (core_test_path, 2048) };
  HearthCount counted;

  hearth_engine_count_async (engine, &request, NULL, core_test_result_cb, &result);
  core_test_wait (result != NULL);
  g_assert_false (hearth_engine_count_finish (engine, result, &counted, &error));
  g_assert_error (error, HEARTH_ERROR, HEARTH_ERROR_NOT_LOADED);
  close_engine (engine);
}

/* Twice the bytes for keys and values, and an answer from them. */
static void
test_kv_type (void)
{
  g_autoptr (HearthEngine) engine = hearth_engine_new ();
  HearthEngineModel model = model_of (core_test_path, 1024);
  HearthEngineMemory half, full;

  for (int i = 0; i < 2; i++)
    {
      g_autoptr (GAsyncResult) result = NULL;

      model.kv_type = i == 0 ? HEARTH_KV_F16 : HEARTH_KV_F32;
      hearth_engine_load_async (engine, &model, NULL, core_test_result_cb, &result);
      core_test_wait (result != NULL);
      g_assert_true (hearth_engine_load_finish (engine, result, NULL));
      g_assert_true (hearth_engine_has_loaded (engine, &model));
      hearth_engine_get_memory (engine, i == 0 ? &half : &full);
    }
  g_assert_cmpuint (half.kv, >, 0);
  g_assert_cmpuint (full.kv, ==, 2 * half.kv);
  g_assert_cmpuint (full.weights, ==, half.weights);
  model.n_ctx = 512;
  g_assert_false (hearth_engine_has_loaded (engine, &model));
  close_engine (engine);
}

/* ---- a file that is cut short while it is in use ------------------------------------------- */

static void
test_lost_file (void)
{
  g_autoptr (HearthEngine) engine = hearth_engine_new ();
  g_autofree char *folder = g_dir_make_tmp ("hearth-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "short.gguf", NULL);
  g_autofree char *good = g_strdup (core_test_path);
  g_autofree char *bytes = NULL;
  g_autofree HearthFigures *figures = NULL;
  g_autofree char *after = NULL;
  g_autoptr (GError) error = NULL;
  gsize size;
  int file;
  struct turn turn;

  g_assert_true (g_file_get_contents (good, &bytes, &size, NULL));
  g_assert_true (g_file_set_contents (path, bytes, (gssize) size, NULL));
  g_assert_true (load (engine, path, NULL, &error));
  g_assert_no_error (error);
  file = g_open (path, O_WRONLY, 0);
  g_assert_cmpint (ftruncate (file, 4096), ==, 0);
  g_close (file, NULL);

  g_set_str (&core_test_path, path);
  turn_begin (&turn, engine, "What is gravity?", 2048);
  figures = turn_end (&turn, engine, &error);
  g_assert_null (figures);
  g_assert_error (error, HEARTH_ERROR, HEARTH_ERROR_FILE_LOST);
  g_assert_cmpint (hearth_engine_get_state (engine), ==, HEARTH_ENGINE_EMPTY);
  turn_clear (&turn);

  /* Another file works as if nothing had happened. */
  g_set_str (&core_test_path, good);
  after = answer (engine, "What is gravity?", 2048);
  g_assert_cmpuint (strlen (after), >, 20);
  close_engine (engine);
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

int
main (int argc, char *argv[])
{
  int status;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/engine/idle", test_idle);
  g_test_add_func ("/engine/close", test_close);
  g_test_add_func ("/engine/missing-file", test_missing_file);
  core_test_add ("/engine/load", test_load);
  core_test_add ("/engine/cancelled-load", test_cancelled_load);
  core_test_add ("/engine/answer", test_answer);
  core_test_add ("/engine/cancel-answer", test_cancel_answer);
  core_test_add ("/engine/cancel-reading", test_cancel_reading);
  core_test_add ("/engine/context-full", test_context_full);
  core_test_add ("/engine/queue", test_queue);
  core_test_add ("/engine/close-busy", test_close_busy);
  core_test_add ("/engine/close-loading", test_close_loading);
  core_test_add ("/engine/go-on", test_go_on);
  core_test_add ("/engine/go-on-later", test_go_on_later);
  core_test_add ("/engine/leave-out", test_leave_out);
  core_test_add ("/engine/count-unloaded", test_count_unloaded);
  core_test_add ("/engine/kv-type", test_kv_type);
  core_test_add ("/engine/lost-file", test_lost_file);
  status = g_test_run ();
  return status;
}
