/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-progress-row.h"

#include "hearth-focus.h"
#include "hearth-words.h"

struct _HearthProgressRow
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkProgressBar *progress_bar;
  GtkLabel *progress_label;
  GtkButton *stop_button;
};

G_DEFINE_FINAL_TYPE (HearthProgressRow, hearth_progress_row, GTK_TYPE_WIDGET)

enum
{
  PROP_0,
  PROP_LABEL,
  PROP_ACTION_NAME,
  N_PROPS
};

static GParamSpec *properties[N_PROPS];

static void
hearth_progress_row_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  HearthProgressRow *self = HEARTH_PROGRESS_ROW (object);

  if (id == PROP_LABEL)
    gtk_accessible_update_property (GTK_ACCESSIBLE (self->progress_bar),
                                    GTK_ACCESSIBLE_PROPERTY_LABEL, g_value_get_string (value), -1);
  else if (id == PROP_ACTION_NAME)
    gtk_actionable_set_action_name (GTK_ACTIONABLE (self->stop_button), g_value_get_string (value));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

static void
hearth_progress_row_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_PROGRESS_ROW);
  G_OBJECT_CLASS (hearth_progress_row_parent_class)->dispose (object);
}

static void
hearth_progress_row_class_init (HearthProgressRowClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  const GParamFlags flags = G_PARAM_WRITABLE | G_PARAM_EXPLICIT_NOTIFY | G_PARAM_STATIC_STRINGS;

  object_class->dispose = hearth_progress_row_dispose;
  object_class->set_property = hearth_progress_row_set_property;
  widget_class->focus = hearth_focus_move;
  properties[PROP_LABEL] = g_param_spec_string ("label", NULL, NULL, NULL, flags);
  properties[PROP_ACTION_NAME] = g_param_spec_string ("action-name", NULL, NULL, NULL, flags);
  g_object_class_install_properties (object_class, N_PROPS, properties);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-progress-row.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthProgressRow, root);
  gtk_widget_class_bind_template_child (widget_class, HearthProgressRow, progress_bar);
  gtk_widget_class_bind_template_child (widget_class, HearthProgressRow, progress_label);
  gtk_widget_class_bind_template_child (widget_class, HearthProgressRow, stop_button);
}

static void
hearth_progress_row_init (HearthProgressRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
hearth_progress_row_begin (HearthProgressRow *self, GtkWidget *trigger)
{
  g_return_if_fail (HEARTH_IS_PROGRESS_ROW (self));

  gtk_widget_set_visible (GTK_WIDGET (self), TRUE);
  if (trigger != NULL && hearth_focus_is_in (trigger))
    gtk_widget_grab_focus (GTK_WIDGET (self->stop_button));
}

gboolean
hearth_progress_row_end (HearthProgressRow *self, GtkWidget *again, GtkWidget *outcome)
{
  gboolean mine, read = FALSE;

  g_return_val_if_fail (HEARTH_IS_PROGRESS_ROW (self), FALSE);

  mine = hearth_focus_is_in (GTK_WIDGET (self));
  if (mine && !(again != NULL && gtk_widget_is_visible (again) && gtk_widget_grab_focus (again)) &&
      outcome != NULL)
    {
      hearth_focus_visit (outcome);
      read = gtk_widget_has_focus (outcome);
    }
  gtk_widget_set_visible (GTK_WIDGET (self), FALSE);
  return read;
}

void
hearth_progress_row_set_fraction (HearthProgressRow *self, double fraction)
{
  g_autofree char *text = NULL;

  g_return_if_fail (HEARTH_IS_PROGRESS_ROW (self));

  text = hearth_words_for_percent (fraction * 100, 0);
  gtk_progress_bar_set_fraction (self->progress_bar, fraction);
  gtk_label_set_text (self->progress_label, text);
}
