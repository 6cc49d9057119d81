/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-value-dialog.h"

#include <glib/gi18n.h>

#include "hearth-words.h"

/* Elements on a page: soon made, and enough to look through. */
#define PAGE 500u

struct _HearthValueDialog
{
  AdwDialog parent_instance;

  AdwWindowTitle *window_title;
  GtkStack *stack;
  GtkTextView *text_view;
  GtkScrolledWindow *scroller;
  GtkColumnView *table;
  GtkWidget *pager;
  GtkSpinButton *page_spin;
  GtkAdjustment *page_adjustment;
  GtkLabel *range_label;

  HearthMetadataKey *key;
  GtkStringList *page; /* the elements that are shown */
  guint64 first;       /* which the first of them is, from 0 */
};

G_DEFINE_FINAL_TYPE (HearthValueDialog, hearth_value_dialog, ADW_TYPE_DIALOG)

/* ---- arrays ----------------------------------------------------------------------------- */

static void
setup_cell_cb (GtkSignalListItemFactory *factory, GtkColumnViewCell *cell, gpointer data)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), data != NULL ? 0 : 1);
  gtk_widget_add_css_class (label, data != NULL ? "monospace" : "dimmed");
  if (data != NULL)
    gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  else
    gtk_widget_add_css_class (label, "numeric");
  gtk_column_view_cell_set_child (cell, label);
}

static void
bind_number_cb (HearthValueDialog *self, GtkColumnViewCell *cell)
{
  guint64 number = self->first + gtk_column_view_cell_get_position (cell);
  g_autofree char *text = hearth_words_for_number (number);

  gtk_label_set_text (GTK_LABEL (gtk_column_view_cell_get_child (cell)), text);
}

static void
bind_value_cb (HearthValueDialog *self, GtkColumnViewCell *cell)
{
  GtkWidget *label = gtk_column_view_cell_get_child (cell);
  const char *text = gtk_string_object_get_string (gtk_column_view_cell_get_item (cell));

  gtk_label_set_text (GTK_LABEL (label), text);
}

static void
add_column (HearthValueDialog *self, const char *title, gboolean is_value)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkColumnViewColumn *column;

  g_signal_connect (factory, "setup", G_CALLBACK (setup_cell_cb), GINT_TO_POINTER (is_value));
  g_signal_connect_object (factory, "bind",
                           is_value ? G_CALLBACK (bind_value_cb) : G_CALLBACK (bind_number_cb),
                           self, G_CONNECT_SWAPPED);
  column = gtk_column_view_column_new (title, factory);
  gtk_column_view_column_set_expand (column, is_value);
  gtk_column_view_append_column (self->table, column);
  g_object_unref (column);
}

static void
page_changed_cb (HearthValueDialog *self)
{
  guint64 length, n;
  guint page;
  g_autoptr (GPtrArray) texts = NULL;
  g_autofree char *from = NULL;
  g_autofree char *to = NULL;
  g_autofree char *all = NULL;
  g_autofree char *range = NULL;

  if (self->key == NULL)
    return; /* being built */
  length = hearth_metadata_key_get_length (self->key);
  page = (guint) gtk_spin_button_get_value_as_int (self->page_spin) - 1;
  self->first = (guint64) page * PAGE;
  n = self->first < length ? MIN (PAGE, length - self->first) : 0;
  texts = g_ptr_array_new_with_free_func (g_free);
  for (guint64 i = 0; i < n; i++)
    g_ptr_array_add (texts, hearth_metadata_key_dup_element (self->key, self->first + i));
  g_ptr_array_add (texts, NULL);
  gtk_string_list_splice (self->page, 0, g_list_model_get_n_items (G_LIST_MODEL (self->page)),
                          (const char *const *) texts->pdata);
  gtk_adjustment_set_value (gtk_scrolled_window_get_vadjustment (self->scroller), 0);

  from = hearth_words_for_number (self->first);
  to = hearth_words_for_number (self->first + (n > 0 ? n - 1 : 0));
  all = hearth_words_for_number (length);
  /* Translators: which elements of an array a page shows, and how many it has */
  range = g_strdup_printf (_ ("%1$s–%2$s of %3$s"), from, to, all);
  gtk_label_set_text (self->range_label, range);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "value.previous", page > 0);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "value.next", self->first + n < length);
}

static void
previous_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  gtk_spin_button_spin (HEARTH_VALUE_DIALOG (widget)->page_spin, GTK_SPIN_STEP_BACKWARD, 1);
}

