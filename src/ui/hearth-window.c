/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-window-private.h"

#include <glib/gi18n.h>

#include "hearth-error-card.h"
#include "hearth-error.h"
#include "hearth-shortcuts.h"
#include "hearth-words.h"

/* What takes longer shows what it is doing. */
#define SLOW_MS 200

G_DEFINE_FINAL_TYPE (HearthWindow, hearth_window, ADW_TYPE_APPLICATION_WINDOW)

enum
{
  FILE_OPENED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

/* ---- what is shown ---------------------------------------------------------------------- */

static HearthErrorCard *
visible_notice (HearthWindow *self)
{
  if (gtk_stack_get_visible_child (self->pages) == GTK_WIDGET (self->model_page))
    return hearth_model_page_get_notice (self->model_page);
  return hearth_chat_page_get_notice (self->chat_page);
}

static void
hide_notices (HearthWindow *self)
{
  gtk_widget_set_visible (GTK_WIDGET (hearth_model_page_get_notice (self->model_page)), FALSE);
  gtk_widget_set_visible (GTK_WIDGET (hearth_chat_page_get_notice (self->chat_page)), FALSE);
}

static void
show_failure (HearthWindow *self, const char *sentence, const char *details)
{
  HearthErrorCard *notice = visible_notice (self);

  hearth_error_card_show_failure (notice, sentence, details);
  adw_navigation_split_view_set_show_content (self->split_view, TRUE);
  gtk_accessible_announce (GTK_ACCESSIBLE (self), sentence,
                           GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_HIGH);
}

static void
update_title (HearthWindow *self)
{
  HearthConversation *conversation;
  const char *title;

  if (self->chat_page == NULL)
    return; /* being disposed */
  conversation = hearth_chat_page_get_conversation (self->chat_page);
  title = conversation != NULL ? hearth_conversation_get_title (conversation) : NULL;
  if (gtk_stack_get_visible_child (self->pages) == GTK_WIDGET (self->model_page))
    {
      HearthModelFile *model = hearth_model_page_get_model (self->model_page);

      title = model != NULL ? hearth_model_file_get_title (model) : NULL;
    }
  adw_navigation_page_set_title (self->content_page, title != NULL ? title : _ ("New Chat"));
  gtk_window_set_title (GTK_WINDOW (self), title != NULL ? title : "Hearth");
}

static void
add_conversation (HearthWindow *self, HearthConversation *conversation)
{
  g_autofree char *system_prompt = hearth_settings_dup_system_prompt (self->settings);
  HearthSampling sampling;

  hearth_settings_get_sampling (self->settings, &sampling);
  hearth_conversation_set_sampling (conversation, &sampling);
  hearth_conversation_set_system_prompt (conversation, system_prompt);
  hearth_conversation_set_limits (conversation, hearth_settings_get_context_length (self->settings),
                                  hearth_settings_get_threads (self->settings));
  g_signal_connect_object (conversation, "notify::title", G_CALLBACK (update_title), self,
                           G_CONNECT_SWAPPED);
  g_list_store_insert (self->conversations, 0, conversation);
}

HearthConversation *
_hearth_window_get_fresh_chat (HearthWindow *self)
{
  HearthConversation *present = hearth_chat_page_get_conversation (self->chat_page);
  g_autoptr (HearthConversation) fresh = NULL;

  if (present != NULL && hearth_conversation_is_empty (present))
    return present;
  fresh = hearth_conversation_new (self->engine);
  if (present != NULL)
    hearth_conversation_set_model (fresh, hearth_conversation_get_model (present));
  add_conversation (self, fresh);
  return fresh; /* the list keeps it */
}

void
_hearth_window_show_chat (HearthWindow *self, HearthConversation *conversation)
{
  hearth_chat_page_set_conversation (self->chat_page, conversation);
  gtk_stack_set_visible_child (self->pages, GTK_WIDGET (self->chat_page));
  hearth_sidebar_select_conversation (self->sidebar, conversation);
  hearth_sidebar_set_place (self->sidebar, "chats");
  adw_navigation_split_view_set_show_content (self->split_view, TRUE);
  update_title (self);
  _hearth_window_update_actions (self);
  gtk_widget_grab_focus (GTK_WIDGET (self->chat_page));
}

void
_hearth_window_show_model (HearthWindow *self, HearthModelFile *model)
{
  hearth_model_page_set_model (self->model_page, model);
  gtk_stack_set_visible_child (self->pages, GTK_WIDGET (self->model_page));
  hearth_sidebar_select_model (self->sidebar, model);
  hearth_sidebar_set_place (self->sidebar, "models");
  adw_navigation_split_view_set_show_content (self->split_view, TRUE);
  update_title (self);
  gtk_widget_grab_focus (GTK_WIDGET (self->model_page));
}

/* One model is in memory at a time: a load that no question waits for gives way. */
static void
stop_other_loads (HearthWindow *self, HearthConversation *wanted)
{
  GListModel *list = G_LIST_MODEL (self->conversations);

  for (guint i = 0; i < g_list_model_get_n_items (list); i++)
    {
      g_autoptr (HearthConversation) other = g_list_model_get_item (list, i);

      if (other != wanted && hearth_conversation_can_ask (other) &&
          hearth_conversation_get_state (other) == HEARTH_CONVERSATION_LOADING)
        hearth_conversation_stop (other);
    }
}

void
_hearth_window_use_model (HearthWindow *self, HearthConversation *conversation,
                          HearthModelFile *model)
{
  const HearthModelHeader *header = hearth_model_file_get_header (model);

  hearth_conversation_set_model (conversation, model);
  _hearth_window_update_actions (self);
  if (header == NULL || header->fit_error != NULL || !header->fit.fits)
    return;
  stop_other_loads (self, conversation);
  hearth_conversation_load (conversation);
}

/* ---- opening files ---------------------------------------------------------------------- */

static void
show_opened (HearthWindow *self, HearthModelFile *model)
{
  hide_notices (self);
  hearth_library_remember (self->library, model);
  if (hearth_model_file_can_chat (model))
    {
      HearthConversation *chat = _hearth_window_get_fresh_chat (self);

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
  else
    {
      g_autofree char *sentence = hearth_words_for_error (error, model);

      show_failure (self, sentence, error->message);
    }
  g_signal_emit (self, signals[FILE_OPENED], 0);
}

void
hearth_window_open_file (HearthWindow *self, GFile *file)
{
  g_autofree char *path = NULL;
  g_autoptr (HearthModelFile) model = NULL;

  g_return_if_fail (HEARTH_IS_WINDOW (self));

  path = g_file_get_path (file);
  if (path == NULL)
    {
      g_autofree char *uri = g_file_get_uri (file);

      show_failure (self, _ ("Hearth opens model files that are on this computer."), uri);
      return;
    }
  _hearth_window_stop_opening (self);
  model = hearth_library_ref_file (self->library, path);
  g_set_object (&self->opened, model);
  self->opening = g_cancellable_new ();
  self->opening_id = g_timeout_add (SLOW_MS, opening_is_slow_cb, self);
  hearth_model_file_load_async (model, hearth_settings_get_context_length (self->settings),
                                hearth_settings_get_threads (self->settings), self->opening,
                                header_read_cb, g_object_ref (self));
}

/* ---- callbacks -------------------------------------------------------------------------- */

static void
conversation_chosen_cb (HearthWindow *self, HearthConversation *conversation)
{
  _hearth_window_show_chat (self, conversation);
}

static void
model_chosen_cb (HearthWindow *self, HearthModelFile *model)
{
  _hearth_window_show_model (self, model);
}

static gboolean
hearth_window_close_request (GtkWindow *window)
{
  HearthWindow *self = HEARTH_WINDOW (window);
  int width, height;

  gtk_window_get_default_size (window, &width, &height);
  hearth_settings_set_window_size (self->settings, width, height, gtk_window_is_maximized (window));
  return GTK_WINDOW_CLASS (hearth_window_parent_class)->close_request (window);
}

static void
hearth_window_dispose (GObject *object)
{
  HearthWindow *self = HEARTH_WINDOW (object);

  _hearth_window_stop_opening (self);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_WINDOW);
  g_clear_object (&self->opened);
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
  gtk_widget_class_bind_template_callback (widget_class, conversation_chosen_cb);
  gtk_widget_class_bind_template_callback (widget_class, model_chosen_cb);
}

static void
hearth_window_init (HearthWindow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  _hearth_window_install_drop (self);
  hearth_shortcuts_add_to (GTK_WIDGET (self), "win.");
  hearth_shortcuts_add_to (GTK_WIDGET (self), "window.");
}

/* ---- public functions ------------------------------------------------------------------- */

HearthWindow *
hearth_window_new (GtkApplication *application, HearthEngine *engine, HearthLibrary *library,
                   HearthSettings *settings, GListStore *conversations)
{
  HearthWindow *self = g_object_new (HEARTH_TYPE_WINDOW, "application", application, NULL);
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
  hearth_chat_page_set_sources (self->chat_page, engine, G_LIST_MODEL (library));
  hearth_sidebar_set_lists (self->sidebar, G_LIST_MODEL (conversations), G_LIST_MODEL (library));
  _hearth_window_show_chat (self, _hearth_window_get_fresh_chat (self));
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
