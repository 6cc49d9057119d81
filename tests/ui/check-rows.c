/* SPDX-License-Identifier: GPL-3.0-or-later */
/* check-rows [--frames MODEL]: the rows of a conversation in a window of their own.
 *
 * Alone, it proves by counters that what is finished is never laid out again while 5,000 lines
 * arrive, and that a chat of 2,000 messages is a few dozen widgets. With --frames it prints how
 * long frames take while that answer streams in and MODEL answers at full load. Needs a display. */
#include <adwaita.h>
#include <stdlib.h>
#include <string.h>

#include "hearth-conversation.h"
#include "hearth-message-column.h"
#include "hearth-message-row.h"
#include "hearth-text-block.h"

#define SECTION_LINES 20
#define N_LINES 5000

static int failed;
static int passed;

static void
check (gboolean condition, const char *what)
{
  if (condition)
    passed++;
  else
    {
      failed++;
      g_print ("FAILED %s\n", what);
    }
}

struct scene
{
  GtkWindow *window;
  HearthMessageColumn *column;
  GListStore *messages;
  HearthConversation *conversation;
};

static GtkWidget *
create_row (HearthMessage *message, gpointer user_data)
{
  return hearth_message_row_new (message, user_data);
}

static void
open_scene (struct scene *scene, HearthEngine *engine)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();

  scene->conversation = hearth_conversation_new (engine);
  scene->messages = g_list_store_new (HEARTH_TYPE_MESSAGE);
  scene->column = g_object_new (HEARTH_TYPE_MESSAGE_COLUMN, NULL);
  scene->window = GTK_WINDOW (adw_window_new ());
  gtk_scrolled_window_set_policy (GTK_SCROLLED_WINDOW (scroller), GTK_POLICY_NEVER,
                                  GTK_POLICY_AUTOMATIC);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scroller), GTK_WIDGET (scene->column));
  adw_window_set_content (ADW_WINDOW (scene->window), scroller);
  gtk_window_set_default_size (scene->window, 900, 700);
  hearth_message_column_set_model (scene->column, G_LIST_MODEL (scene->messages), create_row,
                                   scene->conversation);
  gtk_window_present (scene->window);
}

static void
close_scene (struct scene *scene)
{
  hearth_message_column_set_model (scene->column, NULL, NULL, NULL);
  gtk_window_destroy (scene->window);
  g_object_unref (scene->messages);
  g_object_unref (scene->conversation);
}

static void
painted_cb (GdkFrameClock *clock, gpointer data)
{
  (*(int *) data)++;
}

/* Lets the window lay out and draw `n` frames. */
static void
run_frames (struct scene *scene, int n)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (GTK_WIDGET (scene->window));
  int painted = 0;
  gulong id = g_signal_connect (clock, "after-paint", G_CALLBACK (painted_cb), &painted);

  while (painted < n)
    {
      gtk_widget_queue_draw (GTK_WIDGET (scene->column));
      g_main_context_iteration (NULL, TRUE);
    }
  g_signal_handler_disconnect (clock, id);
}

/* 20 lines of every kind; ends where a block surely ends. */
static char *
section (int number)
{
  return g_strdup_printf (
    "## Section %d\n\nA paragraph with **bold**, *italic* and `code`, long enough to take more "
    "than "
    "one line of the window that it is shown in.\nAnd a [link](https://example.org/%d).\n\n"
    "- first point\n- second point\n  - inside\n\n1. one\n2. two\n\n> A quote.\n\n"
    "```c\nint x = %d;\nreturn x;\n```\n\n",
    number, number, number);
}

static GPtrArray *
text_blocks (GtkWidget *widget, GPtrArray *found)
{
  if (HEARTH_IS_TEXT_BLOCK (widget))
    g_ptr_array_add (found, widget);
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    text_blocks (child, found);
  return found;
}

/* ---- what is finished stays ------------------------------------------------------------- */

