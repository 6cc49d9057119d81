/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-tensor-table.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "hearth-export.h"
#include "hearth-focus.h"
#include "hearth-table-stack.h"
#include "hearth-table.h"
#include "hearth-tensor-export.h"
#include "hearth-tensor.h"
#include "hearth-words.h"

enum column
{
  COLUMN_NAME,
  COLUMN_TYPE,
  COLUMN_SHAPE,
  COLUMN_ELEMENTS,
  COLUMN_SIZE,
  N_COLUMNS
};

struct _HearthTensorTable
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkSearchEntry *search_entry;
  GtkDropDown *type_drop_down;
  GtkLabel *count_label;
  HearthTableStack *stack;
  GtkColumnView *table;

  GListModel *tensors;
  GtkStringList *types; /* the first is "all of them" */
  GtkCustomFilter *filter;
  GtkFilterListModel *filtered;
  GtkSortListModel *sorted;
  char *wanted_name;       /* folded; NULL: any */
  const char *wanted_type; /* interned; NULL: any */
};

G_DEFINE_FINAL_TYPE (HearthTensorTable, hearth_tensor_table, GTK_TYPE_WIDGET)

static guint open_signal;

/* ---- cells ------------------------------------------------------------------------------ */

static char *
dup_cell (HearthTensor *tensor, enum column column)
{
  switch (column)
    {
    case COLUMN_NAME:
      return g_strdup (hearth_tensor_get_name (tensor));
    case COLUMN_TYPE:
      return g_strdup (hearth_tensor_get_type_name (tensor));
    case COLUMN_SHAPE:
      return hearth_words_in_order (hearth_tensor_get_shape (tensor));
    case COLUMN_ELEMENTS:
      return hearth_words_for_number (hearth_tensor_get_n_elements (tensor));
    case COLUMN_SIZE:
      return hearth_words_for_size (hearth_tensor_get_n_bytes (tensor));
    case N_COLUMNS:
    default:
      g_assert_not_reached ();
    }
}

static void
setup_cell_cb (GtkSignalListItemFactory *factory, GtkColumnViewCell *cell, gpointer data)
{
  enum column column = (enum column) GPOINTER_TO_UINT (data);
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
  gtk_label_set_xalign (GTK_LABEL (label), column >= COLUMN_ELEMENTS ? 1 : 0);
  if (column == COLUMN_NAME)
    gtk_label_set_width_chars (GTK_LABEL (label), 18);
  else
    {
      gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_NONE);
      gtk_widget_add_css_class (label, "numeric");
    }
  gtk_column_view_cell_set_child (cell, label);
}

static void
bind_cell_cb (GtkSignalListItemFactory *factory, GtkColumnViewCell *cell, gpointer data)
{
  enum column column = (enum column) GPOINTER_TO_UINT (data);
  HearthTensor *tensor = gtk_column_view_cell_get_item (cell);
  GtkWidget *label = gtk_column_view_cell_get_child (cell);
  g_autofree char *text = dup_cell (tensor, column);

  gtk_label_set_text (GTK_LABEL (label), text);
  if (column == COLUMN_NAME)
    gtk_widget_set_tooltip_text (label, text);
  else if (column == COLUMN_SIZE)
    {
      g_autofree char *exact = hearth_words_for_exact_size (hearth_tensor_get_n_bytes (tensor));

      gtk_widget_set_tooltip_text (label, exact);
    }
}

/* What voice output says of a row. */
static void
bind_row_cb (GtkSignalListItemFactory *factory, GtkColumnViewRow *row, gpointer data)
{
  HearthTensor *tensor = gtk_column_view_row_get_item (row);
  g_autofree char *size = hearth_words_for_size (hearth_tensor_get_n_bytes (tensor));
  g_autofree char *details = g_strdup_printf ("%s, %s, %s", hearth_tensor_get_type_name (tensor),
                                              hearth_tensor_get_shape (tensor), size);

  gtk_column_view_row_set_accessible_label (row, hearth_tensor_get_name (tensor));
  gtk_column_view_row_set_accessible_description (row, details);
}

