/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-chat-page-private.h"

#include <glib/gi18n.h>

#include "hearth-error.h"
#include "hearth-focus.h"
#include "hearth-menu.h"
#include "hearth-shortcuts.h"
#include "hearth-words.h"

/* From this width on there is room for the panel beside the chat. */
#define WIDE_SP 680

/* What the page takes at most for its least size, in pixels. */
#define MIN_WIDTH 320
#define MIN_HEIGHT 240

G_DEFINE_FINAL_TYPE (HearthChatPage, hearth_chat_page, GTK_TYPE_WIDGET)

enum
{
  PROP_0,
  PROP_LOW,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

/* ---- state ------------------------------------------------------------------------------ */

HearthMessage *
_hearth_chat_page_ref_last_answer (HearthChatPage *self)
{
  GListModel *list = G_LIST_MODEL (self->conversation);
  guint n = list != NULL ? g_list_model_get_n_items (list) : 0;

  return n > 0 ? g_list_model_get_item (list, n - 1) : NULL;
}

void
_hearth_chat_page_update_actions (HearthChatPage *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  HearthConversation *conversation = self->conversation;
  HearthConversationState state =
    conversation != NULL ? hearth_conversation_get_state (conversation) : HEARTH_CONVERSATION_IDLE;
  gboolean can_ask = conversation != NULL && hearth_conversation_can_ask (conversation);
  g_autoptr (HearthMessage) answer = _hearth_chat_page_ref_last_answer (self);

  if (self->composer == NULL)
    return; /* being disposed */
  gtk_widget_action_set_enabled (widget, "chat.send",
                                 can_ask && hearth_composer_get_has_text (self->composer));
  gtk_widget_action_set_enabled (widget, "chat.stop", state != HEARTH_CONVERSATION_IDLE);
  gtk_widget_action_set_enabled (widget, "chat.regenerate",
                                 conversation != NULL &&
                                   hearth_conversation_can_regenerate (conversation));
  gtk_widget_action_set_enabled (widget, "chat.regenerate-model",
                                 conversation != NULL &&
                                   hearth_conversation_can_regenerate (conversation));
  gtk_widget_action_set_enabled (widget, "chat.regenerate-settings",
                                 conversation != NULL &&
                                   hearth_conversation_can_regenerate (conversation));
  gtk_widget_action_set_enabled (widget, "chat.edit-last",
                                 answer != NULL && can_ask &&
                                   hearth_conversation_can_branch (conversation));
  gtk_widget_action_set_enabled (widget, "chat.continue",
                                 conversation != NULL &&
                                   hearth_conversation_can_continue (conversation));
  gtk_widget_action_set_enabled (widget, "chat.copy-last",
                                 answer != NULL && *hearth_message_get_copy_text (answer) != '\0');
  gtk_widget_action_set_enabled (widget, "chat.load", can_ask && state == HEARTH_CONVERSATION_IDLE);
  hearth_composer_set_busy (self->composer, state != HEARTH_CONVERSATION_IDLE && !can_ask);
}

/* Also while another chat's model is loaded: nothing but the card of this one's progress changes.
 */
static void
update_load_card (HearthChatPage *self)
{
  HearthConversation *conversation = self->conversation;
  HearthModelFile *model =
    conversation != NULL ? hearth_conversation_get_model (conversation) : NULL;
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
}

static void
update_load_error (HearthChatPage *self)
{
  HearthModelFile *model =
    self->conversation != NULL ? hearth_conversation_get_model (self->conversation) : NULL;
  const GError *error =
    self->conversation != NULL ? hearth_conversation_get_load_error (self->conversation) : NULL;

  if (self->load_card == NULL)
    return; /* being disposed */
  if (error != NULL)
    {
      g_autofree char *sentence = hearth_words_for_error (error, model);

      hearth_error_card_show_failure (self->load_error_card, sentence, error->message);
      hearth_error_card_set_action (self->load_error_card, _ ("Try Again"), "chat.load");
      if (g_error_matches (error, HEARTH_ERROR, HEARTH_ERROR_NO_MEMORY))
        hearth_error_card_set_other_action (self->load_error_card, _ ("Adjust Settings"),
                                            "chat.memory");
      else
        hearth_error_card_set_other_action (self->load_error_card, _ ("Open File…"),
                                            "win.open-for-chat");
      if (!gtk_widget_get_visible (GTK_WIDGET (self->load_error_card)))
        gtk_accessible_announce (GTK_ACCESSIBLE (self), sentence,
                                 GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_HIGH);
    }
  gtk_widget_set_visible (GTK_WIDGET (self->load_error_card), error != NULL);
}

/* A model that does not fit is not loaded unasked; the card says why and offers it. What harms
 * nothing comes first: that is where the keyboard is led. */
static void
update_fit_card (HearthChatPage *self)
{
  HearthModelFile *model;
  const HearthModelHeader *header;
  g_autofree char *sentence = NULL;
  g_autofree char *details = NULL;

  if (self->conversation == NULL || !hearth_conversation_is_too_big (self->conversation))
    return;
  model = hearth_conversation_get_model (self->conversation);
  sentence = hearth_words_for_fit (model);
  details = hearth_words_for_needs (model);
  hearth_error_card_show_failure (self->load_error_card, sentence, details);
  header = hearth_model_file_get_header (model);
  if (header != NULL && header->fit.weights > header->fit.budget)
    hearth_error_card_set_action (self->load_error_card, _ ("Choose Another Model"),
                                  "chat.choose-model");
  else
    hearth_error_card_set_action (self->load_error_card, _ ("Adjust Settings"), "chat.memory");
  hearth_error_card_set_other_action (self->load_error_card, _ ("Load Anyway"), "chat.load");
}

static void
update_stack (HearthChatPage *self)
{
  HearthConversation *conversation = self->conversation;
  HearthModelFile *model =
    conversation != NULL ? hearth_conversation_get_model (conversation) : NULL;
  gboolean empty = conversation == NULL || hearth_conversation_is_empty (conversation);

  hearth_model_button_set_model (self->model_button, model);
  gtk_widget_set_visible (GTK_WIDGET (self->model_button), conversation != NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->menu_button), conversation != NULL);
  gtk_widget_set_visible (GTK_WIDGET (self->bottom_box), model != NULL);
  gtk_stack_set_visible_child_name (self->stack, empty ? "start" : "messages");
}

