/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-chat-row.h"

#include <math.h>

#include <glib/gi18n.h>

#include "hearth-chat-list.h"
#include "hearth-chat-times.h"
#include "hearth-focus.h"
#include "hearth-menu.h"

struct _HearthChatRow
{
  GtkWidget parent_instance;

  GtkLabel *title_label;
  GtkLabel *detail_label;
  GtkWidget *pin_icon;
  GtkWidget *spinner;
  GtkWidget *root;
  GtkRevealer *actions; /* shown by a swipe */
  GtkButton *pin_button;
  GtkButton *delete_button;
  GtkWidget *menu; /* the one opened last, or NULL */

  HearthConversation *conversation;
  GSignalGroup *signals;
};

G_DEFINE_FINAL_TYPE (HearthChatRow, hearth_chat_row, GTK_TYPE_WIDGET)

enum
{
  PROP_0,
  PROP_CONVERSATION,
  PROP_TITLE,
  PROP_DETAIL,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static void
update (HearthChatRow *self)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_local ();
  const char *title;
  const char *model;
  gboolean busy;
  g_autofree char *time = NULL;
  g_autofree char *detail = NULL;

  if (self->conversation == NULL || self->title_label == NULL)
    return;
  title = hearth_conversation_get_title (self->conversation);
  model = hearth_conversation_get_model_title (self->conversation);
  busy = hearth_conversation_get_state (self->conversation) == HEARTH_CONVERSATION_ANSWERING;
  time = hearth_chat_times_dup_time (hearth_conversation_get_updated (self->conversation), now);
  if (model != NULL)
    /* Translators: in the list of chats; a model's name and a time, like "Qwen3 4B · 14:05" */
    detail = g_strdup_printf (_ ("%1$s · %2$s"), model, time);
  else
    detail = g_strdup (time);
  gtk_label_set_text (self->title_label, title != NULL ? title : _ ("New Chat"));
  gtk_label_set_text (self->detail_label, detail);
  gtk_widget_set_visible (self->pin_icon, hearth_conversation_get_pinned (self->conversation));
  gtk_widget_set_visible (self->spinner, busy);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_TITLE]);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_DETAIL]);
}

/* ---- swipes ----------------------------------------------------------------------------- */

/* A finger has to go this far, in pixels, and more sideways than up or down. */
#define SWIPE 24

static void
show_actions (HearthChatRow *self, gboolean shown)
{
  GtkWidget *list = gtk_widget_get_ancestor (GTK_WIDGET (self), HEARTH_TYPE_CHAT_LIST);

  if (gtk_revealer_get_reveal_child (self->actions) == shown || self->conversation == NULL)
    return;
  if (shown)
    {
      gboolean pinned = hearth_conversation_get_pinned (self->conversation);
      gint64 id = hearth_conversation_get_id (self->conversation);

      gtk_widget_set_tooltip_text (GTK_WIDGET (self->pin_button), pinned ? _ ("Unpin") : _ ("Pin"));
      gtk_actionable_set_action_target (GTK_ACTIONABLE (self->pin_button), "x", id);
      gtk_actionable_set_action_name (GTK_ACTIONABLE (self->pin_button), "win.pin-chat");
      gtk_actionable_set_action_target (GTK_ACTIONABLE (self->delete_button), "x", id);
      gtk_actionable_set_action_name (GTK_ACTIONABLE (self->delete_button), "win.delete-chat");
      if (list != NULL)
        hearth_chat_list_end_swipes (HEARTH_CHAT_LIST (list));
    }
  gtk_revealer_set_reveal_child (self->actions, shown);
}

void
hearth_chat_row_end_swipe (HearthChatRow *self)
{
  g_return_if_fail (HEARTH_IS_CHAT_ROW (self));

  show_actions (self, FALSE);
}

/* Towards where a row begins, away from the buttons; negative: back. */
static gboolean
swipe (HearthChatRow *self, double dx)
{
  gboolean rtl = gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL;
  gboolean shown = (rtl ? dx : -dx) > 0;

  if (gtk_revealer_get_reveal_child (self->actions) == shown)
    return FALSE;
  show_actions (self, shown);
  return TRUE;
}

static void
drag_update_cb (HearthChatRow *self, double dx, double dy, GtkGesture *gesture)
{
  if (fabs (dy) > SWIPE && fabs (dy) > fabs (dx))
    gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_DENIED);
  else if (fabs (dx) > SWIPE && swipe (self, dx))
    gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_CLAIMED);
}

/* Two fingers on a touchpad do the same; they push the row as they push a page. */
static gboolean
scroll_cb (HearthChatRow *self, double dx, double dy)
{
  if (fabs (dx) > fabs (dy) && dx != 0)
    swipe (self, -dx);
  return GDK_EVENT_PROPAGATE;
}

/* ---- the menu --------------------------------------------------------------------------- */

static void
add_item (GMenu *menu, const char *label, const char *action, gint64 id)
{
  g_autoptr (GMenuItem) item = g_menu_item_new (label, NULL);

  g_menu_item_set_action_and_target (item, action, "x", id);
  g_menu_append_item (menu, item);
}

static GMenuModel *
menu_model (HearthConversation *conversation)
{
  gint64 id = hearth_conversation_get_id (conversation);
  GMenu *menu = g_menu_new ();
  g_autoptr (GMenu) first = g_menu_new ();
  g_autoptr (GMenu) last = g_menu_new ();

  add_item (first, _ ("_Rename…"), "win.rename-chat", id);
  add_item (first, hearth_conversation_get_pinned (conversation) ? _ ("Un_pin") : _ ("_Pin"),
            "win.pin-chat", id);
  if (!hearth_conversation_is_empty (conversation))
    add_item (first, _ ("D_uplicate"), "win.duplicate-chat", id);
  add_item (last, _ ("_Delete"), "win.delete-chat", id);
  g_menu_append_section (menu, NULL, G_MENU_MODEL (first));
  g_menu_append_section (menu, NULL, G_MENU_MODEL (last));
  return G_MENU_MODEL (menu);
}

