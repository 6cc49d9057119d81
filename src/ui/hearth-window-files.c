/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Opening files, from wherever they come. */
#include "hearth-window-private.h"

#include <glib/gi18n.h>

#include "hearth-error.h"
#include "hearth-model-dialog.h"
#include "hearth-words.h"

/* What takes longer shows what it is doing. */
#define SLOW_MS 200

static void
show_opened (HearthWindow *self, HearthModelFile *model)
{
  _hearth_window_hide_notices (self);
  hearth_library_remember (self->library, model);
  if (!self->inspecting && hearth_model_file_can_chat (model))
    {
      HearthConversation *present = hearth_chat_page_get_conversation (self->chat_page);
      HearthConversation *chat = present != NULL && present == self->opened_for
                                   ? present
                                   : _hearth_window_get_fresh_chat (self);

      _hearth_window_use_model (self, chat, model);
      _hearth_window_show_chat (self, chat);
    }
  else
    _hearth_window_show_model (self, model);
}

void
_hearth_window_stop_opening (HearthWindow *self)
{
  if (self->opening != NULL)
    g_cancellable_cancel (self->opening);
  g_clear_object (&self->opening);
  g_clear_handle_id (&self->opening_id, g_source_remove);
  if (self->opening_toast != NULL)
    adw_toast_dismiss (self->opening_toast);
  g_clear_weak_pointer (&self->opening_toast);
}

static gboolean
opening_is_slow_cb (gpointer user_data)
{
  HearthWindow *self = user_data;
  g_autofree char *text =
    g_strdup_printf (_ ("Opening “%s”…"), hearth_model_file_get_base_name (self->opened));
  AdwToast *toast = adw_toast_new (text);

  self->opening_id = 0;
  adw_toast_set_use_markup (toast, FALSE);
  adw_toast_set_timeout (toast, 0);
  adw_toast_set_button_label (toast, _ ("Cancel"));
  adw_toast_set_action_name (toast, "win.stop-opening");
  g_set_weak_pointer (&self->opening_toast, toast);
  adw_toast_overlay_add_toast (self->toasts, toast);
  return G_SOURCE_REMOVE;
}

static void
header_read_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HearthWindow) self = user_data;
  HearthModelFile *model = HEARTH_MODEL_FILE (source);
  g_autoptr (GError) error = NULL;
  gboolean ok = hearth_model_file_load_finish (model, result, &error);

  if (self->chat_page == NULL || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED))
    return; /* the window was closed, or another file was opened meanwhile */
  _hearth_window_stop_opening (self);
  if (ok)
    show_opened (self, model);
  else if (g_error_matches (error, HEARTH_ERROR, HEARTH_ERROR_DAMAGED) ||
           g_error_matches (error, HEARTH_ERROR, HEARTH_ERROR_INCOMPLETE) ||
           g_error_matches (error, HEARTH_ERROR, HEARTH_ERROR_UNSUPPORTED))
    {
      /* A model file that cannot be read: its page says why, and what to do. */
      _hearth_window_hide_notices (self);
      _hearth_window_show_model (self, model);
    }
  else
    {
      g_autofree char *sentence = hearth_words_for_error (error, model);

      _hearth_window_show_failure (self, sentence, error->message);
    }
  g_signal_emit_by_name (self, "file-opened");
}

static void
open_file (HearthWindow *self, GFile *file, gboolean inspecting, HearthConversation *chat)
{
  g_autofree char *path = NULL;
  g_autoptr (HearthModelFile) model = NULL;

  path = g_file_get_path (file);
  if (path == NULL)
    {
      g_autofree char *uri = g_file_get_uri (file);

      _hearth_window_show_failure (self, _ ("Hearth opens model files that are on this computer."),
                                   uri);
      return;
    }
  _hearth_window_stop_opening (self);
  self->inspecting = inspecting;
  g_set_object (&self->opened_for, chat);
  model = hearth_library_ref_file (self->library, path);
  g_set_object (&self->opened, model);
  self->opening = g_cancellable_new ();
  self->opening_id = g_timeout_add (SLOW_MS, opening_is_slow_cb, self);
  hearth_model_file_load_async (model, hearth_settings_get_context_length (self->settings),
                                hearth_settings_get_threads (self->settings), self->opening,
                                header_read_cb, g_object_ref (self));
}

