/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-tensor-values.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "hearth-export.h"
#include "hearth-focus.h"
#include "hearth-histogram.h"
#include "hearth-menu.h"
#include "hearth-shortcuts.h"
#include "hearth-tensor-export.h"
#include "hearth-tensor-role.h"
#include "hearth-tensor-stats.h"
#include "hearth-words.h"

/* Figures in the order they are shown. */
enum figure
{
  FIGURE_MIN,
  FIGURE_MAX,
  FIGURE_ABS_MAX,
  FIGURE_MEAN,
  FIGURE_RMS,
  FIGURE_DEVIATION,
  FIGURE_ZEROS,
  FIGURE_NAN,
  FIGURE_QUANTILES,
  N_FIGURES = FIGURE_QUANTILES + HEARTH_STATS_QUANTILES
};

struct _HearthTensorValues
{
  GtkWidget parent_instance;

  GtkWidget *root;
  GtkFlowBox *facts;
  GtkFlowBox *figures;
  GtkLabel *state_label;
  GtkButton *stop_button;
  GtkMenuButton *menu_button;
  GtkProgressBar *progress;
  HearthHistogram *histogram;
  GtkLabel *min_label;
  GtkLabel *hover_label;
  GtkLabel *max_label;

  GtkLabel *labels[N_FIGURES];
  HearthTensor *tensor;
  HearthTensorStats *stats;
};

G_DEFINE_FINAL_TYPE (HearthTensorValues, hearth_tensor_values, GTK_TYPE_WIDGET)

/* ---- facts ------------------------------------------------------------------------------ */

static void
fact_activated_cb (HearthTensorValues *self, GtkFlowBoxChild *child)
{
  const char *value = g_object_get_data (G_OBJECT (child), "value");

  hearth_export_copy (GTK_WIDGET (self), g_strdup (value));
}

/* `value` is what is copied. */
static void
show_fact (GtkLabel *label, const char *value, const char *shown)
{
  GtkWidget *child = gtk_widget_get_ancestor (GTK_WIDGET (label), GTK_TYPE_FLOW_BOX_CHILD);
  const char *title = g_object_get_data (G_OBJECT (label), "title");
  g_autofree char *spoken = g_strdup_printf ("%s: %s", title, shown);

  gtk_label_set_text (label, shown);
  g_object_set_data_full (G_OBJECT (child), "value", g_strdup (value), g_free);
  g_object_set_data_full (G_OBJECT (child), "title", g_strdup (title), g_free);
  gtk_accessible_update_property (GTK_ACCESSIBLE (child), GTK_ACCESSIBLE_PROPERTY_LABEL, spoken,
                                  -1);
}

static void
set_fact (GtkLabel *label, const char *value)
{
  g_autofree char *shown = hearth_words_in_order (value);

  show_fact (label, value, shown);
}

/* `title` lives as long as the label. */
static GtkLabel *
add_fact (GtkFlowBox *to, const char *title, const char *value)
{
  GtkWidget *child = gtk_flow_box_child_new ();
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 2);
  GtkWidget *title_label = gtk_label_new (title);
  GtkWidget *value_label = gtk_label_new (NULL);

  gtk_label_set_xalign (GTK_LABEL (title_label), 0);
  gtk_label_set_wrap (GTK_LABEL (title_label), TRUE);
  gtk_widget_add_css_class (title_label, "caption");
  gtk_widget_add_css_class (title_label, "dimmed");
  gtk_label_set_xalign (GTK_LABEL (value_label), 0);
  gtk_label_set_wrap (GTK_LABEL (value_label), TRUE);
  gtk_label_set_wrap_mode (GTK_LABEL (value_label), PANGO_WRAP_WORD_CHAR);
  gtk_widget_add_css_class (value_label, "numeric");
  gtk_box_append (GTK_BOX (box), title_label);
  gtk_box_append (GTK_BOX (box), value_label);
  gtk_flow_box_child_set_child (GTK_FLOW_BOX_CHILD (child), box);
  gtk_flow_box_append (to, child);
  g_object_set_data_full (G_OBJECT (value_label), "title", g_strdup (title), g_free);
  set_fact (GTK_LABEL (value_label), value);
  return GTK_LABEL (value_label);
}

static void
add_role (HearthTensorValues *self, HearthTensor *tensor)
{
  g_auto (HearthTensorPlace) place;
  g_autofree char *role = NULL;
  g_autofree char *layer = NULL;

  hearth_tensor_place_init (&place, hearth_tensor_get_name (tensor));
  role = place.title == NULL    ? g_strdup (place.key)
         : place.suffix == NULL ? g_strdup (_ (place.title))
                                : g_strdup_printf (_ ("%1$s, %2$s"), _ (place.title), place.suffix);
  add_fact (self->facts, _ ("Role"), role);
  layer = place.layer >= 0 ? hearth_words_for_number ((guint64) place.layer) : NULL;
  add_fact (self->facts, _ ("Layer"), layer != NULL ? layer : C_ ("layer of a tensor", "None"));
}

