/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-compare-result.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "hearth-compare-summary.h"
#include "hearth-compare-table.h"
#include "hearth-compare-words.h"
#include "hearth-export.h"
#include "hearth-focus.h"
#include "hearth-progress-row.h"

struct _HearthCompareResult
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkLabel *verdict_label;
  AdwToggleGroup *toggles;
  GtkWidget *measure_button;
  HearthProgressRow *progress_row;
  GtkWidget *filter_box;
  GtkSearchEntry *search_entry;
  GtkCheckButton *all_check;
  GtkStack *parts;
  HearthCompareTable *keys_table;
  HearthCompareTable *tensors_table;

  HearthComparison *comparison;
  char *path;
};

G_DEFINE_FINAL_TYPE (HearthCompareResult, hearth_compare_result, GTK_TYPE_WIDGET)

/* ---- what is shown ---------------------------------------------------------------------- */

static HearthCompareTable *
get_table (HearthCompareResult *self)
{
  const char *part = adw_toggle_group_get_active_name (self->toggles);

  if (g_strcmp0 (part, "keys") == 0)
    return self->keys_table;
  return g_strcmp0 (part, "tensors") == 0 ? self->tensors_table : NULL;
}

static void
update_filter (HearthCompareResult *self)
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
update_verdict (HearthCompareResult *self)
{
  g_autofree char *verdict = hearth_compare_words_for_verdict (self->comparison);

  gtk_label_set_text (self->verdict_label, verdict);
}

static void
progress_cb (HearthCompareResult *self)
{
  hearth_progress_row_set_fraction (self->progress_row,
                                    hearth_comparison_get_progress (self->comparison));
}

static void
busy_cb (HearthCompareResult *self)
{
  gboolean busy = hearth_comparison_get_busy (self->comparison);
  guint n_left = hearth_comparison_get_n_comparable (self->comparison) -
                 hearth_comparison_get_n_measured (self->comparison);
  const GError *error = hearth_comparison_get_error (self->comparison);

  if (busy)
    hearth_progress_row_begin (self->progress_row, self->measure_button);
  gtk_widget_set_visible (self->measure_button, !busy && n_left > 0);
  progress_cb (self);
  if (busy)
    return;
  update_verdict (self);
  hearth_progress_row_end (self->progress_row, self->measure_button,
                           GTK_WIDGET (self->verdict_label));
  if (error != NULL)
    {
      g_autofree char *text =
        g_strdup_printf (_ ("The values could not be measured to the end: %s"), error->message);

      gtk_widget_activate_action (GTK_WIDGET (self), "win.toast", "s", text);
    }
}

static void
show_summary (HearthCompareResult *self)
{
  GtkWidget *old = gtk_stack_get_child_by_name (self->parts, "summary");

  if (old != NULL)
    gtk_stack_remove (self->parts, old);
  gtk_stack_add_named (self->parts, hearth_compare_summary_new (self->comparison), "summary");
}

/* ---- actions ---------------------------------------------------------------------------- */

static void
measure_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthCompareResult *self = HEARTH_COMPARE_RESULT (widget);

  if (self->comparison == NULL)
    return;
  hearth_comparison_measure (self->comparison);
  adw_toggle_group_set_active_name (self->toggles, "tensors");
}

static void
stop_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthCompareResult *self = HEARTH_COMPARE_RESULT (widget);

  if (self->comparison != NULL)
    hearth_comparison_stop (self->comparison);
}

static void
copy_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthCompareResult *self = HEARTH_COMPARE_RESULT (widget);

  if (self->comparison != NULL)
    hearth_export_copy (widget, hearth_compare_words_for_report (self->comparison));
}

static void
export_csv_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthCompareResult *self = HEARTH_COMPARE_RESULT (widget);
  HearthCompareTable *table = get_table (self);
  gboolean tensors = table == self->tensors_table;
  GListModel *rows;
  g_autofree char *file = NULL;

  if (table == NULL || self->path == NULL)
    return;
  file = hearth_export_name (self->path, tensors ? "-compared-tensors.csv" : "-compared-keys.csv");
  rows = hearth_compare_table_get_rows (table);
  hearth_export_save (widget, file,
                      tensors ? hearth_compared_tensors_export (rows)
                              : hearth_compared_keys_export (rows));
}

