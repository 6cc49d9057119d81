/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-chat-page.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "hearth-load-card.h"
#include "hearth-message-list.h"
#include "hearth-model-button.h"
#include "hearth-shortcuts.h"
#include "hearth-words.h"

struct _HearthChatPage
{
  GtkWidget parent_instance;

  GtkWidget *root;
  HearthModelButton *model_button;
  GtkWidget *info_button;
  HearthErrorCard *notice;
  GtkStack *stack;
  AdwStatusPage *welcome_page;
  AdwStatusPage *ready_page;
  HearthMessageList *message_list;
  GtkBox *bottom_box;
  HearthLoadCard *load_card;
  HearthErrorCard *load_error_card;
  HearthComposer *composer;

  HearthEngine *engine;
  HearthConversation *conversation;
  GSignalGroup *conversation_signals;
  GSignalGroup *model_signals;
  GSignalGroup *answer_signals; /* of the last answer */
  gboolean low;
};

G_DEFINE_FINAL_TYPE (HearthChatPage, hearth_chat_page, GTK_TYPE_WIDGET)

enum
{
  PROP_0,
  PROP_LOW,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

/* ---- state ------------------------------------------------------------------------------ */

static HearthMessage *
ref_last_answer (HearthChatPage *self)
{
  GListModel *list = G_LIST_MODEL (self->conversation);
  guint n = list != NULL ? g_list_model_get_n_items (list) : 0;

  return n > 0 ? g_list_model_get_item (list, n - 1) : NULL;
}

static void
update_actions (HearthChatPage *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  HearthConversation *conversation = self->conversation;
  HearthConversationState state =
    conversation != NULL ? hearth_conversation_get_state (conversation) : HEARTH_CONVERSATION_IDLE;
  gboolean can_ask = conversation != NULL && hearth_conversation_can_ask (conversation);
  g_autoptr (HearthMessage) answer = ref_last_answer (self);

  if (self->composer == NULL)
    return; /* being disposed */
  gtk_widget_action_set_enabled (widget, "chat.send",
                                 can_ask && hearth_composer_get_has_text (self->composer));
  gtk_widget_action_set_enabled (widget, "chat.stop", state != HEARTH_CONVERSATION_IDLE);
  gtk_widget_action_set_enabled (widget, "chat.regenerate",
                                 conversation != NULL &&
                                   hearth_conversation_can_regenerate (conversation));
  gtk_widget_action_set_enabled (widget, "chat.copy-last",
                                 answer != NULL && *hearth_message_get_text (answer) != '\0');
  gtk_widget_action_set_enabled (widget, "chat.load", can_ask && state == HEARTH_CONVERSATION_IDLE);
  hearth_composer_set_busy (self->composer, state != HEARTH_CONVERSATION_IDLE && !can_ask);
}

static void
update_load_cards (HearthChatPage *self)
{
  HearthConversation *conversation = self->conversation;
  HearthModelFile *model =
    conversation != NULL ? hearth_conversation_get_model (conversation) : NULL;
  const GError *error =
    conversation != NULL ? hearth_conversation_get_load_error (conversation) : NULL;
  gboolean loading =
    model != NULL && hearth_conversation_get_state (conversation) == HEARTH_CONVERSATION_LOADING;

  if (self->load_card == NULL)
    return; /* being disposed */
  if (loading)
    {
      gboolean ours =
        g_strcmp0 (hearth_engine_get_path (self->engine), hearth_model_file_get_path (model)) == 0;

      hearth_load_card_update (self->load_card, hearth_model_file_get_title (model),
                               ours ? hearth_engine_get_progress (self->engine) : 0);
    }
  gtk_widget_set_visible (GTK_WIDGET (self->load_card), loading);
  if (error != NULL)
    {
      g_autofree char *sentence = hearth_words_for_error (error, model);

      hearth_error_card_show_failure (self->load_error_card, sentence, error->message);
      hearth_error_card_set_action (self->load_error_card, _ ("Try Again"), "chat.load");
    }
  gtk_widget_set_visible (GTK_WIDGET (self->load_error_card), error != NULL);
}

/* A model that does not fit is not loaded unasked; the card says why and offers it. */
static void
update_fit_card (HearthChatPage *self, HearthModelFile *model)
{
  const HearthModelHeader *header = model != NULL ? hearth_model_file_get_header (model) : NULL;
  g_autofree char *sentence = NULL;

  if (header == NULL || header->fit_error != NULL || header->fit.fits ||
      hearth_conversation_get_load_error (self->conversation) != NULL ||
      hearth_conversation_get_state (self->conversation) != HEARTH_CONVERSATION_IDLE ||
      g_strcmp0 (hearth_engine_get_path (self->engine), hearth_model_file_get_path (model)) == 0)
    return;
  sentence = hearth_words_for_fit (model);
  hearth_error_card_show_failure (self->load_error_card, sentence, header->fit.reason);
  hearth_error_card_set_action (self->load_error_card, _ ("Load Anyway"), "chat.load");
}

static void
update_stack (HearthChatPage *self)
{
  HearthConversation *conversation = self->conversation;
  HearthModelFile *model =
    conversation != NULL ? hearth_conversation_get_model (conversation) : NULL;
  const char *page = "messages";

  if (conversation == NULL || (model == NULL && hearth_conversation_is_empty (conversation)))
    page = "welcome";
  else if (hearth_conversation_is_empty (conversation))
    page = "ready";
  if (model != NULL)
    {
      g_autofree char *figures = hearth_words_for_model (model);
      g_autofree char *fit = hearth_words_for_fit (model);
      g_autofree char *lines = g_strdup_printf ("%s\n%s", figures, fit);
      g_autofree char *description = g_markup_escape_text (lines, -1);

      adw_status_page_set_title (self->ready_page, hearth_model_file_get_title (model));
      adw_status_page_set_description (self->ready_page, description);
    }
  hearth_model_button_set_model (self->model_button, model);
  gtk_widget_set_visible (GTK_WIDGET (self->model_button), conversation != NULL);
  gtk_widget_set_visible (self->info_button, model != NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->bottom_box), model != NULL);
  gtk_stack_set_visible_child_name (self->stack, page);
}

