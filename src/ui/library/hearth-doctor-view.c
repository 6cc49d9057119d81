/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-doctor-view.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "hearth-doctor-row.h"
#include "hearth-doctor-words.h"
#include "hearth-export.h"
#include "hearth-focus.h"
#include "hearth-model-view.h"
#include "hearth-progress-row.h"
#include "hearth-words.h"

/* More rows of one severity than a person reads; the exported report has all. */
#define MAX_ROWS 100u

struct _HearthDoctorView
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkImage *verdict_icon;
  GtkLabel *verdict_label;
  GtkLabel *extent_label;
  HearthProgressRow *progress_row;
  GtkWidget *buttons_box;
  GtkWidget *values_button;
  GtkBox *groups_box;
  AdwPreferencesGroup *files_group;
  GtkWidget *files_list;

  HearthDoctor *doctor;
  gboolean waiting; /* for values that somebody asked for */
};

static void model_view_init (HearthModelViewInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (HearthDoctorView, hearth_doctor_view, GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (HEARTH_TYPE_MODEL_VIEW, model_view_init))

/* ---- what is shown ---------------------------------------------------------------------- */

static void
clear_groups (HearthDoctorView *self)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (self->groups_box))) != NULL)
    gtk_box_remove (self->groups_box, child);
}

static GtkWidget *
create_list (const char *title)
{
  GtkWidget *list = gtk_list_box_new ();

  gtk_list_box_set_selection_mode (GTK_LIST_BOX (list), GTK_SELECTION_NONE);
  gtk_widget_add_css_class (list, "boxed-list");
  gtk_accessible_update_property (GTK_ACCESSIBLE (list), GTK_ACCESSIBLE_PROPERTY_LABEL, title, -1);
  return list;
}

static void
add_group (HearthDoctorView *self, HearthSeverity severity, const char *title)
{
  guint n = hearth_doctor_count (self->doctor, severity), shown = 0;
  GtkWidget *group, *list;

  if (n == 0)
    return;
  group = adw_preferences_group_new ();
  list = create_list (title);
  adw_preferences_group_set_title (ADW_PREFERENCES_GROUP (group), title);
  for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->doctor)); i++)
    {
      g_autoptr (HearthDiagnosis) at = g_list_model_get_item (G_LIST_MODEL (self->doctor), i);

      if (hearth_diagnosis_get_severity (at) == severity && shown++ < MAX_ROWS)
        gtk_list_box_append (GTK_LIST_BOX (list), hearth_doctor_row_new (at));
    }
  if (n > MAX_ROWS)
    {
      g_autofree char *more = hearth_words_for_number (n - MAX_ROWS);
      g_autofree char *text = g_strdup_printf (_ ("%s more are in the exported report."), more);

      adw_preferences_group_set_description (ADW_PREFERENCES_GROUP (group), text);
    }
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), list);
  gtk_box_append (self->groups_box, group);
}

static void
add_file (HearthDoctorView *self, const HearthDoctorFile *file)
{
  GtkWidget *row = adw_action_row_new ();
  g_autofree char *base = g_path_get_basename (file->path);
  g_autofree char *name = g_filename_display_name (base);
  g_autofree char *size = hearth_words_for_size (file->size);
  GtkWidget *label = gtk_label_new (file->is_there ? size : _ ("Not there"));

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), name);
  if (!file->is_part)
    adw_action_row_set_subtitle (ADW_ACTION_ROW (row), _ ("Goes with this model"));
  else if (g_str_equal (file->path, hearth_doctor_get_path (self->doctor)))
    adw_action_row_set_subtitle (ADW_ACTION_ROW (row), _ ("This file"));
  gtk_widget_add_css_class (label, file->is_there ? "numeric" : "error");
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), label);
  gtk_list_box_append (GTK_LIST_BOX (self->files_list), row);
}

