/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-edit-dialog.h"

#include <string.h>

#include <glib/gi18n.h>

#include "hearth-alert.h"
#include "hearth-edit-key-page.h"
#include "hearth-edit-review-page.h"
#include "hearth-model-edit.h"

struct _HearthEditDialog
{
  AdwDialog parent_instance;

  AdwNavigationView *pages;
  AdwWindowTitle *window_title;
  GtkWidget *review_button;
  GtkSearchEntry *search_entry;
  GtkStack *stack;
  GtkNoSelection *selection;
  GtkListView *list;
  AdwNavigationPage *keys_page;

  HearthModelEdit *edit;
  GtkCustomFilter *filter;
  char *wanted; /* folded; NULL: any */
  gboolean saving;
};

G_DEFINE_FINAL_TYPE (HearthEditDialog, hearth_edit_dialog, ADW_TYPE_DIALOG)

/* ---- the list --------------------------------------------------------------------------- */

static gboolean
contains (const char *text, const char *folded_part)
{
  g_autofree char *folded = g_utf8_casefold (text, -1);

  return strstr (folded, folded_part) != NULL;
}

static gboolean
matches (gpointer item, gpointer data)
{
  HearthEditDialog *self = data;

  return self->wanted == NULL || contains (hearth_edit_key_get_name (item), self->wanted) ||
         contains (hearth_edit_key_get_value (item), self->wanted);
}

static void
items_changed_cb (HearthEditDialog *self)
{
  if (self->stack != NULL)
    gtk_stack_set_visible_child_name (
      self->stack, g_list_model_get_n_items (G_LIST_MODEL (self->selection)) > 0 ? "list" : "none");
}

static void
search_changed_cb (HearthEditDialog *self)
{
  const char *text;

  if (self->filter == NULL)
    return; /* being built, or disposed */
  text = gtk_editable_get_text (GTK_EDITABLE (self->search_entry));
  g_clear_pointer (&self->wanted, g_free);
  if (*text != '\0')
    self->wanted = g_utf8_casefold (text, -1);
  gtk_filter_changed (GTK_FILTER (self->filter), GTK_FILTER_CHANGE_DIFFERENT);
}

static void
key_activated_cb (HearthEditDialog *self, guint position)
{
  g_autoptr (HearthEditKey) key = g_list_model_get_item (G_LIST_MODEL (self->selection), position);

  if (key != NULL)
    adw_navigation_view_push (self->pages, hearth_edit_key_page_new (self->edit, key));
}

static void
changes_cb (HearthEditDialog *self)
{
  guint n = hearth_model_edit_get_n_changes (self->edit);

  gtk_widget_action_set_enabled (GTK_WIDGET (self), "edit.review", n > 0);
  adw_dialog_set_can_close (ADW_DIALOG (self), n == 0);
}

/* ---- actions ---------------------------------------------------------------------------- */

static void
add_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthEditDialog *self = HEARTH_EDIT_DIALOG (widget);

  adw_navigation_view_push (self->pages, hearth_edit_key_page_new (self->edit, NULL));
}

static void
saving_cb (HearthEditDialog *self, gboolean saving)
{
  self->saving = saving;
}

static void
saved_cb (HearthEditDialog *self, const char *path)
{
  g_autofree char *base = g_path_get_basename (path);
  g_autofree char *name = g_filename_display_name (base);
  g_autofree char *text = g_strdup_printf (_ ("“%s” saved"), name);

  gtk_widget_activate_action (GTK_WIDGET (self), "win.toast-file", "(ss)", text, path);
  adw_dialog_force_close (ADW_DIALOG (self));
}

static void
review_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthEditDialog *self = HEARTH_EDIT_DIALOG (widget);
  AdwNavigationPage *page = hearth_edit_review_page_new (self->edit);

  g_signal_connect_object (page, "saving", G_CALLBACK (saving_cb), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (page, "saved", G_CALLBACK (saved_cb), self, G_CONNECT_SWAPPED);
  adw_navigation_view_push (self->pages, page);
}

static void
find_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthEditDialog *self = HEARTH_EDIT_DIALOG (widget);

  if (adw_navigation_view_get_visible_page (self->pages) == self->keys_page)
    gtk_widget_grab_focus (GTK_WIDGET (self->search_entry));
}

/* ---- closing ---------------------------------------------------------------------------- */

static void
discard_chosen_cb (HearthEditDialog *self, const char *response)
{
  if (g_strcmp0 (response, "discard") == 0)
    adw_dialog_force_close (ADW_DIALOG (self));
}

static void
close_attempt_cb (AdwDialog *dialog)
{
  HearthEditDialog *self = HEARTH_EDIT_DIALOG (dialog);
  AdwDialog *question;

  question = hearth_alert_new (self->saving ? _ ("Stop Saving?") : _ ("Discard Changes?"),
                               self->saving ? _ ("The copy is not complete yet.")
                                            : _ ("The copy has not been saved."));
  adw_alert_dialog_add_responses (
    ADW_ALERT_DIALOG (question), "keep", self->saving ? _ ("_Keep Saving") : _ ("_Keep Editing"),
    "discard", self->saving ? _ ("_Stop and Discard") : _ ("_Discard"), NULL);
  adw_alert_dialog_set_response_appearance (ADW_ALERT_DIALOG (question), "discard",
                                            ADW_RESPONSE_DESTRUCTIVE);
  adw_alert_dialog_set_close_response (ADW_ALERT_DIALOG (question), "keep");
  adw_alert_dialog_set_default_response (ADW_ALERT_DIALOG (question), "keep");
  g_signal_connect_object (question, "response", G_CALLBACK (discard_chosen_cb), self,
                           G_CONNECT_SWAPPED);
  adw_dialog_present (question, GTK_WIDGET (self));
}

