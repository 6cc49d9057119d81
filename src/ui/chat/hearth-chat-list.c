/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-chat-list.h"

#include "hearth-chat-row.h"
#include "hearth-chat-times.h"
#include "hearth-focus.h"
#include "hearth-shortcuts.h"

struct _HearthChatList
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkSearchBar *search_bar;
  GtkEditable *search_entry;
  GtkStack *stack;
  GtkListView *view;
  GtkSingleSelection *selection;
  GtkSortListModel *sorted;
  GtkFilterListModel *found;

  GtkSorter *sections;
  GtkListItemFactory *headings;
  GtkFilter *titles;
  HearthConversation *present; /* weak */
  guint midnight_id;
};

G_DEFINE_FINAL_TYPE (HearthChatList, hearth_chat_list, GTK_TYPE_WIDGET)

enum
{
  CONVERSATION_CHOSEN,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

/* ---- sections --------------------------------------------------------------------------- */

char *
hearth_chat_list_section_title (gpointer header, gboolean pinned, gint64 updated)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();

  return hearth_chat_times_dup_section_title (pinned, updated, now);
}

static int
compare_sections (gconstpointer a, gconstpointer b, gpointer user_data)
{
  HearthConversation *first = (gpointer) a;
  HearthConversation *second = (gpointer) b;
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  gint64 difference = hearth_chat_times_get_section (hearth_conversation_get_pinned (first),
                                                     hearth_conversation_get_updated (first), now) -
                      hearth_chat_times_get_section (hearth_conversation_get_pinned (second),
                                                     hearth_conversation_get_updated (second), now);

  return (difference > 0) - (difference < 0);
}

/* A list view makes the headings of what it has just got, but does not look again where a chat
 * that it has goes from one section to another, or where a section begins with another one. */
static void
head_anew (HearthChatList *self)
{
  if (self->view == NULL)
    return; /* being disposed */
  gtk_list_view_set_header_factory (self->view, NULL);
  gtk_list_view_set_header_factory (self->view, self->headings);
}

static void
update_sections (HearthChatList *self)
{
  if (self->view == NULL)
    return; /* being disposed */
  gtk_list_view_set_header_factory (self->view, NULL);
  gtk_sorter_changed (self->sections, GTK_SORTER_CHANGE_DIFFERENT);
  gtk_list_view_set_header_factory (self->view, self->headings);
}

static void schedule_midnight (HearthChatList *self);

static void
midnight_cb (gpointer data)
{
  HearthChatList *self = data;

  self->midnight_id = 0;
  update_sections (self);
  schedule_midnight (self);
}

static void
schedule_midnight (HearthChatList *self)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();

  self->midnight_id =
    g_timeout_add_seconds_once (hearth_chat_times_get_seconds_left (now) + 1, midnight_cb, self);
}

/* ---- the list --------------------------------------------------------------------------- */

static guint
find (GListModel *list, gconstpointer wanted)
{
  for (guint i = 0; wanted != NULL && i < g_list_model_get_n_items (list); i++)
    {
      g_autoptr (GObject) at = g_list_model_get_item (list, i);

      if (at == wanted)
        return i;
    }
  return GTK_INVALID_LIST_POSITION;
}

static gboolean
is_searching (HearthChatList *self)
{
  return *gtk_editable_get_text (self->search_entry) != '\0';
}

/* Searching may hide the present chat, and brings it back. */
static void
found_changed_cb (HearthChatList *self)
{
  guint n;

  if (self->stack == NULL)
    return; /* being disposed */
  head_anew (self);
  n = g_list_model_get_n_items (G_LIST_MODEL (self->found));
  gtk_stack_set_visible_child_name (self->stack, n > 0                 ? "list"
                                                 : is_searching (self) ? "nothing"
                                                                       : "empty");
  if (self->present != NULL &&
      gtk_single_selection_get_selected_item (self->selection) != (gpointer) self->present)
    gtk_single_selection_set_selected (self->selection,
                                       find (G_LIST_MODEL (self->selection), self->present));
}

static void
choose_at (HearthChatList *self, guint position)
{
  g_autoptr (HearthConversation) conversation =
    g_list_model_get_item (G_LIST_MODEL (self->selection), position);

  hearth_chat_list_end_swipes (self);
  if (conversation != NULL)
    g_signal_emit (self, signals[CONVERSATION_CHOSEN], 0, conversation);
}

static void
activated_cb (HearthChatList *self, guint position)
{
  choose_at (self, position);
}

/* ---- search ----------------------------------------------------------------------------- */

