/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-metadata-view.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "hearth-edit-dialog.h"
#include "hearth-export.h"
#include "hearth-focus.h"
#include "hearth-metadata-export.h"
#include "hearth-metadata-key.h"
#include "hearth-shortcuts.h"
#include "hearth-table-stack.h"
#include "hearth-table.h"
#include "hearth-value-dialog.h"
#include "hearth-words.h"

enum column
{
  COLUMN_KEY,
  COLUMN_TYPE,
  COLUMN_VALUE,
};

struct _HearthMetadataView
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkSearchEntry *search_entry;
  GtkLabel *count_label;
  HearthTableStack *stack;
  GtkColumnView *table;

  HearthModelFile *model;
  HearthModelContents *contents;
  GListModel *keys;
  GtkCustomFilter *filter;
  GtkFilterListModel *filtered;
  char *wanted; /* folded; NULL: any */
};

static void model_view_init (HearthModelViewInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (HearthMetadataView, hearth_metadata_view, GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (HEARTH_TYPE_MODEL_VIEW, model_view_init))

/* ---- cells ------------------------------------------------------------------------------ */

static GtkWidget *
create_label (const char *css_class)
{
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (label), 0);
  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  if (css_class != NULL)
    gtk_widget_add_css_class (label, css_class);
  return label;
}

static void
setup_key_cb (GtkSignalListItemFactory *factory, GtkColumnViewCell *cell, gpointer data)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  GtkWidget *meaning = create_label ("dimmed");
  GtkWidget *name = create_label (NULL);

  gtk_label_set_ellipsize (GTK_LABEL (name), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_width_chars (GTK_LABEL (name), 16);
  gtk_widget_add_css_class (meaning, "caption");
  gtk_widget_set_valign (box, GTK_ALIGN_CENTER);
  gtk_box_append (GTK_BOX (box), name);
  gtk_box_append (GTK_BOX (box), meaning);
  gtk_column_view_cell_set_child (cell, box);
}

static void
bind_key_cb (GtkSignalListItemFactory *factory, GtkColumnViewCell *cell, gpointer data)
{
  HearthMetadataKey *key = gtk_column_view_cell_get_item (cell);
  GtkWidget *name = gtk_widget_get_first_child (gtk_column_view_cell_get_child (cell));
  GtkWidget *meaning = gtk_widget_get_next_sibling (name);
  const char *text = hearth_metadata_key_get_meaning (key);

  gtk_label_set_text (GTK_LABEL (name), hearth_metadata_key_get_name (key));
  gtk_widget_set_tooltip_text (name, hearth_metadata_key_get_name (key));
  gtk_label_set_text (GTK_LABEL (meaning), text != NULL ? text : "");
  gtk_widget_set_tooltip_text (meaning, text);
  gtk_widget_set_visible (meaning, text != NULL);
}

static void
setup_label_cb (GtkSignalListItemFactory *factory, GtkColumnViewCell *cell, gpointer data)
{
  gboolean is_value = GPOINTER_TO_UINT (data) == COLUMN_VALUE;
  GtkWidget *label = create_label (is_value ? "numeric" : "dimmed");

  if (is_value)
    gtk_label_set_width_chars (GTK_LABEL (label), 10);
  else
    gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_NONE);
  gtk_column_view_cell_set_child (cell, label);
}

/* Of an array first how long it is. */
static char *
dup_value (HearthMetadataKey *key)
{
  g_autofree char *length = NULL;

  if (!hearth_metadata_key_is_array (key))
    return g_strdup (hearth_metadata_key_get_value (key));
  length = hearth_words_for_number (hearth_metadata_key_get_length (key));
  /* Translators: how many values an array has, then the first of them: "49,152: a, b, c, …" */
  return g_strdup_printf (_ ("%1$s: %2$s"), length, hearth_metadata_key_get_value (key));
}

static void
bind_label_cb (GtkSignalListItemFactory *factory, GtkColumnViewCell *cell, gpointer data)
{
  HearthMetadataKey *key = gtk_column_view_cell_get_item (cell);
  GtkLabel *label = GTK_LABEL (gtk_column_view_cell_get_child (cell));

  if (GPOINTER_TO_UINT (data) == COLUMN_VALUE)
    {
      g_autofree char *value = dup_value (key);
      g_autofree char *shown = hearth_words_in_order (value);

      gtk_label_set_text (label, shown);
    }
  else
    gtk_label_set_text (label, hearth_metadata_key_get_type_name (key));
}

