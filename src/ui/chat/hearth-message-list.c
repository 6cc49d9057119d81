/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-message-list.h"

#include <glib/gi18n.h>

#include "hearth-focus.h"
#include "hearth-message-column.h"
#include "hearth-message-row.h"
#include "hearth-side-scroller.h"
#include "hearth-text-block.h"

struct _HearthMessageList
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkScrolledWindow *scroller;
  HearthMessageColumn *column;
  GtkRevealer *end_revealer;

  HearthConversation *conversation;
  GSignalGroup *conversation_signals;
  HearthSettings *settings;
  GtkCssProvider *text_size;
  gboolean enter_sends;
  gboolean wrap_code;
  gboolean placed; /* the reader's place has been restored, and is kept from now on */
};

G_DEFINE_FINAL_TYPE (HearthMessageList, hearth_message_list, GTK_TYPE_WIDGET)

enum
{
  PROP_0,
  PROP_ENTER_SENDS,
  PROP_WRAP_CODE,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

/* ---- places ----------------------------------------------------------------------------- */

static gboolean
find_message (HearthMessageList *self, guint id, guint *position)
{
  GListModel *list = G_LIST_MODEL (self->conversation);
  guint n = list != NULL ? g_list_model_get_n_items (list) : 0;

  for (guint i = 0; i < n; i++)
    {
      g_autoptr (HearthMessage) message = g_list_model_get_item (list, i);

      if (hearth_message_get_id (message) != id)
        continue;
      *position = i;
      return TRUE;
    }
  return FALSE;
}

static void
update_end_button (HearthMessageList *self)
{
  gboolean following = hearth_message_column_get_following (self->column);
  GtkAdjustment *adjustment = gtk_scrolled_window_get_vadjustment (self->scroller);
  gboolean short_one =
    gtk_adjustment_get_upper (adjustment) <= gtk_adjustment_get_page_size (adjustment) + 1;

  gtk_revealer_set_reveal_child (self->end_revealer, !following && !short_one);
}

/* Keeps in the conversation what is at the top of the view. */
static void
keep_place (HearthMessageList *self)
{
  guint position;
  double offset;

  if (self->end_revealer == NULL)
    return; /* being disposed */
  update_end_button (self);
  if (self->conversation == NULL || !self->placed)
    return;
  if (hearth_message_column_get_following (self->column) ||
      !hearth_message_column_get_place (self->column, &position, &offset))
    hearth_conversation_set_place (self->conversation, 0, 0);
  else
    {
      g_autoptr (HearthMessage) message =
        g_list_model_get_item (G_LIST_MODEL (self->conversation), position);

      hearth_conversation_set_place (self->conversation, hearth_message_get_id (message), offset);
    }
}

/* Goes to where the reader was, once the messages are there. */
static void
restore_place (HearthMessageList *self)
{
  guint id, position;
  double offset;

  if (self->placed || self->conversation == NULL ||
      hearth_conversation_get_restoring (self->conversation))
    return;
  hearth_conversation_get_place (self->conversation, &id, &offset);
  if (id != 0 && find_message (self, id, &position))
    hearth_message_column_scroll_to (self->column, position, offset);
  else
    hearth_message_column_scroll_to_end (self->column);
  self->placed = TRUE;
}

void
hearth_message_list_scroll_to_end (HearthMessageList *self)
{
  g_return_if_fail (HEARTH_IS_MESSAGE_LIST (self));

  hearth_message_column_scroll_to_end (self->column);
}

gboolean
hearth_message_list_edit_last (HearthMessageList *self)
{
  GListModel *list;

  g_return_val_if_fail (HEARTH_IS_MESSAGE_LIST (self), FALSE);

  list = G_LIST_MODEL (self->conversation);
  for (guint i = list != NULL ? g_list_model_get_n_items (list) : 0; i > 0; i--)
    {
      g_autoptr (HearthMessage) message = g_list_model_get_item (list, i - 1);
      GtkWidget *row;

      if (hearth_message_get_role (message) != HEARTH_MESSAGE_QUESTION)
        continue;
      row = hearth_message_column_get_row (self->column, i - 1);
      hearth_message_row_edit (HEARTH_MESSAGE_ROW (row));
      return TRUE;
    }
  return FALSE;
}

static void
end_clicked_cb (HearthMessageList *self)
{
  hearth_message_list_scroll_to_end (self);
  gtk_widget_activate_action (GTK_WIDGET (self), "chat.focus", NULL);
}

/* ---- actions of what is in the rows ----------------------------------------------------- */

static void
to_end_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  hearth_message_list_scroll_to_end (HEARTH_MESSAGE_LIST (widget));
}

