/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-region-table.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "hearth-focus.h"
#include "hearth-table-stack.h"
#include "hearth-table.h"
#include "hearth-tensor-export.h"
#include "hearth-words.h"

enum column
{
  COLUMN_NAME,
  COLUMN_KIND,
  COLUMN_OFFSET,
  COLUMN_SIZE,
  COLUMN_MEMORY,
  N_COLUMNS
};

struct _HearthRegionTable
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkSearchEntry *search_entry;
  GtkLabel *count_label;
  HearthTableStack *stack;
  GtkColumnView *table;

  HearthFileLayout *layout;
  HearthResidency *residency;
  GtkCustomFilter *filter;
  GtkFilterListModel *filtered;
  GtkSortListModel *sorted;
  GtkSingleSelection *selection;
  char *wanted;     /* folded; NULL: any */
  GPtrArray *cells; /* labels of the column of what is in memory that are bound */
  gboolean selecting;
};

G_DEFINE_FINAL_TYPE (HearthRegionTable, hearth_region_table, GTK_TYPE_WIDGET)

static guint marked_signal, opened_signal;

/* ---- cells ------------------------------------------------------------------------------ */

static const char *
kind_name (HearthFileRegion *region)
{
  return _ (hearth_region_kind_get_name (hearth_file_region_get_kind (region)));
}

static char *
dup_memory (HearthRegionTable *self, HearthFileRegion *region)
{
  guint64 size = hearth_file_region_get_size (region);
  guint64 n;

  if (self->residency == NULL || size == 0)
    return g_strdup ("");
  n = hearth_residency_count (self->residency, hearth_file_region_get_offset (region), size);
  if (n == 0)
    return g_strdup ("–");
  if (n >= size)
    return g_strdup (_ ("All"));
  return hearth_words_for_percent (MAX (1.0, 100.0 * (double) n / (double) size), 0);
}