static void
add_facts (HearthTensorValues *self, HearthTensor *tensor)
{
  g_autofree char *n = hearth_words_for_number (hearth_tensor_get_n_elements (tensor));
  g_autofree char *size = hearth_words_for_exact_size (hearth_tensor_get_n_bytes (tensor));
  g_autofree char *offset = hearth_words_for_number (hearth_tensor_get_file_offset (tensor));
  g_autofree char *bits = g_strdup_printf ("%.4g", hearth_tensor_get_bits_per_weight (tensor));

  add_role (self, tensor);
  add_fact (self->facts, _ ("Type"), hearth_tensor_get_type_name (tensor));
  add_fact (self->facts, _ ("Bits per weight"), bits);
  add_fact (self->facts, _ ("Shape"), hearth_tensor_get_shape (tensor));
  add_fact (self->facts, _ ("Elements"), n);
  add_fact (self->facts, _ ("Size"), size);
  add_fact (self->facts, _ ("Offset in the file"), offset);
  if (hearth_tensor_get_n_parts (tensor) > 1)
    {
      g_autofree char *name = g_path_get_basename (hearth_tensor_get_file (tensor));

      add_fact (self->facts, _ ("File"), name);
    }
}

/* Of the tensor: a name may have what a file's cannot. */
static char *
dup_file_name (HearthTensorValues *self, const char *ending)
{
  char *name = g_strconcat (hearth_tensor_get_name (self->tensor), ending, NULL);

  return g_strdelimit (name, "/", '_');
}

/* ---- figures ---------------------------------------------------------------------------- */

static void
add_figures (HearthTensorValues *self)
{
  static const char *const titles[] = {
    [FIGURE_MIN] = N_ ("Smallest"),
    [FIGURE_MAX] = N_ ("Largest"),
    [FIGURE_ABS_MAX] = N_ ("Largest magnitude"),
    [FIGURE_MEAN] = N_ ("Mean"),
    [FIGURE_RMS] = N_ ("Root mean square"),
    [FIGURE_DEVIATION] = N_ ("Standard deviation"),
    [FIGURE_ZEROS] = N_ ("Zeros"),
    [FIGURE_NAN] = N_ ("NaN or infinite"),
  };

  for (guint i = 0; i < N_FIGURES; i++)
    {
      g_autofree char *title = NULL;

      if (i < FIGURE_QUANTILES)
        title = g_strdup (_ (titles[i]));
      else if (i - FIGURE_QUANTILES == HEARTH_STATS_QUANTILES / 2)
        title = g_strdup (_ ("Median"));
      else
        {
          g_autofree char *percent = hearth_words_for_percent (
            hearth_tensor_stats_get_quantile (i - FIGURE_QUANTILES) * 100, -1);

          /* Translators: the value that so many per cent of all values are not above */
          title = g_strdup_printf (_ ("%s quantile"), percent);
        }
      self->labels[i] = add_fact (self->figures, title, "…");
    }
}

static void
set_value (HearthTensorValues *self, enum figure figure, double value)
{
  g_autofree char *text = g_strdup_printf ("%.4g", value);

  g_autofree char *shown = hearth_words_with_sign (text);

  show_fact (self->labels[figure], text, shown);
}

static void
show_figures (HearthTensorValues *self, const HearthTensorFigures *f)
{
  g_autofree char *min = hearth_histogram_dup_value (f->min);
  g_autofree char *max = hearth_histogram_dup_value (f->max);
  g_autofree char *zeros =
    hearth_words_for_percent (f->n > 0 ? 100.0 * (double) f->n_zero / (double) f->n : 0, -1);
  g_autofree char *bad = hearth_words_for_number (f->n_nan + f->n_infinite);

  set_value (self, FIGURE_MIN, f->min);
  set_value (self, FIGURE_MAX, f->max);
  set_value (self, FIGURE_ABS_MAX, f->abs_max);
  set_value (self, FIGURE_MEAN, f->mean);
  set_value (self, FIGURE_RMS, f->rms);
  set_value (self, FIGURE_DEVIATION, f->deviation);
  set_fact (self->labels[FIGURE_ZEROS], zeros);
  set_fact (self->labels[FIGURE_NAN], bad);
  for (guint i = 0; i < HEARTH_STATS_QUANTILES; i++)
    set_value (self, FIGURE_QUANTILES + i, f->quantiles[i]);
  gtk_label_set_text (self->min_label, min);
  gtk_label_set_text (self->max_label, max);
  hearth_histogram_set_figures (self->histogram, f);
}

