/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-text-table.h"

#include <glib/gi18n.h>

#include "hearth-focus.h"
#include "hearth-side-scroller.h"
#include "hearth-text-block.h"
#include "hearth-words.h"

#define PAD_X 12
#define PAD_Y 6
/* Text is not squeezed into less than this many pixels: the table scrolls instead. */
#define NARROW_COLUMN 88

/* ---- rows ------------------------------------------------------------------------------- */

/* Only there so that voice output hears of rows; the grid places the cells. */
#define HEARTH_TYPE_TEXT_ROW (hearth_text_row_get_type ())
G_DECLARE_FINAL_TYPE (HearthTextRow, hearth_text_row, HEARTH, TEXT_ROW, GtkWidget)

struct _HearthTextRow
{
  GtkWidget parent_instance;

  GArray *widths; /* borrowed from the grid: of int */
};

G_DEFINE_FINAL_TYPE (HearthTextRow, hearth_text_row, GTK_TYPE_WIDGET)

static int
row_height (HearthTextRow *self, const GArray *widths)
{
  GtkWidget *cell = gtk_widget_get_first_child (GTK_WIDGET (self));
  int most = 0;

  for (guint i = 0; cell != NULL && i < widths->len; i++, cell = gtk_widget_get_next_sibling (cell))
    {
      int height;

      gtk_widget_measure (cell, GTK_ORIENTATION_VERTICAL, g_array_index (widths, int, i), &height,
                          NULL, NULL, NULL);
      most = MAX (most, height);
    }
  return most + 2 * PAD_Y;
}

static void
hearth_text_row_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                         int *natural, int *minimum_baseline, int *natural_baseline)
{
  /* The grid asks the cells. */
  *minimum = *natural = 0;
}

static void
hearth_text_row_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  HearthTextRow *self = HEARTH_TEXT_ROW (widget);
  GtkWidget *cell = gtk_widget_get_first_child (widget);
  gboolean rtl = gtk_widget_get_direction (widget) == GTK_TEXT_DIR_RTL;
  int x = 0;

  if (self->widths == NULL)
    return;
  for (guint i = 0; cell != NULL && i < self->widths->len;
       i++, cell = gtk_widget_get_next_sibling (cell))
    {
      int inner = g_array_index (self->widths, int, i);
      int cell_height;

      gtk_widget_measure (cell, GTK_ORIENTATION_VERTICAL, inner, &cell_height, NULL, NULL, NULL);
      gtk_widget_size_allocate (
        cell,
        &(GtkAllocation) { (rtl ? width - x - inner - 2 * PAD_X : x) + PAD_X, PAD_Y, inner,
                           cell_height },
        -1);
      x += inner + 2 * PAD_X;
    }
}

static void
hearth_text_row_dispose (GObject *object)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);
  G_OBJECT_CLASS (hearth_text_row_parent_class)->dispose (object);
}

static void
hearth_text_row_class_init (HearthTextRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  G_OBJECT_CLASS (klass)->dispose = hearth_text_row_dispose;
  widget_class->measure = hearth_text_row_measure;
  widget_class->size_allocate = hearth_text_row_size_allocate;
  gtk_widget_class_set_css_name (widget_class, "row");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_ROW);
}

static void
hearth_text_row_init (HearthTextRow *self)
{
}

/* ---- the grid --------------------------------------------------------------------------- */

#define HEARTH_TYPE_TEXT_GRID (hearth_text_grid_get_type ())
G_DECLARE_FINAL_TYPE (HearthTextGrid, hearth_text_grid, HEARTH, TEXT_GRID, GtkWidget)

struct _HearthTextGrid
{
  GtkWidget parent_instance;

  guint n_columns;
  GArray *widths; /* of int: of the texts, without their padding */
};

G_DEFINE_FINAL_TYPE (HearthTextGrid, hearth_text_grid, GTK_TYPE_WIDGET)