static void
update (HearthChatPage *self)
{
  HearthModelFile *model =
    self->conversation != NULL ? hearth_conversation_get_model (self->conversation) : NULL;

  g_signal_group_set_target (self->model_signals, model);
  update_stack (self);
  update_load_card (self);
  update_load_error (self);
  update_fit_card (self);
  if (self->load_card != NULL) /* else being disposed */
    hearth_chat_start_show (self->start, model,
                            !gtk_widget_get_visible (GTK_WIDGET (self->load_error_card)));
  g_object_set (self->composer, "can-think",
                model != NULL && hearth_model_file_get_header (model) != NULL &&
                  hearth_model_file_get_header (model)->can_think,
                NULL);
  _hearth_chat_page_update_actions (self);
  _hearth_chat_page_update_full (self);
  _hearth_chat_page_count_later (self);
}

static void
settings_changed_cb (HearthChatPage *self)
{
  HearthChatSettings *settings = hearth_conversation_get_settings (self->conversation);

  g_object_set (self->composer, "thinking", hearth_chat_settings_get_thinking (settings), NULL);
  _hearth_chat_page_count_later (self);
}

static void
thinking_cb (HearthChatPage *self)
{
  gboolean thinking;

  if (self->conversation == NULL)
    return;
  g_object_get (self->composer, "thinking", &thinking, NULL);
  hearth_chat_settings_set_thinking (hearth_conversation_get_settings (self->conversation),
                                     thinking);
}