static void
update (HearthChatPage *self)
{
  HearthModelFile *model =
    self->conversation != NULL ? hearth_conversation_get_model (self->conversation) : NULL;

  g_signal_group_set_target (self->model_signals, model);
  update_stack (self);
  update_load_cards (self);
  if (self->conversation != NULL)
    update_fit_card (self, model);
  update_actions (self);
}


static void
items_changed_cb (HearthChatPage *self)
{
  g_autoptr (HearthMessage) answer = ref_last_answer (self);

  g_signal_group_set_target (self->answer_signals, answer);
  update (self);
}

/* ---- actions ---------------------------------------------------------------------------- */

static void
send_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthChatPage *self = HEARTH_CHAT_PAGE (widget);
  g_autofree char *text = hearth_composer_dup_text (self->composer);

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

static void
regenerate_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthChatPage *self = HEARTH_CHAT_PAGE (widget);

  if (self->conversation == NULL)
    return;
  hearth_conversation_regenerate (self->conversation);
  hearth_message_list_scroll_to_end (self->message_list);
}

static void
copy_last_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthChatPage *self = HEARTH_CHAT_PAGE (widget);
  g_autoptr (HearthMessage) answer = ref_last_answer (self);

  if (answer == NULL)
    return;
  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), hearth_message_get_text (answer));
  gtk_widget_activate_action (widget, "win.toast", "s", _ ("Answer copied"));
}

static void
focus_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  gtk_widget_grab_focus (GTK_WIDGET (HEARTH_CHAT_PAGE (widget)->composer));
}

static void
load_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthChatPage *self = HEARTH_CHAT_PAGE (widget);

  if (self->conversation != NULL && hearth_conversation_get_model (self->conversation) != NULL)
    hearth_conversation_load (self->conversation);
}

/* ---- object ----------------------------------------------------------------------------- */

static gboolean
hearth_chat_page_grab_focus (GtkWidget *widget)
{
  HearthChatPage *self = HEARTH_CHAT_PAGE (widget);

  if (gtk_widget_get_visible (GTK_WIDGET (self->bottom_box)))
    return gtk_widget_grab_focus (GTK_WIDGET (self->composer));
  return gtk_widget_child_focus (GTK_WIDGET (self->stack), GTK_DIR_TAB_FORWARD);
}

static void
set_low (HearthChatPage *self, gboolean low)
{
  if (self->low == low)
    return;
  self->low = low;
  adw_status_page_set_icon_name (self->welcome_page, low ? NULL : "io.github.hearth_app.Hearth");
  adw_status_page_set_icon_name (self->ready_page,
                                 low ? NULL : "io.github.hearth_app.Hearth-symbolic");
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_LOW]);
}

static void
hearth_chat_page_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_LOW)
    g_value_set_boolean (value, HEARTH_CHAT_PAGE (object)->low);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
