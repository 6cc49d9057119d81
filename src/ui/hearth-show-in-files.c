/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-show-in-files.h"

#include <glib/gi18n.h>

#define MANAGER "org.freedesktop.FileManager1"
#define MANAGER_PATH "/org/freedesktop/FileManager1"

struct showing
{
  GtkWidget *widget; /* weak */
  GFile *file;
};

static void
showing_free (struct showing *showing)
{
  g_clear_weak_pointer (&showing->widget);
  g_clear_object (&showing->file);
  g_free (showing);
}

static void
opened_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  struct showing *showing = user_data;
  g_autoptr (GError) error = NULL;

  if (!gtk_file_launcher_open_containing_folder_finish (GTK_FILE_LAUNCHER (source), result,
                                                        &error) &&
      showing->widget != NULL &&
      !g_error_matches (error, GTK_DIALOG_ERROR, GTK_DIALOG_ERROR_DISMISSED))
    gtk_widget_activate_action (showing->widget, "win.toast", "s",
                                _ ("There is no program here that shows folders."));
  showing_free (showing);
}

static void
shown_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  struct showing *showing = user_data;
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) reply =
    g_dbus_connection_call_finish (G_DBUS_CONNECTION (source), result, &error);
  g_autoptr (GtkFileLauncher) launcher = NULL;

  if (reply != NULL || showing->widget == NULL)
    {
      showing_free (showing);
      return;
    }
  g_debug ("no file manager: %s", error->message);
  launcher = gtk_file_launcher_new (showing->file);
  gtk_file_launcher_open_containing_folder (
    launcher, GTK_WINDOW (gtk_widget_get_root (showing->widget)), NULL, opened_cb, showing);
}

void
hearth_show_in_files (GtkWidget *widget, const char *path)
{
  GDBusConnection *bus = g_application_get_dbus_connection (g_application_get_default ());
  struct showing *showing = g_new0 (struct showing, 1);
  g_autofree char *uri = NULL;

  g_set_weak_pointer (&showing->widget, widget);
  showing->file = g_file_new_for_path (path);
  uri = g_file_get_uri (showing->file);
  if (bus == NULL)
    {
      g_autoptr (GtkFileLauncher) launcher = gtk_file_launcher_new (showing->file);

      gtk_file_launcher_open_containing_folder (launcher, GTK_WINDOW (gtk_widget_get_root (widget)),
                                                NULL, opened_cb, showing);
      return;
    }
  g_dbus_connection_call (
    bus, MANAGER, MANAGER_PATH, MANAGER, "ShowItems",
    g_variant_new ("(@ass)", g_variant_new_strv ((const char *const[]) { uri }, 1), ""), NULL,
    G_DBUS_CALL_FLAGS_NONE, -1, NULL, shown_cb, showing);
}