static void
items_changed_cb (HearthChatPage *self)
{
  g_autoptr (HearthMessage) answer = _hearth_chat_page_ref_last_answer (self);

  g_signal_group_set_target (self->answer_signals, answer);
  update (self);
}

/* Most chats never need it: its many rows are made when it is shown first. */
static void
ensure_panel (HearthChatPage *self)
{
  gboolean shown = adw_overlay_split_view_get_show_sidebar (self->split_view);

  if (!shown)
    g_clear_weak_pointer (&self->again);
  if (self->panel != NULL || self->presets == NULL || !shown)
    return;
  self->panel = g_object_new (HEARTH_TYPE_CHAT_PANEL, NULL);
  hearth_chat_panel_set_sources (self->panel, self->engine, self->presets);
  hearth_chat_panel_set_conversation (self->panel, self->conversation);
  g_object_bind_property (self->split_view, "collapsed", self->panel, "over",
                          G_BINDING_SYNC_CREATE);
  adw_overlay_split_view_set_sidebar (self->split_view, GTK_WIDGET (self->panel));
}

static void
dismiss_cb (HearthChatPage *self)
{
  adw_banner_set_revealed (self->settings_banner, FALSE);
}

/* ---- object ----------------------------------------------------------------------------- */

static gboolean
hearth_chat_page_grab_focus (GtkWidget *widget)
{
  HearthChatPage *self = HEARTH_CHAT_PAGE (widget);

  if (gtk_widget_get_visible (GTK_WIDGET (self->bottom_box)))
    return gtk_widget_grab_focus (GTK_WIDGET (self->composer));
  /* To the first control: going forward would lead on from one that has the keyboard already. */
  if (gtk_stack_get_visible_child (self->stack) == GTK_WIDGET (self->start))
    return gtk_widget_grab_focus (GTK_WIDGET (self->start));
  return gtk_widget_child_focus (GTK_WIDGET (self->stack), GTK_DIR_TAB_FORWARD);
}

/* The panel stands beside the chat where there is room for both, else it lies over it. The page is
 * as narrow as the chat alone can be, so that the window may become narrow while it is open. */

static GtkSizeRequestMode
hearth_chat_page_get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_CONSTANT_SIZE;
}

static void
hearth_chat_page_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                          int *natural, int *minimum_baseline, int *natural_baseline)
{
  HearthChatPage *self = HEARTH_CHAT_PAGE (widget);

  gtk_widget_measure (GTK_WIDGET (self->split_view), orientation, -1, minimum, natural, NULL, NULL);
  *minimum = MIN (*minimum, orientation == GTK_ORIENTATION_HORIZONTAL ? MIN_WIDTH : MIN_HEIGHT);
}

static gboolean
wide_cb (gpointer data)
{
  HearthChatPage *self = data;

  self->wide_id = 0;
  adw_overlay_split_view_set_collapsed (self->split_view, !self->wide);
  return G_SOURCE_REMOVE;
}

static void
hearth_chat_page_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  HearthChatPage *self = HEARTH_CHAT_PAGE (widget);
  GtkWidget *child = GTK_WIDGET (self->split_view);
  double needed =
    adw_length_unit_to_px (ADW_LENGTH_UNIT_SP, WIDE_SP, gtk_widget_get_settings (widget));
  gboolean wide = width >= needed;
  int min_width, min_height;

  if (self->wide != wide)
    {
      self->wide = wide;
      g_clear_handle_id (&self->wide_id, g_source_remove);
      self->wide_id = g_idle_add_full (G_PRIORITY_HIGH_IDLE, wide_cb, self, NULL);
    }
  gtk_widget_measure (child, GTK_ORIENTATION_HORIZONTAL, -1, &min_width, NULL, NULL, NULL);
  width = MAX (width, min_width);
  gtk_widget_measure (child, GTK_ORIENTATION_VERTICAL, width, &min_height, NULL, NULL, NULL);
  gtk_widget_allocate (child, width, MAX (height, min_height), baseline, NULL);
}

