/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-fit-view.h"

#include <adwaita.h>
#include <glib/gi18n.h>
#include <math.h>

#include "hearth-fit.h"
#include "hearth-focus.h"
#include "hearth-model-words.h"
#include "hearth-share-bar.h"
#include "hearth-words.h"

/* The shortest context that is worth planning, and the step of the slider. */
#define LEAST_CONTEXT 256u
/* The end of the slider for a file that does not say what it was trained for. */
#define UNKNOWN_CONTEXT 131072u

struct _HearthFitView
{
  GtkWidget parent_instance;

  GtkStack *root;
  AdwStatusPage *none_page;
  GtkImage *verdict_icon;
  GtkLabel *verdict_label;
  GtkSpinButton *context_spin;
  GtkAdjustment *context_adjustment;
  GtkScale *context_scale;
  AdwComboRow *kv_row;
  AdwActionRow *longest_row;
  AdwPreferencesGroup *memory_group;
  HearthShareBar *bar;
  GtkListBox *parts_box;
  GtkWidget *loaded_group;
  GtkListBox *loaded_box;
  GtkLabel *arithmetic_label;

  HearthEngine *engine;
  HearthSettings *settings;
  HearthModelFile *model;
  HearthFit *fit;
  gboolean automatic; /* the engine chooses the context until somebody has */
  gboolean showing;   /* the controls are being set from a plan */
  char *announced;    /* verdict that voice output has heard */
};

static void model_view_init (HearthModelViewInterface *iface);

G_DEFINE_FINAL_TYPE_WITH_CODE (HearthFitView, hearth_fit_view, GTK_TYPE_WIDGET,
                               G_IMPLEMENT_INTERFACE (HEARTH_TYPE_MODEL_VIEW, model_view_init))

/* ---- what is wished --------------------------------------------------------------------- */

static gboolean
is_loaded (HearthFitView *self)
{
  return self->model != NULL && hearth_model_file_get_loaded (self->model);
}

/* Loading drops the model that is in memory: what that holds is free for this one. Mapped weights
 * are the file's own pages, and count as free already. */
static guint64
given_back (HearthFitView *self)
{
  HearthEngineMemory memory;

  hearth_engine_get_memory (self->engine, &memory);
  return memory.kv + memory.checkpoint + memory.compute;
}

static void
send_wish (HearthFitView *self)
{
  guint n_ctx = 0;

  if (self->fit == NULL || self->showing)
    return;
  if (!self->automatic)
    n_ctx = (guint) gtk_spin_button_get_value (self->context_spin);
  hearth_fit_set_wish (self->fit, n_ctx, (HearthKvType) adw_combo_row_get_selected (self->kv_row),
                       hearth_settings_get_threads (self->settings), given_back (self));
}

static void
wish_changed_cb (HearthFitView *self)
{
  if (self->settings != NULL)
    send_wish (self);
}

/* The slider is logarithmic: each doubling of the context is as far as the one before. */
static void
set_slider (HearthFitView *self, double n_ctx)
{
  g_autofree char *number = hearth_words_for_number ((guint64) n_ctx);
  g_autofree char *text = g_strdup_printf (_ ("%s tokens"), number);

  gtk_range_set_value (GTK_RANGE (self->context_scale), log2 (MAX (n_ctx, 1)));
  gtk_accessible_update_property (GTK_ACCESSIBLE (self->context_scale),
                                  GTK_ACCESSIBLE_PROPERTY_VALUE_TEXT, text, -1);
}

static void
context_typed_cb (HearthFitView *self)
{
  if (self->showing || self->settings == NULL)
    return;
  self->automatic = FALSE;
  self->showing = TRUE;
  set_slider (self, gtk_spin_button_get_value (self->context_spin));
  self->showing = FALSE;
  send_wish (self);
}