/* ---- sorting and filtering -------------------------------------------------------------- */

static int
compare (gconstpointer a, gconstpointer b, gpointer data)
{
  HearthTensor *x = (HearthTensor *) a;
  HearthTensor *y = (HearthTensor *) b;

  switch ((enum column) GPOINTER_TO_UINT (data))
    {
    case COLUMN_TYPE:
      return g_strcmp0 (hearth_tensor_get_type_name (x), hearth_tensor_get_type_name (y));
    case COLUMN_ELEMENTS:
      return hearth_table_compare_numbers (hearth_tensor_get_n_elements (x),
                                           hearth_tensor_get_n_elements (y));
    case COLUMN_SIZE:
      return hearth_table_compare_numbers (hearth_tensor_get_n_bytes (x),
                                           hearth_tensor_get_n_bytes (y));
    case COLUMN_NAME:
    case COLUMN_SHAPE:
    case N_COLUMNS:
    default:
      return hearth_tensor_compare_names (x, y);
    }
}

static gboolean
matches (gpointer item, gpointer data)
{
  HearthTensorTable *self = data;
  HearthTensor *tensor = item;

  if (self->wanted_type != NULL && hearth_tensor_get_type_name (tensor) != self->wanted_type)
    return FALSE;
  return self->wanted_name == NULL ||
         hearth_table_contains (hearth_tensor_get_name (tensor), self->wanted_name);
}

static void
filter_changed_cb (HearthTensorTable *self)
{
  const char *text;
  guint selected;

  if (self->filter == NULL)
    return; /* being built, or disposed */
  text = gtk_editable_get_text (GTK_EDITABLE (self->search_entry));
  selected = gtk_drop_down_get_selected (self->type_drop_down);
  g_clear_pointer (&self->wanted_name, g_free);
  if (*text != '\0')
    self->wanted_name = g_utf8_casefold (text, -1);
  self->wanted_type = selected != GTK_INVALID_LIST_POSITION && selected > 0
                        ? g_intern_string (gtk_string_list_get_string (self->types, selected))
                        : NULL;
  gtk_filter_changed (GTK_FILTER (self->filter), GTK_FILTER_CHANGE_DIFFERENT);
}

static void
update_count (HearthTensorTable *self)
{
  g_autofree char *text = NULL;
  g_autofree char *all = NULL;
  g_autofree char *shown = NULL;
  guint n, n_shown;

  if (self->filtered == NULL)
    return;
  if (self->tensors == NULL)
    {
      hearth_table_stack_show_reading (self->stack);
      gtk_label_set_text (self->count_label, "");
      return;
    }
  n = g_list_model_get_n_items (self->tensors);
  n_shown = g_list_model_get_n_items (G_LIST_MODEL (self->filtered));
  all = hearth_words_for_number (n);
  shown = hearth_words_for_number (n_shown);
  if (n_shown == n)
    text = g_strdup_printf (ngettext ("%s tensor", "%s tensors", n), all);
  else
    /* Translators: "81 of 272 tensors" */
    text =
      g_strdup_printf (ngettext ("%1$s of %2$s tensor", "%1$s of %2$s tensors", n), shown, all);
  gtk_label_set_text (self->count_label, text);
  /* Where there is nothing to find, no other name helps. */
  g_object_set (
    self->stack, "title", n > 0 ? _ ("No Tensor Found") : _ ("No Tensors"), "description",
    n > 0 ? _ ("Try another name or type.") : _ ("This file holds nothing but keys."), NULL);
  hearth_table_stack_show_filtered (self->stack, self->filtered);
}

/* ---- actions ---------------------------------------------------------------------------- */

static void
activated_cb (HearthTensorTable *self, guint position)
{
  g_autoptr (HearthTensor) tensor = g_list_model_get_item (G_LIST_MODEL (self->sorted), position);

  if (tensor != NULL)
    g_signal_emit (self, open_signal, 0, tensor);
}