/* What each column needs at least and would like, without padding. */
static void
ask_columns (HearthTextGrid *self, GArray *least, GArray *liked)
{
  g_array_set_size (least, self->n_columns);
  g_array_set_size (liked, self->n_columns);
  for (GtkWidget *row = gtk_widget_get_first_child (GTK_WIDGET (self)); row != NULL;
       row = gtk_widget_get_next_sibling (row))
    {
      GtkWidget *cell = gtk_widget_get_first_child (row);

      for (guint i = 0; cell != NULL && i < self->n_columns;
           i++, cell = gtk_widget_get_next_sibling (cell))
        {
          int natural;

          gtk_widget_measure (cell, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &natural, NULL, NULL);
          g_array_index (least, int, i) =
            MAX (g_array_index (least, int, i), MIN (natural, NARROW_COLUMN));
          g_array_index (liked, int, i) = MAX (g_array_index (liked, int, i), natural);
        }
    }
}

static int
sum (const GArray *widths)
{
  int all = 0;

  for (guint i = 0; i < widths->len; i++)
    all += g_array_index (widths, int, i) + 2 * PAD_X;
  return all;
}

/* Shares `width` out: every column gets what it needs, then all grow towards what they would like
 * in proportion to what they lack. */
static void
share (HearthTextGrid *self, int width, GArray *widths)
{
  g_autoptr (GArray) liked = g_array_new (FALSE, TRUE, sizeof (int));
  int lack = 0, left;

  ask_columns (self, widths, liked);
  for (guint i = 0; i < widths->len; i++)
    lack += g_array_index (liked, int, i) - g_array_index (widths, int, i);
  left = CLAMP (width - sum (widths), 0, lack);
  for (guint i = 0; i < widths->len && lack > 0; i++)
    {
      int wish = g_array_index (liked, int, i) - g_array_index (widths, int, i);
      int part = (int) ((gint64) left * wish / lack);

      g_array_index (widths, int, i) += part;
      left -= part;
      lack -= wish;
    }
}

static GtkSizeRequestMode
hearth_text_grid_get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
hearth_text_grid_measure (GtkWidget *widget, GtkOrientation orientation, int for_size, int *minimum,
                          int *natural, int *minimum_baseline, int *natural_baseline)
{
  HearthTextGrid *self = HEARTH_TEXT_GRID (widget);
  g_autoptr (GArray) widths = g_array_new (FALSE, TRUE, sizeof (int));
  g_autoptr (GArray) liked = g_array_new (FALSE, TRUE, sizeof (int));

  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      ask_columns (self, widths, liked);
      *minimum = sum (widths);
      *natural = MAX (sum (liked), *minimum);
      return;
    }
  share (self, MAX (for_size, 0), widths);
  *natural = 0;
  for (GtkWidget *row = gtk_widget_get_first_child (widget); row != NULL;
       row = gtk_widget_get_next_sibling (row))
    *natural += row_height (HEARTH_TEXT_ROW (row), widths);
  *minimum = *natural;
}

static void
hearth_text_grid_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  HearthTextGrid *self = HEARTH_TEXT_GRID (widget);
  int y = 0;

  g_array_set_size (self->widths, 0);
  share (self, width, self->widths);
  for (GtkWidget *row = gtk_widget_get_first_child (widget); row != NULL;
       row = gtk_widget_get_next_sibling (row))
    {
      int row_size = row_height (HEARTH_TEXT_ROW (row), self->widths);

      HEARTH_TEXT_ROW (row)->widths = self->widths;
      /* A row counts as unchanged when its size is; its columns may have moved all the same. */
      gtk_widget_queue_allocate (row);
      gtk_widget_size_allocate (row, &(GtkAllocation) { 0, y, width, row_size }, -1);
      y += row_size;
    }
}

static void
hearth_text_grid_dispose (GObject *object)
{
  GtkWidget *child;

  while ((child = gtk_widget_get_first_child (GTK_WIDGET (object))) != NULL)
    gtk_widget_unparent (child);
  g_clear_pointer (&HEARTH_TEXT_GRID (object)->widths, g_array_unref);
  G_OBJECT_CLASS (hearth_text_grid_parent_class)->dispose (object);
}

static void
hearth_text_grid_class_init (HearthTextGridClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  G_OBJECT_CLASS (klass)->dispose = hearth_text_grid_dispose;
  widget_class->get_request_mode = hearth_text_grid_get_request_mode;
  widget_class->measure = hearth_text_grid_measure;
  widget_class->size_allocate = hearth_text_grid_size_allocate;
  gtk_widget_class_set_css_name (widget_class, "grid");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_TABLE);
}