static void
context_slid_cb (HearthFitView *self)
{
  double n_ctx;

  if (self->showing || self->settings == NULL)
    return;
  n_ctx = exp2 (gtk_range_get_value (GTK_RANGE (self->context_scale)));
  n_ctx = round (n_ctx / LEAST_CONTEXT) * LEAST_CONTEXT;
  n_ctx = CLAMP (n_ctx, LEAST_CONTEXT, gtk_adjustment_get_upper (self->context_adjustment));
  self->automatic = FALSE;
  self->showing = TRUE;
  gtk_spin_button_set_value (self->context_spin, n_ctx);
  set_slider (self, n_ctx);
  self->showing = FALSE;
  send_wish (self);
}

static void
add_mark (HearthFitView *self, guint n_ctx, guint most)
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
set_limits (HearthFitView *self, guint trained)
{
  guint most = MAX (trained > 0 ? trained : UNKNOWN_CONTEXT, LEAST_CONTEXT * 2);

  self->showing = TRUE;
  gtk_adjustment_set_upper (self->context_adjustment, most);
  gtk_range_set_range (GTK_RANGE (self->context_scale), log2 (LEAST_CONTEXT), log2 (most));
  gtk_range_set_increments (GTK_RANGE (self->context_scale), 0.125, 1);
  gtk_scale_clear_marks (self->context_scale);
  add_mark (self, 4096, most);
  add_mark (self, 8192, most);
  add_mark (self, 32768, most);
  add_mark (self, most, most);
  self->showing = FALSE;
}

/* ---- what is shown ---------------------------------------------------------------------- */

static void
add_part (HearthFitView *self, const char *style, const char *title, guint64 n_bytes)
{
  GtkWidget *row = adw_action_row_new ();
  g_autofree char *size = hearth_words_for_size (n_bytes);
  g_autofree char *exact = hearth_words_for_exact_size (n_bytes);
  g_autofree char *tooltip = g_strdup_printf ("%s: %s", title, size);
  GtkWidget *label = gtk_label_new (size);

  hearth_share_bar_add (self->bar, style, n_bytes, tooltip);
  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  adw_action_row_add_prefix (ADW_ACTION_ROW (row), hearth_share_bar_swatch_new (style));
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), label);
  gtk_widget_set_tooltip_text (row, exact);
  gtk_widget_add_css_class (row, "numeric");
  gtk_list_box_append (self->parts_box, row);
}

static void
show_parts (HearthFitView *self, const HearthFitPlan *plan)
{
  g_autofree char *total = hearth_words_for_size (plan->memory_total);
  g_autofree char *description = NULL;

  gtk_list_box_remove_all (self->parts_box);
  hearth_share_bar_clear (self->bar);
  add_part (self, "share-weights", _ ("Weights"), plan->weights);
  add_part (self, "share-context", _ ("Context"), plan->kv + plan->checkpoint);
  add_part (self, "share-working", _ ("Working memory"), plan->compute);
  if (plan->memory_total > plan->budget)
    add_part (self, "share-others", _ ("Other programs"), plan->memory_total - plan->budget);
  if (plan->fits)
    add_part (self, "share-free", _ ("Free"), plan->budget - plan->need);
  else
    {
      GtkWidget *row = adw_action_row_new ();
      g_autofree char *missing = hearth_words_for_size (plan->need - plan->budget);

      adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), _ ("Missing"));
      adw_action_row_add_prefix (ADW_ACTION_ROW (row),
                                 gtk_image_new_from_icon_name ("hearth-too-big-symbolic"));
      adw_action_row_add_suffix (ADW_ACTION_ROW (row), gtk_label_new (missing));
      gtk_list_box_append (self->parts_box, row);
    }
  if (plan->memory_total > 0)
    /* Translators: %s is a size, "32.0 GB" */
    description = g_strdup_printf (_ ("%s in all"), total);
  adw_preferences_group_set_description (self->memory_group, description);
}

