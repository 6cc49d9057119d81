/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-thinking-view.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "hearth-focus.h"
#include "hearth-message-body.h"

struct _HearthThinkingView
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkWidget *button;
  GtkWidget *spinner;
  GtkLabel *label;
  GtkWidget *arrow;
  GtkRevealer *revealer;
  HearthMessageBody *body;

  HearthMessage *message;
  gboolean filled; /* the body has the thoughts, and follows them */
  gboolean ended;  /* nothing was added to the body any more */
  guint tick_id;
};

G_DEFINE_FINAL_TYPE (HearthThinkingView, hearth_thinking_view, GTK_TYPE_WIDGET)

/* "12 s", "2 min 5 s". */
static char *
duration (guint ms)
{
  guint seconds = (ms + 500) / 1000;

  if (seconds < 60)
    /* Translators: seconds */
    return g_strdup_printf (_ ("%u s"), seconds);
  /* Translators: minutes and seconds */
  return g_strdup_printf (_ ("%u min %u s"), seconds / 60, seconds % 60);
}

static void
show_line (HearthThinkingView *self)
{
  gboolean thinking = hearth_message_is_thinking (self->message);
  guint ms = hearth_message_get_thinking_ms (self->message);
  g_autofree char *time = duration (ms);
  g_autofree char *line = NULL;

  if (thinking)
    /* Translators: how long, as "12 s" */
    line = g_strdup_printf (_ ("Thinking… %s"), time);
  else if (ms == 0)
    line = g_strdup (_ ("Thought"));
  else if (ms < 1000)
    line = g_strdup (_ ("Thought for less than a second"));
  else
    /* Translators: how long, as "12 s" */
    line = g_strdup_printf (_ ("Thought for %s"), time);
  gtk_label_set_text (self->label, line);
  gtk_widget_set_visible (self->spinner, thinking);
}

static gboolean
tick_cb (gpointer data)
{
  show_line (data);
  return G_SOURCE_CONTINUE;
}

static void
update (HearthThinkingView *self)
{
  gboolean thinking = hearth_message_is_thinking (self->message);

  gtk_widget_set_visible (GTK_WIDGET (self), *hearth_message_get_thinking (self->message) != '\0');
  if (thinking && self->tick_id == 0)
    self->tick_id = g_timeout_add_seconds (1, tick_cb, self);
  else if (!thinking)
    g_clear_handle_id (&self->tick_id, g_source_remove);
  if (!thinking && self->filled)
    {
      hearth_message_body_finish (self->body);
      self->ended = TRUE;
    }
  show_line (self);
}

/* All thoughts so far; the last block may still grow. */
static void
fill (HearthThinkingView *self)
{
  self->filled = TRUE;
  self->ended = FALSE;
  hearth_message_body_clear (self->body);
  hearth_message_body_append (self->body, hearth_message_get_thinking (self->message));
}

static void
thought_cb (HearthThinkingView *self, const char *text)
{
  /* They were stopped, and are gone on with. */
  if (self->ended)
    fill (self);
  else if (self->filled)
    hearth_message_body_append (self->body, text);
  if (self->tick_id == 0)
    update (self);
}

static void
unfold_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthThinkingView *self = HEARTH_THINKING_VIEW (widget);
  gboolean unfold = !gtk_revealer_get_reveal_child (self->revealer);

  if (!self->filled)
    {
      fill (self);
      update (self);
    }
  gtk_revealer_set_reveal_child (self->revealer, unfold);
  if (unfold)
    gtk_widget_add_css_class (self->arrow, "unfolded");
  else
    gtk_widget_remove_css_class (self->arrow, "unfolded");
  gtk_accessible_update_state (GTK_ACCESSIBLE (self->button), GTK_ACCESSIBLE_STATE_EXPANDED, unfold,
                               -1);
}

static void
hearth_thinking_view_dispose (GObject *object)
{
  HearthThinkingView *self = HEARTH_THINKING_VIEW (object);

  g_clear_handle_id (&self->tick_id, g_source_remove);
  if (self->message != NULL)
    g_signal_handlers_disconnect_by_data (self->message, self);
  g_clear_object (&self->message);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_THINKING_VIEW);
  G_OBJECT_CLASS (hearth_thinking_view_parent_class)->dispose (object);
}

static void
hearth_thinking_view_class_init (HearthThinkingViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  G_OBJECT_CLASS (klass)->dispose = hearth_thinking_view_dispose;
  g_type_ensure (HEARTH_TYPE_MESSAGE_BODY);
  gtk_widget_class_set_css_name (widget_class, "thinking");
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_install_action (widget_class, "thinking.unfold", NULL, unfold_action);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/chat/hearth-thinking-view.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthThinkingView, root);
  gtk_widget_class_bind_template_child (widget_class, HearthThinkingView, button);
  gtk_widget_class_bind_template_child (widget_class, HearthThinkingView, spinner);
  gtk_widget_class_bind_template_child (widget_class, HearthThinkingView, label);
  gtk_widget_class_bind_template_child (widget_class, HearthThinkingView, arrow);
  gtk_widget_class_bind_template_child (widget_class, HearthThinkingView, revealer);
  gtk_widget_class_bind_template_child (widget_class, HearthThinkingView, body);
}

static void
hearth_thinking_view_init (HearthThinkingView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_accessible_update_state (GTK_ACCESSIBLE (self->button), GTK_ACCESSIBLE_STATE_EXPANDED, FALSE,
                               -1);
}

void
hearth_thinking_view_set_message (HearthThinkingView *self, HearthMessage *message)
{
  g_return_if_fail (HEARTH_IS_THINKING_VIEW (self));
  g_return_if_fail (self->message == NULL);

  self->message = g_object_ref (message);
  g_signal_connect_object (message, "thought", G_CALLBACK (thought_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (message, "notify::thinking-ms", G_CALLBACK (update), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (message, "notify::state", G_CALLBACK (update), self, G_CONNECT_SWAPPED);
  update (self);
}