static void
drop_menu (HearthChatRow *self)
{
  hearth_menu_drop (&self->menu);
}

static void
popup_at (HearthChatRow *self, double x, double y)
{
  GtkWidget *list = gtk_widget_get_ancestor (GTK_WIDGET (self), HEARTH_TYPE_CHAT_LIST);

  if (self->conversation == NULL || list == NULL)
    return;
  drop_menu (self);
  self->menu = hearth_menu_popup_for_row (GTK_WIDGET (self), list, menu_model (self->conversation),
                                          gtk_label_get_text (self->title_label), x, y);
}

void
hearth_chat_row_popup_menu (HearthChatRow *self)
{
  gboolean rtl = gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL;

  g_return_if_fail (HEARTH_IS_CHAT_ROW (self));

  popup_at (self, rtl ? gtk_widget_get_width (GTK_WIDGET (self)) - 12 : 12,
            gtk_widget_get_height (GTK_WIDGET (self)));
}

static void
pressed_cb (HearthChatRow *self, int n_press, double x, double y, GtkGesture *gesture)
{
  gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_CLAIMED);
  popup_at (self, x, y);
}

static void
long_pressed_cb (HearthChatRow *self, double x, double y, GtkGesture *gesture)
{
  gtk_gesture_set_state (gesture, GTK_EVENT_SEQUENCE_CLAIMED);
  popup_at (self, x, y);
}

/* ---- object ----------------------------------------------------------------------------- */

static void
set_conversation (HearthChatRow *self, HearthConversation *conversation)
{
  if (!g_set_object (&self->conversation, conversation))
    return;
  drop_menu (self);
  gtk_revealer_set_reveal_child (self->actions, FALSE);
  g_signal_group_set_target (self->signals, conversation);
  update (self);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CONVERSATION]);
}

static void
hearth_chat_row_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  HearthChatRow *self = HEARTH_CHAT_ROW (object);

  switch (id)
    {
    case PROP_CONVERSATION:
      g_value_set_object (value, self->conversation);
      break;
    case PROP_TITLE:
      g_value_set_string (value, gtk_label_get_text (self->title_label));
      break;
    case PROP_DETAIL:
      g_value_set_string (value, gtk_label_get_text (self->detail_label));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
hearth_chat_row_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_CONVERSATION)
    set_conversation (HEARTH_CHAT_ROW (object), g_value_get_object (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
hearth_chat_row_dispose (GObject *object)
{
  HearthChatRow *self = HEARTH_CHAT_ROW (object);

  drop_menu (self);
  g_clear_object (&self->signals);
  g_clear_object (&self->conversation);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_CHAT_ROW);
  G_OBJECT_CLASS (hearth_chat_row_parent_class)->dispose (object);
}

static void
hearth_chat_row_class_init (HearthChatRowClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  const GParamFlags flags = G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  widget_class->focus = hearth_focus_move;
  object_class->dispose = hearth_chat_row_dispose;
  object_class->get_property = hearth_chat_row_get_property;
  object_class->set_property = hearth_chat_row_set_property;

  properties[PROP_CONVERSATION] = g_param_spec_object (
    "conversation", NULL, NULL, HEARTH_TYPE_CONVERSATION, flags | G_PARAM_WRITABLE);
  properties[PROP_TITLE] = g_param_spec_string ("title", NULL, NULL, NULL, flags);
  properties[PROP_DETAIL] = g_param_spec_string ("detail", NULL, NULL, NULL, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/chat/hearth-chat-row.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthChatRow, root);
  gtk_widget_class_bind_template_child (widget_class, HearthChatRow, title_label);
  gtk_widget_class_bind_template_child (widget_class, HearthChatRow, detail_label);
  gtk_widget_class_bind_template_child (widget_class, HearthChatRow, pin_icon);
  gtk_widget_class_bind_template_child (widget_class, HearthChatRow, spinner);
  gtk_widget_class_bind_template_child (widget_class, HearthChatRow, actions);
  gtk_widget_class_bind_template_child (widget_class, HearthChatRow, pin_button);
  gtk_widget_class_bind_template_child (widget_class, HearthChatRow, delete_button);
  gtk_widget_class_bind_template_callback (widget_class, hearth_chat_row_end_swipe);
  gtk_widget_class_bind_template_callback (widget_class, drag_update_cb);
  gtk_widget_class_bind_template_callback (widget_class, scroll_cb);
  gtk_widget_class_bind_template_callback (widget_class, pressed_cb);
  gtk_widget_class_bind_template_callback (widget_class, long_pressed_cb);
}

static void
hearth_chat_row_init (HearthChatRow *self)
{
  static const char *const watched[] = { "notify::title", "notify::model-title", "notify::pinned",
                                         "notify::updated", "notify::state" };

  gtk_widget_init_template (GTK_WIDGET (self));
  self->signals = g_signal_group_new (HEARTH_TYPE_CONVERSATION);
  for (gsize i = 0; i < G_N_ELEMENTS (watched); i++)
    g_signal_group_connect_object (self->signals, watched[i], G_CALLBACK (update), self,
                                   G_CONNECT_SWAPPED);
}

HearthConversation *
hearth_chat_row_get_conversation (HearthChatRow *self)
{
  g_return_val_if_fail (HEARTH_IS_CHAT_ROW (self), NULL);

  return self->conversation;
}
