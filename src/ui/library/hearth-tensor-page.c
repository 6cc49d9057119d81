/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-tensor-page.h"

#include <glib/gi18n.h>
#include <glib/gstdio.h>

#include "hearth-export.h"
#include "hearth-focus.h"
#include "hearth-hex-view.h"
#include "hearth-tensor-numbers.h"
#include "hearth-tensor-role.h"
#include "hearth-tensor-values.h"
#include "hearth-view-picker.h"
#include "hearth-words.h"

struct _HearthTensorPage
{
  AdwNavigationPage parent_instance;

  AdwWindowTitle *window_title;
  HearthViewPicker *picker;
  AdwViewStack *stack;
  HearthTensorValues *values;
  HearthTensorNumbers *numbers;
  AdwBin *bytes;

  HearthTensor *tensor;
};

G_DEFINE_FINAL_TYPE (HearthTensorPage, hearth_tensor_page, ADW_TYPE_NAVIGATION_PAGE)

/* ---- bytes ------------------------------------------------------------------------------ */

static void
size_known_cb (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HearthTensorPage) self = user_data;
  g_autoptr (GFileInfo) info = g_file_query_info_finish (G_FILE (source), result, NULL);
  GtkWidget *view;

  if (self->bytes == NULL)
    return; /* the page was left */
  view = hearth_hex_view_new (hearth_tensor_get_file (self->tensor),
                              info != NULL ? (guint64) g_file_info_get_size (info) : 0, NULL);
  adw_bin_set_child (self->bytes, view);
  hearth_hex_view_go_to (HEARTH_HEX_VIEW (view), hearth_tensor_get_file_offset (self->tensor),
                         hearth_tensor_get_n_bytes (self->tensor));
}

/* What nobody looks at is not made. */
static void
part_changed_cb (HearthTensorPage *self)
{
  const char *part =
    self->stack != NULL ? adw_view_stack_get_visible_child_name (self->stack) : NULL;

  if (self->tensor == NULL || part == NULL)
    return;
  if (g_str_equal (part, "numbers"))
    hearth_tensor_numbers_show (self->numbers, self->tensor);
  else if (g_str_equal (part, "bytes") && adw_bin_get_child (self->bytes) == NULL &&
           hearth_tensor_get_file (self->tensor) != NULL)
    {
      g_autoptr (GFile) file = g_file_new_for_path (hearth_tensor_get_file (self->tensor));

      g_file_query_info_async (file, G_FILE_ATTRIBUTE_STANDARD_SIZE, G_FILE_QUERY_INFO_NONE,
                               G_PRIORITY_DEFAULT, NULL, size_known_cb, g_object_ref (self));
    }
}

static void
copy_name_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  hearth_export_copy (widget, hearth_tensor_dup_exact_name (HEARTH_TENSOR_PAGE (widget)->tensor));
}

/* ---- the widget ------------------------------------------------------------------------- */

static void
hearth_tensor_page_dispose (GObject *object)
{
  HearthTensorPage *self = HEARTH_TENSOR_PAGE (object);

  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_TENSOR_PAGE);
  g_clear_object (&self->tensor);
  G_OBJECT_CLASS (hearth_tensor_page_parent_class)->dispose (object);
}

static void
hearth_tensor_page_class_init (HearthTensorPageClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hearth_tensor_page_dispose;
  g_type_ensure (HEARTH_TYPE_VIEW_PICKER);
  g_type_ensure (HEARTH_TYPE_TENSOR_VALUES);
  g_type_ensure (HEARTH_TYPE_TENSOR_NUMBERS);
  gtk_widget_class_install_action (widget_class, "tensor.copy-name", NULL, copy_name_action);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-tensor-page.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthTensorPage, window_title);
  gtk_widget_class_bind_template_child (widget_class, HearthTensorPage, picker);
  gtk_widget_class_bind_template_child (widget_class, HearthTensorPage, stack);
  gtk_widget_class_bind_template_child (widget_class, HearthTensorPage, values);
  gtk_widget_class_bind_template_child (widget_class, HearthTensorPage, numbers);
  gtk_widget_class_bind_template_child (widget_class, HearthTensorPage, bytes);
  gtk_widget_class_bind_template_callback (widget_class, part_changed_cb);
}

static void
hearth_tensor_page_init (HearthTensorPage *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
  hearth_view_picker_set_stack (self->picker, self->stack);
  hearth_focus_hold (GTK_WIDGET (self));
}

AdwNavigationPage *
hearth_tensor_page_new (HearthTensor *tensor)
{
  HearthTensorPage *self = g_object_new (HEARTH_TYPE_TENSOR_PAGE, NULL);
  g_autofree char *shape = hearth_words_in_order (hearth_tensor_get_shape (tensor));
  g_autofree char *subtitle =
    g_strdup_printf ("%s · %s", hearth_tensor_get_type_name (tensor), shape);

  self->tensor = g_object_ref (tensor);
  adw_navigation_page_set_title (ADW_NAVIGATION_PAGE (self), hearth_tensor_get_name (tensor));
  adw_window_title_set_title (self->window_title, hearth_tensor_get_name (tensor));
  adw_window_title_set_subtitle (self->window_title, subtitle);
  hearth_tensor_values_show (self->values, tensor);
  return ADW_NAVIGATION_PAGE (self);
}
