/* SPDX-License-Identifier: GPL-3.0-or-later */
/* bench-frames [MODEL]: how long frames take while an answer grows, a long chat is scrolled and a
 * long answer arrives: with the engine at rest, then while MODEL answers at full load. Prints a
 * line "NAME<tab>VALUE<tab>UNIT" for each figure; `./dev bench` has them in its table. */
#include <adwaita.h>
#include <stdlib.h>
#include <string.h>

#include "rows-scene.h"

/* An answer of a few pages, and one as long as a book's chapter. */
#define SHORT_LINES 400
#define LONG_LINES 5000
#define SCROLL_FRAMES 400
/* Of each frame: a quick flick of the wheel, nine pages a second. */
#define SCROLL_PIXELS 110

struct times
{
  GArray *work;     /* of double: ms from the beginning of a frame to its end */
  GArray *interval; /* of double: ms from frame to frame */
  gint64 start, last;
};

/* The engine's work beside the frames; NULL: it rests. */
struct load
{
  HearthConversation *busy;
  guint64 n_changes; /* of what it has written */
};

/* ---- timing ----------------------------------------------------------------------------- */

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

static void
times_begin (struct times *times, struct scene *scene)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (GTK_WIDGET (scene->window));

  *times = (struct times) { g_array_new (FALSE, FALSE, sizeof (double)),
                            g_array_new (FALSE, FALSE, sizeof (double)), 0, 0 };
  g_signal_connect (clock, "before-paint", G_CALLBACK (frame_begins_cb), times);
  g_signal_connect (clock, "after-paint", G_CALLBACK (frame_ends_cb), times);
}

static int
compare_double (gconstpointer a, gconstpointer b)
{
  double x = *(const double *) a, y = *(const double *) b;

  return (x > y) - (x < y);
}

static void
print_line (const char *what, const struct load *load, const char *figure, double ms)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  g_print ("%s, %s: %s\t%s\tms\n", what, load != NULL ? "load" : "rest", figure,
           g_ascii_formatd (text, sizeof text, "%.3f", ms));
}

static double
percentile (GArray *ms, guint percent)
{
  return ms->len > 0 ? g_array_index (ms, double, (ms->len - 1) * percent / 100) : 0;
}

static void
times_end (struct times *times, struct scene *scene, const char *what, const struct load *load)
{
  g_signal_handlers_disconnect_by_data (gtk_widget_get_frame_clock (GTK_WIDGET (scene->window)),
                                        times);
  g_array_sort (times->work, compare_double);
  g_array_sort (times->interval, compare_double);
  print_line (what, load, "median", percentile (times->work, 50));
  print_line (what, load, "95 %", percentile (times->work, 95));
  print_line (what, load, "most", percentile (times->work, 100));
  print_line (what, load, "interval, 95 %", percentile (times->interval, 95));
  g_array_unref (times->work);
  g_array_unref (times->interval);
}

/* ---- what is timed ---------------------------------------------------------------------- */

struct stream
{
  HearthMessage *answer;
  GString *text;
  gsize at;
};

/* 100 times a second some words, as a fast model would say them. */
static gboolean
stream_cb (gpointer data)
{
  struct stream *stream = data;
  gsize n = MIN (80, stream->text->len - stream->at);

  hearth_message_append (stream->answer, stream->text->str + stream->at, n);
  stream->at += n;
  return stream->at < stream->text->len;
}

static void
time_stream (HearthEngine *engine, const char *what, int n_lines, const struct load *load)
{
  struct scene scene;
  struct times times;
  g_autoptr (GString) text = g_string_new (NULL);
  g_autoptr (HearthMessage) answer = hearth_message_new (HEARTH_MESSAGE_ANSWER, "");
  struct stream stream = { answer, text, 0 };

  for (int i = 0; i < n_lines / SECTION_LINES; i++)
    {
      g_autofree char *part = scene_section (i);

      g_string_append (text, part);
    }
  scene_open (&scene, engine);
  g_list_store_append (scene.messages, answer);
  scene_run_frames (&scene, 3);
  times_begin (&times, &scene);
  g_timeout_add (10, stream_cb, &stream);
  while (stream.at < text->len)
    g_main_context_iteration (NULL, TRUE);
  times_end (&times, &scene, what, load);
  scene_close (&scene);
}