static void
hearth_text_grid_init (HearthTextGrid *self)
{
  self->widths = g_array_new (FALSE, TRUE, sizeof (int));
}

static void
set_row (GtkWidget *row, const HearthMarkdownBlock *block, guint number)
{
  const GPtrArray *cells = block->rows->pdata[number];
  GtkWidget *cell = gtk_widget_get_first_child (row);

  for (guint i = 0; i < block->n_columns && i < cells->len; i++)
    {
      if (cell == NULL)
        {
          cell = hearth_text_block_new (GTK_ACCESSIBLE_ROLE_CELL, HEARTH_TEXT_WRAP);
          gtk_widget_set_parent (cell, row);
        }
      hearth_text_block_set_align (HEARTH_TEXT_BLOCK (cell),
                                   g_array_index (block->aligns, HearthMarkdownAlign, i));
      hearth_text_block_set_text (HEARTH_TEXT_BLOCK (cell), cells->pdata[i]);
      cell = gtk_widget_get_next_sibling (cell);
    }
  while (cell != NULL)
    {
      GtkWidget *next = gtk_widget_get_next_sibling (cell);

      gtk_widget_unparent (cell);
      cell = next;
    }
}

static void
set_rows (HearthTextGrid *self, const HearthMarkdownBlock *block)
{
  GtkWidget *row = gtk_widget_get_first_child (GTK_WIDGET (self));

  self->n_columns = block->n_columns;
  for (guint i = 0; i < block->rows->len; i++)
    {
      if (row == NULL)
        {
          row = g_object_new (HEARTH_TYPE_TEXT_ROW, NULL);
          gtk_widget_add_css_class (row, i == 0 ? "header" : "body");
          gtk_widget_set_parent (row, GTK_WIDGET (self));
        }
      set_row (row, block, i);
      row = gtk_widget_get_next_sibling (row);
    }
  while (row != NULL)
    {
      GtkWidget *next = gtk_widget_get_next_sibling (row);

      gtk_widget_unparent (row);
      row = next;
    }
}

/* ---- the frame -------------------------------------------------------------------------- */

struct _HearthTextTable
{
  GtkWidget parent_instance;

  GtkWidget *scroller;
  HearthTextGrid *grid;
};

G_DEFINE_FINAL_TYPE (HearthTextTable, hearth_text_table, GTK_TYPE_WIDGET)

static void
hearth_text_table_dispose (GObject *object)
{
  g_clear_pointer (&HEARTH_TEXT_TABLE (object)->scroller, gtk_widget_unparent);
  G_OBJECT_CLASS (hearth_text_table_parent_class)->dispose (object);
}

static void
hearth_text_table_class_init (HearthTextTableClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  G_OBJECT_CLASS (klass)->dispose = hearth_text_table_dispose;
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_css_name (widget_class, "texttable");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GENERIC);
}

static void
hearth_text_table_init (HearthTextTable *self)
{
  self->grid = g_object_new (HEARTH_TYPE_TEXT_GRID, NULL);
  self->scroller = hearth_side_scroller_new (GTK_WIDGET (self->grid));
  gtk_widget_set_parent (self->scroller, GTK_WIDGET (self));
  gtk_widget_set_halign (GTK_WIDGET (self), GTK_ALIGN_START);
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
}

GtkWidget *
hearth_text_table_new (void)
{
  return g_object_new (HEARTH_TYPE_TEXT_TABLE, NULL);
}

void
hearth_text_table_set_block (HearthTextTable *self, const HearthMarkdownBlock *block)
{
  g_autofree char *columns = NULL;
  g_autofree char *rows = NULL;
  g_autofree char *label = NULL;

  g_return_if_fail (HEARTH_IS_TEXT_TABLE (self));

  set_rows (self->grid, block);
  /* Translators: how many columns and rows a table has */
  columns = hearth_words_for_number (block->n_columns);
  rows = hearth_words_for_number (block->rows->len);
  label = g_strdup_printf (_ ("Table, %1$s columns, %2$s rows"), columns, rows);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->grid), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                  -1);
}