/* What is shown: a sample, or all. */
static char *
dup_state (HearthTensorValues *self, const HearthTensorFigures *f)
{
  g_autofree char *n = f != NULL ? hearth_words_for_number (f->n) : NULL;
  g_autofree char *all = f != NULL ? hearth_words_for_number (f->n_all) : NULL;

  switch (hearth_tensor_stats_get_state (self->stats))
    {
    case HEARTH_STATS_SAMPLING:
      return g_strdup (_ ("Reading a sample…"));
    case HEARTH_STATS_COUNTING:
      /* Translators: of a tensor's values: "A sample of 262,144 of 28,311,552 values; …" */
      return g_strdup_printf (_ ("A sample of %1$s of %2$s values; counting all of them…"), n, all);
    case HEARTH_STATS_STOPPED:
      return g_strdup_printf (_ ("A sample of %1$s of %2$s values"), n, all);
    case HEARTH_STATS_EXACT:
      return g_strdup_printf (ngettext ("The only value", "All %s values", f->n), n);
    case HEARTH_STATS_FAILED:
    default:
      return g_strdup_printf (_ ("The values could not be read: %s"),
                              hearth_tensor_stats_get_error (self->stats)->message);
    }
}

/* What there is to be given away. */
static void
update_actions (HearthTensorValues *self)
{
  static const char *const names[] = { "values.copy", "values.export", "values.save-picture",
                                       "values.copy-picture" };
  gboolean any = hearth_tensor_stats_get_figures (self->stats) != NULL;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    gtk_widget_action_set_enabled (GTK_WIDGET (self), names[i], any);
}

static void
stats_changed_cb (HearthTensorValues *self)
{
  HearthStatsState state = hearth_tensor_stats_get_state (self->stats);
  const HearthTensorFigures *figures = hearth_tensor_stats_get_figures (self->stats);
  g_autofree char *text = dup_state (self, figures);

  if (self->root == NULL)
    return;
  if (g_strcmp0 (text, gtk_label_get_text (self->state_label)) != 0)
    {
      gtk_label_set_text (self->state_label, text);
      if (figures != NULL)
        show_figures (self, figures);
    }
  update_actions (self);
  gtk_button_set_label (self->stop_button,
                        state == HEARTH_STATS_STOPPED ? _ ("Count All") : _ ("Cancel"));
  gtk_widget_set_visible (GTK_WIDGET (self->stop_button),
                          state == HEARTH_STATS_COUNTING || state == HEARTH_STATS_STOPPED);
  /* Its place stays, so that nothing moves when it is done. */
  gtk_widget_set_opacity (GTK_WIDGET (self->progress), state == HEARTH_STATS_COUNTING ? 1 : 0);
  gtk_progress_bar_set_fraction (self->progress, hearth_tensor_stats_get_progress (self->stats));
}

static void
stop_cb (HearthTensorValues *self)
{
  if (hearth_tensor_stats_get_state (self->stats) == HEARTH_STATS_STOPPED)
    hearth_tensor_stats_start (self->stats);
  else
    hearth_tensor_stats_stop (self->stats);
}

static void
hover_cb (HearthTensorValues *self, const char *text)
{
  gtk_label_set_text (self->hover_label, text != NULL ? text : "");
}

/* ---- copying and exporting -------------------------------------------------------------- */

static void
append_facts (GString *text, GtkFlowBox *box)
{
  for (GtkWidget *child = gtk_widget_get_first_child (GTK_WIDGET (box)); child != NULL;
       child = gtk_widget_get_next_sibling (child))
    g_string_append_printf (text, "%s\t%s\n",
                            (const char *) g_object_get_data (G_OBJECT (child), "title"),
                            (const char *) g_object_get_data (G_OBJECT (child), "value"));
}

static void
copy_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  GString *text = g_string_new (NULL);

  append_facts (text, HEARTH_TENSOR_VALUES (widget)->figures);
  hearth_export_copy (widget, g_string_free_and_steal (text));
}

static void
export_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthTensorValues *self = HEARTH_TENSOR_VALUES (widget);
  gboolean json = g_str_equal (g_variant_get_string (parameter, NULL), "json");
  const HearthTensorFigures *figures = hearth_tensor_stats_get_figures (self->stats);
  g_autofree char *file = dup_file_name (self, json ? "-values.json" : "-values.csv");

  if (figures != NULL)
    hearth_export_save (
      widget, file,
      hearth_tensor_figures_export (figures, json ? HEARTH_TABLE_JSON : HEARTH_TABLE_CSV));
}

