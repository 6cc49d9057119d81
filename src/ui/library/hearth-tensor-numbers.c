/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-tensor-numbers.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "hearth-export.h"
#include "hearth-focus.h"
#include "hearth-tensor-grid.h"
#include "hearth-words.h"

struct _HearthTensorNumbers
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkSpinButton *row_spin;
  GtkSpinButton *column_spin;
  GtkAdjustment *row_adjustment;
  GtkAdjustment *column_adjustment;
  HearthTensorGrid *grid;
  GtkLabel *detail;

  HearthTensor *tensor;
  HearthTensorRows *rows;
  gboolean following; /* the fields follow the cursor */
};

G_DEFINE_FINAL_TYPE (HearthTensorNumbers, hearth_tensor_numbers, GTK_TYPE_WIDGET)

/* ---- the cursor and the fields ---------------------------------------------------------- */

static void
show_detail (HearthTensorNumbers *self)
{
  HearthCell cell;
  g_autofree char *text = NULL;

  if (self->rows == NULL || self->detail == NULL ||
      !hearth_cell_grid_get_cursor (HEARTH_CELL_GRID (self->grid), &cell))
    return;
  if (hearth_tensor_rows_get_error (self->rows) != NULL)
    text = g_strdup_printf (_ ("The values could not be read: %s"),
                            hearth_tensor_rows_get_error (self->rows)->message);
  else
    text = HEARTH_CELL_GRID_GET_CLASS (self->grid)
             ->describe (HEARTH_CELL_GRID (self->grid), cell.row, cell.column);
  gtk_label_set_text (self->detail, text);
}

static void
moved_cb (HearthTensorNumbers *self)
{
  HearthCell cell;

  if (self->row_spin == NULL || self->following ||
      !hearth_cell_grid_get_cursor (HEARTH_CELL_GRID (self->grid), &cell))
    return;
  self->following = TRUE;
  gtk_spin_button_set_value (self->row_spin, (double) cell.row);
  gtk_spin_button_set_value (self->column_spin, (double) cell.column);
  self->following = FALSE;
  show_detail (self);
}

static void
place_changed_cb (HearthTensorNumbers *self)
{
  if (self->grid == NULL || self->following)
    return;
  self->following = TRUE;
  hearth_cell_grid_set_cursor (HEARTH_CELL_GRID (self->grid),
                               (guint64) gtk_spin_button_get_value (self->row_spin),
                               (guint64) gtk_spin_button_get_value (self->column_spin), FALSE);
  self->following = FALSE;
  show_detail (self);
}

/* ---- export ----------------------------------------------------------------------------- */

static void
exported_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GFile *file = user_data;
  GtkWidget *widget = g_object_steal_data (G_OBJECT (file), "widget");
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = hearth_tensor_rows_export_finish (result, &error);

  if (bytes != NULL)
    hearth_export_write (widget, file, bytes);
  else
    hearth_export_fail (widget, file, error);
  g_object_unref (widget);
  g_object_unref (file);
}

static void
place_chosen_cb (GtkWidget *widget, GFile *file, gpointer data)
{
  HearthTensorNumbers *self = HEARTH_TENSOR_NUMBERS (widget);
  HearthTensorRange range = {
    .n_rows = G_MAXUINT64, .n_columns = G_MAXUINT64, .separator = ',', .titles = TRUE
  };
  HearthCell first, last;

  if (self->rows == NULL)
    return;
  hearth_cell_grid_get_selection (HEARTH_CELL_GRID (self->grid), &first, &last);
  if (first.row != last.row || first.column != last.column)
    {
      range.first_row = first.row;
      range.n_rows = last.row - first.row + 1;
      range.first_column = first.column;
      range.n_columns = last.column - first.column + 1;
    }
  g_object_set_data_full (G_OBJECT (file), "widget", g_object_ref (widget), g_object_unref);
  hearth_tensor_rows_export_async (self->rows, &range, NULL, exported_cb, g_object_ref (file));
}