static char *
dup_cell (HearthRegionTable *self, HearthFileRegion *region, enum column column)
{
  switch (column)
    {
    case COLUMN_NAME:
      return g_strdup (
        *hearth_file_region_get_name (region) != '\0' ? hearth_file_region_get_name (region) : "–");
    case COLUMN_KIND:
      if (*hearth_file_region_get_type_name (region) == '\0')
        return g_strdup (kind_name (region));
      return g_strdup_printf ("%s · %s", kind_name (region),
                              hearth_file_region_get_type_name (region));
    case COLUMN_OFFSET:
      return hearth_words_for_number (hearth_file_region_get_offset (region));
    case COLUMN_SIZE:
      if (hearth_file_region_get_n_present (region) < hearth_file_region_get_size (region))
        {
          g_autofree char *size = hearth_words_for_size (hearth_file_region_get_size (region));

          /* Translators: the size of something whose end is not in the file */
          return g_strdup_printf (_ ("%s, cut short"), size);
        }
      return hearth_words_for_size (hearth_file_region_get_size (region));
    case COLUMN_MEMORY:
      return dup_memory (self, region);
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

  gtk_label_set_xalign (GTK_LABEL (label), column >= COLUMN_OFFSET ? 1 : 0);
  if (column == COLUMN_NAME)
    {
      gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
      gtk_label_set_width_chars (GTK_LABEL (label), 16);
    }
  else
    gtk_widget_add_css_class (label, "numeric");
  gtk_column_view_cell_set_child (cell, label);
}

static void
bind_cell_cb (GtkSignalListItemFactory *factory, GtkColumnViewCell *cell, gpointer data)
{
  enum column column = (enum column) GPOINTER_TO_UINT (data);
  HearthFileRegion *region = gtk_column_view_cell_get_item (cell);
  GtkWidget *label = gtk_column_view_cell_get_child (cell);
  HearthRegionTable *self = g_object_get_data (G_OBJECT (factory), "table");
  g_autofree char *text = dup_cell (self, region, column);

  gtk_label_set_text (GTK_LABEL (label), text);
  if (column == COLUMN_NAME)
    gtk_widget_set_tooltip_text (label, text);
  else if (column == COLUMN_SIZE)
    {
      g_autofree char *exact = hearth_words_for_exact_size (hearth_file_region_get_size (region));

      gtk_widget_set_tooltip_text (label, exact);
    }
  else if (column == COLUMN_MEMORY)
    {
      g_object_set_data (G_OBJECT (label), "region", region);
      g_ptr_array_add (self->cells, label);
    }
}

static void
unbind_cell_cb (GtkSignalListItemFactory *factory, GtkColumnViewCell *cell, gpointer data)
{
  HearthRegionTable *self = g_object_get_data (G_OBJECT (factory), "table");

  if ((enum column) GPOINTER_TO_UINT (data) == COLUMN_MEMORY)
    g_ptr_array_remove_fast (self->cells, gtk_column_view_cell_get_child (cell));
}

/* What voice output says of a row. */
static void
bind_row_cb (GtkSignalListItemFactory *factory, GtkColumnViewRow *row, gpointer data)
{
  HearthFileRegion *region = gtk_column_view_row_get_item (row);
  g_autofree char *offset = hearth_words_for_number (hearth_file_region_get_offset (region));
  g_autofree char *size = hearth_words_for_exact_size (hearth_file_region_get_size (region));
  g_autofree char *label =
    g_strdup_printf ("%s %s", kind_name (region), hearth_file_region_get_name (region));
  /* Translators: of a region of a file: its offset, its size */
  g_autofree char *details = g_strdup_printf (_ ("at %1$s, %2$s"), offset, size);

  gtk_column_view_row_set_accessible_label (row, label);
  gtk_column_view_row_set_accessible_description (row, details);
}

/* ---- sorting and filtering -------------------------------------------------------------- */

static int
compare (gconstpointer a, gconstpointer b, gpointer data)
{
  HearthFileRegion *x = (HearthFileRegion *) a;
  HearthFileRegion *y = (HearthFileRegion *) b;

  switch ((enum column) GPOINTER_TO_UINT (data))
    {
    case COLUMN_NAME:
      return g_strcmp0 (hearth_file_region_get_name (x), hearth_file_region_get_name (y));
    case COLUMN_KIND:
      return hearth_table_compare_numbers (hearth_file_region_get_kind (x),
                                           hearth_file_region_get_kind (y));
    case COLUMN_SIZE:
      return hearth_table_compare_numbers (hearth_file_region_get_size (x),
                                           hearth_file_region_get_size (y));
    case COLUMN_OFFSET:
    case COLUMN_MEMORY:
    case N_COLUMNS:
    default:
      return hearth_table_compare_numbers (hearth_file_region_get_offset (x),
                                           hearth_file_region_get_offset (y));
    }
}

static gboolean
matches (gpointer item, gpointer data)
{
  HearthRegionTable *self = data;

  return self->wanted == NULL ||
         hearth_table_contains (hearth_file_region_get_name (item), self->wanted) ||
         hearth_table_contains (kind_name (item), self->wanted);
}

static void
search_changed_cb (HearthRegionTable *self)
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
update_count (HearthRegionTable *self)
{
  guint n, n_shown;
  g_autofree char *all = NULL;
  g_autofree char *shown = NULL;
  g_autofree char *text = NULL;

  if (self->filtered == NULL)
    return;
  if (self->layout == NULL)
    {
      hearth_table_stack_show_reading (self->stack);
      gtk_label_set_text (self->count_label, "");
      return;
    }
  n = g_list_model_get_n_items (G_LIST_MODEL (self->layout));
  n_shown = g_list_model_get_n_items (G_LIST_MODEL (self->filtered));
  all = hearth_words_for_number (n);
  shown = hearth_words_for_number (n_shown);
  if (n == n_shown)
    text = g_strdup_printf (ngettext ("%s region", "%s regions", n), all);
  else
    /* Translators: "81 of 272 regions" */
    text =
      g_strdup_printf (ngettext ("%1$s of %2$s region", "%1$s of %2$s regions", n), shown, all);
  gtk_label_set_text (self->count_label, text);
  hearth_table_stack_show_filtered (self->stack, self->filtered);
}

/* ---- selection -------------------------------------------------------------------------- */

static void
selected_cb (HearthRegionTable *self)
{
  HearthFileRegion *region = gtk_single_selection_get_selected_item (self->selection);

  if (region != NULL && !self->selecting)
    g_signal_emit (self, marked_signal, 0, region);
}

static void
activated_cb (HearthRegionTable *self, guint position)
{
  g_autoptr (HearthFileRegion) region =
    g_list_model_get_item (G_LIST_MODEL (self->sorted), position);

  if (region != NULL)
    g_signal_emit (self, opened_signal, 0, region);
}

/* Its cells, as a spreadsheet takes them. */
static char *
dup_row (gpointer object, gpointer item)
{
  HearthFileRegion *region = item;

  return g_strdup_printf ("%s\t%s\t%" G_GUINT64_FORMAT "\t%" G_GUINT64_FORMAT,
                          hearth_file_region_get_name (region), kind_name (region),
                          hearth_file_region_get_offset (region),
                          hearth_file_region_get_size (region));
}

/* ---- the widget ------------------------------------------------------------------------- */

static void
add_column (HearthRegionTable *self, enum column id, const char *title, gboolean sortable)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkSorter *sorter = NULL;

  g_object_set_data (G_OBJECT (factory), "table", self);
  g_signal_connect (factory, "setup", G_CALLBACK (setup_cell_cb), GUINT_TO_POINTER (id));
  g_signal_connect (factory, "bind", G_CALLBACK (bind_cell_cb), GUINT_TO_POINTER (id));
  g_signal_connect (factory, "unbind", G_CALLBACK (unbind_cell_cb), GUINT_TO_POINTER (id));
  if (sortable)
    sorter = GTK_SORTER (gtk_custom_sorter_new (compare, GUINT_TO_POINTER (id), NULL));
  hearth_table_add_column (self->table, title, factory, id == COLUMN_NAME, sorter);
}

