/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-token-flow-private.h"

#include <math.h>

#include "hearth-weak.h"

/* A text of more bytes is broken into lines on another thread. */
#define SOON_BYTES (128 * 1024)
/* Fewer columns are of no use. */
#define LEAST_COLUMNS 10

enum
{
  PROP_0,
  PROP_SHADED,
  PROP_SHOW_SPACES,
  PROP_CELL,
  N_PROPS,
  PROP_HADJUSTMENT = N_PROPS,
  PROP_VADJUSTMENT,
  PROP_HSCROLL_POLICY,
  PROP_VSCROLL_POLICY,
};

static GParamSpec *properties[N_PROPS];

G_DEFINE_FINAL_TYPE_WITH_CODE (HearthTokenFlow, hearth_token_flow, GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (GTK_TYPE_SCROLLABLE, NULL)
                                 G_IMPLEMENT_INTERFACE (GTK_TYPE_ACCESSIBLE_TEXT,
                                                        _hearth_token_flow_accessible_init))

/* ---- lines ------------------------------------------------------------------------------ */

static void break_lines (HearthTokenFlow *self);
static void show_focus (HearthTokenFlow *self);

static void
update_adjustment (HearthTokenFlow *self)
{
  GtkAdjustment *vertical = self->adjustments[1];
  double height = gtk_widget_get_height (GTK_WIDGET (self));
  guint n = self->lines != NULL ? hearth_token_lines_get_n (self->lines) : 0;
  double whole = n * (double) self->line_height + 2 * HEARTH_FLOW_MARGIN;

  if (vertical != NULL && height > 0)
    gtk_adjustment_configure (vertical,
                              MIN (gtk_adjustment_get_value (vertical), MAX (0, whole - height)), 0,
                              MAX (whole, height), self->line_height,
                              MAX (self->line_height, height - self->line_height), height);
}

static void
take_lines (HearthTokenFlow *self, HearthTokenLines *lines)
{
  g_clear_pointer (&self->lines, hearth_token_lines_unref);
  self->lines = lines;
  _hearth_token_flow_forget (self, 1, 0);
  update_adjustment (self);
  if (self->focus_hidden)
    show_focus (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

struct breaking
{
  HearthTokenText *text;
  guint n_columns;
};

static void
breaking_free (gpointer data)
{
  hearth_token_text_unref (((struct breaking *) data)->text);
  g_free (data);
}

static void
break_in_thread (GTask *task, gpointer source, gpointer task_data, GCancellable *cancellable)
{
  struct breaking *breaking = task_data;

  g_task_return_pointer (task, hearth_token_lines_new (breaking->text, breaking->n_columns),
                         (GDestroyNotify) hearth_token_lines_unref);
}

static void
broken_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HearthTokenFlow) self = hearth_weak_take (user_data);
  struct breaking *breaking = g_task_get_task_data (G_TASK (result));
  g_autoptr (HearthTokenLines) lines = g_task_propagate_pointer (G_TASK (result), NULL);

  if (self == NULL)
    return;
  self->breaking = FALSE;
  if (breaking->text == self->text)
    take_lines (self, g_steal_pointer (&lines));
  if (self->stale)
    break_lines (self);
}

static void
break_lines (HearthTokenFlow *self)
{
  g_autoptr (GTask) task = NULL;
  struct breaking *breaking;
  gsize size;

  self->stale = self->breaking;
  if (self->text == NULL || self->n_columns == 0 || self->breaking)
    return;
  hearth_token_text_get_text (self->text, &size);
  if (size <= SOON_BYTES)
    {
      take_lines (self, hearth_token_lines_new (self->text, self->n_columns));
      return;
    }
  self->breaking = TRUE;
  breaking = g_new0 (struct breaking, 1);
  breaking->text = hearth_token_text_ref (self->text);
  breaking->n_columns = self->n_columns;
  task = g_task_new (NULL, NULL, broken_cb, hearth_weak_new (self));
  g_task_set_source_tag (task, break_lines);
  g_task_set_task_data (task, breaking, breaking_free);
  g_task_run_in_thread (task, break_in_thread);
}