static void
add_comparison (HearthFitView *self, const char *title, guint64 predicted, guint64 actual)
{
  GtkWidget *row;
  g_autofree char *left = hearth_words_for_size (predicted);
  g_autofree char *right = hearth_words_for_size (actual);
  g_autofree char *exact_left = hearth_words_for_number (predicted);
  g_autofree char *exact_right = hearth_words_for_number (actual);
  g_autofree char *text = NULL;
  g_autofree char *tooltip = NULL;

  if (predicted == 0 && actual == 0)
    return;
  row = adw_action_row_new ();
  text = predicted == actual
           /* Translators: what was predicted is what it is */
           ? g_strdup_printf (_ ("%s, exactly as predicted"), right)
           : g_strdup_printf (_ ("%1$s predicted, %2$s actual"), left, right);
  tooltip =
    g_strdup_printf (_ ("%1$s bytes predicted, %2$s bytes actual"), exact_left, exact_right);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), text);
  gtk_widget_set_tooltip_text (row, tooltip);
  gtk_widget_add_css_class (row, "property");
  gtk_widget_add_css_class (row, "numeric");
  gtk_list_box_append (self->loaded_box, row);
}

/* Only for the plan that the loaded model was loaded by: others would compare what differs. */
static void
show_comparison (HearthFitView *self, const HearthFitPlan *plan)
{
  HearthEngineMemory memory;
  gboolean same;

  hearth_engine_get_memory (self->engine, &memory);
  same = is_loaded (self) && memory.weights > 0 &&
         hearth_engine_get_n_ctx (self->engine) == plan->n_ctx && memory.kv == plan->kv;
  gtk_widget_set_visible (self->loaded_group, same);
  gtk_list_box_remove_all (self->loaded_box);
  if (!same)
    return;
  add_comparison (self, _ ("Weights"), plan->weights, memory.weights);
  add_comparison (self, _ ("Context"), plan->kv + plan->checkpoint, memory.kv + memory.checkpoint);
  add_comparison (self, _ ("Working memory"), plan->compute, memory.compute);
  add_comparison (self, _ ("Together"), plan->need,
                  memory.weights + memory.kv + memory.checkpoint + memory.compute);
}

static void
show_longest (HearthFitView *self, const HearthFitPlan *plan)
{
  g_autofree char *number = hearth_words_for_number (plan->longest);
  g_autofree char *text = NULL;

  if (plan->longest == 0)
    text = g_strdup (_ ("None"));
  else if (plan->longest == plan->n_ctx_trained)
    text = g_strdup_printf (_ ("%s tokens, all that the model was made for"), number);
  else
    text = g_strdup_printf (_ ("%s tokens"), number);
  adw_action_row_set_subtitle (self->longest_row, text);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "fit.use-longest",
                                 plan->longest > 0 && plan->longest != plan->n_ctx);
}

static void
show_plan (HearthFitView *self)
{
  const HearthFitPlan *plan;
  const GError *error;
  g_autofree char *verdict = NULL;
  g_autofree char *arithmetic = NULL;

  if (self->fit == NULL || self->model == NULL)
    return;
  plan = hearth_fit_get_plan (self->fit);
  error = hearth_fit_get_error (self->fit);
  if (plan == NULL)
    {
      g_autofree char *sentence =
        error != NULL ? hearth_words_for_error (error, self->model) : g_strdup ("");

      adw_status_page_set_description (self->none_page, sentence);
      gtk_stack_set_visible_child_name (self->root, "none");
      return;
    }
  self->showing = TRUE;
  if (self->automatic)
    {
      gtk_spin_button_set_value (self->context_spin, plan->n_ctx);
      set_slider (self, plan->n_ctx);
    }
  self->showing = FALSE;

  verdict = hearth_model_words_for_plan (self->model, plan);
  gtk_label_set_text (self->verdict_label, verdict);
  gtk_image_set_from_icon_name (self->verdict_icon,
                                plan->fits ? "hearth-fits-symbolic" : "hearth-too-big-symbolic");
  gtk_widget_remove_css_class (GTK_WIDGET (self->verdict_icon), plan->fits ? "warning" : "success");
  gtk_widget_add_css_class (GTK_WIDGET (self->verdict_icon), plan->fits ? "success" : "warning");
  show_longest (self, plan);
  show_parts (self, plan);
  show_comparison (self, plan);
  arithmetic = hearth_model_words_for_arithmetic (self->model, plan);
  gtk_label_set_text (self->arithmetic_label, arithmetic);
  gtk_stack_set_visible_child_name (self->root, "plan");

  /* The first verdict is read with the page; one that has changed is an answer to an action. */
  if (self->announced != NULL && !g_str_equal (self->announced, verdict) &&
      gtk_widget_get_mapped (GTK_WIDGET (self)))
    gtk_accessible_announce (GTK_ACCESSIBLE (self), verdict,
                             GTK_ACCESSIBLE_ANNOUNCEMENT_PRIORITY_MEDIUM);
  g_set_str (&self->announced, verdict);
}