static void
search_changed_cb (HearthChatList *self)
{
  const char *text = gtk_editable_get_text (self->search_entry);

  gtk_string_filter_set_search (GTK_STRING_FILTER (self->titles), text);
  found_changed_cb (self);
}

static void
search_activated_cb (HearthChatList *self)
{
  if (!is_searching (self))
    return;
  choose_at (self, 0);
  gtk_search_bar_set_search_mode (self->search_bar, FALSE);
}

static void
search_mode_cb (HearthChatList *self)
{
  if (self->view != NULL && !gtk_search_bar_get_search_mode (self->search_bar))
    gtk_editable_set_text (self->search_entry, "");
}

/* ---- keys ------------------------------------------------------------------------------- */

static HearthChatRow *
focused_row (HearthChatList *self)
{
  GtkRoot *root = gtk_widget_get_root (GTK_WIDGET (self));
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;
  GtkWidget *child;

  if (focus == NULL || !gtk_widget_is_ancestor (focus, GTK_WIDGET (self->view)))
    return NULL;
  child = gtk_widget_get_first_child (focus);
  return HEARTH_IS_CHAT_ROW (child) ? HEARTH_CHAT_ROW (child) : NULL;
}

static void
act (HearthChatList *self, const char *action)
{
  HearthConversation *conversation = hearth_chat_list_get_focused (self);

  if (conversation != NULL)
    gtk_widget_activate_action (GTK_WIDGET (self), action, "x",
                                hearth_conversation_get_id (conversation));
}

static void
rename_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  act (HEARTH_CHAT_LIST (widget), "win.rename-chat");
}

static void
delete_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  act (HEARTH_CHAT_LIST (widget), "win.delete-chat");
}

static void
menu_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthChatRow *row = focused_row (HEARTH_CHAT_LIST (widget));

  if (row != NULL)
    hearth_chat_row_popup_menu (row);
}

/* ---- object ----------------------------------------------------------------------------- */

static gboolean
hearth_chat_list_grab_focus (GtkWidget *widget)
{
  HearthChatList *self = HEARTH_CHAT_LIST (widget);
  guint selected = gtk_single_selection_get_selected (self->selection);

  if (g_list_model_get_n_items (G_LIST_MODEL (self->selection)) == 0)
    return gtk_widget_child_focus (self->root, GTK_DIR_TAB_FORWARD);
  gtk_list_view_scroll_to (self->view, selected != GTK_INVALID_LIST_POSITION ? selected : 0,
                           GTK_LIST_SCROLL_FOCUS, NULL);
  return gtk_widget_grab_focus (GTK_WIDGET (self->view));
}

static void
hearth_chat_list_dispose (GObject *object)
{
  HearthChatList *self = HEARTH_CHAT_LIST (object);

  g_clear_handle_id (&self->midnight_id, g_source_remove);
  g_clear_weak_pointer (&self->present);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_CHAT_LIST);
  g_clear_object (&self->sections);
  g_clear_object (&self->headings);
  g_clear_object (&self->titles);
  G_OBJECT_CLASS (hearth_chat_list_parent_class)->dispose (object);
}

static void
hearth_chat_list_class_init (HearthChatListClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  G_OBJECT_CLASS (klass)->dispose = hearth_chat_list_dispose;
  widget_class->grab_focus = hearth_chat_list_grab_focus;

  signals[CONVERSATION_CHOSEN] =
    g_signal_new ("conversation-chosen", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                  NULL, NULL, G_TYPE_NONE, 1, HEARTH_TYPE_CONVERSATION);

  g_type_ensure (HEARTH_TYPE_CHAT_ROW);
  gtk_widget_class_install_action (widget_class, "chats.rename", NULL, rename_action);
  gtk_widget_class_install_action (widget_class, "chats.delete", NULL, delete_action);
  gtk_widget_class_install_action (widget_class, "chats.menu", NULL, menu_action);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/chat/hearth-chat-list.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthChatList, root);
  gtk_widget_class_bind_template_child (widget_class, HearthChatList, search_bar);
  gtk_widget_class_bind_template_child (widget_class, HearthChatList, search_entry);
  gtk_widget_class_bind_template_child (widget_class, HearthChatList, stack);
  gtk_widget_class_bind_template_child (widget_class, HearthChatList, view);
  gtk_widget_class_bind_template_child (widget_class, HearthChatList, selection);
  gtk_widget_class_bind_template_child (widget_class, HearthChatList, sorted);
  gtk_widget_class_bind_template_child (widget_class, HearthChatList, found);
  gtk_widget_class_bind_template_callback (widget_class, activated_cb);
  gtk_widget_class_bind_template_callback (widget_class, search_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, search_activated_cb);
  gtk_widget_class_bind_template_callback (widget_class, search_mode_cb);
}