double
_hearth_token_flow_get_top (HearthTokenFlow *self)
{
  return self->adjustments[1] != NULL ? gtk_adjustment_get_value (self->adjustments[1]) : 0;
}

/* ---- the token that is looked at -------------------------------------------------------- */

static guint
line_of (HearthTokenFlow *self, guint cell)
{
  HearthTokenCell at;

  hearth_token_text_get_cell (self->text, cell, &at);
  return hearth_token_lines_find (self->lines, at.from);
}

static void
scroll_to (HearthTokenFlow *self, guint line)
{
  GtkAdjustment *vertical = self->adjustments[1];
  double y = line * (double) self->line_height;

  if (vertical != NULL)
    gtk_adjustment_clamp_page (vertical, y, y + self->line_height + 2 * HEARTH_FLOW_MARGIN);
}

/* Scrolls to the token that has been moved to, once its line is known. */
static void
show_focus (HearthTokenFlow *self)
{
  self->focus_hidden = self->lines == NULL;
  if (self->lines != NULL && self->focus_cell >= 0)
    scroll_to (self, line_of (self, (guint) self->focus_cell));
}

static gboolean
can_move (HearthTokenFlow *self)
{
  return self->text != NULL && hearth_token_text_get_n_cells (self->text) > 0;
}

static void
look_at (HearthTokenFlow *self, int cell)
{
  g_autofree char *words = NULL;

  self->hover_cell = -1;
  self->focus_cell = CLAMP (cell, 0, (int) hearth_token_text_get_n_cells (self->text) - 1);
  show_focus (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CELL]);
  gtk_accessible_text_update_caret_position (GTK_ACCESSIBLE_TEXT (self));
  words = _hearth_token_flow_describe (self);
  gtk_accessible_announce (GTK_ACCESSIBLE (self), words,
                           GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_MEDIUM);
}

/* The part of a line that is nearest to x. */
static int
cell_near (HearthTokenFlow *self, guint line, float x)
{
  const struct hearth_flow_line *at = _hearth_token_flow_get_line (self, line);
  int found = -1;

  for (guint i = 0; i < at->parts->len; i++)
    {
      const struct hearth_flow_part *part = &g_array_index (at->parts, struct hearth_flow_part, i);

      if (found < 0 || part->x <= x)
        found = (int) part->cell;
    }
  return found;
}

static gboolean
move_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  HearthTokenFlow *self = HEARTH_TOKEN_FLOW (widget);
  int by_cells, by_lines;

  g_variant_get (args, "(ii)", &by_cells, &by_lines);
  if (!can_move (self))
    return FALSE;
  if (self->focus_cell < 0)
    look_at (self, 0);
  else if (by_lines == 0)
    look_at (self, self->focus_cell + by_cells);
  else if (self->lines != NULL)
    {
      guint line = line_of (self, (guint) self->focus_cell);
      int n = (int) hearth_token_lines_get_n (self->lines);
      int page = MAX (1, (int) ((float) gtk_widget_get_height (widget) / self->line_height) - 1);
      int by = ABS (by_lines) > 1 ? (by_lines > 0 ? page : -page) : by_lines;
      const struct hearth_flow_line *from = _hearth_token_flow_get_line (self, line);
      float x = 0;

      for (guint i = 0; i < from->parts->len; i++)
        {
          const struct hearth_flow_part *part =
            &g_array_index (from->parts, struct hearth_flow_part, i);

          if ((int) part->cell == self->focus_cell)
            x = part->x + part->width / 2;
        }
      look_at (self, cell_near (self, (guint) CLAMP ((int) line + by, 0, n - 1), x));
    }
  return TRUE;
}

/* To an end of the line, or of the whole. */
static gboolean
end_cb (GtkWidget *widget, GVariant *args, gpointer user_data)
{
  HearthTokenFlow *self = HEARTH_TOKEN_FLOW (widget);
  gboolean last, whole;
  guint line, from, to;

  g_variant_get (args, "(bb)", &last, &whole);
  if (!can_move (self))
    return FALSE;
  if (whole)
    {
      look_at (self, last ? G_MAXINT : 0);
      return TRUE;
    }
  if (self->lines == NULL)
    return TRUE;
  line = line_of (self, (guint) MAX (0, self->focus_cell));
  hearth_token_lines_get (self->lines, line, &from, &to);
  look_at (self, (int) hearth_token_text_find_cell (self->text, last ? MAX (to, 1) - 1 : from));
  return TRUE;
}

