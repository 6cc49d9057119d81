/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-preferences.h"

#include <glib/gi18n.h>

#include "hearth-field-row.h"
#include "hearth-hardware.h"
#include "hearth-spin-words.h"
#include "hearth-words.h"

struct _HearthPreferences
{
  AdwPreferencesDialog parent_instance;

  AdwComboRow *send_row;
  GtkWidget *wrap_row;
  GtkWidget *scale_row;
  GtkSpinButton *scale_spin;
  GtkWidget *context_row;
  GtkSpinButton *context_spin;
  AdwComboRow *kv_row;
  AdwActionRow *threads_row;
  GtkSpinButton *threads_spin;
  AdwPreferencesGroup *folders_group;
  GtkWidget *add_row;

  HearthSettings *settings;
  GPtrArray *folder_rows; /* not owned */
};

G_DEFINE_FINAL_TYPE (HearthPreferences, hearth_preferences, ADW_TYPE_PREFERENCES_DIALOG)

static void
send_changed_cb (HearthPreferences *self)
{
  if (self->settings != NULL)
    g_object_set (self->settings, "enter-sends", adw_combo_row_get_selected (self->send_row) == 0,
                  NULL);
}

static gboolean
scale_to_percent (GBinding *binding, const GValue *from, GValue *to, gpointer data)
{
  g_value_set_double (to, g_value_get_double (from) * 100);
  return TRUE;
}

static gboolean
percent_to_scale (GBinding *binding, const GValue *from, GValue *to, gpointer data)
{
  g_value_set_double (to, g_value_get_double (from) / 100);
  return TRUE;
}

/* ---- folders ---------------------------------------------------------------------------- */

static void
remove_folder_cb (GtkButton *button, gpointer user_data)
{
  HearthPreferences *self = user_data;
  const char *path = g_object_get_data (G_OBJECT (button), "path");
  g_auto (GStrv) folders = hearth_settings_dup_model_folders (self->settings);
  g_autoptr (GStrvBuilder) rest = g_strv_builder_new ();
  g_auto (GStrv) list = NULL;

  for (char **folder = folders; *folder != NULL; folder++)
    {
      if (!g_str_equal (*folder, path))
        g_strv_builder_add (rest, *folder);
    }
  list = g_strv_builder_end (rest);
  hearth_settings_set_model_folders (self->settings, (const char *const *) list);
  gtk_widget_grab_focus (self->add_row);
}

static void
add_folder_row (HearthPreferences *self, const char *path)
{
  GtkWidget *row = adw_action_row_new ();
  GtkWidget *button = gtk_button_new_from_icon_name ("user-trash-symbolic");
  g_autofree char *shown = g_filename_display_name (path);
  g_autofree char *name = g_path_get_basename (shown);
  g_autofree char *label = g_strdup_printf (_ ("Remove “%s” From the List"), name);

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), name);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), shown);
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (button, label);
  gtk_widget_add_css_class (button, "flat");
  g_object_set_data_full (G_OBJECT (button), "path", g_strdup (path), g_free);
  g_signal_connect_object (button, "clicked", G_CALLBACK (remove_folder_cb), self,
                           G_CONNECT_DEFAULT);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), button);
  adw_preferences_group_add (self->folders_group, row);
  g_ptr_array_add (self->folder_rows, row);
}

static void
show_folders (HearthPreferences *self)
{
  g_auto (GStrv) folders = NULL;

  if (self->folders_group == NULL)
    return; /* being disposed */
  folders = hearth_settings_dup_model_folders (self->settings);
  for (guint i = 0; i < self->folder_rows->len; i++)
    adw_preferences_group_remove (self->folders_group, self->folder_rows->pdata[i]);
  g_ptr_array_set_size (self->folder_rows, 0);
  for (char **folder = folders; *folder != NULL; folder++)
    add_folder_row (self, *folder);
}

static void
add_folder_cb (HearthPreferences *self)
{
  /* The window has the dialog for it; the list here follows the settings. */
  gtk_widget_activate_action (GTK_WIDGET (self), "win.add-folder", NULL);
}

/* ---- the dialog ------------------------------------------------------------------------- */

static void
hearth_preferences_dispose (GObject *object)
{
  HearthPreferences *self = HEARTH_PREFERENCES (object);

  g_clear_object (&self->settings);
  g_clear_pointer (&self->folder_rows, g_ptr_array_unref);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_PREFERENCES);
  G_OBJECT_CLASS (hearth_preferences_parent_class)->dispose (object);
}