static void
engine_changed_cb (HearthFitView *self)
{
  if (self->fit == NULL)
    return;
  /* Whatever was loaded or dropped has changed what is free. */
  hearth_fit_refresh (self->fit);
  send_wish (self);
}

/* ---- actions ---------------------------------------------------------------------------- */

static void
use_longest_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthFitView *self = HEARTH_FIT_VIEW (widget);
  const HearthFitPlan *plan = self->fit != NULL ? hearth_fit_get_plan (self->fit) : NULL;

  if (plan != NULL && plan->longest > 0)
    gtk_spin_button_set_value (self->context_spin, plan->longest);
}

static void
make_default_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthFitView *self = HEARTH_FIT_VIEW (widget);
  guint n_ctx = self->automatic ? 0 : (guint) gtk_spin_button_get_value (self->context_spin);

  g_object_set (self->settings, "context-length", n_ctx, "kv-type",
                (int) adw_combo_row_get_selected (self->kv_row), NULL);
  gtk_widget_activate_action (widget, "win.toast", "s", _ ("New chats use these settings"));
}

static void
copy_arithmetic_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthFitView *self = HEARTH_FIT_VIEW (widget);

  gdk_clipboard_set_text (gtk_widget_get_clipboard (widget),
                          gtk_label_get_text (self->arithmetic_label));
  gtk_widget_activate_action (widget, "win.toast", "s", _ ("Copied"));
}

/* ---- as a view of the page -------------------------------------------------------------- */

static void
set_sources (HearthModelView *view, HearthEngine *engine, HearthSettings *settings)
{
  HearthFitView *self = HEARTH_FIT_VIEW (view);

  g_set_object (&self->engine, engine);
  g_set_object (&self->settings, settings);
  g_signal_connect_object (engine, "notify::path", G_CALLBACK (engine_changed_cb), self,
                           G_CONNECT_SWAPPED);
  g_signal_connect_object (engine, "notify::state", G_CALLBACK (engine_changed_cb), self,
                           G_CONNECT_SWAPPED);
}

static void
show_model (HearthModelView *view, HearthModelFile *model)
{
  HearthFitView *self = HEARTH_FIT_VIEW (view);
  const HearthModelHeader *header;
  guint wished;

  header = model != NULL ? hearth_model_file_get_header (model) : NULL;
  g_set_object (&self->model, model);
  if (self->fit != NULL)
    g_signal_handlers_disconnect_by_data (self->fit, self);
  g_clear_object (&self->fit);
  g_clear_pointer (&self->announced, g_free);
  gtk_stack_set_visible_child_name (self->root, "none");
  adw_status_page_set_description (self->none_page, NULL);
  if (header == NULL || header->fit_error != NULL)
    {
      g_autofree char *sentence =
        header != NULL ? hearth_words_for_error (header->fit_error, model) : NULL;

      adw_status_page_set_description (self->none_page, sentence);
      return;
    }
  set_limits (self, header->n_ctx_trained);
  wished = hearth_settings_get_context_length (self->settings);
  self->automatic = wished == 0;
  self->showing = TRUE;
  adw_combo_row_set_selected (self->kv_row, (guint) hearth_settings_get_kv_type (self->settings));
  if (wished > 0)
    {
      gtk_spin_button_set_value (self->context_spin, wished);
      set_slider (self, gtk_spin_button_get_value (self->context_spin));
    }
  self->showing = FALSE;
  self->fit = hearth_fit_new (hearth_model_file_get_path (model));
  g_signal_connect_object (self->fit, "notify::plan", G_CALLBACK (show_plan), self,
                           G_CONNECT_SWAPPED);
  send_wish (self);
}

