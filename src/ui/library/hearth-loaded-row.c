/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-loaded-row.h"

#include <glib/gi18n.h>

#include "hearth-focus.h"
#include "hearth-words.h"

struct _HearthLoadedRow
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkButton *show_button;
  GtkLabel *title_label;
  GtkLabel *detail_label;

  HearthEngine *engine;
  HearthLibrary *library;
};

G_DEFINE_FINAL_TYPE (HearthLoadedRow, hearth_loaded_row, GTK_TYPE_WIDGET)

static void
engine_changed_cb (HearthLoadedRow *self)
{
  HearthEngineState state;
  const char *path;
  g_autoptr (HearthModelFile) model = NULL;
  const HearthModelHeader *header;
  HearthEngineMemory memory;
  g_autofree char *size = NULL;
  g_autofree char *detail = NULL;
  g_autofree char *spoken = NULL;
  g_autofree char *parts = NULL;
  g_autofree char *tooltip = NULL;

  if (self->title_label == NULL)
    return; /* being disposed */
  state = hearth_engine_get_state (self->engine);
  path = hearth_engine_get_path (self->engine);
  gtk_widget_set_visible (GTK_WIDGET (self), path != NULL && (state == HEARTH_ENGINE_READY ||
                                                              state == HEARTH_ENGINE_ANSWERING));
  if (path == NULL)
    return;
  model = hearth_library_ref_file (self->library, path);
  header = hearth_model_file_get_header (model);
  hearth_engine_get_memory (self->engine, &memory);
  size = hearth_words_for_size (memory.weights + memory.kv + memory.checkpoint + memory.compute);
  if (header != NULL && header->quantization != NULL)
    /* Translators: how a model is stored, and the memory it takes: "Q4_K_M · 293 MB in memory" */
    detail = g_strdup_printf (_ ("%1$s · %2$s in memory"), header->quantization, size);
  else
    detail = g_strdup_printf (_ ("%s in memory"), size);
  gtk_label_set_text (self->title_label, hearth_model_file_get_title (model));
  gtk_label_set_text (self->detail_label, detail);
  gtk_actionable_set_action_target (GTK_ACTIONABLE (self->show_button), "s", path);
  spoken = g_strdup_printf (_ ("Loaded: %1$s, %2$s"), hearth_model_file_get_title (model), detail);
  parts = hearth_words_for_memory (memory.weights, memory.kv + memory.checkpoint, memory.compute);
  tooltip = g_strdup_printf ("%s\n%s", _ ("About This Model"), parts);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->show_button), tooltip);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->show_button), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  spoken, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, parts, -1);
}

static void
eject_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  hearth_engine_unload (HEARTH_LOADED_ROW (widget)->engine);
}

static void
hearth_loaded_row_dispose (GObject *object)
{
  HearthLoadedRow *self = HEARTH_LOADED_ROW (object);

  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_LOADED_ROW);
  g_clear_object (&self->engine);
  g_clear_object (&self->library);
  G_OBJECT_CLASS (hearth_loaded_row_parent_class)->dispose (object);
}

static void
hearth_loaded_row_class_init (HearthLoadedRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  G_OBJECT_CLASS (klass)->dispose = hearth_loaded_row_dispose;
  gtk_widget_class_install_action (widget_class, "loaded.eject", NULL, eject_action);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-loaded-row.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthLoadedRow, root);
  gtk_widget_class_bind_template_child (widget_class, HearthLoadedRow, show_button);
  gtk_widget_class_bind_template_child (widget_class, HearthLoadedRow, title_label);
  gtk_widget_class_bind_template_child (widget_class, HearthLoadedRow, detail_label);
}

static void
hearth_loaded_row_init (HearthLoadedRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
hearth_loaded_row_set_sources (HearthLoadedRow *self, HearthEngine *engine, HearthLibrary *library)
{
  g_return_if_fail (HEARTH_IS_LOADED_ROW (self));

  g_set_object (&self->engine, engine);
  g_set_object (&self->library, library);
  g_signal_connect_object (engine, "notify::state", G_CALLBACK (engine_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (engine, "notify::path", G_CALLBACK (engine_changed_cb), self,
                           G_CONNECT_SWAPPED);
  engine_changed_cb (self);
}
