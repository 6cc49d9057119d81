/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-chat-panel.h"

#include <adwaita.h>
#include <math.h>

#include "hearth-focus.h"
#include "hearth-memory-group.h"
#include "hearth-parameter-row.h"

struct _HearthChatPanel
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkWidget *close_button;
  GtkWidget *page;
  GtkTextView *prompt_view;
  AdwPreferencesGroup *answers_group;
  AdwComboRow *preset_row;
  AdwExpanderRow *more_row;
  AdwEntryRow *name_row;
  GtkWidget *delete_row;
  HearthMemoryGroup *memory_group;

  HearthParameterRow *rows[HEARTH_N_PARAMETERS];
  HearthPresets *presets;
  HearthConversation *conversation;
  HearthChatSettings *settings;
  GSignalGroup *settings_signals;
  GSignalGroup *conversation_signals;
  GSignalGroup *model_signals;
  gboolean showing; /* values are being shown, nobody entered them */
};

G_DEFINE_FINAL_TYPE (HearthChatPanel, hearth_chat_panel, GTK_TYPE_WIDGET)

enum
{
  PROP_0,
  PROP_OVER,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

/* ---- what is shown ---------------------------------------------------------------------- */

static HearthPreset *
ref_preset (HearthChatPanel *self)
{
  guint position =
    hearth_presets_find (self->presets, hearth_chat_settings_get_preset (self->settings));

  return g_list_model_get_item (G_LIST_MODEL (self->presets), position);
}

static void
show_prompt (HearthChatPanel *self)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (self->prompt_view);
  const char *prompt = hearth_chat_settings_get_system_prompt (self->settings);
  g_autofree char *shown = NULL;

  g_object_get (buffer, "text", &shown, NULL);
  /* What is being typed comes back here: it must keep its cursor. */
  if (g_strcmp0 (shown, prompt) != 0)
    gtk_text_buffer_set_text (buffer, prompt, -1);
}

static void
show_values (HearthChatPanel *self)
{
  HearthModelFile *model = hearth_conversation_get_model (self->conversation);
  const HearthModelHeader *header = model != NULL ? hearth_model_file_get_header (model) : NULL;
  g_autoptr (HearthPreset) preset = ref_preset (self);
  HearthSampling own;
  gboolean changed = FALSE;

  hearth_chat_settings_get_own (self->settings, &own);
  for (guint i = 0; i < HEARTH_N_PARAMETERS; i++)
    {
      HearthSource source;
      double value = hearth_chat_settings_resolve (
        self->settings, (HearthParameter) i, header != NULL ? &header->sampling : NULL,
        header != NULL ? &header->sampling_defaults : NULL, &source);

      hearth_parameter_row_show (self->rows[i], value, source, hearth_preset_get_name (preset));
      changed |= hearth_sampling_is_set (&own, (HearthParameter) i);
    }
  gtk_widget_set_visible (GTK_WIDGET (self->name_row), changed);
  gtk_widget_set_visible (self->delete_row, hearth_preset_is_own (preset));
}

static void
show (HearthChatPanel *self)
{
  if (self->settings == NULL || self->presets == NULL || self->prompt_view == NULL)
    return;
  self->showing = TRUE;
  show_prompt (self);
  adw_combo_row_set_selected (
    self->preset_row,
    hearth_presets_find (self->presets, hearth_chat_settings_get_preset (self->settings)));
  show_values (self);
  self->showing = FALSE;
}

static void
model_changed_cb (HearthChatPanel *self)
{
  g_signal_group_set_target (
    self->model_signals,
    self->conversation != NULL ? hearth_conversation_get_model (self->conversation) : NULL);
  show (self);
}

/* ---- what is entered -------------------------------------------------------------------- */

static void
prompt_changed_cb (HearthChatPanel *self, GtkTextBuffer *buffer)
{
  g_autofree char *text = NULL;

  if (self->showing || self->settings == NULL)
    return;
  g_object_get (buffer, "text", &text, NULL);
  hearth_chat_settings_set_system_prompt (self->settings, text);
}

static void
preset_selected_cb (HearthChatPanel *self)
{
  HearthPreset *preset = adw_combo_row_get_selected_item (self->preset_row);

  if (!self->showing && self->settings != NULL && preset != NULL)
    hearth_chat_settings_set_preset (self->settings, hearth_preset_get_id (preset),
                                     hearth_preset_get_values (preset));
}