static int
cell_at (HearthTokenFlow *self, double x, double y)
{
  const struct hearth_flow_line *line;
  double at = y + _hearth_token_flow_get_top (self) - HEARTH_FLOW_MARGIN;

  if (!can_move (self) || self->lines == NULL || at < 0 ||
      at >= hearth_token_lines_get_n (self->lines) * (double) self->line_height)
    return -1;
  line = _hearth_token_flow_get_line (self, (guint) (at / self->line_height));
  for (guint i = 0; i < line->parts->len; i++)
    {
      const struct hearth_flow_part *part =
        &g_array_index (line->parts, struct hearth_flow_part, i);

      if (x - HEARTH_FLOW_MARGIN >= part->x && x - HEARTH_FLOW_MARGIN < part->x + part->width)
        return (int) part->cell;
    }
  return -1;
}

static void
set_hover (HearthTokenFlow *self, int cell)
{
  if (self->hover_cell == cell)
    return;
  self->hover_cell = cell;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CELL]);
}

/* A pointer that rests while the text moves under it does not take over from the keys. */
static void
enter_cb (HearthTokenFlow *self, double x, double y)
{
  self->pointer_x = x;
  self->pointer_y = y;
}

static void
motion_cb (HearthTokenFlow *self, double x, double y)
{
  if (fabs (x - self->pointer_x) < 1 && fabs (y - self->pointer_y) < 1)
    return;
  enter_cb (self, x, y);
  set_hover (self, cell_at (self, x, y));
}

static void
leave_cb (HearthTokenFlow *self)
{
  set_hover (self, -1);
}

static void
pressed_cb (HearthTokenFlow *self, int n_press, double x, double y)
{
  int cell = cell_at (self, x, y);

  gtk_widget_grab_focus (GTK_WIDGET (self));
  if (cell >= 0)
    look_at (self, cell);
}

