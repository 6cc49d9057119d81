/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-view-scroll.h"

#define PLACES "hearth-scroll-places"
#define SHOWN "hearth-scroll-shown"

/* Of a child that is a page and not a table, which keeps its place itself. NULL: it does not
 * scroll. */
static GtkAdjustment *
find_adjustment (GtkWidget *widget)
{
  if (GTK_IS_VIEWPORT (widget))
    return gtk_scrollable_get_vadjustment (GTK_SCROLLABLE (widget));
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    {
      GtkAdjustment *found = gtk_widget_get_child_visible (child) ? find_adjustment (child) : NULL;

      if (found != NULL)
        return found;
    }
  return NULL;
}

/* The one that has been left is still as it was; the one that is shown may have been scrolled by
 * the keyboard, which went into it. */
static void
changed_cb (AdwViewStack *stack)
{
  GHashTable *places = g_object_get_data (G_OBJECT (stack), PLACES);
  GtkWidget *left = g_object_get_data (G_OBJECT (stack), SHOWN);
  GtkWidget *shown = adw_view_stack_get_visible_child (stack);
  GtkAdjustment *adjustment = left != NULL ? find_adjustment (left) : NULL;
  const double *place;

  if (left == shown)
    return;
  g_object_set_data (G_OBJECT (stack), SHOWN, shown);
  if (adjustment != NULL)
    {
      double value = gtk_adjustment_get_value (adjustment);

      g_hash_table_replace (places, left, g_memdup2 (&value, sizeof value));
    }
  place = shown != NULL ? g_hash_table_lookup (places, shown) : NULL;
  adjustment = place != NULL ? find_adjustment (shown) : NULL;
  if (adjustment != NULL)
    gtk_adjustment_set_value (adjustment, *place);
}

void
hearth_view_scroll_keep (AdwViewStack *stack)
{
  g_return_if_fail (ADW_IS_VIEW_STACK (stack));

  g_object_set_data_full (G_OBJECT (stack), PLACES,
                          g_hash_table_new_full (NULL, NULL, NULL, g_free),
                          (GDestroyNotify) g_hash_table_unref);
  g_object_set_data (G_OBJECT (stack), SHOWN, adw_view_stack_get_visible_child (stack));
  g_signal_connect (stack, "notify::visible-child", G_CALLBACK (changed_cb), NULL);
}

void
hearth_view_scroll_forget (AdwViewStack *stack)
{
  g_return_if_fail (ADW_IS_VIEW_STACK (stack));

  g_hash_table_remove_all (g_object_get_data (G_OBJECT (stack), PLACES));
}
