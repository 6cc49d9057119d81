/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-compare-table.h"

#include <glib/gi18n.h>

#include "hearth-compare-words.h"
#include "hearth-focus.h"
#include "hearth-table-stack.h"
#include "hearth-table.h"
#include "hearth-words.h"

enum column
{
  COLUMN_NAME,
  COLUMN_CHANGE,
  COLUMN_FIRST,
  COLUMN_SECOND,
  COLUMN_SIZE,
  COLUMN_ERROR,
};

struct _HearthCompareTable
{
  GtkWidget parent_instance;

  HearthTableStack *stack;
  GtkColumnView *view;
  gboolean of_tensors;
  HearthComparison *comparison;
  GtkCustomFilter *filter;
  GtkFilterListModel *filtered;
  GtkSortListModel *sorted;
  GtkSorter *by_error;
  GtkColumnViewColumn *error_column; /* not owned; hidden until something is measured */
  GPtrArray *bars;                   /* of the rows that are realised; not owned */
  gboolean all;
  char *wanted; /* folded; NULL: any */
};

G_DEFINE_FINAL_TYPE (HearthCompareTable, hearth_compare_table, GTK_TYPE_WIDGET)

/* ---- cells ------------------------------------------------------------------------------ */

static const char *
get_name (gpointer item)
{
  return HEARTH_IS_COMPARED_TENSOR (item) ? hearth_compared_tensor_get_name (item)
                                          : hearth_compared_key_get_name (item);
}

static HearthChange
get_change (gpointer item)
{
  return HEARTH_IS_COMPARED_TENSOR (item) ? hearth_compared_tensor_get_change (item)
                                          : hearth_compared_key_get_change (item);
}

static char *
dup_tensor_side (HearthComparedTensor *tensor, gboolean second)
{
  const char *type = hearth_compared_tensor_get_type_name (tensor, second);

  return type != NULL
           ? g_strdup_printf ("%s · %s", type, hearth_compared_tensor_get_shape (tensor, second))
           : g_strdup ("–");
}

static char *
dup_size_of (HearthComparedTensor *tensor, gboolean second)
{
  return hearth_compared_tensor_get_type_name (tensor, second) != NULL
           ? hearth_words_for_size (hearth_compared_tensor_get_n_bytes (tensor, second))
           : g_strdup ("–");
}

/* One where it is the same, which it mostly is. */
static char *
dup_size (HearthComparedTensor *tensor)
{
  g_autofree char *here = dup_size_of (tensor, FALSE);
  g_autofree char *there = dup_size_of (tensor, TRUE);

  if (g_str_equal (here, there))
    return g_steal_pointer (&here);
  /* Translators: the size of a tensor in this file, and in the other one */
  return g_strdup_printf (_ ("%1$s → %2$s"), here, there);
}

static char *
dup_cell (gpointer item, enum column column)
{
  gboolean tensor = HEARTH_IS_COMPARED_TENSOR (item);
  const char *value;

  switch (column)
    {
    case COLUMN_NAME:
      return g_strdup (get_name (item));
    case COLUMN_CHANGE:
      return g_strdup (hearth_compare_words_for_change (get_change (item)));
    case COLUMN_FIRST:
    case COLUMN_SECOND:
      if (tensor)
        return dup_tensor_side (item, column == COLUMN_SECOND);
      value = column == COLUMN_SECOND ? hearth_compared_key_get_second (item)
                                      : hearth_compared_key_get_first (item);
      return g_strdup (value != NULL ? value : "–");
    case COLUMN_SIZE:
      return dup_size (item);
    case COLUMN_ERROR:
    default:
      g_assert_not_reached ();
    }
}