/* Scrolls to the caret of the text that has the keyboard. */
static void
reveal_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthMessageList *self = HEARTH_MESSAGE_LIST (widget);
  GtkWidget *focus = gtk_root_get_focus (gtk_widget_get_root (widget));
  GtkWidget *sideways;
  graphene_rect_t area;

  if (focus == NULL || !HEARTH_IS_TEXT_BLOCK (focus) || !gtk_widget_is_ancestor (focus, widget))
    return;
  hearth_text_block_get_caret_area (
    HEARTH_TEXT_BLOCK (focus),
    (guint) MAX (hearth_text_block_get_caret (HEARTH_TEXT_BLOCK (focus)), 0), &area);
  sideways = gtk_widget_get_ancestor (focus, HEARTH_TYPE_SIDE_SCROLLER);
  if (sideways != NULL)
    hearth_side_scroller_reveal (HEARTH_SIDE_SCROLLER (sideways), focus, area.origin.x, 1);
  hearth_message_column_reveal (self->column, focus, &area);
}

static void
show_version_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthMessageList *self = HEARTH_MESSAGE_LIST (widget);
  g_autoptr (HearthMessage) message = NULL;
  guint id, version, position;

  g_variant_get (parameter, "(uu)", &id, &version);
  if (self->conversation == NULL || !find_message (self, id, &position))
    return;
  message = g_list_model_get_item (G_LIST_MODEL (self->conversation), position);
  /* The row is at the same place afterwards, whatever follows it now. */
  hearth_message_column_hold (self->column, position);
  hearth_conversation_show_version (self->conversation, message, version);
  gtk_widget_grab_focus (hearth_message_column_get_row (self->column, position));
}

/* ---- the keyboard ----------------------------------------------------------------------- */

static gboolean
row_key (GtkWidget *widget, GVariant *arguments, gpointer user_data)
{
  HearthMessageList *self = HEARTH_MESSAGE_LIST (widget);
  GtkWidget *focus = gtk_root_get_focus (gtk_widget_get_root (widget));
  GListModel *list = G_LIST_MODEL (self->conversation);
  int step = g_variant_get_int32 (arguments);
  int n = list != NULL ? (int) g_list_model_get_n_items (list) : 0;
  guint position;

  if (focus == NULL || !HEARTH_IS_MESSAGE_ROW (focus) ||
      !find_message (
        self, hearth_message_get_id (hearth_message_row_get_message (HEARTH_MESSAGE_ROW (focus))),
        &position))
    return FALSE;
  position = (guint) CLAMP ((int) position + CLAMP (step, -n, n), 0, n - 1);
  gtk_widget_grab_focus (hearth_message_column_get_row (self->column, position));
  return TRUE;
}

/* ---- rows ------------------------------------------------------------------------------- */

static GtkWidget *
create_row (HearthMessage *message, gpointer user_data)
{
  HearthMessageList *self = HEARTH_MESSAGE_LIST (user_data);
  GtkWidget *row = hearth_message_row_new (message, self->conversation);

  g_object_bind_property (self, "enter-sends", row, "enter-sends", G_BINDING_SYNC_CREATE);
  return row;
}

/* ---- preferences ------------------------------------------------------------------------ */

static void
show_text_size (HearthMessageList *self)
{
  char scale[G_ASCII_DTOSTR_BUF_SIZE];
  g_autofree char *css = NULL;

  g_ascii_formatd (scale, sizeof scale, "%.2f", hearth_settings_get_text_scale (self->settings));
  css = g_strdup_printf ("messagebody, messageeditor textview { font-size: %sem; }", scale);
  gtk_css_provider_load_from_string (self->text_size, css);
}

static gboolean *
preference (HearthMessageList *self, guint id)
{
  return id == PROP_ENTER_SENDS ? &self->enter_sends : &self->wrap_code;
}

static void
hearth_message_list_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_ENTER_SENDS || id == PROP_WRAP_CODE)
    g_value_set_boolean (value, *preference (HEARTH_MESSAGE_LIST (object), id));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
hearth_message_list_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id != PROP_ENTER_SENDS && id != PROP_WRAP_CODE)
    {
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      return;
    }
  *preference (HEARTH_MESSAGE_LIST (object), id) = g_value_get_boolean (value);
  g_object_notify_by_pspec (object, pspec);
}

/* ---- object ----------------------------------------------------------------------------- */