/* What is selected, else all of it, as far as a file is of use. */
static void
export_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthTensorNumbers *self = HEARTH_TENSOR_NUMBERS (widget);
  HearthCell first, last;
  g_autofree char *file_name = NULL;
  g_autofree char *title = NULL;

  if (self->tensor == NULL)
    return;
  hearth_cell_grid_get_selection (HEARTH_CELL_GRID (self->grid), &first, &last);
  file_name = g_strdup_printf ("%s.csv", hearth_tensor_get_name (self->tensor));
  g_strdelimit (file_name, "/", '_');
  if (first.row != last.row || first.column != last.column)
    title = g_strdup (_ ("Export Selection"));
  else if (hearth_tensor_get_n_elements (self->tensor) > HEARTH_TENSOR_ROWS_MOST)
    {
      g_autofree char *most = hearth_words_for_number (HEARTH_TENSOR_ROWS_MOST);

      /* Translators: title of a file dialog: so many values are written at most */
      title = g_strdup_printf (_ ("Export the First %s Values"), most);
    }
  else
    title = g_strdup (_ ("Export Values"));
  hearth_export_ask (widget, title, file_name, NULL, place_chosen_cb, NULL, NULL);
}

static void
copy_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  gtk_widget_activate_action (GTK_WIDGET (HEARTH_TENSOR_NUMBERS (widget)->grid), "grid.copy", NULL);
}

/* ---- the widget ------------------------------------------------------------------------- */

static void
hearth_tensor_numbers_dispose (GObject *object)
{
  HearthTensorNumbers *self = HEARTH_TENSOR_NUMBERS (object);

  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_TENSOR_NUMBERS);
  g_clear_object (&self->rows);
  g_clear_object (&self->tensor);
  G_OBJECT_CLASS (hearth_tensor_numbers_parent_class)->dispose (object);
}

static void
hearth_tensor_numbers_class_init (HearthTensorNumbersClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  G_OBJECT_CLASS (klass)->dispose = hearth_tensor_numbers_dispose;
  g_type_ensure (HEARTH_TYPE_TENSOR_GRID);
  gtk_widget_class_install_action (widget_class, "numbers.copy", NULL, copy_action);
  gtk_widget_class_install_action (widget_class, "numbers.export", NULL, export_action);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-tensor-numbers.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthTensorNumbers, root);
  gtk_widget_class_bind_template_child (widget_class, HearthTensorNumbers, row_spin);
  gtk_widget_class_bind_template_child (widget_class, HearthTensorNumbers, column_spin);
  gtk_widget_class_bind_template_child (widget_class, HearthTensorNumbers, row_adjustment);
  gtk_widget_class_bind_template_child (widget_class, HearthTensorNumbers, column_adjustment);
  gtk_widget_class_bind_template_child (widget_class, HearthTensorNumbers, grid);
  gtk_widget_class_bind_template_child (widget_class, HearthTensorNumbers, detail);
  gtk_widget_class_bind_template_callback (widget_class, moved_cb);
  gtk_widget_class_bind_template_callback (widget_class, place_changed_cb);
}

static void
hearth_tensor_numbers_init (HearthTensorNumbers *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
hearth_tensor_numbers_show (HearthTensorNumbers *self, HearthTensor *tensor)
{
  g_return_if_fail (HEARTH_IS_TENSOR_NUMBERS (self));

  if (!g_set_object (&self->tensor, tensor))
    return;
  g_clear_object (&self->rows);
  self->rows = hearth_tensor_rows_new (tensor);
  g_signal_connect_object (self->rows, "changed", G_CALLBACK (show_detail), self,
                           G_CONNECT_SWAPPED | G_CONNECT_AFTER);
  gtk_adjustment_set_upper (self->row_adjustment,
                            (double) MAX (hearth_tensor_get_n_rows (tensor), 1) - 1);
  gtk_adjustment_set_upper (self->column_adjustment,
                            (double) MAX (hearth_tensor_get_row_length (tensor), 1) - 1);
  hearth_tensor_grid_set_rows (self->grid, self->rows);
  show_detail (self);
}