/* What voice output says of a row. */
static void
bind_row_cb (GtkSignalListItemFactory *factory, GtkColumnViewRow *row, gpointer data)
{
  HearthMetadataKey *key = gtk_column_view_row_get_item (row);
  const char *meaning = hearth_metadata_key_get_meaning (key);
  g_autofree char *value = dup_value (key);
  g_autofree char *label = g_strdup_printf ("%s: %s", hearth_metadata_key_get_name (key), value);

  gtk_column_view_row_set_accessible_label (row, label);
  gtk_column_view_row_set_accessible_description (row, meaning != NULL ? meaning : "");
}

/* ---- searching -------------------------------------------------------------------------- */

static gboolean
matches (gpointer item, gpointer data)
{
  HearthMetadataView *self = data;

  return self->wanted == NULL ||
         hearth_table_contains (hearth_metadata_key_get_name (item), self->wanted) ||
         hearth_table_contains (hearth_metadata_key_get_value (item), self->wanted) ||
         hearth_table_contains (hearth_metadata_key_get_meaning (item), self->wanted);
}

static void
filter_changed_cb (HearthMetadataView *self)
{
  const char *text;

  if (self->filter == NULL)
    return; /* being disposed */
  text = gtk_editable_get_text (GTK_EDITABLE (self->search_entry));
  g_clear_pointer (&self->wanted, g_free);
  if (*text != '\0')
    self->wanted = g_utf8_casefold (text, -1);
  gtk_filter_changed (GTK_FILTER (self->filter), GTK_FILTER_CHANGE_DIFFERENT);
}

static void
update_count (HearthMetadataView *self)
{
  g_autofree char *all = NULL;
  g_autofree char *shown = NULL;
  g_autofree char *text = NULL;
  guint n, n_shown;

  if (self->filtered == NULL)
    return;
  if (self->keys == NULL)
    {
      hearth_table_stack_show_reading (self->stack);
      gtk_label_set_text (self->count_label, "");
      return;
    }
  n = g_list_model_get_n_items (self->keys);
  n_shown = g_list_model_get_n_items (G_LIST_MODEL (self->filtered));
  all = hearth_words_for_number (n);
  shown = hearth_words_for_number (n_shown);
  if (n_shown == n)
    text = g_strdup_printf (ngettext ("%s key", "%s keys", n), all);
  else
    /* Translators: "3 of 33 keys" */
    text = g_strdup_printf (ngettext ("%1$s of %2$s key", "%1$s of %2$s keys", n), shown, all);
  gtk_label_set_text (self->count_label, text);
  /* Where there is nothing to find, no other name helps. */
  g_object_set (self->stack, "title", n > 0 ? _ ("No Key Found") : _ ("No Keys"), "description",
                n > 0 ? _ ("Search looks at keys, values and meanings.")
                      : _ ("This file says nothing about itself."),
                NULL);
  hearth_table_stack_show_filtered (self->stack, self->filtered);
}

static void
key_activated_cb (HearthMetadataView *self, guint position)
{
  GListModel *list = G_LIST_MODEL (gtk_column_view_get_model (self->table));
  g_autoptr (HearthMetadataKey) key = g_list_model_get_item (list, position);

  if (key != NULL)
    adw_dialog_present (hearth_value_dialog_new (key), GTK_WIDGET (self));
}

/* ---- actions ---------------------------------------------------------------------------- */

static HearthMetadataKey *
get_selected (HearthMetadataView *self)
{
  GtkSelectionModel *selection = gtk_column_view_get_model (self->table);

  return gtk_single_selection_get_selected_item (GTK_SINGLE_SELECTION (selection));
}

static void
update_actions (HearthMetadataView *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  gboolean any;

  if (self->filtered == NULL)
    return; /* being disposed */
  any = get_selected (self) != NULL;
  gtk_widget_action_set_enabled (widget, "metadata.copy-value", any);
  gtk_widget_action_set_enabled (widget, "metadata.copy-name", any);
  gtk_widget_action_set_enabled (widget, "metadata.show-bytes", any);
  gtk_widget_action_set_enabled (widget, "metadata.edit", any);
  gtk_widget_action_set_enabled (widget, "metadata.export-csv", self->contents != NULL);
  gtk_widget_action_set_enabled (widget, "metadata.export-json", self->contents != NULL);
}

