/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "rows-scene.h"

#include <adwaita.h>

#include "hearth-message-row.h"

static GtkWidget *
create_row (HearthMessage *message, gpointer user_data)
{
  return hearth_message_row_new (message, user_data);
}

void
scene_open (struct scene *scene, HearthEngine *engine)
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

void
scene_close (struct scene *scene)
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

void
scene_run_frames (struct scene *scene, int n)
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

char *
scene_section (int number)
{
  return g_strdup_printf (
    "## Section %d\n\nA paragraph with **bold**, *italic* and `code`, long enough to take more "
    "than "
    "one line of the window that it is shown in.\nAnd a [link](https://example.org/%d).\n\n"
    "- first point\n- second point\n  - inside\n\n1. one\n2. two\n\n> A quote.\n\n"
    "```c\nint x = %d;\nreturn x;\n```\n\n",
    number, number, number);
}

void
scene_add_long_chat (struct scene *scene)
{
  g_autoptr (GPtrArray) messages = g_ptr_array_new_with_free_func (g_object_unref);

  for (int i = 0; i < 1000; i++)
    {
      g_autofree char *text = scene_section (i);

      HearthMessageRecord answer = {
        .role = HEARTH_MESSAGE_ANSWER,
        .id = (guint) (2 * i + 2),
        .state = HEARTH_MESSAGE_DONE,
        .text = text,
      };

      g_ptr_array_add (messages, hearth_message_new (HEARTH_MESSAGE_QUESTION, "And then?"));
      g_ptr_array_add (messages, hearth_message_new_from_record (&answer));
    }
  g_list_store_splice (scene->messages, 0, 0, messages->pdata, messages->len);
  scene_run_frames (scene, 3);
}

static void
closed_cb (GObject *source, GAsyncResult *result, gpointer data)
{
  *(gboolean *) data = TRUE;
}

void
scene_close_engine (HearthEngine *engine)
{
  gboolean closed = FALSE;

  hearth_engine_close_async (engine, closed_cb, &closed);
  while (!closed)
    g_main_context_iteration (NULL, TRUE);
}
