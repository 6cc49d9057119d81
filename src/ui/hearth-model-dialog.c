/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-model-dialog.h"

#include <glib/gi18n.h>

GtkFileDialog *
hearth_model_dialog_new (const char *title, const char *beside)
{
  GtkFileDialog *dialog = gtk_file_dialog_new ();
  g_autoptr (GListStore) filters = g_list_store_new (GTK_TYPE_FILE_FILTER);
  g_autoptr (GtkFileFilter) models = gtk_file_filter_new ();
  g_autoptr (GtkFileFilter) all = gtk_file_filter_new ();

  gtk_file_filter_set_name (models, _ ("Model Files (GGUF)"));
  gtk_file_filter_add_suffix (models, "gguf");
  gtk_file_filter_set_name (all, _ ("All Files"));
  gtk_file_filter_add_pattern (all, "*");
  g_list_store_append (filters, models);
  g_list_store_append (filters, all);
  gtk_file_dialog_set_title (dialog, title);
  gtk_file_dialog_set_filters (dialog, G_LIST_MODEL (filters));
  if (beside != NULL)
    {
      g_autofree char *path = g_path_get_dirname (beside);
      g_autoptr (GFile) folder = g_file_new_for_path (path);

      gtk_file_dialog_set_initial_folder (dialog, folder);
    }
  return dialog;
}