static void
setup_cell_cb (GtkSignalListItemFactory *factory, GtkColumnViewCell *cell, gpointer data)
{
  enum column column = (enum column) GPOINTER_TO_UINT (data);
  GtkWidget *label = gtk_label_new (NULL);

  gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_END);
  gtk_label_set_xalign (GTK_LABEL (label), column == COLUMN_SIZE ? 1 : 0);
  if (column == COLUMN_NAME)
    {
      gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_MIDDLE);
      gtk_label_set_width_chars (GTK_LABEL (label), 18);
    }
  else if (column == COLUMN_FIRST || column == COLUMN_SECOND)
    gtk_label_set_width_chars (GTK_LABEL (label), 14);
  else
    gtk_label_set_ellipsize (GTK_LABEL (label), PANGO_ELLIPSIZE_NONE);
  gtk_widget_add_css_class (label, "numeric");
  gtk_column_view_cell_set_child (cell, label);
}

static void
bind_cell_cb (GtkSignalListItemFactory *factory, GtkColumnViewCell *cell, gpointer data)
{
  enum column column = (enum column) GPOINTER_TO_UINT (data);
  GtkWidget *label = gtk_column_view_cell_get_child (cell);
  g_autofree char *text = dup_cell (gtk_column_view_cell_get_item (cell), column);
  g_autofree char *shown = hearth_words_in_order (text);

  gtk_label_set_text (GTK_LABEL (label), shown);
  gtk_widget_set_tooltip_text (label, column == COLUMN_CHANGE ? NULL : shown);
}

/* ---- errors ----------------------------------------------------------------------------- */

/* A bar as long as the error is beside the largest one, and the figure. */
static void
update_bar (HearthCompareTable *self, GtkWidget *box)
{
  HearthComparedTensor *tensor = g_object_get_data (G_OBJECT (box), "tensor");
  GtkWidget *bar = gtk_widget_get_first_child (box);
  GtkWidget *label = gtk_widget_get_next_sibling (bar);
  const HearthValueError *error = tensor != NULL ? hearth_compared_tensor_get_error (tensor) : NULL;
  double worst = self->comparison != NULL ? hearth_comparison_get_worst (self->comparison) : 0;
  g_autofree char *text = error != NULL ? hearth_compare_words_for_error (error) : g_strdup ("");
  g_autofree char *tooltip = error != NULL ? hearth_compare_words_for_all_of_error (error) : NULL;

  gtk_widget_set_visible (bar, error != NULL);
  gtk_level_bar_set_value (GTK_LEVEL_BAR (bar),
                           error != NULL && worst > 0 ? MIN (error->relative_rms / worst, 1) : 0);
  gtk_label_set_text (GTK_LABEL (label), text);
  gtk_widget_set_tooltip_text (box, tooltip);
}

static void
setup_error_cb (HearthCompareTable *self, GtkColumnViewCell *cell)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  GtkWidget *bar =
    g_object_new (GTK_TYPE_LEVEL_BAR, "accessible-role", GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL);
  GtkWidget *label = gtk_label_new (NULL);

  gtk_widget_set_size_request (bar, 64, -1);
  gtk_widget_set_valign (bar, GTK_ALIGN_CENTER);
  gtk_widget_add_css_class (bar, "error-bar");
  gtk_label_set_width_chars (GTK_LABEL (label), 8);
  gtk_label_set_xalign (GTK_LABEL (label), 1);
  gtk_widget_set_hexpand (label, TRUE);
  gtk_widget_add_css_class (label, "numeric");
  gtk_box_append (GTK_BOX (box), bar);
  gtk_box_append (GTK_BOX (box), label);
  gtk_column_view_cell_set_child (cell, box);
}

static void
bind_error_cb (HearthCompareTable *self, GtkColumnViewCell *cell)
{
  GtkWidget *box = gtk_column_view_cell_get_child (cell);

  g_object_set_data_full (G_OBJECT (box), "tensor",
                          g_object_ref (gtk_column_view_cell_get_item (cell)), g_object_unref);
  g_ptr_array_add (self->bars, box);
  update_bar (self, box);
}

static void
unbind_error_cb (HearthCompareTable *self, GtkColumnViewCell *cell)
{
  GtkWidget *box = gtk_column_view_cell_get_child (cell);

  g_ptr_array_remove_fast (self->bars, box);
  g_object_set_data (G_OBJECT (box), "tensor", NULL);
}