static char *
dup_copy (gpointer object, gpointer item)
{
  return hearth_metadata_key_is_array (item) ? hearth_metadata_key_dup_written (item)
                                             : hearth_metadata_key_dup_text (item);
}

static void
copy_value_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthMetadataKey *key = get_selected (HEARTH_METADATA_VIEW (widget));

  if (key != NULL)
    hearth_export_copy (widget, dup_copy (NULL, key));
}

static void
copy_name_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthMetadataKey *key = get_selected (HEARTH_METADATA_VIEW (widget));

  if (key != NULL)
    hearth_export_copy (widget, hearth_metadata_key_dup_exact_name (key));
}

static gboolean
show_bytes (gpointer object, gpointer item)
{
  return gtk_widget_activate_action (object, "model.show-bytes", "s",
                                     hearth_metadata_key_get_name (item));
}

static void
show_bytes_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthMetadataKey *key = get_selected (HEARTH_METADATA_VIEW (widget));

  if (key != NULL)
    show_bytes (widget, key);
}

static void
edit_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthMetadataView *self = HEARTH_METADATA_VIEW (widget);
  HearthMetadataKey *key = get_selected (self);
  AdwDialog *dialog;

  if (key == NULL || self->model == NULL || self->contents == NULL)
    return;
  dialog = hearth_edit_dialog_new (hearth_model_file_get_path (self->model), self->contents);
  hearth_edit_dialog_show_key (HEARTH_EDIT_DIALOG (dialog), key);
  adw_dialog_present (dialog, widget);
}

struct export
{
  HearthMetadataView *view;
  char *name;
};

static void
exported_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  struct export *export = user_data;
  g_autoptr (HearthMetadataView) self = export->view;
  g_autofree char *name = export->name;
  g_autoptr (GError) error = NULL;
  GBytes *bytes = hearth_metadata_export_finish (result, &error);

  g_free (export);
  if (bytes != NULL && gtk_widget_get_root (GTK_WIDGET (self)) != NULL)
    hearth_export_save (GTK_WIDGET (self), name, bytes);
  else if (bytes != NULL)
    g_bytes_unref (bytes);
  else
    gtk_widget_activate_action (GTK_WIDGET (self), "win.toast", "s", error->message);
}

static void
export_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthMetadataView *self = HEARTH_METADATA_VIEW (widget);
  gboolean csv = g_str_has_suffix (name, "csv");
  g_autoptr (HearthMetadataKey) first = NULL;
  struct export *export;

  first = self->keys != NULL ? g_list_model_get_item (self->keys, 0) : NULL;
  if (first == NULL || self->model == NULL)
    return;
  export = g_new0 (struct export, 1);
  export->view = g_object_ref (self);
  export->name = hearth_export_name (hearth_model_file_get_path (self->model),
                                     csv ? "-metadata.csv" : "-metadata.json");
  hearth_metadata_export_async (hearth_metadata_key_get_gguf (first),
                                csv ? HEARTH_TABLE_CSV : HEARTH_TABLE_JSON, exported_cb, export);
}

/* ---- as a view of the page -------------------------------------------------------------- */

static void
show_model (HearthModelView *view, HearthModelFile *model)
{
  g_set_object (&HEARTH_METADATA_VIEW (view)->model, model);
}

static void
show_contents (HearthModelView *view, HearthModelContents *contents)
{
  HearthMetadataView *self = HEARTH_METADATA_VIEW (view);
  GListModel *keys = contents != NULL ? hearth_model_contents_get_keys (contents) : NULL;

  gtk_editable_set_text (GTK_EDITABLE (self->search_entry), "");
  g_clear_pointer (&self->wanted, g_free);
  gtk_filter_changed (GTK_FILTER (self->filter), GTK_FILTER_CHANGE_LESS_STRICT);
  g_set_object (&self->contents, contents);
  g_set_object (&self->keys, keys);
  gtk_filter_list_model_set_model (self->filtered, keys);
  update_count (self);
  update_actions (self);
}

static gboolean
find (HearthModelView *view)
{
  return gtk_widget_grab_focus (GTK_WIDGET (HEARTH_METADATA_VIEW (view)->search_entry));
}