static void
focus_changed_cb (HearthTokenFlow *self)
{
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
focus_in_cb (HearthTokenFlow *self)
{
  if (self->focus_cell < 0 && self->hover_cell < 0 && can_move (self))
    look_at (self, 0);
  focus_changed_cb (self);
}

/* ---- the widget ------------------------------------------------------------------------- */

static void
scrolled_cb (HearthTokenFlow *self)
{
  self->hover_cell = -1;
  gtk_widget_queue_draw (GTK_WIDGET (self));
}

static void
set_adjustment (HearthTokenFlow *self, guint i, GtkAdjustment *adjustment)
{
  if (self->adjustments[i] == adjustment)
    return;
  if (self->adjustments[i] != NULL)
    g_signal_handlers_disconnect_by_data (self->adjustments[i], self);
  g_set_object (&self->adjustments[i], adjustment);
  if (adjustment != NULL && i == 1)
    g_signal_connect_object (adjustment, "value-changed", G_CALLBACK (scrolled_cb), self,
                             G_CONNECT_SWAPPED);
  update_adjustment (self);
}

static void
hearth_token_flow_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  HearthTokenFlow *self = HEARTH_TOKEN_FLOW (object);

  switch (id)
    {
    case PROP_SHADED:
      hearth_token_flow_set_shaded (self, g_value_get_boolean (value));
      break;
    case PROP_SHOW_SPACES:
      self->show_spaces = g_value_get_boolean (value);
      _hearth_token_flow_forget (self, 1, 0);
      gtk_widget_queue_draw (GTK_WIDGET (self));
      break;
    case PROP_HADJUSTMENT:
      set_adjustment (self, 0, g_value_get_object (value));
      break;
    case PROP_VADJUSTMENT:
      set_adjustment (self, 1, g_value_get_object (value));
      break;
    case PROP_HSCROLL_POLICY:
      self->policies[0] = (guint) g_value_get_enum (value);
      break;
    case PROP_VSCROLL_POLICY:
      self->policies[1] = (guint) g_value_get_enum (value);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
hearth_token_flow_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  HearthTokenFlow *self = HEARTH_TOKEN_FLOW (object);

  switch (id)
    {
    case PROP_SHADED:
      g_value_set_boolean (value, self->shaded);
      break;
    case PROP_SHOW_SPACES:
      g_value_set_boolean (value, self->show_spaces);
      break;
    case PROP_CELL:
      g_value_set_int (value, hearth_token_flow_get_cell (self));
      break;
    case PROP_HADJUSTMENT:
      g_value_set_object (value, self->adjustments[0]);
      break;
    case PROP_VADJUSTMENT:
      g_value_set_object (value, self->adjustments[1]);
      break;
    case PROP_HSCROLL_POLICY:
      g_value_set_enum (value, (int) self->policies[0]);
      break;
    case PROP_VSCROLL_POLICY:
      g_value_set_enum (value, (int) self->policies[1]);
      break;
    default:
      G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
    }
}

static void
hearth_token_flow_measure (GtkWidget *widget, GtkOrientation orientation, int for_size,
                           int *minimum, int *natural, int *minimum_baseline, int *natural_baseline)
{
  HearthTokenFlow *self = HEARTH_TOKEN_FLOW (widget);

  _hearth_token_flow_measure_font (self);
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    *minimum = *natural = (int) ceilf (self->char_width * LEAST_COLUMNS) + 2 * HEARTH_FLOW_MARGIN;
  else
    {
      guint n = self->lines != NULL ? hearth_token_lines_get_n (self->lines) : 1;

      *minimum = (int) self->line_height + 2 * HEARTH_FLOW_MARGIN;
      *natural = (int) MIN (n * (double) self->line_height, 4000) + 2 * HEARTH_FLOW_MARGIN;
    }
}

static void
hearth_token_flow_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  HearthTokenFlow *self = HEARTH_TOKEN_FLOW (widget);
  guint n_columns;

  _hearth_token_flow_measure_font (self);
  /* One column is left for characters that are a little wider than they should be. */
  n_columns = (guint) MAX (
    LEAST_COLUMNS - 1, floorf ((float) (width - 2 * HEARTH_FLOW_MARGIN) / self->char_width) - 1);
  if (n_columns != self->n_columns)
    {
      self->n_columns = n_columns;
      break_lines (self);
    }
  update_adjustment (self);
}

static void
hearth_token_flow_css_changed (GtkWidget *widget, GtkCssStyleChange *change)
{
  HearthTokenFlow *self = HEARTH_TOKEN_FLOW (widget);

  GTK_WIDGET_CLASS (hearth_token_flow_parent_class)->css_changed (widget, change);
  if (self->realized != NULL)
    _hearth_token_flow_forget (self, 1, 0);
  self->line_height = 0; /* measured anew */
  gtk_widget_queue_resize (widget);
}

static void
hearth_token_flow_dispose (GObject *object)
{
  HearthTokenFlow *self = HEARTH_TOKEN_FLOW (object);

  set_adjustment (self, 0, NULL);
  set_adjustment (self, 1, NULL);
  for (guint i = 0; i < HEARTH_FLOW_N_COLORS; i++)
    g_clear_pointer (&self->colors[i], gtk_widget_unparent);
  g_hash_table_remove_all (self->realized);
  g_clear_pointer (&self->text, hearth_token_text_unref);
  g_clear_pointer (&self->lines, hearth_token_lines_unref);
  G_OBJECT_CLASS (hearth_token_flow_parent_class)->dispose (object);
}

static void
hearth_token_flow_finalize (GObject *object)
{
  g_hash_table_unref (HEARTH_TOKEN_FLOW (object)->realized);
  G_OBJECT_CLASS (hearth_token_flow_parent_class)->finalize (object);
}