static void
measured_cb (HearthCompareTable *self)
{
  for (guint i = 0; i < self->bars->len; i++)
    update_bar (self, g_ptr_array_index (self->bars, i));
  gtk_filter_changed (GTK_FILTER (self->filter), GTK_FILTER_CHANGE_LESS_STRICT);
}

/* Rows are put in order when all is known: before, they would run away under the pointer. */
static void
busy_cb (HearthCompareTable *self)
{
  gtk_column_view_column_set_visible (self->error_column,
                                      hearth_comparison_get_busy (self->comparison) ||
                                        hearth_comparison_get_n_measured (self->comparison) > 0);
  if (!hearth_comparison_get_busy (self->comparison) && self->by_error != NULL)
    gtk_sorter_changed (self->by_error, GTK_SORTER_CHANGE_DIFFERENT);
}

/* ---- rows ------------------------------------------------------------------------------- */

/* What voice output says of a row. */
static void
bind_row_cb (GtkSignalListItemFactory *factory, GtkColumnViewRow *row, gpointer data)
{
  gpointer item = gtk_column_view_row_get_item (row);
  g_autofree char *first = dup_cell (item, COLUMN_FIRST);
  g_autofree char *second = dup_cell (item, COLUMN_SECOND);
  g_autofree char *details = g_strdup_printf (
    "%s: %s, %s", hearth_compare_words_for_change (get_change (item)), first, second);

  gtk_column_view_row_set_accessible_label (row, get_name (item));
  gtk_column_view_row_set_accessible_description (row, details);
}

static gboolean
matches (gpointer item, gpointer data)
{
  HearthCompareTable *self = data;

  if (!self->all && get_change (item) == HEARTH_CHANGE_SAME)
    return FALSE;
  return self->wanted == NULL || hearth_table_contains (get_name (item), self->wanted);
}

static int
compare (gconstpointer a, gconstpointer b, gpointer data)
{
  enum column column = (enum column) GPOINTER_TO_UINT (data);
  gpointer x = (gpointer) a, y = (gpointer) b;
  const HearthValueError *e, *f;
  double m, n;

  switch (column)
    {
    case COLUMN_CHANGE:
      return hearth_table_compare_numbers (get_change (x), get_change (y));
    case COLUMN_SIZE:
      for (gboolean second = FALSE; second <= TRUE; second++)
        {
          GtkOrdering order =
            hearth_table_compare_numbers (hearth_compared_tensor_get_n_bytes (x, second),
                                          hearth_compared_tensor_get_n_bytes (y, second));

          if (order != GTK_ORDERING_EQUAL)
            return order;
        }
      return GTK_ORDERING_EQUAL;
    case COLUMN_ERROR:
      e = hearth_compared_tensor_get_error (x);
      f = hearth_compared_tensor_get_error (y);
      m = e != NULL ? e->relative_rms : -1;
      n = f != NULL ? f->relative_rms : -1;
      return m < n ? GTK_ORDERING_SMALLER : m > n ? GTK_ORDERING_LARGER : GTK_ORDERING_EQUAL;
    case COLUMN_NAME:
    case COLUMN_FIRST:
    case COLUMN_SECOND:
    default:
      return g_strcmp0 (get_name (x), get_name (y));
    }
}

static void
update_stack (HearthCompareTable *self)
{
  if (self->filtered == NULL)
    return;
  hearth_table_stack_show_filtered (self->stack, self->filtered);
}

