/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-share-group.h"

#include <glib/gi18n.h>

#include "hearth-share-bar.h"
#include "hearth-words.h"

struct _HearthShareGroup
{
  AdwPreferencesGroup parent_instance;

  HearthShareBar *bar;
  GtkListBox *list;
  guint n;
};

G_DEFINE_FINAL_TYPE (HearthShareGroup, hearth_share_group, ADW_TYPE_PREFERENCES_GROUP)

enum
{
  PROP_0,
  PROP_BAR_LABEL,
  PROP_LIST_LABEL,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static void
hearth_share_group_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  HearthShareGroup *self = HEARTH_SHARE_GROUP (object);

  if (id == PROP_BAR_LABEL || id == PROP_LIST_LABEL)
    gtk_accessible_update_property (id == PROP_BAR_LABEL ? GTK_ACCESSIBLE (self->bar)
                                                         : GTK_ACCESSIBLE (self->list),
                                    GTK_ACCESSIBLE_PROPERTY_LABEL, g_value_get_string (value), -1);
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
hearth_share_group_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_SHARE_GROUP);
  G_OBJECT_CLASS (hearth_share_group_parent_class)->dispose (object);
}

static void
hearth_share_group_class_init (HearthShareGroupClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  const GParamFlags flags = G_PARAM_WRITABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->dispose = hearth_share_group_dispose;
  object_class->set_property = hearth_share_group_set_property;
  g_type_ensure (HEARTH_TYPE_SHARE_BAR);
  properties[PROP_BAR_LABEL] = g_param_spec_string ("bar-label", NULL, NULL, NULL, flags);
  properties[PROP_LIST_LABEL] = g_param_spec_string ("list-label", NULL, NULL, NULL, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-share-group.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthShareGroup, bar);
  gtk_widget_class_bind_template_child (widget_class, HearthShareGroup, list);
}

static void
hearth_share_group_init (HearthShareGroup *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
hearth_share_group_clear (HearthShareGroup *self)
{
  g_return_if_fail (HEARTH_IS_SHARE_GROUP (self));

  self->n = 0;
  gtk_list_box_remove_all (self->list);
  hearth_share_bar_clear (self->bar);
}

void
hearth_share_group_add (HearthShareGroup *self, const struct hearth_share *share)
{
  const char *style = hearth_share_bar_get_style (self->n);
  GtkWidget *row = adw_action_row_new ();
  g_autofree char *tooltip = g_strdup_printf ("%s: %s", share->title, share->words);
  gboolean tiny = share->share > 0 && share->share < 0.0005;
  g_autofree char *part = hearth_words_for_percent (tiny ? 0.1 : share->share * 100, 1);
  g_autofree char *text = tiny ? g_strdup_printf (_ ("under %s"), part) : g_strdup (part);
  GtkWidget *percent = gtk_label_new (text);

  g_return_if_fail (HEARTH_IS_SHARE_GROUP (self));

  self->n++;
  hearth_share_bar_add (self->bar, style, share->amount, tooltip);
  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), share->title);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), share->subtitle);
  gtk_widget_set_tooltip_text (row, share->exact);
  gtk_widget_add_css_class (row, "numeric");
  adw_action_row_add_prefix (ADW_ACTION_ROW (row), hearth_share_bar_swatch_new (style));
  gtk_label_set_xalign (GTK_LABEL (percent), 1);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), percent);
  gtk_list_box_append (self->list, row);
}

void
hearth_share_group_add_row (HearthShareGroup *self, GtkWidget *row)
{
  g_return_if_fail (HEARTH_IS_SHARE_GROUP (self));

  gtk_list_box_append (self->list, row);
}
