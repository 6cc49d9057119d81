/* SPDX-License-Identifier: GPL-3.0-or-later */
/* window-test.h - what tests share that count what a real window does, frame by frame. */
#pragma once

#include <gtk/gtk.h>

#include "core-test.h"

static guint window_test_n_frames;

/* `look`: (nullable): called in each frame. */
static inline gboolean
window_test_frame_cb (GtkWidget *window, GdkFrameClock *clock, gpointer look)
{
  window_test_n_frames++;
  if (look != NULL)
    ((void (*) (void)) look) ();
  gtk_widget_queue_draw (window);
  return G_SOURCE_CONTINUE;
}

static inline void
window_test_wait_frames (guint n)
{
  guint until = window_test_n_frames + n;

  core_test_wait (window_test_n_frames >= until);
}

/* Until ten frames have left a counter as it is: a window that becomes active, which may be long
 * after it is shown, changes its colours once. */
#define window_test_settle(COUNTER)                                                                \
  G_STMT_START                                                                                     \
  {                                                                                                \
    guint window_test_before;                                                                      \
    do                                                                                             \
      {                                                                                            \
        window_test_before = (COUNTER);                                                            \
        window_test_wait_frames (10);                                                              \
      }                                                                                            \
    while ((COUNTER) != window_test_before);                                                       \
  }                                                                                                \
  G_STMT_END

/* A window that draws frame after frame and has drawn some, with `child` (nullable) in it.
 * Returns: (transfer none): until gtk_window_destroy(). */
static inline GtkWindow *
window_test_open (GtkWidget *child, int width, int height, void (*look) (void))
{
  GtkWindow *window = GTK_WINDOW (gtk_window_new ());

  gtk_window_set_default_size (window, width, height);
  gtk_window_set_child (window, child);
  gtk_widget_add_tick_callback (GTK_WIDGET (window), window_test_frame_cb, (gpointer) look, NULL);
  gtk_window_present (window);
  window_test_wait_frames (3);
  return window;
}

/* The first widget of this type from `start` down. */
static inline GtkWidget *
window_test_find (GtkWidget *start, GType type)
{
  if (g_type_is_a (G_OBJECT_TYPE (start), type))
    return start;
  for (GtkWidget *child = gtk_widget_get_first_child (start); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkWidget *found = window_test_find (child, type);

      if (found != NULL)
        return found;
    }
  return NULL;
}