static void
hearth_region_table_dispose (GObject *object)
{
  HearthRegionTable *self = HEARTH_REGION_TABLE (object);

  g_clear_object (&self->filter);
  if (self->table != NULL)
    gtk_column_view_set_model (self->table, NULL);
  g_clear_object (&self->selection);
  g_clear_object (&self->sorted);
  g_clear_object (&self->filtered);
  g_clear_object (&self->layout);
  g_clear_pointer (&self->residency, hearth_residency_unref);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_REGION_TABLE);
  G_OBJECT_CLASS (hearth_region_table_parent_class)->dispose (object);
}

static void
hearth_region_table_finalize (GObject *object)
{
  HearthRegionTable *self = HEARTH_REGION_TABLE (object);

  g_free (self->wanted);
  g_ptr_array_unref (self->cells);
  G_OBJECT_CLASS (hearth_region_table_parent_class)->finalize (object);
}

static void
hearth_region_table_class_init (HearthRegionTableClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  object_class->dispose = hearth_region_table_dispose;
  object_class->finalize = hearth_region_table_finalize;
  marked_signal = g_signal_new ("marked", HEARTH_TYPE_REGION_TABLE, G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 1, HEARTH_TYPE_FILE_REGION);
  opened_signal = g_signal_new ("opened", HEARTH_TYPE_REGION_TABLE, G_SIGNAL_RUN_LAST, 0, NULL,
                                NULL, NULL, G_TYPE_NONE, 1, HEARTH_TYPE_FILE_REGION);
  g_type_ensure (HEARTH_TYPE_TABLE_STACK);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-region-table.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthRegionTable, root);
  gtk_widget_class_bind_template_child (widget_class, HearthRegionTable, search_entry);
  gtk_widget_class_bind_template_child (widget_class, HearthRegionTable, count_label);
  gtk_widget_class_bind_template_child (widget_class, HearthRegionTable, stack);
  gtk_widget_class_bind_template_child (widget_class, HearthRegionTable, table);
  gtk_widget_class_bind_template_callback (widget_class, search_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, activated_cb);
}