static void
check_long_answer (HearthEngine *engine)
{
  struct scene scene;
  g_autoptr (HearthMessage) question = hearth_message_new (HEARTH_MESSAGE_QUESTION, "Go on.");
  g_autoptr (HearthMessage) answer = hearth_message_new (HEARTH_MESSAGE_ANSWER, "");
  g_autoptr (GHashTable) counts = g_hash_table_new (NULL, NULL);
  guint again = 0;
  guint n_finished = 0;
  guint before, after = 0;

  open_scene (&scene, engine);
  g_list_store_append (scene.messages, question);
  g_list_store_append (scene.messages, answer);
  for (int i = 0; i < N_LINES / SECTION_LINES; i++)
    {
      g_autofree char *text = section (i);
      g_autoptr (GPtrArray) blocks = NULL;

      hearth_message_append (answer, text, strlen (text));
      run_frames (&scene, 2);
      blocks = text_blocks (GTK_WIDGET (scene.column), g_ptr_array_new ());
      n_finished = blocks->len - 2; /* the last two are the code that ended with the text */
      for (guint k = 0; k < n_finished; k++)
        {
          guint n = hearth_text_block_get_n_layouts (blocks->pdata[k]);
          gpointer known;

          if (g_hash_table_lookup_extended (counts, blocks->pdata[k], NULL, &known))
            again += n - GPOINTER_TO_UINT (known);
          g_hash_table_insert (counts, blocks->pdata[k], GUINT_TO_POINTER (n));
        }
      check (g_hash_table_size (counts) == n_finished, "a finished block keeps its widget");
    }
  g_print ("%d lines: %u finished blocks, laid out again %u times\n", N_LINES, n_finished, again);
  check (again == 0, "finished blocks are not laid out again");
  check (n_finished > 2000, "there are thousands of blocks");
  check (hearth_message_column_get_following (scene.column), "the view follows the answer");

  /* The counter counts: another width is another layout of everything. */
  before = g_hash_table_size (counts);
  gtk_window_set_default_size (scene.window, 500, 700);
  run_frames (&scene, 20);
  {
    g_autoptr (GPtrArray) blocks = text_blocks (GTK_WIDGET (scene.column), g_ptr_array_new ());

    for (guint k = 0; k < blocks->len; k++)
      {
        guint n = hearth_text_block_get_n_layouts (blocks->pdata[k]);

        after += n > GPOINTER_TO_UINT (g_hash_table_lookup (counts, blocks->pdata[k]));
      }
  }
  check (after > before / 2, "a narrower window lays them out again");
  close_scene (&scene);
}

/* ---- a long chat ------------------------------------------------------------------------ */

static void
check_long_chat (HearthEngine *engine)
{
  struct scene scene;
  g_autoptr (GPtrArray) messages = g_ptr_array_new_with_free_func (g_object_unref);
  GtkAdjustment *adjustment;
  guint most = 0;

  for (int i = 0; i < 1000; i++)
    {
      g_autofree char *text = section (i);

      HearthMessageRecord answer = {
        .role = HEARTH_MESSAGE_ANSWER,
        .id = (guint) (2 * i + 2),
        .state = HEARTH_MESSAGE_DONE,
        .text = text,
      };

      g_ptr_array_add (messages, hearth_message_new (HEARTH_MESSAGE_QUESTION, "And then?"));
      g_ptr_array_add (messages, hearth_message_new_from_record (&answer));
    }
  open_scene (&scene, engine);
  g_list_store_splice (scene.messages, 0, 0, messages->pdata, messages->len);
  run_frames (&scene, 3);
  adjustment = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (scene.column));
  check (hearth_message_column_get_following (scene.column), "it opens at the end");
  check (hearth_message_column_get_n_made (scene.column) < 20, "few rows are made to open it");

  for (int step = 0; step <= 20; step++)
    {
      guint place, place_after;
      double offset, offset_after;

      gtk_adjustment_set_value (adjustment, (gtk_adjustment_get_upper (adjustment) -
                                             gtk_adjustment_get_page_size (adjustment)) *
                                              step / 20);
      run_frames (&scene, 1);
      hearth_message_column_get_place (scene.column, &place, &offset);
      run_frames (&scene, 3);
      hearth_message_column_get_place (scene.column, &place_after, &offset_after);
      check (place == place_after && ABS (offset - offset_after) < 2,
             "what is read stays where it is when heights become known");
      most = MAX (most, hearth_message_column_get_n_rows (scene.column));
    }
  g_print ("2,000 messages: %u rows at most, %" G_GUINT64_FORMAT " made\n", most,
           hearth_message_column_get_n_made (scene.column));
  check (most <= 64, "rows are bounded");
  check (hearth_message_column_get_n_made (scene.column) > 64, "rows were made and dropped");
  close_scene (&scene);
}

/* ---- frame times ------------------------------------------------------------------------ */

struct times
{
  GArray *work;     /* of double: ms from the beginning of a frame to its end */
  GArray *interval; /* of double: ms from frame to frame */
  gint64 start, last;
};

static void
frame_begins_cb (GdkFrameClock *clock, gpointer data)
{
  struct times *times = data;
  double ms;

  times->start = g_get_monotonic_time ();
  ms = (double) (times->start - times->last) / 1000;
  if (times->last != 0)
    g_array_append_val (times->interval, ms);
  times->last = times->start;
}

static void
frame_ends_cb (GdkFrameClock *clock, gpointer data)
{
  struct times *times = data;
  double ms = (double) (g_get_monotonic_time () - times->start) / 1000;

  g_array_append_val (times->work, ms);
}

