/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-model-list.h"

#include "hearth-focus.h"

struct _HearthModelList
{
  GtkWidget parent_instance;

  GtkStack *root;
  GtkSingleSelection *selection;
  GtkWidget *spinner;
};

G_DEFINE_FINAL_TYPE (HearthModelList, hearth_model_list, GTK_TYPE_WIDGET)

enum
{
  MODEL_CHOSEN,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

static void
activated_cb (HearthModelList *self, guint position)
{
  g_autoptr (HearthModelFile) model =
    g_list_model_get_item (G_LIST_MODEL (self->selection), position);

  if (model != NULL)
    g_signal_emit (self, signals[MODEL_CHOSEN], 0, model);
}

static void
models_changed_cb (HearthModelList *self)
{
  gboolean any;

  if (self->selection == NULL)
    return; /* being disposed */
  any = g_list_model_get_n_items (G_LIST_MODEL (self->selection)) > 0;
  gtk_stack_set_visible_child_name (self->root, any ? "list" : "empty");
}

static gboolean
hearth_model_list_grab_focus (GtkWidget *widget)
{
  return gtk_widget_child_focus (GTK_WIDGET (HEARTH_MODEL_LIST (widget)->root),
                                 GTK_DIR_TAB_FORWARD);
}

static void
hearth_model_list_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_MODEL_LIST);
  G_OBJECT_CLASS (hearth_model_list_parent_class)->dispose (object);
}

static void
hearth_model_list_class_init (HearthModelListClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  G_OBJECT_CLASS (klass)->dispose = hearth_model_list_dispose;
  widget_class->grab_focus = hearth_model_list_grab_focus;

  signals[MODEL_CHOSEN] =
    g_signal_new ("model-chosen", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                  G_TYPE_NONE, 1, HEARTH_TYPE_MODEL_FILE);

  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-model-list.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthModelList, root);
  gtk_widget_class_bind_template_child (widget_class, HearthModelList, selection);
  gtk_widget_class_bind_template_child (widget_class, HearthModelList, spinner);
  gtk_widget_class_bind_template_callback (widget_class, activated_cb);
}

static void
hearth_model_list_init (HearthModelList *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
hearth_model_list_set_library (HearthModelList *self, HearthLibrary *library)
{
  g_return_if_fail (HEARTH_IS_MODEL_LIST (self));

  gtk_single_selection_set_model (self->selection, G_LIST_MODEL (library));
  g_signal_connect_object (library, "items-changed", G_CALLBACK (models_changed_cb), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  g_object_bind_property (library, "scanning", self->spinner, "visible", G_BINDING_SYNC_CREATE);
  models_changed_cb (self);
}

void
hearth_model_list_select (HearthModelList *self, HearthModelFile *model)
{
  GListModel *list;
  guint found = GTK_INVALID_LIST_POSITION;

  g_return_if_fail (HEARTH_IS_MODEL_LIST (self));

  list = G_LIST_MODEL (self->selection);
  for (guint i = 0; model != NULL && i < g_list_model_get_n_items (list); i++)
    {
      g_autoptr (GObject) at = g_list_model_get_item (list, i);

      if (at == G_OBJECT (model))
        found = i;
    }
  gtk_single_selection_set_selected (self->selection, found);
}