static void
next_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  gtk_spin_button_spin (HEARTH_VALUE_DIALOG (widget)->page_spin, GTK_SPIN_STEP_FORWARD, 1);
}

static void
copy_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthValueDialog *self = HEARTH_VALUE_DIALOG (widget);
  g_autoptr (GString) text = g_string_new (NULL);

  if (hearth_metadata_key_is_array (self->key))
    {
      for (guint i = 0; i < g_list_model_get_n_items (G_LIST_MODEL (self->page)); i++)
        g_string_append_printf (text, "%s\n", gtk_string_list_get_string (self->page, i));
    }
  else
    {
      g_autofree char *whole = hearth_metadata_key_dup_text (self->key);

      g_string_assign (text, whole);
    }
  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget), text->str);
}

/* ---- the widget ------------------------------------------------------------------------- */

static void
hearth_value_dialog_dispose (GObject *object)
{
  HearthValueDialog *self = HEARTH_VALUE_DIALOG (object);

  g_clear_object (&self->key);
  g_clear_object (&self->page);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_VALUE_DIALOG);
  G_OBJECT_CLASS (hearth_value_dialog_parent_class)->dispose (object);
}

static void
hearth_value_dialog_class_init (HearthValueDialogClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hearth_value_dialog_dispose;
  gtk_widget_class_install_action (widget_class, "value.copy", NULL, copy_action);
  gtk_widget_class_install_action (widget_class, "value.previous", NULL, previous_action);
  gtk_widget_class_install_action (widget_class, "value.next", NULL, next_action);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Left, GDK_ALT_MASK, "value.previous",
                                       NULL);
  gtk_widget_class_add_binding_action (widget_class, GDK_KEY_Right, GDK_ALT_MASK, "value.next",
                                       NULL);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-value-dialog.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthValueDialog, window_title);
  gtk_widget_class_bind_template_child (widget_class, HearthValueDialog, stack);
  gtk_widget_class_bind_template_child (widget_class, HearthValueDialog, text_view);
  gtk_widget_class_bind_template_child (widget_class, HearthValueDialog, scroller);
  gtk_widget_class_bind_template_child (widget_class, HearthValueDialog, table);
  gtk_widget_class_bind_template_child (widget_class, HearthValueDialog, pager);
  gtk_widget_class_bind_template_child (widget_class, HearthValueDialog, page_spin);
  gtk_widget_class_bind_template_child (widget_class, HearthValueDialog, page_adjustment);
  gtk_widget_class_bind_template_child (widget_class, HearthValueDialog, range_label);
  gtk_widget_class_bind_template_callback (widget_class, page_changed_cb);
}

static void
hearth_value_dialog_init (HearthValueDialog *self)
{
  GtkNoSelection *selection;

  gtk_widget_init_template (GTK_WIDGET (self));
  self->page = gtk_string_list_new (NULL);
  add_column (self, _ ("No."), FALSE);
  add_column (self, _ ("Value"), TRUE);
  selection = gtk_no_selection_new (G_LIST_MODEL (g_object_ref (self->page)));
  gtk_column_view_set_model (self->table, GTK_SELECTION_MODEL (selection));
  g_object_unref (selection);
}

AdwDialog *
hearth_value_dialog_new (HearthMetadataKey *key)
{
  HearthValueDialog *self = g_object_new (HEARTH_TYPE_VALUE_DIALOG, NULL);
  const char *meaning = hearth_metadata_key_get_meaning (key);
  gboolean is_array = hearth_metadata_key_is_array (key);
  guint64 length = hearth_metadata_key_get_length (key);

  self->key = g_object_ref (key);
  adw_dialog_set_title (ADW_DIALOG (self), hearth_metadata_key_get_name (key));
  adw_window_title_set_title (self->window_title, hearth_metadata_key_get_name (key));
  adw_window_title_set_subtitle (
    self->window_title, meaning != NULL ? meaning : hearth_metadata_key_get_type_name (key));
  gtk_stack_set_visible_child_name (self->stack, is_array ? "array" : "text");
  gtk_widget_set_visible (self->pager, is_array && length > PAGE);
  if (is_array)
    {
      guint64 n_pages = MAX (1, length / PAGE + (length % PAGE != 0));

      gtk_adjustment_set_upper (self->page_adjustment, (double) MIN (n_pages, G_MAXINT));
      page_changed_cb (self);
    }
  else
    {
      g_autofree char *text = hearth_metadata_key_dup_text (key);

      gtk_text_buffer_set_text (gtk_text_view_get_buffer (self->text_view), text, -1);
    }
  return ADW_DIALOG (self);
}
