/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-fit-view.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "hearth-export.h"
#include "hearth-fit-controls.h"
#include "hearth-fit-export.h"
#include "hearth-fit-memory.h"
#include "hearth-focus.h"
#include "hearth-model-words.h"
#include "hearth-words.h"

struct _HearthFitView
{
  GtkWidget parent_instance;

  GtkStack *root;
  AdwStatusPage *none_page;
  GtkWidget *files_button;
  GtkImage *verdict_icon;
  GtkLabel *verdict_label;
  HearthFitControls *controls;
  HearthFitMemory *memory;
  GtkLabel *arithmetic_label;

  HearthEngine *engine;
  HearthSettings *settings;
  HearthModelFile *model;
  HearthFit *fit;
  char *announced; /* verdict that voice output has heard */
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
  if (self->fit == NULL)
    return;
  hearth_fit_set_wish (self->fit, hearth_fit_controls_get_n_ctx (self->controls),
                       hearth_fit_controls_get_kv_type (self->controls),
                       hearth_settings_get_threads (self->settings), given_back (self));
}

/* ---- what is shown ---------------------------------------------------------------------- */

/* Only for the plan that the loaded model was loaded by: others would compare what differs. */
static void
show_comparison (HearthFitView *self, const HearthFitPlan *plan)
{
  HearthEngineMemory memory;
  gboolean same;

  hearth_engine_get_memory (self->engine, &memory);
  same = is_loaded (self) && memory.weights > 0 &&
         hearth_engine_get_n_ctx (self->engine) == plan->n_ctx && memory.kv == plan->kv;
  hearth_fit_memory_compare (self->memory, plan, same ? &memory : NULL);
}

/* `error` NULL: it is being planned. */
static void
show_none (HearthFitView *self, const GError *error)
{
  const char *way_out = error != NULL ? hearth_words_for_way_out (error, self->model) : NULL;
  g_autofree char *sentence =
    error != NULL ? hearth_words_for_error (error, self->model) : g_strdup ("");
  g_autofree char *text =
    way_out != NULL ? g_strdup_printf ("%s\n%s", sentence, way_out) : g_strdup (sentence);
  g_autofree char *escaped = g_markup_escape_text (text, -1);

  adw_status_page_set_title (self->none_page, error != NULL ? _ ("No Plan") : "");
  adw_status_page_set_description (self->none_page, escaped);
  gtk_widget_set_visible (self->files_button, way_out != NULL);
  gtk_stack_set_visible_child_name (self->root, "none");
}

static void
show_plan (HearthFitView *self)
{
  const HearthFitPlan *plan;
  g_autofree char *verdict = NULL;
  g_autofree char *arithmetic = NULL;

  if (self->fit == NULL || self->model == NULL)
    return;
  plan = hearth_fit_get_plan (self->fit);
  if (plan == NULL)
    {
      show_none (self, hearth_fit_get_error (self->fit));
      return;
    }
  hearth_fit_controls_show (self->controls, plan);

  verdict = hearth_model_words_for_plan (self->model, plan);
  gtk_label_set_text (self->verdict_label, verdict);
  gtk_image_set_from_icon_name (self->verdict_icon,
                                plan->fits ? "object-select-symbolic" : "hearth-too-big-symbolic");
  gtk_widget_remove_css_class (GTK_WIDGET (self->verdict_icon), plan->fits ? "warning" : "success");
  gtk_widget_add_css_class (GTK_WIDGET (self->verdict_icon), plan->fits ? "success" : "warning");
  hearth_fit_memory_show (self->memory, plan);
  show_comparison (self, plan);
  arithmetic = hearth_model_words_for_arithmetic (self->model, plan);
  if (gtk_widget_get_direction (GTK_WIDGET (self)) == GTK_TEXT_DIR_RTL)
    {
      /* A line that begins with a type's name is no line from left to right. */
      g_auto (GStrv) lines = g_strsplit (arithmetic, "\n", -1);
      g_autofree char *joined = g_strjoinv ("\n\u200f", lines);

      g_free (arithmetic);
      arithmetic = g_strconcat ("\u200f", joined, NULL);
    }
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
make_default_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthFitView *self = HEARTH_FIT_VIEW (widget);

  g_object_set (self->settings, "context-length", hearth_fit_controls_get_n_ctx (self->controls),
                "kv-type", (int) hearth_fit_controls_get_kv_type (self->controls), NULL);
  gtk_widget_activate_action (widget, "win.toast", "s", _ ("New chats use these settings"));
}