static void
set_low (HearthChatPage *self, gboolean low)
{
  if (self->low == low)
    return;
  self->low = low;
  hearth_chat_start_set_low (self->start, low);
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

  g_clear_handle_id (&self->wide_id, g_source_remove);
  _hearth_chat_page_dispose_context (self);
  g_clear_weak_pointer (&self->again);
  g_clear_object (&self->settings_signals);
  g_clear_object (&self->conversation_signals);
  g_clear_object (&self->model_signals);
  g_clear_object (&self->answer_signals);
  g_clear_object (&self->conversation);
  g_clear_object (&self->engine);
  g_clear_object (&self->presets);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_CHAT_PAGE);
  G_OBJECT_CLASS (hearth_chat_page_parent_class)->dispose (object);
}

static void
hearth_chat_page_class_init (HearthChatPageClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  object_class->dispose = hearth_chat_page_dispose;
  object_class->get_property = hearth_chat_page_get_property;
  object_class->set_property = hearth_chat_page_set_property;
  widget_class->grab_focus = hearth_chat_page_grab_focus;
  widget_class->measure = hearth_chat_page_measure;
  widget_class->size_allocate = hearth_chat_page_size_allocate;
  widget_class->get_request_mode = hearth_chat_page_get_request_mode;

  properties[PROP_LOW] = g_param_spec_boolean (
    "low", NULL, NULL, FALSE, G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  g_type_ensure (HEARTH_TYPE_CHAT_START);
  g_type_ensure (HEARTH_TYPE_COMPOSER);
  g_type_ensure (HEARTH_TYPE_CONTEXT_BAR);
  g_type_ensure (HEARTH_TYPE_ERROR_CARD);
  g_type_ensure (HEARTH_TYPE_LOAD_CARD);
  g_type_ensure (HEARTH_TYPE_MESSAGE_LIST);
  g_type_ensure (HEARTH_TYPE_MODEL_BUTTON);

  _hearth_chat_page_class_install_actions (widget_class);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/chat/hearth-chat-page.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthChatPage, model_button);
  gtk_widget_class_bind_template_child (widget_class, HearthChatPage, split_view);
  gtk_widget_class_bind_template_callback (widget_class, ensure_panel);
  gtk_widget_class_bind_template_callback (widget_class, _hearth_chat_page_model_chosen);
  gtk_widget_class_bind_template_child (widget_class, HearthChatPage, menu_button);
  gtk_widget_class_bind_template_child (widget_class, HearthChatPage, notice);
  gtk_widget_class_bind_template_child (widget_class, HearthChatPage, settings_banner);
  gtk_widget_class_bind_template_callback (widget_class, dismiss_cb);
  gtk_widget_class_bind_template_child (widget_class, HearthChatPage, stack);
  gtk_widget_class_bind_template_child (widget_class, HearthChatPage, start);
  gtk_widget_class_bind_template_child (widget_class, HearthChatPage, message_list);
  gtk_widget_class_bind_template_child (widget_class, HearthChatPage, bottom_box);
  gtk_widget_class_bind_template_child (widget_class, HearthChatPage, load_card);
  gtk_widget_class_bind_template_child (widget_class, HearthChatPage, load_error_card);
  gtk_widget_class_bind_template_child (widget_class, HearthChatPage, full_card);
  gtk_widget_class_bind_template_child (widget_class, HearthChatPage, composer);
  gtk_widget_class_bind_template_child (widget_class, HearthChatPage, context_bar);
  gtk_widget_class_bind_template_callback (widget_class, _hearth_chat_page_count_later);
  gtk_widget_class_bind_template_callback (widget_class, thinking_cb);
  gtk_widget_class_bind_template_callback (widget_class, _hearth_chat_page_update_actions);
}