static void
hearth_region_table_init (HearthRegionTable *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  self->cells = g_ptr_array_new ();
  self->filter = gtk_custom_filter_new (matches, self, NULL);
  self->filtered =
    hearth_table_filter_new (GTK_FILTER (self->filter), G_CALLBACK (update_count), self);
  add_column (self, COLUMN_NAME, _ ("Name"), TRUE);
  add_column (self, COLUMN_KIND, _ ("Kind"), TRUE);
  add_column (self, COLUMN_OFFSET, _ ("Offset"), TRUE);
  add_column (self, COLUMN_SIZE, _ ("Size"), TRUE);
  add_column (self, COLUMN_MEMORY, _ ("Cached"), FALSE);
  self->sorted = hearth_table_sort_new (self->table, G_LIST_MODEL (self->filtered));
  self->selection = g_object_ref (
    hearth_table_set_list (self->table, G_LIST_MODEL (self->sorted), G_CALLBACK (bind_row_cb)));
  hearth_table_add_copy (self->table, dup_row, self);
  g_signal_connect_object (self->selection, "notify::selected-item", G_CALLBACK (selected_cb), self,
                           G_CONNECT_SWAPPED);
  update_count (self);
}

void
hearth_region_table_set_layout (HearthRegionTable *self, HearthFileLayout *layout)
{
  g_return_if_fail (HEARTH_IS_REGION_TABLE (self));

  gtk_editable_set_text (GTK_EDITABLE (self->search_entry), "");
  g_set_object (&self->layout, layout);
  g_clear_pointer (&self->residency, hearth_residency_unref);
  gtk_column_view_sort_by_column (self->table, NULL, GTK_SORT_ASCENDING);
  gtk_filter_list_model_set_model (self->filtered, G_LIST_MODEL (layout));
  update_count (self);
}

void
hearth_region_table_set_residency (HearthRegionTable *self, HearthResidency *residency)
{
  g_return_if_fail (HEARTH_IS_REGION_TABLE (self));

  g_clear_pointer (&self->residency, hearth_residency_unref);
  self->residency = residency != NULL ? hearth_residency_ref (residency) : NULL;
  for (guint i = 0; i < self->cells->len; i++)
    {
      HearthFileRegion *region = g_object_get_data (G_OBJECT (self->cells->pdata[i]), "region");
      g_autofree char *text = dup_memory (self, region);

      gtk_label_set_text (GTK_LABEL (self->cells->pdata[i]), text);
    }
}

void
hearth_region_table_select (HearthRegionTable *self, HearthFileRegion *region)
{
  guint n;

  g_return_if_fail (HEARTH_IS_REGION_TABLE (self));

  n = g_list_model_get_n_items (G_LIST_MODEL (self->sorted));
  self->selecting = TRUE;
  for (guint i = 0; i < n; i++)
    {
      g_autoptr (HearthFileRegion) at = g_list_model_get_item (G_LIST_MODEL (self->sorted), i);

      if (at != region)
        continue;
      gtk_column_view_scroll_to (self->table, i, NULL, GTK_LIST_SCROLL_SELECT, NULL);
      break;
    }
  self->selecting = FALSE;
}

void
hearth_region_table_set_search (HearthRegionTable *self, const char *text)
{
  g_return_if_fail (HEARTH_IS_REGION_TABLE (self));

  gtk_editable_set_text (GTK_EDITABLE (self->search_entry), text);
}

gboolean
hearth_region_table_focus_search (HearthRegionTable *self)
{
  g_return_val_if_fail (HEARTH_IS_REGION_TABLE (self), FALSE);

  return gtk_widget_grab_focus (GTK_WIDGET (self->search_entry));
}

GListModel *
hearth_region_table_get_shown (HearthRegionTable *self)
{
  g_return_val_if_fail (HEARTH_IS_REGION_TABLE (self), NULL);

  return G_LIST_MODEL (self->sorted);
}

guint
hearth_region_table_get_n_rows (HearthRegionTable *self)
{
  g_return_val_if_fail (HEARTH_IS_REGION_TABLE (self), 0);

  return hearth_table_get_n_rows (self->table);
}