static void
hearth_message_list_dispose (GObject *object)
{
  HearthMessageList *self = HEARTH_MESSAGE_LIST (object);

  if (self->column != NULL)
    hearth_message_column_set_model (self->column, NULL, NULL, NULL);
  if (self->settings != NULL)
    gtk_style_context_remove_provider_for_display (gtk_widget_get_display (GTK_WIDGET (self)),
                                                   GTK_STYLE_PROVIDER (self->text_size));
  g_clear_object (&self->text_size);
  g_clear_object (&self->settings);
  g_clear_object (&self->conversation_signals);
  g_clear_object (&self->conversation);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_MESSAGE_LIST);
  G_OBJECT_CLASS (hearth_message_list_parent_class)->dispose (object);
}

static void
hearth_message_list_class_init (HearthMessageListClass *klass)
{
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  object_class->dispose = hearth_message_list_dispose;
  object_class->get_property = hearth_message_list_get_property;
  object_class->set_property = hearth_message_list_set_property;

  properties[PROP_ENTER_SENDS] = g_param_spec_boolean ("enter-sends", NULL, NULL, TRUE, flags);
  properties[PROP_WRAP_CODE] = g_param_spec_boolean ("wrap-code", NULL, NULL, FALSE, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  g_type_ensure (HEARTH_TYPE_MESSAGE_COLUMN);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_install_action (widget_class, "messages.to-end", NULL, to_end_action);
  gtk_widget_class_install_action (widget_class, "messages.reveal", NULL, reveal_action);
  gtk_widget_class_install_action (widget_class, "messages.show-version", "(uu)",
                                   show_version_action);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Up, 0, row_key, "i", -1);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Down, 0, row_key, "i", 1);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_Home, 0, row_key, "i", -G_MAXINT);
  gtk_widget_class_add_binding (widget_class, GDK_KEY_End, 0, row_key, "i", G_MAXINT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/chat/hearth-message-list.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthMessageList, root);
  gtk_widget_class_bind_template_child (widget_class, HearthMessageList, scroller);
  gtk_widget_class_bind_template_child (widget_class, HearthMessageList, column);
  gtk_widget_class_bind_template_child (widget_class, HearthMessageList, end_revealer);
  gtk_widget_class_bind_template_callback (widget_class, end_clicked_cb);
}

static void
hearth_message_list_init (HearthMessageList *self)
{
  GtkAdjustment *adjustment;

  self->enter_sends = TRUE;
  self->text_size = gtk_css_provider_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  adjustment = gtk_scrolled_window_get_vadjustment (self->scroller);
  g_signal_connect_object (adjustment, "value-changed", G_CALLBACK (keep_place), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  g_signal_connect_object (adjustment, "changed", G_CALLBACK (update_end_button), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->column, "notify::following", G_CALLBACK (keep_place), self,
                           G_CONNECT_SWAPPED);
  self->conversation_signals = g_signal_group_new (HEARTH_TYPE_CONVERSATION);
  g_signal_group_connect_object (self->conversation_signals, "notify::restoring",
                                 G_CALLBACK (restore_place), self, G_CONNECT_SWAPPED);
}

void
hearth_message_list_set_settings (HearthMessageList *self, HearthSettings *settings)
{
  g_return_if_fail (HEARTH_IS_MESSAGE_LIST (self));
  g_return_if_fail (self->settings == NULL);

  self->settings = g_object_ref (settings);
  g_object_bind_property (settings, "enter-sends", self, "enter-sends", G_BINDING_SYNC_CREATE);
  g_object_bind_property (settings, "wrap-code", self, "wrap-code", G_BINDING_SYNC_CREATE);
  gtk_style_context_add_provider_for_display (gtk_widget_get_display (GTK_WIDGET (self)),
                                              GTK_STYLE_PROVIDER (self->text_size),
                                              GTK_STYLE_PROVIDER_PRIORITY_APPLICATION);
  g_signal_connect_object (settings, "notify::text-scale", G_CALLBACK (show_text_size), self,
                           G_CONNECT_SWAPPED);
  show_text_size (self);
}

void
hearth_message_list_set_conversation (HearthMessageList *self, HearthConversation *conversation)
{
  g_return_if_fail (HEARTH_IS_MESSAGE_LIST (self));

  if (self->conversation == conversation)
    return;
  self->placed = FALSE;
  hearth_message_column_set_model (self->column, NULL, NULL, NULL);
  g_set_object (&self->conversation, conversation);
  g_signal_group_set_target (self->conversation_signals, conversation);
  if (conversation != NULL)
    hearth_message_column_set_model (self->column, G_LIST_MODEL (conversation), create_row, self);
  restore_place (self);
}
