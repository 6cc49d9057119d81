/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-screenshot.h"

/* Layout, scrolling to the end and drawing each take a frame; animations of state changes (a
 * revealer, a stack) some more. */
#define FRAMES 30

struct shot
{
  char *path;
  int frames_left;
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

static gboolean
tick_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer user_data)
{
  g_autoptr (GTask) task = g_object_ref (user_data);
  struct shot *shot = g_task_get_task_data (task);
  GError *error = NULL;

  if (--shot->frames_left > 0)
    return G_SOURCE_CONTINUE;
  if (save (GTK_WINDOW (widget), shot->path, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
  return G_SOURCE_REMOVE;
}

void
hearth_screenshot_save_async (GtkWindow *window, const char *path, GAsyncReadyCallback callback,
                              gpointer user_data)
{
  GTask *task = g_task_new (window, NULL, callback, user_data);
  struct shot *shot = g_new0 (struct shot, 1);

  shot->path = g_strdup (path);
  shot->frames_left = FRAMES;
  g_task_set_task_data (task, shot, shot_free);
  gtk_widget_add_tick_callback (GTK_WIDGET (window), tick_cb, task, g_object_unref);
}

gboolean
hearth_screenshot_save_finish (GAsyncResult *result, GError **error)
{
  return g_task_propagate_boolean (G_TASK (result), error);
}
