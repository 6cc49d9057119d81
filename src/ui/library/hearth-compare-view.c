/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-compare-view.h"

#include <adwaita.h>

#include "hearth-compare-chooser.h"
#include "hearth-compare-result.h"
#include "hearth-focus.h"
#include "hearth-model-view.h"
#include "hearth-words.h"

struct _HearthCompareView
{
  GtkWidget parent_instance;

  GtkStack *root;
  HearthCompareChooser *chooser;
  GtkWidget *reading_page;
  AdwStatusPage *failed_page;
  HearthCompareResult *result;

  HearthModelFile *model;
  HearthComparison *comparison; /* NULL: a file is being chosen */
  char *other;                  /* its path */
};

static void model_view_init (HearthModelViewInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (HearthCompareView, hearth_compare_view, GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (HEARTH_TYPE_MODEL_VIEW, model_view_init))

/* ---- what is compared ------------------------------------------------------------------- */

static void
ready_cb (HearthCompareView *self)
{
  const char *failed = hearth_comparison_get_failed_path (self->comparison);
  const GError *error = hearth_comparison_get_error (self->comparison);

  if (error != NULL)
    {
      g_autoptr (HearthModelFile) file =
        hearth_model_file_new (failed != NULL ? failed : self->other);
      g_autofree char *sentence = hearth_words_for_error (error, file);
      g_autofree char *escaped = g_markup_escape_text (sentence, -1);

      adw_status_page_set_description (self->failed_page, escaped);
      gtk_stack_set_visible_child (self->root, GTK_WIDGET (self->failed_page));
      return;
    }
  hearth_compare_result_set_comparison (self->result, self->comparison,
                                        hearth_model_file_get_path (self->model));
  gtk_stack_set_visible_child (self->root, GTK_WIDGET (self->result));
}

static void
forget (HearthCompareView *self)
{
  if (self->comparison != NULL)
    g_signal_handlers_disconnect_by_data (self->comparison, self);
  if (self->result != NULL)
    hearth_compare_result_set_comparison (self->result, NULL, NULL);
  g_clear_object (&self->comparison);
  g_clear_pointer (&self->other, g_free);
}

static void
compare_with (HearthCompareView *self, const char *path)
{
  g_autofree char *copy = g_strdup (path);

  if (self->model == NULL)
    return;
  forget (self);
  self->other = g_steal_pointer (&copy);
  self->comparison = hearth_comparison_new (hearth_model_file_get_path (self->model), self->other);
  g_signal_connect_object (self->comparison, "notify::ready", G_CALLBACK (ready_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_stack_set_visible_child (self->root, self->reading_page);
}

static void
chosen_cb (HearthCompareView *self, const char *path)
{
  compare_with (self, path);
}

/* ---- actions ---------------------------------------------------------------------------- */

static void
choose_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  hearth_compare_view_choose (HEARTH_COMPARE_VIEW (widget));
}

static void
show_other_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthCompareView *self = HEARTH_COMPARE_VIEW (widget);

  if (self->other != NULL)
    gtk_widget_activate_action (widget, "win.show-model-of", "s", self->other);
}

/* ---- as a view of the page -------------------------------------------------------------- */

static void
show_model (HearthModelView *view, HearthModelFile *model)
{
  HearthCompareView *self = HEARTH_COMPARE_VIEW (view);

  forget (self);
  g_set_object (&self->model, model);
  hearth_compare_chooser_set_model (self->chooser, model);
  gtk_stack_set_visible_child (self->root, GTK_WIDGET (self->chooser));
}

static gboolean
find (HearthModelView *view)
{
  HearthCompareView *self = HEARTH_COMPARE_VIEW (view);

  if (gtk_stack_get_visible_child (self->root) != GTK_WIDGET (self->result))
    return FALSE;
  return hearth_compare_result_find (self->result);
}

static void
reveal (HearthModelView *view, const char *what)
{
  compare_with (HEARTH_COMPARE_VIEW (view), what);
}

static void
model_view_init (HearthModelViewInterface *iface)
{
  iface->show_model = show_model;
  iface->find = find;
  iface->reveal = reveal;
}

/* ---- the widget ------------------------------------------------------------------------- */

static void
hearth_compare_view_dispose (GObject *object)
{
  HearthCompareView *self = HEARTH_COMPARE_VIEW (object);

  self->result = NULL;
  forget (self);
  g_clear_object (&self->model);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_COMPARE_VIEW);
  G_OBJECT_CLASS (hearth_compare_view_parent_class)->dispose (object);
}

static void
hearth_compare_view_class_init (HearthCompareViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  G_OBJECT_CLASS (klass)->dispose = hearth_compare_view_dispose;
  g_type_ensure (HEARTH_TYPE_COMPARE_CHOOSER);
  g_type_ensure (HEARTH_TYPE_COMPARE_RESULT);
  gtk_widget_class_install_action (widget_class, "compare.choose", NULL, choose_action);
  gtk_widget_class_install_action (widget_class, "compare.show-other", NULL, show_other_action);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-compare-view.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthCompareView, root);
  gtk_widget_class_bind_template_child (widget_class, HearthCompareView, chooser);
  gtk_widget_class_bind_template_child (widget_class, HearthCompareView, reading_page);
  gtk_widget_class_bind_template_child (widget_class, HearthCompareView, failed_page);
  gtk_widget_class_bind_template_child (widget_class, HearthCompareView, result);
  gtk_widget_class_bind_template_callback (widget_class, chosen_cb);
}

static void
hearth_compare_view_init (HearthCompareView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
hearth_compare_view_set_library (HearthCompareView *self, HearthLibrary *library)
{
  g_return_if_fail (HEARTH_IS_COMPARE_VIEW (self));

  hearth_compare_chooser_set_library (self->chooser, library);
}

void
hearth_compare_view_choose (HearthCompareView *self)
{
  g_return_if_fail (HEARTH_IS_COMPARE_VIEW (self));

  forget (self);
  gtk_stack_set_visible_child (self->root, GTK_WIDGET (self->chooser));
}