static void
hearth_chat_list_init (HearthChatList *self)
{
  g_autoptr (GtkEveryFilter) filters = NULL;
  GtkBoolFilter *begun;

  gtk_widget_init_template (GTK_WIDGET (self));
  self->headings = g_object_ref (gtk_list_view_get_header_factory (self->view));
  self->sections = GTK_SORTER (gtk_custom_sorter_new (compare_sections, NULL, NULL));
  gtk_sort_list_model_set_section_sorter (self->sorted, self->sections);
  self->titles = GTK_FILTER (
    gtk_string_filter_new (gtk_property_expression_new (HEARTH_TYPE_CONVERSATION, NULL, "title")));
  /* A new chat has a row when something is in it: before, "New Chat" is the way to it. */
  begun =
    gtk_bool_filter_new (gtk_property_expression_new (HEARTH_TYPE_CONVERSATION, NULL, "untouched"));
  gtk_bool_filter_set_invert (begun, TRUE);
  filters = gtk_every_filter_new ();
  gtk_multi_filter_append (GTK_MULTI_FILTER (filters), GTK_FILTER (begun));
  gtk_multi_filter_append (GTK_MULTI_FILTER (filters), g_object_ref (self->titles));
  gtk_filter_list_model_set_filter (self->found, GTK_FILTER (filters));
  gtk_search_bar_connect_entry (self->search_bar, self->search_entry);
  gtk_search_bar_set_key_capture_widget (self->search_bar, GTK_WIDGET (self->view));
  hearth_shortcuts_add_to (GTK_WIDGET (self), "chats.");
  schedule_midnight (self);
}

void
hearth_chat_list_set_list (HearthChatList *self, HearthConversationList *conversations)
{
  g_return_if_fail (HEARTH_IS_CHAT_LIST (self));

  gtk_sort_list_model_set_model (self->sorted, G_LIST_MODEL (conversations));
  g_signal_connect_object (self->selection, "items-changed", G_CALLBACK (found_changed_cb), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  g_signal_connect_object (conversations, "used", G_CALLBACK (update_sections), self,
                           G_CONNECT_SWAPPED);
  found_changed_cb (self);
}

void
hearth_chat_list_select (HearthChatList *self, HearthConversation *conversation)
{
  g_return_if_fail (HEARTH_IS_CHAT_LIST (self));

  g_set_weak_pointer (&self->present, conversation);
  gtk_single_selection_set_selected (self->selection,
                                     find (G_LIST_MODEL (self->selection), conversation));
}

HearthConversation *
hearth_chat_list_get_neighbour (HearthChatList *self, HearthConversation *conversation, int by)
{
  GListModel *list;
  guint position, n;

  g_return_val_if_fail (HEARTH_IS_CHAT_LIST (self), NULL);

  /* Among what is found, when the present chat is. */
  list = G_LIST_MODEL (self->selection);
  position = find (list, conversation);
  if (position == GTK_INVALID_LIST_POSITION)
    {
      list = G_LIST_MODEL (self->sorted);
      position = find (list, conversation);
    }
  n = g_list_model_get_n_items (list);
  if (position == GTK_INVALID_LIST_POSITION || (gint64) position + by < 0 ||
      (gint64) position + by >= n)
    return NULL;
  {
    g_autoptr (HearthConversation) other =
      g_list_model_get_item (list, (guint) ((int) position + by));

    return other; /* the list keeps it */
  }
}

HearthConversation *
hearth_chat_list_get_focused (HearthChatList *self)
{
  HearthChatRow *row;

  g_return_val_if_fail (HEARTH_IS_CHAT_LIST (self), NULL);

  row = focused_row (self);
  return row != NULL ? hearth_chat_row_get_conversation (row) : NULL;
}

void
hearth_chat_list_find (HearthChatList *self)
{
  g_return_if_fail (HEARTH_IS_CHAT_LIST (self));

  gtk_search_bar_set_search_mode (self->search_bar, TRUE);
  gtk_widget_grab_focus (GTK_WIDGET (self->search_entry));
}

void
hearth_chat_list_end_swipes (HearthChatList *self)
{
  g_return_if_fail (HEARTH_IS_CHAT_LIST (self));

  for (GtkWidget *item = gtk_widget_get_first_child (GTK_WIDGET (self->view)); item != NULL;
       item = gtk_widget_get_next_sibling (item))
    {
      GtkWidget *row = gtk_widget_get_first_child (item);

      if (HEARTH_IS_CHAT_ROW (row))
        hearth_chat_row_end_swipe (HEARTH_CHAT_ROW (row));
    }
}
