/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Cursor, selection, keys and pointer of a grid. */
#include "hearth-cell-grid-private.h"

#include <math.h>

#include "hearth-shortcuts.h"

/* ---- cursor ----------------------------------------------------------------------------- */

void
_hearth_cell_grid_announce (HearthCellGrid *self, gboolean aloud)
{
  HearthCellGridPrivate *priv = _hearth_cell_grid_get (self);
  HearthCellGridClass *klass = HEARTH_CELL_GRID_GET_CLASS (self);
  g_autofree char *text = NULL;

  if (klass->describe == NULL || priv->geometry.n_rows == 0 || priv->geometry.n_columns == 0)
    return;
  text = klass->describe (self, priv->cursor.row, priv->cursor.column);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text,
                                  -1);
  if (aloud && gtk_widget_get_mapped (GTK_WIDGET (self)))
    gtk_accessible_announce (GTK_ACCESSIBLE (self), text,
                             GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_MEDIUM);
}

void
hearth_cell_grid_set_cursor (HearthCellGrid *self, guint64 row, guint64 column, gboolean extend)
{
  HearthCellGridPrivate *priv;
  HearthCell old;

  g_return_if_fail (HEARTH_IS_CELL_GRID (self));

  priv = _hearth_cell_grid_get (self);
  old = priv->cursor;
  if (priv->geometry.n_rows == 0 || priv->geometry.n_columns == 0)
    return;
  priv->cursor.row = MIN (row, priv->geometry.n_rows - 1);
  priv->cursor.column = MIN (column, priv->geometry.n_columns - 1);
  if (!extend || !priv->selectable)
    priv->anchor = priv->cursor;
  _hearth_cell_grid_scroll_to_cursor (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  if (old.row != priv->cursor.row || old.column != priv->cursor.column)
    _hearth_cell_grid_announce (self, gtk_widget_has_focus (GTK_WIDGET (self)));
  _hearth_cell_grid_emit (self, HEARTH_GRID_CURSOR_MOVED);
}

static guint64
moved (guint64 at, gint64 by, guint64 n)
{
  if (by < 0)
    return at - MIN (at, (guint64) -by);
  return at + MIN (n - 1 - at, (guint64) by);
}

enum move
{
  MOVE_CELLS,
  MOVE_PAGES,
  MOVE_ROW_ENDS,
  MOVE_ENDS
};

static gboolean
move_cb (GtkWidget *widget, GVariant *args, gpointer data)
{
  HearthCellGrid *self = HEARTH_CELL_GRID (widget);
  HearthCellGridPrivate *priv = _hearth_cell_grid_get (self);
  HearthCell to = priv->cursor;
  guint64 n_rows = priv->geometry.n_rows, n_columns = priv->geometry.n_columns;
  int move, x, y;
  gboolean extend;

  g_variant_get (args, "(iiib)", &move, &x, &y, &extend);
  if (n_rows == 0 || n_columns == 0)
    return FALSE;
  if (x != 0 && move == MOVE_CELLS && _hearth_cell_grid_is_mirrored (self))
    x = -x;
  switch ((enum move) move)
    {
    case MOVE_CELLS:
      /* As text does: on to the next row. */
      if (priv->flows && x > 0 && to.column + 1 == n_columns && to.row + 1 < n_rows)
        to = (HearthCell) { to.row + 1, 0 };
      else if (priv->flows && x < 0 && to.column == 0 && to.row > 0)
        to = (HearthCell) { to.row - 1, n_columns - 1 };
      else
        to.column = moved (to.column, x, n_columns);
      to.row = moved (to.row, y, n_rows);
      break;
    case MOVE_PAGES:
      to.row =
        moved (to.row,
               y * MAX (1, (gint64) (_hearth_cell_grid_get_page (self, GTK_ORIENTATION_VERTICAL) /
                                     priv->geometry.cell_height) -
                             1),
               n_rows);
      break;
    case MOVE_ROW_ENDS:
      to.column = x < 0 ? 0 : n_columns - 1;
      break;
    case MOVE_ENDS:
      to.row = y < 0 ? 0 : n_rows - 1;
      to.column = y < 0 ? 0 : n_columns - 1;
      break;
    default:
      g_assert_not_reached ();
    }
  hearth_cell_grid_set_cursor (self, to.row, to.column, extend);
  return TRUE;
}

static gboolean
activate_cb (GtkWidget *widget, GVariant *args, gpointer data)
{
  _hearth_cell_grid_emit (HEARTH_CELL_GRID (widget), HEARTH_GRID_CELL_ACTIVATED);
  return TRUE;
}

static gboolean
zoom_cb (GtkWidget *widget, GVariant *args, gpointer data)
{
  _hearth_cell_grid_emit (HEARTH_CELL_GRID (widget), HEARTH_GRID_ZOOM, g_variant_get_int32 (args));
  return TRUE;
}

/* ---- the pointer ------------------------------------------------------------------------ */

enum part
{
  PART_NONE,
  PART_CELL,
  PART_ROW_TITLE,
  PART_COLUMN_TITLE
};

static enum part
find_part (HearthCellGrid *self, double x, double y, HearthCell *cell)
{
  HearthCellGridPrivate *priv = _hearth_cell_grid_get (self);
  const HearthCellGeometry *g = &priv->geometry;
  gboolean in_rows = y >= g->title_height, in_columns;
  double page = _hearth_cell_grid_get_page (self, GTK_ORIENTATION_HORIZONTAL);
  double at = x - g->title_width + _hearth_cell_grid_get_value (self, GTK_ORIENTATION_HORIZONTAL);
  double row =
    floor ((y - g->title_height + _hearth_cell_grid_get_value (self, GTK_ORIENTATION_VERTICAL)) /
           g->cell_height);
  double column;

  in_columns = _hearth_cell_grid_is_mirrored (self) ? x < page : x >= g->title_width;
  if (_hearth_cell_grid_is_mirrored (self))
    at = MAX (page, _hearth_cell_grid_get_content (self, GTK_ORIENTATION_HORIZONTAL)) - x -
         _hearth_cell_grid_get_value (self, GTK_ORIENTATION_HORIZONTAL);
  column = floor (at / g->cell_width);
  if (g->n_rows == 0 || g->n_columns == 0)
    return PART_NONE; /* nothing is laid out, and the numbers above are none */
  if ((!in_rows && !in_columns) || (in_rows && (row < 0 || row >= (double) g->n_rows)) ||
      (in_columns && (column < 0 || column >= (double) g->n_columns)))
    return PART_NONE;
  cell->row = in_rows ? (guint64) row : 0;
  cell->column = in_columns ? (guint64) column : 0;
  return !in_rows ? PART_COLUMN_TITLE : !in_columns ? PART_ROW_TITLE : PART_CELL;
}

static void
set_hover (HearthCellGrid *self, gboolean hovers, HearthCell cell)
{
  HearthCellGridPrivate *priv = _hearth_cell_grid_get (self);

  if (hovers == priv->hovers &&
      (!hovers || (cell.row == priv->hover.row && cell.column == priv->hover.column)))
    return;
  priv->hovers = hovers;
  priv->hover = cell;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  _hearth_cell_grid_emit (self, HEARTH_GRID_HOVER_CHANGED);
}

static void
motion_cb (HearthCellGrid *self, double x, double y)
{
  HearthCell cell = { 0 };

  set_hover (self, find_part (self, x, y, &cell) == PART_CELL, cell);
}

static void
leave_cb (HearthCellGrid *self)
{
  set_hover (self, FALSE, (HearthCell) { 0 });
}

static void
pressed_cb (HearthCellGrid *self, int n_press, double x, double y, GtkGestureClick *gesture)
{
  HearthCellGridPrivate *priv = _hearth_cell_grid_get (self);
  HearthCell cell = { 0 };
  GdkModifierType state =
    gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (gesture));
  enum part part = find_part (self, x, y, &cell);

  gtk_widget_grab_focus (GTK_WIDGET (self));
  priv->dragging = part == PART_CELL && priv->selectable;
  if (part == PART_CELL)
    {
      hearth_cell_grid_set_cursor (self, cell.row, cell.column, (state & GDK_SHIFT_MASK) != 0);
      _hearth_cell_grid_emit (self,
                              n_press == 2 ? HEARTH_GRID_CELL_ACTIVATED : HEARTH_GRID_CELL_CLICKED);
    }
  else if (part != PART_NONE)
    _hearth_cell_grid_emit (self, HEARTH_GRID_TITLE_CLICKED, part == PART_ROW_TITLE,
                            part == PART_ROW_TITLE ? cell.row : cell.column);
}

