/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-fit-controls.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <math.h>

#include "hearth-field-row.h"
#include "hearth-focus.h"
#include "hearth-words.h"

/* The shortest context that is worth planning, and the step of the slider. */
#define LEAST_CONTEXT 256u
/* The end of the slider for a file that does not say what it was trained for. */
#define UNKNOWN_CONTEXT 131072u

struct _HearthFitControls
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkSpinButton *context_spin;
  GtkAdjustment *context_adjustment;
  GtkScale *context_scale;
  AdwComboRow *kv_row;
  AdwActionRow *longest_row;

  guint longest;      /* of the last plan */
  gboolean automatic; /* the engine chooses the context until somebody has */
  gboolean showing;   /* the controls are being set from a plan */
};

G_DEFINE_FINAL_TYPE (HearthFitControls, hearth_fit_controls, GTK_TYPE_WIDGET)

enum
{
  CHANGED,
  N_SIGNALS
};

static guint signals[N_SIGNALS];

static void
wish_changed_cb (HearthFitControls *self)
{
  if (!self->showing)
    g_signal_emit (self, signals[CHANGED], 0);
}

/* The slider is logarithmic: each doubling of the context is as far as the one before. */
static void
set_slider (HearthFitControls *self, double n_ctx)
{
  g_autofree char *number = hearth_words_for_number ((guint64) n_ctx);
  g_autofree char *text = g_strdup_printf (_ ("%s tokens"), number);

  gtk_range_set_value (GTK_RANGE (self->context_scale), log2 (MAX (n_ctx, 1)));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->context_scale),
                                  GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text, -1);
}

static void
context_typed_cb (HearthFitControls *self)
{
  if (self->showing)
    return;
  self->automatic = FALSE;
  self->showing = TRUE;
  set_slider (self, gtk_spin_button_get_value (self->context_spin));
  self->showing = FALSE;
  wish_changed_cb (self);
}

static void
context_slid_cb (HearthFitControls *self)
{
  double n_ctx;

  if (self->showing)
    return;
  n_ctx = exp2 (gtk_range_get_value (GTK_RANGE (self->context_scale)));
  n_ctx = round (n_ctx / LEAST_CONTEXT) * LEAST_CONTEXT;
  n_ctx = CLAMP (n_ctx, LEAST_CONTEXT, gtk_adjustment_get_upper (self->context_adjustment));
  self->automatic = FALSE;
  self->showing = TRUE;
  gtk_spin_button_set_value (self->context_spin, n_ctx);
  set_slider (self, n_ctx);
  self->showing = FALSE;
  wish_changed_cb (self);
}

static void
add_mark (HearthFitControls *self, guint n_ctx, guint most)
{
  g_autofree char *text = NULL;

  /* Marks that would stand on each other say nothing. */
  if (n_ctx != most && (n_ctx >= most || log2 ((double) most / n_ctx) < 0.8))
    return;
  text = n_ctx % 1024 == 0 ? g_strdup_printf (_ ("%u k"), n_ctx / 1024)
                           : hearth_words_for_number (n_ctx);
  gtk_scale_add_mark (self->context_scale, log2 (n_ctx), GTK_POS_BOTTOM, text);
}

static void
show_longest (HearthFitControls *self, const HearthFitPlan *plan)
{
  g_autofree char *number = hearth_words_for_number (plan->longest);
  g_autofree char *text = NULL;

  if (plan->longest == 0)
    text = g_strdup (_ ("None"));
  else if (plan->longest == plan->n_ctx_trained)
    text = g_strdup_printf (_ ("%s tokens, all that the model was made for"), number);
  else
    text = g_strdup_printf (_ ("%s tokens"), number);
  self->longest = plan->longest;
  adw_action_row_set_subtitle (self->longest_row, text);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "fit.use-longest",
                                 plan->longest > 0 && plan->longest != plan->n_ctx);
}

static void
use_longest_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthFitControls *self = HEARTH_FIT_CONTROLS (widget);

  if (self->longest > 0)
    gtk_spin_button_set_value (self->context_spin, self->longest);
}

