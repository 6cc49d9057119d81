/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the window shows: which place, which page, and failures that belong to no page. */
#include "hearth-window-private.h"

#include <glib/gi18n.h>

static HearthErrorCard *
visible_notice (HearthWindow *self)
{
  if (gtk_stack_get_visible_child (self->pages) == GTK_WIDGET (self->model_page))
    return hearth_model_page_get_notice (self->model_page);
  return hearth_chat_page_get_notice (self->chat_page);
}

void
_hearth_window_hide_notices (HearthWindow *self)
{
  gtk_widget_set_visible (GTK_WIDGET (hearth_model_page_get_notice (self->model_page)), FALSE);
  gtk_widget_set_visible (GTK_WIDGET (hearth_chat_page_get_notice (self->chat_page)), FALSE);
}

void
_hearth_window_show_failure (HearthWindow *self, const char *sentence, const char *details)
{
  HearthErrorCard *notice = visible_notice (self);

  hearth_error_card_show_failure (notice, sentence, details);
  adw_navigation_split_view_set_show_content (self->split_view, TRUE);
  gtk_accessible_announce (GTK_ACCESSIBLE (self), sentence,
                           GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_HIGH);
}

/* Somebody, or this window, has chosen the other place: its page comes with it. */
void
_hearth_window_place_changed (HearthWindow *self)
{
  const char *place;

  if (self->chat_page == NULL)
    return; /* being built, or disposed */
  place = hearth_sidebar_get_place (self->sidebar);
  if (g_strcmp0 (place, "models") == 0)
    {
      HearthConversation *conversation = hearth_chat_page_get_conversation (self->chat_page);
      HearthModelFile *model =
        conversation != NULL ? hearth_conversation_get_model (conversation) : NULL;

      if (hearth_model_page_get_model (self->model_page) == NULL && model != NULL)
        {
          hearth_model_page_set_model (self->model_page, model);
          hearth_model_list_select (hearth_sidebar_get_model_list (self->sidebar), model);
        }
      gtk_stack_set_visible_child (self->pages, GTK_WIDGET (self->model_page));
    }
  else
    gtk_stack_set_visible_child (self->pages, GTK_WIDGET (self->chat_page));
  _hearth_window_update_title (self);
}

void
_hearth_window_restore_place (HearthWindow *self)
{
  g_autofree char *place = hearth_settings_dup_place (self->settings);

  hearth_sidebar_set_place (self->sidebar, place);
  adw_navigation_split_view_set_show_content (self->split_view, g_str_equal (place, "chats"));
}

void
_hearth_window_update_title (HearthWindow *self)
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

      title = model != NULL ? hearth_model_file_get_title (model) : _ ("Models");
    }
  adw_navigation_page_set_title (self->content_page, title != NULL ? title : _ ("New Chat"));
  gtk_window_set_title (GTK_WINDOW (self), title != NULL ? title : "Hearth");
}

void
_hearth_window_show_model (HearthWindow *self, HearthModelFile *model)
{
  hearth_model_page_set_model (self->model_page, model);
  gtk_stack_set_visible_child (self->pages, GTK_WIDGET (self->model_page));
  hearth_model_list_select (hearth_sidebar_get_model_list (self->sidebar), model);
  hearth_sidebar_set_place (self->sidebar, "models");
  adw_navigation_split_view_set_show_content (self->split_view, TRUE);
  _hearth_window_update_title (self);
  gtk_widget_grab_focus (GTK_WIDGET (self->model_page));
}