static void
drag_cb (HearthCellGrid *self, double dx, double dy, GtkGestureDrag *gesture)
{
  HearthCellGridPrivate *priv = _hearth_cell_grid_get (self);
  HearthCell cell = { 0 };
  double x, y;

  if (!priv->dragging || !gtk_gesture_drag_get_start_point (gesture, &x, &y) ||
      (fabs (dx) < 4 && fabs (dy) < 4))
    return;
  x = CLAMP (x + dx, priv->geometry.title_width, gtk_widget_get_width (GTK_WIDGET (self)) - 1);
  y = CLAMP (y + dy, priv->geometry.title_height, gtk_widget_get_height (GTK_WIDGET (self)) - 1);
  if (find_part (self, x, y, &cell) == PART_CELL)
    hearth_cell_grid_set_cursor (self, cell.row, cell.column, TRUE);
}

static gboolean
scroll_cb (HearthCellGrid *self, double dx, double dy, GtkEventControllerScroll *controller)
{
  GdkModifierType state =
    gtk_event_controller_get_current_event_state (GTK_EVENT_CONTROLLER (controller));

  if (dy == 0)
    return GDK_EVENT_PROPAGATE;
  /* With Ctrl, and by the wheel alone where there is nothing to scroll by it. */
  if ((state & GDK_CONTROL_MASK) == 0 &&
      ((state & GDK_SHIFT_MASK) != 0 || !_hearth_cell_grid_can_zoom (self) ||
       _hearth_cell_grid_get_content (self, GTK_ORIENTATION_VERTICAL) >
         _hearth_cell_grid_get_page (self, GTK_ORIENTATION_VERTICAL)))
    return GDK_EVENT_PROPAGATE;
  _hearth_cell_grid_emit (self, HEARTH_GRID_ZOOM, dy < 0 ? 1 : -1);
  return GDK_EVENT_STOP;
}

