/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-error-card.h"

#include <glib/gi18n.h>

#include "hearth-export.h"
#include "hearth-focus.h"

struct _HearthErrorCard
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkLabel *sentence_label;
  GtkLabel *advice_label;
  GtkLabel *details_label;
  GtkRevealer *details_revealer;
  GtkToggleButton *details_button;
  GtkButton *action_button;
  GtkButton *other_button;
  GtkButton *close_button;

  gboolean dismissible;
};

G_DEFINE_FINAL_TYPE (HearthErrorCard, hearth_error_card, GTK_TYPE_WIDGET)

enum
{
  PROP_0,
  PROP_DISMISSIBLE,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static void
close_clicked_cb (HearthErrorCard *self)
{
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
}

static void
details_toggled_cb (HearthErrorCard *self)
{
  gboolean shown = gtk_toggle_button_get_active (self->details_button);

  gtk_button_set_label (GTK_BUTTON (self->details_button),
                        shown ? _ ("Hide Details") : _ ("Details"));
}

static void
copy_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthErrorCard *self = HEARTH_ERROR_CARD (widget);
  const char *sentence = gtk_label_get_text (self->sentence_label);
  const char *details = gtk_label_get_text (self->details_label);

  hearth_export_copy (widget, g_strdup_printf ("%s\n%s", sentence, details));
}

static void
hearth_error_card_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_DISMISSIBLE)
    g_value_set_boolean (value, HEARTH_ERROR_CARD (object)->dismissible);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
hearth_error_card_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  HearthErrorCard *self = HEARTH_ERROR_CARD (object);

  if (id != PROP_DISMISSIBLE)
    {
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
      return;
    }
  if (self->dismissible == g_value_get_boolean (value))
    return;
  self->dismissible = g_value_get_boolean (value);
  gtk_widget_set_visible (GTK_WIDGET (self->close_button), self->dismissible);
  g_object_notify_by_pspec (object, pspec);
}

static void
hearth_error_card_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_ERROR_CARD);
  G_OBJECT_CLASS (hearth_error_card_parent_class)->dispose (object);
}

static void
hearth_error_card_class_init (HearthErrorCardClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  object_class->dispose = hearth_error_card_dispose;
  object_class->get_property = hearth_error_card_get_property;
  object_class->set_property = hearth_error_card_set_property;

  properties[PROP_DISMISSIBLE] =
    g_param_spec_boolean ("dismissible", NULL, NULL, FALSE,
                          G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);

  gtk_widget_class_install_action (widget_class, "error.copy", NULL, copy_action);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_ALERT);
  gtk_widget_class_set_template_from_resource (widget_class,
                                               "/io/github/hearth_app/Hearth/hearth-error-card.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthErrorCard, root);
  gtk_widget_class_bind_template_child (widget_class, HearthErrorCard, sentence_label);
  gtk_widget_class_bind_template_child (widget_class, HearthErrorCard, advice_label);
  gtk_widget_class_bind_template_child (widget_class, HearthErrorCard, details_label);
  gtk_widget_class_bind_template_child (widget_class, HearthErrorCard, details_revealer);
  gtk_widget_class_bind_template_child (widget_class, HearthErrorCard, details_button);
  gtk_widget_class_bind_template_child (widget_class, HearthErrorCard, action_button);
  gtk_widget_class_bind_template_child (widget_class, HearthErrorCard, other_button);
  gtk_widget_class_bind_template_child (widget_class, HearthErrorCard, close_button);
  gtk_widget_class_bind_template_callback (widget_class, details_toggled_cb);
  gtk_widget_class_bind_template_callback (widget_class, close_clicked_cb);
}

static void
hearth_error_card_init (HearthErrorCard *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  details_toggled_cb (self);
}

void
hearth_error_card_show_failure (HearthErrorCard *self, const char *sentence, const char *details)
{
  g_return_if_fail (HEARTH_IS_ERROR_CARD (self));

  gtk_label_set_text (self->sentence_label, sentence);
  gtk_widget_set_visible (GTK_WIDGET (self->advice_label), FALSE);
  gtk_label_set_text (self->details_label, details != NULL ? details : "");
  gtk_widget_set_visible (GTK_WIDGET (self->details_button), details != NULL);
  gtk_toggle_button_set_active (self->details_button, FALSE);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, sentence,
                                  -1);
  gtk_widget_set_visible (GTK_WIDGET (self), TRUE);
}

void
hearth_error_card_set_advice (HearthErrorCard *self, const char *advice)
{
  const char *sentence;
  g_autofree char *all = NULL;

  g_return_if_fail (HEARTH_IS_ERROR_CARD (self));

  gtk_label_set_text (self->advice_label, advice != NULL ? advice : "");
  gtk_widget_set_visible (GTK_WIDGET (self->advice_label), advice != NULL);
  sentence = gtk_label_get_text (self->sentence_label);
  all = advice != NULL ? g_strdup_printf ("%s %s", sentence, advice) : g_strdup (sentence);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_LABEL, all, -1);
}

static void
set_button (GtkButton *button, const char *label, const char *name)
{
  gtk_widget_set_visible (GTK_WIDGET (button), name != NULL);
  if (name == NULL)
    return;
  gtk_button_set_label (button, label);
  gtk_label_set_wrap (GTK_LABEL (gtk_button_get_child (button)), TRUE);
  gtk_label_set_justify (GTK_LABEL (gtk_button_get_child (button)), GTK_JUSTIFY_CENTER);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (button), name);
}

void
hearth_error_card_set_action (HearthErrorCard *self, const char *label, const char *name)
{
  g_return_if_fail (HEARTH_IS_ERROR_CARD (self));

  set_button (self->action_button, label, name);
}

void
hearth_error_card_set_other_action (HearthErrorCard *self, const char *label, const char *name)
{
  g_return_if_fail (HEARTH_IS_ERROR_CARD (self));

  set_button (self->other_button, label, name);
}

void
hearth_error_card_focus_action (HearthErrorCard *self)
{
  GtkButton *buttons[] = { NULL, NULL, NULL };

  g_return_if_fail (HEARTH_IS_ERROR_CARD (self));

  buttons[0] = self->action_button;
  buttons[1] = self->other_button;
  buttons[2] = self->close_button;
  for (gsize i = 0; i < G_N_ELEMENTS (buttons); i++)
    {
      if (gtk_widget_get_visible (GTK_WIDGET (buttons[i])) &&
          gtk_widget_grab_focus (GTK_WIDGET (buttons[i])))
        return;
    }
}
