/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-model-filters.h"

#include <adwaita.h>

#include "hearth-focus.h"

struct _HearthModelFilters
{
  GtkWidget parent_instance;

  GtkWidget *root;
};

G_DEFINE_FINAL_TYPE (HearthModelFilters, hearth_model_filters, GTK_TYPE_WIDGET)

static void
hearth_model_filters_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_MODEL_FILTERS);
  G_OBJECT_CLASS (hearth_model_filters_parent_class)->dispose (object);
}

static void
hearth_model_filters_class_init (HearthModelFiltersClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  G_OBJECT_CLASS (klass)->dispose = hearth_model_filters_dispose;
  g_type_ensure (ADW_TYPE_WRAP_BOX);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-model-filters.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthModelFilters, root);
}

static void
hearth_model_filters_init (HearthModelFilters *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
