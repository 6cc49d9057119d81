/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-compare-view.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "hearth-compare-chooser.h"
#include "hearth-compare-summary.h"
#include "hearth-compare-table.h"
#include "hearth-compare-words.h"
#include "hearth-export.h"
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
  GtkWidget *shown_box;
  GtkLabel *verdict_label;
  AdwToggleGroup *toggles;
  GtkWidget *measure_button;
  GtkWidget *progress_box;
  GtkProgressBar *progress_bar;
  GtkWidget *filter_box;
  GtkSearchEntry *search_entry;
  GtkCheckButton *all_check;
  GtkStack *parts;
  HearthCompareTable *keys_table;
  HearthCompareTable *tensors_table;

  HearthModelFile *model;
  HearthComparison *comparison; /* NULL: a file is being chosen */
  char *other;                  /* its path */
};

static void model_view_init (HearthModelViewInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (HearthCompareView, hearth_compare_view, GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (HEARTH_TYPE_MODEL_VIEW, model_view_init))

/* ---- what is shown ---------------------------------------------------------------------- */

static HearthCompareTable *
get_table (HearthCompareView *self)
{
  const char *part = adw_toggle_group_get_active_name (self->toggles);

  if (g_strcmp0 (part, "keys") == 0)
    return self->keys_table;
  return g_strcmp0 (part, "tensors") == 0 ? self->tensors_table : NULL;
}

static void
update_filter (HearthCompareView *self)
{
  const char *part, *text;
  gboolean all;

  if (self->parts == NULL || self->keys_table == NULL)
    return; /* being built, or disposed */
  part = adw_toggle_group_get_active_name (self->toggles);
  text = gtk_editable_get_text (GTK_EDITABLE (self->search_entry));
  all = gtk_check_button_get_active (self->all_check);
  gtk_widget_set_visible (self->filter_box, get_table (self) != NULL);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "compare.export-csv", get_table (self) != NULL);
  if (gtk_stack_get_child_by_name (self->parts, part) != NULL)
    gtk_stack_set_visible_child_name (self->parts, part);
  hearth_compare_table_set_filter (self->keys_table, all, text);
  hearth_compare_table_set_filter (self->tensors_table, all, text);
}

static void
update_verdict (HearthCompareView *self)
{
  g_autofree char *verdict = hearth_compare_words_for_verdict (self->comparison);

  gtk_label_set_text (self->verdict_label, verdict);
}

static void
progress_cb (HearthCompareView *self)
{
  double progress = hearth_comparison_get_progress (self->comparison);
  g_autofree char *text = g_strdup_printf (_ ("%.0f %%"), progress * 100);

  gtk_progress_bar_set_fraction (self->progress_bar, progress);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->progress_bar), text);
}

static void
busy_cb (HearthCompareView *self)
{
  gboolean busy = hearth_comparison_get_busy (self->comparison);
  guint n_left = hearth_comparison_get_n_comparable (self->comparison) -
                 hearth_comparison_get_n_measured (self->comparison);
  const GError *error = hearth_comparison_get_error (self->comparison);

  gtk_widget_set_visible (self->progress_box, busy);
  gtk_widget_set_visible (self->measure_button, !busy && n_left > 0);
  progress_cb (self);
  if (busy)
    return;
  update_verdict (self);
  if (error != NULL)
    {
      g_autofree char *text =
        g_strdup_printf (_ ("The values could not be measured to the end: %s"), error->message);

      gtk_widget_activate_action (GTK_WIDGET (self), "win.toast", "s", text);
    }
}

static void
show_summary (HearthCompareView *self)
{
  GtkWidget *old = gtk_stack_get_child_by_name (self->parts, "summary");

  if (old != NULL)
    gtk_stack_remove (self->parts, old);
  gtk_stack_add_named (self->parts, hearth_compare_summary_new (self->comparison), "summary");
}

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
  show_summary (self);
  hearth_compare_table_set_comparison (self->keys_table, self->comparison);
  hearth_compare_table_set_comparison (self->tensors_table, self->comparison);
  adw_toggle_group_set_active_name (self->toggles, "summary");
  update_filter (self);
  busy_cb (self);
  gtk_stack_set_visible_child (self->root, self->shown_box);
  gtk_accessible_announce (GTK_ACCESSIBLE (self), gtk_label_get_text (self->verdict_label),
                           GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_MEDIUM);
}