static void
show_files (HearthDoctorView *self)
{
  GPtrArray *files = hearth_doctor_get_files (self->doctor);

  gtk_widget_set_visible (GTK_WIDGET (self->files_group), files->len > 0);
  gtk_list_box_remove_all (GTK_LIST_BOX (self->files_list));
  for (guint i = 0; i < files->len && i < MAX_ROWS; i++)
    add_file (self, g_ptr_array_index (files, i));
}

static HearthSeverity
worst (HearthDoctor *doctor)
{
  HearthSeverity severity = HEARTH_SEVERITY_ERROR;

  while (severity > HEARTH_SEVERITY_INFO && hearth_doctor_count (doctor, severity) == 0)
    severity--;
  return severity;
}

static void
set_icon (HearthDoctorView *self, const char *icon, const char *style)
{
  static const char *const styles[] = { "dimmed", "warning", "error", "success", NULL };

  for (guint i = 0; styles[i] != NULL; i++)
    gtk_widget_remove_css_class (GTK_WIDGET (self->verdict_icon), styles[i]);
  gtk_widget_add_css_class (GTK_WIDGET (self->verdict_icon), style);
  gtk_image_set_from_icon_name (self->verdict_icon, icon);
}

static void
show_report (HearthDoctorView *self)
{
  g_autofree char *verdict = NULL;
  HearthSeverity severity = worst (self->doctor);

  clear_groups (self);
  if (!hearth_doctor_get_examined (self->doctor))
    {
      const GError *error = hearth_doctor_get_error (self->doctor);

      set_icon (self, "content-loading-symbolic", "dimmed");
      gtk_label_set_text (self->verdict_label, error != NULL
                                                 ? _ ("This file could not be examined.")
                                                 : _ ("Examining…"));
      gtk_label_set_text (self->extent_label, error != NULL ? error->message : "");
      gtk_widget_set_visible (GTK_WIDGET (self->files_group), FALSE);
      return;
    }
  verdict = hearth_doctor_words_for_verdict (self->doctor);
  if (severity == HEARTH_SEVERITY_INFO)
    set_icon (self, "object-select-symbolic", "success");
  else
    set_icon (self, hearth_doctor_row_icon (severity), hearth_doctor_row_style (severity));
  gtk_label_set_text (self->verdict_label, verdict);
  gtk_label_set_text (self->extent_label, hearth_doctor_words_for_extent (self->doctor));
  add_group (self, HEARTH_SEVERITY_ERROR, _ ("Errors"));
  add_group (self, HEARTH_SEVERITY_WARNING, _ ("Warnings"));
  add_group (self, HEARTH_SEVERITY_INFO, _ ("Notes"));
  show_files (self);
}

static void
progress_cb (HearthDoctorView *self)
{
  hearth_progress_row_set_fraction (self->progress_row, hearth_doctor_get_progress (self->doctor));
}

static void
busy_cb (HearthDoctorView *self)
{
  gboolean busy = hearth_doctor_get_busy (self->doctor);
  gboolean values = hearth_doctor_get_checking_values (self->doctor);
  gboolean examined = hearth_doctor_get_examined (self->doctor);
  gboolean read = FALSE;

  if (values)
    hearth_progress_row_begin (self->progress_row, self->buttons_box);
  gtk_widget_set_visible (self->buttons_box, examined && !values);
  gtk_widget_set_visible (self->values_button, hearth_doctor_get_readable (self->doctor) &&
                                                 !hearth_doctor_get_values_checked (self->doctor));
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "doctor.check-values", !busy);
  if (!values)
    read = hearth_progress_row_end (self->progress_row, self->values_button,
                                    GTK_WIDGET (self->verdict_label));
  progress_cb (self);
  if (!examined)
    show_report (self);
  if (self->waiting && !busy)
    {
      self->waiting = FALSE;
      if (!read)
        gtk_accessible_announce (GTK_ACCESSIBLE (self), gtk_label_get_text (self->verdict_label),
                                 GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_MEDIUM);
    }
}

/* ---- actions ---------------------------------------------------------------------------- */

static void
check_values_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthDoctorView *self = HEARTH_DOCTOR_VIEW (widget);

  self->waiting = TRUE;
  hearth_doctor_check_values (self->doctor);
}

