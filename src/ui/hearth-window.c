/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-window-private.h"

#include "hearth-shortcuts.h"

G_DEFINE_FINAL_TYPE (HearthWindow, hearth_window, ADW_TYPE_APPLICATION_WINDOW)

enum
{
  FILE_OPENED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

static void
save_state (HearthWindow *self)
{
  GtkWindow *window = GTK_WINDOW (self);
  int width, height;

  gtk_window_get_default_size (window, &width, &height);
  hearth_settings_set_window_size (self->settings, width, height, gtk_window_is_maximized (window));
  hearth_settings_set_place (self->settings, hearth_sidebar_get_place (self->sidebar));
  hearth_model_list_save (hearth_sidebar_get_model_list (self->sidebar));
}

static gboolean
hearth_window_close_request (GtkWindow *window)
{
  save_state (HEARTH_WINDOW (window));
  return GTK_WINDOW_CLASS (hearth_window_parent_class)->close_request (window);
}

static void
hearth_window_dispose (GObject *object)
{
  HearthWindow *self = HEARTH_WINDOW (object);

  _hearth_window_stop_opening (self);
  _hearth_window_drop_undo (self);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_WINDOW);
  g_clear_object (&self->opened);
  g_clear_object (&self->opened_for);
  g_clear_object (&self->conversations);
  g_clear_object (&self->library);
  g_clear_object (&self->settings);
  g_clear_object (&self->engine);
  G_OBJECT_CLASS (hearth_window_parent_class)->dispose (object);
}

static void
hearth_window_class_init (HearthWindowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hearth_window_dispose;
  GTK_WINDOW_CLASS (klass)->close_request = hearth_window_close_request;

  signals[FILE_OPENED] = g_signal_new ("file-opened", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST,
                                       0, NULL, NULL, NULL, G_TYPE_NONE, 0);

  g_type_ensure (HEARTH_TYPE_CHAT_PAGE);
  g_type_ensure (HEARTH_TYPE_MODEL_PAGE);
  g_type_ensure (HEARTH_TYPE_SIDEBAR);
  _hearth_window_class_install_actions (widget_class);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/hearth_app/Hearth/hearth-window.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthWindow, toasts);
  gtk_widget_class_bind_template_child (widget_class, HearthWindow, split_view);
  gtk_widget_class_bind_template_child (widget_class, HearthWindow, content_page);
  gtk_widget_class_bind_template_child (widget_class, HearthWindow, sidebar);
  gtk_widget_class_bind_template_child (widget_class, HearthWindow, pages);
  gtk_widget_class_bind_template_child (widget_class, HearthWindow, chat_page);
  gtk_widget_class_bind_template_child (widget_class, HearthWindow, model_page);
}

static void
dialog_cb (HearthWindow *self)
{
  AdwDialog *dialog = adw_application_window_get_visible_dialog (ADW_APPLICATION_WINDOW (self));

  if (dialog == NULL || g_object_get_data (G_OBJECT (dialog), "hearth-shortcuts") != NULL)
    return;
  g_object_set_data (G_OBJECT (dialog), "hearth-shortcuts", self);
  hearth_shortcuts_add_to_dialog (dialog);
}

/* Where there is nothing yet, the keyboard begins at what leads on, not in the list beside it. */
static void
mapped_cb (HearthWindow *self)
{
  g_signal_handlers_disconnect_by_func (self, mapped_cb, NULL);
  if (gtk_stack_get_visible_child (self->pages) == GTK_WIDGET (self->chat_page))
    gtk_widget_grab_focus (GTK_WIDGET (self->chat_page));
}

static void
hearth_window_init (HearthWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect_after (self, "map", G_CALLBACK (mapped_cb), NULL);
  g_signal_connect (self, "notify::visible-dialog", G_CALLBACK (dialog_cb), NULL);
  g_signal_connect_object (hearth_sidebar_get_chat_list (self->sidebar), "conversation-chosen",
                           G_CALLBACK (_hearth_window_show_chat), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (hearth_sidebar_get_model_list (self->sidebar), "model-chosen",
                           G_CALLBACK (_hearth_window_show_model), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (self->sidebar, "place-changed",
                           G_CALLBACK (_hearth_window_place_changed), self, G_CONNECT_SWAPPED);
  _hearth_window_install_drop (self);
  hearth_shortcuts_add_to (GTK_WIDGET (self), "win.");
  hearth_shortcuts_add_to (GTK_WIDGET (self), "window.");
  hearth_shortcuts_add_to (GTK_WIDGET (self), "undo.");
}

/* ---- public functions ------------------------------------------------------------------- */

void
hearth_window_leave (HearthWindow *self)
{
  g_return_if_fail (HEARTH_IS_WINDOW (self));

  save_state (self);
  gtk_window_destroy (GTK_WINDOW (self));
}

HearthWindow *
hearth_window_new (GtkApplication *application, HearthEngine *engine, HearthLibrary *library,
                   HearthSettings *settings, HearthConversationList *conversations)
{
  HearthWindow *self = g_object_new (HEARTH_TYPE_WINDOW, "application", application, NULL);
  g_autoptr (GListModel) choices = _hearth_window_list_choices (library);
  int width, height;
  gboolean maximized;

  self->engine = g_object_ref (engine);
  self->library = g_object_ref (library);
  self->settings = g_object_ref (settings);
  self->conversations = g_object_ref (conversations);
  hearth_settings_get_window_size (settings, &width, &height, &maximized);
  gtk_window_set_default_size (GTK_WINDOW (self), width, height);
  if (maximized)
    gtk_window_maximize (GTK_WINDOW (self));
  hearth_chat_page_set_sources (self->chat_page, engine, choices, settings);
  hearth_model_page_set_sources (self->model_page, engine, library, settings);
  hearth_chat_list_set_list (hearth_sidebar_get_chat_list (self->sidebar), conversations);
  hearth_model_list_set_library (hearth_sidebar_get_model_list (self->sidebar), library, settings);
  hearth_loaded_row_set_sources (hearth_sidebar_get_loaded_row (self->sidebar), engine, library);
  _hearth_window_begin_chats (self);
  _hearth_window_restore_place (self);
  return self;
}

HearthChatPage *
hearth_window_get_chat_page (HearthWindow *self)
{
  g_return_val_if_fail (HEARTH_IS_WINDOW (self), NULL);

  return self->chat_page;
}

HearthModelFile *
hearth_window_get_opened (HearthWindow *self)
{
  g_return_val_if_fail (HEARTH_IS_WINDOW (self), NULL);

  return self->opened;
}