static void
connect (GSignalGroup *group, const char *signal, GCallback callback, HearthChatPage *self)
{
  g_signal_group_connect_object (group, signal, callback, self, G_CONNECT_SWAPPED);
}

static void
hearth_chat_page_init (HearthChatPage *self)
{
  g_autoptr (GMenuModel) menu = NULL;

  gtk_widget_init_template (GTK_WIDGET (self));
  menu = hearth_menu_new ("chat/hearth-chat-menus.ui", "chat_menu");
  gtk_menu_button_set_menu_model (self->menu_button, menu);
  _hearth_chat_page_init_context (self);
  self->settings_signals = g_signal_group_new (HEARTH_TYPE_CHAT_SETTINGS);
  connect (self->settings_signals, "changed", G_CALLBACK (settings_changed_cb), self);
  self->conversation_signals = g_signal_group_new (HEARTH_TYPE_CONVERSATION);
  connect (self->conversation_signals, "notify::state", G_CALLBACK (update), self);
  connect (self->conversation_signals, "notify::can-ask",
           G_CALLBACK (_hearth_chat_page_update_actions), self);
  connect (self->conversation_signals, "notify::load-error", G_CALLBACK (update), self);
  connect (self->conversation_signals, "notify::model", G_CALLBACK (update), self);
  connect (self->conversation_signals, "items-changed", G_CALLBACK (items_changed_cb), self);
  self->model_signals = g_signal_group_new (HEARTH_TYPE_MODEL_FILE);
  connect (self->model_signals, "notify::state", G_CALLBACK (update), self);
  self->answer_signals = g_signal_group_new (HEARTH_TYPE_MESSAGE);
  connect (self->answer_signals, "notify::state", G_CALLBACK (_hearth_chat_page_update_actions),
           self);

  hearth_shortcuts_add_to (GTK_WIDGET (self), "chat.");
  update (self);
}

void
hearth_chat_page_set_sources (HearthChatPage *self, HearthEngine *engine, GListModel *library,
                              HearthSettings *settings)
{
  g_return_if_fail (HEARTH_IS_CHAT_PAGE (self));
  g_return_if_fail (self->engine == NULL);

  self->engine = g_object_ref (engine);
  g_signal_connect_object (engine, "notify::progress", G_CALLBACK (update_load_card), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (engine, "notify::n-tokens", G_CALLBACK (_hearth_chat_page_show_progress),
                           self, G_CONNECT_SWAPPED);
  g_signal_connect_object (engine, "notify::state", G_CALLBACK (_hearth_chat_page_count_later),
                           self, G_CONNECT_SWAPPED);
  hearth_model_button_set_list (self->model_button, library);
  g_object_bind_property (settings, "enter-sends", self->composer, "enter-sends",
                          G_BINDING_SYNC_CREATE);
  hearth_message_list_set_settings (self->message_list, settings);
  self->presets = hearth_presets_new (settings);
  adw_banner_set_revealed (self->settings_banner, !hearth_settings_is_writable (settings));
}

void
hearth_chat_page_set_conversation (HearthChatPage *self, HearthConversation *conversation)
{
  g_return_if_fail (HEARTH_IS_CHAT_PAGE (self));

  if (self->conversation == conversation)
    return;
  g_clear_weak_pointer (&self->again);
  g_set_object (&self->conversation, conversation);
  hearth_message_list_set_conversation (self->message_list, conversation);
  g_signal_group_set_target (self->conversation_signals, conversation);
  g_signal_group_set_target (self->settings_signals,
                             conversation != NULL ? hearth_conversation_get_settings (conversation)
                                                  : NULL);
  if (self->panel != NULL)
    hearth_chat_panel_set_conversation (self->panel, conversation);
  self->counted = FALSE;
  gtk_widget_set_visible (GTK_WIDGET (self->full_card), FALSE);
  items_changed_cb (self);
  if (conversation != NULL)
    settings_changed_cb (self);
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