/* Its cells, as a spreadsheet takes them. */
static char *
dup_row (gpointer object, gpointer item)
{
  HearthTensor *tensor = item;

  return g_strdup_printf ("%s\t%s\t%s\t%" G_GUINT64_FORMAT "\t%" G_GUINT64_FORMAT,
                          hearth_tensor_get_name (tensor), hearth_tensor_get_type_name (tensor),
                          hearth_tensor_get_shape (tensor), hearth_tensor_get_n_elements (tensor),
                          hearth_tensor_get_n_bytes (tensor));
}

/* What the table shows, in its order. */
static void
export_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthTensorTable *self = HEARTH_TENSOR_TABLE (widget);
  gboolean json = g_str_equal (g_variant_get_string (parameter, NULL), "json");
  GBytes *text =
    hearth_tensor_export (G_LIST_MODEL (self->sorted), json ? HEARTH_TABLE_JSON : HEARTH_TABLE_CSV);

  hearth_export_save (widget, json ? "tensors.json" : "tensors.csv", text);
}

/* ---- the widget ------------------------------------------------------------------------- */

static void
add_column (HearthTensorTable *self, enum column id, const char *title, gboolean sortable)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkSorter *sorter = NULL;

  g_signal_connect (factory, "setup", G_CALLBACK (setup_cell_cb), GUINT_TO_POINTER (id));
  g_signal_connect (factory, "bind", G_CALLBACK (bind_cell_cb), GUINT_TO_POINTER (id));
  if (sortable)
    sorter = GTK_SORTER (gtk_custom_sorter_new (compare, GUINT_TO_POINTER (id), NULL));
  hearth_table_add_column (self->table, title, factory, id == COLUMN_NAME, sorter);
}

/* The heading of numbers stands over them, at the end. GTK has no property for it: the headings are
 * the children of the header, in the order of the columns. */
static void
align_headings (HearthTensorTable *self)
{
  GtkWidget *header = gtk_widget_get_first_child (GTK_WIDGET (self->table));
  GtkWidget *heading = header != NULL ? gtk_widget_get_first_child (header) : NULL;

  for (guint column = 0; column < N_COLUMNS && heading != NULL; column++)
    {
      GtkWidget *box = gtk_widget_get_first_child (heading);

      if (column >= COLUMN_ELEMENTS && box != NULL)
        gtk_widget_set_halign (box, GTK_ALIGN_END);
      heading = gtk_widget_get_next_sibling (heading);
    }
}

static void
hearth_tensor_table_dispose (GObject *object)
{
  HearthTensorTable *self = HEARTH_TENSOR_TABLE (object);

  g_clear_object (&self->filter);
  g_clear_object (&self->tensors);
  if (self->table != NULL)
    gtk_column_view_set_model (self->table, NULL);
  g_clear_object (&self->sorted);
  g_clear_object (&self->filtered);
  g_clear_object (&self->types);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_TENSOR_TABLE);
  G_OBJECT_CLASS (hearth_tensor_table_parent_class)->dispose (object);
}

static void
hearth_tensor_table_finalize (GObject *object)
{
  g_free (HEARTH_TENSOR_TABLE (object)->wanted_name);
  G_OBJECT_CLASS (hearth_tensor_table_parent_class)->finalize (object);
}

static void
hearth_tensor_table_class_init (HearthTensorTableClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  object_class->dispose = hearth_tensor_table_dispose;
  object_class->finalize = hearth_tensor_table_finalize;
  open_signal = g_signal_new ("open", HEARTH_TYPE_TENSOR_TABLE, G_SIGNAL_RUN_LAST, 0, NULL, NULL,
                              NULL, G_TYPE_NONE, 1, HEARTH_TYPE_TENSOR);
  gtk_widget_class_install_action (widget_class, "table.export", "s", export_action);
  g_type_ensure (HEARTH_TYPE_TABLE_STACK);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-tensor-table.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthTensorTable, root);
  gtk_widget_class_bind_template_child (widget_class, HearthTensorTable, search_entry);
  gtk_widget_class_bind_template_child (widget_class, HearthTensorTable, type_drop_down);
  gtk_widget_class_bind_template_child (widget_class, HearthTensorTable, count_label);
  gtk_widget_class_bind_template_child (widget_class, HearthTensorTable, stack);
  gtk_widget_class_bind_template_child (widget_class, HearthTensorTable, table);
  gtk_widget_class_bind_template_callback (widget_class, filter_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, activated_cb);
}

