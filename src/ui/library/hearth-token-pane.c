/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-token-pane.h"

#include "hearth-focus.h"
#include "hearth-token-bar.h"
#include "hearth-token-flow.h"

struct _HearthTokenPane
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkStack *stack;
  GtkLabel *empty_label;
  GtkWidget *scrolled;
  HearthTokenFlow *flow;
};

G_DEFINE_FINAL_TYPE (HearthTokenPane, hearth_token_pane, GTK_TYPE_WIDGET)

enum
{
  PROP_0,
  PROP_LABEL,
  PROP_EMPTY_TEXT,
  PROP_SHOW_SPACES,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static void
hearth_token_pane_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  HearthTokenPane *self = HEARTH_TOKEN_PANE (object);

  switch (id)
    {
    case PROP_LABEL:
      gtk_accessible_update_property (GTK_ACCESSIBLE (self->flow), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      g_value_get_string (value), -1);
      break;
    case PROP_EMPTY_TEXT:
      gtk_label_set_text (self->empty_label, g_value_get_string (value));
      break;
    case PROP_SHOW_SPACES:
      g_object_set_property (G_OBJECT (self->flow), "show-spaces", value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
hearth_token_pane_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_TOKEN_PANE);
  G_OBJECT_CLASS (hearth_token_pane_parent_class)->dispose (object);
}

static void
hearth_token_pane_class_init (HearthTokenPaneClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  const GParamFlags flags = G_PARAM_WRITABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->dispose = hearth_token_pane_dispose;
  object_class->set_property = hearth_token_pane_set_property;
  widget_class->focus = hearth_focus_move;
  g_type_ensure (HEARTH_TYPE_TOKEN_BAR);
  g_type_ensure (HEARTH_TYPE_TOKEN_FLOW);
  properties[PROP_LABEL] = g_param_spec_string ("label", NULL, NULL, NULL, flags);
  properties[PROP_EMPTY_TEXT] = g_param_spec_string ("empty-text", NULL, NULL, NULL, flags);
  properties[PROP_SHOW_SPACES] = g_param_spec_boolean ("show-spaces", NULL, NULL, FALSE, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-token-pane.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthTokenPane, root);
  gtk_widget_class_bind_template_child (widget_class, HearthTokenPane, stack);
  gtk_widget_class_bind_template_child (widget_class, HearthTokenPane, empty_label);
  gtk_widget_class_bind_template_child (widget_class, HearthTokenPane, scrolled);
  gtk_widget_class_bind_template_child (widget_class, HearthTokenPane, flow);
}

static void
hearth_token_pane_init (HearthTokenPane *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
hearth_token_pane_set_text (HearthTokenPane *self, HearthTokenText *text)
{
  gboolean any;

  g_return_if_fail (HEARTH_IS_TOKEN_PANE (self));

  any = text != NULL && hearth_token_text_get_n_cells (text) > 0;
  hearth_token_flow_set_text (self->flow, text);
  gtk_stack_set_visible_child (self->stack, any ? self->scrolled : GTK_WIDGET (self->empty_label));
}

HearthTokenText *
hearth_token_pane_get_text (HearthTokenPane *self)
{
  g_return_val_if_fail (HEARTH_IS_TOKEN_PANE (self), NULL);

  return hearth_token_flow_get_text (self->flow);
}

void
hearth_token_pane_set_shaded (HearthTokenPane *self, gboolean shaded)
{
  g_return_if_fail (HEARTH_IS_TOKEN_PANE (self));

  hearth_token_flow_set_shaded (self->flow, shaded);
}