static void
model_view_init (HearthModelViewInterface *iface)
{
  iface->set_sources = set_sources;
  iface->show_model = show_model;
}

/* ---- the widget ------------------------------------------------------------------------- */

static void
hearth_fit_view_dispose (GObject *object)
{
  HearthFitView *self = HEARTH_FIT_VIEW (object);

  if (self->fit != NULL)
    g_signal_handlers_disconnect_by_data (self->fit, self);
  g_clear_object (&self->fit);
  g_clear_object (&self->model);
  g_clear_object (&self->engine);
  g_clear_object (&self->settings);
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_FIT_VIEW);
  G_OBJECT_CLASS (hearth_fit_view_parent_class)->dispose (object);
}

static void
hearth_fit_view_finalize (GObject *object)
{
  g_free (HEARTH_FIT_VIEW (object)->announced);
  G_OBJECT_CLASS (hearth_fit_view_parent_class)->finalize (object);
}

static void
hearth_fit_view_class_init (HearthFitViewClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  object_class->dispose = hearth_fit_view_dispose;
  object_class->finalize = hearth_fit_view_finalize;
  g_type_ensure (HEARTH_TYPE_SHARE_BAR);
  gtk_widget_class_install_action (widget_class, "fit.use-longest", NULL, use_longest_action);
  gtk_widget_class_install_action (widget_class, "fit.make-default", NULL, make_default_action);
  gtk_widget_class_install_action (widget_class, "fit.copy-arithmetic", NULL,
                                   copy_arithmetic_action);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-fit-view.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthFitView, root);
  gtk_widget_class_bind_template_child (widget_class, HearthFitView, none_page);
  gtk_widget_class_bind_template_child (widget_class, HearthFitView, verdict_icon);
  gtk_widget_class_bind_template_child (widget_class, HearthFitView, verdict_label);
  gtk_widget_class_bind_template_child (widget_class, HearthFitView, context_spin);
  gtk_widget_class_bind_template_child (widget_class, HearthFitView, context_adjustment);
  gtk_widget_class_bind_template_child (widget_class, HearthFitView, context_scale);
  gtk_widget_class_bind_template_child (widget_class, HearthFitView, kv_row);
  gtk_widget_class_bind_template_child (widget_class, HearthFitView, longest_row);
  gtk_widget_class_bind_template_child (widget_class, HearthFitView, memory_group);
  gtk_widget_class_bind_template_child (widget_class, HearthFitView, bar);
  gtk_widget_class_bind_template_child (widget_class, HearthFitView, parts_box);
  gtk_widget_class_bind_template_child (widget_class, HearthFitView, loaded_group);
  gtk_widget_class_bind_template_child (widget_class, HearthFitView, loaded_box);
  gtk_widget_class_bind_template_child (widget_class, HearthFitView, arithmetic_label);
  gtk_widget_class_bind_template_callback (widget_class, context_typed_cb);
  gtk_widget_class_bind_template_callback (widget_class, context_slid_cb);
  gtk_widget_class_bind_template_callback (widget_class, wish_changed_cb);
}

static void
hearth_fit_view_init (HearthFitView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