/* Upwards from the end: rows come into view that were not there before. */
static void
time_scrolling (HearthEngine *engine, const struct load *load)
{
  struct scene scene;
  struct times times;
  GtkAdjustment *adjustment;

  scene_open (&scene, engine);
  scene_add_long_chat (&scene);
  adjustment = gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (scene.column));
  times_begin (&times, &scene);
  for (int frame = 0; frame < SCROLL_FRAMES; frame++)
    {
      gtk_adjustment_set_value (adjustment, gtk_adjustment_get_value (adjustment) - SCROLL_PIXELS);
      scene_run_frames (&scene, 1);
    }
  times_end (&times, &scene, "2,000 messages scrolled", load);
  scene_close (&scene);
}

static void
time_all (HearthEngine *engine, const struct load *load)
{
  time_stream (engine, "answer grows", SHORT_LINES, load);
  time_scrolling (engine, load);
  time_stream (engine, "5,000 lines arrive", LONG_LINES, load);
}

/* ---- full load -------------------------------------------------------------------------- */

/* Again instead of on, so that the context never fills up. */
static void
state_changed_cb (HearthConversation *busy)
{
  if (hearth_conversation_get_state (busy) == HEARTH_CONVERSATION_IDLE)
    hearth_conversation_regenerate (busy);
}

static void
written_cb (struct load *load)
{
  load->n_changes++;
}

static void
messages_changed_cb (GListModel *messages, guint position, guint removed, guint added,
                     gpointer data)
{
  for (guint i = position; i < position + added; i++)
    {
      g_autoptr (HearthMessage) message = g_list_model_get_item (messages, i);

      g_signal_connect_swapped (message, "appended", G_CALLBACK (written_cb), data);
    }
}

static void
read_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  g_autoptr (GError) error = NULL;

  if (!hearth_model_file_load_finish (HEARTH_MODEL_FILE (source), result, &error))
    {
      g_printerr ("bench-frames: %s\n", error->message);
      exit (EXIT_FAILURE);
    }
  *(gboolean *) data = TRUE;
}

static void
time_at_load (HearthEngine *engine, const char *path)
{
  g_autoptr (HearthModelFile) model = hearth_model_file_new (path);
  g_autoptr (HearthConversation) busy = hearth_conversation_new (engine);
  struct load load = { busy, 0 };
  gboolean read = FALSE;

  hearth_model_file_load_async (model, 0, 0, NULL, read_cb, &read);
  while (!read)
    g_main_context_iteration (NULL, TRUE);
  if (!hearth_model_file_can_chat (model))
    {
      g_printerr ("bench-frames: %s is no model to talk to: no frames under load\n", path);
      return;
    }
  hearth_conversation_set_model (busy, model);
  g_signal_connect (busy, "notify::state", G_CALLBACK (state_changed_cb), NULL);
  g_signal_connect (busy, "items-changed", G_CALLBACK (messages_changed_cb), &load);
  hearth_conversation_ask (busy, "Tell me a very long story about the sea.");
  while (load.n_changes == 0 && hearth_conversation_get_load_error (busy) == NULL)
    g_main_context_iteration (NULL, TRUE);
  load.n_changes = 0;
  if (hearth_conversation_get_load_error (busy) == NULL)
    time_all (engine, &load);
  g_signal_handlers_disconnect_by_func (busy, state_changed_cb, NULL);
  hearth_conversation_stop (busy);
  if (load.n_changes == 0)
    {
      g_printerr ("bench-frames: the engine wrote nothing while frames were timed\n");
      exit (EXIT_FAILURE);
    }
}

int
main (int argc, char *argv[])
{
  g_autoptr (HearthEngine) engine = NULL;

  adw_init ();
  engine = hearth_engine_new ();
  time_all (engine, NULL);
  if (argc > 1)
    time_at_load (engine, argv[1]);
  scene_close_engine (engine);
  return EXIT_SUCCESS;
}
