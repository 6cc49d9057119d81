/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-composer.h"

#include <glib/gi18n.h>
#include <gtksourceview/gtksource.h>
#include <libspelling.h>

#include "hearth-focus.h"
#include "hearth-long-lines.h"

/* The card grows with the text up to so many lines, then scrolls. */
#define MAX_LINES 8

struct _HearthComposer
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkScrolledWindow *scroller;
  GtkTextView *view;
  GtkLabel *placeholder;
  GtkButton *send_button;
  GtkToggleButton *thinking_button;

  SpellingTextBufferAdapter *spelling;
  gboolean busy;
  gboolean has_text;
  gboolean enter_sends;
};

G_DEFINE_FINAL_TYPE (HearthComposer, hearth_composer, GTK_TYPE_WIDGET)

enum
{
  PROP_0,
  PROP_BUSY,
  PROP_HAS_TEXT,
  PROP_ENTER_SENDS,
  PROP_THINKING,
  PROP_CAN_THINK,
  N_PROPS
};

enum
{
  CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

static GParamSpec *properties[N_PROPS];

static gboolean
key_pressed_cb (HearthComposer *self, guint key, guint code, GdkModifierType state,
                GtkEventControllerKey *controller)
{
  GdkModifierType held = state & gtk_accelerator_get_default_mod_mask ();

  if ((key != GDK_KEY_Return && key != GDK_KEY_KP_Enter && key != GDK_KEY_ISO_Enter) ||
      (held != GDK_CONTROL_MASK && (held != 0 || !self->enter_sends)))
    return GDK_EVENT_PROPAGATE;
  /* An input method may be composing a word: Enter is then its own. */
  if (gtk_text_view_im_context_filter_keypress (
        self->view, gtk_event_controller_get_current_event (GTK_EVENT_CONTROLLER (controller))))
    return GDK_EVENT_STOP;
  gtk_widget_activate_action (GTK_WIDGET (self), "chat.send", NULL);
  return GDK_EVENT_STOP;
}

static void
text_changed_cb (HearthComposer *self)
{
  GtkTextBuffer *buffer = gtk_text_view_get_buffer (self->view);
  gboolean has_text = gtk_text_buffer_get_char_count (buffer) > 0;

  g_signal_emit (self, signals[CHANGED], 0);
  if (self->has_text == has_text)
    return;
  self->has_text = has_text;
  gtk_widget_set_visible (GTK_WIDGET (self->placeholder), !has_text);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_HAS_TEXT]);
}

static void
hearth_composer_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  HearthComposer *self = HEARTH_COMPOSER (widget);
  PangoFontMetrics *metrics;
  int line;

  GTK_WIDGET_CLASS (hearth_composer_parent_class)->css_changed (widget, change);
  metrics = pango_context_get_metrics (gtk_widget_get_pango_context (widget), NULL, NULL);
  line = PANGO_PIXELS_CEIL (pango_font_metrics_get_height (metrics));
  pango_font_metrics_unref (metrics);
  gtk_scrolled_window_set_max_content_height (self->scroller, MAX_LINES * MAX (line, 1) + 14);
}

static gboolean
hearth_composer_grab_focus (GtkWidget *widget)
{
  return gtk_widget_grab_focus (GTK_WIDGET (HEARTH_COMPOSER (widget)->view));
}

static void
hearth_composer_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  HearthComposer *self = HEARTH_COMPOSER (object);

  switch (id)
    {
    case PROP_BUSY:
      g_value_set_boolean (value, self->busy);
      break;
    case PROP_HAS_TEXT:
      g_value_set_boolean (value, self->has_text);
      break;
    case PROP_ENTER_SENDS:
      g_value_set_boolean (value, self->enter_sends);
      break;
    case PROP_THINKING:
      g_value_set_boolean (value, gtk_toggle_button_get_active (self->thinking_button));
      break;
    case PROP_CAN_THINK:
      g_value_set_boolean (value, gtk_widget_get_visible (GTK_WIDGET (self->thinking_button)));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
update_hint (HearthComposer *self)
{
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->view),
                               self->enter_sends ? _ ("Enter sends, Shift+Enter breaks the line")
                                                 : _ ("Ctrl+Enter sends, Enter breaks the line"));
}

static void
thinking_toggled_cb (HearthComposer *self)
{
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_THINKING]);
}

