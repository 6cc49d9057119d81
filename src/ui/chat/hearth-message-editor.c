/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-message-editor.h"

#include <glib/gi18n.h>

#include "hearth-focus.h"
#include "hearth-long-lines.h"
#include "hearth-message.h"

struct _HearthMessageEditor
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkTextView *text_view;
  GtkButton *save_button;

  gboolean question;
  gboolean can_save;
  gboolean enter_sends;
};

G_DEFINE_FINAL_TYPE (HearthMessageEditor, hearth_message_editor, GTK_TYPE_WIDGET)

enum
{
  PROP_0,
  PROP_ENTER_SENDS,
  N_PROPS
};

enum
{
  CHANGED,
  EDITED,
  CANCELLED,
  N_SIGNALS
};

static GParamSpec *properties[N_PROPS];
static guint signals[N_SIGNALS];

static char *
dup_text (HearthMessageEditor *self)
{
  return hearth_long_lines_dup_text (gtk_text_view_get_buffer (self->text_view));
}

static void
changed_cb (HearthMessageEditor *self)
{
  g_autofree char *text = dup_text (self);

  gtk_widget_action_set_enabled (GTK_WIDGET (self), "editor.save",
                                 self->can_save && !hearth_text_is_blank (text));
  g_signal_emit (self, signals[CHANGED], 0, text);
}

static void
save_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_autofree char *text = dup_text (HEARTH_MESSAGE_EDITOR (widget));

  if (!hearth_text_is_blank (text))
    g_signal_emit (widget, signals[EDITED], 0, text);
}

static void
cancel_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_signal_emit (widget, signals[CANCELLED], 0);
}

/* Enter sends a question where it does so in the composer; an answer has many lines. */
static gboolean
key_pressed_cb (HearthMessageEditor *self, guint key, guint code, GdkModifierType state,
                GtkEventControllerKey *controller)
{
  GdkModifierType held = state & gtk_accelerator_get_default_mod_mask ();

  if (key != GDK_KEY_Return && key != GDK_KEY_KP_Enter && key != GDK_KEY_ISO_Enter)
    return GDK_EVENT_PROPAGATE;
  if (held != GDK_CONTROL_MASK && (held != 0 || !self->question || !self->enter_sends))
    return GDK_EVENT_PROPAGATE;
  /* An input method may be composing a word: Enter is then its own. */
  if (gtk_text_view_im_context_filter_keypress (
        self->text_view,
        gtk_event_controller_get_current_event (GTK_EVENT_CONTROLLER (controller))))
    return GDK_EVENT_STOP;
  gtk_widget_activate_action (GTK_WIDGET (self), "editor.save", NULL);
  return GDK_EVENT_STOP;
}

static void
update_hint (HearthMessageEditor *self)
{
  gboolean enter = self->question && self->enter_sends;
  const char *hint = _ ("Ctrl+Enter saves, Escape cancels");

  if (self->question)
    hint = enter ? _ ("Enter sends, Shift+Enter breaks the line, Escape cancels")
                 : _ ("Ctrl+Enter sends, Escape cancels");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->text_view), hint);
}

static void
hearth_message_editor_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_ENTER_SENDS)
    g_value_set_boolean (value, HEARTH_MESSAGE_EDITOR (object)->enter_sends);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
hearth_message_editor_set_property (GObject *object, guint id, const GValue *value,
                                    GParamSpec *pspec)
{
  HearthMessageEditor *self = HEARTH_MESSAGE_EDITOR (object);

  if (id != PROP_ENTER_SENDS)
    {
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      return;
    }
  if (self->enter_sends == g_value_get_boolean (value))
    return;
  self->enter_sends = g_value_get_boolean (value);
  update_hint (self);
  g_object_notify_by_pspec (object, pspec);
}

static gboolean
hearth_message_editor_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (GTK_WIDGET (HEARTH_MESSAGE_EDITOR (widget)->text_view));
}

static void
hearth_message_editor_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_MESSAGE_EDITOR);
  G_OBJECT_CLASS (hearth_message_editor_parent_class)->dispose (object);
}

static void
hearth_message_editor_class_init (HearthMessageEditorClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  object_class->dispose = hearth_message_editor_dispose;
  object_class->get_property = hearth_message_editor_get_property;
  object_class->set_property = hearth_message_editor_set_property;
  widget_class->grab_focus = hearth_message_editor_grab_focus;

  properties[PROP_ENTER_SENDS] =
    g_param_spec_boolean ("enter-sends", NULL, NULL, TRUE,
                          G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  signals[CHANGED] =
    g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                  G_TYPE_NONE, 1, G_TYPE_STRING | G_SIGNAL_TYPE_STATIC_SCOPE);
  signals[EDITED] =
    g_signal_new ("edited", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                  G_TYPE_NONE, 1, G_TYPE_STRING | G_SIGNAL_TYPE_STATIC_SCOPE);
  signals[CANCELLED] = g_signal_new ("cancelled", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0,
                                     NULL, NULL, NULL, G_TYPE_NONE, 0);

  gtk_widget_class_set_css_name (widget_class, "messageeditor");
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_install_action (widget_class, "editor.save", NULL, save_action);
  gtk_widget_class_install_action (widget_class, "editor.cancel", NULL, cancel_action);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Escape, 0, "editor.cancel", NULL);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/chat/hearth-message-editor.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthMessageEditor, root);
  gtk_widget_class_bind_template_child (widget_class, HearthMessageEditor, text_view);
  gtk_widget_class_bind_template_child (widget_class, HearthMessageEditor, save_button);
}

static void
hearth_message_editor_init (HearthMessageEditor *self)
{
  GtkEventController *keys = gtk_event_controller_key_new ();

  self->can_save = TRUE;
  self->enter_sends = TRUE;
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_event_controller_set_propagation_phase (keys, GTK_PHASE_CAPTURE);
  g_signal_connect_object (keys, "key-pressed", G_CALLBACK (key_pressed_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_widget_add_controller (GTK_WIDGET (self->text_view), keys);
  hearth_long_lines_watch (self->text_view);
  g_signal_connect_object (gtk_text_view_get_buffer (self->text_view), "changed",
                           G_CALLBACK (changed_cb), self, G_CONNECT_SWAPPED);
}

GtkWidget *
hearth_message_editor_new (const char *text, gboolean question)
{
  HearthMessageEditor *self = g_object_new (HEARTH_TYPE_MESSAGE_EDITOR, NULL);

  self->question = question;
  gtk_button_set_label (self->save_button, question ? _ ("_Send") : _ ("_Save"));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->text_view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  question ? _ ("Edit the question") : _ ("Edit the answer"), -1);
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->text_view), text, -1);
  update_hint (self);
  return GTK_WIDGET (self);
}

void
hearth_message_editor_set_can_save (HearthMessageEditor *self, gboolean can_save)
{
  g_return_if_fail (HEARTH_IS_MESSAGE_EDITOR (self));

  if (self->can_save == can_save)
    return;
  self->can_save = can_save;
  changed_cb (self);
}
