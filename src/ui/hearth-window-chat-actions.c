/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is done with one chat of the list. Each takes the id of the chat; 0 is the present one. */
#include <glib/gi18n.h>

#include "hearth-alert.h"
#include "hearth-window-private.h"

static HearthConversation *
find (HearthWindow *self, GVariant *parameter)
{
  gint64 id = g_variant_get_int64 (parameter);

  if (id == 0)
    return hearth_chat_page_get_conversation (self->chat_page);
  return hearth_conversation_list_find (self->conversations, id);
}

static const char *
shown_title (HearthConversation *conversation)
{
  const char *title = hearth_conversation_get_title (conversation);

  return title != NULL ? title : _ ("New Chat");
}

/* ---- rename ----------------------------------------------------------------------------- */

static void
renamed_cb (GtkEditable *entry, const char *response, gpointer dialog)
{
  HearthConversation *conversation = g_object_get_data (dialog, "conversation");

  if (g_str_equal (response, "rename"))
    hearth_conversation_set_title (conversation, gtk_editable_get_text (entry));
}

static void
rename_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthConversation *conversation = find (HEARTH_WINDOW (widget), parameter);
  AdwDialog *dialog;
  GtkWidget *entry;

  if (conversation == NULL)
    return;
  dialog = hearth_alert_new (_ ("Rename Chat"), NULL);
  entry = gtk_entry_new ();
  gtk_editable_set_text (GTK_EDITABLE (entry), shown_title (conversation));
  gtk_entry_set_activates_default (GTK_ENTRY (entry), TRUE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (entry), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("Title"), -1);
  gtk_box_append (GTK_BOX (adw_alert_dialog_get_extra_child (ADW_ALERT_DIALOG (dialog))), entry);
  adw_alert_dialog_add_responses (ADW_ALERT_DIALOG (dialog), "cancel", _ ("_Cancel"), "rename",
                                  _ ("_Rename"), NULL);
  adw_alert_dialog_set_response_appearance (ADW_ALERT_DIALOG (dialog), "rename",
                                            ADW_RESPONSE_SUGGESTED);
  adw_alert_dialog_set_default_response (ADW_ALERT_DIALOG (dialog), "rename");
  adw_alert_dialog_set_close_response (ADW_ALERT_DIALOG (dialog), "cancel");
  g_object_set_data_full (G_OBJECT (dialog), "conversation", g_object_ref (conversation),
                          g_object_unref);
  g_signal_connect_object (dialog, "response", G_CALLBACK (renamed_cb), entry, G_CONNECT_SWAPPED);
  adw_dialog_set_focus (dialog, entry);
  adw_dialog_present (dialog, widget);
}

/* ---- pin, duplicate --------------------------------------------------------------------- */

static void
pin_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthConversation *conversation = find (HEARTH_WINDOW (widget), parameter);

  if (conversation != NULL)
    hearth_conversation_set_pinned (conversation, !hearth_conversation_get_pinned (conversation));
}

static void
duplicate_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthWindow *self = HEARTH_WINDOW (widget);
  HearthConversation *conversation = find (self, parameter);
  g_autofree char *title = NULL;

  if (conversation == NULL || hearth_conversation_is_empty (conversation))
    return;
  /* Translators: the title of a copied chat */
  title = g_strdup_printf (_ ("%s (copy)"), shown_title (conversation));
  _hearth_window_show_chat (
    self, hearth_conversation_list_duplicate (self->conversations, conversation, title));
}

/* ---- delete, undo ----------------------------------------------------------------------- */

static void
toast_dismissed_cb (AdwToast *toast, gpointer user_data)
{
  HearthWindow *self = user_data;
  gint64 *id = g_object_get_data (G_OBJECT (toast), "id");

  /* Too late when it is shown again: then it is not hidden, and nothing happens. */
  if (self->conversations != NULL)
    hearth_conversation_list_purge (self->conversations, *id);
}

static void
undo_cb (AdwToast *toast, gpointer user_data)
{
  HearthWindow *self = user_data;
  gint64 *id = g_object_get_data (G_OBJECT (toast), "id");

  if (self->conversations != NULL && hearth_conversation_list_unhide (self->conversations, *id))
    _hearth_window_show_chat (self, hearth_conversation_list_find (self->conversations, *id));
}