static void
export_json_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthCompareResult *self = HEARTH_COMPARE_RESULT (widget);
  g_autofree char *file = NULL;

  if (self->comparison == NULL || self->path == NULL)
    return;
  file = hearth_export_name (self->path, "-compared.json");
  hearth_export_save_text (widget, file, hearth_comparison_dup_json (self->comparison));
}

/* ---- the widget ------------------------------------------------------------------------- */

static void
forget (HearthCompareResult *self)
{
  if (self->comparison != NULL)
    g_signal_handlers_disconnect_by_data (self->comparison, self);
  g_clear_object (&self->comparison);
  g_clear_pointer (&self->path, g_free);
}

static void
hearth_compare_result_dispose (GObject *object)
{
  HearthCompareResult *self = HEARTH_COMPARE_RESULT (object);

  self->keys_table = NULL;
  self->tensors_table = NULL;
  forget (self);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_COMPARE_RESULT);
  G_OBJECT_CLASS (hearth_compare_result_parent_class)->dispose (object);
}

static void
hearth_compare_result_class_init (HearthCompareResultClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hearth_compare_result_dispose;
  widget_class->focus = hearth_focus_move;
  g_type_ensure (HEARTH_TYPE_PROGRESS_ROW);
  gtk_widget_class_install_action (widget_class, "compare.measure", NULL, measure_action);
  gtk_widget_class_install_action (widget_class, "compare.stop", NULL, stop_action);
  gtk_widget_class_install_action (widget_class, "compare.copy", NULL, copy_action);
  gtk_widget_class_install_action (widget_class, "compare.export-csv", NULL, export_csv_action);
  gtk_widget_class_install_action (widget_class, "compare.export-json", NULL, export_json_action);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-compare-result.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthCompareResult, root);
  gtk_widget_class_bind_template_child (widget_class, HearthCompareResult, verdict_label);
  gtk_widget_class_bind_template_child (widget_class, HearthCompareResult, toggles);
  gtk_widget_class_bind_template_child (widget_class, HearthCompareResult, measure_button);
  gtk_widget_class_bind_template_child (widget_class, HearthCompareResult, progress_row);
  gtk_widget_class_bind_template_child (widget_class, HearthCompareResult, filter_box);
  gtk_widget_class_bind_template_child (widget_class, HearthCompareResult, search_entry);
  gtk_widget_class_bind_template_child (widget_class, HearthCompareResult, all_check);
  gtk_widget_class_bind_template_child (widget_class, HearthCompareResult, parts);
  gtk_widget_class_bind_template_callback (widget_class, update_filter);
}

static void
hearth_compare_result_init (HearthCompareResult *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->keys_table = HEARTH_COMPARE_TABLE (hearth_compare_table_new (FALSE));
  self->tensors_table = HEARTH_COMPARE_TABLE (hearth_compare_table_new (TRUE));
  gtk_stack_add_named (self->parts, GTK_WIDGET (self->keys_table), "keys");
  gtk_stack_add_named (self->parts, GTK_WIDGET (self->tensors_table), "tensors");
}

void
hearth_compare_result_set_comparison (HearthCompareResult *self, HearthComparison *comparison,
                                      const char *path)
{
  g_return_if_fail (HEARTH_IS_COMPARE_RESULT (self));

  forget (self);
  hearth_compare_table_set_comparison (self->keys_table, comparison);
  hearth_compare_table_set_comparison (self->tensors_table, comparison);
  if (comparison == NULL)
    return;
  self->comparison = g_object_ref (comparison);
  self->path = g_strdup (path);
  g_signal_connect_object (comparison, "notify::busy", G_CALLBACK (busy_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (comparison, "notify::progress", G_CALLBACK (progress_cb), self,
                           G_CONNECT_SWAPPED);
  show_summary (self);
  gtk_editable_set_text (GTK_EDITABLE (self->search_entry), "");
  adw_toggle_group_set_active_name (self->toggles, "summary");
  update_filter (self);
  busy_cb (self);
  gtk_accessible_announce (GTK_ACCESSIBLE (self), gtk_label_get_text (self->verdict_label),
                           GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_MEDIUM);
}

gboolean
hearth_compare_result_find (HearthCompareResult *self)
{
  g_return_val_if_fail (HEARTH_IS_COMPARE_RESULT (self), FALSE);

  if (get_table (self) == NULL)
    adw_toggle_group_set_active_name (self->toggles, "keys");
  return gtk_widget_grab_focus (GTK_WIDGET (self->search_entry));
}