static void
stop_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  hearth_doctor_stop (HEARTH_DOCTOR_VIEW (widget)->doctor);
}

static void
copy_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  hearth_export_copy (widget, hearth_doctor_words_for_report (HEARTH_DOCTOR_VIEW (widget)->doctor));
}

static void
export_text_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthDoctorView *self = HEARTH_DOCTOR_VIEW (widget);
  g_autofree char *file = hearth_export_name (hearth_doctor_get_path (self->doctor), "-report.txt");

  hearth_export_save_text (widget, file, hearth_doctor_words_for_report (self->doctor));
}

static void
export_json_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthDoctorView *self = HEARTH_DOCTOR_VIEW (widget);
  g_autofree char *file =
    hearth_export_name (hearth_doctor_get_path (self->doctor), "-report.json");

  hearth_export_save_text (widget, file, hearth_doctor_dup_json (self->doctor));
}

/* ---- the widget ------------------------------------------------------------------------- */

static void
model_view_init (HearthModelViewInterface *iface)
{
}

static void
hearth_doctor_view_dispose (GObject *object)
{
  HearthDoctorView *self = HEARTH_DOCTOR_VIEW (object);

  if (self->doctor != NULL)
    g_signal_handlers_disconnect_by_data (self->doctor, self);
  g_clear_object (&self->doctor);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_DOCTOR_VIEW);
  G_OBJECT_CLASS (hearth_doctor_view_parent_class)->dispose (object);
}

static void
hearth_doctor_view_class_init (HearthDoctorViewClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  G_OBJECT_CLASS (klass)->dispose = hearth_doctor_view_dispose;
  g_type_ensure (HEARTH_TYPE_PROGRESS_ROW);
  gtk_widget_class_install_action (widget_class, "doctor.check-values", NULL, check_values_action);
  gtk_widget_class_install_action (widget_class, "doctor.stop", NULL, stop_action);
  gtk_widget_class_install_action (widget_class, "doctor.copy", NULL, copy_action);
  gtk_widget_class_install_action (widget_class, "doctor.export-text", NULL, export_text_action);
  gtk_widget_class_install_action (widget_class, "doctor.export-json", NULL, export_json_action);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-doctor-view.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthDoctorView, root);
  gtk_widget_class_bind_template_child (widget_class, HearthDoctorView, verdict_icon);
  gtk_widget_class_bind_template_child (widget_class, HearthDoctorView, verdict_label);
  gtk_widget_class_bind_template_child (widget_class, HearthDoctorView, extent_label);
  gtk_widget_class_bind_template_child (widget_class, HearthDoctorView, progress_row);
  gtk_widget_class_bind_template_child (widget_class, HearthDoctorView, buttons_box);
  gtk_widget_class_bind_template_child (widget_class, HearthDoctorView, values_button);
  gtk_widget_class_bind_template_child (widget_class, HearthDoctorView, groups_box);
  gtk_widget_class_bind_template_child (widget_class, HearthDoctorView, files_group);
}

static void
hearth_doctor_view_init (HearthDoctorView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->files_list = create_list (adw_preferences_group_get_title (self->files_group));
  adw_preferences_group_add (self->files_group, self->files_list);
}

void
hearth_doctor_view_set_doctor (HearthDoctorView *self, HearthDoctor *doctor)
{
  g_return_if_fail (HEARTH_IS_DOCTOR_VIEW (self));

  if (self->doctor == doctor)
    return;
  if (self->doctor != NULL)
    g_signal_handlers_disconnect_by_data (self->doctor, self);
  g_set_object (&self->doctor, doctor);
  self->waiting = FALSE;
  gtk_widget_set_visible (self->root, doctor != NULL);
  if (doctor == NULL)
    return;
  g_signal_connect_object (doctor, "items-changed", G_CALLBACK (show_report), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (doctor, "notify::busy", G_CALLBACK (busy_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (doctor, "notify::progress", G_CALLBACK (progress_cb), self,
                           G_CONNECT_SWAPPED);
  show_report (self);
  busy_cb (self);
}
