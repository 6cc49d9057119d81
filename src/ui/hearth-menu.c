/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-menu.h"

GMenuModel *
hearth_menu_new (const char *file, const char *id)
{
  g_autofree char *path = g_strconcat ("/io/github/hearth_app/Hearth/", file, NULL);
  g_autoptr (GtkBuilder) builder = gtk_builder_new_from_resource (path);

  return g_object_ref (G_MENU_MODEL (gtk_builder_get_object (builder, id)));
}

/* The items are a private class of GTK's, with a public property. */
static void
name_item (GtkWidget *item)
{
  g_autofree char *text = NULL;
  g_autofree char *name = NULL;

  g_object_get (item, "text", &text, NULL);
  if (text == NULL)
    return;
  if (!pango_parse_markup (text, -1, '_', NULL, &name, NULL, NULL))
    name = g_strdup (text);
  /* What it is labelled by comes before a label of its own, and says nothing. */
  gtk_accessible_reset_relation (GTK_ACCESSIBLE (item), GTK_ACCESSIBLE_RELATION_LABELLED_BY);
  gtk_accessible_update_property (GTK_ACCESSIBLE (item), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
}

static void
name_below (GtkWidget *widget)
{
  if (g_str_equal (G_OBJECT_TYPE_NAME (widget), "GtkModelButton"))
    {
      name_item (widget);
      return;
    }
  for (GtkWidget *child = gtk_widget_get_first_child (widget); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    name_below (child);
}

static gboolean
mapped_cb (GSignalInvocationHint *hint, guint n_values, const GValue *values, gpointer data)
{
  GObject *widget = g_value_get_object (&values[0]);

  if (GTK_IS_POPOVER_MENU (widget))
    name_below (GTK_WIDGET (widget));
  return TRUE; /* and the next one */
}

void
hearth_menu_name_all (void)
{
  g_autoptr (GTypeClass) widgets = g_type_class_ref (GTK_TYPE_WIDGET);

  g_signal_add_emission_hook (g_signal_lookup ("map", GTK_TYPE_WIDGET), 0, mapped_cb, NULL, NULL);
}

static void
unparent (GtkWidget *menu)
{
  if (gtk_widget_get_parent (menu) != NULL)
    gtk_widget_unparent (menu);
}

GtkWidget *
hearth_menu_popup_for_row (GtkWidget *row, GtkWidget *list, GMenuModel *model, const char *name,
                           double x, double y)
{
  g_autoptr (GMenuModel) owned = model;
  graphene_point_t at;
  GtkWidget *menu;

  if (!gtk_widget_compute_point (row, list, &GRAPHENE_POINT_INIT ((float) x, (float) y), &at))
    return NULL;
  menu = gtk_popover_menu_new_from_model (model);
  gtk_accessible_update_property (GTK_ACCESSIBLE (menu), GTK_ACCESSIBLE_PROPERTY_LABEL, name, -1);
  gtk_widget_set_parent (menu, list);
  gtk_popover_set_has_arrow (GTK_POPOVER (menu), FALSE);
  gtk_popover_set_pointing_to (GTK_POPOVER (menu),
                               &(GdkRectangle) { (int) at.x, (int) at.y, 1, 1 });
  gtk_widget_set_halign (menu, GTK_ALIGN_START);
  g_signal_connect_object (list, "destroy", G_CALLBACK (unparent), menu, G_CONNECT_SWAPPED);
  gtk_popover_popup (GTK_POPOVER (menu));
  return g_object_ref (menu);
}

static gboolean
drop_cb (gpointer menu)
{
  unparent (menu);
  return G_SOURCE_REMOVE;
}

void
hearth_menu_drop (GtkWidget **menu)
{
  GtkWidget *dropped = g_steal_pointer (menu);

  if (dropped != NULL)
    g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, drop_cb, dropped, g_object_unref);
}