static void
copy_arithmetic_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthFitView *self = HEARTH_FIT_VIEW (widget);

  hearth_export_copy (widget, g_strdup (gtk_label_get_text (self->arithmetic_label)));
}

static void
export_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HearthFitView *self = HEARTH_FIT_VIEW (widget);
  gboolean json = g_str_equal (g_variant_get_string (parameter, NULL), "json");
  const HearthFitPlan *plan = self->fit != NULL ? hearth_fit_get_plan (self->fit) : NULL;
  g_autofree char *file = NULL;

  if (plan == NULL)
    return;
  file = hearth_export_name (hearth_fit_get_path (self->fit), json ? "-fit.json" : "-fit.csv");
  hearth_export_save (widget, file,
                      hearth_fit_plan_export (plan, json ? HEARTH_TABLE_JSON : HEARTH_TABLE_CSV));
}

/* ---- as a view of the page -------------------------------------------------------------- */

static void
set_sources (HearthModelView *view, HearthEngine *engine, HearthSettings *settings)
{
  HearthFitView *self = HEARTH_FIT_VIEW (view);

  g_set_object (&self->engine, engine);
  g_set_object (&self->settings, settings);
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "fit.make-default",
                                 !hearth_settings_is_locked (settings, "context-length") &&
                                   !hearth_settings_is_locked (settings, "kv-type"));
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

  header = model != NULL ? hearth_model_file_get_header (model) : NULL;
  g_set_object (&self->model, model);
  if (self->fit != NULL)
    g_signal_handlers_disconnect_by_data (self->fit, self);
  g_clear_object (&self->fit);
  g_clear_pointer (&self->announced, g_free);
  show_none (self, header != NULL ? header->fit_error : NULL);
  if (header == NULL || header->fit_error != NULL)
    return;
  hearth_fit_controls_begin (self->controls, header->n_ctx_trained,
                             hearth_settings_get_context_length (self->settings),
                             hearth_settings_get_kv_type (self->settings));
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
  g_type_ensure (HEARTH_TYPE_FIT_CONTROLS);
  g_type_ensure (HEARTH_TYPE_FIT_MEMORY);
  gtk_widget_class_install_action (widget_class, "fit.make-default", NULL, make_default_action);
  gtk_widget_class_install_action (widget_class, "fit.copy-arithmetic", NULL,
                                   copy_arithmetic_action);
  gtk_widget_class_install_action (widget_class, "fit.export", "s", export_action);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-fit-view.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthFitView, root);
  gtk_widget_class_bind_template_child (widget_class, HearthFitView, none_page);
  gtk_widget_class_bind_template_child (widget_class, HearthFitView, files_button);
  gtk_widget_class_bind_template_child (widget_class, HearthFitView, verdict_icon);
  gtk_widget_class_bind_template_child (widget_class, HearthFitView, verdict_label);
  gtk_widget_class_bind_template_child (widget_class, HearthFitView, controls);
  gtk_widget_class_bind_template_child (widget_class, HearthFitView, memory);
  gtk_widget_class_bind_template_child (widget_class, HearthFitView, arithmetic_label);
  gtk_widget_class_bind_template_callback (widget_class, send_wish);
}

static void
hearth_fit_view_init (HearthFitView *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}