static void
say_deleted (HearthWindow *self, HearthConversation *conversation)
{
  gint64 id = hearth_conversation_get_id (conversation);
  g_autofree char *text = g_strdup_printf (_ ("Deleted “%s”"), shown_title (conversation));
  AdwToast *toast = _hearth_window_offer_undo (self, text);

  g_object_set_data_full (G_OBJECT (toast), "id", g_memdup2 (&id, sizeof id), g_free);
  g_signal_connect_object (toast, "button-clicked", G_CALLBACK (undo_cb), self, G_CONNECT_DEFAULT);
  g_signal_connect_object (toast, "dismissed", G_CALLBACK (toast_dismissed_cb), self,
                           G_CONNECT_DEFAULT);
}

static void
delete_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthWindow *self = HEARTH_WINDOW (widget);
  HearthChatList *list = hearth_sidebar_get_chat_list (self->sidebar);
  HearthConversation *conversation = find (self, parameter);
  HearthConversation *next;
  gboolean from_list = hearth_chat_list_get_focused (list) != NULL;
  gboolean content = adw_navigation_split_view_get_show_content (self->split_view);
  gboolean empty;

  if (conversation == NULL)
    return;
  next = hearth_chat_list_get_neighbour (list, conversation, 1);
  if (next == NULL)
    next = hearth_chat_list_get_neighbour (list, conversation, -1);
  empty = hearth_conversation_is_untouched (conversation);
  g_object_ref (conversation);
  hearth_conversation_list_hide (self->conversations, conversation);
  if (hearth_chat_page_get_conversation (self->chat_page) == conversation)
    _hearth_window_show_chat (
      self, next != NULL ? next : _hearth_window_get_chat_after (self, conversation));
  /* In a narrow window, too, who deletes in the list stays there. */
  if (from_list)
    {
      adw_navigation_split_view_set_show_content (self->split_view, content);
      gtk_widget_grab_focus (GTK_WIDGET (list));
    }
  if (empty)
    hearth_conversation_list_purge (self->conversations, hearth_conversation_get_id (conversation));
  else
    say_deleted (self, conversation);
  g_object_unref (conversation);
}

static void
find_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthWindow *self = HEARTH_WINDOW (widget);
  HearthModelList *models = hearth_sidebar_get_model_list (self->sidebar);
  GtkWidget *focus = gtk_root_get_focus (GTK_ROOT (self));
  gboolean in_list = (focus != NULL && gtk_widget_is_ancestor (focus, GTK_WIDGET (models))) ||
                     hearth_model_page_get_model (self->model_page) == NULL;

  /* Where a model is looked at, its own tables are searched; in the list, the list. */
  if (g_strcmp0 (hearth_sidebar_get_place (self->sidebar), "models") == 0 && in_list)
    {
      adw_navigation_split_view_set_show_content (self->split_view, FALSE);
      hearth_model_list_find (models);
      return;
    }
  if (g_strcmp0 (hearth_sidebar_get_place (self->sidebar), "models") == 0 &&
      hearth_model_page_get_model (self->model_page) != NULL)
    {
      adw_navigation_split_view_set_show_content (self->split_view, TRUE);
      gtk_widget_activate_action (GTK_WIDGET (self->model_page), "model.find", NULL);
      return;
    }
  hearth_sidebar_set_place (self->sidebar, "chats");
  adw_navigation_split_view_set_show_content (self->split_view, FALSE);
  hearth_chat_list_find (hearth_sidebar_get_chat_list (self->sidebar));
}

void
_hearth_window_class_install_chat_actions (GtkWidgetClass *widget_class)
{
  gtk_widget_class_install_action (widget_class, "win.rename-chat", "x", rename_action);
  gtk_widget_class_install_action (widget_class, "win.pin-chat", "x", pin_action);
  gtk_widget_class_install_action (widget_class, "win.duplicate-chat", "x", duplicate_action);
  gtk_widget_class_install_action (widget_class, "win.delete-chat", "x", delete_action);
  gtk_widget_class_install_action (widget_class, "win.find", NULL, find_action);
}