static void
chosen_cb (HearthChatPanel *self, double value, HearthParameterRow *row)
{
  if (self->settings != NULL)
    hearth_chat_settings_set_value (self->settings, hearth_parameter_row_get_parameter (row),
                                    value);
}

/* The preset's values and those on top of them become one preset, and nothing stays on top. */
static void
save_preset_cb (HearthChatPanel *self)
{
  g_autofree char *name =
    g_strstrip (g_strdup (gtk_editable_get_text (GTK_EDITABLE (self->name_row))));
  HearthSampling sampling, none;
  HearthPreset *preset;

  if (*name == '\0' || self->settings == NULL)
    return;
  hearth_chat_settings_get_sampling (self->settings, &sampling);
  hearth_sampling_init (&none);
  self->showing = TRUE;
  preset = hearth_presets_save (self->presets, name, &sampling);
  self->showing = FALSE;
  hearth_chat_settings_set_preset (self->settings, hearth_preset_get_id (preset), &sampling);
  hearth_chat_settings_set_own (self->settings, &none);
  gtk_editable_set_text (GTK_EDITABLE (self->name_row), "");
  gtk_widget_grab_focus (GTK_WIDGET (self->preset_row));
}

/* The chat goes back to the file's values; the preset stays with other chats that have it. */
static void
delete_preset_cb (HearthChatPanel *self)
{
  g_autofree char *id = g_strdup (hearth_chat_settings_get_preset (self->settings));
  HearthSampling none;

  hearth_sampling_init (&none);
  gtk_widget_grab_focus (GTK_WIDGET (self->preset_row));
  hearth_chat_settings_set_preset (self->settings, "", &none);
  self->showing = TRUE;
  hearth_presets_remove (self->presets, id);
  self->showing = FALSE;
  show (self);
}

/* ---- object ----------------------------------------------------------------------------- */

static void
add_rows (HearthChatPanel *self)
{
  GtkWidget *const last[] = { GTK_WIDGET (self->more_row), GTK_WIDGET (self->name_row),
                              GTK_WIDGET (self->delete_row) };

  /* The group only appends: what belongs behind the values is taken out and put back. */
  for (guint i = 0; i < G_N_ELEMENTS (last); i++)
    {
      g_object_ref (last[i]);
      adw_preferences_group_remove (self->answers_group, last[i]);
    }
  for (guint i = 0; i < HEARTH_N_PARAMETERS; i++)
    {
      GtkWidget *row = hearth_parameter_row_new ((HearthParameter) i);

      self->rows[i] = HEARTH_PARAMETER_ROW (row);
      g_signal_connect_object (row, "chosen", G_CALLBACK (chosen_cb), self, G_CONNECT_SWAPPED);
      if (hearth_parameter_get_info ((HearthParameter) i)->primary)
        adw_preferences_group_add (self->answers_group, row);
      else
        adw_expander_row_add_row (self->more_row, row);
    }
  for (guint i = 0; i < G_N_ELEMENTS (last); i++)
    {
      adw_preferences_group_add (self->answers_group, last[i]);
      g_object_unref (last[i]);
    }
}

static gboolean
hearth_chat_panel_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (GTK_WIDGET (HEARTH_CHAT_PANEL (widget)->prompt_view));
}

static void
hearth_chat_panel_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_OVER)
    g_value_set_boolean (value, gtk_widget_get_visible (HEARTH_CHAT_PANEL (object)->close_button));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

/* Beside the chat, the button that has opened it stays in reach, and the corner is the window's. */
static void
hearth_chat_panel_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  GtkWidget *button = HEARTH_CHAT_PANEL (object)->close_button;

  if (id != PROP_OVER)
    {
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      return;
    }
  if (gtk_widget_get_visible (button) == g_value_get_boolean (value))
    return;
  gtk_widget_set_visible (button, g_value_get_boolean (value));
  g_object_notify_by_pspec (object, pspec);
}

static void
hearth_chat_panel_dispose (GObject *object)
{
  HearthChatPanel *self = HEARTH_CHAT_PANEL (object);

  g_clear_object (&self->settings_signals);
  g_clear_object (&self->conversation_signals);
  g_clear_object (&self->model_signals);
  g_clear_object (&self->settings);
  g_clear_object (&self->conversation);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_CHAT_PANEL);
  g_clear_object (&self->presets);
  G_OBJECT_CLASS (hearth_chat_panel_parent_class)->dispose (object);
}

