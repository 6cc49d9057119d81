/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-message-list.h"

#include "hearth-message-row.h"

/* Pixels from the end within which the view still counts as being at the end. */
#define AT_END 4.0

struct _HearthMessageList
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkScrolledWindow *scroller;
  GtkListBox *list_box;
  GtkRevealer *end_revealer;

  HearthConversation *conversation;
  GSignalGroup *conversation_signals;
  GSignalGroup *last_signals; /* of the last message */
  gboolean following;         /* the view keeps to the end while it grows */
  double last_value;          /* of the scrolling, in pixels */
  guint end_tick_id;
};

G_DEFINE_FINAL_TYPE (HearthMessageList, hearth_message_list, GTK_TYPE_WIDGET)

static gboolean
is_at_end (GtkAdjustment *adjustment)
{
  return gtk_adjustment_get_value (adjustment) >=
         gtk_adjustment_get_upper (adjustment) - gtk_adjustment_get_page_size (adjustment) - AT_END;
}

/* The frame begins, nothing is laid out yet. The viewport will find the content's new height by
 * itself, but too late: what is set then moves the scrollbar, not the text. So the height is asked
 * for here, and the text that grows in this frame is seen in this frame. */
static gboolean
end_tick_cb (GtkWidget *widget, GdkFrameClock *clock, gpointer user_data)
{
  HearthMessageList *self = HEARTH_MESSAGE_LIST (widget);
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment (self->scroller);
  GtkWidget *viewport = gtk_scrolled_window_get_child (self->scroller);
  GtkWidget *content = gtk_viewport_get_child (GTK_VIEWPORT (viewport));
  double page = gtk_adjustment_get_page_size (adjustment);
  int height = 0;

  self->end_tick_id = 0;
  if (!self->following || gtk_widget_get_width (viewport) == 0)
    return G_SOURCE_REMOVE;
  gtk_widget_measure (content, GTK_ORIENTATION_VERTICAL, gtk_widget_get_width (viewport), NULL,
                      &height, NULL, NULL);
  gtk_adjustment_configure (adjustment, MAX (height - page, 0), 0, MAX (height, page),
                            gtk_adjustment_get_step_increment (adjustment),
                            gtk_adjustment_get_page_increment (adjustment), page);
  return G_SOURCE_REMOVE;
}

void
hearth_message_list_scroll_to_end (HearthMessageList *self)
{
  g_return_if_fail (HEARTH_IS_MESSAGE_LIST (self));

  self->following = TRUE;
  if (self->end_tick_id == 0)
    self->end_tick_id = gtk_widget_add_tick_callback (GTK_WIDGET (self), end_tick_cb, NULL, NULL);
}

static void
keep_at_end (HearthMessageList *self)
{
  if (self->following)
    hearth_message_list_scroll_to_end (self);
}

/* The value moved. Only a move away from the end, which growing text never causes, is the reader's
 * wish to stay where they are. */
static void
scrolled_cb (HearthMessageList *self, GtkAdjustment *adjustment)
{
  double value = gtk_adjustment_get_value (adjustment);

  if (self->end_revealer == NULL)
    return; /* being disposed */
  if (is_at_end (adjustment))
    self->following = TRUE;
  else if (value < self->last_value)
    self->following = FALSE;
  self->last_value = value;
  gtk_revealer_set_reveal_child (self->end_revealer, !self->following);
}

/* The text or the window grew. */
static void
resized_cb (HearthMessageList *self, GtkAdjustment *adjustment)
{
  if (self->end_revealer == NULL)
    return; /* being disposed */
  keep_at_end (self);
  gtk_revealer_set_reveal_child (self->end_revealer, !self->following && !is_at_end (adjustment));
}

static void
end_clicked_cb (HearthMessageList *self)
{
  hearth_message_list_scroll_to_end (self);
  gtk_widget_activate_action (GTK_WIDGET (self), "chat.focus", NULL);
}

