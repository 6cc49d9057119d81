/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-window-private.h"

#include <glib/gi18n.h>

static HearthModelFile *
present_model (HearthWindow *self)
{
  HearthConversation *conversation = hearth_chat_page_get_conversation (self->chat_page);

  return conversation != NULL ? hearth_conversation_get_model (conversation) : NULL;
}

void
_hearth_window_update_actions (HearthWindow *self)
{
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.show-model", present_model (self) != NULL);
}

static void
open_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  _hearth_window_choose_file (HEARTH_WINDOW (widget), FALSE);
}

static void
open_for_chat_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  _hearth_window_choose_file (HEARTH_WINDOW (widget), TRUE);
}

static void
add_folder_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  _hearth_window_choose_folder (HEARTH_WINDOW (widget));
}

static void
stop_opening_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  _hearth_window_stop_opening (HEARTH_WINDOW (widget));
}

static void
new_chat_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthWindow *self = HEARTH_WINDOW (widget);

  _hearth_window_show_chat (self, _hearth_window_get_fresh_chat (self));
}

static void
show_model_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthWindow *self = HEARTH_WINDOW (widget);
  HearthModelFile *model = present_model (self);

  if (model != NULL)
    _hearth_window_show_model (self, model);
}

/* The page of a model by its path. */
static void
show_model_of_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthWindow *self = HEARTH_WINDOW (widget);
  g_autoptr (HearthModelFile) model =
    hearth_library_ref_file (self->library, g_variant_get_string (parameter, NULL));

  _hearth_window_show_model (self, model);
}

/* Another model for the present chat. */
static void
use_model_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthWindow *self = HEARTH_WINDOW (widget);
  g_autoptr (HearthModelFile) model =
    hearth_library_ref_file (self->library, g_variant_get_string (parameter, NULL));
  HearthConversation *conversation = hearth_chat_page_get_conversation (self->chat_page);

  if (model == present_model (self))
    return;
  if (conversation != NULL && hearth_model_file_can_chat (model))
    {
      _hearth_window_use_model (self, conversation, model);
      gtk_widget_grab_focus (GTK_WIDGET (self->chat_page));
    }
  else
    _hearth_window_show_model (self, model);
}

/* A chat with this model, beside those that are there. */
static void
chat_with_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthWindow *self = HEARTH_WINDOW (widget);
  g_autoptr (HearthModelFile) model =
    hearth_library_ref_file (self->library, g_variant_get_string (parameter, NULL));
  HearthConversation *chat = hearth_chat_page_get_conversation (self->chat_page);

  if (chat == NULL || hearth_conversation_get_model (chat) != model)
    {
      chat = _hearth_window_get_fresh_chat (self);
      _hearth_window_use_model (self, chat, model);
    }
  _hearth_window_show_chat (self, chat);
}

static void
place_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthWindow *self = HEARTH_WINDOW (widget);

  hearth_sidebar_set_place (self->sidebar, g_variant_get_string (parameter, NULL));
  adw_navigation_split_view_set_show_content (self->split_view, FALSE);
  gtk_widget_grab_focus (GTK_WIDGET (self->sidebar));
}

/* What is stepped through by the same keys is what is looked at: chats, or the views of a model. */
static void
step_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthWindow *self = HEARTH_WINDOW (widget);
  gboolean next = g_str_equal (name, "win.next-chat");

  if (gtk_stack_get_visible_child (self->pages) == GTK_WIDGET (self->model_page))
    gtk_widget_activate_action (GTK_WIDGET (self->model_page),
                                next ? "model.next-view" : "model.previous-view", NULL);
  else
    _hearth_window_step_chat (self, next ? 1 : -1);
}

static void
toast_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  AdwToast *toast = adw_toast_new (g_variant_get_string (parameter, NULL));

  adw_toast_set_timeout (toast, 2);
  adw_toast_set_use_markup (toast, FALSE);
  adw_toast_overlay_add_toast (HEARTH_WINDOW (widget)->toasts, toast);
}

/* About a model file at a path, with a button to its page. */
static void
toast_file_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  const char *text, *path;
  AdwToast *toast;

  g_variant_get (parameter, "(&s&s)", &text, &path);
  toast = adw_toast_new (text);
  adw_toast_set_timeout (toast, 10); /* time to reach the button */
  adw_toast_set_use_markup (toast, FALSE);
  adw_toast_set_button_label (toast, _ ("Show"));
  adw_toast_set_action_name (toast, "win.inspect-file");
  adw_toast_set_action_target (toast, "s", path);
  adw_toast_overlay_add_toast (HEARTH_WINDOW (widget)->toasts, toast);
}

static void
inspect_file_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_autoptr (GFile) file = g_file_new_for_path (g_variant_get_string (parameter, NULL));

  hearth_window_inspect_file (HEARTH_WINDOW (widget), file);
}

void
_hearth_window_class_install_actions (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "win.open", NULL, open_action);
  gtk_widget_class_install_action (widget_class, "win.open-for-chat", NULL, open_for_chat_action);
  gtk_widget_class_install_action (widget_class, "win.add-folder", NULL, add_folder_action);
  gtk_widget_class_install_action (widget_class, "win.show-model-of", "s", show_model_of_action);
  gtk_widget_class_install_action (widget_class, "win.stop-opening", NULL, stop_opening_action);
  gtk_widget_class_install_action (widget_class, "win.new-chat", NULL, new_chat_action);
  gtk_widget_class_install_action (widget_class, "win.show-model", NULL, show_model_action);
  gtk_widget_class_install_action (widget_class, "win.use-model", "s", use_model_action);
  gtk_widget_class_install_action (widget_class, "win.chat-with", "s", chat_with_action);
  gtk_widget_class_install_action (widget_class, "win.place", "s", place_action);
  gtk_widget_class_install_action (widget_class, "win.previous-chat", NULL, step_action);
  gtk_widget_class_install_action (widget_class, "win.next-chat", NULL, step_action);
  gtk_widget_class_install_action (widget_class, "win.toast", "s", toast_action);
  gtk_widget_class_install_action (widget_class, "win.toast-file", "(ss)", toast_file_action);
  gtk_widget_class_install_action (widget_class, "win.inspect-file", "s", inspect_file_action);
  _hearth_window_class_install_chat_actions (widget_class);
  _hearth_window_class_install_model_actions (widget_class);
  _hearth_window_class_install_undo_action (widget_class);
}