static void
hearth_tensor_table_init (HearthTensorTable *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->types = gtk_string_list_new ((const char *const[]) { _ ("All Types"), NULL });
  gtk_drop_down_set_model (self->type_drop_down, G_LIST_MODEL (self->types));

  self->filter = gtk_custom_filter_new (matches, self, NULL);
  self->filtered =
    hearth_table_filter_new (GTK_FILTER (self->filter), G_CALLBACK (update_count), self);

  add_column (self, COLUMN_NAME, _ ("Name"), TRUE);
  add_column (self, COLUMN_TYPE, _ ("Type"), TRUE);
  add_column (self, COLUMN_SHAPE, _ ("Shape"), FALSE);
  add_column (self, COLUMN_ELEMENTS, _ ("Elements"), TRUE);
  add_column (self, COLUMN_SIZE, _ ("Size"), TRUE);
  align_headings (self);
  self->sorted = hearth_table_sort_new (self->table, G_LIST_MODEL (self->filtered));
  hearth_table_set_list (self->table, G_LIST_MODEL (self->sorted), G_CALLBACK (bind_row_cb));
  hearth_table_add_copy (self->table, dup_row, self);
  update_count (self);
}

GtkWidget *
hearth_tensor_table_new (void)
{
  return g_object_new (HEARTH_TYPE_TENSOR_TABLE, NULL);
}

static void
fill_types (HearthTensorTable *self, GListModel *tensors)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  guint n = tensors != NULL ? g_list_model_get_n_items (tensors) : 0;

  gtk_drop_down_set_selected (self->type_drop_down, 0);
  gtk_string_list_splice (self->types, 1, g_list_model_get_n_items (G_LIST_MODEL (self->types)) - 1,
                          NULL);
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (HearthTensor) tensor = g_list_model_get_item (tensors, i);
      const char *type = hearth_tensor_get_type_name (tensor);

      if (g_hash_table_add (seen, (gpointer) type))
        gtk_string_list_append (self->types, type);
    }
}

void
hearth_tensor_table_set_tensors (HearthTensorTable *self, GListModel *tensors)
{
  g_return_if_fail (HEARTH_IS_TENSOR_TABLE (self));

  gtk_editable_set_text (GTK_EDITABLE (self->search_entry), "");
  g_set_object (&self->tensors, tensors);
  fill_types (self, tensors);
  gtk_column_view_sort_by_column (self->table, NULL, GTK_SORT_ASCENDING);
  gtk_filter_list_model_set_model (self->filtered, tensors);
  update_count (self);
}

guint
hearth_tensor_table_get_n_rows (HearthTensorTable *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR_TABLE (self), 0);

  return hearth_table_get_n_rows (self->table);
}

GtkColumnView *
hearth_tensor_table_get_table (HearthTensorTable *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR_TABLE (self), NULL);

  return self->table;
}

void
hearth_tensor_table_set_search (HearthTensorTable *self, const char *text)
{
  g_return_if_fail (HEARTH_IS_TENSOR_TABLE (self));

  gtk_editable_set_text (GTK_EDITABLE (self->search_entry), text);
}

const char *
hearth_tensor_table_get_search (HearthTensorTable *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR_TABLE (self), NULL);

  return gtk_editable_get_text (GTK_EDITABLE (self->search_entry));
}

gboolean
hearth_tensor_table_focus_search (HearthTensorTable *self)
{
  g_return_val_if_fail (HEARTH_IS_TENSOR_TABLE (self), FALSE);

  return gtk_widget_grab_focus (GTK_WIDGET (self->search_entry));
}
