/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-template-turn.h"

#include <glib/gi18n.h>

#include "hearth-focus.h"

static const char *const roles[] = { "user", "assistant", "tool" };

struct _HearthTemplateTurn
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkDropDown *role_drop_down;
  GtkLabel *title_label;
  GtkWidget *buttons;
  GtkTextView *text_view;
};

G_DEFINE_FINAL_TYPE (HearthTemplateTurn, hearth_template_turn, GTK_TYPE_WIDGET)

enum
{
  SIGNAL_CHANGED,
  SIGNAL_MOVE,
  SIGNAL_REMOVED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

static void
emit_changed (HearthTemplateTurn *self)
{
  g_signal_emit (self, signals[SIGNAL_CHANGED], 0);
}

static void
role_changed_cb (HearthTemplateTurn *self)
{
  GtkStringObject *role = gtk_drop_down_get_selected_item (self->role_drop_down);

  if (role == NULL || self->text_view == NULL)
    return;
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->text_view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  gtk_string_object_get_string (role), -1);
  emit_changed (self);
}

static void
move_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_signal_emit (widget, signals[SIGNAL_MOVE], 0, g_str_equal (name, "turn.up") ? -1 : 1);
}

static void
remove_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_signal_emit (widget, signals[SIGNAL_REMOVED], 0);
}

static void
hearth_template_turn_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_TEMPLATE_TURN);
  G_OBJECT_CLASS (hearth_template_turn_parent_class)->dispose (object);
}

static void
hearth_template_turn_class_init (HearthTemplateTurnClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  GType type = G_TYPE_FROM_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hearth_template_turn_dispose;
  widget_class->focus = hearth_focus_move;
  signals[SIGNAL_CHANGED] =
    g_signal_new ("changed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  signals[SIGNAL_MOVE] =
    g_signal_new ("move", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_INT);
  signals[SIGNAL_REMOVED] =
    g_signal_new ("removed", type, G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL, G_TYPE_NONE, 0);
  gtk_widget_class_install_action (widget_class, "turn.up", NULL, move_action);
  gtk_widget_class_install_action (widget_class, "turn.down", NULL, move_action);
  gtk_widget_class_install_action (widget_class, "turn.remove", NULL, remove_action);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Up, GDK_ALT_MASK, "turn.up", NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Down, GDK_ALT_MASK, "turn.down", NULL);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GROUP);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-template-turn.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthTemplateTurn, root);
  gtk_widget_class_bind_template_child (widget_class, HearthTemplateTurn, role_drop_down);
  gtk_widget_class_bind_template_child (widget_class, HearthTemplateTurn, title_label);
  gtk_widget_class_bind_template_child (widget_class, HearthTemplateTurn, buttons);
  gtk_widget_class_bind_template_child (widget_class, HearthTemplateTurn, text_view);
  gtk_widget_class_bind_template_callback (widget_class, role_changed_cb);
}

static void
hearth_template_turn_init (HearthTemplateTurn *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  g_signal_connect_object (gtk_text_view_get_buffer (self->text_view), "changed",
                           G_CALLBACK (emit_changed), self, G_CONNECT_SWAPPED);
}

GtkWidget *
hearth_template_turn_new (const char *role, const char *text)
{
  HearthTemplateTurn *self = g_object_new (HEARTH_TYPE_TEMPLATE_TURN, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (roles); i++)
    {
      if (g_str_equal (role, roles[i]))
        gtk_drop_down_set_selected (self->role_drop_down, i);
    }
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->text_view), text, -1);
  role_changed_cb (self);
  return GTK_WIDGET (self);
}

GtkWidget *
hearth_template_turn_new_fixed (const char *title, const char *text, gboolean monospace)
{
  HearthTemplateTurn *self = g_object_new (HEARTH_TYPE_TEMPLATE_TURN, NULL);

  gtk_label_set_text (self->title_label, title);
  gtk_widget_set_visible (GTK_WIDGET (self->title_label), TRUE);
  gtk_widget_set_visible (GTK_WIDGET (self->role_drop_down), FALSE);
  gtk_widget_set_visible (self->buttons, FALSE);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "turn.up", FALSE);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "turn.down", FALSE);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "turn.remove", FALSE);
  gtk_text_view_set_monospace (self->text_view, monospace);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->text_view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  title, -1);
  gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->text_view), text, -1);
  return GTK_WIDGET (self);
}

const char *
hearth_template_turn_get_role (HearthTemplateTurn *self)
{
  guint selected;

  g_return_val_if_fail (HEARTH_IS_TEMPLATE_TURN (self), NULL);

  selected = gtk_drop_down_get_selected (self->role_drop_down);
  return selected < G_N_ELEMENTS (roles) ? roles[selected] : roles[0];
}

char *
hearth_template_turn_dup_text (HearthTemplateTurn *self)
{
  GtkTextBuffer *buffer;
  GtkTextIter start, end;

  g_return_val_if_fail (HEARTH_IS_TEMPLATE_TURN (self), NULL);

  buffer = gtk_text_view_get_buffer (self->text_view);
  gtk_text_buffer_get_bounds (buffer, &start, &end);
  return gtk_text_buffer_get_text (buffer, &start, &end, TRUE);
}

void
hearth_template_turn_set_place (HearthTemplateTurn *self, gboolean first, gboolean last)
{
  g_return_if_fail (HEARTH_IS_TEMPLATE_TURN (self));

  gtk_widget_action_set_enabled (GTK_WIDGET (self), "turn.up", !first);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "turn.down", !last);
}

void
hearth_template_turn_focus_text (HearthTemplateTurn *self)
{
  g_return_if_fail (HEARTH_IS_TEMPLATE_TURN (self));

  gtk_widget_grab_focus (GTK_WIDGET (self->text_view));
}
