/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-export.h"

#include <string.h>

#include <glib/gi18n.h>

#include "hearth-words.h"

static void
tell (GtkWidget *widget, const char *text)
{
  gtk_widget_activate_action (widget, "win.toast", "s", text);
}

/* As it may be shown. */
static char *
dup_name (GFile *file)
{
  g_autofree char *base = g_file_get_basename (file);

  return g_filename_display_name (base);
}

/* ---- asking ----------------------------------------------------------------------------- */

struct question
{
  GtkWidget *widget;
  HearthExportFunc ready;
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
hearth_export_ask (GtkWidget *widget, const char *title, const char *name, GListModel *filters,
                   HearthExportFunc ready, gpointer data, GDestroyNotify unref)
{
  g_autoptr (GtkFileDialog) dialog = gtk_file_dialog_new ();
  GtkRoot *root = gtk_widget_get_root (widget);
  struct question *question = g_new (struct question, 1);

  *question = (struct question) { g_object_ref (widget), ready, data, unref };
  gtk_file_dialog_set_title (dialog, title);
  gtk_file_dialog_set_initial_name (dialog, name);
  gtk_file_dialog_set_filters (dialog, filters);
  gtk_file_dialog_save (dialog, GTK_IS_WINDOW (root) ? GTK_WINDOW (root) : NULL, NULL, chosen_cb,
                        question);
}

/* ---- writing ---------------------------------------------------------------------------- */

void
hearth_export_fail (GtkWidget *widget, GFile *file, const GError *error)
{
  g_autofree char *name = dup_name (file);
  g_autofree char *text =
    g_strdup_printf (_ ("“%1$s” could not be saved: %2$s"), name, error->message);

  tell (widget, text);
}

static void
written_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (GtkWidget) widget = user_data;
  g_autoptr (GError) error = NULL;
  g_autofree char *name = NULL;
  g_autofree char *text = NULL;

  if (!g_file_replace_contents_finish (G_FILE (source), result, NULL, &error))
    {
      hearth_export_fail (widget, G_FILE (source), error);
      return;
    }
  name = dup_name (G_FILE (source));
  text = g_strdup_printf (_ ("“%s” saved"), name);
  tell (widget, text);
}

void
hearth_export_write (GtkWidget *widget, GFile *file, GBytes *contents)
{
  g_file_replace_contents_bytes_async (file, contents, NULL, FALSE, G_FILE_CREATE_NONE, NULL,
                                       written_cb, g_object_ref (widget));
}

static void
contents_ready_cb (GtkWidget *widget, GFile *file, gpointer data)
{
  hearth_export_write (widget, file, data);
}

void
hearth_export_save (GtkWidget *widget, const char *name, GBytes *contents)
{
  hearth_export_ask (widget, _ ("Save As"), name, NULL, contents_ready_cb, contents,
                     (GDestroyNotify) g_bytes_unref);
}

void
hearth_export_save_text (GtkWidget *widget, const char *name, char *text)
{
  hearth_export_save (widget, name, g_bytes_new_take (text, strlen (text)));
}

/* ---- pictures --------------------------------------------------------------------------- */

struct encoding
{
  GtkWidget *widget;
  GFile *file;
};

static void
encode_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  g_task_return_pointer (task, gdk_texture_save_to_png_bytes (task_data),
                         (GDestroyNotify) g_bytes_unref);
}

static void
encoded_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  struct encoding *encoding = user_data;
  g_autoptr (GBytes) bytes = g_task_propagate_pointer (G_TASK (result), NULL);

  hearth_export_write (encoding->widget, encoding->file, bytes);
  g_object_unref (encoding->widget);
  g_object_unref (encoding->file);
  g_free (encoding);
}

/* The task does not hold the widget: its thread may be the last to let go of the task. */
static void
picture_ready_cb (GtkWidget *widget, GFile *file, gpointer data)
{
  struct encoding *encoding = g_new (struct encoding, 1);
  g_autoptr (GTask) task = NULL;

  *encoding = (struct encoding) { g_object_ref (widget), g_object_ref (file) };
  task = g_task_new (NULL, NULL, encoded_cb, encoding);
  g_task_set_source_tag (task, picture_ready_cb);
  g_task_set_task_data (task, g_object_ref (data), g_object_unref);
  g_task_run_in_thread (task, encode_in_thread);
}

void
hearth_export_save_picture (GtkWidget *widget, const char *name, GdkTexture *picture)
{
  hearth_export_ask (widget, _ ("Save As"), name, NULL, picture_ready_cb, g_object_ref (picture),
                     g_object_unref);
}

/* ---- the clipboard ---------------------------------------------------------------------- */

void
hearth_export_copy (GtkWidget *widget, char *text)
{
  g_autofree char *shown = text;
  g_autofree char *plain = hearth_words_as_plain (shown);

  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), plain);
  tell (widget, _ ("Copied"));
}

void
hearth_export_copy_picture (GtkWidget *widget, GdkTexture *picture)
{
  gdk_clipboard_set_texture (gtk_widget_get_clipboard (widget), picture);
  tell (widget, _ ("Copied"));
}

char *
hearth_export_name (const char *path, const char *ending)
{
  g_autofree char *base = g_path_get_basename (path);
  g_autofree char *name = g_filename_display_name (base);
  gsize n = strlen (name), n_ending = strlen (".gguf");

  if (n > n_ending && g_ascii_strcasecmp (name + n - n_ending, ".gguf") == 0)
    name[n - n_ending] = '\0';
  return g_strconcat (name, ending, NULL);
}
