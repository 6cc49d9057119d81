/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-save-later.h"

#include <glib/gi18n.h>

struct question
{
  GtkWidget *widget;
  HearthSaveLaterFunc ready;
  gpointer data;
  GDestroyNotify unref;
};

static void
chosen_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  struct question *question = user_data;
  g_autoptr (GFile) file = gtk_file_dialog_save_finish (GTK_FILE_DIALOG (source), result, NULL);

  if (file != NULL)
    question->ready (question->widget, file, question->data);
  if (question->unref != NULL)
    question->unref (question->data);
  g_object_unref (question->widget);
  g_free (question);
}

void
hearth_save_later_ask (GtkWidget *widget, const char *title, const char *name,
                       HearthSaveLaterFunc ready, gpointer data, GDestroyNotify unref)
{
  g_autoptr (GtkFileDialog) dialog = gtk_file_dialog_new ();
  GtkRoot *root = gtk_widget_get_root (widget);
  struct question *question = g_new (struct question, 1);

  *question = (struct question) { g_object_ref (widget), ready, data, unref };
  gtk_file_dialog_set_title (dialog, title);
  gtk_file_dialog_set_initial_name (dialog, name);
  gtk_file_dialog_save (dialog, GTK_IS_WINDOW (root) ? GTK_WINDOW (root) : NULL, NULL, chosen_cb,
                        question);
}

void
hearth_save_later_fail (GtkWidget *widget, GFile *file, const GError *error)
{
  g_autofree char *name = g_file_get_basename (file);
  g_autofree char *sentence =
    g_strdup_printf (_ ("“%1$s” could not be saved: %2$s"), name, error->message);

  gtk_widget_activate_action (widget, "win.toast", "s", sentence);
}

static void
written_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GtkWidget) widget = user_data;
  g_autoptr (GError) error = NULL;
  g_autofree char *name = g_file_get_basename (G_FILE (source));
  g_autofree char *sentence = NULL;

  if (!g_file_replace_contents_finish (G_FILE (source), result, NULL, &error))
    {
      hearth_save_later_fail (widget, G_FILE (source), error);
      return;
    }
  sentence = g_strdup_printf (_ ("“%s” saved"), name);
  gtk_widget_activate_action (widget, "win.toast", "s", sentence);
}

void
hearth_save_later_write (GtkWidget *widget, GFile *file, GBytes *bytes)
{
  g_file_replace_contents_bytes_async (file, bytes, NULL, FALSE, G_FILE_CREATE_NONE, NULL,
                                       written_cb, g_object_ref (widget));
}

/* ---- pictures --------------------------------------------------------------------------- */

static void
encode_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  g_task_return_pointer (task, gdk_texture_save_to_png_bytes (task_data),
                         (GDestroyNotify) g_bytes_unref);
}

static void
encoded_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GFile) file = user_data;
  g_autoptr (GBytes) bytes = g_task_propagate_pointer (G_TASK (result), NULL);

  hearth_save_later_write (GTK_WIDGET (source), file, bytes);
}

static void
picture_ready_cb (GtkWidget *widget, GFile *file, gpointer data)
{
  g_autoptr (GTask) task = g_task_new (widget, NULL, encoded_cb, g_object_ref (file));

  g_task_set_source_tag (task, picture_ready_cb);
  g_task_set_task_data (task, g_object_ref (data), g_object_unref);
  g_task_run_in_thread (task, encode_in_thread);
}

void
hearth_save_later_picture (GtkWidget *widget, const char *title, const char *name,
                           GdkTexture *picture)
{
  hearth_save_later_ask (widget, title, name, picture_ready_cb, g_object_ref (picture),
                         g_object_unref);
}
