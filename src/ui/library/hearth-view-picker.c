/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-view-picker.h"

#include <glib/gi18n.h>

struct _HearthViewPicker
{
  GtkWidget parent_instance;

  GtkWidget *tabs;
  GtkWidget *drop_down;
  AdwViewStack *stack;
  GtkSelectionModel *pages;
};

/* So wide that it does not change with the name of the page. */
#define DROP_DOWN_WIDTH 400

G_DEFINE_FINAL_TYPE (HearthViewPicker, hearth_view_picker, GTK_TYPE_WIDGET)

static GtkWidget *
visible_control (HearthViewPicker *self)
{
  return gtk_widget_get_child_visible (self->tabs) ? self->tabs : self->drop_down;
}

/* ---- the stack -------------------------------------------------------------------------- */

/* The stack gives the keyboard to its new page, unless nothing in there takes it, yet; then it is
 * not left with the page that goes. */
static void
keep_focus (HearthViewPicker *self)
{
  GtkWidget *stack = GTK_WIDGET (self->stack);
  GtkWidget *page = adw_view_stack_get_visible_child (self->stack);
  GtkRoot *root = gtk_widget_get_root (stack);
  GtkWidget *focus = root != NULL ? gtk_root_get_focus (root) : NULL;

  if (focus != NULL && gtk_widget_is_ancestor (focus, stack) &&
      (page == NULL || (focus != page && !gtk_widget_is_ancestor (focus, page))))
    gtk_widget_grab_focus (GTK_WIDGET (self));
}

static void
page_changed_cb (HearthViewPicker *self)
{
  g_autoptr (GtkBitset) selected = NULL;

  if (self->pages == NULL)
    return;
  keep_focus (self);
  selected = gtk_selection_model_get_selection (self->pages);
  if (!gtk_bitset_is_empty (selected))
    gtk_drop_down_set_selected (GTK_DROP_DOWN (self->drop_down), gtk_bitset_get_minimum (selected));
}

static void
picked_cb (HearthViewPicker *self)
{
  AdwViewStackPage *page = gtk_drop_down_get_selected_item (GTK_DROP_DOWN (self->drop_down));

  if (page != NULL && self->stack != NULL)
    adw_view_stack_set_visible_child (self->stack, adw_view_stack_page_get_child (page));
}

/* ---- the widget ------------------------------------------------------------------------- */

static void
hearth_view_picker_measure (GtkWidget *widget, GtkOrientation orientation, int for_size,
                            int *minimum, int *natural, int *minimum_baseline,
                            int *natural_baseline)
{
  HearthViewPicker *self = HEARTH_VIEW_PICKER (widget);
  int tabs_least, tabs_wanted, least, wanted;

  gtk_widget_measure (self->tabs, orientation, -1, &tabs_least, &tabs_wanted, NULL, NULL);
  gtk_widget_measure (self->drop_down, orientation, -1, &least, &wanted, NULL, NULL);
  /* The height is the same for both, or changing places would move the page. */
  *minimum = orientation == GTK_ORIENTATION_HORIZONTAL ? least : MAX (least, tabs_least);
  *natural = MAX (wanted, tabs_wanted);
}

static void
hearth_view_picker_size_allocate (GtkWidget *widget, int width, int height, int baseline)
{
  HearthViewPicker *self = HEARTH_VIEW_PICKER (widget);
  GtkWidget *shown;
  int tabs_width, wanted;

  gtk_widget_measure (self->tabs, GTK_ORIENTATION_HORIZONTAL, -1, &tabs_width, NULL, NULL, NULL);
  gtk_widget_set_child_visible (self->tabs, tabs_width <= width);
  gtk_widget_set_child_visible (self->drop_down, tabs_width > width);
  shown = visible_control (self);
  gtk_widget_measure (shown, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &wanted, NULL, NULL);
  if (shown == self->drop_down)
    wanted = MAX (wanted, DROP_DOWN_WIDTH);
  wanted = MIN (wanted, width);
  gtk_widget_size_allocate (shown, &(GtkAllocation) { (width - wanted) / 2, 0, wanted, height },
                            baseline);
}

static GtkSizeRequestMode
hearth_view_picker_get_request_mode (GtkWidget *widget)
{
  return GTK_SIZE_REQUEST_CONSTANT_SIZE;
}

static gboolean
hearth_view_picker_focus (GtkWidget *widget, GtkDirectionType direction)
{
  return gtk_widget_child_focus (visible_control (HEARTH_VIEW_PICKER (widget)), direction);
}

static gboolean
hearth_view_picker_grab_focus (GtkWidget *widget)
{
  return gtk_widget_child_focus (visible_control (HEARTH_VIEW_PICKER (widget)),
                                 GTK_DIR_TAB_FORWARD);
}

static void
hearth_view_picker_dispose (GObject *object)
{
  HearthViewPicker *self = HEARTH_VIEW_PICKER (object);

  hearth_view_picker_set_stack (self, NULL);
  g_clear_pointer (&self->tabs, gtk_widget_unparent);
  g_clear_pointer (&self->drop_down, gtk_widget_unparent);
  G_OBJECT_CLASS (hearth_view_picker_parent_class)->dispose (object);
}

static void
hearth_view_picker_class_init (HearthViewPickerClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hearth_view_picker_dispose;
  widget_class->measure = hearth_view_picker_measure;
  widget_class->size_allocate = hearth_view_picker_size_allocate;
  widget_class->get_request_mode = hearth_view_picker_get_request_mode;
  widget_class->focus = hearth_view_picker_focus;
  widget_class->grab_focus = hearth_view_picker_grab_focus;
  gtk_widget_class_set_css_name (widget_class, "viewpicker");
}

static void
hearth_view_picker_init (HearthViewPicker *self)
{
  GtkExpression *title = gtk_property_expression_new (ADW_TYPE_VIEW_STACK_PAGE, NULL, "title");

  self->tabs = g_object_new (ADW_TYPE_INLINE_VIEW_SWITCHER, "display-mode",
                             ADW_INLINE_VIEW_SWITCHER_LABELS, "can-shrink", FALSE, NULL);
  gtk_widget_set_parent (self->tabs, GTK_WIDGET (self));
  self->drop_down = gtk_drop_down_new (NULL, title);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->drop_down), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                  _ ("View"), -1);
  gtk_widget_set_parent (self->drop_down, GTK_WIDGET (self));
}

void
hearth_view_picker_set_stack (HearthViewPicker *self, AdwViewStack *stack)
{
  g_return_if_fail (HEARTH_IS_VIEW_PICKER (self));

  if (self->stack == stack)
    return;
  /* The list of pages must not be asked for what is gone. */
  if (self->stack != NULL)
    {
      g_signal_handlers_disconnect_by_data (self->stack, self);
      g_signal_handlers_disconnect_by_data (self->drop_down, self);
      gtk_drop_down_set_model (GTK_DROP_DOWN (self->drop_down), NULL);
      g_clear_object (&self->pages);
    }
  g_set_object (&self->stack, stack);
  adw_inline_view_switcher_set_stack (ADW_INLINE_VIEW_SWITCHER (self->tabs), stack);
  if (stack == NULL)
    return;
  self->pages = adw_view_stack_get_pages (stack);
  gtk_drop_down_set_model (GTK_DROP_DOWN (self->drop_down), G_LIST_MODEL (self->pages));
  g_signal_connect_object (stack, "notify::visible-child", G_CALLBACK (page_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (self->drop_down, "notify::selected", G_CALLBACK (picked_cb), self,
                           G_CONNECT_SWAPPED);
  page_changed_cb (self);
}