static void
hearth_preferences_class_init (HearthPreferencesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hearth_preferences_dispose;
  g_type_ensure (HEARTH_TYPE_FIELD_ROW);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/preferences/hearth-preferences.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthPreferences, send_row);
  gtk_widget_class_bind_template_child (widget_class, HearthPreferences, wrap_row);
  gtk_widget_class_bind_template_child (widget_class, HearthPreferences, scale_row);
  gtk_widget_class_bind_template_child (widget_class, HearthPreferences, scale_spin);
  gtk_widget_class_bind_template_child (widget_class, HearthPreferences, context_row);
  gtk_widget_class_bind_template_child (widget_class, HearthPreferences, context_spin);
  gtk_widget_class_bind_template_child (widget_class, HearthPreferences, kv_row);
  gtk_widget_class_bind_template_child (widget_class, HearthPreferences, threads_row);
  gtk_widget_class_bind_template_child (widget_class, HearthPreferences, threads_spin);
  gtk_widget_class_bind_template_child (widget_class, HearthPreferences, folders_group);
  gtk_widget_class_bind_template_child (widget_class, HearthPreferences, add_row);
  gtk_widget_class_bind_template_callback (widget_class, send_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, add_folder_cb);
}

static void
hearth_preferences_init (HearthPreferences *self)
{
  self->folder_rows = g_ptr_array_new ();
  gtk_widget_init_template (GTK_WIDGET (self));
  hearth_spin_words_add (self->context_spin, 0, _ ("Automatic"));
  hearth_spin_words_add (self->threads_spin, 0, _ ("Automatic"));
}

/* A row whose setting somebody else has fixed says so, instead of taking what is not kept. */
static void
lock_row (HearthPreferences *self, gpointer row, const char *property)
{
  if (!hearth_settings_is_locked (self->settings, property))
    return;
  gtk_widget_set_sensitive (row, FALSE);
  adw_action_row_set_subtitle (row, _ ("Set by the administrator of this computer"));
}

static void
lock_rows (HearthPreferences *self)
{
  lock_row (self, self->send_row, "enter-sends");
  lock_row (self, self->wrap_row, "wrap-code");
  lock_row (self, self->scale_row, "text-scale");
  lock_row (self, self->context_row, "context-length");
  lock_row (self, self->kv_row, "kv-type");
  lock_row (self, self->threads_row, "threads");
  if (!hearth_settings_is_locked (self->settings, "model-folders"))
    return;
  gtk_widget_set_sensitive (GTK_WIDGET (self->folders_group), FALSE);
  adw_preferences_group_set_description (self->folders_group,
                                         _ ("Set by the administrator of this computer"));
}

AdwDialog *
hearth_preferences_new (HearthSettings *settings)
{
  HearthPreferences *self = g_object_new (HEARTH_TYPE_PREFERENCES, NULL);
  const GBindingFlags both = G_BINDING_SYNC_CREATE | G_BINDING_BIDIRECTIONAL;
  guint n_cores = hearth_hardware_get_n_cores ();
  g_autofree char *threads = NULL;

  threads = g_strdup_printf (ngettext ("Automatic: one per processor core, %u here",
                                       "Automatic: one per processor core, %u here", n_cores),
                             n_cores);
  adw_action_row_set_subtitle (self->threads_row, threads);
  adw_combo_row_set_selected (self->send_row, hearth_settings_get_enter_sends (settings) ? 0 : 1);
  self->settings = g_object_ref (settings);
  g_object_bind_property_full (settings, "text-scale", self->scale_spin, "value", both,
                               scale_to_percent, percent_to_scale, NULL, NULL);
  g_object_bind_property (settings, "wrap-code", self->wrap_row, "active", both);
  g_object_bind_property (settings, "context-length", self->context_spin, "value", both);
  g_object_bind_property (settings, "kv-type", self->kv_row, "selected", both);
  g_object_bind_property (settings, "threads", self->threads_spin, "value", both);
  g_signal_connect_object (settings, "notify::model-folders", G_CALLBACK (show_folders), self,
                           G_CONNECT_SWAPPED);
  show_folders (self);
  lock_rows (self);
  return ADW_DIALOG (self);
}