/* Its cells, as a spreadsheet takes them. */
static char *
dup_row (gpointer object, gpointer item)
{
  HearthCompareTable *self = object;
  g_autoptr (GString) text = g_string_new (get_name (item));

  for (guint column = COLUMN_CHANGE;
       column <= (guint) (self->of_tensors ? COLUMN_ERROR : COLUMN_SECOND); column++)
    {
      g_autofree char *cell = NULL;

      if (column == COLUMN_ERROR)
        {
          const HearthValueError *error = hearth_compared_tensor_get_error (item);

          cell = error != NULL ? hearth_compare_words_for_error (error) : NULL;
        }
      else
        cell = dup_cell (item, (enum column) column);
      if (cell != NULL)
        g_string_append_printf (text, "\t%s", cell);
    }
  return g_string_free_and_steal (g_steal_pointer (&text));
}

/* ---- the widget ------------------------------------------------------------------------- */

static void
add_column (HearthCompareTable *self, enum column id, const char *title)
{
  GtkListItemFactory *factory = gtk_signal_list_item_factory_new ();
  GtkSorter *sorter = NULL;
  GtkColumnViewColumn *column;

  if (id == COLUMN_ERROR)
    {
      g_signal_connect_object (factory, "setup", G_CALLBACK (setup_error_cb), self,
                               G_CONNECT_SWAPPED);
      g_signal_connect_object (factory, "bind", G_CALLBACK (bind_error_cb), self,
                               G_CONNECT_SWAPPED);
      g_signal_connect_object (factory, "unbind", G_CALLBACK (unbind_error_cb), self,
                               G_CONNECT_SWAPPED);
    }
  else
    {
      g_signal_connect (factory, "setup", G_CALLBACK (setup_cell_cb), GUINT_TO_POINTER (id));
      g_signal_connect (factory, "bind", G_CALLBACK (bind_cell_cb), GUINT_TO_POINTER (id));
    }
  if (id != COLUMN_FIRST && id != COLUMN_SECOND)
    sorter = GTK_SORTER (gtk_custom_sorter_new (compare, GUINT_TO_POINTER (id), NULL));
  if (id == COLUMN_ERROR)
    g_set_object (&self->by_error, sorter);
  column = hearth_table_add_column (self->view, title, factory,
                                    id == COLUMN_NAME || id == COLUMN_FIRST || id == COLUMN_SECOND,
                                    sorter);
  if (id == COLUMN_ERROR)
    self->error_column = column; /* the table keeps it */
}

static void
hearth_compare_table_dispose (GObject *object)
{
  HearthCompareTable *self = HEARTH_COMPARE_TABLE (object);

  if (self->comparison != NULL)
    g_signal_handlers_disconnect_by_data (self->comparison, self);
  g_clear_object (&self->filter);
  if (self->view != NULL)
    gtk_column_view_set_model (self->view, NULL);
  self->view = NULL;
  g_clear_object (&self->sorted);
  g_clear_object (&self->filtered);
  g_clear_object (&self->by_error);
  g_clear_object (&self->comparison);
  if (self->stack != NULL)
    gtk_widget_unparent (GTK_WIDGET (self->stack));
  self->stack = NULL;
  G_OBJECT_CLASS (hearth_compare_table_parent_class)->dispose (object);
}

static void
hearth_compare_table_finalize (GObject *object)
{
  HearthCompareTable *self = HEARTH_COMPARE_TABLE (object);

  g_ptr_array_unref (self->bars);
  g_free (self->wanted);
  G_OBJECT_CLASS (hearth_compare_table_parent_class)->finalize (object);
}

static void
hearth_compare_table_class_init (HearthCompareTableClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  object_class->dispose = hearth_compare_table_dispose;
  object_class->finalize = hearth_compare_table_finalize;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
}

static void
hearth_compare_table_init (HearthCompareTable *self)
{
  self->bars = g_ptr_array_new ();
}