/* Also by force: what is being saved stops. */
static void
hearth_edit_dialog_closed (AdwDialog *dialog)
{
  HearthEditDialog *self = HEARTH_EDIT_DIALOG (dialog);
  AdwNavigationPage *page = adw_navigation_view_get_visible_page (self->pages);

  if (self->saving && HEARTH_IS_EDIT_REVIEW_PAGE (page))
    hearth_edit_review_page_stop (HEARTH_EDIT_REVIEW_PAGE (page));
}

/* ---- the widget ------------------------------------------------------------------------- */

static void
hearth_edit_dialog_dispose (GObject *object)
{
  HearthEditDialog *self = HEARTH_EDIT_DIALOG (object);

  g_clear_object (&self->filter);
  if (self->selection != NULL)
    gtk_no_selection_set_model (self->selection, NULL);
  g_clear_object (&self->edit);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_EDIT_DIALOG);
  G_OBJECT_CLASS (hearth_edit_dialog_parent_class)->dispose (object);
}

static void
hearth_edit_dialog_finalize (GObject *object)
{
  g_free (HEARTH_EDIT_DIALOG (object)->wanted);
  G_OBJECT_CLASS (hearth_edit_dialog_parent_class)->finalize (object);
}

static void
hearth_edit_dialog_class_init (HearthEditDialogClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  object_class->dispose = hearth_edit_dialog_dispose;
  object_class->finalize = hearth_edit_dialog_finalize;
  ADW_DIALOG_CLASS (klass)->closed = hearth_edit_dialog_closed;
  gtk_widget_class_install_action (widget_class, "edit.add", NULL, add_action);
  gtk_widget_class_install_action (widget_class, "edit.review", NULL, review_action);
  gtk_widget_class_install_action (widget_class, "edit.find", NULL, find_action);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_f, GDK_CONTROL_MASK, "edit.find",
                                       NULL);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-edit-dialog.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthEditDialog, pages);
  gtk_widget_class_bind_template_child (widget_class, HearthEditDialog, window_title);
  gtk_widget_class_bind_template_child (widget_class, HearthEditDialog, review_button);
  gtk_widget_class_bind_template_child (widget_class, HearthEditDialog, search_entry);
  gtk_widget_class_bind_template_child (widget_class, HearthEditDialog, stack);
  gtk_widget_class_bind_template_child (widget_class, HearthEditDialog, selection);
  gtk_widget_class_bind_template_child (widget_class, HearthEditDialog, list);
  gtk_widget_class_bind_template_child (widget_class, HearthEditDialog, keys_page);
  gtk_widget_class_bind_template_callback (widget_class, close_attempt_cb);
  gtk_widget_class_bind_template_callback (widget_class, key_activated_cb);
  gtk_widget_class_bind_template_callback (widget_class, search_changed_cb);
}

static void
hearth_edit_dialog_init (HearthEditDialog *self)
{
  g_type_ensure (HEARTH_TYPE_EDIT_KEY);
  gtk_widget_init_template (GTK_WIDGET (self));
}

AdwDialog *
hearth_edit_dialog_new (const char *path, HearthModelContents *contents)
{
  HearthEditDialog *self = g_object_new (HEARTH_TYPE_EDIT_DIALOG, NULL);
  g_autofree char *base = g_path_get_basename (path);
  g_autofree char *name = g_filename_display_name (base);
  GtkFilterListModel *filtered;

  self->edit = hearth_model_edit_new (path, hearth_model_contents_get_keys (contents));
  self->filter = gtk_custom_filter_new (matches, self, NULL);
  filtered = gtk_filter_list_model_new (G_LIST_MODEL (g_object_ref (self->edit)),
                                        GTK_FILTER (g_object_ref (self->filter)));
  g_signal_connect_object (filtered, "items-changed", G_CALLBACK (items_changed_cb), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  gtk_no_selection_set_model (self->selection, G_LIST_MODEL (filtered));
  g_object_unref (filtered);
  adw_window_title_set_subtitle (self->window_title, name);
  g_signal_connect_object (self->edit, "notify::n-changes", G_CALLBACK (changes_cb), self,
                           G_CONNECT_SWAPPED);
  changes_cb (self);
  return ADW_DIALOG (self);
}

void
hearth_edit_dialog_show_key (HearthEditDialog *self, HearthMetadataKey *key)
{
  GListModel *keys = G_LIST_MODEL (self->edit);

  g_return_if_fail (HEARTH_IS_EDIT_DIALOG (self));

  for (guint i = 0; i < g_list_model_get_n_items (keys); i++)
    {
      g_autoptr (HearthEditKey) at = g_list_model_get_item (keys, i);

      if (hearth_edit_key_get_original (at) == key)
        adw_navigation_view_push (self->pages, hearth_edit_key_page_new (self->edit, at));
    }
}