static void
hearth_chat_panel_class_init (HearthChatPanelClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  G_OBJECT_CLASS (klass)->dispose = hearth_chat_panel_dispose;
  G_OBJECT_CLASS (klass)->get_property = hearth_chat_panel_get_property;
  G_OBJECT_CLASS (klass)->set_property = hearth_chat_panel_set_property;
  widget_class->grab_focus = hearth_chat_panel_grab_focus;

  properties[PROP_OVER] =
    g_param_spec_boolean ("over", NULL, NULL, FALSE,
                          G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (G_OBJECT_CLASS (klass), N_PROPS, properties);

  g_type_ensure (HEARTH_TYPE_MEMORY_GROUP);
  g_type_ensure (HEARTH_TYPE_PRESET);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/chat/hearth-chat-panel.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthChatPanel, root);
  gtk_widget_class_bind_template_child (widget_class, HearthChatPanel, close_button);
  gtk_widget_class_bind_template_child (widget_class, HearthChatPanel, page);
  gtk_widget_class_bind_template_child (widget_class, HearthChatPanel, prompt_view);
  gtk_widget_class_bind_template_child (widget_class, HearthChatPanel, answers_group);
  gtk_widget_class_bind_template_child (widget_class, HearthChatPanel, preset_row);
  gtk_widget_class_bind_template_child (widget_class, HearthChatPanel, more_row);
  gtk_widget_class_bind_template_child (widget_class, HearthChatPanel, name_row);
  gtk_widget_class_bind_template_child (widget_class, HearthChatPanel, delete_row);
  gtk_widget_class_bind_template_child (widget_class, HearthChatPanel, memory_group);
  gtk_widget_class_bind_template_callback (widget_class, prompt_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, preset_selected_cb);
  gtk_widget_class_bind_template_callback (widget_class, save_preset_cb);
  gtk_widget_class_bind_template_callback (widget_class, delete_preset_cb);
}

static void
hearth_chat_panel_init (HearthChatPanel *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  add_rows (self);
  self->settings_signals = g_signal_group_new (HEARTH_TYPE_CHAT_SETTINGS);
  g_signal_group_connect_object (self->settings_signals, "changed", G_CALLBACK (show), self,
                                 G_CONNECT_SWAPPED);
  self->conversation_signals = g_signal_group_new (HEARTH_TYPE_CONVERSATION);
  g_signal_group_connect_object (self->conversation_signals, "notify::model",
                                 G_CALLBACK (model_changed_cb), self, G_CONNECT_SWAPPED);
  self->model_signals = g_signal_group_new (HEARTH_TYPE_MODEL_FILE);
  g_signal_group_connect_object (self->model_signals, "notify::state", G_CALLBACK (show), self,
                                 G_CONNECT_SWAPPED);
}

void
hearth_chat_panel_set_sources (HearthChatPanel *self, HearthEngine *engine, HearthPresets *presets)
{
  g_return_if_fail (HEARTH_IS_CHAT_PANEL (self));
  g_return_if_fail (self->presets == NULL);

  self->presets = g_object_ref (presets);
  self->showing = TRUE;
  adw_combo_row_set_model (self->preset_row, G_LIST_MODEL (presets));
  self->showing = FALSE;
  hearth_memory_group_set_engine (self->memory_group, engine);
  show (self);
}

void
hearth_chat_panel_set_conversation (HearthChatPanel *self, HearthConversation *conversation)
{
  HearthChatSettings *settings =
    conversation != NULL ? hearth_conversation_get_settings (conversation) : NULL;

  g_return_if_fail (HEARTH_IS_CHAT_PANEL (self));

  g_set_object (&self->conversation, conversation);
  g_set_object (&self->settings, settings);
  gtk_widget_set_sensitive (self->page, conversation != NULL);
  g_signal_group_set_target (self->settings_signals, self->settings);
  g_signal_group_set_target (self->conversation_signals, conversation);
  hearth_memory_group_set_conversation (self->memory_group, conversation);
  model_changed_cb (self);
}

void
hearth_chat_panel_focus_answers (HearthChatPanel *self)
{
  g_return_if_fail (HEARTH_IS_CHAT_PANEL (self));

  gtk_widget_child_focus (GTK_WIDGET (self->rows[HEARTH_PARAMETER_TEMPERATURE]),
                          GTK_DIR_TAB_FORWARD);
}

void
hearth_chat_panel_focus_memory (HearthChatPanel *self)
{
  g_return_if_fail (HEARTH_IS_CHAT_PANEL (self));

  hearth_memory_group_focus (self->memory_group);
}