static void
add_move (GtkWidgetClass *widget_class, guint key, guint keypad, int by_cells, int by_lines)
{
  gtk_widget_class_add_binding (widget_class, key, 0, move_cb, "(ii)", by_cells, by_lines);
  gtk_widget_class_add_binding (widget_class, keypad, 0, move_cb, "(ii)", by_cells, by_lines);
}

static void
add_end (GtkWidgetClass *widget_class, guint key, guint keypad, gboolean last)
{
  gtk_widget_class_add_binding (widget_class, key, 0, end_cb, "(bb)", last, FALSE);
  gtk_widget_class_add_binding (widget_class, keypad, 0, end_cb, "(bb)", last, FALSE);
  gtk_widget_class_add_binding (widget_class, key, GDK_CONTROL_MASK, end_cb, "(bb)", last, TRUE);
  gtk_widget_class_add_binding (widget_class, keypad, GDK_CONTROL_MASK, end_cb, "(bb)", last, TRUE);
}

static void
hearth_token_flow_class_init (HearthTokenFlowClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  const GParamFlags flags = G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->dispose = hearth_token_flow_dispose;
  object_class->finalize = hearth_token_flow_finalize;
  object_class->get_property = hearth_token_flow_get_property;
  object_class->set_property = hearth_token_flow_set_property;
  widget_class->measure = hearth_token_flow_measure;
  widget_class->size_allocate = hearth_token_flow_size_allocate;
  widget_class->snapshot = _hearth_token_flow_snapshot;
  widget_class->css_changed = hearth_token_flow_css_changed;
  gtk_widget_class_set_css_name (widget_class, "tokenflow");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_TEXT_BOX);

  properties[PROP_SHADED] = g_param_spec_boolean ("shaded", NULL, NULL, TRUE, flags);
  properties[PROP_SHOW_SPACES] = g_param_spec_boolean ("show-spaces", NULL, NULL, FALSE, flags);
  properties[PROP_CELL] =
    g_param_spec_int ("cell", NULL, NULL, -1, G_MAXINT, -1,
                      G_PARAM_READABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  g_object_class_override_property (object_class, PROP_HADJUSTMENT, "hadjustment");
  g_object_class_override_property (object_class, PROP_VADJUSTMENT, "vadjustment");
  g_object_class_override_property (object_class, PROP_HSCROLL_POLICY, "hscroll-policy");
  g_object_class_override_property (object_class, PROP_VSCROLL_POLICY, "vscroll-policy");

  /* Tokens follow each other from left to right, whatever the language of the window. */
  add_move (widget_class, GDK_KEY_Left, GDK_KEY_KP_Left, -1, 0);
  add_move (widget_class, GDK_KEY_Right, GDK_KEY_KP_Right, 1, 0);
  add_move (widget_class, GDK_KEY_Up, GDK_KEY_KP_Up, 0, -1);
  add_move (widget_class, GDK_KEY_Down, GDK_KEY_KP_Down, 0, 1);
  add_move (widget_class, GDK_KEY_Page_Up, GDK_KEY_KP_Page_Up, 0, -2);
  add_move (widget_class, GDK_KEY_Page_Down, GDK_KEY_KP_Page_Down, 0, 2);
  add_end (widget_class, GDK_KEY_Home, GDK_KEY_KP_Home, FALSE);
  add_end (widget_class, GDK_KEY_End, GDK_KEY_KP_End, TRUE);
}