static void
add_move (GtkWidgetClass *klass, guint key, guint keypad, GdkModifierType modifiers, enum move move,
          int x, int y)
{
  for (guint i = 0; i < 4; i++)
    {
      guint value = i % 2 == 0 ? key : keypad;
      gboolean extend = i >= 2;

      gtk_widget_class_add_binding (klass, value, modifiers | (extend ? GDK_SHIFT_MASK : 0),
                                    move_cb, "(iiib)", (int) move, x, y, extend);
    }
}

void
_hearth_cell_grid_add_keys (GtkWidgetClass *klass)
{
  static const guint enters[] = { GDK_KEY_Return, GDK_KEY_ISO_Enter, GDK_KEY_KP_Enter };

  add_move (klass, GDK_KEY_Left, GDK_KEY_KP_Left, 0, MOVE_CELLS, -1, 0);
  add_move (klass, GDK_KEY_Right, GDK_KEY_KP_Right, 0, MOVE_CELLS, 1, 0);
  add_move (klass, GDK_KEY_Up, GDK_KEY_KP_Up, 0, MOVE_CELLS, 0, -1);
  add_move (klass, GDK_KEY_Down, GDK_KEY_KP_Down, 0, MOVE_CELLS, 0, 1);
  add_move (klass, GDK_KEY_Page_Up, GDK_KEY_KP_Page_Up, 0, MOVE_PAGES, 0, -1);
  add_move (klass, GDK_KEY_Page_Down, GDK_KEY_KP_Page_Down, 0, MOVE_PAGES, 0, 1);
  add_move (klass, GDK_KEY_Home, GDK_KEY_KP_Home, 0, MOVE_ROW_ENDS, -1, 0);
  add_move (klass, GDK_KEY_End, GDK_KEY_KP_End, 0, MOVE_ROW_ENDS, 1, 0);
  add_move (klass, GDK_KEY_Home, GDK_KEY_KP_Home, GDK_CONTROL_MASK, MOVE_ENDS, 0, -1);
  add_move (klass, GDK_KEY_End, GDK_KEY_KP_End, GDK_CONTROL_MASK, MOVE_ENDS, 0, 1);
  for (guint i = 0; i < G_N_ELEMENTS (enters); i++)
    gtk_widget_class_add_binding (klass, enters[i], 0, activate_cb, NULL);
  hearth_shortcuts_add_zoom (klass, zoom_cb);
}

void
_hearth_cell_grid_add_controllers (HearthCellGrid *self)
{
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkEventController *scroll = gtk_event_controller_scroll_new (
    GTK_EVENT_CONTROLLER_SCROLL_VERTICAL | GTK_EVENT_CONTROLLER_SCROLL_DISCRETE);
  GtkGesture *click = gtk_gesture_click_new ();
  GtkGesture *drag = gtk_gesture_drag_new ();

  g_signal_connect_swapped (motion, "motion", G_CALLBACK (motion_cb), self);
  g_signal_connect_swapped (motion, "leave", G_CALLBACK (leave_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
  g_signal_connect_swapped (scroll, "scroll", G_CALLBACK (scroll_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), scroll);
  g_signal_connect_swapped (click, "pressed", G_CALLBACK (pressed_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
  g_signal_connect_swapped (drag, "drag-update", G_CALLBACK (drag_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
}

gboolean
hearth_cell_grid_get_cursor (HearthCellGrid *self, HearthCell *cell)
{
  HearthCellGridPrivate *priv;

  g_return_val_if_fail (HEARTH_IS_CELL_GRID (self), FALSE);

  priv = _hearth_cell_grid_get (self);
  *cell = priv->cursor;
  return priv->geometry.n_rows > 0 && priv->geometry.n_columns > 0;
}

gboolean
hearth_cell_grid_get_hover (HearthCellGrid *self, HearthCell *cell)
{
  g_return_val_if_fail (HEARTH_IS_CELL_GRID (self), FALSE);

  *cell = _hearth_cell_grid_get (self)->hover;
  return _hearth_cell_grid_get (self)->hovers;
}

void
hearth_cell_grid_get_selection (HearthCellGrid *self, HearthCell *first, HearthCell *last)
{
  HearthCellGridPrivate *priv;
  gboolean turned;

  g_return_if_fail (HEARTH_IS_CELL_GRID (self));

  priv = _hearth_cell_grid_get (self);
  *first = priv->anchor;
  *last = priv->cursor;
  turned = first->row > last->row ||
           (priv->flows && first->row == last->row && first->column > last->column);
  if (turned)
    {
      *first = priv->cursor;
      *last = priv->anchor;
    }
  if (!priv->flows && first->column > last->column)
    {
      guint64 column = first->column;

      first->column = last->column;
      last->column = column;
    }
}
