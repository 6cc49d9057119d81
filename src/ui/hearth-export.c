/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-export.h"

#include <string.h>

#include <glib/gi18n.h>

struct saving
{
  GtkWidget *parent;
  GBytes *contents;
};

static void
saving_free (struct saving *saving)
{
  g_object_unref (saving->parent);
  g_bytes_unref (saving->contents);
  g_free (saving);
}

static void
tell (GtkWidget *parent, const char *text)
{
  gtk_widget_activate_action (parent, "win.toast", "s", text);
}

static void
written_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  struct saving *saving = user_data;
  g_autofree char *base = g_file_get_basename (G_FILE (source));
  g_autofree char *name = g_filename_display_name (base);
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  if (g_file_replace_contents_finish (G_FILE (source), result, NULL, &error))
    text = g_strdup_printf (_ ("“%s” saved"), name);
  else
    text = g_strdup_printf (_ ("“%1$s” could not be saved: %2$s"), name, error->message);
  tell (saving->parent, text);
  saving_free (saving);
}

static void
chosen_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  struct saving *saving = user_data;
  g_autoptr (GFile) file = gtk_file_dialog_save_finish (GTK_FILE_DIALOG (source), result, NULL);

  if (file == NULL)
    {
      saving_free (saving);
      return;
    }
  g_file_replace_contents_bytes_async (file, saving->contents, NULL, FALSE, G_FILE_CREATE_NONE,
                                       NULL, written_cb, saving);
}

void
hearth_export_save (GtkWidget *parent, const char *name, GBytes *contents)
{
  g_autoptr (GtkFileDialog) dialog = gtk_file_dialog_new ();
  struct saving *saving = g_new0 (struct saving, 1);
  GtkRoot *root = gtk_widget_get_root (parent);

  saving->parent = g_object_ref (parent);
  saving->contents = contents;
  gtk_file_dialog_set_title (dialog, _ ("Save As"));
  gtk_file_dialog_set_initial_name (dialog, name);
  gtk_file_dialog_save (dialog, GTK_IS_WINDOW (root) ? GTK_WINDOW (root) : NULL, NULL, chosen_cb,
                        saving);
}

void
hearth_export_save_text (GtkWidget *parent, const char *name, char *text)
{
  hearth_export_save (parent, name, g_bytes_new_take (text, strlen (text)));
}

void
hearth_export_copy (GtkWidget *widget, char *text)
{
  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), text);
  g_free (text);
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

static void
add_field (GString *out, const char *field)
{
  if (strpbrk (field, ",\"\r\n") == NULL)
    {
      g_string_append (out, field);
      return;
    }
  g_string_append_c (out, '"');
  for (const char *at = field; *at != '\0'; at++)
    {
      if (*at == '"')
        g_string_append_c (out, '"');
      g_string_append_c (out, *at);
    }
  g_string_append_c (out, '"');
}

void
hearth_export_add_csv (GString *out, const char *const *fields, guint n_fields)
{
  for (guint i = 0; i < n_fields; i++)
    {
      if (i > 0)
        g_string_append_c (out, ',');
      add_field (out, fields[i] != NULL ? fields[i] : "");
    }
  g_string_append (out, "\r\n");
}