static void
hearth_composer_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  HearthComposer *self = HEARTH_COMPOSER (object);
  gboolean wanted = g_value_get_boolean (value);

  switch (id)
    {
    case PROP_BUSY:
      hearth_composer_set_busy (self, wanted);
      break;
    case PROP_ENTER_SENDS:
      self->enter_sends = wanted;
      update_hint (self);
      g_object_notify_by_pspec (object, pspec);
      break;
    case PROP_THINKING:
      gtk_toggle_button_set_active (self->thinking_button, wanted);
      break;
    case PROP_CAN_THINK:
      gtk_widget_set_visible (GTK_WIDGET (self->thinking_button), wanted);
      g_object_notify_by_pspec (object, pspec);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
hearth_composer_dispose (GObject *object)
{
  g_clear_object (&HEARTH_COMPOSER (object)->spelling);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_COMPOSER);
  G_OBJECT_CLASS (hearth_composer_parent_class)->dispose (object);
}

static void
hearth_composer_class_init (HearthComposerClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  object_class->dispose = hearth_composer_dispose;
  object_class->get_property = hearth_composer_get_property;
  object_class->set_property = hearth_composer_set_property;
  widget_class->css_changed = hearth_composer_css_changed;
  widget_class->grab_focus = hearth_composer_grab_focus;

  properties[PROP_BUSY] =
    g_param_spec_boolean ("busy", NULL, NULL, FALSE,
                          G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  properties[PROP_HAS_TEXT] =
    g_param_spec_boolean ("has-text", NULL, NULL, FALSE,
                          G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  properties[PROP_ENTER_SENDS] =
    g_param_spec_boolean ("enter-sends", NULL, NULL, TRUE,
                          G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  properties[PROP_THINKING] =
    g_param_spec_boolean ("thinking", NULL, NULL, TRUE,
                          G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  properties[PROP_CAN_THINK] =
    g_param_spec_boolean ("can-think", NULL, NULL, FALSE,
                          G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);

  g_type_ensure (GTK_SOURCE_TYPE_BUFFER);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "composer");
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/chat/hearth-composer.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthComposer, root);
  gtk_widget_class_bind_template_child (widget_class, HearthComposer, scroller);
  gtk_widget_class_bind_template_child (widget_class, HearthComposer, view);
  gtk_widget_class_bind_template_child (widget_class, HearthComposer, placeholder);
  gtk_widget_class_bind_template_child (widget_class, HearthComposer, send_button);
  gtk_widget_class_bind_template_child (widget_class, HearthComposer, thinking_button);
  gtk_widget_class_bind_template_callback (widget_class, key_pressed_cb);
  gtk_widget_class_bind_template_callback (widget_class, thinking_toggled_cb);
  gtk_widget_class_bind_template_callback (widget_class, text_changed_cb);
}

static void
hearth_composer_init (HearthComposer *self)
{
  GtkSourceBuffer *buffer;

  self->enter_sends = TRUE;
  gtk_widget_init_template (GTK_WIDGET (self));
  update_hint (self);

  hearth_long_lines_watch (self->view);
  /* Without a dictionary for the person's language nothing is marked. */
  buffer = GTK_SOURCE_BUFFER (gtk_text_view_get_buffer (self->view));
  self->spelling = spelling_text_buffer_adapter_new (buffer, spelling_checker_get_default ());
  gtk_text_view_set_extra_menu (self->view,
                                spelling_text_buffer_adapter_get_menu_model (self->spelling));
  gtk_widget_insert_action_group (GTK_WIDGET (self->view), "spelling",
                                  G_ACTION_GROUP (self->spelling));
  spelling_text_buffer_adapter_set_enabled (self->spelling, TRUE);
}

char *
hearth_composer_dup_text (HearthComposer *self)
{
  g_return_val_if_fail (HEARTH_IS_COMPOSER (self), NULL);

  return hearth_long_lines_dup_text (gtk_text_view_get_buffer (self->view));
}

void
hearth_composer_set_text (HearthComposer *self, const char *text)
{
  g_return_if_fail (HEARTH_IS_COMPOSER (self));

  gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->view), text, -1);
}

gboolean
hearth_composer_get_has_text (HearthComposer *self)
{
  g_return_val_if_fail (HEARTH_IS_COMPOSER (self), FALSE);

  return self->has_text;
}

void
hearth_composer_set_busy (HearthComposer *self, gboolean busy)
{
  const char *label;

  g_return_if_fail (HEARTH_IS_COMPOSER (self));

  if (self->busy == busy)
    return;
  self->busy = busy;
  label = busy ? _ ("Stop") : _ ("Send");
  gtk_button_set_icon_name (self->send_button,
                            busy ? "media-playback-stop-symbolic" : "go-up-symbolic");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->send_button), label);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->send_button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  label, -1);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->send_button),
                                  busy ? "chat.stop" : "chat.send");
  if (busy)
    gtk_widget_remove_css_class (GTK_WIDGET (self->send_button), "suggested-action");
  else
    gtk_widget_add_css_class (GTK_WIDGET (self->send_button), "suggested-action");
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_BUSY]);
}