static void
picture_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthTensorValues *self = HEARTH_TENSOR_VALUES (widget);
  g_autofree char *file = dup_file_name (self, "-values.png");
  g_autoptr (GdkTexture) picture = hearth_histogram_draw (
    self->histogram, hearth_tensor_get_name (self->tensor), gtk_label_get_text (self->state_label));

  if (picture == NULL)
    return;
  if (g_str_equal (name, "values.copy-picture"))
    hearth_export_copy_picture (widget, picture);
  else
    hearth_export_save_picture (widget, file, picture);
}

/* ---- the widget ------------------------------------------------------------------------- */

static void
hearth_tensor_values_dispose (GObject *object)
{
  HearthTensorValues *self = HEARTH_TENSOR_VALUES (object);

  if (self->stats != NULL)
    g_signal_handlers_disconnect_by_data (self->stats, self);
  g_clear_object (&self->stats);
  g_clear_object (&self->tensor);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_TENSOR_VALUES);
  G_OBJECT_CLASS (hearth_tensor_values_parent_class)->dispose (object);
}

static void
hearth_tensor_values_class_init (HearthTensorValuesClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);
  g_autoptr (GtkShortcut) copy =
    gtk_shortcut_new (gtk_shortcut_trigger_parse_string (hearth_shortcuts_get_keys ("table.copy")),
                      gtk_named_action_new ("values.copy"));

  widget_class->focus = hearth_focus_move;
  G_OBJECT_CLASS (klass)->dispose = hearth_tensor_values_dispose;
  g_type_ensure (HEARTH_TYPE_HISTOGRAM);
  gtk_widget_class_install_action (widget_class, "values.copy", NULL, copy_action);
  gtk_widget_class_install_action (widget_class, "values.export", "s", export_action);
  gtk_widget_class_install_action (widget_class, "values.save-picture", NULL, picture_action);
  gtk_widget_class_install_action (widget_class, "values.copy-picture", NULL, picture_action);
  gtk_widget_class_add_shortcut (widget_class, copy);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-tensor-values.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthTensorValues, root);
  gtk_widget_class_bind_template_child (widget_class, HearthTensorValues, facts);
  gtk_widget_class_bind_template_child (widget_class, HearthTensorValues, figures);
  gtk_widget_class_bind_template_child (widget_class, HearthTensorValues, state_label);
  gtk_widget_class_bind_template_child (widget_class, HearthTensorValues, stop_button);
  gtk_widget_class_bind_template_child (widget_class, HearthTensorValues, menu_button);
  gtk_widget_class_bind_template_child (widget_class, HearthTensorValues, progress);
  gtk_widget_class_bind_template_child (widget_class, HearthTensorValues, histogram);
  gtk_widget_class_bind_template_child (widget_class, HearthTensorValues, min_label);
  gtk_widget_class_bind_template_child (widget_class, HearthTensorValues, hover_label);
  gtk_widget_class_bind_template_child (widget_class, HearthTensorValues, max_label);
  gtk_widget_class_bind_template_callback (widget_class, fact_activated_cb);
  gtk_widget_class_bind_template_callback (widget_class, stop_cb);
  gtk_widget_class_bind_template_callback (widget_class, hover_cb);
}

static void
hearth_tensor_values_init (HearthTensorValues *self)
{
  GtkWidget *min_label;

  g_autoptr (GMenuModel) menu = hearth_menu_new ("library/hearth-export-menus.ui", "values_menu");

  gtk_widget_init_template (GTK_WIDGET (self));
  gtk_menu_button_set_menu_model (self->menu_button, menu);
  /* The ends of the histogram, which runs from left to right in any language. */
  min_label = GTK_WIDGET (self->min_label);
  gtk_widget_set_direction (gtk_widget_get_parent (min_label), GTK_TEXT_DIR_LTR);
  gtk_widget_set_direction (min_label, GTK_TEXT_DIR_LTR);
  gtk_widget_set_direction (GTK_WIDGET (self->max_label), GTK_TEXT_DIR_LTR);
  add_figures (self);
}

void
hearth_tensor_values_show (HearthTensorValues *self, HearthTensor *tensor)
{
  g_return_if_fail (HEARTH_IS_TENSOR_VALUES (self) && self->stats == NULL);

  self->tensor = g_object_ref (tensor);
  add_facts (self, tensor);
  self->stats = hearth_tensor_stats_new (tensor);
  g_signal_connect_object (self->stats, "changed", G_CALLBACK (stats_changed_cb), self,
                           G_CONNECT_SWAPPED);
  stats_changed_cb (self);
}
