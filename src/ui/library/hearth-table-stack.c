/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-table-stack.h"

#include <adwaita.h>

#include "hearth-focus.h"

struct _HearthTableStack
{
  GtkWidget parent_instance;

  GtkStack *root;
  GtkWidget *spinner;
  AdwStatusPage *none_page;
  AdwBin *table_bin;
};

G_DEFINE_FINAL_TYPE (HearthTableStack, hearth_table_stack, GTK_TYPE_WIDGET)

enum
{
  PROP_0,
  PROP_CHILD,
  PROP_READING,
  PROP_TITLE,
  PROP_DESCRIPTION,
  PROP_ICON_NAME,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static void
hearth_table_stack_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  HearthTableStack *self = HEARTH_TABLE_STACK (object);

  switch (id)
    {
    case PROP_CHILD:
      adw_bin_set_child (self->table_bin, g_value_get_object (value));
      break;
    case PROP_READING:
      gtk_accessible_update_property (GTK_ACCESSIBLE (self->spinner), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      g_value_get_string (value), -1);
      break;
    case PROP_TITLE:
      adw_status_page_set_title (self->none_page, g_value_get_string (value));
      break;
    case PROP_DESCRIPTION:
      adw_status_page_set_description (self->none_page, g_value_get_string (value));
      break;
    case PROP_ICON_NAME:
      adw_status_page_set_icon_name (self->none_page, g_value_get_string (value));
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
hearth_table_stack_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_TABLE_STACK);
  G_OBJECT_CLASS (hearth_table_stack_parent_class)->dispose (object);
}

static void
hearth_table_stack_class_init (HearthTableStackClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  const GParamFlags flags = G_PARAM_WRITABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->dispose = hearth_table_stack_dispose;
  object_class->set_property = hearth_table_stack_set_property;
  widget_class->focus = hearth_focus_move;
  properties[PROP_CHILD] = g_param_spec_object ("child", NULL, NULL, GTK_TYPE_WIDGET, flags);
  properties[PROP_READING] = g_param_spec_string ("reading", NULL, NULL, NULL, flags);
  properties[PROP_TITLE] = g_param_spec_string ("title", NULL, NULL, NULL, flags);
  properties[PROP_DESCRIPTION] = g_param_spec_string ("description", NULL, NULL, NULL, flags);
  properties[PROP_ICON_NAME] = g_param_spec_string ("icon-name", NULL, NULL, NULL, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-table-stack.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthTableStack, root);
  gtk_widget_class_bind_template_child (widget_class, HearthTableStack, spinner);
  gtk_widget_class_bind_template_child (widget_class, HearthTableStack, none_page);
  gtk_widget_class_bind_template_child (widget_class, HearthTableStack, table_bin);
}

static void
hearth_table_stack_init (HearthTableStack *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
hearth_table_stack_show_reading (HearthTableStack *self)
{
  g_return_if_fail (HEARTH_IS_TABLE_STACK (self));

  gtk_stack_set_visible_child (self->root, self->spinner);
}

void
hearth_table_stack_show_found (HearthTableStack *self, gboolean found)
{
  g_return_if_fail (HEARTH_IS_TABLE_STACK (self));

  gtk_stack_set_visible_child (self->root,
                               found ? GTK_WIDGET (self->table_bin) : GTK_WIDGET (self->none_page));
}

void
hearth_table_stack_show_filtered (HearthTableStack *self, GtkFilterListModel *filtered)
{
  hearth_table_stack_show_found (self, g_list_model_get_n_items (G_LIST_MODEL (filtered)) > 0 ||
                                         gtk_filter_list_model_get_pending (filtered) > 0);
}
