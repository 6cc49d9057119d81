/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-screenshot.h"

/* Layout, scrolling to the end and drawing each take a frame; animations of state changes (a
 * revealer, a stack) some more. */
#define FRAMES 30

struct shot
{
  char *path;
  int frames_left;
  gulong painted_id;
};

static void
shot_free (gpointer data)
{
  struct shot *shot = data;

  g_free (shot->path);
  g_free (shot);
}

static gboolean
save (GtkWindow *window, const char *path, GError **error)
{
  GtkWidget *widget = GTK_WIDGET (window);
  g_autoptr (GdkPaintable) paintable = gtk_widget_paintable_new (widget);
  GtkSnapshot *snapshot = gtk_snapshot_new ();
  g_autoptr (GskRenderNode) node = NULL;
  g_autoptr (GdkTexture) texture = NULL;
  int width = gtk_widget_get_width (widget);
  int height = gtk_widget_get_height (widget);

  gdk_paintable_snapshot (paintable, snapshot, width, height);
  node = gtk_snapshot_free_to_node (snapshot);
  if (node == NULL)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "%s: the window has drawn nothing", path);
      return FALSE;
    }
  texture = gsk_renderer_render_texture (gtk_native_get_renderer (GTK_NATIVE (window)), node,
                                         &GRAPHENE_RECT_INIT (0, 0, (float) width, (float) height));
  if (!gdk_texture_save_to_png (texture, path))
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "%s: the picture cannot be written", path);
      return FALSE;
    }
  return TRUE;
}

/* A frame is on the screen: nothing waits to be laid out or drawn. */
static void
after_paint_cb (GdkFrameClock *clock, gpointer user_data)
{
  g_autoptr (GTask) task = NULL;
  struct shot *shot = g_task_get_task_data (user_data);
  GtkWindow *window = g_task_get_source_object (user_data);
  GError *error = NULL;

  if (--shot->frames_left > 0)
    {
      gtk_widget_queue_draw (GTK_WIDGET (window));
      return;
    }
  task = user_data;
  g_clear_signal_handler (&shot->painted_id, clock);
  gdk_frame_clock_end_updating (clock);
  if (save (window, shot->path, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

void
hearth_screenshot_save_async (GtkWindow *window, const char *path, GAsyncReadyCallback callback,
                              gpointer user_data)
{
  GTask *task = g_task_new (window, NULL, callback, user_data);
  GdkFrameClock *clock = gtk_widget_get_frame_clock (GTK_WIDGET (window));
  struct shot *shot = g_new0 (struct shot, 1);

  shot->path = g_strdup (path);
  shot->frames_left = FRAMES;
  g_task_set_task_data (task, shot, shot_free);
  shot->painted_id = g_signal_connect (clock, "after-paint", G_CALLBACK (after_paint_cb), task);
  gdk_frame_clock_begin_updating (clock);
  gtk_widget_queue_draw (GTK_WIDGET (window));
}

gboolean
hearth_screenshot_save_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}
