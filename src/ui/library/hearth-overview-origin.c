/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-overview-origin.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "hearth-text-link.h"
#include "hearth-words.h"

/* More files than anybody reads the names of. */
#define MAX_FILES 200u

static GtkWidget *
add_group (GtkBox *box, const char *title)
{
  GtkWidget *group = adw_preferences_group_new ();
  GtkWidget *list = gtk_list_box_new ();

  adw_preferences_group_set_title (ADW_PREFERENCES_GROUP (group), title);
  gtk_list_box_set_selection_mode (GTK_LIST_BOX (list), GTK_SELECTION_NONE);
  gtk_widget_add_css_class (list, "boxed-list");
  gtk_accessible_update_property (GTK_ACCESSIBLE (list), GTK_ACCESSIBLE_PROPERTY_LABEL, title, -1);
  adw_preferences_group_add (ADW_PREFERENCES_GROUP (group), list);
  gtk_box_append (box, group);
  return list;
}

/* Over the row, but as a child of the box, which has a place for it. */
static void
row_activated_cb (GtkWidget *box, GtkListBoxRow *row)
{
  const char *link = g_object_get_data (G_OBJECT (row), "link");
  graphene_rect_t area;

  if (link != NULL && gtk_widget_compute_bounds (GTK_WIDGET (row), box, &area))
    hearth_text_link_ask (box, &area, link);
}

static void
add_source (GtkWidget *list, const char *title, const HearthOriginSource *source)
{
  GtkWidget *row = adw_action_row_new ();
  g_autofree char *text = source->by != NULL
                            /* Translators: the name of a model or a set of data, and who made it */
                            ? g_strdup_printf (_ ("%1$s, by %2$s"), source->name, source->by)
                            : g_strdup (source->name);

  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), text);
  gtk_widget_add_css_class (row, "property");
  if (source->link != NULL)
    {
      GtkWidget *icon = gtk_image_new_from_icon_name ("adw-external-link-symbolic");

      gtk_accessible_update_property (GTK_ACCESSIBLE (icon), GTK_ACCESSIBLE_PROPERTY_LABEL,
                                      _ ("Link"), -1);
      adw_action_row_add_suffix (ADW_ACTION_ROW (row), icon);
      gtk_list_box_row_set_activatable (GTK_LIST_BOX_ROW (row), TRUE);
      gtk_widget_set_tooltip_text (row, source->link);
      g_object_set_data_full (G_OBJECT (row), "link", g_strdup (source->link), g_free);
    }
  else
    adw_action_row_set_subtitle_selectable (ADW_ACTION_ROW (row), TRUE);
  gtk_list_box_append (GTK_LIST_BOX (list), row);
}

static void
add_sources (GtkWidget *list, const char *title, GPtrArray *sources)
{
  for (guint i = 0; i < sources->len; i++)
    add_source (list, title, g_ptr_array_index (sources, i));
}

static void
add_files (GtkBox *box, GPtrArray *files)
{
  GtkWidget *list = add_group (box, _ ("Files"));

  for (guint i = 0; i < files->len && i < MAX_FILES; i++)
    {
      const HearthOriginFile *file = g_ptr_array_index (files, i);
      GtkWidget *row = adw_action_row_new ();
      g_autofree char *size = hearth_words_for_size (file->size);
      g_autofree char *exact = hearth_words_for_exact_size (file->size);
      GtkWidget *label = gtk_label_new (size);

      adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
      adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), file->name);
      gtk_widget_add_css_class (label, "numeric");
      gtk_widget_set_tooltip_text (row, exact);
      adw_action_row_add_suffix (ADW_ACTION_ROW (row), label);
      gtk_list_box_append (GTK_LIST_BOX (list), row);
    }
}

GtkWidget *
hearth_overview_origin_new (const HearthModelOrigin *origin)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 24);

  if (origin->bases->len > 0 || origin->datasets->len > 0 || origin->licence != NULL ||
      origin->page != NULL || origin->source != NULL)
    {
      GtkWidget *list = add_group (GTK_BOX (box), _ ("Where It Comes From"));

      g_signal_connect_object (list, "row-activated", G_CALLBACK (row_activated_cb), box,
                               G_CONNECT_SWAPPED);
      if (origin->page != NULL)
        add_source (list, _ ("Published as"), origin->page);
      add_sources (list, _ ("Made from"), origin->bases);
      if (origin->source != NULL)
        add_source (list, _ ("Converted from"), origin->source);
      add_sources (list, _ ("Learned from"), origin->datasets);
      if (origin->licence != NULL)
        add_source (list, _ ("Licence"), origin->licence);
    }
  if (origin->files->len > 1)
    add_files (GTK_BOX (box), origin->files);
  gtk_widget_set_visible (box, gtk_widget_get_first_child (box) != NULL);
  return box;
}