/* The last row shows its buttons without being pointed at. */
static void
items_changed_cb (HearthMessageList *self)
{
  GListModel *list = G_LIST_MODEL (self->conversation);
  guint n = list != NULL ? g_list_model_get_n_items (list) : 0;
  g_autoptr (HearthMessage) last = n > 0 ? g_list_model_get_item (list, n - 1) : NULL;
  GtkWidget *row = gtk_widget_get_first_child (GTK_WIDGET (self->list_box));

  for (; row != NULL; row = gtk_widget_get_next_sibling (row))
    {
      if (gtk_widget_get_next_sibling (row) == NULL)
        gtk_widget_add_css_class (row, "last");
      else
        gtk_widget_remove_css_class (row, "last");
    }
  g_signal_group_set_target (self->last_signals, last);
}

static GtkWidget *
create_row (gpointer item, gpointer user_data)
{
  HearthMessageList *self = user_data;

  return hearth_message_row_new (item, hearth_conversation_get_model (self->conversation));
}

static void
hearth_message_list_dispose (GObject *object)
{
  HearthMessageList *self = HEARTH_MESSAGE_LIST (object);

  if (self->list_box != NULL)
    gtk_list_box_bind_model (self->list_box, NULL, NULL, NULL, NULL);
  g_clear_object (&self->conversation_signals);
  g_clear_object (&self->last_signals);
  g_clear_object (&self->conversation);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_MESSAGE_LIST);
  G_OBJECT_CLASS (hearth_message_list_parent_class)->dispose (object);
}

static void
hearth_message_list_class_init (HearthMessageListClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hearth_message_list_dispose;

  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/chat/hearth-message-list.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthMessageList, root);
  gtk_widget_class_bind_template_child (widget_class, HearthMessageList, scroller);
  gtk_widget_class_bind_template_child (widget_class, HearthMessageList, list_box);
  gtk_widget_class_bind_template_child (widget_class, HearthMessageList, end_revealer);
  gtk_widget_class_bind_template_callback (widget_class, end_clicked_cb);
}

static void
hearth_message_list_init (HearthMessageList *self)
{
  GtkAdjustment *adjustment;

  gtk_widget_init_template (GTK_WIDGET (self));
  self->following = TRUE;
  adjustment = gtk_scrolled_window_get_vadjustment (self->scroller);
  g_signal_connect_object (adjustment, "value-changed", G_CALLBACK (scrolled_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (adjustment, "changed", G_CALLBACK (resized_cb), self, G_CONNECT_SWAPPED);

  /* After the list box, so that the rows are there. */
  self->conversation_signals = g_signal_group_new (HEARTH_TYPE_CONVERSATION);
  g_signal_group_connect_object (self->conversation_signals, "items-changed",
                                 G_CALLBACK (items_changed_cb), self,
                                 G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  self->last_signals = g_signal_group_new (HEARTH_TYPE_MESSAGE);
  g_signal_group_connect_object (self->last_signals, "appended", G_CALLBACK (keep_at_end), self,
                                 G_CONNECT_SWAPPED);
  g_signal_group_connect_object (self->last_signals, "notify::state", G_CALLBACK (keep_at_end),
                                 self, G_CONNECT_SWAPPED);
}

void
hearth_message_list_set_conversation (HearthMessageList *self, HearthConversation *conversation)
{
  g_return_if_fail (HEARTH_IS_MESSAGE_LIST (self));

  if (self->conversation == conversation)
    return;
  gtk_list_box_bind_model (self->list_box, NULL, NULL, NULL, NULL);
  g_set_object (&self->conversation, conversation);
  if (conversation != NULL)
    gtk_list_box_bind_model (self->list_box, G_LIST_MODEL (conversation), create_row, self, NULL);
  g_signal_group_set_target (self->conversation_signals, conversation);
  items_changed_cb (self);
  hearth_message_list_scroll_to_end (self);
}
