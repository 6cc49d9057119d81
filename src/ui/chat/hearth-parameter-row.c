/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-parameter-row.h"

#include <math.h>

#include <glib/gi18n.h>

#include "hearth-spin-words.h"

struct _HearthParameterRow
{
  HearthFieldRow parent_instance;

  GtkSpinButton *spin;
  GtkWidget *reset_button;

  HearthParameter parameter;
  gboolean showing; /* a value is being shown, nobody entered it */
};

G_DEFINE_FINAL_TYPE (HearthParameterRow, hearth_parameter_row, HEARTH_TYPE_FIELD_ROW)

enum
{
  CHOSEN,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

static void
value_changed_cb (HearthParameterRow *self)
{
  if (!self->showing)
    g_signal_emit (self, signals[CHOSEN], 0, gtk_spin_button_get_value (self->spin));
}

static void
reset_clicked_cb (HearthParameterRow *self)
{
  /* The button is about to go. */
  gtk_widget_grab_focus (GTK_WIDGET (self->spin));
  g_signal_emit (self, signals[CHOSEN], 0, (double) NAN);
}

static void
hearth_parameter_row_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_PARAMETER_ROW);
  G_OBJECT_CLASS (hearth_parameter_row_parent_class)->dispose (object);
}

static void
hearth_parameter_row_class_init (HearthParameterRowClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  G_OBJECT_CLASS (klass)->dispose = hearth_parameter_row_dispose;
  signals[CHOSEN] = g_signal_new ("chosen", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                  NULL, NULL, G_TYPE_NONE, 1, G_TYPE_DOUBLE);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/chat/hearth-parameter-row.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthParameterRow, spin);
  gtk_widget_class_bind_template_child (widget_class, HearthParameterRow, reset_button);
  gtk_widget_class_bind_template_callback (widget_class, value_changed_cb);
  gtk_widget_class_bind_template_callback (widget_class, reset_clicked_cb);
}

static void
hearth_parameter_row_init (HearthParameterRow *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

GtkWidget *
hearth_parameter_row_new (HearthParameter parameter)
{
  HearthParameterRow *self = g_object_new (HEARTH_TYPE_PARAMETER_ROW, NULL);
  const HearthParameterInfo *info = hearth_parameter_get_info (parameter);
  const char *label = _ (info->label);
  g_autofree char *reset = g_strdup_printf (_ ("Reset %s"), label);

  self->parameter = parameter;
  self->showing = TRUE;
  gtk_spin_button_set_digits (self->spin, info->digits);
  gtk_adjustment_configure (gtk_spin_button_get_adjustment (self->spin), info->min, info->min,
                            info->max, info->step, info->step * 10, 0);
  if (info->word != NULL)
    hearth_spin_words_add (self->spin, info->word_at, _ (info->word));
  self->showing = FALSE;
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (self), label);
  gtk_widget_set_tooltip_text (GTK_WIDGET (self), _ (info->help));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->spin), GTK_ACCESSIBLE_PROPERTY_LABEL, label,
                                  GTK_ACCESSIBLE_PROPERTY_DESCRIPTION, _ (info->help), -1);
  gtk_widget_set_tooltip_text (self->reset_button, reset);
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->reset_button),
                                  GTK_ACCESSIBLE_PROPERTY_LABEL, reset, -1);
  return GTK_WIDGET (self);
}

HearthParameter
hearth_parameter_row_get_parameter (HearthParameterRow *self)
{
  g_return_val_if_fail (HEARTH_IS_PARAMETER_ROW (self), HEARTH_PARAMETER_TEMPERATURE);

  return self->parameter;
}

void
hearth_parameter_row_show (HearthParameterRow *self, double value, HearthSource source,
                           const char *preset)
{
  g_autofree char *words = NULL;

  g_return_if_fail (HEARTH_IS_PARAMETER_ROW (self));

  switch (source)
    {
    case HEARTH_SOURCE_FILE:
      words = g_strdup (_ ("From the file"));
      break;
    case HEARTH_SOURCE_PRESET:
      /* Translators: %s is the name of a preset */
      words = g_strdup_printf (_ ("Preset “%s”"), preset);
      break;
    case HEARTH_SOURCE_YOURS:
      words = g_strdup (_ ("Yours"));
      break;
    case HEARTH_SOURCE_ENGINE:
    default:
      words = g_strdup (isnan (value) ? _ ("From the model") : _ ("Default"));
    }
  self->showing = TRUE;
  gtk_widget_set_visible (GTK_WIDGET (self->spin), !isnan (value));
  if (!isnan (value))
    gtk_spin_button_set_value (self->spin, value);
  self->showing = FALSE;
  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (self), FALSE);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (self), words);
  gtk_widget_set_visible (self->reset_button, source == HEARTH_SOURCE_YOURS);
}
