/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-save.h"

#include <glib/gi18n.h>

struct saving
{
  GtkWidget *widget; /* a reference */
  GBytes *bytes;     /* or: */
  HearthSaveFunc func;
};

static void
saving_free (struct saving *saving)
{
  g_object_unref (saving->widget);
  g_clear_pointer (&saving->bytes, g_bytes_unref);
  g_free (saving);
}

void
hearth_save_tell (GtkWidget *widget, GFile *file, const GError *error)
{
  g_autofree char *name = g_file_get_basename (file);
  g_autofree char *sentence = NULL;

  if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return;
  if (error == NULL)
    /* Translators: the name of a file */
    sentence = g_strdup_printf (_ ("Saved as “%s”"), name);
  else
    /* Translators: the name of a file, and why */
    sentence = g_strdup_printf (_ ("“%s” could not be saved: %s"), name, error->message);
  gtk_widget_activate_action (widget, "win.toast", "s", sentence);
}

static void
written_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  struct saving *saving = user_data;
  g_autoptr (GError) error = NULL;

  g_file_replace_contents_finish (G_FILE (source), result, NULL, &error);
  hearth_save_tell (saving->widget, G_FILE (source), error);
  saving_free (saving);
}

static void
chosen_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  struct saving *saving = user_data;
  g_autoptr (GFile) file = gtk_file_dialog_save_finish (GTK_FILE_DIALOG (source), result, NULL);

  if (file != NULL && saving->bytes != NULL)
    {
      g_file_replace_contents_bytes_async (file, saving->bytes, NULL, FALSE, G_FILE_CREATE_NONE,
                                           NULL, written_cb, saving);
      return;
    }
  if (file != NULL)
    saving->func (saving->widget, file);
  saving_free (saving);
}

static void
choose (GtkWidget *widget, const char *title, const char *name, GBytes *bytes, HearthSaveFunc func)
{
  GtkRoot *root = gtk_widget_get_root (widget);
  g_autoptr (GtkFileDialog) dialog = gtk_file_dialog_new ();
  struct saving *saving = g_new0 (struct saving, 1);

  saving->widget = g_object_ref (widget);
  saving->bytes = bytes != NULL ? g_bytes_ref (bytes) : NULL;
  saving->func = func;
  gtk_file_dialog_set_title (dialog, title);
  gtk_file_dialog_set_initial_name (dialog, name);
  gtk_file_dialog_save (dialog, GTK_IS_WINDOW (root) ? GTK_WINDOW (root) : NULL, NULL, chosen_cb,
                        saving);
}

void
hearth_save_bytes (GtkWidget *widget, const char *title, const char *name, GBytes *bytes)
{
  choose (widget, title, name, bytes, NULL);
}

void
hearth_save_to (GtkWidget *widget, const char *title, const char *name, HearthSaveFunc func)
{
  choose (widget, title, name, NULL, func);
}
