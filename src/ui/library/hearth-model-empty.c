/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-model-empty.h"

#include <adwaita.h>

#include "hearth-focus.h"

struct _HearthModelEmpty
{
  GtkWidget parent_instance;

  GtkWidget *root;
};

G_DEFINE_FINAL_TYPE (HearthModelEmpty, hearth_model_empty, GTK_TYPE_WIDGET)

static void
hearth_model_empty_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_MODEL_EMPTY);
  G_OBJECT_CLASS (hearth_model_empty_parent_class)->dispose (object);
}

static void
hearth_model_empty_class_init (HearthModelEmptyClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  G_OBJECT_CLASS (klass)->dispose = hearth_model_empty_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-model-empty.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthModelEmpty, root);
}

static void
hearth_model_empty_init (HearthModelEmpty *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