/* By its name: the table is left with this key alone. */
static void
reveal (HearthModelView *view, const char *what)
{
  gtk_editable_set_text (GTK_EDITABLE (HEARTH_METADATA_VIEW (view)->search_entry), what);
}

static void
model_view_init (HearthModelViewInterface *iface)
{
  iface->reveal = reveal;
  iface->show_model = show_model;
  iface->show_contents = show_contents;
  iface->find = find;
}

/* ---- the widget ------------------------------------------------------------------------- */

static void
add_column (HearthMetadataView *self, enum column id, const char *title)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  gpointer data = GUINT_TO_POINTER (id);

  g_signal_connect (factory, "setup",
                    id == COLUMN_KEY ? G_CALLBACK (setup_key_cb) : G_CALLBACK (setup_label_cb),
                    data);
  g_signal_connect (factory, "bind",
                    id == COLUMN_KEY ? G_CALLBACK (bind_key_cb) : G_CALLBACK (bind_label_cb), data);
  hearth_table_add_column (self->table, title, factory, id != COLUMN_TYPE, NULL);
}

static void
hearth_metadata_view_dispose (GObject *object)
{
  HearthMetadataView *self = HEARTH_METADATA_VIEW (object);

  g_clear_object (&self->filter);
  g_clear_object (&self->model);
  g_clear_object (&self->contents);
  g_clear_object (&self->keys);
  if (self->table != NULL)
    gtk_column_view_set_model (self->table, NULL);
  g_clear_object (&self->filtered);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_METADATA_VIEW);
  G_OBJECT_CLASS (hearth_metadata_view_parent_class)->dispose (object);
}

static void
hearth_metadata_view_finalize (GObject *object)
{
  g_free (HEARTH_METADATA_VIEW (object)->wanted);
  G_OBJECT_CLASS (hearth_metadata_view_parent_class)->finalize (object);
}

static void
hearth_metadata_view_class_init (HearthMetadataViewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  object_class->dispose = hearth_metadata_view_dispose;
  object_class->finalize = hearth_metadata_view_finalize;
  gtk_widget_class_install_action (widget_class, "metadata.copy-value", NULL, copy_value_action);
  gtk_widget_class_install_action (widget_class, "metadata.copy-name", NULL, copy_name_action);
  gtk_widget_class_install_action (widget_class, "metadata.show-bytes", NULL, show_bytes_action);
  gtk_widget_class_install_action (widget_class, "metadata.edit", NULL, edit_action);
  gtk_widget_class_install_action (widget_class, "metadata.export-csv", NULL, export_action);
  gtk_widget_class_install_action (widget_class, "metadata.export-json", NULL, export_action);
  g_type_ensure (HEARTH_TYPE_TABLE_STACK);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-metadata-view.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthMetadataView, root);
  gtk_widget_class_bind_template_child (widget_class, HearthMetadataView, search_entry);
  gtk_widget_class_bind_template_child (widget_class, HearthMetadataView, count_label);
  gtk_widget_class_bind_template_child (widget_class, HearthMetadataView, stack);
  gtk_widget_class_bind_template_child (widget_class, HearthMetadataView, table);
  gtk_widget_class_bind_template_callback (widget_class, filter_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, key_activated_cb);
}

static void
hearth_metadata_view_init (HearthMetadataView *self)
{
  GtkSingleSelection *selection;

  gtk_widget_init_template (GTK_WIDGET (self));
  self->filter = gtk_custom_filter_new (matches, self, NULL);
  self->filtered =
    hearth_table_filter_new (GTK_FILTER (self->filter), G_CALLBACK (update_count), self);
  add_column (self, COLUMN_KEY, _ ("Key"));
  add_column (self, COLUMN_TYPE, _ ("Type"));
  add_column (self, COLUMN_VALUE, _ ("Value"));
  selection =
    hearth_table_set_list (self->table, G_LIST_MODEL (self->filtered), G_CALLBACK (bind_row_cb));
  g_signal_connect_object (selection, "notify::selected-item", G_CALLBACK (update_actions), self,
                           G_CONNECT_SWAPPED);
  hearth_table_add_copy (self->table, dup_copy, self);
  hearth_table_add_key (self->table, hearth_shortcuts_get_keys ("metadata.show-bytes"), show_bytes,
                        self);
  update_count (self);
  update_actions (self);
}