static int
compare_double (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static void
print_times (const char *what, GArray *ms)
{
  if (ms->len == 0)
    return;
  g_array_sort (ms, compare_double);
  g_print ("%-10s %5u frames  median %5.1f ms  95 %% %5.1f ms  99 %% %5.1f ms  most %5.1f ms\n",
           what, ms->len, g_array_index (ms, double, ms->len / 2),
           g_array_index (ms, double, ms->len * 95 / 100),
           g_array_index (ms, double, ms->len * 99 / 100), g_array_index (ms, double, ms->len - 1));
}

struct stream
{
  HearthMessage *answer;
  char *text;
  gsize at, size;
};

/* 100 times a second some words, as a fast model would say them. */
static gboolean
stream_cb (gpointer data)
{
  struct stream *stream = data;
  gsize n = MIN (80, stream->size - stream->at);

  hearth_message_append (stream->answer, stream->text + stream->at, n);
  stream->at += n;
  return stream->at < stream->size;
}

static void
stream_frames (const char *what, HearthEngine *engine)
{
  struct scene scene;
  struct times times = { 0 };
  struct stream stream = { 0 };
  g_autoptr (GString) text = g_string_new (NULL);
  GdkFrameClock *clock;

  for (int i = 0; i < N_LINES / SECTION_LINES; i++)
    {
      g_autofree char *part = section (i);

      g_string_append (text, part);
    }
  open_scene (&scene, engine);
  stream =
    (struct stream) { hearth_message_new (HEARTH_MESSAGE_ANSWER, ""), text->str, 0, text->len };
  g_list_store_append (scene.messages, stream.answer);
  run_frames (&scene, 3);
  clock = gtk_widget_get_frame_clock (GTK_WIDGET (scene.window));
  times.work = g_array_new (FALSE, FALSE, sizeof (double));
  times.interval = g_array_new (FALSE, FALSE, sizeof (double));
  g_signal_connect (clock, "before-paint", G_CALLBACK (frame_begins_cb), &times);
  g_signal_connect (clock, "after-paint", G_CALLBACK (frame_ends_cb), &times);
  g_timeout_add (10, stream_cb, &stream);
  while (stream.at < stream.size)
    g_main_context_iteration (NULL, TRUE);
  g_signal_handlers_disconnect_by_data (clock, &times);
  g_print ("%s\n", what);
  print_times ("  work", times.work);
  print_times ("  interval", times.interval);
  g_array_unref (times.work);
  g_array_unref (times.interval);
  g_object_unref (stream.answer);
  close_scene (&scene);
}

static void
answered_cb (GObject *source, GParamSpec *pspec, gpointer data)
{
  HearthConversation *busy = HEARTH_CONVERSATION (source);

  if (hearth_conversation_get_state (busy) == HEARTH_CONVERSATION_IDLE)
    hearth_conversation_ask (busy, "Tell me a very long story about the sea.");
}

static void
measure_frames (HearthEngine *engine, const char *path)
{
  g_autoptr (HearthModelFile) model = hearth_model_file_new (path);
  g_autoptr (HearthConversation) busy = hearth_conversation_new (engine);

  stream_frames ("A 5,000-line answer streams in, the engine rests:", engine);
  hearth_model_file_load_async (model, 0, 0, NULL, NULL, NULL);
  while (hearth_model_file_get_header (model) == NULL)
    g_main_context_iteration (NULL, TRUE);
  hearth_conversation_set_model (busy, model);
  g_signal_connect (busy, "notify::state", G_CALLBACK (answered_cb), NULL);
  hearth_conversation_ask (busy, "Tell me a very long story about the sea.");
  while (hearth_engine_get_state (engine) != HEARTH_ENGINE_ANSWERING)
    g_main_context_iteration (NULL, TRUE);
  stream_frames ("The same while the engine works at full load:", engine);
  g_signal_handlers_disconnect_by_func (busy, answered_cb, NULL);
  hearth_conversation_stop (busy);
}

static void
closed_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  *(gboolean *) data = TRUE;
}

int
main (int argc, char *argv[])
{
  g_autoptr (HearthEngine) engine = NULL;
  gboolean closed = FALSE;

  adw_init ();
  engine = hearth_engine_new ();
  if (argc == 3 && strcmp (argv[1], "--frames") == 0)
    measure_frames (engine, argv[2]);
  else
    {
      check_long_answer (engine);
      check_long_chat (engine);
    }
  hearth_engine_close_async (engine, closed_cb, &closed);
  while (!closed)
    g_main_context_iteration (NULL, TRUE);
  if (argc == 1)
    g_print ("%d passed, %d failed, 0 skipped\n", passed, failed);
  return failed > 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