void
hearth_window_open_file (HearthWindow *self, GFile *file)
{
  g_return_if_fail (HEARTH_IS_WINDOW (self));

  open_file (self, file, FALSE, NULL);
}

void
hearth_window_inspect_file (HearthWindow *self, GFile *file)
{
  g_return_if_fail (HEARTH_IS_WINDOW (self));

  open_file (self, file, TRUE, NULL);
}

/* Who is looking at models wants to look at this one, too. */
static void
open_in_place (HearthWindow *self, GFile *file, HearthConversation *chat)
{
  gboolean inspecting = gtk_stack_get_visible_child (self->pages) == GTK_WIDGET (self->model_page);

  open_file (self, file, inspecting, chat);
}

static void
file_chosen (HearthWindow *self, GObject *source, GAsyncResult *result, gboolean for_chat)
{
  g_autoptr (GFile) file = gtk_file_dialog_open_finish (GTK_FILE_DIALOG (source), result, NULL);

  if (file != NULL && self->chat_page != NULL)
    open_in_place (self, file,
                   for_chat ? hearth_chat_page_get_conversation (self->chat_page) : NULL);
}

static void
file_chosen_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HearthWindow) self = user_data;

  file_chosen (self, source, result, FALSE);
}

static void
file_chosen_for_chat_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HearthWindow) self = user_data;

  file_chosen (self, source, result, TRUE);
}

void
_hearth_window_choose_file (HearthWindow *self, gboolean for_chat)
{
  const char *beside = self->opened != NULL ? hearth_model_file_get_path (self->opened) : NULL;
  g_autoptr (GtkFileDialog) dialog = hearth_model_dialog_new (_ ("Open a Model File"), beside);

  gtk_file_dialog_open (dialog, GTK_WINDOW (self), NULL,
                        for_chat ? file_chosen_for_chat_cb : file_chosen_cb, g_object_ref (self));
}

static void
folder_chosen_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HearthWindow) self = user_data;
  g_autoptr (GFile) folder =
    gtk_file_dialog_select_folder_finish (GTK_FILE_DIALOG (source), result, NULL);
  const char *path = folder != NULL ? g_file_peek_path (folder) : NULL;

  if (self->chat_page == NULL || folder == NULL)
    return;
  if (path == NULL)
    {
      g_autofree char *uri = g_file_get_uri (folder);

      _hearth_window_show_failure (self, _ ("Hearth lists folders that are on this computer."),
                                   uri);
      return;
    }
  hearth_library_add_folder (self->library, path);
  hearth_sidebar_set_place (self->sidebar, "models");
}

void
_hearth_window_choose_folder (HearthWindow *self)
{
  g_autoptr (GtkFileDialog) dialog = gtk_file_dialog_new ();

  gtk_file_dialog_set_title (dialog, _ ("Add a Folder of Models"));
  gtk_file_dialog_set_accept_label (dialog, _ ("_Add"));
  gtk_file_dialog_select_folder (dialog, GTK_WINDOW (self), NULL, folder_chosen_cb,
                                 g_object_ref (self));
}

static gboolean
drop_cb (GtkDropTarget *target, const GValue *value, double x, double y, gpointer user_data)
{
  GSList *files = g_value_get_boxed (value);

  if (files == NULL)
    return FALSE;
  open_in_place (HEARTH_WINDOW (user_data), files->data, NULL);
  return TRUE;
}

/* In the capture phase: the composer would otherwise take a file's name as text. */
void
_hearth_window_install_drop (HearthWindow *self)
{
  GtkDropTarget *target = gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);

  gtk_event_controller_set_propagation_phase (GTK_EVENT_CONTROLLER (target), GTK_PHASE_CAPTURE);
  g_signal_connect_object (target, "drop", G_CALLBACK (drop_cb), self, G_CONNECT_DEFAULT);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (target));
}