static void
forget (HearthCompareView *self)
{
  if (self->comparison != NULL)
    g_signal_handlers_disconnect_by_data (self->comparison, self);
  if (self->keys_table != NULL)
    {
      hearth_compare_table_set_comparison (self->keys_table, NULL);
      hearth_compare_table_set_comparison (self->tensors_table, NULL);
    }
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
  g_signal_connect_object (self->comparison, "notify::busy", G_CALLBACK (busy_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->comparison, "notify::progress", G_CALLBACK (progress_cb), self,
                           G_CONNECT_SWAPPED);
  gtk_editable_set_text (GTK_EDITABLE (self->search_entry), "");
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

static void
measure_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthCompareView *self = HEARTH_COMPARE_VIEW (widget);

  if (self->comparison == NULL)
    return;
  hearth_comparison_measure (self->comparison);
  adw_toggle_group_set_active_name (self->toggles, "tensors");
}

static void
stop_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthCompareView *self = HEARTH_COMPARE_VIEW (widget);

  if (self->comparison != NULL)
    hearth_comparison_stop (self->comparison);
}

static void
copy_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthCompareView *self = HEARTH_COMPARE_VIEW (widget);

  if (self->comparison != NULL)
    hearth_export_copy (widget, hearth_compare_words_for_report (self->comparison));
}

static void
export_csv_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthCompareView *self = HEARTH_COMPARE_VIEW (widget);
  HearthCompareTable *table = get_table (self);
  gboolean tensors = table == self->tensors_table;
  GListModel *rows;
  g_autofree char *file = NULL;

  if (table == NULL || self->model == NULL)
    return;
  file = hearth_export_name (hearth_model_file_get_path (self->model),
                             tensors ? "-compared-tensors.csv" : "-compared-keys.csv");
  rows = hearth_compare_table_get_rows (table);
  hearth_export_save (widget, file,
                      tensors ? hearth_compared_tensors_export (rows)
                              : hearth_compared_keys_export (rows));
}

static void
export_json_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthCompareView *self = HEARTH_COMPARE_VIEW (widget);
  g_autofree char *file = NULL;

  if (self->comparison == NULL || self->model == NULL)
    return;
  file = hearth_export_name (hearth_model_file_get_path (self->model), "-compared.json");
  hearth_export_save_text (widget, file, hearth_comparison_dup_json (self->comparison));
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

  if (gtk_stack_get_visible_child (self->root) != self->shown_box)
    return FALSE;
  if (get_table (self) == NULL)
    adw_toggle_group_set_active_name (self->toggles, "keys");
  return gtk_widget_grab_focus (GTK_WIDGET (self->search_entry));
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

  self->keys_table = NULL;
  self->tensors_table = NULL;
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
  gtk_widget_class_install_action (widget_class, "compare.choose", NULL, choose_action);
  gtk_widget_class_install_action (widget_class, "compare.show-other", NULL, show_other_action);
  gtk_widget_class_install_action (widget_class, "compare.measure", NULL, measure_action);
  gtk_widget_class_install_action (widget_class, "compare.stop", NULL, stop_action);
  gtk_widget_class_install_action (widget_class, "compare.copy", NULL, copy_action);
  gtk_widget_class_install_action (widget_class, "compare.export-csv", NULL, export_csv_action);
  gtk_widget_class_install_action (widget_class, "compare.export-json", NULL, export_json_action);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-compare-view.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthCompareView, root);
  gtk_widget_class_bind_template_child (widget_class, HearthCompareView, chooser);
  gtk_widget_class_bind_template_child (widget_class, HearthCompareView, reading_page);
  gtk_widget_class_bind_template_child (widget_class, HearthCompareView, failed_page);
  gtk_widget_class_bind_template_child (widget_class, HearthCompareView, shown_box);
  gtk_widget_class_bind_template_child (widget_class, HearthCompareView, verdict_label);
  gtk_widget_class_bind_template_child (widget_class, HearthCompareView, toggles);
  gtk_widget_class_bind_template_child (widget_class, HearthCompareView, measure_button);
  gtk_widget_class_bind_template_child (widget_class, HearthCompareView, progress_box);
  gtk_widget_class_bind_template_child (widget_class, HearthCompareView, progress_bar);
  gtk_widget_class_bind_template_child (widget_class, HearthCompareView, filter_box);
  gtk_widget_class_bind_template_child (widget_class, HearthCompareView, search_entry);
  gtk_widget_class_bind_template_child (widget_class, HearthCompareView, all_check);
  gtk_widget_class_bind_template_child (widget_class, HearthCompareView, parts);
  gtk_widget_class_bind_template_callback (widget_class, update_filter);
  gtk_widget_class_bind_template_callback (widget_class, chosen_cb);
}

static void
hearth_compare_view_init (HearthCompareView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->keys_table = HEARTH_COMPARE_TABLE (hearth_compare_table_new (FALSE));
  self->tensors_table = HEARTH_COMPARE_TABLE (hearth_compare_table_new (TRUE));
  gtk_stack_add_named (self->parts, GTK_WIDGET (self->keys_table), "keys");
  gtk_stack_add_named (self->parts, GTK_WIDGET (self->tensors_table), "tensors");
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
