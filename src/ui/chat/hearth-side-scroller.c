/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-side-scroller.h"

#include <math.h>

#include "hearth-focus.h"

#define LEAST_WIDTH 48
#define WHEEL_STEP 64
#define MARGIN 12

struct _HearthSideScroller
{
  GtkWidget parent_instance;

  GtkWidget *child;
  GtkWidget *scrollbar;
  GtkAdjustment *adjustment;
  double drag_start;
};

G_DEFINE_FINAL_TYPE (HearthSideScroller, hearth_side_scroller, GTK_TYPE_WIDGET)

enum
{
  PROP_0,
  PROP_CHILD,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static gboolean
is_rtl (HearthSideScroller *self)
{
  return self->child != NULL && gtk_widget_get_direction (self->child) == GTK_TEXT_DIR_RTL;
}

static int
child_least (HearthSideScroller *self)
{
  int least = 0;

  if (self->child != NULL)
    gtk_widget_measure (self->child, GTK_ORIENTATION_HORIZONTAL, -1, &least, NULL, NULL, NULL);
  return least;
}

static int
scrollbar_height (HearthSideScroller *self)
{
  int height;

  gtk_widget_measure (self->scrollbar, GTK_ORIENTATION_VERTICAL, -1, &height, NULL, NULL, NULL);
  return height;
}

static GtkSizeRequestMode
hearth_side_scroller_get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_HEIGHT_FOR_WIDTH;
}

static void
hearth_side_scroller_measure (GtkWidget *widget, GtkOrientation orientation, int for_size,
                              int *minimum, int *natural, int *minimum_baseline,
                              int *natural_baseline)
{
  HearthSideScroller *self = HEARTH_SIDE_SCROLLER (widget);
  int least = child_least (self);

  if (self->child == NULL)
    return;
  if (orientation == GTK_ORIENTATION_HORIZONTAL)
    {
      gtk_widget_measure (self->child, orientation, -1, NULL, natural, NULL, NULL);
      *minimum = MIN (least, LEAST_WIDTH);
      return;
    }
  if (for_size < 0)
    gtk_widget_measure (self->child, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &for_size, NULL, NULL);
  gtk_widget_measure (self->child, orientation, MAX (for_size, least), minimum, natural, NULL,
                      NULL);
  if (least > for_size)
    *natural += scrollbar_height (self);
  *minimum = *natural;
}

static void
hearth_side_scroller_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  HearthSideScroller *self = HEARTH_SIDE_SCROLLER (widget);
  int inner = MAX (width, child_least (self));
  int bar = scrollbar_height (self);
  gboolean too_wide = inner > width;
  double value;

  if (self->child == NULL)
    return;
  gtk_adjustment_configure (self->adjustment, gtk_adjustment_get_value (self->adjustment), 0, inner,
                            width * 0.1, width * 0.9, width);
  value = round (gtk_adjustment_get_value (self->adjustment));
  gtk_widget_set_child_visible (self->scrollbar, too_wide);
  if (gtk_widget_get_direction (self->scrollbar) != gtk_widget_get_direction (self->child))
    {
      gtk_widget_set_direction (self->scrollbar, gtk_widget_get_direction (self->child));
      gtk_widget_set_direction (gtk_widget_get_first_child (self->scrollbar),
                                gtk_widget_get_direction (self->child));
    }
  gtk_widget_size_allocate (
    self->child,
    &(GtkAllocation) { (int) (is_rtl (self) ? width - inner + value : -value), 0, inner,
                       height - (too_wide ? bar : 0) },
    -1);
  if (too_wide)
    gtk_widget_size_allocate (self->scrollbar, &(GtkAllocation) { 0, height - bar, width, bar },
                              -1);
}

/* ---- scrolling -------------------------------------------------------------------------- */

static gboolean
scroll_cb (GtkEventControllerScroll *controller, double dx, double dy, HearthSideScroller *self)
{
  double value = gtk_adjustment_get_value (self->adjustment);

  if (gtk_event_controller_scroll_get_unit (controller) == GDK_SCROLL_UNIT_WHEEL)
    dx *= WHEEL_STEP;
  gtk_adjustment_set_value (self->adjustment, value + (is_rtl (self) ? -dx : dx));
  return gtk_adjustment_get_value (self->adjustment) != value;
}

static void
drag_begin_cb (GtkGestureDrag *gesture, double x, double y, HearthSideScroller *self)
{
  self->drag_start = gtk_adjustment_get_value (self->adjustment);
}

/* A finger that goes sideways: one that goes up or down scrolls what is around. */
static void
drag_update_cb (GtkGestureDrag *gesture, double dx, double dy, HearthSideScroller *self)
{
  if (fabs (dy) > fabs (dx) && fabs (dy) > 8)
    {
      gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_DENIED);
      return;
    }
  if (fabs (dx) <= 8)
    return;
  gtk_gesture_set_state (GTK_GESTURE (gesture), GTK_EVENT_SEQUENCE_CLAIMED);
  gtk_adjustment_set_value (self->adjustment, self->drag_start + (is_rtl (self) ? dx : -dx));
}

void
hearth_side_scroller_reveal (HearthSideScroller *self, GtkWidget *widget, double x, double width)
{
  graphene_point_t point;
  double value, page;

  g_return_if_fail (HEARTH_IS_SIDE_SCROLLER (self));

  if (self->child == NULL ||
      !gtk_widget_compute_point (widget, GTK_WIDGET (self), &GRAPHENE_POINT_INIT ((float) x, 0),
                                 &point))
    return;
  value = gtk_adjustment_get_value (self->adjustment);
  page = gtk_adjustment_get_page_size (self->adjustment);
  if (is_rtl (self))
    point.x = (float) (page - point.x - width);
  if (point.x < MARGIN)
    gtk_adjustment_set_value (self->adjustment, value + point.x - MARGIN);
  else if (point.x + width > page - MARGIN)
    gtk_adjustment_set_value (self->adjustment, value + point.x + width + MARGIN - page);
}

