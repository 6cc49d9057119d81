/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "hearth-fit-memory.h"

#include <adwaita.h>
#include <glib/gi18n.h>

#include "hearth-focus.h"
#include "hearth-share-bar.h"
#include "hearth-words.h"

struct _HearthFitMemory
{
  GtkWidget parent_instance;

  GtkWidget *root;
  AdwPreferencesGroup *memory_group;
  HearthShareBar *bar;
  GtkListBox *parts_box;
  GtkWidget *loaded_group;
  GtkListBox *loaded_box;
};

G_DEFINE_FINAL_TYPE (HearthFitMemory, hearth_fit_memory, GTK_TYPE_WIDGET)

static void
add_part (HearthFitMemory *self, const char *style, const char *title, const char *meaning,
          guint64 n_bytes)
{
  GtkWidget *row = adw_action_row_new ();
  g_autofree char *size = hearth_words_for_size (n_bytes);
  g_autofree char *exact = hearth_words_for_exact_size (n_bytes);
  g_autofree char *tooltip = g_strdup_printf ("%s: %s", title, size);
  GtkWidget *label = gtk_label_new (size);

  hearth_share_bar_add (self->bar, style, n_bytes, tooltip);
  adw_preferences_row_set_use_markup (ADW_PREFERENCES_ROW (row), FALSE);
  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), title);
  adw_action_row_set_subtitle (ADW_ACTION_ROW (row), meaning != NULL ? meaning : "");
  adw_action_row_add_prefix (ADW_ACTION_ROW (row), hearth_share_bar_swatch_new (style));
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), label);
  gtk_widget_set_tooltip_text (row, exact);
  gtk_widget_add_css_class (row, "numeric");
  gtk_list_box_append (self->parts_box, row);
}

static void
add_missing (HearthFitMemory *self, const HearthFitPlan *plan)
{
  GtkWidget *row = adw_action_row_new ();
  GtkWidget *icon = gtk_image_new_from_icon_name ("hearth-too-big-symbolic");
  g_autofree char *missing = hearth_words_for_size (plan->need - plan->budget);
  g_autofree char *exact = hearth_words_for_exact_size (plan->need - plan->budget);

  adw_preferences_row_set_title (ADW_PREFERENCES_ROW (row), _ ("Missing"));
  adw_action_row_add_prefix (ADW_ACTION_ROW (row), icon);
  adw_action_row_add_suffix (ADW_ACTION_ROW (row), gtk_label_new (missing));
  gtk_widget_set_tooltip_text (row, exact);
  gtk_widget_add_css_class (icon, "error");
  gtk_widget_add_css_class (row, "numeric");
  gtk_list_box_append (self->parts_box, row);
}

/* ---- predicted and actual --------------------------------------------------------------- */

static void
add_comparison (HearthFitMemory *self, const char *title, guint64 predicted, guint64 actual)
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

/* ---- the widget ------------------------------------------------------------------------- */

static void
hearth_fit_memory_dispose (GObject *object)
{
  gtk_widget_dispose_template (GTK_WIDGET (object), HEARTH_TYPE_FIT_MEMORY);
  G_OBJECT_CLASS (hearth_fit_memory_parent_class)->dispose (object);
}

static void
hearth_fit_memory_class_init (HearthFitMemoryClass *klass)
{
  GtkWidgetClass *widget_class = GTK_WIDGET_CLASS (klass);

  widget_class->focus = hearth_focus_move;
  G_OBJECT_CLASS (klass)->dispose = hearth_fit_memory_dispose;
  g_type_ensure (HEARTH_TYPE_SHARE_BAR);
  gtk_widget_class_set_layout_manager_type (widget_class, GTK_TYPE_BIN_LAYOUT);
  gtk_widget_class_set_template_from_resource (
    widget_class, "/io/github/hearth_app/Hearth/library/hearth-fit-memory.ui");
  gtk_widget_class_bind_template_child (widget_class, HearthFitMemory, root);
  gtk_widget_class_bind_template_child (widget_class, HearthFitMemory, memory_group);
  gtk_widget_class_bind_template_child (widget_class, HearthFitMemory, bar);
  gtk_widget_class_bind_template_child (widget_class, HearthFitMemory, parts_box);
  gtk_widget_class_bind_template_child (widget_class, HearthFitMemory, loaded_group);
  gtk_widget_class_bind_template_child (widget_class, HearthFitMemory, loaded_box);
}

static void
hearth_fit_memory_init (HearthFitMemory *self)
{
  gtk_widget_init_template (GTK_WIDGET (self));
}

void
hearth_fit_memory_show (HearthFitMemory *self, const HearthFitPlan *plan)
{
  g_autofree char *total = hearth_words_for_size (plan->memory_total);
  g_autofree char *description = NULL;

  g_return_if_fail (HEARTH_IS_FIT_MEMORY (self));

  gtk_list_box_remove_all (self->parts_box);
  hearth_share_bar_clear (self->bar);
  /* What is taken already comes first where the rest has no room: the mark then lies in the model,
   * and what is beyond it is what is missing. */
  if (!plan->fits && plan->memory_total > plan->budget)
    add_part (self, "share-others", _ ("Other programs"), NULL, plan->memory_total - plan->budget);
  add_part (self, "share-weights", _ ("Weights"), _ ("The model itself"), plan->weights);
  add_part (self, "share-context", _ ("KV cache"), _ ("The conversation, as the model keeps it"),
            plan->kv + plan->checkpoint);
  add_part (self, "share-working", _ ("Working memory"), _ ("While the model computes"),
            plan->compute);
  if (plan->fits && plan->memory_total > plan->budget)
    add_part (self, "share-others", _ ("Other programs"), NULL, plan->memory_total - plan->budget);
  if (plan->fits)
    add_part (self, "share-free", _ ("Left free"), _ ("When this model is loaded"),
              plan->budget - plan->need);
  else
    {
      hearth_share_bar_set_limit (self->bar, MAX (plan->memory_total, plan->budget),
                                  _ ("No room for this"));
      add_missing (self, plan);
    }
  if (plan->memory_total > 0)
    description = g_strdup_printf (
      /* Translators: %s is a size, "32.0 GB" */
      plan->fits ? _ ("%s in all. Models run on the processor here: no graphics memory is used.")
                 : _ ("%s in all. There is no room for what is beyond the mark. Models run on the "
                      "processor here: no graphics memory is used."),
      total);
  else
    description = g_strdup (_ ("Models run on the processor here: no graphics memory is used."));
  adw_preferences_group_set_description (self->memory_group, description);
}

void
hearth_fit_memory_compare (HearthFitMemory *self, const HearthFitPlan *plan,
                           const HearthEngineMemory *actual)
{
  g_return_if_fail (HEARTH_IS_FIT_MEMORY (self));

  gtk_widget_set_visible (self->loaded_group, actual != NULL);
  gtk_list_box_remove_all (self->loaded_box);
  if (actual == NULL)
    return;
  add_comparison (self, _ ("Weights"), plan->weights, actual->weights);
  add_comparison (self, _ ("KV cache"), plan->kv + plan->checkpoint,
                  actual->kv + actual->checkpoint);
  add_comparison (self, _ ("Working memory"), plan->compute, actual->compute);
  add_comparison (self, _ ("Together"), plan->need,
                  actual->weights + actual->kv + actual->checkpoint + actual->compute);
}