static void
hearth_token_flow_init (HearthTokenFlow *self)
{
  static const char *const classes[HEARTH_FLOW_N_COLORS] = { "odd",    "even",   "pill",
                                                             "escape", "border", "focus" };
  GtkEventController *motion = gtk_event_controller_motion_new ();
  GtkEventController *focus = gtk_event_controller_focus_new ();
  GtkGesture *click = gtk_gesture_click_new ();

  self->shaded = TRUE;
  self->focus_cell = self->hover_cell = -1;
  self->realized = g_hash_table_new_full (NULL, NULL, NULL, _hearth_flow_line_free);
  for (guint i = 0; i < HEARTH_FLOW_N_COLORS; i++)
    {
      self->colors[i] = g_object_new (GTK_TYPE_BOX, "css-name", "tokencolor", "accessible-role",
                                      GTK_ACCESSIBLE_ROLE_PRESENTATION, NULL);
      gtk_widget_add_css_class (self->colors[i], classes[i]);
      gtk_widget_set_parent (self->colors[i], GTK_WIDGET (self));
      gtk_widget_set_child_visible (self->colors[i], FALSE);
    }
  gtk_widget_set_focusable (GTK_WIDGET (self), TRUE);
  gtk_widget_set_direction (GTK_WIDGET (self), GTK_TEXT_DIR_LTR);
  gtk_widget_add_css_class (GTK_WIDGET (self), "monospace");
  gtk_accessible_update_property (GTK_ACCESSIBLE (self), GTK_ACCESSIBLE_PROPERTY_READ_ONLY, TRUE,
                                  GTK_ACCESSIBLE_PROPERTY_MULTI_LINE, TRUE, -1);
  g_signal_connect_swapped (motion, "enter", G_CALLBACK (enter_cb), self);
  g_signal_connect_swapped (motion, "motion", G_CALLBACK (motion_cb), self);
  g_signal_connect_swapped (motion, "leave", G_CALLBACK (leave_cb), self);
  g_signal_connect_swapped (focus, "enter", G_CALLBACK (focus_in_cb), self);
  g_signal_connect_swapped (focus, "leave", G_CALLBACK (focus_changed_cb), self);
  g_signal_connect_swapped (click, "pressed", G_CALLBACK (pressed_cb), self);
  gtk_widget_add_controller (GTK_WIDGET (self), motion);
  gtk_widget_add_controller (GTK_WIDGET (self), focus);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (click));
}

/* ---- public ----------------------------------------------------------------------------- */

void
hearth_token_flow_set_text (HearthTokenFlow *self, HearthTokenText *text)
{
  guint n_cells;

  g_return_if_fail (HEARTH_IS_TOKEN_FLOW (self));

  if (self->text == text)
    return;
  g_clear_pointer (&self->text, hearth_token_text_unref);
  g_clear_pointer (&self->lines, hearth_token_lines_unref);
  _hearth_token_flow_forget (self, 1, 0);
  self->hover_cell = -1;
  if (text != NULL)
    self->text = hearth_token_text_ref (text);
  n_cells = text != NULL ? hearth_token_text_get_n_cells (text) : 0;
  if (self->focus_cell >= (int) n_cells)
    self->focus_cell = -1;
  break_lines (self);
  gtk_widget_queue_draw (GTK_WIDGET (self));
  gtk_accessible_text_update_contents (GTK_ACCESSIBLE_TEXT (self),
                                       GTK_ACCESSIBLE_TEXT_CONTENT_CHANGE_INSERT, 0, 0);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CELL]);
}

HearthTokenText *
hearth_token_flow_get_text (HearthTokenFlow *self)
{
  g_return_val_if_fail (HEARTH_IS_TOKEN_FLOW (self), NULL);

  return self->text;
}

void
hearth_token_flow_set_shaded (HearthTokenFlow *self, gboolean shaded)
{
  g_return_if_fail (HEARTH_IS_TOKEN_FLOW (self));

  if (self->shaded == shaded)
    return;
  self->shaded = shaded;
  gtk_widget_queue_draw (GTK_WIDGET (self));
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_SHADED]);
}

int
hearth_token_flow_get_cell (HearthTokenFlow *self)
{
  g_return_val_if_fail (HEARTH_IS_TOKEN_FLOW (self), -1);

  return self->hover_cell >= 0 ? self->hover_cell : self->focus_cell;
}

guint
hearth_token_flow_get_n_realized (HearthTokenFlow *self)
{
  g_return_val_if_fail (HEARTH_IS_TOKEN_FLOW (self), 0);

  return g_hash_table_size (self->realized);
}

guint
hearth_token_flow_get_n_lines (HearthTokenFlow *self)
{
  g_return_val_if_fail (HEARTH_IS_TOKEN_FLOW (self), 0);

  return self->lines != NULL ? hearth_token_lines_get_n (self->lines) : 0;
}