/* The keyboard has gone to something inside, a link in a cell for instance. */
static void
hearth_side_scroller_set_focus_child (GtkWidget *widget, GtkWidget *child)
{
  GtkWidget *focus = child;

  GTK_WIDGET_CLASS (hearth_side_scroller_parent_class)->set_focus_child (widget, child);
  while (focus != NULL && gtk_widget_get_focus_child (focus) != NULL)
    focus = gtk_widget_get_focus_child (focus);
  if (focus != NULL && gtk_widget_get_width (focus) < gtk_widget_get_width (widget))
    hearth_side_scroller_reveal (HEARTH_SIDE_SCROLLER (widget), focus, 0,
                                 gtk_widget_get_width (focus));
}

/* ---- object ----------------------------------------------------------------------------- */

static void
hearth_side_scroller_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_CHILD)
    g_value_set_object (value, HEARTH_SIDE_SCROLLER (object)->child);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
hearth_side_scroller_set_property (GObject *object, guint id, const GValue *value,
                                   GParamSpec *pspec)
{
  if (id == PROP_CHILD)
    hearth_side_scroller_set_child (HEARTH_SIDE_SCROLLER (object), g_value_get_object (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
hearth_side_scroller_dispose (GObject *object)
{
  HearthSideScroller *self = HEARTH_SIDE_SCROLLER (object);

  g_clear_pointer (&self->child, gtk_widget_unparent);
  g_clear_pointer (&self->scrollbar, gtk_widget_unparent);
  G_OBJECT_CLASS (hearth_side_scroller_parent_class)->dispose (object);
}

static void
hearth_side_scroller_class_init (HearthSideScrollerClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  object_class->dispose = hearth_side_scroller_dispose;
  object_class->get_property = hearth_side_scroller_get_property;
  object_class->set_property = hearth_side_scroller_set_property;
  widget_class->get_request_mode = hearth_side_scroller_get_request_mode;
  widget_class->measure = hearth_side_scroller_measure;
  widget_class->size_allocate = hearth_side_scroller_size_allocate;
  widget_class->set_focus_child = hearth_side_scroller_set_focus_child;
  properties[PROP_CHILD] =
    g_param_spec_object ("child", NULL, NULL, GTK_TYPE_WIDGET,
                         G_PARAM_READWRITE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  gtk_widget_class_set_css_name (widget_class, "sidescroller");
  gtk_widget_class_set_accessible_role (widget_class, GTK_ACCESSIBLE_ROLE_GENERIC);
}

/* A scrollbar scrolls sideways by a wheel that turns up and down; here, that is for the text. */
static void
leave_wheel_alone (GtkWidget *scrollbar)
{
  GtkWidget *range = gtk_widget_get_first_child (scrollbar);
  g_autoptr (GListModel) controllers = gtk_widget_observe_controllers (range);

  for (guint i = 0; i < g_list_model_get_n_items (controllers); i++)
    {
      g_autoptr (GtkEventController) controller = g_list_model_get_item (controllers, i);

      if (GTK_IS_EVENT_CONTROLLER_SCROLL (controller))
        gtk_event_controller_set_propagation_phase (controller, GTK_PHASE_NONE);
    }
}

static void
hearth_side_scroller_init (HearthSideScroller *self)
{
  GtkEventController *scroll =
    gtk_event_controller_scroll_new (GTK_EVENT_CONTROLLER_SCROLL_HORIZONTAL);
  GtkGesture *drag = gtk_gesture_drag_new ();

  self->adjustment = gtk_adjustment_new (0, 0, 0, 0, 0, 0);
  self->scrollbar = gtk_scrollbar_new (GTK_ORIENTATION_HORIZONTAL, self->adjustment);
  gtk_widget_add_css_class (self->scrollbar, "overlay-indicator");
  leave_wheel_alone (self->scrollbar);
  gtk_widget_set_parent (self->scrollbar, GTK_WIDGET (self));
  gtk_widget_set_overflow (GTK_WIDGET (self), GTK_OVERFLOW_HIDDEN);
  g_signal_connect_object (self->adjustment, "value-changed",
                           G_CALLBACK (gtk_widget_queue_allocate), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (scroll, "scroll", G_CALLBACK (scroll_cb), self, G_CONNECT_DEFAULT);
  gtk_widget_add_controller (GTK_WIDGET (self), scroll);
  gtk_gesture_single_set_touch_only (GTK_GESTURE_SINGLE (drag), TRUE);
  g_signal_connect_object (drag, "drag-begin", G_CALLBACK (drag_begin_cb), self, G_CONNECT_DEFAULT);
  g_signal_connect_object (drag, "drag-update", G_CALLBACK (drag_update_cb), self,
                           G_CONNECT_DEFAULT);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drag));
}

void
hearth_side_scroller_set_child (HearthSideScroller *self, GtkWidget *child)
{
  g_return_if_fail (HEARTH_IS_SIDE_SCROLLER (self));

  if (self->child == child)
    return;
  g_clear_pointer (&self->child, gtk_widget_unparent);
  self->child = child;
  if (child != NULL)
    gtk_widget_insert_before (child, GTK_WIDGET (self), self->scrollbar);
  g_object_notify_by_pspec (G_OBJECT (self), properties[PROP_CHILD]);
}

GtkWidget *
hearth_side_scroller_new (GtkWidget *child)
{
  return g_object_new (HEARTH_TYPE_SIDE_SCROLLER, "child", child, NULL);
}
