/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What menus, buttons and keys do in a chat. */
#include "hearth-chat-page-private.h"

#include <glib/gi18n.h>

#include "hearth-words.h"

/* What would load a model that does not fit leads to the card that says so instead. */
static gboolean
offer_to_load (HearthChatPage *self)
{
  g_autofree char *sentence = NULL;

  if (self->conversation == NULL || !hearth_conversation_is_too_big (self->conversation))
    return FALSE;
  sentence = hearth_words_for_fit (hearth_conversation_get_model (self->conversation));
  gtk_accessible_announce (GTK_ACCESSIBLE (self), sentence,
                           GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_HIGH);
  hearth_error_card_focus_action (self->load_error_card);
  return TRUE;
}

static void
offer_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  offer_to_load (HEARTH_CHAT_PAGE (widget));
}

static void
send_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthChatPage *self = HEARTH_CHAT_PAGE (widget);
  g_autofree char *text = hearth_composer_dup_text (self->composer);

  if (offer_to_load (self))
    return;
  if (self->conversation == NULL || !hearth_conversation_ask (self->conversation, text))
    return;
  hearth_composer_set_text (self->composer, "");
  hearth_message_list_scroll_to_end (self->message_list);
}

static void
stop_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthChatPage *self = HEARTH_CHAT_PAGE (widget);

  if (self->conversation != NULL)
    hearth_conversation_stop (self->conversation);
}

/* The last answer, or the one that something else was chosen for. */
static void
regenerate (HearthChatPage *self)
{
  HearthMessage *again = self->again;

  if (self->conversation == NULL || offer_to_load (self))
    return;
  g_clear_weak_pointer (&self->again);
  if (again == NULL || !hearth_conversation_regenerate_answer (self->conversation, again))
    hearth_conversation_regenerate (self->conversation);
  hearth_message_list_scroll_to_end (self->message_list);
}

static void
regenerate_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  regenerate (HEARTH_CHAT_PAGE (widget));
}

/* Remembers the answer of this id, 0 for the last one, until what is needed is chosen. */
static void
answer_again (HearthChatPage *self, GVariant *parameter)
{
  GListModel *list = G_LIST_MODEL (self->conversation);
  guint id = g_variant_get_uint32 (parameter);

  g_clear_weak_pointer (&self->again);
  for (guint i = 0; id != 0 && list != NULL && i < g_list_model_get_n_items (list); i++)
    {
      g_autoptr (HearthMessage) message = g_list_model_get_item (list, i);

      if (hearth_message_get_id (message) == id)
        g_set_weak_pointer (&self->again, message);
    }
}

static void
regenerate_model_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthChatPage *self = HEARTH_CHAT_PAGE (widget);

  answer_again (self, parameter);
  hearth_model_button_choose (self->model_button);
}

void
_hearth_chat_page_model_chosen (HearthChatPage *self, const char *path)
{
  HearthModelFile *model =
    self->conversation != NULL ? hearth_conversation_get_model (self->conversation) : NULL;

  /* One that cannot chat was shown instead. */
  if (model != NULL && g_str_equal (hearth_model_file_get_path (model), path))
    regenerate (self);
  g_clear_weak_pointer (&self->again);
}

/* Other settings first: the panel has its own "Answer Again". */
static void
regenerate_settings_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthChatPage *self = HEARTH_CHAT_PAGE (widget);

  answer_again (self, parameter);
  adw_overlay_split_view_set_show_sidebar (self->split_view, TRUE);
  hearth_chat_panel_focus_answers (self->panel);
}

static void
continue_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthChatPage *self = HEARTH_CHAT_PAGE (widget);

  if (self->conversation == NULL || offer_to_load (self) || _hearth_chat_page_show_full (self))
    return;
  hearth_conversation_continue (self->conversation);
  hearth_message_list_scroll_to_end (self->message_list);
}

static void
edit_last_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  hearth_message_list_edit_last (HEARTH_CHAT_PAGE (widget)->message_list);
}

static void
copy_last_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthChatPage *self = HEARTH_CHAT_PAGE (widget);
  g_autoptr (HearthMessage) answer = _hearth_chat_page_ref_last_answer (self);

  if (answer == NULL)
    return;
  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), hearth_message_get_copy_text (answer));
  gtk_widget_activate_action (widget, "win.toast", "s", _ ("Answer copied"));
}

static void
focus_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthChatPage *self = HEARTH_CHAT_PAGE (widget);

  /* In a narrow window the panel lies over it. */
  if (adw_overlay_split_view_get_collapsed (self->split_view))
    adw_overlay_split_view_set_show_sidebar (self->split_view, FALSE);
  gtk_widget_grab_focus (GTK_WIDGET (self->composer));
}

static void
load_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthChatPage *self = HEARTH_CHAT_PAGE (widget);

  if (self->conversation != NULL && hearth_conversation_get_model (self->conversation) != NULL)
    hearth_conversation_load (self->conversation);
}

static void
panel_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthChatPage *self = HEARTH_CHAT_PAGE (widget);
  gboolean shown = !adw_overlay_split_view_get_show_sidebar (self->split_view);

  adw_overlay_split_view_set_show_sidebar (self->split_view, shown);
  /* Whoever opens it by key wants to go there, and back when they close it. */
  if (shown)
    gtk_widget_grab_focus (GTK_WIDGET (self->panel));
  else
    gtk_widget_grab_focus (widget);
}

static void
memory_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthChatPage *self = HEARTH_CHAT_PAGE (widget);

  adw_overlay_split_view_set_show_sidebar (self->split_view, TRUE);
  hearth_chat_panel_focus_memory (self->panel);
}

static void
choose_model_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  hearth_model_button_open (HEARTH_CHAT_PAGE (widget)->model_button);
}

static void
leave_out_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  _hearth_chat_page_leave_out (HEARTH_CHAT_PAGE (widget));
}

static void
enlarge_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  _hearth_chat_page_enlarge (HEARTH_CHAT_PAGE (widget));
}

void
_hearth_chat_page_class_install_actions (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "chat.offer-to-load", NULL, offer_action);
  gtk_widget_class_install_action (widget_class, "chat.send", NULL, send_action);
  gtk_widget_class_install_action (widget_class, "chat.stop", NULL, stop_action);
  gtk_widget_class_install_action (widget_class, "chat.regenerate", NULL, regenerate_action);
  gtk_widget_class_install_action (widget_class, "chat.regenerate-model", "u",
                                   regenerate_model_action);
  gtk_widget_class_install_action (widget_class, "chat.regenerate-settings", "u",
                                   regenerate_settings_action);
  gtk_widget_class_install_action (widget_class, "chat.continue", NULL, continue_action);
  gtk_widget_class_install_action (widget_class, "chat.edit-last", NULL, edit_last_action);
  gtk_widget_class_install_action (widget_class, "chat.copy-last", NULL, copy_last_action);
  gtk_widget_class_install_action (widget_class, "chat.focus", NULL, focus_action);
  gtk_widget_class_install_action (widget_class, "chat.load", NULL, load_action);
  gtk_widget_class_install_action (widget_class, "chat.panel", NULL, panel_action);
  gtk_widget_class_install_action (widget_class, "chat.memory", NULL, memory_action);
  gtk_widget_class_install_action (widget_class, "chat.choose-model", NULL, choose_model_action);
  gtk_widget_class_install_action (widget_class, "chat.leave-out", NULL, leave_out_action);
  gtk_widget_class_install_action (widget_class, "chat.enlarge", NULL, enlarge_action);
}