hearth_chat_page_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  if (id == PROP_LOW)
    set_low (HEARTH_CHAT_PAGE (object), g_value_get_boolean (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
hearth_chat_page_dispose (GObject *object)
{
  HearthChatPage *self = HEARTH_CHAT_PAGE (object);

  g_clear_object (&self->conversation_signals);
  g_clear_object (&self->model_signals);
  g_clear_object (&self->answer_signals);
  g_clear_object (&self->conversation);
  g_clear_object (&self->engine);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_CHAT_PAGE);
  G_OBJECT_CLASS (hearth_chat_page_parent_class)->dispose (object);
}

static void
hearth_chat_page_class_init (HearthChatPageClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = hearth_chat_page_dispose;
  object_class->get_property = hearth_chat_page_get_property;
  object_class->set_property = hearth_chat_page_set_property;
  widget_class->grab_focus = hearth_chat_page_grab_focus;

  properties[PROP_LOW] = g_param_spec_boolean (
    "low", NULL, NULL, FALSE, G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  g_type_ensure (HEARTH_TYPE_COMPOSER);
  g_type_ensure (HEARTH_TYPE_ERROR_CARD);
  g_type_ensure (HEARTH_TYPE_LOAD_CARD);
  g_type_ensure (HEARTH_TYPE_MESSAGE_LIST);
  g_type_ensure (HEARTH_TYPE_MODEL_BUTTON);

  gtk_widget_class_install_action (widget_class, "chat.send", NULL, send_action);
  gtk_widget_class_install_action (widget_class, "chat.stop", NULL, stop_action);
  gtk_widget_class_install_action (widget_class, "chat.regenerate", NULL, regenerate_action);
  gtk_widget_class_install_action (widget_class, "chat.copy-last", NULL, copy_last_action);
  gtk_widget_class_install_action (widget_class, "chat.focus", NULL, focus_action);
  gtk_widget_class_install_action (widget_class, "chat.load", NULL, load_action);

  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/chat/hearth-chat-page.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthChatPage, root);
  gtk_widget_class_bind_template_child (widget_class, HearthChatPage, model_button);
  gtk_widget_class_bind_template_child (widget_class, HearthChatPage, info_button);
  gtk_widget_class_bind_template_child (widget_class, HearthChatPage, notice);
  gtk_widget_class_bind_template_child (widget_class, HearthChatPage, stack);
  gtk_widget_class_bind_template_child (widget_class, HearthChatPage, welcome_page);
  gtk_widget_class_bind_template_child (widget_class, HearthChatPage, ready_page);
  gtk_widget_class_bind_template_child (widget_class, HearthChatPage, message_list);
  gtk_widget_class_bind_template_child (widget_class, HearthChatPage, bottom_box);
  gtk_widget_class_bind_template_child (widget_class, HearthChatPage, load_card);
  gtk_widget_class_bind_template_child (widget_class, HearthChatPage, load_error_card);
  gtk_widget_class_bind_template_child (widget_class, HearthChatPage, composer);
  gtk_widget_class_bind_template_callback (widget_class, update_actions);
}

static void
connect (GSignalGroup *group, const char *signal, GCallback callback, HearthChatPage *self)
{
  g_signal_group_connect_object (group, signal, callback, self, G_CONNECT_SWAPPED);
}

static void
hearth_chat_page_init (HearthChatPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->conversation_signals = g_signal_group_new (HEARTH_TYPE_CONVERSATION);
  connect (self->conversation_signals, "notify::state", G_CALLBACK (update), self);
  connect (self->conversation_signals, "notify::can-ask", G_CALLBACK (update_actions), self);
  connect (self->conversation_signals, "notify::load-error", G_CALLBACK (update), self);
  connect (self->conversation_signals, "notify::model", G_CALLBACK (update), self);
  connect (self->conversation_signals, "items-changed", G_CALLBACK (items_changed_cb), self);
  self->model_signals = g_signal_group_new (HEARTH_TYPE_MODEL_FILE);
  connect (self->model_signals, "notify::state", G_CALLBACK (update), self);
  self->answer_signals = g_signal_group_new (HEARTH_TYPE_MESSAGE);
  connect (self->answer_signals, "notify::state", G_CALLBACK (update_actions), self);

  hearth_shortcuts_add_to (GTK_WIDGET (self), "chat.");
  update (self);
}

void
hearth_chat_page_set_sources (HearthChatPage *self, HearthEngine *engine, GListModel *library)
{
  g_return_if_fail (HEARTH_IS_CHAT_PAGE (self));
  g_return_if_fail (self->engine == NULL);

  self->engine = g_object_ref (engine);
  g_signal_connect_object (engine, "notify::progress", G_CALLBACK (update_load_cards), self,
                           G_CONNECT_SWAPPED);
  hearth_model_button_set_list (self->model_button, library);
}

void
hearth_chat_page_set_conversation (HearthChatPage *self, HearthConversation *conversation)
{
  g_return_if_fail (HEARTH_IS_CHAT_PAGE (self));

  if (self->conversation == conversation)
    return;
  g_set_object (&self->conversation, conversation);
  hearth_message_list_set_conversation (self->message_list, conversation);
  g_signal_group_set_target (self->conversation_signals, conversation);
  items_changed_cb (self);
}

HearthConversation *
hearth_chat_page_get_conversation (HearthChatPage *self)
{
  g_return_val_if_fail (HEARTH_IS_CHAT_PAGE (self), NULL);

  return self->conversation;
}

HearthComposer *
hearth_chat_page_get_composer (HearthChatPage *self)
{
  g_return_val_if_fail (HEARTH_IS_CHAT_PAGE (self), NULL);

  return self->composer;
}

HearthErrorCard *
hearth_chat_page_get_notice (HearthChatPage *self)
{
  g_return_val_if_fail (HEARTH_IS_CHAT_PAGE (self), NULL);

  return self->notice;
}