static void
build (HearthCompareTable *self)
{
  GtkWidget *scrolled = gtk_scrolled_window_new ();

  self->filter = gtk_custom_filter_new (matches, self, NULL);
  self->filtered =
    hearth_table_filter_new (GTK_FILTER (self->filter), G_CALLBACK (update_stack), self);
  self->view = GTK_COLUMN_VIEW (gtk_column_view_new (NULL));
  gtk_column_view_set_show_row_separators (self->view, TRUE);
  gtk_widget_add_css_class (GTK_WIDGET (self->view), "data-table");
  add_column (self, COLUMN_NAME, self->of_tensors ? _ ("Tensor") : _ ("Key"));
  add_column (self, COLUMN_CHANGE, _ ("Change"));
  if (self->of_tensors)
    add_column (self, COLUMN_ERROR, _ ("Value error"));
  add_column (self, COLUMN_FIRST, _ ("Here"));
  add_column (self, COLUMN_SECOND, _ ("There"));
  if (self->of_tensors)
    add_column (self, COLUMN_SIZE, _ ("Size"));
  self->sorted = hearth_table_sort_new (self->view, G_LIST_MODEL (self->filtered));
  hearth_table_set_list (self->view, G_LIST_MODEL (self->sorted), G_CALLBACK (bind_row_cb));
  hearth_table_add_copy (self->view, dup_row, self);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->view), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  self->of_tensors ? _ ("Compared tensors") : _ ("Compared keys"),
                                  -1);
  gtk_scrolled_window_set_child (GTK_SCROLLED_WINDOW (scrolled), GTK_WIDGET (self->view));
  self->stack = g_object_new (HEARTH_TYPE_TABLE_STACK, "icon-name", "object-select-symbolic",
                              "title", _ ("Nothing to Show"), "description",
                              self->of_tensors ? _ ("No tensor differs, or has this name.")
                                               : _ ("No key differs, or has this name."),
                              "child", scrolled, NULL);
  gtk_widget_set_parent (GTK_WIDGET (self->stack), GTK_WIDGET (self));
}

GtkWidget *
hearth_compare_table_new (gboolean of_tensors)
{
  HearthCompareTable *self = g_object_new (HEARTH_TYPE_COMPARE_TABLE, NULL);

  self->of_tensors = of_tensors;
  build (self);
  return GTK_WIDGET (self);
}

void
hearth_compare_table_set_comparison (HearthCompareTable *self, HearthComparison *comparison)
{
  g_return_if_fail (HEARTH_IS_COMPARE_TABLE (self));

  if (self->comparison != NULL)
    g_signal_handlers_disconnect_by_data (self->comparison, self);
  g_set_object (&self->comparison, comparison);
  gtk_column_view_sort_by_column (self->view, NULL, GTK_SORT_ASCENDING);
  gtk_filter_list_model_set_model (self->filtered, comparison == NULL ? NULL
                                                   : self->of_tensors
                                                     ? hearth_comparison_get_tensors (comparison)
                                                     : hearth_comparison_get_keys (comparison));
  if (comparison != NULL && self->of_tensors)
    {
      g_signal_connect_object (comparison, "measured", G_CALLBACK (measured_cb), self,
                               G_CONNECT_SWAPPED);
      g_signal_connect_object (comparison, "notify::busy", G_CALLBACK (busy_cb), self,
                               G_CONNECT_SWAPPED);
      busy_cb (self);
    }
  update_stack (self);
}

void
hearth_compare_table_set_filter (HearthCompareTable *self, gboolean all, const char *text)
{
  g_return_if_fail (HEARTH_IS_COMPARE_TABLE (self));

  self->all = all;
  g_clear_pointer (&self->wanted, g_free);
  if (*text != '\0')
    self->wanted = g_utf8_casefold (text, -1);
  gtk_filter_changed (GTK_FILTER (self->filter), GTK_FILTER_CHANGE_DIFFERENT);
}

GListModel *
hearth_compare_table_get_rows (HearthCompareTable *self)
{
  g_return_val_if_fail (HEARTH_IS_COMPARE_TABLE (self), NULL);

  return G_LIST_MODEL (self->sorted);
}

guint
hearth_compare_table_get_n_realised (HearthCompareTable *self)
{
  g_return_val_if_fail (HEARTH_IS_COMPARE_TABLE (self), 0);

  return hearth_table_get_n_rows (self->view);
}