/* ---- the widget ------------------------------------------------------------------------- */

static void
hearth_fit_controls_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_FIT_CONTROLS);
  G_OBJECT_CLASS (hearth_fit_controls_parent_class)->dispose (object);
}

static void
hearth_fit_controls_class_init (HearthFitControlsClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  G_OBJECT_CLASS (klass)->dispose = hearth_fit_controls_dispose;
  g_type_ensure (HEARTH_TYPE_FIELD_ROW);

  signals[CHANGED] = g_signal_new ("changed", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL,
                                   NULL, NULL, G_TYPE_NONE, 0);

  gtk_widget_class_install_action (widget_class, "fit.use-longest", NULL, use_longest_action);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-fit-controls.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthFitControls, root);
  gtk_widget_class_bind_template_child (widget_class, HearthFitControls, context_spin);
  gtk_widget_class_bind_template_child (widget_class, HearthFitControls, context_adjustment);
  gtk_widget_class_bind_template_child (widget_class, HearthFitControls, context_scale);
  gtk_widget_class_bind_template_child (widget_class, HearthFitControls, kv_row);
  gtk_widget_class_bind_template_child (widget_class, HearthFitControls, longest_row);
  gtk_widget_class_bind_template_callback (widget_class, context_typed_cb);
  gtk_widget_class_bind_template_callback (widget_class, context_slid_cb);
  gtk_widget_class_bind_template_callback (widget_class, wish_changed_cb);
}

static void
hearth_fit_controls_init (HearthFitControls *self)
{
  /* Setting things up is nobody's wish. */
  self->showing = TRUE;
  gtk_widget_init_template (GTK_WIDGET (self));
  self->showing = FALSE;
}

void
hearth_fit_controls_begin (HearthFitControls *self, guint trained, guint n_ctx,
                           HearthKvType kv_type)
{
  guint most = MAX (trained > 0 ? trained : UNKNOWN_CONTEXT, LEAST_CONTEXT * 2);

  g_return_if_fail (HEARTH_IS_FIT_CONTROLS (self));

  self->showing = TRUE;
  self->automatic = n_ctx == 0;
  gtk_adjustment_set_upper (self->context_adjustment, most);
  gtk_range_set_range (GTK_RANGE (self->context_scale), log2 (LEAST_CONTEXT), log2 (most));
  gtk_range_set_increments (GTK_RANGE (self->context_scale), 0.125, 1);
  gtk_scale_clear_marks (self->context_scale);
  add_mark (self, 4096, most);
  add_mark (self, 8192, most);
  add_mark (self, 32768, most);
  add_mark (self, most, most);
  adw_combo_row_set_selected (self->kv_row, (guint) kv_type);
  if (n_ctx > 0)
    {
      gtk_spin_button_set_value (self->context_spin, n_ctx);
      set_slider (self, gtk_spin_button_get_value (self->context_spin));
    }
  self->showing = FALSE;
}

void
hearth_fit_controls_show (HearthFitControls *self, const HearthFitPlan *plan)
{
  g_return_if_fail (HEARTH_IS_FIT_CONTROLS (self));

  self->showing = TRUE;
  if (self->automatic)
    {
      gtk_spin_button_set_value (self->context_spin, plan->n_ctx);
      set_slider (self, plan->n_ctx);
    }
  self->showing = FALSE;
  show_longest (self, plan);
}

guint
hearth_fit_controls_get_n_ctx (HearthFitControls *self)
{
  g_return_val_if_fail (HEARTH_IS_FIT_CONTROLS (self), 0);

  return self->automatic ? 0 : (guint) gtk_spin_button_get_value (self->context_spin);
}

HearthKvType
hearth_fit_controls_get_kv_type (HearthFitControls *self)
{
  g_return_val_if_fail (HEARTH_IS_FIT_CONTROLS (self), HEARTH_KV_F16);

  return (HearthKvType) adw_combo_row_get_selected (self->kv_row);
}
